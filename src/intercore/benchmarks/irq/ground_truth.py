"""When each sample of `irq` ended on the simulated chip, by probes of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from intercore.sim.observation import (
    FIRST_INTERRUPT,
    Answered,
    Answers,
    Passages,
    contradiction,
    first_after,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series
    from intercore.sim import Simulator

SELF = FIRST_INTERRUPT + 26
"""By which a core interrupts itself (firmware/board/rp2040/cores)."""
PIN = FIRST_INTERRUPT + 13
"""IO_IRQ_BANK0, by which a pin interrupts a core."""


class _Path(NamedTuple):
    """Where a path begins and ends."""

    function: str
    """Of firmware/bench/irq.c, which core `from` comes to once for each sample before the reading that ends it; with a
    pin, core `to`."""
    ends_on_second: bool
    """Whether that is on core `to`."""
    by: Literal["timer", "doorbell", "pin"]


_PATHS = {
    "timer-handler": _Path("read_clock", ends_on_second=False, by="timer"),
    "handler-task": _Path("port_notify_from_handler", ends_on_second=True, by="timer"),
    "timer-task": _Path("port_notify_from_handler", ends_on_second=True, by="timer"),
    "doorbell": _Path("port_doorbell_ring", ends_on_second=True, by="doorbell"),
    "doorbell-round-trip": _Path("port_doorbell_ring", ends_on_second=False, by="doorbell"),
    "gpio-handler": _Path("read_clock", ends_on_second=True, by="pin"),
    "gpio-task": _Path("port_notify_from_handler", ends_on_second=True, by="pin"),
}


class IrqAnswers(Answers):
    """Sees where the paths of `irq` lead through, and readings of the clock."""

    series = "latency"
    apart = ("path",)

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._readings = Passages(chip, "port_clock_reads")
        self._places = {path.function: Passages(chip, path.function) for path in _PATHS.values()}

    def answered(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Sequence[Answered]:
        """See Answers."""
        path = _PATHS[str(factors["path"])]
        first, second = int(factors["from"]), int(factors["to"])
        if path.by == "pin":
            first = second  # the edge begins there: who drives the pin is not on the way
        passed = self._places[path.function].cycles(first)
        to_itself = first == second and path.by == "doorbell"
        if to_itself and not path.ends_on_second:
            passed = passed[::2]  # the answer rings the same core
        count = sum(len(series.ticks) for series in measured if series.name == self.series)
        if len(passed) != count + 1:
            raise contradiction(count, max(len(passed) - 1, 0))
        last = second if path.ends_on_second else first
        ends = first_after(self._readings.cycles(last), passed)[1:]  # the first of all is the warm-up
        cores = [first] if first == second or path.function == "read_clock" else [first, second]
        if len(cores) > 1 and not path.ends_on_second:
            cores.append(first)
        rung = SELF if to_itself else None
        exception = {"timer": FIRST_INTERRUPT + first, "doorbell": rung, "pin": PIN}[path.by]
        return [Answered(int(end), cores, exception) for end in ends]
