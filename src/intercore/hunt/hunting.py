"""Runs a program on the simulated chip until it ends, makes no progress, or has done what it is expected to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from intercore.hunt.calls import Calls
from intercore.hunt.kernel import quiet, ready
from intercore.hunt.waits import HANDED_OVER, Snapshot, snapshot
from intercore.sim import CoreState, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.sim import Simulator, Stop

LOOK = 2_500_000
"""Cycles between two looks at whether there is progress; for data races, there are more accesses to look at then."""
_PATIENCE = 1.0
"""Seconds of the chip's time without any change that are no progress if something pending might yet bring one."""


class Wanted(NamedTuple):
    """What the program is to do."""

    seconds: float
    """Of the chip's time, at most."""
    symbol: int | None
    """An address that is to be executed; the run ends there."""
    text: bytes
    """What it is to print; empty if that does not matter. The run ends when it has."""


class Run(NamedTuple):
    """A run, up to its end."""

    stop: Stop
    reason: str
    """A sentence without a full stop."""
    reached: bool
    """Whether it did what it was to do; true if that was nothing."""
    stuck: bool
    """Whether nothing can change any more, or nothing has changed for long."""
    certain: bool
    """Whether it is certain that nothing can change any more."""
    last: Snapshot
    lasting: tuple[float, float]
    """For how many seconds each core has been in the same loop, with what it waits for unchanged, at each look."""
    output: bytes
    ready_since: Mapping[int, int]
    """Since which cycle each task of a kernel has been ready, and on no core, at each look."""


Lasting: TypeAlias = "tuple[tuple[object, float], tuple[object, float]]"
"""What each core does, and since when."""


def hunt(simulator: Simulator, calls: Calls, wanted: Wanted, progress: Callable[[str], None]) -> Run:
    """Run a program from power-on, or from where it has come to: the looks are in the same cycles."""
    output = bytearray()
    lasting: Lasting = ((None, simulator.seconds), (None, simulator.seconds))
    ready_since: dict[int, int] = {}
    quiet_since: float | None = None
    while True:
        left = wanted.seconds - simulator.seconds
        cycles = max(1, min(LOOK - simulator.now % LOOK, round(left * simulator.hz)))
        stop = simulator.run(cycles, address=wanted.symbol, text=wanted.text or None)
        output += simulator.take_uart()
        output += simulator.take_usb()
        output += simulator.take_host_output()
        simulator.look_again_for_races()
        reached = wanted.symbol is None and not wanted.text
        reached |= stop.reason in {Reason.ADDRESS, Reason.TEXT} or bool(wanted.text and wanted.text in output)
        over = stop.reason is not Reason.LIMIT or simulator.seconds >= wanted.seconds * (1 - 1e-9)
        if stop.reason is Reason.LOCKUP:
            over = False  # the other core may go on
        wants = wanted.symbol is not None or bool(wanted.text)
        if over or (reached and wants):
            why = stop.sentence.removeprefix(f"{simulator.moment}: ")
            if stop.reason is Reason.LIMIT:
                why = "the text was printed" if reached and wants else f"the limit of {wanted.seconds:g} s is reached"
            dead = stop.reason is Reason.DEAD_END
            now = snapshot(simulator, calls)
            if stop.reason is Reason.EXIT and stop.core is not None:
                waits = list(now.waits)
                waits[stop.core] = msgspec.structs.replace(waits[stop.core], kind="ended", what="has ended the program")
                now = msgspec.structs.replace(now, waits=waits)
            lasting = _lasting(lasting, now, simulator.seconds)
            return Run(stop, why, reached, dead, dead, now, _seconds(lasting, simulator), bytes(output), ready_since)
        if any(simulator.registers(core).state is CoreState.STUCK for core in (0, 1)):
            continue  # a core that is held for a while waits for nothing
        now = snapshot(simulator, calls)
        lasting = _lasting(lasting, now, simulator.seconds)
        for_so_long = _seconds(lasting, simulator)
        ready_since = {block: ready_since.get(block, simulator.now) for block in ready(simulator)}
        quiet_since = (quiet_since or simulator.seconds) if quiet(simulator) else None
        why, certain = "", False
        if _both_repeat(now):
            if simulator.nothing_is_pending():
                why, certain = "nothing can change any more", True
            elif all(wait.kind in HANDED_OVER for wait in now.waits) and min(for_so_long) >= _PATIENCE:
                why = f"nothing has changed for {_PATIENCE:g} s of the chip's time"
        if quiet_since is not None and simulator.seconds - quiet_since >= _PATIENCE:
            why = f"no task has run for {_PATIENCE:g} s of the chip's time, and nothing will let one"
        if why:
            return Run(stop, why, reached, True, certain, now, for_so_long, bytes(output), ready_since)
        progress(f"{simulator.seconds:.2f} s of {wanted.seconds:g} s of the chip's time")


def _lasting(before: Lasting, now: Snapshot, seconds: float) -> Lasting:
    def of(core: int) -> tuple[object, float]:
        wait, (same, since) = now.waits[core], before[core]
        doing = (wait.kind, wait.what, wait.place.functions, now.raw[core])
        return doing, since if doing == same else seconds

    return of(0), of(1)


def _seconds(lasting: Lasting, simulator: Simulator) -> tuple[float, float]:
    return simulator.seconds - lasting[0][1], simulator.seconds - lasting[1][1]


def _both_repeat(now: Snapshot) -> bool:
    """Return whether neither core does anything but what it did the turn before."""
    idle = {"off", "crashed", "ended"}
    return all(
        wait.kind in idle or ((wait.repeats or wait.asleep) and wait.kind not in {"runs", "time", "register"})
        for wait in now.waits
    )
