"""How fast the tool takes in a measurement: decode, check and store, in samples per second.

python bench/link.py [SAMPLES]

A port in memory answers at once, so that what is timed is the tool alone: neither a target nor a wire. The samples have
the size of those of a clock of 1 GHz.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random
from zlib import crc32

import msgspec

from intercore.link.port import Port
from intercore.link.protocol import Begin, End, Factor, Numbered, Samples, SeriesHead
from intercore.link.session import Session
from intercore.record.measurement import Measurement, Part, Plan
from intercore.record.plan import Setting
from intercore.record.store import Store

CHUNK = 65536
SERIES = ("t1", "tp")


class InstantPort(Port):
    """Answers any command by one measurement."""

    description = "memory"

    def __init__(self, samples: int) -> None:
        """Think of the samples."""
        random = Random(1)  # noqa: S311 - the same samples each time
        self._values = {
            name: [8_000_000 + int(random.expovariate(1e-4)) for _ in range(samples // len(SERIES))] for name in SERIES
        }
        self._waiting = memoryview(b"")
        self.ready = 0.0

    def write(self, data: bytes) -> None:
        """Prepare the answer."""
        answer_id = int(data.split(b"id=")[1].split()[0])
        self._waiting = memoryview(b"".join(map(sealed, self._answer(answer_id))))
        self.ready = time.perf_counter()

    def _answer(self, answer_id: int) -> list[Numbered]:
        lines: list[Numbered] = [Begin(answer_id, 0, "speedup"), Factor(answer_id, 1, "n", 1000)]
        for name, values in self._values.items():
            lines.append(SeriesHead(answer_id, len(lines), name, "tick", "common", 10**9, len(values)))
        for name, values in self._values.items():
            for at in range(0, len(values), 16):
                lines.append(Samples(answer_id, len(lines), name, "tick", at, tuple(values[at : at + 16])))
        return [*lines, End(answer_id, len(lines), "ok", {"done": 1})]

    def read(self, _timeout: float) -> bytes:
        """Return the next part of the answer."""
        chunk, self._waiting = self._waiting[:CHUNK], self._waiting[CHUNK:]
        return bytes(chunk)

    def close(self) -> None:
        """Do nothing."""


def sealed(line: Numbered) -> bytes:
    """Return the line as a target sends it."""
    text = msgspec.json.encode(line)
    return b"%s *%08x\r\n" % (text, crc32(text))


def main() -> None:
    """Time one measurement and print what it took."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    port = InstantPort(samples)
    session = Session(port)
    answer = session.measure("speedup", {"n": 1000})
    decoded = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "bench.db") as store:
        opened = time.perf_counter()
        run = store.create_run(Plan("bench", None, "speedup", (Part("speedup", {"n": [1000]}),)), 1)
        setting = Setting("speedup", {"n": 1000}, 0)
        measurement = Measurement(
            "speedup", answer.factors, 0, answer.series, {}, answer.checks, "2026-01-01T00:00:00+00:00"
        )
        store.add(run, setting, measurement)
        stored = time.perf_counter()
    decoding, storing = decoded - port.ready, stored - opened
    print(f"samples         {samples:>12,}  in {session.statistics.lines:,} lines")
    print(f"decode, check   {decoding:>12.3f} s")
    print(f"store           {storing:>12.3f} s")
    print(f"together        {decoding + storing:>12.3f} s  {samples / (decoding + storing):,.0f} samples/s")


if __name__ == "__main__":
    main()
