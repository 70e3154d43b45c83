"""A hunt for faults, from the image to all that is known in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.hunt.calls import Calls, Place
from intercore.hunt.finding import Finding
from intercore.hunt.findings import findings
from intercore.hunt.flash import FlashWait, HandlerWait, flash_waits, handler_waits
from intercore.hunt.hunting import LOOK, Wanted, hunt
from intercore.hunt.races import races
from intercore.hunt.starvation import spinlocks_before
from intercore.hunt.waits import Wait
from intercore.profile.names import task as task_name
from intercore.profile.recorded import LockUse, take
from intercore.record.origin import Origin
from intercore.sim import Reason, Simulator
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from intercore.sim.hunted import Hunted, HuntedStack


class Interrupt(msgspec.Struct, frozen=True):
    """The handler of an exception on a core; times in cycles."""

    core: int
    number: int
    """Of the exception; interrupt 0 is exception 16."""
    name: str
    count: int
    total: int
    """With what interrupted it."""
    longest: int
    latency: int
    """The most from where it became pending to the read of its vector."""
    delayed_by: str
    """What that was spent with; empty if it was taken at once."""
    flash: HandlerWait | None = None
    """What it waited for flash, in all its runs."""


class StackUse(msgspec.Struct, frozen=True):
    """The stack of a core, or of a task of FreeRTOS."""

    core: int | None
    """None of a task, which may be on both."""
    limit: int
    top: int
    used: int
    """Bytes from its end to the lowest word that the core or task stored to."""
    deepest: Place | None
    task: str = ""
    """Empty of a core, whose handlers are on it."""


class Variation(msgspec.Struct, frozen=True):
    """How a run deviates from the undisturbed one, and what was found out about it."""

    replay: str
    """The deviations of the run, as the option --replay takes them; empty if no run has failed."""
    sentences: Sequence[str] = ()
    """What must fall where for it to fail."""
    seed: int | None = None
    runs: int = 0
    """How many were begun up to the first that fails, or all."""
    asked: int = 0
    kinds: Sequence[str] = ()
    """What was varied."""
    places: int = 0
    """How many instructions there are at which a core may be held."""
    chosen: int = 0
    """Deviations of the run that failed, before it was reduced."""
    reduction: int = 0
    """Runs that it took to reduce it."""
    interrupted: bool = False


class HuntAnalysis(msgspec.Struct, frozen=True, tag_field="kind", tag="intercore hunt"):
    """The result of a hunt, as `intercore hunt … --format json` prints it."""

    image: str
    origin: Origin
    stop: str
    """Why the run ended."""
    cycles: int
    seconds: float
    hz: int
    findings: Sequence[Finding]
    waits: Sequence[Wait]
    """What each core did at the end."""
    interrupts: Sequence[Interrupt]
    locks: Sequence[LockUse]
    stacks: Sequence[StackUse]
    """Of the cores, then of tasks."""
    notes: Sequence[str]
    """What the program did that is not modelled or not allowed."""
    output: str
    """The end of what it printed."""
    all_shared: bool = True
    """Whether all accesses to words that are shared were looked at for data races."""
    variation: Variation | None = None
    flash: Sequence[FlashWait] = ()
    """What each core waited for flash."""
    reason: Reason = Reason.LIMIT
    exit_code: int | None = None
    """None if the program did not exit."""
    settled: int = 0
    """The cycle of the look from which on both cores were in what they are in at the end."""
    schema: int = 1


_OUTPUT = 400
_MUCH = 0.4
"""Of the run's cycles: so many are looked at once more even if there are too many accesses for all of them."""
_HARD_FAULT = 3


def analysed(
    image: Path, name: str, wanted: Wanted, progress: Callable[[str], None], faults: Sequence[str] = ()
) -> HuntAnalysis:
    """Run a program, deviating from the undisturbed run by some faults of the chip, and return what was found."""
    simulator = Simulator(image)
    calls = Calls(simulator)
    simulator.start_hunt()
    simulator.set_faults(faults)
    run = hunt(simulator, calls, wanted, progress)
    hunted = simulator.hunted()
    found = findings(simulator, calls, run, {})
    words, shared = [], simulator.shared_words()
    if any(one.code in {"deadlock", "no-progress", "lost-wake-up", "not-reached"} for one in found):
        words = sorted({word & ~3 for wait in run.last.waits for word in wait.words})
    again = _Again({}, [], all_shared=True)
    if words or shared:
        progress("once more, to see who changes what the cores share, and in which order")
        again = _again(image, words, shared, simulator.now, faults)
        found = findings(simulator, calls, run, again.writers)
        found += again.races
        found.sort(key=lambda one: one.code == "not-reached")
    notes = simulator.take_diagnostics()
    recorded = take(simulator, name, run.reason, simulator.seconds, sources=False)
    interrupts, stacks = _interrupts(calls, hunted, handler_waits(recorded)), _stacks(calls, hunted)
    return HuntAnalysis(
        name,
        "simulated",
        run.reason,
        simulator.now,
        simulator.seconds,
        round(simulator.hz),
        [*found, *(() if any(one.code == "starvation" for one in found) else spinlocks_before(recorded))],
        run.last.waits,
        interrupts,
        recorded.locks,
        stacks,
        notes,
        printable(run.output.decode(errors="replace")[-_OUTPUT:]),
        again.all_shared,
        flash=flash_waits(recorded),
        reason=run.stop.reason,
        exit_code=run.stop.code,
        settled=simulator.now - round(min(run.lasting) * simulator.hz),
    )


class _Again(NamedTuple):
    """What the same run shows once more."""

    writers: Mapping[int, Place]
    """Who wrote last to words."""
    races: Sequence[Finding]
    all_shared: bool
    """Whether all accesses to shared words were looked at."""


def _again(image: Path, words: Sequence[int], shared: Sequence[int], end: int, faults: Sequence[str]) -> _Again:
    """Run the same again."""
    simulator = Simulator(image)
    calls = Calls(simulator)
    simulator.start_hunt_again(words, shared)
    simulator.set_faults(faults)
    all_shared = True
    while simulator.now < end and (words or all_shared or simulator.now < _MUCH * end):
        stop = simulator.run(min(LOOK - simulator.now % LOOK, end - simulator.now))
        simulator.take_uart()
        simulator.take_usb()
        simulator.take_host_output()
        if stop.reason not in {Reason.LIMIT, Reason.LOCKUP}:
            break
        simulator.look_again_for_races()
        _, all_shared = simulator.races() or ([], True)
    raced, all_shared = simulator.races() or ([], True)
    writers = {word: calls.done(done) for word, done in simulator.hunted().writers if done is not None}
    return _Again(writers, list(races(simulator, calls, raced)), all_shared)


def _interrupts(calls: Calls, hunted: Hunted, flash: Mapping[tuple[int, int], HandlerWait]) -> list[Interrupt]:
    def why(kind: str, function: int, name: str | None) -> str:
        if kind == "handler":
            return f"the handler of {name}"
        return f"masked in {calls.function(function)}" if kind == "masked" else ""

    return [
        Interrupt(
            core,
            number,
            name,
            count,
            total,
            longest,
            latency,
            why(kind, function, other),
            flash.get((core, number)),
        )
        for core, number, name, (count, total, longest, latency), kind, function, other in hunted.interrupts
        if number > _HARD_FAULT
    ]


def _stacks(calls: Calls, hunted: Hunted) -> list[StackUse]:
    def use(core: int | None, stack: HuntedStack, task: str = "") -> StackUse:
        deepest = calls.done(stack.deepest) if stack.deepest else None
        return StackUse(core, stack.limit, stack.top, stack.top - stack.low, deepest, task)

    of_cores = [use(core, stack) for core, stack in enumerate(hunted.stacks) if stack is not None]
    of_tasks = [use(None, one.stack, task_name(one.block, one.name)) for one in hunted.tasks if one.stack is not None]
    return [*of_cores, *of_tasks]
