"""Probes tell the truth: each answer is known from the cycle table or from what the firmware measures itself."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.sim import HIT, Simulator, SimulatorError
from tests.sim.firmware import FOREVER, SRAM, raw

LOOP = 12
"""Bytes from the beginning of the functions of both_cores.c to their loop of 4 cycles; 1000 turns."""
TURNS = 1000


def test_every_turn_of_a_loop_is_seen_on_the_core_that_takes_it(both_cores: Simulator) -> None:
    work = both_cores.address("work_in_sram5")
    turns = both_cores.watch_execution(work + LOOP)
    both_cores.run()
    hits = turns.hits()
    assert hits.dtype == HIT
    assert len(hits) == TURNS
    assert set(hits["core"]) == {1}
    assert set(hits["pc"]) == {work + LOOP}
    assert set(np.diff(hits["cycle"])) == {4}


def test_the_truth_is_what_the_firmware_measures_with_systick(both_cores: Simulator) -> None:
    work = both_cores.address("work_in_sram4")
    begins, ends = both_cores.watch_execution(work + 8), both_cores.watch_execution(work + LOOP + 6)
    both_cores.run()
    assert both_cores.take_uart().startswith(b"alone, core 0: 4002\n")
    took = {core: [] for core in (0, 1)}
    for begin in begins.hits():
        end = next(hit for hit in ends.hits() if hit["core"] == begin["core"] and hit["cycle"] > begin["cycle"])
        took[int(begin["core"])].append(int(end["cycle"] - begin["cycle"]))
    assert took[0][:2] == [4002, 4002]
    assert sorted([took[0][2], took[1][0]]) == [4002, 4003]


def test_loads_and_stores_are_seen_with_their_values() -> None:
    # LDR r1, =0x20001000; MOVS r0, #5; STR r0, [r1]; ADDS r0, #1; STRB r0, [r1]; LDR r2, [r1]; B .
    code = (0x4903, 0x2005, 0x6008, 0x3001, 0x7008, 0x680A, *FOREVER, 0xBF00, 0x1000, 0x2000)
    simulator = Simulator(raw(*code), base=SRAM)
    reads, writes = simulator.watch_reads(0x2000_1000), simulator.watch_writes(0x2000_1000, 1)
    beside = simulator.watch_writes(0x2000_1001, 2)
    simulator.run(10_000)
    assert writes.hits()["value"].tolist() == [5, 6]
    assert (writes.hits()["pc"] - SRAM).tolist() == [12, 16]
    assert reads.hits()["value"].tolist() == [6]
    assert beside.hits()["value"].tolist() == [5], "a word touches the bytes beside, a byte does not"
    # STR 2, ADDS 1 between the grants of the two stores; each is granted in its first cycle.
    assert np.diff(writes.hits()["cycle"]).tolist() == [3]


def test_a_variable_is_watched_as_wide_as_it_is(both_cores: Simulator) -> None:
    probe = both_cores.watch_writes("handlers")
    assert (probe.kind, probe.address, probe.size) == ("write", both_cores.address("handlers"), 192)


def test_hits_can_be_taken(forever: Simulator) -> None:
    forever.run(10_000)
    probe = forever.watch_execution(SRAM + 8)
    forever.run(10)
    first = probe.take()
    assert len(first) == 5
    assert len(probe.hits()) == 0
    forever.run(10)
    assert np.all(probe.hits()["cycle"] > first["cycle"].max())


def test_a_core_is_followed_without_a_gap_and_without_disturbing_it(both_cores: Simulator) -> None:
    both_cores.run(1_000_000)
    undisturbed, end = both_cores.state_hash(), both_cores.now
    both_cores.reset()
    begin = end - 30_000
    both_cores.run_to(begin)
    both_cores.start_profile()
    before = [both_cores.statistics(core) for core in (0, 1)]
    followed = both_cores.follow(end)
    assert both_cores.state_hash() == undisturbed
    for core, stretches in enumerate(followed):
        begins = [one[0] for one in stretches]
        lengths = [one[1] for one in stretches]
        assert begins[0] == begin
        assert all(length > 0 for length in lengths)
        assert begins[1:] == (np.cumsum(lengths)[:-1] + begin).tolist(), "one begins where the last one ends"
        assert sum(lengths) == end - begin
        after, asleep = both_cores.statistics(core), sum(one[1] for one in stretches if one[3] == "sleeps")
        assert abs(asleep - (after.asleep - before[core].asleep)) <= 1
        lost = sum(one[1] for one in stretches if one[4] is not None)
        conflicts, waits = (sum(getattr(after, name).values()) - sum(getattr(before[core], name).values())
                            for name in ("conflicts", "waits"))  # fmt: skip
        assert lost == conflicts + waits


def test_nothing_is_followed_without_a_profile_or_on_a_chip_without_one(both_cores: Simulator) -> None:
    assert both_cores.follow(both_cores.now + 100) == ([], [])


def test_watching_does_not_disturb(both_cores: Simulator) -> None:
    both_cores.run(1_000_000)
    undisturbed = both_cores.state_hash()
    both_cores.reset()
    both_cores.watch_execution("work_in_sram4")
    both_cores.watch_reads(SRAM, 0x4_0000)
    both_cores.run(1_000_000)
    assert both_cores.state_hash() == undisturbed


def test_hits_of_both_cores_come_in_the_order_of_time(both_cores: Simulator) -> None:
    probe = both_cores.watch_reads(0x2004_0000, 0x2000)
    both_cores.run()
    cycles = probe.hits()["cycle"]
    assert len(set(probe.hits()["core"])) == 2
    assert np.all(np.diff(cycles) >= 0)


def test_a_snapshot_holds_the_hits_so_far_and_the_probes(forever: Simulator) -> None:
    forever.run(10_000)
    before = forever.watch_execution(SRAM + 8)
    forever.run(20)
    snapshot = forever.snapshot()
    after = forever.watch_execution(SRAM + 8)
    forever.run(20)
    assert (len(before.hits()), len(after.hits())) == (20, 10)
    forever.restore(snapshot)
    assert len(before.hits()) == 10
    with pytest.raises(SimulatorError, match="placed after the snapshot that was restored"):
        after.hits()


def test_a_million_hits_are_an_array(forever: Simulator) -> None:
    probe = forever.watch_execution(SRAM + 8)
    forever.run(2_010_000)
    hits = probe.hits()
    assert len(hits) > 1_000_000
    assert set(np.diff(hits["cycle"])) == {2}


def test_a_tally_counts_what_cores_did_up_to_a_place_and_ends_no_run(both_cores: Simulator) -> None:
    work = both_cores.address("work_in_sram5")
    begins, tally = both_cores.watch_execution(work), both_cores.tally("work_in_sram5")
    stop = both_cores.run()
    (hit,), (count,) = begins.hits(), tally.take()
    assert stop.pc != work
    assert (count.core, len(count.arguments)) == (1, 4)
    assert abs(count.cycle - int(hit["cycle"])) <= 2
    after = both_cores.statistics(1)
    assert 0 < count.statistics[1].instructions < after.instructions
    assert count.statistics[1].asleep <= after.asleep
    assert tally.take() == []


def test_a_tally_changes_nothing_that_happens(both_cores: Simulator) -> None:
    begin = both_cores.snapshot()
    both_cores.run()
    alone = both_cores.trace_hash()
    both_cores.restore(begin)
    tally = both_cores.tally("work_in_sram4")
    both_cores.run()
    assert both_cores.trace_hash() == alone
    assert tally.take()
    both_cores.restore(begin)
    with pytest.raises(SimulatorError, match="this tally was placed after the snapshot"):
        tally.take()


def test_more_hits_than_are_kept_are_an_error_until_they_are_forgotten() -> None:
    # ADDS r0, #1; B back: 3 cycles a turn, and each turn is a hit of all probes.
    simulator = Simulator(raw(0x3001, 0xE7FD), base=SRAM)
    probes = [simulator.watch_execution(SRAM + 8) for _ in range(20)]
    tally = simulator.tally(SRAM + 8)
    simulator.run(700_000)
    for probe in probes:
        with pytest.raises(SimulatorError, match="4194304"):
            probe.hits()
        probe.forget()
    with pytest.raises(SimulatorError, match="32768"):
        tally.take()
    simulator.run(300)
    assert [len(probe.hits()) for probe in probes] == [100] * 20
    assert len(tally.take()) == 100
