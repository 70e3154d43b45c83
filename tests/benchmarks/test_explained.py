"""What a longest sample's time went to, in words."""

from __future__ import annotations

from intercore.benchmarks.explained import WorstExplained
from intercore.record.explanation import ExplainedPart
from tests.record.test_explanations import FLASH, FOUND, LOCK, WAY


def worst(*parts: ExplainedPart) -> str:
    cycles = sum(part.cycles for part in parts)
    return WorstExplained(what="lateness", cycles=cycles, hz=FOUND.hz, parts=parts).sentence


def test_the_delays_are_told_before_what_has_to_be_executed() -> None:
    assert worst(WAY, LOCK, FLASH) == (
        "The longest lateness took 3.20 µs, of which 2.40 µs core 1 held the kernel's spinlock 14 in send (task "
        "logger), 640 ns 2 misses of the flash cache on core 0, most in xTaskIncrementTick and 160 ns what has to be "
        "executed."
    )


def test_small_delays_are_told_together() -> None:
    parts = [ExplainedPart(1000 - 100 * number, "interrupt", 0, f"IRQ {number}", "") for number in range(5)]
    assert worst(*parts).endswith("IRQ 2 and 10.4 µs other delays.")


def test_each_cause_has_words() -> None:
    for cause in ("lock", "masked", "interrupt", "task", "flash", "bus", "asleep"):
        assert "core 0" in worst(ExplainedPart(1000, cause, 0, "task a", "")) or cause == "lock"
