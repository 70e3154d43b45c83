"""The benchmark `clock` of the real program: intervals within a core and between every two are whole and forward."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

RUNS = 100
"""Most that are begun until a machine, however busy, leaves a tenth of one undisturbed."""


def test_intervals_between_all_cores_are_taken_and_never_negative(terminal: Terminal) -> None:
    cores = range(min(terminal.ask("info")[0]["cores"], 3))
    for first, second in itertools.product(cores, cores):
        answer = terminal.ask(f"run clock from={first} to={second} samples=50 longest_us=20 dither_us=20")
        assert answer[-1]["status"] == "ok"
        checks = answer[-1]["checks"]
        assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"]) == (50, 51, 0, 0)
        taken = series(answer)["interval"]
        assert len(taken) == 50
        assert all(ticks > 0 for ticks in taken)


def test_the_longest_time_is_about_as_long_as_asked(terminal: Terminal) -> None:
    hz = terminal.ask("info")[0]["hz"]

    def tenth_and_greatest() -> tuple[float, float]:
        answer = terminal.ask("run clock from=0 to=0 samples=200 longest_us=500 dither_us=0")
        taken = sorted(ticks * 1e6 / hz for ticks in series(answer)["interval"])
        return taken[20], taken[-1]

    # Of times up to ten times as long, the tenth would be 500.
    assert any(tenth < 250 < greatest for tenth, greatest in (tenth_and_greatest() for _ in range(RUNS)))


def test_a_core_that_is_not_there_is_refused(terminal: Terminal) -> None:
    assert terminal.ask("run clock from=65")[-1]["code"] == "out-of-range"


def test_counters_are_read_between_two_readings_of_the_common_clock(terminal: Terminal) -> None:
    cores = range(min(terminal.ask("info")[0]["cores"], 2))
    for first, second in itertools.product(cores, cores):
        answer = terminal.ask(f"run clock from={first} to={second} time=counter samples=20 longest_us=20 dither_us=20")
        assert answer[-1]["status"] == "ok"
        taken = series(answer)
        names = {f"{name}.{core}" for core in {first, second} for name in ("common", "around", "counter")}
        assert names == {name for name in taken if not name.startswith("timestamp_overhead")}
        clocks = {line["name"]: line["clock"] for line in answer if line["type"] == "series"}
        for core in {first, second}:
            assert clocks[f"counter.{core}"] == "counter"
            assert clocks[f"common.{core}"] == "common"
            assert all(ticks >= 0 for ticks in taken[f"around.{core}"])
            for name in ("common", "counter"):
                assert taken[f"{name}.{core}"] == sorted(taken[f"{name}.{core}"])
