"""`intercore run --meter`: energy beside time, whatever the meter does; and ESTIMATED energy of a simulated chip."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.findings import EnergyPath
from intercore.record.store import Store
from tests.cli.tool import PROGRAM
from tests.document.validity import check
from tests.meter.kernel_files import hwmon

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.record.measurement import Run
    from tests.cli.tool import Tool

pytestmark = pytest.mark.measures("contention")

TABLE = ("contention", "preset=qiita-table", "discs=9", "window_ms=10", "rest_ms=5", "--repetitions", "1")
ONE = (
    "contention",
    "preset=none",
    "task0=work",
    "task1=off",
    "main=off",
    "discs=10",
    "window_ms=60",
    "--repetitions",
    "1",
)
slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes seconds; set INTERCORE_SLOW=1")
READINGS = "50,50,50,10,10,40,10"
CURRENTS = """\
name = "two cores"
volts = 1.1
source = "made up"
[both]
ma_per_mhz = 0.2
ma = 1.0
[one]
ma_per_mhz = 0.15
[asleep]
ma_per_mhz = 0.1
"""


def read(tool: Tool) -> Run:
    with Store(tool.store) as store:
        return store.run()


def test_the_whole_of_seed_001_is_one_command(tool: Tool) -> None:
    words = ("--meter", f"typed:{READINGS}", "--path", "chip,regulator", "--report", "page.html", "--format", "json")
    document = tool("run", "host", *TABLE, *words).succeeded().json
    check(document)
    found = document["analysis"]["energy"]
    assert [row["took"]["amps"]["value"] for row in found["rows"]] == [0.05, 0.05, 0.05, 0.01, 0.01, 0.04, 0.01]
    assert found["path"] == "chip + regulator"
    assert not found["of_chip"]
    assert found["rows"][0]["took"]["joules"]["value"] == pytest.approx(0.05 * 5 * 0.010)
    assert read(tool).measurements[0].conditions["host.meter_path"] == "chip + regulator"
    page = (tool.directory / "page.html").read_text()
    for text in (
        "What a busy core adds",
        "part of rest: busy in every row",
        "published: probably makotaka, ESP32",
        "37.5 mA",
    ):
        assert text in page


def test_faulty_meter_loses_no_time_and_energy_is_measured_later(tool: Tool) -> None:
    done = tool("run", "host", *TABLE, "--meter", "typed:50,10")
    assert done.status == 1, done
    assert re.search("1 of 1 .* missing: 2 readings were given.* 7 measured windows", done.err)
    assert "continue with: intercore run --resume" in done.err
    assert "Traceback" not in done.err
    before = read(tool)
    assert (len(before.measurements), before.complete) == (1, False)
    tool("run", "--resume", "--meter", f"typed:{READINGS}").succeeded()
    after = read(tool)
    assert after.complete
    kept = [[list(series.ticks) for series in run.measurements[0].series] for run in (before, after)]
    assert kept[0] == kept[1]


def test_a_sensor_of_the_kernel_sees_what_ran_or_says_why_it_did_not(tool: Tool, tmp_path: Path) -> None:
    """A current that never changes shows no window, and a machine has no mark: that is refused, and time is kept."""
    root = hwmon(tmp_path / "hwmon")
    done = tool("run", "host", *ONE, "--meter", f"hwmon:ina219?root={root}&hz=500")
    assert done.status == 1
    # On a machine that is busy enough, its samples are too few to look for windows in.
    assert re.search("not change visibly|too short for a meter that samples", done.err)
    (one,) = read(tool).measurements
    assert one.recording is not None
    assert one.recording.trace is not None, "what was sampled is kept"


def test_a_sensor_that_is_unplugged_meanwhile_leaves_the_times(tool: Tool, tmp_path: Path) -> None:
    current = hwmon(tmp_path / "hwmon") / "hwmon1/curr1_input"

    def unplug() -> None:
        while not tool.store.exists():  # it is made just before the measurement begins
            time.sleep(0.01)
        time.sleep(0.3)
        current.unlink()

    thread = threading.Thread(target=unplug)
    thread.start()
    words = ("contention", "preset=qiita-table", "discs=9", "window_ms=10", "rest_ms=300", "--repetitions", "1")
    done = tool("run", "host", *words, "--meter", f"hwmon:ina219?root={tmp_path / 'hwmon'}")
    thread.join()
    assert done.status == 1, done
    assert "check that the meter is connected" in done.err
    (one,) = read(tool).measurements
    assert one.checks["done"] == 7
    assert one.lacks_energy


@pytest.mark.measures("contention")
def test_a_simulated_chip_has_an_estimate_that_is_its_activity_times_the_currents(tool: Tool) -> None:
    (tool.directory / "chip.toml").write_text(CURRENTS)
    words = ("contention", "preset=none", "task0=off,work", "task1=work", "main=block", "discs=6", "window_ms=5")
    assert "ESTIMATED" in tool("run", "pico-sim", *words, "--currents", "chip.toml").succeeded().out
    run = read(tool)
    document = tool.here("show", "--format", "json").json
    check(document)
    found = document["analysis"]["energy"]
    assert found["kind"] == "estimated"
    by_label = {row["took"]["label"]: row["took"] for row in found["rows"]}
    for one in run.measurements:
        assert one.recording is not None
        (activity,) = one.recording.activity
        (window,) = one.recording.windows
        assert activity.cycles / activity.hz == pytest.approx(window.seconds, rel=0.02), "the mark is high for a window"
        mhz = activity.hz / 1e6
        first, second = activity.awake
        shares = [0.0, 0.0]
        for at, overlap in enumerate((max(0, first + second - activity.cycles), min(first, second))):
            either = first + second - 2 * overlap
            rest = activity.cycles - either - overlap
            currents = (1.0 + 0.2 * mhz, 0.15 * mhz, 0.1 * mhz)
            shares[at] = sum(c * i for c, i in zip((overlap, either, rest), currents, strict=True)) / activity.cycles
        took = by_label[window.label]
        assert took["amps"]["low"] == pytest.approx(min(shares) / 1e3)
        assert took["amps"]["high"] == pytest.approx(max(shares) / 1e3)
        assert took["joules"]["value"] == pytest.approx(1.1 * took["amps"]["value"] * window.seconds)
    alone, together = (
        next(one for one in run.measurements if one.factors["task0"] == does) for does in ("off", "work")
    )
    assert alone.recording is not None
    assert together.recording is not None
    assert alone.recording.activity[0].awake[0] < 0.1 * alone.recording.activity[0].cycles, "core 0 sleeps"
    assert together.recording.activity[0].awake[0] > 0.9 * together.recording.activity[0].cycles


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("host", "contention", "--meter", "ppk3:/dev/x"), "did you mean 'ppk2'"),
        (("host", "contention", "--meter", "typed:", "--path", "ship"), "did you mean 'chip'"),
        (("host", "contention", "--path", "chip"), "give --meter as well"),
        (("pico-sim", "contention", "--meter", "typed:"), "a simulated chip has no current"),
        (("host", "contention", "--currents", "x.toml"), "apply only to a simulated chip"),
        (("pico-sim", "contention", "--currents", "x.toml"), "cannot read x.toml"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(tool: Tool, words: tuple[str, ...], said: str) -> None:
    assert said in tool.here("run", *words).failed(2).error


def test_meters_lists_the_kinds(tool: Tool) -> None:
    listed = tool.here("meters", "--format", "json").json
    assert {row["--meter"].partition(":")[0] for row in listed} >= {
        "ppk2",
        "scpi",
        "hwmon",
        "iio",
        "rapl",
        "typed",
        "csv",
    }


def test_readings_are_asked_for_at_the_terminal(tool: Tool) -> None:
    ours, theirs = os.openpty()
    environment = {**os.environ, **tool.environment, "TERM": "xterm"}
    with subprocess.Popen(
        [PROGRAM, "run", "host", *TABLE, "--meter", "typed:"],
        cwd=tool.directory,
        env=environment,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said, answers = "", iter(READINGS.split(","))
        while said.count("current in mA during window") < 7 or process.poll() is None:
            try:
                said += os.read(ours, 4096).decode()
            except OSError:
                break
            if said.endswith("): "):
                os.write(ours, f"{next(answers)}\n".encode())
        process.wait(60)
    os.close(ours)
    assert process.returncode == 0, said
    assert "current in mA during window 6 of 7 (task0 (main spins)): " in said
    (one,) = read(tool).measurements
    assert one.recording is not None
    assert [round(1e3 * reading.amps) for reading in one.recording.readings] == [50, 50, 50, 10, 10, 40, 10]


@slow
def test_a_run_that_is_killed_has_each_measurement_with_its_energy(tool: Tool) -> None:
    words = (*TABLE[:-1], "4")
    for seconds in (1.0, 2.0, 4.0, 8.0, 16.0):  # until it has begun
        tool("run", "host", *words, "--meter", f"typed:{READINGS}", kill_after=seconds)
        if tool.store.exists():
            break
    before = read(tool)
    assert all(one.recording is not None and not one.recording.missing for one in before.measurements)
    if not before.complete:
        tool("run", "--resume").succeeded()
    after = read(tool)
    assert (len(after.measurements), after.complete) == (4, True)
    assert all(len(one.recording.readings) == 7 for one in after.measurements if one.recording is not None)
    tool.wait_for_no_target()


def test_power_at_rest_is_subtracted_only_if_asked(tool: Tool) -> None:
    (tool.directory / "current.csv").write_text(exported([50, 49, 48, 12, 11, 40, 13], 10, mark=True))
    words = ("--meter", "csv:current.csv?volts=5", "--path", "chip", "--verbose")
    plain = tool("run", "host", *TABLE, *words).succeeded().out
    assert EnergyPath(of="chip", path="chip").text in " ".join(plain.split())
    assert "% of rest" not in plain
    tool.environment["COLUMNS"] = "200"
    assert "less 100% of rest" in tool("show", "--idle", "100%").succeeded().out


def exported(levels: Sequence[float], window_ms: int, *, mark: bool) -> str:
    """A recording of a whole run as Nordic's program exports it: windows of these levels in mA, 20 ms apart."""
    rows, milliamps = [], [(8.0, 0, 20)]
    for level in levels:
        milliamps += [(level, 1, window_ms), (8.0, 0, 20)]
    for level, high, length in milliamps:
        rows += [f"{1000 * level:.3f},{high if mark else 0}" for _ in range(length * 10)]
    lines = (f"{0.1 * number:.1f},{row}" for number, row in enumerate(rows))
    return "Timestamp(ms),Current(uA),D0\n" + "\n".join(lines) + "\n"


def test_a_file_that_is_exported_afterwards_is_added_to_the_run(tool: Tool) -> None:
    words = (*TABLE[:-1], "2")
    done = tool("run", "host", *words, "--meter", "csv:current.csv?volts=5")
    assert done.status == 1, done
    assert "cannot read current.csv" in done.err
    levels = [50.0, 49.0, 48.0, 12.0, 11.0, 40.0, 13.0] * 2
    (tool.directory / "current.csv").write_text(exported(levels, 10, mark=True))
    document = tool("run", "--resume", "--format", "json").succeeded().json
    check(document)
    found = document["analysis"]["energy"]
    assert [row["took"]["amps"]["value"] for row in found["rows"]] == pytest.approx(
        [level / 1e3 for level in levels[:7]], rel=0.01
    )
    assert [one["how"] for one in found["alignments"]] == ["mark", "mark"]


PLAN = """\
seed = 1

[[target]]
name = "host"
meter = "typed:READINGS"
path = "chip"

[[experiment]]
benchmark = "contention"

[experiment.factors]
preset = "qiita-table"
discs = 9
window_ms = 10
"""


def test_a_plan_file_names_a_meter_and_makes_up_for_energy_that_is_missing(tool: Tool) -> None:
    plan = tool.directory / "plan.toml"
    plan.write_text(PLAN.replace("READINGS", "50,10"))
    done = tool("sweep", "plan.toml", "--no-estimate")
    assert done.status == 1, done
    assert "energy of 1 of 1 measurements is missing" in done.err
    assert "intercore sweep plan.toml" in done.err
    before = read(tool)
    plan.write_text(PLAN.replace("READINGS", READINGS))
    tool("sweep", "plan.toml", "--no-estimate").succeeded()
    after = read(tool)
    assert (after.id, after.complete, len(after.measurements)) == (before.id, True, 1)
    assert [list(one.ticks) for one in before.measurements[0].series] == [
        list(one.ticks) for one in after.measurements[0].series
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("typed:READINGS", "type:50", r"plan.toml:5: .*did you mean 'typed'"),
        ("typed:READINGS", "csv:x.csv?volts=3", r"plan.toml:5: .*is read after the whole run"),
        ('path = "chip"', 'path = "ship"', r"plan.toml:5: .*did you mean 'chip'"),
        ('name = "host"', 'name = "pico-sim"', r"plan.toml:5: a simulated chip has no current"),
    ],
)
def test_a_plan_file_with_a_meter_that_cannot_be_is_refused_with_its_line(
    tool: Tool, old: str, new: str, said: str
) -> None:
    (tool.directory / "plan.toml").write_text(PLAN.replace(old, new).replace("READINGS", READINGS))
    assert re.search(said, tool.here("sweep", "plan.toml", "--dry-run").failed(2).error)
