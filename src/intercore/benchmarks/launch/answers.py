"""The one-line answers of `launch`: how long until the second core, or a task on it, executes its first instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.launch.analysis import is_warm_of
from intercore.view.answer import Answer, with_varied
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.launch.analysis import LaunchAnalysis

_QUESTIONS = {"core": "launch the other core", "task": "start a task, other core"}


def answers(analysis: LaunchAnalysis) -> Iterator[Answer]:
    """Answer each launch with a warm cache, and what an empty one makes of it."""
    for one in analysis.launches:
        if one.cache == "warm" and one.what in _QUESTIONS:
            cold = next((two for two in analysis.launches if two is not one and is_warm_of(one, two)), None)
            about = f"with its code not in the cache {duration(cold.launch_us.median.value)}" if cold else ""
            yield Answer(_QUESTIONS[one.what], one.launch_us.median, about=with_varied(about, one.varied).strip())
