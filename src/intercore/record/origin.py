"""The origin of numbers, and its label wherever they are shown: simulated is not measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Origin: TypeAlias = Literal["measured", "simulated", "emulated"]
"""`measured` on real hardware; `simulated` by a program that counts every cycle of a chip; `emulated` by one that does
what a chip does and not in the chip's time: its times are this machine's, or made up, and mean nothing."""

LABELS: dict[Origin, str] = {
    "measured": "",
    "simulated": "SIMULATED",
    "emulated": "FUNCTION ONLY: emulated, times mean nothing",
}
"""The label of every number of the origin."""

CAUTION = (
    "FUNCTION ONLY: emulated, times mean nothing. This shows that the program runs, and that its results and checks "
    "are right. Conclusions from times are left out, because they would be about the emulator."
)
"""What stands in the place of conclusions from times of an emulated chip."""


def in_brackets(name: str, origin: Origin) -> str:
    """Return the name with the label behind it: `pico-sim (SIMULATED)`; that of real hardware as it is."""
    return f"{name} ({LABELS[origin]})" if LABELS[origin] else name


def in_heading(name: str, origin: Origin) -> str:
    """Return the name with the label behind it: `pico-sim, SIMULATED`; that of real hardware as it is."""
    return f"{name}, {LABELS[origin]}" if LABELS[origin] else name


def weakest_origin(origins: Iterable[Origin]) -> Origin:
    """Return the origin that is farthest from real hardware: the label of several numbers together."""
    known: Collection[Origin] = set(origins)
    order: tuple[Origin, ...] = ("emulated", "simulated", "measured")
    return next((one for one in order if one in known), "measured")
