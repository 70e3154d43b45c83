"""Several runs of one program: measured in one command, kept in a baseline, and held against another program."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.sources import firmware_sources
from intercore.record.measurement import MACHINE_COMPUTE, MACHINE_HAND_OVER
from intercore.record.store import StoreReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.tool import Tool

pytestmark = pytest.mark.measures("switch")
SETTING = ("switch", "primitive=notification", "target=idle", "from=0", "to=1", "samples=10", "dither_us=10")
BUDGET = f"{' '.join(SETTING)}: switch median / baseline"
POSIX = ("port/posix/port_posix.c", "void port_notify(port_task_t *task) {")
LATER = " uint64_t begun = port_clock(); while ((port_clock() - begun) * 100U < port_clock_hz()) { }"
"""A statement that takes ten milliseconds: many times what a wake-up takes on any machine, and on a busy one, too."""


def changed(firmware: Path) -> None:
    """Make the signal of a copy of the firmware slower."""
    source = firmware / POSIX[0]
    text = source.read_text()
    assert text.count(POSIX[1]) == 1
    source.write_text(text.replace(POSIX[1], POSIX[1] + LATER))


@pytest.fixture
def repository(tool: Tool) -> Path:
    """A git repository whose firmware was made slower since its last revision."""
    firmware = tool.directory / "repo" / "firmware"
    shutil.copytree(firmware_sources(), firmware)
    for words in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "before"),
    ):
        subprocess.run(["git", *words], cwd=firmware.parent, check=True)
    changed(firmware)
    return firmware


def test_runs_are_measured_one_after_the_other_and_so_far_apart(tool: Tool) -> None:
    done = tool("run", "host", *SETTING, "--runs", "2", "--every", "1.5", "--repetitions", "2").succeeded()
    assert "run 2 of 2 begins in " in done.err
    with StoreReader(tool.store) as store:
        run = store.run()
    assert [one.run for one in run.measurements] == ["1.1", "1.1", "1.2", "1.2"]
    begun = [datetime.fromisoformat(one.started).timestamp() for one in run.measurements]
    assert begun[2] - begun[0] >= 1.4
    assert begun[1] - begun[0] < begun[2] - begun[1]
    (switch,) = [row for row in tool("show", "--format", "json").succeeded().json["measurements"] if
                 row["series"] == "switch" and row["repetition"] == 0]  # fmt: skip
    assert switch["summary"]["median"] > 0
    for one in run.measurements:
        for name in (MACHINE_COMPUTE, MACHINE_HAND_OVER):
            assert np.all(one.samples(name).ticks > 0)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("pico-sim", "switch", "--runs", "5"), "pico-sim is simulated: use --repetitions"),
        (("host", "switch", "--every", "5"), "add --runs 5"),
        (("host", "switch", "--runs", "5", "--until", "1%"), "--runs and --until exclude each other"),
        (("host", "switch", "--runs", "0"), "--runs"),
        (("--resume", "--runs", "5"), "omit --runs"),
    ],
)
def test_what_runs_cannot_be_for_is_said(tool: Tool, words: tuple[str, ...], says: str) -> None:
    assert says in tool("run", *words).failed(2).error


def test_a_plan_file_has_runs_and_time_between_them(tool: Tool) -> None:
    head = 'runs = 2\nevery = "1 s"\nrepetitions = 2\n[[target]]\nname = "host"\n[[target]]\nname = "pico-sim"\n'
    factors = ", ".join(f"{name} = {value}" for name, value in (("from", 0), ("to", 1), ("samples", 10)))
    text = f'{head}[[experiment]]\nbenchmark = "switch"\nfactors = {{ {factors}, primitive = "notification" }}\n'
    (tool.directory / "plan.toml").write_text(text)
    tool("sweep", "plan.toml").succeeded()
    with StoreReader(tool.store) as store:
        runs = {one.plan.target: store.run(one.id) for one in store.runs()}
    assert sorted({one.run[-2:] for one in runs["host"].measurements}) == [".1", ".2"]
    assert len(runs["host"].measurements) == 2 * len(runs["pico-sim"].measurements)
    (tool.directory / "plan.toml").write_text(text.replace("runs = 2\n", ""))
    assert "plan.toml:1: every is the time between runs" in tool("sweep", "plan.toml").failed(2).error


def test_one_run_of_each_tells_nothing_and_more_of_the_same_program_count_with_it(tool: Tool, repository: Path) -> None:
    measure = ("run", "host", *SETTING, "--repetitions", "3")
    tool(*measure).succeeded()
    tool(*measure, "--firmware", str(repository)).succeeded()
    once = tool("compare", "1", "2").succeeded()
    assert "undecided" in once.out
    assert "--runs 5" in " ".join(once.out.split())
    for _ in range(2):
        tool(*measure).succeeded()
        tool(*measure, "--firmware", str(repository)).succeeded()
    found = tool("compare", "1", "2", "--format", "json").succeeded()
    assert {pair["verdict"] for pair in found.json["pairs"] if pair["series"] == "switch"} == {"slower"}
    assert found.json["first"]["runs"] == [1, 3, 5]
    assert "runs 3 and 5 of the same program counted with run 1" in found.err
    by_name = tool("compare", "1,3,5", "2,4,6", "--format", "json").succeeded()
    assert by_name.json == found.json
    tool("baseline", "save", "b.jsonl", "1", "3", "5").succeeded()
    (pair,) = [
        pair for pair in tool("compare", "b.jsonl", "2", "--format", "json").succeeded().json["pairs"]
        if pair["series"] == "switch"
    ]  # fmt: skip
    assert pair["verdict"] == "slower"


def test_a_program_is_checked_against_its_last_revision(tool: Tool, repository: Path) -> None:
    (tool.directory / "b.toml").write_text(f"budgets = {json.dumps([f'{BUDGET} <= 1.5', f'{BUDGET} >= 1.5'])}")
    check = ("check", "b.toml", "host", "--firmware", str(repository), "--repetitions", "4")
    found = tool(*check, "--against", "HEAD", "--format", "json")
    assert found.status == 1, found
    assert [one["outcome"] for one in found.json["budgets"]] == ["broken", "kept"]
    assert found.json["baseline"] == "HEAD"
    assert not any("one after the other" in one or "--runs" in one for one in found.json["warnings"])
    with StoreReader(tool.store) as store:
        pair = [store.run(one.id) for one in store.runs()]
    assert [one.plan.partner for one in pair] == [2, 1]
    for revision, says in (("nope", "there is no revision nope"), ("--upload-pack=x", "there is no revision")):
        assert says in tool(*check, f"--against={revision}").failed(2).error
    elsewhere = tool.directory / "elsewhere"
    shutil.copytree(repository, elsewhere)
    check = ("check", "b.toml", "host", "--firmware", str(elsewhere), "--against", "HEAD")
    assert "name the folder" in tool(*check).failed(2).error
    assert (
        "--against applies only when a target is measured"
        in tool("check", "b.toml", "1", "--against", "HEAD").failed(2).error
    )
    lacking = tool("check", "b.toml", "host")
    assert lacking.status == 2
    assert lacking.err.count("names no baseline") == 2
