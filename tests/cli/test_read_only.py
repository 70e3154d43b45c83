"""What only reads a store needs nothing but to read it: no folder to write to, no room, no end of who is writing."""

from __future__ import annotations

import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.record.plan import setting_of
from intercore.record.store import Store
from tests.benchmarks.message_data import campaign
from tests.cli.test_interrupted import LONG, small_disk
from tests.cli.test_predict import keep, ring
from tests.cli.tool import PATIENCE
from tests.record.processes import child, forks, reported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from tests.cli.tool import Tool

COMMANDS = {
    "runs": ("runs",),
    "show": ("show", "1"),
    "report": ("report", "host", "-o", "{elsewhere}/page.html"),
    "export": ("export", "1", "--to", "{elsewhere}/samples.csv"),
    "compare": ("compare", "host", "serial"),
    "predict": ("predict", "pico-sim", "message", "size=300", "transport=ring", "from=0", "to=1"),
}
SMALL = 16_000
"""Bytes that no file may grow beyond: enough for what is printed, too little for a log's index."""
TOTAL = 600
"""Measurements of a campaign that is killed long before its end, on a busy machine as well."""


def fill(path: Path) -> Store:
    """Add to the run of this machine the same of a board, and one of messages; return the open store."""
    store = Store(path)
    run = store.run(1)
    number = store.create_run(msgspec.structs.replace(run.plan, target="serial", url="socket://board"), run.total)
    for measurement in run.measurements:
        store.add(number, setting_of(run.plan, measurement), measurement)
    keep(store, campaign(ring, noise=0.01), simulated=True)
    return store


@pytest.fixture
def elsewhere(for_everyone: Tool) -> Path:
    """A folder that anybody may write to."""
    folder = for_everyone.directory.with_name("elsewhere")
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.fixture
def closed(for_everyone: Tool, measured_store: Path) -> Tool:
    """The tool beside a store with something for each command."""
    shutil.copyfile(measured_store, for_everyone.store)
    for_everyone.store.chmod(0o644)
    fill(for_everyone.store).close()
    return for_everyone


@pytest.fixture
def killed(for_everyone: Tool, measured_store: Path) -> Tool:
    """The same as a killed process left it: with what it added in the log."""
    shutil.copyfile(measured_store, for_everyone.store)
    for_everyone.store.chmod(0o644)  # of which log and index get the same

    def add(reports: Connection) -> None:
        store = fill(for_everyone.store)
        reports.send(store.path.name)
        signal.pause()

    with child(add) as (process, reports):
        assert reported(reports, 1) == [for_everyone.store.name]
        process.kill()
        process.join()
    assert Path(f"{for_everyone.store}-wal").stat().st_size > 0
    return for_everyone


@contextmanager
def unchanged(tool: Tool) -> Iterator[None]:
    before = {entry.name: entry.read_bytes() for entry in tool.directory.iterdir()}
    yield
    assert {entry.name: entry.read_bytes() for entry in tool.directory.iterdir()} == before


def words(command: str, elsewhere: Path) -> list[str]:
    return [word.format(elsewhere=elsewhere) for word in COMMANDS[command]]


def test_every_reader_works_in_a_folder_that_nobody_may_write_to(closed: Tool, elsewhere: Path) -> None:
    closed.directory.chmod(0o555)
    with unchanged(closed):
        for command in COMMANDS:
            closed(*words(command, elsewhere), unprivileged=True).succeeded()
    assert {entry.name for entry in elsewhere.iterdir()} == {"page.html", "samples.csv"}


@forks
def test_what_a_killed_process_left_is_read_there_too(killed: Tool) -> None:
    killed.directory.chmod(0o555)
    with unchanged(killed):
        rows = killed("runs", "--format", "json", unprivileged=True).succeeded().json
    assert [row["target"].split()[0] for row in rows] == ["host", "serial", "pico-sim"]
    assert all(row["done"] == row["of"] for row in rows)


@forks
def test_readers_need_no_room_on_the_disk(killed: Tool, elsewhere: Path) -> None:
    with unchanged(killed):
        for command in ("runs", "show", "compare", "predict"):
            killed(*words(command, elsewhere), file_limit=SMALL).succeeded()


def test_a_page_and_samples_are_written_elsewhere_if_the_disk_of_the_store_is_full(
    closed: Tool, elsewhere: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "2m"):
        for entry in closed.directory.iterdir():
            (disk / entry.name).write_bytes(entry.read_bytes())
        with pytest.raises(OSError, match="No space left"):
            (disk / "filler").write_bytes(bytes(3_000_000))
        for command in ("report", "export"):
            closed(*words(command, elsewhere), "--store", str(disk / closed.store.name)).succeeded()


@pytest.mark.parametrize("state", ["closed", "killed"])
@forks
def test_a_store_is_read_on_a_medium_that_is_read_only(request: pytest.FixtureRequest, state: str) -> None:
    tool: Tool = request.getfixturevalue(state)
    with small_disk(tool.directory / "medium", "2m"):
        store = tool.directory / "medium" / tool.store.name
        for entry in tool.directory.glob("intercore.db*"):
            (store.parent / entry.name).write_bytes(entry.read_bytes())
        subprocess.run(["mount", "-o", "remount,ro", str(store.parent)], check=True)
        rows = tool("runs", "--store", str(store), "--format", "json").succeeded().json
    assert [row["run"] for row in rows] == [1, 2, 3]


@pytest.mark.measures("speedup")
def test_a_plan_is_tried_beside_a_store_that_it_may_not_write_to(measured: Tool) -> None:
    plan = '[[target]]\nname = "host"\n[[experiment]]\nbenchmark = "speedup"\nfactors = { n = 10 }\n'
    (measured.directory / "plan.toml").write_text(plan)
    with unchanged(measured):
        measured("sweep", "plan.toml", "--dry-run", "--no-estimate", file_limit=SMALL).succeeded()


def test_a_campaign_is_read_while_it_is_measured_and_after_it_was_killed(for_everyone: Tool, elsewhere: Path) -> None:
    tool = for_everyone
    tool.directory.chmod(0o755)
    Store(tool.store).close()
    tool.store.chmod(0o644)  # of which the log gets the same
    with tool.started(*LONG, str(TOTAL)) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith(f"1/{TOTAL} "):
            assert process.poll() is None
        (live,) = tool("runs", "--format", "json", unprivileged=True).succeeded().json
        tool("export", "1", "--to", str(elsewhere / "live.csv"), unprivileged=True).succeeded()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    tool.wait_for_no_target()
    with unchanged(tool):
        (killed,) = tool("runs", "--format", "json", unprivileged=True).succeeded().json
        assert f"{killed['done']} of {TOTAL} measurements so far" in tool("show", unprivileged=True).succeeded().out
    assert 1 <= live["done"] <= killed["done"] < TOTAL
    assert len((elsewhere / "live.csv").read_text().splitlines()) > 100
