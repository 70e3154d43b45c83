"""The one-line answers of `rhealstone`: what the slowest of its six times takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.answer import Answer, with_varied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.rhealstone.analysis import RhealstoneAnalysis


def answers(analysis: RhealstoneAnalysis) -> Iterator[Answer]:
    """Answer the slowest of its times, across two cores; or on one, if measured only there."""
    forms = {one.form for one in analysis.times}
    found = [one for one in analysis.times if one.form == ("cross" if "cross" in forms else "same")]
    if found:
        most = max(found, key=lambda one: one.samples_us.median.value)
        question = "slowest Rhealstone time"
        yield Answer(question, most.samples_us.median, about=with_varied(most.component, most.varied))
