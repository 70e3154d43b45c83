"""A run ends when it should, and says why."""

from __future__ import annotations

from itertools import pairwise

import pytest

from intercore.sim import CoreState, Reason, Simulator
from tests.sim.firmware import CODE, EXIT_42, SLEEP, SRAM, UNDEFINED, example, raw


def test_a_run_ends_in_the_cycle_that_was_asked_for(forever: Simulator) -> None:
    stop = forever.run(1000)
    assert (stop.reason, stop.cycle, forever.now) == (Reason.LIMIT, 1000, 1000)
    assert forever.run_to(123_457).cycle == 123_457
    assert forever.run(0).cycle == 123_457
    assert str(stop) == "cycle 1000: the limit is reached"


def test_a_run_ends_before_an_instruction_on_either_core_or_on_one(both_cores: Simulator) -> None:
    first = both_cores.run(address="work_in_sram4")
    assert (first.reason, first.core) == (Reason.ADDRESS, 0)
    assert first.pc == both_cores.symbols["work_in_sram4"].address == both_cores.registers(0).pc
    other = both_cores.run(address="work_in_sram4", core=1)
    assert (other.reason, other.core) == (Reason.ADDRESS, 1)
    assert other.cycle > first.cycle
    assert both_cores.function_at(other.pc or 0) == ("work_in_sram4", 0)


def test_a_run_from_an_address_goes_on_to_the_next_time(both_cores: Simulator) -> None:
    loop = both_cores.symbols["work_in_sram4"].address + 12
    cycles = [both_cores.run(address=loop).cycle for _ in range(10)]
    # ADDS 1, SUBS 1, BNE taken 2
    assert [later - sooner for sooner, later in pairwise(cycles)] == [4] * 9


def test_a_run_ends_when_a_text_was_sent_in_the_cycle_after_its_last_byte(echo: Simulator) -> None:
    stop = echo.run(text="ready\n")
    assert stop.reason is Reason.TEXT
    sent = echo.take_uart_timed()
    assert sent.data == b"ready\n"
    assert stop.cycle == sent.cycles[-1] + 1
    assert (sent.cycles[1:] - sent.cycles[:-1]).tolist() == [10850] * 5


def test_a_text_is_looked_for_behind_the_last_one_found(both_cores: Simulator) -> None:
    places = [both_cores.run(text=b"bank").cycle for _ in range(4)]
    assert places == sorted(set(places))
    assert both_cores.run(text="bank", cycles=3_000_000).reason is Reason.EXIT
    assert both_cores.take_uart().count(b"bank") == 4


def test_a_text_may_have_been_sent_before_and_begins_anew_when_output_is_taken(echo: Simulator) -> None:
    end = echo.run().cycle
    stop = echo.run(text="ready")
    assert (stop.reason, stop.cycle) == (Reason.TEXT, end)
    echo.take_uart()
    assert echo.run(text="ready").reason is Reason.DEAD_END


def test_a_text_of_the_wrong_uart_is_not_found(echo: Simulator) -> None:
    assert echo.run(50_000, text="ready", uart=1).reason is Reason.LIMIT
    assert echo.run(text="ready", uart=1).reason is Reason.DEAD_END


def test_what_comes_first_ends_a_run(echo: Simulator) -> None:
    assert echo.run(text="ready", address="example").reason is Reason.ADDRESS
    assert echo.run(text="ready", address="example").reason is Reason.TEXT


def test_firmware_ends_with_an_exit_code() -> None:
    simulator = Simulator(raw(*EXIT_42), base=SRAM)
    stop = simulator.run()
    assert (stop.reason, stop.core, stop.code) == (Reason.EXIT, 0, 42)
    assert "core 0 ended the program with exit code 42" in stop.sentence


def test_sleep_for_good_is_a_dead_end() -> None:
    simulator = Simulator(raw(*SLEEP), base=SRAM)
    stop = simulator.run()
    assert stop.reason is Reason.DEAD_END
    assert stop.cycle < 10_000
    assert "both cores sleep for good" in stop.sentence
    assert simulator.registers(0).state is CoreState.ASLEEP


def test_a_fault_that_cannot_be_handled_is_a_lockup() -> None:
    simulator = Simulator(raw(*UNDEFINED), base=SRAM)
    stop = simulator.run()
    assert (stop.reason, stop.core) == (Reason.LOCKUP, 0)
    assert f"core 0 locked up at {stop.pc:#010x}" in stop.sentence
    assert simulator.registers(0).state is CoreState.LOCKED_UP


def test_a_crash_is_described_and_a_further_run_ends_when_nothing_more_can_happen() -> None:
    simulator = Simulator(raw(*UNDEFINED), base=SRAM)
    assert simulator.crash(0) is None
    simulator.run()
    crash = simulator.crash(0)
    assert crash is not None
    assert f"undefined instruction 0xde00 at {CODE:#010x}" in crash
    assert simulator.crash(1) is None
    stop = simulator.run()
    assert stop.reason is Reason.DEAD_END
    assert "core 0 is locked up; core 1 sleeps" in stop.sentence


def test_an_image_without_a_boot_loader_in_flash_is_explained() -> None:
    stop = Simulator(b"nothing to be run", base=0x1000_0000).run()
    assert "flash holds neither a second-stage boot loader nor a vector table" in str(stop)


@pytest.mark.parametrize("memory", ["sram", "flash"])
def test_the_examples_say_the_same_as_for_the_command_line(memory: str) -> None:
    simulator = Simulator(example("fifo_polled", memory))
    assert simulator.run(100_000_000).reason is Reason.EXIT
    assert simulator.take_uart() == b"100 round trips: 1601\n"
    assert simulator.take_diagnostics() == []


def test_a_reset_is_a_new_start(both_cores: Simulator) -> None:
    first = both_cores.run()
    said = both_cores.take_uart()
    both_cores.write_word(SRAM, 0)
    both_cores.reset()
    assert both_cores.now == 0
    assert both_cores.take_uart() == b""
    assert both_cores.run() == first
    assert both_cores.take_uart() == said


def test_the_clock_can_be_set_beforehand(forever: Simulator) -> None:
    assert (forever.clocks.sys, forever.clocks.peri) == (6_500_000, 0)
    quick = Simulator(raw(0xE7FE), base=SRAM, clock=125_000_000)
    assert (quick.clocks.sys, quick.clocks.ref, quick.clocks.peri) == (125_000_000, 12_000_000, 125_000_000)
    quick.run(125_000)
    assert quick.clocks.seconds == pytest.approx(1e-3)


def test_it_says_of_itself_that_it_is_simulated(forever: Simulator) -> None:
    forever.run(10)
    assert repr(forever) == "<Simulator of the image: simulated RP2040 at cycle 10>"


def test_statistics_account_for_the_cycles(both_cores: Simulator) -> None:
    both_cores.run()
    for core in (0, 1):
        statistics = both_cores.statistics(core)
        assert statistics.cycles == both_cores.now
        assert 0 < statistics.instructions < statistics.cycles
        assert statistics.asleep + statistics.instructions < statistics.cycles
        assert set(statistics.conflicts) == set(statistics.waits) >= {"ROM", "XIP", "SRAM0", "SRAM5", "APB", "SIO"}
        lost = sum(statistics.conflicts.values()) + sum(statistics.waits.values())
        assert 0 < lost < statistics.cycles
    assert both_cores.statistics(0).waits["APB"] > 0


def test_the_loop_of_two_cycles_executes_at_its_rate(forever: Simulator) -> None:
    forever.run(10_000)
    before = forever.statistics(0).instructions
    forever.run(9_000)
    # A branch that is taken: 2 cycles.
    assert forever.statistics(0).instructions - before == 4_500
