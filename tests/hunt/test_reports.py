"""Public reports of trouble with two cores, rebuilt: what a hunt shows first has the cause (docs/hunt.md)."""

from __future__ import annotations

from functools import cache

import pytest

from intercore.hunt.analysis import HuntAnalysis, Interrupt, analysed
from intercore.hunt.finding import Finding
from intercore.hunt.flash import FlashFunction, FlashWait
from intercore.hunt.hunting import Wanted
from intercore.hunt.report import states
from intercore.hunt.variation.deviations import Hold, parsed
from intercore.hunt.variation.varied import Search, varied
from tests.sim.firmware import example

SECONDS = 0.5
TOLD = "waits for flash"
"""What the first screen says of a core if it waits much."""


@cache
def hunted(name: str, memory: str, *definitions: str, expect: bytes = b"") -> HuntAnalysis:
    """Return what is found in a program for `sram` or `flash`."""
    image = example(name, memory, *(f"-D{one}" for one in definitions))
    return analysed(image, image.name, Wanted(SECONDS, None, expect), lambda _: None)


def first(name: str, *definitions: str) -> Finding:
    """Return the first finding in a program."""
    return hunted(name, "sram", *definitions).findings[0]


def waited(analysis: HuntAnalysis, function: str, core: int = 0) -> tuple[FlashWait, FlashFunction]:
    """Return what a core, and a function on it, waited for flash."""
    (of_core,) = (one for one in analysis.flash if one.core == core)
    (of_function,) = (one for one in of_core.functions if one.name == function)
    return of_core, of_function


def tells_of_flash(analysis: HuntAnalysis) -> bool:
    """Return whether the first screen says that a core waits for flash."""
    return any(TOLD in one for one in states(analysis))


HANGS = [
    # Who asked core 0 to stay in its handler has given up, and waits for other words now.
    ("LOCKOUT", "deadlock", 0, "stay_locked_out", "IRQ 15 SIO_IRQ_PROC0"),
    ("FIFO_TIMEOUT", "no-progress", 0, "pop_within", ""),
    ("MAIN_RETURNS", "no-progress", 1, "sleep", ""),
    ("AFFINITY", "lost-wake-up", 1, "core_1", ""),
]


@pytest.mark.parametrize(("which", "code", "core", "function", "handler"), HANGS, ids=[one[0] for one in HANGS])
def test_a_hang_is_told_by_what_the_core_waits_for(
    which: str, code: str, core: int, function: str, handler: str
) -> None:
    analysis = hunted("reports/hangs", "sram", which)
    assert [one.code for one in analysis.findings] == [code]
    wait = analysis.waits[core]
    assert wait.asleep
    assert function in wait.place.functions
    assert wait.place.handler == handler
    assert hunted("reports/hangs", "sram", which, "CURED").findings == []


def test_an_end_of_main_is_told_of_the_core_that_has_ended() -> None:
    analysis = hunted("reports/hangs", "sram", "MAIN_RETURNS")
    assert [wait.kind for wait in analysis.waits] == ["ended", "time"]


def test_a_spinlock_noted_in_one_variable_for_both_cores_is_told_with_the_lock_that_is_never_free() -> None:
    found = {one.code: one for one in hunted("reports/hangs", "sram", "YIELD_LOCK").findings}
    assert list(found) == ["deadlock", "lost-update"]
    assert {place.core for place in found["lost-update"].places} == {0, 1}
    assert {place.function for place in found["lost-update"].places} <= {"yield", "unlock_and_wait"}
    assert "yield_lock" in found["lost-update"].text
    assert hunted("reports/hangs", "sram", "YIELD_LOCK", "CURED").findings == []


@pytest.mark.parametrize(("cured", "core"), [(False, 0), (True, 1)])
def test_the_core_whose_handler_wakes_a_sleeper_is_in_the_table_of_interrupts(*, cured: bool, core: int) -> None:
    analysis = hunted("reports/hangs", "sram", "SLEEP_STALLS", *(["CURED"] if cured else []))
    (timer,) = analysis.interrupts
    assert (timer.core, timer.name, timer.count) == (core, "IRQ 3 TIMER_IRQ_3", 200)


HELD = [
    # A lock stays with a core that was reset.
    ("RESET_HOLDER", {"no-progress"}, ("spinlock 17 is free, which core 1 got in run_usb", "core 1 has been reset")),
    ("CROSSED", {"deadlock"}, ("printf_mutex", "on_alarm (handler of IRQ 0", "usb_mutex", "in lock_mutex ← read_char")),
    (
        "MIRROR",
        {"deadlock"},
        ("in push ← send_events (handler of IRQ 0", "the FIFO to core 1", "the FIFO to core 0"),
    ),
    ("ATOMIC_SECTION", {"deadlock"}, ("begin_atomic ← schedule (handler of IRQ 0", "which it holds itself")),
    ("SLEEPS_IN_HANDLER", {"no-progress"}, ("in sleep ← on_button (handler of IRQ 0", "IRQ 3 is pending")),
    ("HEAP", {"data-race", "lost-update"}, ("free_list", "allocate")),
    ("RELAUNCH", {"started-twice"}, ("start_core_1", "does not answer as the boot ROM")),
]


@pytest.mark.parametrize(("which", "codes", "words"), HELD, ids=[one[0] for one in HELD])
def test_what_somebody_holds_is_told_with_whom_it_keeps_waiting(
    which: str, codes: set[str], words: tuple[str, ...]
) -> None:
    found = first("reports/held", which)
    assert found.code in codes
    assert [word for word in words if word not in found.text] == []
    cured = hunted("reports/held", "sram", which, "CURED")
    assert (cured.findings, "exit code 0" in cured.stop) == ([], True)


PLANTED = [
    ("chip_use", "SYSTICK_OFF", {"systick-off"}, "measure"),
    ("chip_use", "DIVIDER", {"divider-shared"}, "divide"),
    ("races", "SHARED_FLAG", {"data-race", "lost-update"}, "wait_for_alarm"),
    ("stacks", "OVERFLOW", {"stack-overflow"}, "recurse"),
]


@pytest.mark.parametrize(("file", "which", "codes", "function"), PLANTED, ids=[one[1] for one in PLANTED])
def test_a_planted_fault_is_that_of_a_report(file: str, which: str, codes: set[str], function: str) -> None:
    found = first(f"faults/{file}", which)
    assert found.code in codes
    assert function in {place.function for place in found.places}


def test_an_alarm_that_is_set_for_what_has_passed_is_found_by_variation() -> None:
    wanted = Wanted(2.0, None, b"PASS")
    image = example("faults/interleavings", "sram", "-DALARM_PAST")
    before = analysed(image, image.name, wanted, lambda _: None)
    assert before.findings == []
    analysis = varied(image, before, wanted, Search(200, 0, 1), lambda _: None)
    assert "not-reached" in {one.code for one in analysis.findings}
    assert analysis.variation is not None
    *_, hold = parsed(analysis.variation.replay)
    assert isinstance(hold, Hold)
    assert hold.core == 0


def test_the_launch_of_core_1_waits_for_the_code_that_launches_it() -> None:
    analysis = hunted("reports/launch", "flash")
    _, launch = waited(analysis, "start_core_1")
    assert launch.object == "start_core_1"
    assert launch.waited > 0.85 * launch.cycles
    assert tells_of_flash(analysis)
    assert not tells_of_flash(hunted("reports/launch", "sram"))


@pytest.mark.parametrize("which", ["WALK", "SCATTERED"])
def test_each_word_of_a_table_in_flash_is_a_miss(which: str) -> None:
    analysis = hunted("reports/flash", "flash", which)
    core, reader = waited(analysis, "sum_up")
    assert (core.functions[0], reader.object, reader.of_object) == (reader, "table", 1024)
    # A word takes 40 cycles of the flash's clock at clk_sys / 2, and 4 (docs/simulator.md): 352 ns.
    assert 1024 * 44 <= reader.waited < 1024 * 44 + 500
    assert tells_of_flash(analysis)
    assert not tells_of_flash(hunted("reports/flash", "sram", which))


def handler(memory: str) -> tuple[HuntAnalysis, Interrupt]:
    """Return the handler of a pin."""
    analysis = hunted("reports/flash", memory, "PIN_INTERRUPT")
    (found,) = analysis.interrupts
    return analysis, found


def test_a_handler_whose_first_run_waits_for_flash_is_told_with_where_it_waits() -> None:
    analysis, slow = handler("flash")
    assert slow.flash is not None
    others = (slow.total - slow.longest) / (slow.count - 1)
    assert slow.longest > 10 * others
    assert slow.longest - others == pytest.approx(slow.flash.waited, rel=0.05)
    assert {name for name, _ in slow.flash.functions} == {"answer", "acknowledge"}
    assert any(slow.name in one and TOLD not in one for one in states(analysis))
    analysis, quick = handler("sram")
    assert quick.flash is None
    assert quick.longest == pytest.approx(others, abs=1)
    assert not any(quick.name in one for one in states(analysis))
