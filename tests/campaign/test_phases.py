"""Why a change's phases cannot be measured, where they cannot, and what is kept of those that were."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest

from intercore.board import elf
from intercore.campaign import phase_cache, phases
from intercore.campaign.phase_cache import PhaseCache
from intercore.comparison.analysis import Sides
from intercore.comparison.change import Change
from intercore.errors import IntercoreError
from intercore.record.measurement import Measurement, Run
from intercore.record.plan import Setting
from tests.comparison.compared_runs import measured, run


class Silent:
    """Progress that nobody sees."""

    def begin(self, done: int, total: int) -> None: ...
    def measuring(self, setting: Setting, known: None) -> None: ...
    def stored(self, setting: Setting, total: int, seconds: float, known: None) -> None: ...


def before_and_after(**conditions: str) -> tuple[Run, Run]:
    first, second = (
        run("pico-sim", measured([ticks] * 8, conditions={"image.digest": image, **conditions}, seed=1))
        for ticks, image in ((1000, "a"), (1001, "b"))
    )
    return first, second


def found(sides: tuple[Run, Run], count: int = 4) -> Change:
    whole = ([sides[0]], [sides[1]])
    return phases.find_change(whole, Sides(*whole).moved(), count, lambda _: None, lambda: nullcontext(Silent()))


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> NoReturn:
        raise IntercoreError("no compiler was found")

    monkeypatch.setattr(phases, "board_image", refuse)
    monkeypatch.setattr(phases, "shifted_images", refuse)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path)


def test_without_a_compiler_the_change_says_so_and_names_no_function() -> None:
    change = found(before_and_after())
    assert (change.phases, change.functions) == ((), None)
    assert "no compiler was found" in change.why_unknown


def test_what_was_measured_with_faults_is_not_measured_again() -> None:
    assert "faults" in found(before_and_after(**{"host.faults": "uart-out:flip=1e-4"})).why_unknown


def test_none_are_measured_where_none_are_asked_for() -> None:
    assert found(before_and_after(), 0).why_unknown


def test_what_is_built_here_must_be_what_was_measured_whatever_the_package_carries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Image:
        elf = Path("none")

        def __init__(self, digest: str) -> None:
            self.digest = digest

    monkeypatch.setattr(phases, "board_image", lambda *_: Image("b"))
    monkeypatch.setattr(phases, "shifted_images", lambda *_: [Image("c")])
    assert "another program" in found(before_and_after()).why_unknown


def kept(number: int) -> tuple[Setting, Measurement]:
    one = measured([number] * 8, size=number)
    return Setting(one.benchmark, dict(one.factors), 0), one


def test_what_was_measured_is_kept_by_program_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elf, "digest", lambda paths: str(*paths))
    plan = before_and_after()[0].plan
    first, second = kept(1), kept(2)
    cache = PhaseCache(Path("a"), plan)
    cache.keep([first])
    PhaseCache(Path("a"), plan).keep([second])
    again = PhaseCache(Path("a"), plan)
    for setting, one in (first, second):
        known = again.get(setting)
        assert known is not None
        assert known.series[0].ticks.tolist() == one.series[0].ticks.tolist()
    assert again.get(kept(3)[0]) is None
    assert PhaseCache(Path("b"), plan).get(first[0]) is None


def test_a_damaged_cache_costs_time_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(elf, "digest", lambda paths: str(*paths))
    plan = before_and_after()[0].plan
    setting, one = kept(1)
    PhaseCache(Path("a"), plan).keep([(setting, one)])
    (file,) = (tmp_path / "phases").glob("*.db")
    file.write_bytes(b"no store" * 1000)
    damaged = PhaseCache(Path("a"), plan)
    assert damaged.get(setting) is None
    damaged.keep([(setting, one)])


def test_only_the_newest_files_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(elf, "digest", lambda paths: str(*paths))
    monkeypatch.setattr(phase_cache, "_MOST_FILES", 2)
    plan = msgspec.structs.replace(before_and_after()[0].plan)
    for name in "abc":
        PhaseCache(Path(name), plan).keep([kept(1)])
    assert len([*(tmp_path / "phases").glob("*.db")]) == 2
    assert PhaseCache(Path("c"), plan).get(kept(1)[0]) is not None
