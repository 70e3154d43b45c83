"""What cores do against the datasheet, or with no good end: told by single accesses and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.hunt.finding import Code, Finding
from intercore.hunt.memory import object_name
from intercore.profile.names import task as task_name
from intercore.text import capitalised, plural
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from intercore.hunt.calls import Calls
    from intercore.sim import Simulator
    from intercore.sim.hunted import Hunted

_STORM = 0.1
"""Seconds of the chip's time that handlers have to leave no time to what they interrupt."""
_ENTRIES = 1000
"""How often they have to be entered meanwhile: a handler that goes on for so long by itself is no storm."""
_WATCHDOG_REASON = 0x40058008
_TIMER = 1
"""Of REASON: the watchdog's time was over (RP2040 datasheet 4.7.6)."""
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


def uses(simulator: Simulator, calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    """Yield what is wrong with stacks, registers, interrupts and resets."""
    yield from _stacks(simulator, calls, hunted)
    yield from _suspicions(calls, hunted)
    yield from _misuses(simulator)
    yield from _wrong_core(simulator)
    yield from _storms(simulator, calls, hunted)
    yield from _resets(simulator, calls, hunted)


def _stacks(simulator: Simulator, calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    own = [(f"Core {core}", stack) for core, stack in enumerate(hunted.stacks)]
    of_tasks = [(capitalised(task_name(task.block, task.name)), task.stack) for task in hunted.tasks]
    for whose, stack in [*own, *of_tasks]:
        if stack is None or stack.overflow is None:
            continue
        limit, top, (done, address) = stack.limit, stack.top, stack.overflow
        place = calls.done(done)
        yield Finding(
            "stack-overflow",
            f"{whose} leaves its stack of {top - limit:,} bytes ({limit:#010x} to {top:#010x}) {place.text}, in "
            f"cycle {place.cycle:,}: it stores to {object_name(simulator, calls, address)}. Make the stack "
            "larger, or what is on it smaller.",
            [place],
            place.cycle,
        )
    overflown = {core for core, stack in enumerate(hunted.stacks) if stack is not None and stack.overflow is not None}
    intruders = [(calls.done(done), address) for done, address in hunted.intrusions if done[0] not in overflown]
    for place, address in intruders[:1]:
        yield Finding(
            "foreign-stack",
            f"Core {place.core} stores {place.text} to {address:#010x}, of the stack of core {1 - place.core}, "
            f"in cycle {place.cycle:,}.",
            [place],
            place.cycle,
        )


def _suspicions(calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    seen: set[tuple[str, int]] = set()
    for what, times, done in hunted.suspicions:
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


def _storms(simulator: Simulator, calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    for core, (_, storm) in enumerate(hunted.troubles):
        if storm is None:
            continue
        name, since, entries = storm
        seconds = (simulator.now - since) / simulator.hz
        if entries < _ENTRIES or seconds < _STORM:
            continue
        interrupted = next((calls.place(core, path) for path in hunted.paths[core]), None)
        where = f" {interrupted.text}" if interrupted else ""
        yield Finding(
            "interrupt-storm",
            f"Core {core} does nothing but enter handlers: since cycle {since:,}, for {duration(seconds * 1e6)}, "
            f"{entries:,} times, the last of {name}. What they interrupt gets no time{where}. Has the handler taken "
            "back what calls it?",
            [interrupted] if interrupted else [],
            since,
        )


def _resets(simulator: Simulator, calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    resets = [trouble.reset for trouble in hunted.troubles]
    if resets[0] is None or not simulator.peek_register(_WATCHDOG_REASON) & _TIMER:
        return
    times, done = resets[0]
    places = [calls.done(reset[1]) for reset in resets if reset is not None and reset[1][1] == done[1]]
    were = " and ".join(f"core {place.core} was {place.text}" for place in places)
    yield Finding(
        "watchdog",
        f"The watchdog has reset the chip {plural(times, 'time')}, first in cycle {done[1]:,}, when {were}: nobody "
        "has fed it.",
        places,
        done[1],
    )
