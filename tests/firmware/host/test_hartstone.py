"""The benchmark `hartstone` of the real program: releases are counted, their work is right, and overload is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import cores, series
from tests.firmware.host.units import check

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

TASKS = range(5)
PERIOD_US = 2000


@pytest.mark.parametrize("placement", ["one-core", "pinned", "free"])
def test_every_release_is_answered_with_its_work_done(terminal: Terminal, placement: str) -> None:
    if placement != "one-core" and cores(terminal) < 2:
        pytest.skip("there is no other core")
    answer = terminal.ask(f"run hartstone placement={placement} load=20 period_us={PERIOD_US} samples=2")
    assert answer[-1].get("status") == "ok", answer[-1]
    checks = answer[-1]["checks"]
    assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"], checks["lost"]) == (2, 2, 0, 0, 0)
    found, us = series(answer), terminal.ask("info")[0]["hz"] / 1e6
    for task in TASKS:
        responses = found[f"response.{task}"]
        assert len(responses) == 2 * (16 >> task)
        late = sum(response > (PERIOD_US << task) * us for response in responses)
        assert sum(found[f"missed.{task}"]) == late


def test_twice_what_a_core_can_do_is_too_much_for_it(terminal: Terminal) -> None:
    found = series(terminal.ask(f"run hartstone load=200 period_us={PERIOD_US} samples=1"))
    assert found["missed.4"] == [1], "the task of the lowest priority has no time at all"


def test_its_series_come_in_their_units(terminal: Terminal) -> None:
    command = f"hartstone load=20 period_us={PERIOD_US} samples=1"
    check(terminal, command, {"alone": "tick", "response": "tick", "missed": "count"})


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("period_us=1500", "period_us must be a whole number of kernel ticks"),
        ("load=501", "load is outside the range that list shows: 501"),
        ("placement=nowhere", "placement must be a choice that list shows, not nowhere"),
    ],
)
def test_bad_settings_are_refused_with_a_reason(terminal: Terminal, setting: str, words: str) -> None:
    assert words in terminal.ask(f"run hartstone {setting}")[-1]["text"]
