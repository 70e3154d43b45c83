"""The benchmark `rhealstone` on the simulated chip: are its times true, and from where to where they say?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.sim.observation import Handlers
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, series
from tests.firmware.rp2040.delay import SRAM4, TURN, Delay

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Probe

    Cycles = npt.NDArray[np.int64]

COMPONENTS = (
    *("task-switching", "preemption", "interrupt-latency"),
    *("semaphore-shuffling", "deadlock-breaking", "message-latency"),
)
SPREAD = 2


def taken(board: Board, component: str, form: str, core: int = 1, samples: int = 10) -> list[int]:
    """Return the samples of a component, in cycles, of a run in which nothing was wrong."""
    answer = board.ask(f"run rhealstone component={component} form={form} core={core} samples={samples} dither_us=100")
    assert answer[-1].get("status") == "ok", answer[-1]
    checks = answer[-1]["checks"]
    assert (checks["checked"], checks["wrong"], checks["migrated"], checks["preempted"]) == (samples + 1, 0, 0, 0)
    return series(answer, "time")


def test_every_component_is_measured_in_both_forms_from_either_core(board: Board) -> None:
    free = board.chip.address("xFreeBytesRemaining")
    taken(board, "preemption", "same")
    before = board.chip.read_word(free)
    for component in COMPONENTS:
        same = [min(taken(board, component, "same", core)) for core in (0, 1)]
        cross = [min(taken(board, component, "cross", core)) for core in (0, 1)]
        assert same[0] == pytest.approx(same[1], abs=2), component
        assert min(cross) > max(same), component
        assert max(cross) < 3 * max(same) + 200, "microseconds, not milliseconds"
    assert board.chip.read_word(free) == before


@pytest.mark.parametrize(
    ("component", "entry", "form"),
    [
        ("preemption", "port_notify", "same"),
        ("preemption", "port_notify", "cross"),
        ("semaphore-shuffling", "port_sem_give", "same"),
        ("semaphore-shuffling", "port_sem_give", "cross"),
        ("message-latency", "port_queue_send", "same"),
        ("message-latency", "port_queue_send", "cross"),
        ("interrupt-latency", "port_doorbell_ring", "cross"),
    ],
)
def test_measured_and_true_times_differ_by_one_constant(board: Board, component: str, entry: str, form: str) -> None:
    """True is from the first instruction of what wakes to the first one of the reading by what is woken."""
    actor, reached = (0, 1) if form == "cross" else (1, 1)
    readings, returns = (board.chip.watch_execution(name) for name in ("port_clock", "port_clock_returns"))
    calls, notifies, rings = (board.chip.watch_execution(name) for name in (entry, "port_notify", "fifo_has_words"))
    handlers = Handlers(board.chip, switching=False)
    samples = np.array(taken(board, component, form, actor, samples=60))
    # A repetition's begin is the first call behind a reading. Of port_notify() there are two such calls in each: across
    # the leader's wakes the actor before, on one core the woken task's tells the leader behind.
    begins = np.unique(after(on(calls, actor), on(returns, actor)))
    each, place = (2, actor == 0) if entry == "port_notify" else (1, 0)
    begins = begins[place::each][: 1 + len(samples)]
    assert len(begins) == 1 + len(samples)
    begins = begins[1:]  # the first is the warm-up
    if form == "same":
        ends = after(on(readings, reached), begins)
    elif component == "interrupt-latency":
        ends = after(on(readings, reached), after(on(rings, reached), begins))
    else:  # a bystander looks at the clock there as well, but what is woken tells the leader right behind its reading
        ends = before(on(readings, reached), after(on(notifies, reached), begins))
    more = samples - (ends - begins)
    since, until = before(on(readings, actor), begins), after(on(returns, reached), ends)
    disturbed = handlers.disturbed(actor, since, until) | handlers.disturbed(reached, since, until)
    assert disturbed.sum() <= 6, "an interrupt meanwhile is rare"
    assert np.ptp(more[~disturbed]) <= SPREAD, more


def on(probe: Probe, core: int) -> Cycles:
    """When a core passed a place."""
    hits = probe.hits()
    return np.array(hits["cycle"][hits["core"] == core], np.int64)


def after(cycles: Cycles, moments: Cycles) -> Cycles:
    """The first of some cycles behind each moment; none behind moments that are later than all."""
    places = np.searchsorted(cycles, moments, side="right")
    return cycles[places[places < len(cycles)]]


def before(cycles: Cycles, moments: Cycles) -> Cycles:
    """The last of some cycles in front of each moment."""
    return cycles[np.searchsorted(cycles, moments) - 1]


DELAYED = {
    "xTaskGenericNotify": {"preemption": 1},
    "xQueueGenericSend": {"semaphore-shuffling": 1, "message-latency": 1, "deadlock-breaking": 1},
    "xQueueSemaphoreTake": {"deadlock-breaking": 1},
    "vTaskSwitchContext": {
        "task-switching": 1,
        "preemption": 1,
        "semaphore-shuffling": 1,
        "message-latency": 1,
        "deadlock-breaking": 2,
    },
}
"""How often each component passes the function on one core; all others never. To break a deadlock, the core switches to
the task that has the mutex and back."""


def test_a_delay_in_the_kernel_moves_the_components_that_pass_it_by_exactly_that(board: Board, o2: Path) -> None:
    def all_components() -> dict[str, int]:
        return {component: min(taken(board, component, "same")) for component in COMPONENTS}

    delays = {
        function: Delay(board.chip, o2 / "intercore-target", function, SRAM4 + 64 * number)
        for number, function in enumerate(DELAYED)
    }
    before = all_components()
    for number, (function, passes) in enumerate(DELAYED.items()):
        turns = 100 + 7 * number
        delays[function].set(1 + turns)
        moved = {component: cycles - before[component] for component, cycles in all_components().items()}
        expected = {component: TURN * turns * passes.get(component, 0) for component in COMPONENTS}
        expected["interrupt-latency"] = pytest.approx(0, abs=2)  # the timer's microsecond is not the clock's
        assert moved == expected, function
        delays[function].set(1)


def test_the_way_to_the_other_core_ends_there(board: Board) -> None:
    clock = board.chip.watch_execution("port_clock")
    for component in COMPONENTS:
        for form, core, end in (("same", 0, 0), ("same", 1, 1), ("cross", 0, 1), ("cross", 1, 0)):
            clock.take()
            taken(board, component, form, core, samples=5)
            cores = set(clock.hits()["core"].tolist())
            assert end in cores, (component, form, core)


def test_without_inheritance_the_deadlock_is_told(board: Board) -> None:
    """A kernel in which nobody inherits: xTaskPriorityInherit does nothing."""
    board.chip.write(board.chip.address("xTaskPriorityInherit") & ~1, b"\x00\x20\x70\x47")  # movs r0, #0; bx lr
    answer = board.ask("run rhealstone component=deadlock-breaking form=cross samples=3")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 4


@pytest.mark.parametrize(
    ("component", "late", "call"),
    [
        ("deadlock-breaking", "reached_task", "port_clock"),
        ("preemption", "actor_task", "port_core_id"),
        ("interrupt-latency", "actor_task", "port_core_id"),
    ],
)
def test_who_waits_for_the_bystander_may_be_late(board: Board, o2: Path, component: str, late: str, call: str) -> None:
    """The bystander gives up after 50 ms; what has to see it compute is held up for 100 ms, once."""
    core = 1 if late == "reached_task" else 0
    delay = Delay(board.chip, o2 / "intercore-target", call, within=late)
    delay.set(CLK_SYS_HZ // 10 // TURN)
    board.chip.send(f"run rhealstone component={component} form=cross core=0 samples=3\n".encode())
    said = []
    while not delay.is_under_way(core):
        said += board.run(0.001)
        assert board.chip.now < 2 * CLK_SYS_HZ, "the task has not come by"
    delay.set(1)
    for _ in range(20):
        said += board.run(0.1)
    assert said[-1].get("status") == "ok", said[-1]
    assert (said[-1]["checks"]["checked"], said[-1]["checks"]["wrong"]) == (4, 0)
