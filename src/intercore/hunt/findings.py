"""What a hunt finds, each with its cause in a sentence or two. docs/hunt.md has the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from intercore.hunt.waits import HANDED_OVER, object_name
from intercore.sim import CoreState, Reason
from intercore.text import capitalised, listed
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore import _native
    from intercore.hunt.calls import Calls, Place
    from intercore.hunt.hunting import Run
    from intercore.hunt.waits import Wait
    from intercore.sim import Simulator

Code: TypeAlias = Literal[
    "deadlock",
    "no-progress",
    "lost-wake-up",
    "crash",
    "not-reached",
    "outcome",
    "stack-overflow",
    "foreign-stack",
    "starvation",
    "data-race",
    "lost-update",
    "torn-read",
    "systick-off",
    "divider-shared",
    "started-twice",
    "flash-busy",
    "interrupt-on-wrong-core",
    "misuse",
]
_LASTING = 0.5
"""Seconds of the chip's time that a wait has to last if the run does not end by it."""
_HELD = 0.01
"""The same for a spinlock, which whoever has it is to give back within some microseconds."""
_STARVED = 1000
"""How often the other core has to get a lock during one wait."""
_SECTIONS: Mapping[str, tuple[Code, str]] = {
    "SysTick off": (
        "systick-off",
        "reads SYST_CVR of its own SysTick, which is off on this core, so the value stands still: each core has one of "
        "its own and has to start it (RP2040 datasheet 2.4.5.1.1)",
    ),
    "divider shared": (
        "divider-shared",
        "reads a result of the divider that is not that of its own operands: another task or handler on this core has "
        "used the divider in between without saving and restoring it (RP2040 datasheet 2.3.1.5)",
    ),
    "started twice": (
        "started-twice",
        "starts the other core once more, which runs a program and does not answer as the boot ROM does: reset it "
        "first (multicore_reset_core1; RP2040 datasheet 2.8.2)",
    ),
    "flash busy": (
        "flash-busy",
        "needs code or data from flash while the flash is being erased or programmed: keep the core and its handlers "
        "in RAM meanwhile, or lock it out (flash_safe_execute; RP2040 datasheet 2.6.3)",
    ),
}
_INTE = (0x40014100, 0x40014130)
"""PROC0_INTE0 and PROC1_INTE0 of IO_BANK0 (RP2040 datasheet 2.19.6.1); each has four registers."""
_IO_IRQ_BANK0, _SIO_IRQ = 13, (15, 16)
_NVIC_ISER = 0xE000E100


class Finding(msgspec.Struct, frozen=True):
    """A fault, or what looks like one."""

    code: Code
    text: str
    places: Sequence[Place] = ()
    cycle: int | None = None


def findings(simulator: Simulator, calls: Calls, run: Run, writers: Mapping[int, Place]) -> list[Finding]:
    """Return all findings of a run; `writers` has the last writers of words that cores wait for."""
    hunted = simulator.hunted()
    return [
        *_stacks(simulator, calls, hunted),
        *_suspicions(calls, hunted),
        *_misuses(simulator),
        *_wrong_core(simulator),
        *(_starved(simulator, calls, hunted) if not run.stuck else ()),
        *_waits(run, writers),
        *_crashes(simulator, run),
        *_not_reached(run),
    ]


def _crashes(simulator: Simulator, run: Run) -> Iterator[Finding]:
    for wait in run.last.waits:
        if wait.kind == "crashed" and (crash := simulator.crash(wait.core)):
            yield Finding("crash", f"{capitalised(crash)}.", [wait.place])


def _not_reached(run: Run) -> Iterator[Finding]:
    if not run.reached:
        waits = [wait.clause for wait in run.last.waits]
        yield Finding("not-reached", f"The program has not come to where it was expected: {listed(waits)}.")


def _waits(run: Run, writers: Mapping[int, Place]) -> Iterator[Finding]:
    zero, one = run.last.waits
    waits = [zero, one]
    wanted = not run.reached
    stuck = [wait for wait in waits if wait.is_for_others]
    for wait in stuck:
        vain = wanted or waits[1 - wait.core].is_for_others
        if wait.kind == "woken" and run.stuck and run.certain and vain:
            yield Finding("lost-wake-up", f"{capitalised(_with_writers(wait, writers))}.", [wait.place])
            return
    if run.stop.reason is Reason.EXIT and not wanted:
        return
    lasting = [wait for wait in stuck if run.stuck or (wait.repeats and run.lasting[wait.core] >= _LASTING)]
    for wait in lasting:
        if wait.holder == wait.core:
            yield Finding("deadlock", f"{capitalised(_with_writers(wait, writers))}: it will never end.", [wait.place])
            return
    if not run.certain and not (len(lasting) == len(waits) and all(wait.kind in HANDED_OVER for wait in waits)):
        return
    if len(stuck) == len(waits):
        clauses = "; ".join(_with_writers(wait, writers) for wait in waits)
        yield Finding("deadlock", f"Both cores wait for each other: {clauses}.", [wait.place for wait in waits])
        return
    for wait in stuck:
        other = waits[1 - wait.core]
        if not wanted and (wait.kind == "woken" or _is_served(wait, other)):
            continue
        others = other.clause
        yield Finding(
            "no-progress",
            f"{capitalised(_with_writers(wait, writers))}, and nothing will end this: {others}.",
            [wait.place, other.place],
        )
    for wait in waits:
        other = waits[1 - wait.core]
        if wait.kind == "time" and run.certain:
            yield Finding("no-progress", f"{capitalised(wait.clause)}, which no alarm will end: {other.clause}.")


def _is_served(wait: Wait, other: Wait) -> bool:
    """Return whether a core has nothing to do, rather than waits in vain: core 1, if core 0 has no more work for it."""
    asks = wait.kind in {"receives", "queue", "semaphore", "word", "woken"}
    return wait.core == 1 and asks and not wait.place.handler and other.kind in {"ended", "idle", "off"}


def _with_writers(wait: Wait, writers: Mapping[int, Place]) -> str:
    """Return the clause of a wait, with who wrote last what it waits for."""
    found = [writers[word & ~3] for word in wait.words if word & ~3 in writers]
    if not found or wait.holder_place is not None:
        return wait.clause
    last = found[0]
    did = "took" if wait.kind == "mutex" else "changed"
    return f"{wait.clause} (core {last.core} {did} it last, {last.text})"


def _stacks(simulator: Simulator, calls: Calls, hunted: _native.Hunted) -> Iterator[Finding]:
    stacks, intrusions = hunted[-1]
    for core, stack in enumerate(stacks):
        if stack is None or stack[4] is None:
            continue
        limit, top, *_ = stack
        done, address = stack[4]
        place = calls.done(done)
        yield Finding(
            "stack-overflow",
            f"Core {core} leaves its stack of {top - limit:,} bytes ({limit:#010x} to {top:#010x}) {place.text}, in "
            f"cycle {place.cycle:,}: it stores to {object_name(simulator, calls, address)}. Make the stack "
            "larger, or what is on it smaller.",
            [place],
            place.cycle,
        )
    overflown = {core for core, stack in enumerate(stacks) if stack is not None and stack[4] is not None}
    for place, address in [(calls.done(done), address) for done, address in intrusions if done[0] not in overflown][:1]:
        yield Finding(
            "foreign-stack",
            f"Core {place.core} stores {place.text} to {address:#010x}, of the stack of core {1 - place.core}, "
            f"in cycle {place.cycle:,}.",
            [place],
            place.cycle,
        )


def _suspicions(calls: Calls, hunted: _native.Hunted) -> Iterator[Finding]:
    seen: set[tuple[str, int]] = set()
    for what, times, done in hunted[2]:
        place = calls.done(done)
        if (what, place.core) in seen:
            continue
        seen.add((what, place.core))
        code, text = _SECTIONS[what]
        count = f" ({times:,} times)" if times > 1 else ""
        yield Finding(code, f"Core {place.core} {place.text} {text}{count}.", [place], place.cycle)


def _misuses(simulator: Simulator) -> Iterator[Finding]:
    for cycle, block, offset, what in simulator.misuses():
        yield Finding("misuse", f"{block} offset {offset:#05x} in cycle {cycle:,}: {what}.", (), cycle)


def _starved(simulator: Simulator, calls: Calls, hunted: _native.Hunted) -> Iterator[Finding]:
    for lock, core, since, overtaken in hunted[5]:
        seconds = (simulator.now - since) / simulator.hz
        if (overtaken < _STARVED and seconds < _HELD) or simulator.registers(core).state is not CoreState.RUNNING:
            continue
        place = calls.place(core, hunted[0][core][-1])
        holder = next((calls.place(by, path, at) for one, by, at, path in hunted[4] if one == lock), None)
        while_ = (
            f"while core {1 - core} got it {overtaken:,} times: whoever gives it back must leave the other core time"
            if overtaken
            else f"which core {holder.core} has had all that time, since it was {holder.text}"
            if holder
            else "which is free now"
        )
        yield Finding(
            "starvation",
            f"Core {core} has waited for spinlock {lock} for {duration(seconds * 1e6)}, {place.text}, {while_}.",
            [place],
            since,
        )


def _wrong_core(simulator: Simulator) -> Iterator[Finding]:
    enabled = [simulator.peek_private(_NVIC_ISER, core) for core in (0, 1)]
    pins = [any(simulator.peek_register(_INTE[core] + 4 * one) for one in range(4)) for core in (0, 1)]
    for core in (0, 1):
        bit = 1 << _IO_IRQ_BANK0
        if pins[core] and not enabled[core] & bit and enabled[1 - core] & bit and not pins[1 - core]:
            yield Finding(
                "interrupt-on-wrong-core",
                f"Interrupts of pins are enabled for core {core} in PROC{core}_INTE, but IO_IRQ_BANK0 only in the NVIC "
                f"of core {1 - core}, so no handler is called: enable both on the same core (RP2040 datasheet 2.19.3).",
            )
        if enabled[core] >> _SIO_IRQ[1 - core] & 1:
            yield Finding(
                "interrupt-on-wrong-core",
                f"Core {core} enables SIO_IRQ_PROC{1 - core}, which belongs to the FIFO of core {1 - core}: its own is "
                f"SIO_IRQ_PROC{core} (RP2040 datasheet 2.3.1.4).",
            )
