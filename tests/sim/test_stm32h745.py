"""The STM32H745 is looked into as the RP2040 is: probes, tallies, runs to an address, hash of a run."""

from __future__ import annotations

import struct

import numpy as np

from intercore.sim import Reason, Stm32h745

M7, M4 = 0x0800_0000, 0x0810_0000
LOOP = 8
"""Bytes from the beginning of an image to its first instruction."""
PERIOD = 15_625
"""Picoseconds of a clock of 64 MHz."""


def elf(base: int, code: list[int]) -> bytes:
    """Return an ELF file with a vector table and code behind it."""
    contents = struct.pack(f"<2I{len(code)}H", 0x2000_1000, base + LOOP + 1, *code)
    identity = b"\x7fELF\x01\x01\x01" + bytes(9)
    header = struct.pack("<2H5I6H", 2, 40, 1, base + LOOP + 1, 52, 0, 0x0500_0200, 52, 32, 1, 40, 0, 0)
    part = struct.pack("<8I", 1, 84, base, base, len(contents), len(contents), 5, 4)
    return identity + header + part + contents


def chip() -> Stm32h745:
    """Return a chip whose cores count: ADDS r0, #1; B back; the Cortex-M4 with a NOP before."""
    return Stm32h745([elf(M7, [0x3001, 0xE7FD]), elf(M4, [0xBF00, 0x3001, 0xE7FD])])


def test_probes_see_each_core_at_its_place() -> None:
    plain, watched = chip(), chip()
    first, second = watched.watch_execution(M7 + LOOP), watched.watch_execution(M4 + LOOP + 2)
    for each in (plain, watched):
        assert each.run(1_000_000_000).reason is Reason.LIMIT
    assert plain.state_hash() == watched.state_hash()
    assert plain.trace_hash() == watched.trace_hash()
    for core, probe in enumerate((first, second)):
        hits = probe.take()
        assert set(hits["core"]) == {core}
        assert set(np.diff(hits["cycle"])) == {2 * PERIOD}
        assert len(hits) in {32_000, 31_999}
    assert len(first.hits()) == 0


def test_a_run_ends_at_an_address_and_a_tally_counts_there() -> None:
    counting = chip()
    tally = counting.tally(M7 + LOOP + 2)
    for turn in range(1, 4):
        stop = counting.run(1_000_000_000, address=M7 + LOOP + 2)
        assert (stop.reason, stop.core, stop.pc) == (Reason.ADDRESS, 0, M7 + LOOP + 2)
        assert counting.registers(0).r[0] == turn
    assert [count.arguments[0] for count in tally.take()] == [1, 2, 3]
    assert counting.statistics(0).instructions == 5
    assert counting.statistics(0).conflicts == {}


def test_a_snapshot_holds_probes_and_their_hits() -> None:
    counting = chip()
    probe = counting.watch_execution(M4 + LOOP)
    counting.run(1_000_000)
    back = counting.keep()
    probe.forget()
    assert len(probe.hits()) == 0
    back()
    assert list(probe.hits()["pc"]) == [M4 + LOOP]
