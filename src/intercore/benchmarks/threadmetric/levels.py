"""What `threadmetric` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"test": ALL, "form": ALL}


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the same with shorter windows: where repetitions are five, one in each."""
    if origin == "measured":
        return ({**DEFAULT, "window_ms": ["25"], "samples": ["1"]},)
    return ({**DEFAULT, "window_ms": ["10"], "samples": ["2"]},)
