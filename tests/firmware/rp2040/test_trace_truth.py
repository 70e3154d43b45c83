"""Each kind of event of the recorder, on the simulated Pico: is it where the probes see what it tells of?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.boards import PICO
from intercore.record.trace_recording import Class, Kind
from tests.firmware.rp2040.recorded import Target, with_recorder
from tests.firmware.rp2040.truths import TRUTHS, Truth, distance, followed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level

pytestmark = pytest.mark.measures("switch", "rhealstone", "lock", "jitter", "message")

SHORT: Mapping[str, Level] = {"samples": 2, "dither_us": 50}
RUNS: tuple[tuple[str, Mapping[str, Level]], ...] = (
    ("switch", SHORT),
    ("switch", {"primitive": "queue", **SHORT}),
    ("switch", {"primitive": "stream-buffer", **SHORT}),
    ("switch", {"primitive": "event-group", **SHORT}),
    ("switch", {"primitive": "counting-semaphore", "time": "raw-counter", **SHORT}),
    ("rhealstone", {"component": "deadlock-breaking", "samples": 2}),
    ("lock", {"lock": "spinlock", "samples": 2}),
    ("jitter", {"samples": 3, "period_us": 2000, "migrate": "blockers"}),
    ("message", {"transport": "ring", "samples": 3}),
)
WITHOUT = {Kind.MARK, Kind.DUE}
"""Of a program of the user's, and of Linux."""


OBJECTS = (Kind.GIVEN, Kind.TAKEN, Kind.AWAITED)


def test_every_kind_of_event_is_within_the_cost_that_is_told_of_what_the_probes_see() -> None:
    found = followed(Target(with_recorder(PICO, 1024)), TRUTHS, RUNS)
    assert found.too_far == {}
    assert found.met == {
        *((kind, 0) for kind in Kind if kind not in {*WITHOUT, *OBJECTS}),
        *((kind, one.value) for kind in OBJECTS for one in Class),
    }


def test_what_is_far_from_all_that_is_seen_is_told_to_be() -> None:
    assert distance(np.array([100, 250]), np.array([90, 200])).tolist() == [10, 50]
    assert distance(np.array([100]), np.array([], np.int64)).min() > 10**9
    assert Truth(Kind.GIVEN, detail=Class.MUTEX).name == "GIVEN MUTEX"
