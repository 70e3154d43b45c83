"""What `api` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

_SIZED_CALLS = ["send", "receive", "stream-send", "stream-receive", "allocate", "free"]
_CALLS = [
    *("create", "delete", "give", "take", "lock", "unlock", "notify", "notify-take", "set", "wait", "critical"),
    *_SIZED_CALLS,
    "nothing",
]

DEFAULT: Levels = {"call": _CALLS, "other": ["none", "spin", "same"]}
"""Every call, alone, beside a core that computes and beside one that calls the same."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the grid of every call, and that of those to which the size matters."""
    often, seldom, sizes = (
        ("200", "100", ["16", "256", "1024"]) if origin == "measured" else ("50", "10", ["16", "1024"])
    )
    dither = {"dither_us": ["300"]}
    return (
        {"call": _CALLS, "size": ["64"], "other": ["none", "same"], "samples": [often], **dither},
        {"call": _SIZED_CALLS, "size": sizes, "other": ["none"], "samples": [seldom], **dither},
    )
