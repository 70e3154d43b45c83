"""What `rhealstone` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"component": ALL, "form": ALL}


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the same with fewer samples."""
    return ({**DEFAULT, "samples": ["200" if origin == "measured" else "30"], "dither_us": ["300"]},)
