"""A program that records benchmarks on this machine and writes what it got, where Linux' trace points may be read."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.target.targets import Address, find

if TYPE_CHECKING:
    from intercore.record.measurement import Series
    from intercore.record.trace_recording import Recording

Asked = tuple[str, dict[str, str | int]]
"""A benchmark, and the levels of its factors."""


class Taken(msgspec.Struct):
    """What one measurement gave."""

    recording: Recording
    series: list[Series]


class Scheduled(msgspec.Struct):
    """What all of them gave."""

    scheduler: str
    """The condition `recorder.scheduler`."""
    taken: list[Taken]


def main() -> None:
    """Record what standard input asks for, in rings of EVENTS; arguments: FILE EVENTS."""
    file, events = sys.argv[1:]
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Asked])
    taken = []
    with find("host").open(Address(build={"trace": int(events)}), lambda _: None).session() as session:
        scheduler = session.info().conditions["recorder.scheduler"]
        for benchmark, factors in asked:
            answer, recording = session.record(benchmark, factors)
            taken.append(Taken(recording, list(answer.series)))
    Path(file).write_bytes(pickle.dumps(Scheduled(scheduler, taken)))
