"""The real program behind a bad cable: 1 % of the bytes flipped, dropped or doubled, in both directions."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest

from intercore.link.child_port import ChildPort
from intercore.link.session import Session
from tests.fakes.faulty_port import FaultyPort
from tests.firmware.host.conftest import SANITIZED

if TYPE_CHECKING:
    from pathlib import Path

DAMAGED = 0.01
PATIENCE = 60.0
"""Seconds; of a tenth of them nothing is heard when a command is lost, before it is said again."""


class Recorder:
    """A port that keeps what passes through it undamaged."""

    def __init__(self, port: ChildPort) -> None:
        self._port = port
        self.description = port.description
        self.received = b""

    def read(self, timeout: float) -> bytes:
        data = self._port.read(timeout)
        self.received += data
        return data

    def write(self, data: bytes) -> None:
        self._port.write(data)

    def close(self) -> None:
        self._port.close()


def samples_sent(received: bytes) -> dict[str, dict[int, int]]:
    """What the program really sent in its last run: values by index, by series."""
    sent: dict[str, dict[int, int]] = {}
    for line in received.splitlines():
        text, star, _ = line.rpartition(b" *")
        if star and b'"type":"samples"' in text:
            message = json.loads(text)
            values = sent.setdefault(message["series"], {})
            values.update(enumerate(message["values"], start=message["index"]))
    return sent


@pytest.mark.parametrize("seed", range(1 if SANITIZED else 5))
def test_no_sample_is_changed_or_lost(program: Path, seed: int) -> None:
    with contextlib.closing(Recorder(ChildPort([str(program)]))) as recorder:
        session = Session(FaultyPort(recorder, DAMAGED, seed), timeout=PATIENCE)
        assert session.info().hello.board == "linux"
        answer = session.measure("clock", {"to": 0, "longest_us": 10, "samples": 100, "dither_us": 10})
        assert session.statistics.bad_lines > 0  # the cable was bad indeed
    assert answer.status == "ok"
    sent = samples_sent(recorder.received)
    assert {series.name for series in answer.series} == set(sent)
    for series in answer.series:
        assert series.ticks.tolist() == [sent[series.name][index] for index in range(len(series.ticks))]
    assert len(answer.series[-1].ticks) == 100
