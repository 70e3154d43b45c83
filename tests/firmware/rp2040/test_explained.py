"""What the longest sample's time went to: the planted cause is named, and the parts add up to the sample."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from intercore.benchmarks.irq import PATHS
from intercore.benchmarks.irq.ground_truth import IrqAnswers
from intercore.benchmarks.jitter.ground_truth import JitterAnswers
from intercore.errors import IntercoreError
from intercore.profile.worst import explain
from intercore.record.explanation import Holder
from intercore.sim import Repetition
from tests.firmware.rp2040.conftest import Board, measurement
from tests.firmware.rp2040.delay import TURN
from tests.firmware.rp2040.planted import Planter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from intercore.record.explanation import ExplainedPart, Explanation
    from intercore.record.measurement import Series
    from intercore.sim.observation import Answered

ANSWERS = {"irq": IrqAnswers, "jitter": JitterAnswers}
AROUND = 60
"""Cycles, at most, of what stands around a planted loop, of entering and leaving it."""
TICKING = 500
"""Cycles that a tick takes without a plant, at most."""
KINDS = ("lock", "masked", "flash", "interrupt", "tick")
IMAGES = 10
"""Of each kind of cause."""
EVERY_DAY = 2
"""Of these, how many are tried without INTERCORE_SLOW=1."""


class Repeated:
    """A measurement, whose samples can be explained."""

    def __init__(self, board: Board, words: str) -> None:
        benchmark = words.partition(" ")[0]
        self.repetition = Repetition(board.chip)
        answers = ANSWERS[benchmark](board.chip)
        answer = board.ask(f"run {words}", patience=60)
        self.repetition.end()
        assert answer[-1]["status"] == "ok", answer[-1]
        one = measurement(answer, benchmark)
        self.series: Series = one.samples(answers.series)
        self.answered: list[Answered] = list(answers.answered(one.series, one.factors))

    def explained(self, sample: int) -> Explanation:
        return explain(self.repetition, self.series, sample, self.answered[sample])

    def longest(self) -> Explanation:
        return self.explained(int(np.argmax(self.series.ticks)))


class Plant(NamedTuple):
    """A cause, where it is planted, and what has to be said of it."""

    words: str
    plant: Callable[[Planter], None]
    cause: str
    cycles: int
    """What it takes at most, or exactly if it is always from its beginning to its end in the sample."""
    is_whole: bool
    named: Callable[[ExplainedPart], bool]

    def __str__(self) -> str:
        return self.cause


def image(kind: str, number: int) -> Plant:
    """Return one of the images of a kind of cause: its length, core and phase are drawn anew."""
    draw = np.random.default_rng([KINDS.index(kind), number])
    core, turns = int(draw.integers(2)), int(draw.integers(1000, 5000))
    jitter = f"jitter period_us={draw.choice([1000, 2000])} samples={draw.integers(30, 60)} seed={draw.integers(999)}"
    busy = f"{jitter} core={core} load=core{core}"
    length = turns * TURN
    match kind:
        case "lock":
            lock = int(draw.choice([14, 15]))
            # On core 0, whose tick it is, the core that holds it would be late itself.
            words = f"{jitter} core=0 load=core1"
            return Plant(words, lambda image: image.lock(lock, turns), "lock", length, False, lambda part: (
                (part.core, part.lock) == (0, lock)
                and part.holder == Holder(1, "bank4", "task jitter")
            ))  # fmt: skip
        case "masked":
            return Plant(busy, lambda image: image.critical_section(turns), kind, length, False, lambda part: (
                (part.core, part.function, part.context) == (core, "bank4", "task jitter")
            ))  # fmt: skip
        case "flash":
            words = int(draw.integers(20, 150))
            return Plant(f"{jitter} core={core}", lambda image: image.misses(words), kind, 260 * words, True,
                         lambda part: (part.core, part.misses, part.context) == (0, words, "SysTick"))  # fmt: skip
        case "interrupt":
            period = int(draw.integers(71, 91))
            return Plant(busy, lambda image: image.interrupt(turns, period + 3 * turns // 125), kind, length, False,
                         lambda part: (part.core, part.context) == (core, "IRQ 3 TIMER_IRQ_3"))  # fmt: skip
        case _:
            # The tick is core 0's.
            doing, phase = draw.choice(["idle", "busy"]), draw.integers(999)
            words = f"irq path=timer-handler from=0 interrupted={doing} samples=150 seed={phase}"
            return Plant(words, lambda image: image.tick(0, turns), "interrupt", length + TICKING, False,
                         lambda part: (part.core, part.context) == (0, "SysTick"))  # fmt: skip


def images() -> list[object]:
    slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="another image: INTERCORE_SLOW=1")
    return [
        pytest.param(kind, number, marks=() if number < EVERY_DAY else slow)
        for kind in KINDS
        for number in range(IMAGES)
    ]


@pytest.mark.parametrize(("kind", "number"), images())
def test_the_planted_cause_is_named_first_and_not_longer_than_it_is(o2: Path, kind: str, number: int) -> None:
    program = o2 / "intercore-target"
    board = Board(program)
    board.run(0.65)
    planted = image(kind, number)
    planted.plant(Planter(board.chip, program))
    found = Repeated(board, planted.words).longest()
    first = next(part for part in found.parts if part.cause != "way")
    assert first.cause == planted.cause
    assert planted.named(first), first
    assert first.cycles <= planted.cycles + AROUND
    assert not planted.is_whole or first.cycles == planted.cycles
    assert first.cycles > max((part.cycles for part in found.parts if part is not first), default=0)


WORDS = (
    "jitter samples=20 period_us=1000",
    "jitter core=1 samples=20 period_us=1000 load=both load_work=queue",
    "jitter migrate=affinity samples=20 period_us=2000 load=both load_work=memory",
    "jitter samples=20 period_us=1000 load=both load_work=uart",
    *(
        f"irq path={path} from={number % 2} to=1 interrupted={doing} samples=20"
        for number, (path, doing) in enumerate(
            zip(PATHS, ("busy", "kernel", "kernel", "kernel", "idle", "kernel", "busy"), strict=True)
        )
    ),
)


@pytest.mark.parametrize("words", WORDS)
def test_the_parts_of_any_sample_add_up_to_it(board: Board, words: str) -> None:
    repeated = Repeated(board, words)
    for sample in (3, len(repeated.series.ticks) - 1):
        found = repeated.explained(sample)
        assert found.cycles == int(repeated.series.ticks[sample])
        assert sum(part.cycles for part in found.parts) == found.cycles
        assert list(found.parts) == sorted(found.parts, key=lambda part: -part.cycles)
        chip = board.chip
        place = chip.function_at(chip.registers(repeated.answered[sample].cores[-1]).pc)
        assert place is not None
        assert place[0].startswith("port_clock"), "it ends with the reading"
        assert any(part.cause == "way" for part in found.parts), "something has to be executed"


def test_a_task_without_anything_beside_it_is_late_by_the_way_alone(board: Board) -> None:
    found = Repeated(board, "jitter samples=20 period_us=1000").longest()
    assert {part.cause for part in found.parts} <= {"way", "bus", "asleep"}
    assert sum(part.cycles for part in found.parts if part.cause == "way") > 0.9 * found.cycles


def test_a_blocker_of_higher_priority_is_told_as_the_task_that_it_is(board: Board) -> None:
    found = Repeated(board, "jitter migrate=unsynchronised samples=20 period_us=1000").longest()
    task = next(part for part in found.parts if part.cause != "way")
    assert (task.cause, task.function) == ("task", "unsynchronised_blocker_task")


def test_a_core_that_prints_is_told_by_the_interrupts_that_it_causes(board: Board) -> None:
    """They are on core 0, wherever the task is that prints."""
    board.ask("rate 3000000")
    found = Repeated(board, "jitter core=0 samples=60 load=core1 load_work=uart").longest()
    (part,) = (part for part in found.parts if part.cause == "interrupt")
    assert (part.core, part.context) == (0, "IRQ 20 UART0_IRQ")


def test_an_explanation_does_not_depend_on_those_before(board: Board) -> None:
    repeated = Repeated(board, "irq path=timer-handler interrupted=kernel samples=10")
    first = repeated.explained(3)
    repeated.explained(7)
    assert repeated.explained(3) == first


def test_samples_that_are_not_in_cycles_are_refused(board: Board) -> None:
    repeated = Repeated(board, "irq path=timer-handler samples=10")
    board.chip.reset()  # the ring oscillator's clock
    with pytest.raises(IntercoreError, match="only samples in cycles"):
        repeated.explained(0)
