"""What runs from a restored snapshot is the same bit for bit, however often, and however it is cut into runs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.sim import Reason, Simulator, Stop
from tests.sim.firmware import FOREVER, SRAM, example, raw
from tests.sim.outcome import outcome

CYCLES = st.integers(0, 300_000)
IMAGES = st.sampled_from(["both_cores", "bank_conflict", "fifo_polled", "fifo_interrupt", "spinlock", "uart_echo"])
MEMORIES = st.sampled_from(["sram", "flash"])


@settings(max_examples=25)
@given(image=IMAGES, memory=MEMORIES, before=CYCLES, after=CYCLES, text=st.binary(max_size=4))
def test_running_on_from_a_snapshot_is_the_same_each_time(
    image: str, memory: str, before: int, after: int, text: bytes
) -> None:
    simulator = Simulator(example(image, memory))
    simulator.send(text)
    simulator.run(before)
    snapshot = simulator.snapshot()
    at = simulator.now
    first_stop = simulator.run(after)
    first = outcome(simulator)
    for _ in range(2):
        simulator.restore(snapshot)
        assert simulator.now == at
        assert simulator.run(after) == first_stop
        assert outcome(simulator) == first
    fresh = Simulator(raw(*FOREVER), base=SRAM)
    fresh.restore(snapshot)
    assert fresh.run(after) == first_stop
    assert outcome(fresh) == first


@settings(max_examples=25)
@given(image=IMAGES, memory=MEMORIES, pieces=st.lists(st.integers(1, 40_000), min_size=1, max_size=12))
def test_cutting_a_run_into_pieces_changes_nothing(image: str, memory: str, pieces: list[int]) -> None:
    whole, cut = Simulator(example(image, memory)), Simulator(example(image, memory))
    whole_stop = whole.run(sum(pieces))
    stops = [cut.run(piece) for piece in pieces]
    if all(stop.reason is Reason.LIMIT for stop in stops):
        assert stops[-1] == whole_stop
        assert outcome(cut) == outcome(whole)


@settings(max_examples=15)
@given(image=IMAGES, memory=MEMORIES, text=st.sampled_from(["e", "co", "ready", "100 r", "never"]))
def test_waiting_for_a_text_or_an_address_changes_nothing(image: str, memory: str, text: str) -> None:
    waiting, plain = Simulator(example(image, memory)), Simulator(example(image, memory))
    stops: list[Stop] = [waiting.run(400_000, text=text), waiting.run(200_000, address="print_number", core=0)]
    if all(stop.reason in {Reason.LIMIT, Reason.TEXT, Reason.ADDRESS} for stop in stops):
        plain.run_to(waiting.now)
        waiting.run(1000)
        plain.run(1000)
        assert outcome(waiting) == outcome(plain)


def test_a_snapshot_brings_its_image(both_cores: Simulator, forever: Simulator) -> None:
    assert "work_in_sram4" not in forever.symbols
    forever.restore(both_cores.snapshot())
    assert "work_in_sram4" in forever.symbols
    forever.reset()
    assert "work_in_sram4" not in forever.symbols


def test_what_a_text_was_found_in_is_part_of_a_snapshot(both_cores: Simulator) -> None:
    both_cores.run(text="bank")
    snapshot = both_cores.snapshot()
    second = both_cores.run(text="bank")
    both_cores.restore(snapshot)
    assert both_cores.run(text="bank") == second


@settings(max_examples=15)
@given(
    core=st.integers(0, 1),
    lose=st.sampled_from(["0.02", "0.5"]),
    at=st.integers(0, 300_000),
    before=CYCLES,
)
def test_faults_of_cores_and_between_them_go_on_from_a_snapshot(core: int, lose: str, at: int, before: int) -> None:
    simulator = Simulator(example("fifo_polled", "flash"))
    faults = [f"fifo:to={core},lose={lose},seed=5", f"reset:core={core}@{at}", f"off:core={1 - core}@{at}..{at + 5000}"]
    simulator.set_faults(faults)
    simulator.run(before)
    snapshot = simulator.snapshot()
    simulator.run(200_000)
    first = outcome(simulator)
    simulator.restore(snapshot)
    simulator.run(200_000)
    assert outcome(simulator) == first
