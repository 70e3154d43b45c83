"""Profiles of the simulated STM32H745: each instruction belongs to one function, and nothing is disturbed."""

from __future__ import annotations

from functools import cache

from intercore.profile.instructions import instructions_of, rows, section
from intercore.profile.recorded import Profile, take
from intercore.sim import Stm32h745
from tests.firmware.stm32h745.conftest import SLOWEST, images_at

SECONDS = 0.3


def chip() -> Stm32h745:
    return Stm32h745(images_at(SLOWEST), supply=SLOWEST["supply"])


@cache
def profiled() -> tuple[Profile, Stm32h745]:
    """Return the profile of the program of both cores from power-on, which starts both kernels."""
    simulator = chip()
    simulator.start_profile()
    simulator.run(round(SECONDS * simulator.hz))
    return take(simulator, "image", "the limit is reached", simulator.seconds), simulator


def test_each_instruction_belongs_to_one_function_and_nothing_is_disturbed() -> None:
    profile, watched = profiled()
    plain = chip()
    plain.run(round(SECONDS * plain.hz))
    assert plain.state_hash() == watched.state_hash()
    analysis = instructions_of(profile)
    assert list(analysis.cores) == [plain.statistics(core).instructions for core in (0, 1)]
    assert min(analysis.cores) > 10_000
    for core, count in enumerate(analysis.cores):
        assert sum(one.instructions for one in analysis.functions if one.core == core) == count
        assert sum(one.instructions for one in analysis.roots if one.core == core) == count
        assert sum(line.executed for line in profile.cores[core].lines) == count


def test_tasks_and_interrupts_of_both_kernels_are_told() -> None:
    analysis = instructions_of(profiled()[0])
    names = [{one.name for one in analysis.roots if one.core == core} for core in (0, 1)]
    assert {"task console", "task IDLE", "PendSV", "SysTick"} <= names[0]
    assert {"task IDLE", "PendSV", "SysTick"} <= names[1]
    entered = {(one.core, one.name): one.entered for one in analysis.roots}
    for core in (0, 1):
        simulated = profiled()[1].statistics(core).exceptions
        assert sum(count for (number, _), count in entered.items() if number == core) == simulated


def test_a_function_is_called_as_often_as_its_first_instruction_is_executed() -> None:
    profile, simulator = profiled()
    executed = [{line.address: line.executed for line in core.lines} for core in profile.cores]
    starts = dict(simulator.all_symbols())
    checked = 0
    for one in instructions_of(profile).functions:
        address = starts[one.function].address & ~1 if one.function in starts else None
        # A loop may go back to the first instruction.
        if address in executed[one.core]:
            assert 0 < one.calls <= executed[one.core][address], one
            checked += 1
    assert checked > 100


def test_what_people_read_names_no_time() -> None:
    analysis = instructions_of(profiled()[0])
    text = section(analysis, 10)
    assert any("not known" in sentence for sentence in text.sentences)
    assert all("FUNCTION ONLY" in table.title for table in text.tables)
    assert {"core", "function", "calls", "instructions", "inclusive"} == set(rows(analysis)[0])
