"""What may differ from run to run of a real chip, each as a small value with its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import msgspec

from intercore.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Hold(msgspec.Struct, frozen=True, tag="hold", tag_field="kind"):
    """A core is held before the first execution of an instruction from a cycle on.

    So it happens on a chip by an interrupt, the code of another task, misses of the flash cache, another master of the
    bus, or a debugger: wait states last up to some hundred cycles, the others as long as they like.
    """

    stands_for: ClassVar[str] = "holds of a core before an instruction (as by interrupts, other tasks, flash misses)"
    core: int
    pc: int
    cycles: int
    cycle: int

    @property
    def text(self) -> str:
        """As `parsed` takes it."""
        return f"hold:core={self.core},pc={self.pc:#x},cycles={self.cycles}@{self.cycle}"

    @property
    def faults(self) -> Sequence[str]:
        """Of the simulator."""
        return [self.text]


class Phase(msgspec.Struct, frozen=True, tag="phase", tag_field="kind"):
    """Both cores are held at a cycle: TIMER's tick, the UARTs' bit clocks and all other peripherals are further then.

    The PLL and the crystal start anew each time, so the phase between the cores and these clocks is another one.
    """

    stands_for: ClassVar[str] = "the phase of TIMER, UARTs and other peripherals"
    cycles: int
    cycle: int

    @property
    def text(self) -> str:
        """As `parsed` takes it."""
        return f"phase:cycles={self.cycles}@{self.cycle}"

    @property
    def faults(self) -> Sequence[str]:
        """Of the simulator."""
        return [f"stuck:core={core}@{self.cycle}..{self.cycle + self.cycles}" for core in (0, 1)]


class FlashCache(msgspec.Struct, frozen=True, tag="flash cache", tag_field="kind"):
    """The flash cache is empty at a cycle: what it holds depends on all code that ran before."""

    stands_for: ClassVar[str] = "the contents of the flash cache"
    cycle: int

    @property
    def text(self) -> str:
        """As `parsed` takes it."""
        return f"flash-cache@{self.cycle}"

    @property
    def faults(self) -> Sequence[str]:
        """Of the simulator."""
        return [self.text]


class PowerOn(msgspec.Struct, frozen=True, tag="power-on", tag_field="kind"):
    """Other bits of the ring oscillator and, if the image is in flash, contents of SRAM at power-on."""

    stands_for: ClassVar[str] = "bits of the ring oscillator and contents of SRAM at power-on"
    seed: int

    @property
    def text(self) -> str:
        """As `parsed` takes it."""
        return f"power-on:seed={self.seed}"

    @property
    def faults(self) -> Sequence[str]:
        """Of the simulator."""
        return [self.text]


Deviation: TypeAlias = "Hold | Phase | FlashCache | PowerOn"

_HOLD = re.compile(r"hold:core=([01]),pc=0x([0-9a-f]{1,8}),cycles=([0-9]{1,15})@([0-9]{1,15})")
_PHASE = re.compile(r"phase:cycles=([0-9]{1,15})@([0-9]{1,15})")
_FLASH_CACHE = re.compile(r"flash-cache@([0-9]{1,15})")
_POWER_ON = re.compile(r"power-on:seed=([0-9]{1,15})")


def written(deviations: Sequence[Deviation]) -> str:
    """Return deviations as the option --replay takes them."""
    return " ".join(one.text for one in deviations)


def parsed(text: str) -> list[Deviation]:
    """Return what `written` wrote. Raises UsageError for anything else."""
    found = [_parsed(word) for word in text.split()]
    if not found:
        raise UsageError("--replay: there is nothing to repeat: give what --vary has printed")
    return found


def _parsed(word: str) -> Deviation:
    if match := _HOLD.fullmatch(word):
        core, pc, cycles, cycle = match.groups()
        return Hold(int(core), int(pc, 16), int(cycles), int(cycle))
    if match := _PHASE.fullmatch(word):
        return Phase(*map(int, match.groups()))
    if match := _FLASH_CACHE.fullmatch(word):
        return FlashCache(int(match[1]))
    if match := _POWER_ON.fullmatch(word):
        return PowerOn(int(match[1]))
    raise UsageError(
        f"--replay: {word} is not a deviation that --vary has printed, such as {Hold(1, 0x20000304, 5000, 1).text}"
    )


def faults_of(deviations: Sequence[Deviation]) -> list[str]:
    """Return what to ask the simulator for."""
    return [fault for one in deviations for fault in one.faults]
