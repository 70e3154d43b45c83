"""Exported files hold exactly the samples of the run, and a failed export harms nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from intercore.benchmarks.failed import failed_by
from intercore.errors import IntercoreError, UsageError
from intercore.record.export import table
from intercore.record.export.columns import COLUMNS
from intercore.record.export.samples import export as export_of
from intercore.record.measurement import Measurement, Part, Plan, RunInParts, Series, Unit
from tests.built_once import ROOT

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STARTED = "2026-01-01T00:00:00+00:00"
PLAN = Plan("host", None, "speedup", (Part("speedup", {"n": [1, 2]}),), simulated=False)
COLUMNS_AFTER = ["repetition", "series", "index", "ticks", "unit", "clock", "hz", "ns"]
COLUMNS_AFTER += ["simulated", "emulated", "target", "failed"]


def series(name: str, *ticks: int, hz: int = 10**9, unit: Unit = "tick") -> Series:
    return Series(name, "common", hz, np.array(ticks, dtype=np.int64), unit)


def measurement(
    *samples: Series, lost: int = 0, cpu: str = "A53", repetition: int = 0, **factors: int | str
) -> Measurement:
    return Measurement("speedup", factors, repetition, samples, {"cpu": cpu}, {"lost": lost, "preempted": 3}, STARTED)


def run(*measurements: Measurement, plan: Plan = PLAN) -> RunInParts:
    return RunInParts(7, plan, STARTED, "0.1.0", lambda: iter(measurements), lambda: iter(measurements))


def export(one: RunInParts, path: Path, *, force: bool = False) -> None:
    export_of(lambda write: write(one), path, failed_by, force=force)


def read(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)


@pytest.fixture(params=["samples.parquet", "samples.csv", "SAMPLES.CSV"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_without_polars_the_sentence_says_how_to_get_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars.exceptions", None)
    with pytest.raises(IntercoreError, match=r"pip install 'intercore\[export\]'"):
        export(run(measurement(series("t1", 10))), path)
    assert not path.exists()


def test_there_is_one_row_per_sample_with_all_that_belongs_to_it(path: Path) -> None:
    first = measurement(series("t1", 10, 20, hz=10**8), series("timestamp_overhead.0", 1), n=2, mode="pool")
    second = measurement(series("t1", 30), n=1, mode="spin", repetition=1, lost=5)
    export(run(first, second), path)
    found = read(path)
    assert found.columns == ["run", "measurement", "benchmark", "n", "mode", *COLUMNS_AFTER]
    assert found.rows() == [
        (7, 0, "speedup", 2, "pool", 0, "t1", 0, 10, "tick", "common", 10**8, 100.0, False, False, "host", False),
        (7, 0, "speedup", 2, "pool", 0, "t1", 1, 20, "tick", "common", 10**8, 200.0, False, False, "host", False),
        (
            7,
            0,
            "speedup",
            2,
            "pool",
            0,
            "timestamp_overhead.0",
            0,
            1,
            "tick",
            "common",
            10**9,
            1.0,
            False,
            False,
            "host",
            False,
        ),
        (7, 1, "speedup", 1, "spin", 1, "t1", 0, 30, "tick", "common", 10**9, 30.0, False, False, "host", True),
    ]


def test_the_documented_columns_are_those_that_there_are() -> None:
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE)
    assert documented == [*COLUMNS.items()]


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7, 8])
def test_a_series_that_is_longer_than_a_piece_of_the_table_comes_out_whole(
    path: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_ROWS", rows)
    counts = series("done", 7, 8, 9, unit="count")
    export(run(measurement(series("t", 10, 20, 30), counts, n=1), measurement(series("t", 40), n=2)), path)
    assert read(path).select("measurement", "n", "series", "index", "ticks", "ns").rows() == [
        *((0, 1, "t", index, 10 * (index + 1), 10.0 * (index + 1)) for index in range(3)),
        *((0, 1, "done", index, 7 + index, None) for index in range(3)),
        (1, 2, "t", 0, 40, 40.0),
    ]


_LONG = f"""
import resource
import numpy as np
from pathlib import Path
from intercore.benchmarks.failed import failed_by
from intercore.record.export.samples import export
from intercore.record.measurement import Measurement, Part, Plan, RunInParts, Series

def of(count):
    def measurements():
        for n in range(count):
            series = Series("t", "common", 10**9, ticks + n)
            yield Measurement("speedup", {{"n": n}}, 0, (series,), {{}}, {{}}, "{STARTED}")
    plan = Plan("host", None, "speedup", (Part("speedup", {{"n": [1]}}),))
    return RunInParts(1, plan, "{STARTED}", "0.1.0", measurements, measurements)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

ticks = np.arange(100_000)
for suffix in ("parquet", "csv"):
    export(lambda write: write(of(1)), Path("short." + suffix), failed_by)
before = peak()
for suffix in ("parquet", "csv"):
    export(lambda write: write(of(15)), Path("long." + suffix), failed_by)
print((peak() - before) / (15 * len(ticks)))
"""
"""Prints by how many bytes a sample the peak memory grows by an export."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere ru_maxrss has other units, or is not there")
def test_a_long_run_is_exported_in_little_memory(tmp_path: Path) -> None:
    environment = {**os.environ, "POLARS_MAX_THREADS": "2"}  # each has a piece of the table in hand
    command = [sys.executable, "-c", _LONG]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert float(done.stdout) < 80  # some 40; where all of the table is made before it is written, 142


def test_a_run_that_turns_out_to_be_damaged_leaves_the_old_file(path: Path) -> None:
    path.write_text("old")

    def damaged() -> Iterator[Measurement]:
        yield measurement(series("t", *range(100_000)), n=1)
        raise IntercoreError("measurement 2 is damaged")

    with pytest.raises(IntercoreError, match="measurement 2 is damaged"):
        export(replace(run(measurement(n=1)), measurements=damaged), path, force=True)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_an_export_that_was_interrupted_reads_no_more_of_the_run() -> None:
    reads: list[int] = []

    def measurements() -> Iterator[Measurement]:
        reads.append(1)
        yield measurement(series("t", 1), n=1)

    one = replace(run(measurement(n=1)), measurements=measurements)
    with pytest.raises(KeyboardInterrupt), table.sample_table(one, lambda _: True) as interrupted:
        raise KeyboardInterrupt
    assert interrupted.collect().is_empty(), "the thread of Polars may go on for a while, and the store is closed"
    assert not reads


def test_a_run_that_is_read_once_more_is_exported_once(path: Path) -> None:
    def read_twice(write: Callable[[RunInParts], None]) -> None:
        write(run(*(measurement(series("t", *range(1000)), n=n) for n in range(9))))
        write(run(measurement(series("t", 1, 2), n=1)))

    export_of(read_twice, path, failed_by)
    assert read(path)["ticks"].to_list() == [1, 2]


def test_what_is_no_time_has_no_ns(path: Path) -> None:
    times = [series("t", 1, hz=10**8), series("at", 2, hz=10**8, unit="moment")]
    others = [series("done", 3, unit="count"), series("where", 1, unit="core")]
    export(run(measurement(*times, *others)), path)
    expected = [
        ("t", 1, "tick", 10.0),
        ("at", 2, "moment", 20.0),
        ("done", 3, "count", None),
        ("where", 1, "core", None),
    ]
    assert read(path).select("series", "ticks", "unit", "ns").rows() == expected


def test_simulated_samples_say_so_in_every_row(path: Path) -> None:
    export(
        run(measurement(series("t1", 1, 2)), plan=Plan("sim", None, "speedup", (Part("speedup", {}),), simulated=True)),
        path,
    )
    assert read(path)["simulated"].to_list() == [True, True]


def test_emulated_samples_say_so_in_every_row(path: Path) -> None:
    plan = Plan("esp32-qemu", None, "speedup", (Part("speedup", {}),), emulated=True)
    export(run(measurement(series("t1", 1, 2)), plan=plan), path)
    assert read(path)["emulated"].to_list() == [True, True]
    assert read(path)["simulated"].to_list() == [False, False]


def test_a_factor_that_a_measurement_lacks_is_null_and_mixed_levels_are_text(path: Path) -> None:
    export(run(measurement(series("t", 1), size="all"), measurement(series("t", 1), size=4, depth=2)), path)
    assert read(path).select("size", "depth").rows() == [("all", None), ("4", 2)]


def test_a_factor_named_like_a_column_does_not_displace_it(path: Path) -> None:
    export(run(measurement(series("t", 1), clock="slow", run=3)), path)
    assert read(path).select("factor.clock", "clock", "factor.run", "run").rows() == [("slow", "common", 3, 7)]


def test_empty_series_add_no_rows(path: Path) -> None:
    export(run(measurement(series("none"), series("one", 5), n=1)), path)
    assert read(path)["series"].to_list() == ["one"]
    export(run(measurement(series("none"), n=1), measurement(n=2)), path)
    assert read(path).is_empty()


def test_text_that_would_break_a_csv_comes_back_as_it_was(path: Path) -> None:
    nasty = 'a,b\n"c";=1+1 é'
    export(run(measurement(series(nasty, 1), mode=nasty)), path)
    assert read(path).select("series", "mode").row(0) == (nasty, nasty)


@pytest.mark.parametrize("name", ["samples.parquet", "samples.csv"])
@given(ticks=hnp.arrays(np.int64, st.integers(0, 20)), hz=st.integers(1, 10**12))
def test_any_samples_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, name: str, ticks: np.ndarray, hz: int
) -> None:
    path = tmp_path_factory.mktemp("export") / name
    original = Series("t", "common", hz, ticks)
    export(run(measurement(original, series("end", 0))), path)
    found = read(path).filter(pl.col("series") == "t")
    assert found["ticks"].to_list() == ticks.tolist()
    assert found["ns"].to_list() == original.ns.tolist()


def test_parquet_carries_plan_tool_and_the_conditions_of_each_measurement(tmp_path: Path) -> None:
    path = tmp_path / "samples.parquet"
    export(run(*(measurement(series("t", 1), cpu=cpu) for cpu in ("A53", "A72", "A53"))), path)
    metadata = pl.read_parquet_metadata(path)
    assert (metadata["intercore.run"], metadata["intercore.tool"]) == ("7", "0.1.0")
    assert metadata["intercore.started"] == STARTED
    (part,) = json.loads(metadata["intercore.plan"])["parts"]
    assert (part["benchmark"], part["levels"]) == ("speedup", {"n": [1, 2]})
    assert json.loads(metadata["intercore.conditions"]) == [
        {"measurements": [0, 2], "conditions": {"cpu": "A53"}},
        {"measurements": [1], "conditions": {"cpu": "A72"}},
    ]


@pytest.mark.parametrize("name", ["samples.json", "samples", "parquet", ".csv"])
def test_other_suffixes_are_refused_naming_both(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.parquet or \.csv"):
        export(run(measurement(series("t", 1))), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_measurements_is_refused(path: Path) -> None:
    with pytest.raises(UsageError, match="run 7 has no measurement"):
        export(run(), path)
    assert not path.exists()


def test_an_existing_file_is_replaced_and_nothing_else_is_left(path: Path) -> None:
    export(run(measurement(series("t", 2))), path)
    export(run(measurement(series("t", 1))), path)
    assert read(path)["ticks"].to_list() == [1]
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_directory_or_one_in_the_way_is_an_error_that_names_the_file(path: Path) -> None:
    lost = path.parent / "missing" / path.name
    with pytest.raises(IntercoreError, match=str(lost)):
        export(run(measurement(series("t", 1))), lost)
    (path.parent / "file").touch()
    with pytest.raises(IntercoreError, match="cannot write"):
        export(run(measurement(series("t", 1))), path.parent / "file" / path.name)
    path.mkdir()
    with pytest.raises(IntercoreError, match=str(path)):
        export(run(measurement(series("t", 1))), path)
    assert {entry.name for entry in path.parent.iterdir()} == {"file", path.name}


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    path.write_text("old")
    noise = np.random.default_rng(1).integers(-(2**62), 2**62, 50_000)
    with limited_files(100_000), pytest.raises(IntercoreError, match=r"cannot write .*(too large|too big)"):
        export(run(measurement(Series("t", "common", 1, noise))), path, force=True)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes: a write that would fails, like one on a full disk."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_a_format_is_a_module_among_the_others_and_loading_it_does_not_load_polars() -> None:
    code = (
        "import sys\n"
        "from intercore.record.export.format import known_formats\n"
        "print(*known_formats(), 'polars' in sys.modules)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.split() == [".parquet", ".csv", "False"]
