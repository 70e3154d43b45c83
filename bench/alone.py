"""Whether what takes this machine's time is measured alone: sweeps of several targets at once, by their time stamps.

python bench/alone.py [SWEEPS]

Each sweep measures `host`, `esp32-qemu` and `pico-sim`, the host named first. A measurement lasts, at most, from when
it says that it started until it was in the store. The tests' stand-in takes QEMU's place: what matters here is when it
is measured and not what.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.campaign import plan_reader
from intercore.campaign.campaign import Campaign
from intercore.campaign.execution import carry_out
from intercore.campaign.preview import preview
from intercore.campaign.simulator_processes import SimulatorProcesses
from intercore.record.plan import setting_of
from intercore.record.store import Store

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fakes.esp_images import whole
from tests.fakes.esp_tools import Fakes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.record.plan import Setting

SWEEPS = 20
PLAN = """
repetitions = 2
[[target]]
name = "host"
[[target]]
name = "esp32-qemu"
image = "{image}"
[[target]]
name = "pico-sim"
[[experiment]]
benchmark = "speedup"
targets = ["host"]
factors = {{ n = [500000, 1000000] }}
[[experiment]]
benchmark = "speedup"
targets = ["esp32-qemu", "pico-sim"]
factors = {{ n = [100, 1000] }}
"""
"""Some seconds of the host: the stand-in for QEMU takes one to start."""


class Stamps:
    """Notes when measurements of a run were in the store."""

    def __init__(self) -> None:
        """Begin without any."""
        self.ends: dict[tuple[tuple[str, str], int], float] = {}

    def stored(self, setting: Setting, *_: object) -> None:
        """See Observer."""
        self.ends[setting.key, setting.repetition] = time.time()

    def ignore(self, *_: object) -> None:
        """Do nothing."""

    begin = measuring = progress = chip_time = told = ignore


def main() -> None:
    """Sweep, and print how often measurements of two targets overlapped."""
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else SWEEPS
    overlaps: dict[tuple[str, str], int] = defaultdict(int)
    counts: dict[str, int] = defaultdict(int)
    for _ in range(sweeps):
        spans = swept()
        for target, own in spans.items():
            counts[target] += len(own)
        for one, other in combinations(sorted(spans), 2):
            overlaps[one, other] += sum(
                begin < their_end and their_begin < end
                for begin, end in spans[one]
                for their_begin, their_end in spans[other]
            )
    print(f"{sweeps} sweeps; measurements: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")
    for (one, other), count in overlaps.items():
        print(f"  {one} and {other}: {count} pairs overlap")


def swept() -> dict[str, list[tuple[float, float]]]:
    """Carry out one sweep; return when each measurement was under way, in seconds, by target."""
    stamps: dict[int, Stamps] = defaultdict(Stamps)
    with tempfile.TemporaryDirectory() as name, qemu(Path(name)), Store(Path(name, "intercore.db")) as store:
        image = Path(name, "esp32.bin")
        image.write_bytes(whole("esp32"))
        path = Path(name, "plan.toml")
        path.write_text(PLAN.format(image=image))
        file = plan_reader.read(path)
        runs = [
            (store.run(store.create_run(one.plan, len(one.missing))), str(one.entry))
            for one in preview(file, store, None, lambda _: None, trials=False)
            if one.plan is not None
        ]
        campaigns = [Campaign(run, name, stamps[run.id]) for run, name in runs]
        with contextlib.closing(SimulatorProcesses(2)) as simulators:
            carry_out(store, campaigns, simulators, timeout=None)
        spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for run in (store.run(campaign.id) for campaign in campaigns):
            for one in run.measurements:
                end = stamps[run.id].ends[setting_of(run.plan, one).key, one.repetition]
                spans[run.plan.target].append((datetime.fromisoformat(one.started).timestamp(), end))
    return spans


@contextlib.contextmanager
def qemu(folder: Path) -> Iterator[None]:
    """Have the stand-in found for QEMU."""
    fakes = Fakes(folder)
    fakes.install("qemu-system-xtensa")
    kept = dict(os.environ)
    os.environ.update(PATH=f"{fakes.bin}:{os.environ['PATH']}", FAKE_LOG=str(fakes.log))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


if __name__ == "__main__":
    main()
