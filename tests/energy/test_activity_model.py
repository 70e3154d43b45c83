"""Current against activity, one core against several, estimates, and files of currents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks import energy_report
from intercore.benchmarks.energy import BenchmarkEconomy, EnergyAnalysis
from intercore.energy import currents_file
from intercore.energy.activity_model import Row, fitted
from intercore.energy.economy import economies
from intercore.energy.estimate import of_activity
from intercore.energy.pooled import Pooled, pooled
from intercore.energy.window_energy import WindowEnergy
from intercore.errors import IntercoreError, UsageError
from intercore.meter.registry import known
from intercore.record.meter_recording import Activity, Currents, Window
from intercore.statistics.intervals import Interval
from tests.built_once import ROOT
from tests.fakes import esp32

if TYPE_CHECKING:
    from pathlib import Path

CHIP = Currents("chip", 1.1, (1.0, 0.2), (0.0, 0.15), (0.0, 0.1), "made up")


# The model


@given(*(st.floats(0.0, 0.2) for _ in range(3)), st.permutations([(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)]))
def test_where_rows_differ_in_both_cores_the_model_finds_what_each_adds(
    rest: float, first: float, second: float, busy: list[tuple[int, int]]
) -> None:
    rows = [Row(str(one), (bool(one[0]), bool(one[1])), rest + first * one[0] + second * one[1]) for one in busy]
    model = fitted(rows)
    added = [one.amps.value for one in model.cores if one.amps is not None]
    assert [model.rest.value, *added] == pytest.approx([rest, first, second], abs=1e-9)
    assert model.largest_residual < 1e-9
    found = model.predicted((False, True))
    assert found is not None
    assert found.value == pytest.approx(rest + second, abs=1e-9)


def test_cores_that_are_always_busy_together_are_not_told_apart() -> None:
    rows = [Row("both", (True, True), 0.05), Row("none", (False, False), 0.01)]
    model = fitted(rows)
    assert [one.amps for one in model.cores] == [None, None] or model.predicted((True, False)) is None


# Estimates


@given(st.integers(1, 10**9), st.floats(0, 1), st.floats(0, 1), st.integers(10**6, 2 * 10**8))
def test_an_estimate_lies_between_cores_that_overlap_least_and_most(
    cycles: int, first: float, second: float, hz: int
) -> None:
    awake = (int(cycles * first), int(cycles * second))
    took = of_activity(Activity(cycles, awake, hz), CHIP, Window("w", None, 1, "tower", "w", 2))
    assert took.amps is not None
    assert took.amps.low is not None
    assert took.amps.high is not None
    assert took.amps.low <= took.amps.value <= took.amps.high
    assert took.joules.value == pytest.approx(1.1 * took.amps.value * cycles / hz)
    if awake in ((cycles, cycles), (0, 0)):
        fixed, per_mhz = CHIP.both if awake[0] else CHIP.asleep
        assert took.amps.value == pytest.approx((fixed + per_mhz * hz / 1e6) / 1e3)
        assert took.amps.low == pytest.approx(took.amps.high)


def test_currents_are_for_two_cores() -> None:
    with pytest.raises(IntercoreError, match="two cores"):
        of_activity(Activity(1000, (1000,), 1), CHIP, Window("w", None, 1, "tower", "w", 2))


def test_the_file_of_the_documents_is_read_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "chip.toml").write_text(
        'name = "chip"\nvolts = 1.1\nsource = "made up"\n'
        "[both]\nma = 1.0\nma_per_mhz = 0.2\n[one]\nma_per_mhz = 0.15\n[asleep]\nma_per_mhz = 0.1\n"
    )
    assert currents_file.read(tmp_path / "chip.toml") == CHIP


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("volts = ", "is not valid TOML"),
        ("volts = 1.1", "file of currents: Object missing.*name"),
        ('name = "x"\nvolts = 1.1\nsource = "s"\n[both]\n[one]\nma = 1\n[asleep]\nma = 1', "ma, ma_per_mhz or both"),
        ('name = "x"\nvolts = -1\nsource = "s"\n[both]\nma=1\n[one]\nma = 1\n[asleep]\nma = 1', "volts"),
        ('name = "x"\nvolts = 1\nsource = "s"\n[both]\nmw=1\n[one]\nma = 1\n[asleep]\nma = 1', "mw"),
    ],
)
def test_a_file_of_currents_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        currents_file.read(tmp_path / "x.toml")


# Repetitions, and one core against several


def taking(joules: float, cores: int, seconds: float = 1.0, half: float = 0.0, label: str = "w") -> WindowEnergy:
    found = Interval(joules, joules - half, joules + half)
    return WindowEnergy(label, seconds, 10, "tower", "same", cores, found, found, None, None, None, 100)


def pool(*joules: float, cores: int = 1, seconds: float = 1.0, rest: float | None = None) -> Pooled:
    resting = [] if rest is None else [Interval(rest, rest, rest)]
    return pooled([[taking(one, cores, seconds, 0.01)] for one in joules], resting, by_eye=False)


def test_intervals_are_those_of_repetitions() -> None:
    rng, covered = np.random.default_rng(3), 0
    for _ in range(1000):
        found = pool(*(5 + rng.normal(0, 0.3, 5))).joules
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 5 <= found.high
    assert 930 <= covered <= 970


def test_a_single_repetition_has_the_interval_of_its_windows() -> None:
    assert pool(5.0).joules == Interval(5.0, 4.99, 5.01)


def test_readings_by_eye_are_never_known_better_than_half_a_step() -> None:
    windows = [[taking(5.0, 1, half=0.5)] for _ in range(5)]
    assert pooled(windows, [], by_eye=True).joules == Interval(5.0, 4.5, 5.5)


def test_one_core_against_two_at_the_same_work() -> None:
    (found,) = economies([pool(4.0, 4.0, cores=1, seconds=2.0), pool(3.0, 3.0, cores=2, seconds=1.0, rest=0.5)])
    assert found.energy_ratio.value == pytest.approx(4 / 3)
    assert found.time_ratio == pytest.approx(2.0)
    assert found.energy_delay_ratio == pytest.approx(8 / 3)
    assert found.race_to_idle == pytest.approx(0.4 / (0.3 + 0.5 * 0.1))


def test_what_a_product_takes_that_rests_is_answered_before_the_work_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores are cheaper while they work, and dearer with the rest until one would have been done."""
    (found,) = economies(
        [pool(4.0, 4.1, 3.9, cores=1, seconds=2.0), pool(3.0, 3.05, 2.95, cores=2, seconds=1.0, rest=2.0)]
    )
    of_it = EnergyAnalysis(
        kind="sampled",
        meters=(),
        path="chip",
        of_chip=True,
        rows=(),
        economies=(BenchmarkEconomy("contention", found),),
        alignments=(),
        refused=(),
        missing=0,
        of=2,
    )
    monkeypatch.setattr(energy_report, "analyse", lambda _: of_it)
    report = energy_report.report(esp32.run())
    assert report is not None
    raced, alone = (answer.value for answer in report.answers)
    assert raced is not None
    assert alone is not None
    assert (raced.value, alone.value) == pytest.approx((0.4 / (0.3 + 2.0 * 0.1), 4 / 3))
    assert raced.low is not None
    assert raced.high is not None
    assert raced.low < raced.value < raced.high < 1
    assert "costs energy" in report.section.sentences[0]
    assert "saves energy" not in report.section.sentences[0]


def test_what_did_other_work_is_not_compared() -> None:
    other = pooled([[taking(1.0, 2)]], [], by_eye=False)
    changed = [
        pool(4.0),
        Pooled(**{**{name: getattr(other, name) for name in Pooled.__struct_fields__}, "work": "other"}),
    ]
    assert list(economies(changed)) == []


def test_the_documents_print_the_file_of_the_rp2040_and_it_is_read() -> None:
    path = ROOT / "examples/currents/rp2040.toml"
    assert path.read_text("utf-8") in (ROOT / "docs/energy.md").read_text("utf-8")
    found = currents_file.read(path)
    assert found.both[1] > found.one[1] > found.asleep[1] > 0
    assert found.both[1] == pytest.approx(10.9 / 48, abs=6e-4), "Popcorn, 48 MHz: table 637"
    assert found.one[1] == pytest.approx(9.0 / 48, abs=6e-4), "BOOTSEL mode, idle: table 637"
    peripherals = (2.6, 3.9, 3.8, 23.6, 12.3, 12.5, 5.0, 1.1, 1.9, 1.7, 1.8, 1.2, 3.5, 3.7, 1.0, 37.6)
    assert found.asleep[1] == pytest.approx(sum(peripherals) / 1e3, abs=6e-4), "table 635, µA/MHz"


def test_the_documents_list_every_kind_of_meter_with_its_options() -> None:
    text = (ROOT / "docs/energy.md").read_text("utf-8")
    for scheme, driver in known().items():
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{scheme}:"))
        unsaid = [name for name in driver.options if name not in row and name not in ("root", "backend")]
        assert not unsaid, (scheme, unsaid)
