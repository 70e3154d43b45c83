"""What a sample's time went to is in the store beside the samples: whole, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.errors import IntercoreError
from intercore.record.explanation import ExplainedPart, Explanation, Holder
from intercore.record.plan import settings
from intercore.record.store import Store
from tests.record.store_data import PLAN, content, fill, read, sql

if TYPE_CHECKING:
    from pathlib import Path

LOCK = ExplainedPart(300, "lock", 0, "SysTick", "xTaskIncrementTick", lock=14, holder=Holder(1, "send", "task logger"))
FLASH = ExplainedPart(80, "flash", 0, "SysTick", "xTaskIncrementTick", misses=2)
WAY = ExplainedPart(20, "way", 0, "task control", "")
FOUND = Explanation("late", 7, 400, 125_000_000, (LOCK, FLASH, WAY))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def explain(path: Path, explanation: Explanation = FOUND, number: int = 0) -> None:
    with Store(path) as store:
        store.set_explanation(1, settings(PLAN)[number], explanation)


def test_it_comes_back_with_its_measurement_and_the_samples_are_as_they_were(path: Path) -> None:
    fill(path)
    before = read(path)
    explain(path)
    after = read(path)
    known = [one.explanation for one in after.measurements]
    assert known.count(FOUND) == 1
    assert known.count(None) == len(known) - 1
    assert [content(one) for one in after.measurements] == [content(one) for one in before.measurements]


def test_a_later_one_takes_the_place_of_the_one_before(path: Path) -> None:
    fill(path)
    explain(path)
    other = msgspec.structs.replace(FOUND, sample=8)
    explain(path, other)
    assert [one.explanation for one in read(path).measurements if one.explanation] == [other]


def test_a_store_without_one_has_no_table_of_it(path: Path) -> None:
    fill(path)
    assert sql(path, "SELECT count(*) FROM sqlite_master WHERE name = 'explanations'") == [(0,)]


def test_what_was_not_measured_is_not_explained(path: Path) -> None:
    fill(path)
    with Store(path) as store, pytest.raises(IntercoreError, match="has no measurement for an explanation"):
        store.set_explanation(1, msgspec.structs.replace(settings(PLAN)[0], repetition=99), FOUND)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE explanations SET text = replace(text, '300', '301')",
        "UPDATE explanations SET crc = crc + 1",
        "UPDATE explanations SET text = '{}', crc = 0",
    ],
)
def test_damage_is_told(path: Path, damage: str) -> None:
    fill(path)
    explain(path)
    sql(path, damage)
    with pytest.raises(IntercoreError, match="is damaged"):
        read(path)


def test_parts_that_do_not_add_up_to_the_sample_are_damage(path: Path) -> None:
    fill(path)
    explain(path, msgspec.structs.replace(FOUND, cycles=401))
    with pytest.raises(IntercoreError, match="do not add up"):
        read(path)
