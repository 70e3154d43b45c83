"""Conditions that were stored under names of earlier versions are read with the current ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.comparison import baseline_file
from intercore.record.conditions import disagreement, lasting
from intercore.record.plan import settings
from intercore.record.store import Store
from tests.record.store_data import PLAN, TOTAL, measured, read

if TYPE_CHECKING:
    from pathlib import Path

OLD = {"cpu": "A53", "desk.faults": "uart-out:flip=1e-4", "desk.link": "/dev/ttyACM0", "desk.tool": "0.1.0"}
NEW = {"cpu": "A53", "host.faults": "uart-out:flip=1e-4", "host.link": "/dev/ttyACM0", "host.tool": "0.1.0"}


def test_a_stored_run_has_the_current_names_and_goes_on_under_them(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    first, second, *_ = settings(PLAN)
    with Store(path) as store:
        number = store.create_run(PLAN, TOTAL)
        store.add(number, first, msgspec.structs.replace(measured(first), conditions=OLD))
        store.add(number, second, msgspec.structs.replace(measured(second), conditions=NEW))
    earlier, later = read(path).measurements
    assert earlier.conditions == later.conditions == NEW
    assert list(earlier.conditions) == sorted(NEW)
    assert disagreement(earlier.conditions, later.conditions) == []
    assert lasting(earlier.conditions) == {"cpu": "A53", "host.faults": "uart-out:flip=1e-4"}


def test_a_baseline_of_an_earlier_version_has_the_current_names() -> None:
    text = (
        '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
        '{"kind":"condition","name":"desk.faults","value":"uart-out:flip=1e-4"}\n'
        '{"kind":"series","benchmark":"switch","factors":{"to":1},"series":"switch","unit":"us","n":10,"median":12.5,'
        '"min":12,"max":13}\n'
    )
    (kept,) = baseline_file.parse(text, "old.jsonl").measurements
    assert kept.conditions == {"host.faults": "uart-out:flip=1e-4"}
