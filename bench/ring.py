"""Our ring against FreeRTOS' message buffer and against the chip's copy loop, on one simulated chip, in one run.

Latency of a message of 256 bytes between tasks that poll: a fifth of the message buffer's at most. Throughput with
messages of 1024 bytes: five times its own at least. What the copying ring reaches of what a core can copy is printed
beside it: a copy in and a copy out are made by two cores at the same time, so a copy's rate is its limit. The ring
without copies has no such limit. All numbers are SIMULATED, and the same each time.

Run with: make bench, or .venv/bin/python bench/ring.py
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from intercore.link.session import Session
from intercore.target.targets import Address, find

if TYPE_CHECKING:
    from collections.abc import Mapping

AIM = 5.0
LATENCY_BYTES = 256
STREAM_BYTES = 1024
MESSAGES = 256
SAMPLES = 64
COPY_BYTES = 4096
BLOCK_WORD_CYCLES = 2.0
"""Cycles per word of LDM and STM, 1 + N each for N words (Cortex-M0+ TRM, table 3-1), if N were without limit."""


def ticks(session: Session, benchmark: str, setting: Mapping[str, int | str], name: str) -> float:
    """Measure one setting; return the median of a series, in ticks of the chip's clock."""
    measurement = session.measure(benchmark, {**setting, "samples": SAMPLES})
    if measurement.status != "ok":
        raise SystemExit(f"bench/ring.py: {benchmark} {dict(setting)} has ended with status {measurement.status}")
    (series,) = (series for series in measurement.series if series.name == name)
    return float(np.median(series.ticks))


def latency(session: Session, transport: str) -> float:
    """Return the median latency in cycles."""
    setting: dict[str, int | str] = {"transport": transport, "size": LATENCY_BYTES, "receiver": "polling"}
    setting["dither_us"] = 100
    return ticks(session, "message", setting, "latency")


def cycles_per_byte(session: Session, transport: str) -> float:
    """Return the cycles that a byte of a stream takes."""
    setting: dict[str, int | str] = {"transport": transport, "size": STREAM_BYTES, "receiver": "polling"}
    setting |= {"measure": "throughput", "messages": MESSAGES}
    return ticks(session, "message", setting, "window") / (STREAM_BYTES * MESSAGES)


def main() -> None:
    """Measure, print and judge."""
    with contextlib.closing(find("pico-sim").open(Address(), lambda _: None)) as opened:
        session = opened.session()
        hz = session.info().hello.hz
        transports = ("message-buffer", "ring", "ring-zero-copy", "rpmsg", "rpmsg-zero-copy")
        latencies = {name: latency(session, name) for name in transports}
        streams = {name: cycles_per_byte(session, name) for name in transports}
        copy = ticks(session, "memory", {"access": "copy", "bytes": COPY_BYTES}, "alone") / COPY_BYTES
    buffer_latency, buffer_stream = latencies["message-buffer"], streams["message-buffer"]
    print(f"SIMULATED RP2040 at {hz / 1e6:.0f} MHz, tasks that poll, core 0 to core 1, median of {SAMPLES}:")
    for name in transports:
        mb_per_s = hz / streams[name] / 1e6
        print(
            f"  {name:<15} latency at {LATENCY_BYTES} B {latencies[name]:6.0f} cycles, "
            f"{buffer_latency / latencies[name]:5.2f} times less than the message buffer; "
            f"throughput at {STREAM_BYTES} B {mb_per_s:6.1f} MB/s, {buffer_stream / streams[name]:5.2f} times its"
        )
    block = BLOCK_WORD_CYCLES / 4
    for what, limit in (("the memory benchmark's copy, word by word", copy), ("LDM and STM without limit", block)):
        ratios = ", ".join(f"{name} {limit / streams[name]:.2f}" for name in transports)
        print(f"  throughput as a part of {what}, {hz / limit / 1e6:.1f} MB/s: {ratios}")
    met = {
        "latency": buffer_latency / latencies["ring-zero-copy"],
        "throughput": buffer_stream / streams["ring-zero-copy"],
    }
    for what, ratio in met.items():
        print(f"{'yes' if ratio >= AIM else 'NO '}  {what}: ring-zero-copy {ratio:.2f} times better (aim: {AIM:.0f})")


if __name__ == "__main__":
    main()
