"""Plants what makes a task or a handler late in an image: the cause is known, and has a length."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.firmware.rp2040.delay import SRAM4, SRAM5, bl, calls_of, slow_down_handler

if TYPE_CHECKING:
    from intercore.sim import Simulator

SPINLOCK0 = 0xD0000100
UNCACHED = 0x13000000
"""Flash, past its cache (RP2040 datasheet 2.6.3)."""
TIMER_IRQ_3 = 16 + 3

_DETOUR = (
    "push {{r0-r3}}\n{body}\nldr r0, target\nmov r12, r0\npop {{r0-r3}}\nbx r12\n.align 2\ntarget: .word {target}\n"
)
_LOOP = "ldr r2, turns\n1: subs r2, #1\nbne 1b\n"
_LOCK = "cpsid i\nldr r0, lock\n2: ldr r1, [r0]\ncmp r1, #0\nbeq 2b\n" + _LOOP + "str r1, [r0]\ncpsie i\n"
_CRITICAL = "cpsid i\n" + _LOOP + "cpsie i\n"
_MISSES = "ldr r0, flash\nldr r2, turns\n1: ldr r1, [r0]\nadds r0, #8\nsubs r2, #1\nbne 1b\n"
# RP2040 datasheet 4.6.5, 2.1.2 (alias that sets bits); ARMv6-M B3.4.3
_ARM = (
    "ldr r0, nvic\nmovs r1, #8\nstr r1, [r0]\nldr r0, set\nstr r1, [r0, #0x38]\nldr r0, timer\nldr r2, [r0, #0x20]\n"
    "tst r2, r1\nbne 3f\nldr r2, [r0, #0x28]\nldr r3, period\nadds r2, r3\nstr r2, [r0, #0x1c]\n3:\n"
)
_HANDLER = (
    "ldr r0, timer\nmovs r1, #8\nstr r1, [r0, #0x34]\n" + _LOOP + "ldr r2, [r0, #0x28]\nldr r3, period\n"
    "adds r2, r3\nstr r2, [r0, #0x1c]\nbx lr\n"
)
_WORDS = {"nvic": 0xE000E100, "timer": 0x40054000, "set": 0x40056000, "flash": UNCACHED}


@cache
def _assembled(source: str) -> bytes:
    with TemporaryDirectory() as folder:
        place = Path(folder, "code")
        text = f".syntax unified\n.cpu cortex-m0plus\n.thumb\n{source}"
        subprocess.run(["arm-none-eabi-as", "-", "-o", place], input=text, text=True, check=True)
        subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", "--only-section=.text", place], check=True)
        return place.read_bytes()


def _code(body: str, **words: int) -> bytes:
    data = "".join(f"{name}: .word {value}\n" for name, value in (_WORDS | words).items())
    return _assembled(f"{body}.align 2\n{data}")


@cache
def _calls(elf: Path, target: int) -> tuple[int, ...]:
    return tuple(calls_of(elf, target))


class Planter:
    """Changes an image that has been loaded into a chip."""

    def __init__(self, chip: Simulator, elf: Path) -> None:
        self._chip, self._elf = chip, elf

    def lock(self, number: int, turns: int) -> None:
        """Have each busy task of `jitter` hold a spinlock for so many turns of 3 cycles, each time around."""
        self._lead_astray("ic_load_turn", "load_task", _LOCK, lock=SPINLOCK0 + 4 * number, turns=turns)

    def critical_section(self, turns: int) -> None:
        """Have it mask interrupts for so long."""
        self._lead_astray("ic_load_turn", "load_task", _CRITICAL, turns=turns)

    def misses(self, words: int) -> None:
        """Have each tick load so many words of flash before it does anything else."""
        self._lead_astray("xTaskIncrementTick", "isr_systick", _MISSES, turns=words)

    def interrupt(self, turns: int, period_us: int) -> None:
        """Have a timer interrupt what `jitter`'s busy tasks run on, with the highest priority, all `period_us`."""
        handler = _code(_HANDLER, turns=turns, period=period_us)
        self._chip.write(SRAM5, handler)
        tables = self._chip.symbols["vector_tables"]
        for core in (0, 1):
            self._chip.write_word(tables.address + core * tables.size // 2 + 4 * TIMER_IRQ_3, SRAM5 | 1)
        self._lead_astray("ic_load_turn", "load_task", _ARM, period=period_us)

    def tick(self, core: int, turns: int) -> None:
        """Have the tick of a core take so many turns longer."""
        slow_down_handler(self._chip, core, 15, turns)

    def _lead_astray(self, function: str, within: str, body: str, **words: int) -> None:
        """Lead all calls of a function within another one through code at SRAM4."""
        target = self._chip.address(function) & ~1
        place = self._chip.symbols[within]
        calls = [at for at in _calls(self._elf, target) if 0 <= at - (place.address & ~1) < place.size]
        assert calls, f"{within} does not call {function}"
        source = _DETOUR.format(body=body, target=target | 1)
        self._chip.write(SRAM4, _code(source, **words))
        for call in calls:
            self._chip.write(call, bl(call, SRAM4))
