"""Planted faults are found, with their cause; programs without one are silent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from intercore.hunt.analysis import HuntAnalysis, analysed
from intercore.hunt.hunting import Wanted
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 1.0


def hunted(image: Path, wanted: Wanted | None = None) -> HuntAnalysis:
    """Return what is found in a program."""
    return analysed(image, image.name, wanted or Wanted(SECONDS, None, b""), lambda _: None)


def fault(name: str, which: str, wanted: Wanted | None = None) -> HuntAnalysis:
    """Return what is found in an example with a fault."""
    return hunted(example(f"faults/{name}", "sram", f"-D{which}"), wanted)


WAITS = [
    ("BOTH_SEND", "deadlock", ("core 0 waits in push", "the FIFO to core 1", "the FIFO to core 0")),
    ("BOTH_RECEIVE", "deadlock", ("until core 1 sends a word", "until core 0 sends a word")),
    ("SPINLOCK_ORDER", "deadlock", ("spinlock 5 is free, which core 1 got", "spinlock 4 is free, which core 0 got")),
    ("MUTEX_ORDER", "deadlock", ("sensor_mutex", "core 1 took it last, in lock_mutex ← read_sensor", "printf_mutex")),
    ("NO_ANSWER", "deadlock", ("in pop ← example", "in pop ← core_1")),
    ("SEMAPHORES", "deadlock", ("the semaphore free_slots", "the semaphore full_slots")),
    ("QUEUES_FULL", "deadlock", ("the queue commands has room: it is full", "the queue answers has room")),
    ("TAKEN_TWICE", "deadlock", ("printf_mutex", "which it holds itself")),
    ("RETURNS", "no-progress", ("core 1 sends a word", "core 1 sleeps in core_1, and waits for nothing")),
    ("HELD_IN_SLEEP", "starvation", ("Core 0 has waited for spinlock 7", "in core_1")),
    ("OVERTAKEN", "starvation", ("Core 0 has waited for spinlock 7", "times")),
    ("LOCK_KEPT", "no-progress", ("printf_mutex", "core 1 took it last, in lock_mutex ← log_line ← core_1")),
    ("SEMAPHORE", "no-progress", ("the semaphore free_slots", "in acquire ← example")),
    ("FLAG", "no-progress", ("done", "core 1 sleeps")),
    ("LOST_WAKE_UP", "lost-wake-up", ("Core 1 sleeps", "SEV")),
]


HANDLERS = [
    ("SPINLOCK_IN_HANDLER", "deadlock", ("spinlock 9", "which it got in example", "IRQ 0 TIMER_IRQ_0")),
    ("MUTEX_IN_HANDLER", "deadlock", ("log_mutex", "which it holds itself", "IRQ 0 TIMER_IRQ_0")),
    ("WAITS_FOR_THREAD", "no-progress", ("flag", "handler of IRQ 0 TIMER_IRQ_0")),
    ("WAITS_FOR_HANDLER", "no-progress", ("answer", "handler of IRQ 0 TIMER_IRQ_0")),
    ("ANSWER_SWALLOWED", "no-progress", ("until core 1 sends a word",)),
    ("NO_EVENT", "lost-wake-up", ("Core 0 sleeps", "SEV")),
    ("STORM", "interrupt-storm", ("IRQ 0 TIMER_IRQ_0", "in spend ← example")),
    ("TWO_SOURCES", "interrupt-storm", ("IRQ 15 SIO_IRQ_PROC0",)),
    ("MISALIGNED", "crash", ("Core 1", "unaligned access", "core_1")),
    ("WATCHDOG", "watchdog", ("core 0 was in pop",)),
]
FAULTS = [("waits", *one) for one in WAITS] + [("handlers", *one) for one in HANDLERS]


FLASH = [
    ("FETCH", "flash-busy", ("Core 1 in count ← core_1",)),
    ("READ", "flash-busy", ("Core 1 in sum_up ← core_1",)),
    ("HANDLER", "flash-busy", ("Core 0 in", "handler of IRQ 0 TIMER_IRQ_0")),
]
FAULTS += [("flash_busy", *one) for one in FLASH]


def memory(file: str, which: str) -> str:
    """Return where the program has to be: the chip starts again from flash after a reset."""
    return "flash" if file == "flash_busy" or which == "WATCHDOG" else "sram"


@pytest.mark.parametrize(("file", "which", "code", "words"), FAULTS, ids=[one[1] for one in FAULTS])
def test_a_fault_is_told_with_its_cause(file: str, which: str, code: str, words: tuple[str, ...]) -> None:
    found = hunted(example(f"faults/{file}", memory(file, which), f"-D{which}"), Wanted(0.5, None, b"")).findings
    # A core that has crashed is what the other one waits for, and one that executes what busy flash reads as crashes.
    (told,) = [one for one in found if one.code == code] if code in {"crash", "watchdog", "flash-busy"} else found
    assert told.code == code
    assert [word for word in words if word not in told.text] == []


EVERY_DAY = {"MUTEX_ORDER", "OVERTAKEN", "FLAG", "LOST_WAKE_UP", "MISALIGNED", "STORM", "WATCHDOG", "HANDLER"}
"""Faults whose mended programs are looked at without INTERCORE_SLOW=1: one of each code."""


@pytest.mark.parametrize(
    ("file", "which"),
    [one[:2] for one in FAULTS if one[1] in EVERY_DAY or "INTERCORE_SLOW" in os.environ],
    ids=lambda word: word,
)
def test_the_same_program_mended_is_silent(file: str, which: str) -> None:
    mended = example(f"faults/{file}", memory(file, which), f"-D{which}", "-DMENDED")
    assert hunted(mended, Wanted(0.5, None, b"")).findings == []


NO_ALARM = "NO_ALARM"


def test_a_wait_for_a_time_without_an_alarm_is_told_of_both_cores() -> None:
    first, second = fault("waits", NO_ALARM).findings
    assert (first.code, second.code) == ("no-progress", "no-progress")
    assert "which no alarm will end" in second.text
    assert hunted(example("faults/waits", "sram", f"-D{NO_ALARM}", "-DMENDED")).findings == []


@pytest.mark.parametrize("which", ["SERVER", "SLOW", "MUTEX"])
def test_waits_that_end_are_no_findings(which: str) -> None:
    analysis = fault("waits", which)
    assert analysis.findings == []
    assert "exit code 0" in analysis.stop


def test_where_a_program_is_instead_of_the_expected_place_is_told() -> None:
    analysis = fault("waits", "SLOW", Wanted(0.1, None, b"PASS"))
    (found,) = analysis.findings
    assert found.code == "not-reached"
    assert "core 0 sleeps in pop ← example" in found.text


def test_a_text_that_is_printed_ends_the_run() -> None:
    analysis = fault("waits", "SERVER", Wanted(SECONDS, None, b"answer 31"))
    assert analysis.findings == []
    assert "has sent the text" in analysis.stop


def test_the_same_is_found_again_and_the_program_is_not_disturbed() -> None:
    first, second = (fault("waits", "MUTEX_ORDER") for _ in range(2))
    assert first == second


CHIP = [
    ("DIVIDER", "divider-shared", "in divide ← example"),
    ("SYSTICK_OFF", "systick-off", "Core 1 in measure"),
    ("STARTED_TWICE", "started-twice", "in start_core_1"),
    ("IN_RESET", "misuse", "held in reset"),
    ("WRONG_CORE", "interrupt-on-wrong-core", "PROC0_INTE"),
]


@pytest.mark.parametrize(("which", "code", "words"), CHIP, ids=[one[0] for one in CHIP])
def test_what_the_datasheet_excludes_is_told(which: str, code: str, words: str) -> None:
    first, *_ = fault("chip_use", which).findings
    assert first.code == code
    assert words in first.text


def test_a_handler_that_saves_the_divider_is_no_finding() -> None:
    assert fault("chip_use", "SAVES_DIVIDER").findings == []


STACKS = [
    ("OVERFLOW", "stack-overflow", "Core 1 leaves its stack", "recurse"),
    ("LARGE_FRAME", "stack-overflow", "Core 1 leaves its stack", "large_frame"),
    ("FOREIGN", "foreign-stack", "Core 0 stores in example", "example"),
]


@pytest.mark.parametrize(("which", "code", "words", "function"), STACKS, ids=[one[0] for one in STACKS])
def test_a_stack_that_is_left_or_stored_to_is_told_in_that_cycle(
    which: str, code: str, words: str, function: str
) -> None:
    (found,) = fault("stacks", which).findings
    assert found.code == code
    assert words in found.text
    assert found.places[0].function == function


def test_the_high_water_mark_is_the_lowest_word_that_was_stored() -> None:
    analysis = fault("stacks", "NOTHING")
    assert analysis.findings == []
    one = analysis.stacks[1]
    # Eleven calls of recurse, of which each saves two registers at least and has a frame of 64 bytes.
    assert 11 * (64 + 8) <= one.used <= 11 * (64 + 8) + 100
    assert one.deepest is not None
    assert one.deepest.function == "recurse"


def test_interrupts_are_counted_with_their_latency() -> None:
    (timer,) = fault("chip_use", "SAVES_DIVIDER").interrupts
    assert (timer.core, timer.name, timer.count) == (0, "IRQ 0 TIMER_IRQ_0", 200)
    assert timer.longest <= timer.total
    assert timer.delayed_by == ""


def test_a_stack_that_its_linker_script_names_is_watched_below_its_end() -> None:
    names = ("-Wl,--defsym=__StackOneTop=0x20042000", "-Wl,--defsym=__StackOneBottom=0x20041e00")
    (found,) = hunted(example("faults/stacks", "sram", "-DNOTHING", *names)).findings
    assert found.code == "stack-overflow"
    assert "512 bytes (0x20041e00 to 0x20042000)" in found.text


EXAMPLES = ["alarm", "bank_conflict", "both_cores", "fifo_interrupt", "fifo_polled", "mix", "spinlock"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_that_run_to_their_end_have_no_finding(name: str) -> None:
    assert hunted(example(name)).findings == []
