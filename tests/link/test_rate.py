"""The bit rate of a serial console is raised, falls back, and is found again, whatever happens on the line."""

from __future__ import annotations

import random

import pytest

from intercore.link.exchange import TargetRestartedError, TargetSilentError
from intercore.link.protocol import decode_line
from intercore.link.rate import FALL_BACK_TIME, RateControl
from intercore.link.serial_port import SerialPort
from intercore.link.session import Session
from intercore.target.targets import ESP_TIMEOUT
from tests.fakes.console import Console, ConsolePort

RATES = (115200, 230400, 460800, 921600)


def test_the_highest_rate_that_both_ends_can_is_taken() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console))
    session.raise_rate()
    assert (session.rate, console.rate) == (921600, 921600)
    assert session.info().hello.rate == 921600
    assert session.statistics.bad_lines == 0


def test_a_limit_is_respected() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console))
    session.raise_rate(500_000)
    assert (session.rate, console.rate) == (460800, 460800)


def test_a_rate_that_the_port_cannot_do_is_not_asked_for() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console, possible={115200, 230400}))
    session.raise_rate()
    assert (session.rate, console.rate) == (230400, 230400)
    assert [words[1] for words in console.commands if words[0] == "rate"] == ["230400"]


@pytest.mark.parametrize("rates", [(), (115200,)])
def test_a_target_without_other_rates_stays_as_it_is(rates: tuple[int, ...]) -> None:
    console = Console(rates)
    session = Session(ConsolePort(console))
    session.raise_rate()
    assert session.rate == 115200
    assert all(words[0] == "info" for words in console.commands)


def test_a_port_without_a_rate_is_not_asked_for_one() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console, rate=None))
    session.raise_rate()
    assert console.commands == []
    assert session.info().hello.rates == RATES


def test_sockets_have_no_rate() -> None:
    port = SerialPort("loop://", 115200)
    assert port.rate is None
    assert not port.set_rate(921600)
    port.close()


def test_a_target_that_does_not_answer_at_the_new_rate_is_found_at_the_old_one() -> None:
    console = Console(RATES, deaf_at={921600})
    port = ConsolePort(console)
    session = Session(port)
    session.raise_rate()
    assert session.rate == 460800, "the next lower rate is tried"
    assert console.fell_back == [921600]
    assert session.info().hello.rate == 460800


def test_after_two_rates_that_fail_all_stays_as_it_was() -> None:
    console = Console(RATES, deaf_at={921600, 460800})
    session = Session(ConsolePort(console))
    session.raise_rate()
    assert (session.rate, console.rate) == (115200, 115200)
    assert console.fell_back == [921600, 460800]
    assert session.info().hello.rate == 115200


def test_the_tool_waits_until_the_target_has_gone_back() -> None:
    console = Console(RATES, deaf_at={921600, 460800})
    port = ConsolePort(console)
    session = Session(port)
    session.info()
    before = port.now()
    session.raise_rate()
    assert 2 * FALL_BACK_TIME <= port.now() - before < 2 * FALL_BACK_TIME + 1


def test_garbage_after_the_change_is_survived() -> None:
    console = Console(RATES, garbled_at={921600})
    session = Session(ConsolePort(console))
    session.raise_rate()
    assert session.rate == 460800
    assert session.info().hello.rate == 460800
    assert session.measure("example", {"n": 10}).status == "ok"


def test_a_lost_answer_to_rate_costs_a_second_and_nothing_else() -> None:
    console = Console(RATES, lose_rate_answers=1)
    session = Session(ConsolePort(console))
    session.raise_rate()
    assert session.rate == console.rate == 460800
    assert session.info().hello.rate == 460800


def test_a_rate_that_damages_lines_is_left_after_the_run() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console))
    session.raise_rate()
    console.noise_above = (500_000, 0.2)
    first = session.measure("example", {"n": 10})
    assert session.rate == console.rate == 460800
    console_lines = session.statistics.bad_lines
    again = session.measure("example", {"n": 10})
    assert session.statistics.bad_lines == console_lines
    assert [s.ticks.tolist() for s in first.series] == [s.ticks.tolist() for s in again.series]


def test_a_few_damaged_lines_are_chance() -> None:
    console = Console(RATES)
    session = Session(ConsolePort(console))
    session.raise_rate()
    console.damage_next = 2
    session.measure("example", {"n": 10})
    assert session.rate == 921600


def test_a_target_that_was_reset_in_mid_run_is_found_at_the_start_rate() -> None:
    console = Console(RATES, reset_in_run=True)
    session = Session(ConsolePort(console), timeout=30)
    session.raise_rate()
    with pytest.raises(TargetRestartedError, match="restarted during `run`"):
        session.measure("example", {"n": 10})
    assert session.info().hello.rate == 115200


def test_a_reset_is_found_even_if_patience_is_short() -> None:
    console = Console(RATES, reset_in_run=True)
    session = Session(ConsolePort(console), timeout=1)
    session.raise_rate()
    with pytest.raises(TargetRestartedError):
        session.measure("example", {"n": 10})


@pytest.mark.parametrize("seconds", [62.0, 110.0])
def test_a_target_that_computes_for_a_minute_is_hardly_disturbed_and_not_lost(seconds: float) -> None:
    console = Console(RATES, computes=seconds)
    port = ConsolePort(console)
    session = Session(port, timeout=ESP_TIMEOUT)
    session.raise_rate()
    began, said = port.now(), len(console.commands)
    assert len(session.measure("example", {}).series[0].ticks) == 1600
    assert seconds <= port.now() - began < seconds + 2
    assert len(console.commands) - said <= 1 + seconds / 30
    assert session.rate == 921600
    assert session.statistics.bad_lines == 0


def test_reset_during_a_long_computation_is_found_early() -> None:
    console = Console(RATES, reset_in_run=True)
    port = ConsolePort(console)
    session = Session(port, timeout=ESP_TIMEOUT)
    session.raise_rate()
    began = port.now()
    with pytest.raises(TargetRestartedError):
        session.measure("example", {})
    assert port.now() - began < ESP_TIMEOUT / 4


def test_a_target_that_is_gone_is_given_up_in_time() -> None:
    console = Console(RATES, dies_in_run=True)
    port = ConsolePort(console)
    session = Session(port, timeout=10)
    session.raise_rate()
    before = port.now()
    with pytest.raises(TargetSilentError, match="hangs: silent for 10 s"):
        session.measure("example", {"n": 10})
    assert 10 <= port.now() - before < 13


def test_a_target_that_is_gone_and_has_one_rate_is_given_up_in_time() -> None:
    console = Console((), dies_in_run=True)
    session = Session(ConsolePort(console), timeout=10)
    session.info()
    with pytest.raises(TargetSilentError, match="hangs: silent for 10 s"):
        session.measure("example", {"n": 10})


@pytest.mark.parametrize("rate", [921600, 460800, 3_000_000])
def test_a_target_that_a_killed_tool_has_left_at_another_rate_is_found(rate: int) -> None:
    console = Console((*RATES, 3_000_000))
    console.greets = False
    port = ConsolePort(console)
    console.rate = rate
    session = Session(port)
    assert session.info().hello.rate == rate
    session.raise_rate()
    assert session.rate == console.rate == max(rate, 3_000_000)


def test_the_next_tool_finds_the_target_at_the_start_rate() -> None:
    console = Console(RATES)
    with Session(ConsolePort(console)) as session:
        session.raise_rate()
        assert console.rate == 921600
    assert console.rate == 115200
    assert not console.on_trial, "it has heard a command there, and stays"


@pytest.mark.parametrize("seed", range(8))
def test_noise_on_both_ways_never_leaves_the_ends_apart(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable
    console = Console(RATES, seed=seed)
    console.noise_above = (0, chance.choice([0.02, 0.1]))
    session = Session(ConsolePort(console))
    session.raise_rate()
    console.noise_above = (10**9, 0.0)
    assert session.info().hello.rate == console.rate == session.rate


def test_lines_of_a_healthy_link_never_lower_the_rate() -> None:
    asked: list[object] = []
    port = ConsolePort(Console(RATES))
    session = Session(port)
    session.raise_rate()

    def refuse(*words: object) -> None:
        asked.append(words)

    control: RateControl = session._rate
    control._change = refuse  # type: ignore[assignment]
    for lines, bad in ((1000, 0), (1000, 30), (10, 3), (0, 0)):
        control.after(lines, bad)
    assert asked == []
    control.after(100, 4)
    assert asked == [(460800,)]


def test_the_line_is_that_of_the_documentation() -> None:
    from zlib import crc32  # noqa: PLC0415

    text = b'{"type":"rate","rate":921600}'
    message = decode_line(text + b" *%08x" % crc32(text))
    assert (message.rate, message.id) == (921600, 0)  # type: ignore[union-attr]
