"""Readings by eye, the addresses of meters, and the kinds that there are."""

from __future__ import annotations

import pytest

from intercore.errors import UsageError
from intercore.meter.address import Address
from intercore.meter.drivers.typed import TypedMeter
from intercore.meter.meter import MeterError
from intercore.meter.registry import known, opened
from intercore.record.meter_recording import Window

WINDOWS = tuple(Window(f"row {number}", 10.0, 59, "tower", "tower", 1) for number in range(3))


def test_a_list_has_a_reading_for_each_window_with_the_meters_step() -> None:
    seen = opened("typed:50,10,40?step=10&volts=5").end(WINDOWS)
    assert [one.amps for one in seen.readings] == [0.05, 0.01, 0.04]
    assert {(one.step, one.volts) for one in seen.readings} == {(0.01, 5.0)}


def test_without_a_list_each_window_is_asked_for_until_the_answer_is_a_current(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = iter(["50", "fifty", "10", "40,5"])
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers)

    seen = TypedMeter(Address.parse("typed:"), ask).end(WINDOWS)
    assert [one.amps for one in seen.readings] == [0.05, 0.01, 0.0405]
    assert [question.split("(")[1] for question in asked] == ["row 0): ", "row 1): ", "row 1): ", "row 2): "]
    assert "'fifty' is not a current" in capsys.readouterr().err


def test_too_few_readings_are_no_energy() -> None:
    with pytest.raises(MeterError, match=r"2 readings were given.* 3 measured windows"):
        opened("typed:50,10").end(WINDOWS)
    with pytest.raises(MeterError, match="not a terminal"):
        opened("typed:").end(WINDOWS)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ppk2", "meter: write KIND:PLACE"),
        (":/dev/x", "meter: write KIND:PLACE"),
        ("ppk3:/dev/x", "did you mean 'ppk2'"),
        ("typed:50?volt=5", "did you mean 'volts'"),
        ("typed:50?volts", "option of a meter: write options as NAME=VALUE"),
        ("typed:50?volts=5&volts=3", "twice"),
        ("typed:50?volts=much", "out of range"),
        ("typed:-1", "current in mA: give"),
    ],
)
def test_a_text_that_names_no_meter_is_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        opened(url)


def test_every_kind_of_meter_is_a_file_that_says_what_it_is() -> None:
    assert list(known()) == ["csv", "hwmon", "iio", "ppk2", "rapl", "scpi", "typed"]
    for scheme, driver in known().items():
        assert driver.form.startswith(f"{scheme}:")
        assert all(option in driver.form or option in ("root", "time_unit", "volts_unit") for option in driver.options)
        assert list(driver.find()) is not None
