"""A run that is carried out: how its target is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.campaign.kept_target import KeptTarget
from intercore.campaign.this_thread import carry_out
from intercore.record.factors import of_target
from intercore.record.measurement import Part, Plan
from intercore.record.plan import settings
from intercore.record.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.record.measurement import Level
    from intercore.target.connection import Connection


class Opened(Exception):  # noqa: N818 - no error: how the test looks in
    """The target was opened with a build."""


def test_the_target_is_opened_with_the_build_of_the_first_setting(tmp_path: Path) -> None:
    levels: dict[str, list[Level]] = {"n": [1, 2], "opt": ["O0", "O2"], "clock_mhz": [48, 133]}
    plan = Plan("pico-sim", None, "speedup", (Part("speedup", levels),), simulated=True)
    asked: list[Mapping[str, Level]] = []

    def connect(build: Mapping[str, Level], _: object) -> Connection:
        asked.append(build)
        raise Opened

    with Store(tmp_path / "store.db") as store, KeptTarget(plan, connect, 1.0) as kept, pytest.raises(Opened):
        carry_out(store, {store.create_run(plan, len(settings(plan))): kept}, Silent())
    assert asked == [of_target(settings(plan)[0].factors)]
    assert asked[0].keys() == {"opt", "clock_mhz"}


class Silent:
    """An observer to whom nothing matters."""

    def ignore(self, *_: object) -> None:
        """Do nothing."""

    begin = measuring = progress = show_message = chip_time = stored = ignore
