"""Simulated campaigns on a Dask cluster that runs here: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.campaign.batch import Batch, close, measure_batch
from intercore.campaign.cluster import Cluster, ForeignWorkerError, _checked, compare, is_private
from intercore.errors import IntercoreError, UsageError
from intercore.record.measurement import Measurement, Part, Plan
from intercore.record.plan import canonical, settings
from intercore.record.store import Store
from tests.cli.interruption import press_ctrl_c

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.cli.tool import Tool

PLAN = """
[[target]]
name = "pico-sim"

[[experiment]]
benchmark = "clock"

[experiment.factors]
longest_us = {{from = 10, to = {most}, step = 10}}
from = {cores}
to = 0
samples = 5
dither_us = 10
"""
"""Small settings, each of which takes some hundredths of a second."""
SMALL = PLAN.format(most=160, cores=[0, 1])
TOTAL = 32
LARGE = PLAN.format(most=1300, cores=[0, 1]) + 'opt = ["O2", "O3"]\n'
LARGE_TOTAL = 520
TWO_IMAGES = """
[[target]]
name = "stm32h745-sim"

[[experiment]]
benchmark = "clock"
factors = {m7_mhz = 60, m4_mhz = 60, shared = "d3", from = [0, 1], to = 0, samples = 5}

[[experiment]]
benchmark = "clock"
factors = {opt = "Ofast", m7_mhz = 480, m4_mhz = 240, supply = "ldo", shared = "d1", from = [0, 1], to = 0, samples = 5}
"""
"""Two builds, of an image for each core."""

ONE = Plan("pico-sim", None, "clock", (Part("clock", {"samples": [5]}),), simulated=True)

HOSTILE = """
import os
import intercore.campaign.cluster as cluster
from distributed.protocol import to_serialize

CODE = f"import os; open(os.path.join({folder!r}, str(os.getpid())), 'w')"

class Hostile(Exception):
    def __reduce__(self):
        return exec, (CODE,)

def measure(*_):
    answers.append(None)
    if len(answers) > 1:
        raise Hostile
    return Hostile()

def dask_setup(worker):
    honest = worker.handlers["run"]

    async def run(comm, **more):
        identities.append(None)
        if len(identities) > 1:
            return {"status": "OK", "result": to_serialize(Hostile())}
        return await honest(comm, **more)

    worker.handlers["run"] = run

answers, identities = [], []
cluster._measure = measure
"""
"""A worker that returns objects which create a file where they are unpickled, named for that process: as a result, as
an exception, and, to who comes second, as what it is."""

SLOW = "INTERCORE_SLOW" in os.environ
slow = pytest.mark.skipif(not SLOW, reason="takes minutes; set INTERCORE_SLOW=1")
PATIENCE = 120.0
LONG_PATIENCE = 1200.0


@dataclass
class DaskCluster:
    """A scheduler and its workers."""

    address: str
    directory: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_worker(self) -> None:
        """Kill the oldest worker; there is a new one at once."""
        self.add_worker()
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    def add_worker(self, python_path: Path | None = None, preload: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, which finds modules in `python_path` first, and runs `preload` first."""
        words = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(self.directory)]
        words += [] if preload is None else ["--preload", str(preload)]
        environment = dict(os.environ)
        if python_path is not None:
            environment["PYTHONPATH"] = str(python_path)
        worker = _dask("worker", self.address, *words, log=self.directory / "workers.log", environment=environment)
        self.workers.append(worker)
        return worker


def _dask(part: str, *words: str, log: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{part}", *words],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


@contextmanager
def _scheduler(directory: Path, **variables: str) -> Iterator[DaskCluster]:
    told = directory / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
    scheduler = _dask("scheduler", *words, log=directory / "scheduler.log", environment={**os.environ, **variables})
    with ExitStack() as stack:
        stack.callback(scheduler.wait)
        stack.callback(scheduler.kill)
        address = None
        deadline = time.monotonic() + PATIENCE
        while address is None:
            assert scheduler.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
            with suppress(FileNotFoundError, json.JSONDecodeError):
                address = json.loads(told.read_text())["address"]
        cluster = DaskCluster(address, directory, scheduler)
        try:
            yield cluster
        finally:
            for worker in cluster.workers:
                worker.kill()
                worker.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster with one worker, or with two for campaigns that take minutes."""
    with _scheduler(tmp_path_factory.mktemp("cluster")) as started:
        for _ in range(2 if SLOW else 1):
            started.add_worker()
        yield started


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[DaskCluster]:
    """A cluster without workers."""
    with _scheduler(tmp_path) as started:
        yield started


def sweep(store: str, *more: str) -> tuple[str, ...]:
    """The words of a command that carries out the plan in `plan.toml`."""
    return ("sweep", "plan.toml", "--store", store, "--format", "json", *more)


def write_plan(tool: Tool, plan: str) -> None:
    (tool.directory / "plan.toml").write_text(plan)


def wait_for(process: subprocess.Popen[str], done: int) -> None:
    """Wait until so many measurements are in the store."""
    assert process.stderr is not None
    said = ""
    while f"pico-sim {done}/" not in said:
        line = process.stderr.readline()
        assert line, said
        said += line


def samples(tool: Tool, store: str) -> dict[tuple[str, str, int], list[tuple[str, bytes]]]:
    """All samples of the only run in a store, which is whole."""
    with Store(tool.directory / store) as opened:
        (summary,) = opened.runs()
        run = opened.run(summary.id)
    assert run.complete
    return _by_setting(run.measurements)


def _by_setting(measurements: Iterable[Measurement]) -> dict[tuple[str, str, int], list[tuple[str, bytes]]]:
    return {
        (one.benchmark, canonical(one.factors), one.repetition): [
            (series.name, series.ticks.tobytes()) for series in one.series
        ]
        for one in measurements
    }


def samples_here(tool: Tool, store: str) -> dict[tuple[str, str, int], list[tuple[str, bytes]]]:
    """All samples of the settings of the only run in a store, measured by this process."""
    with Store(tool.directory / store) as opened:
        plan = opened.run().plan
    result = measure_batch(Batch(plan, tuple(settings(plan))))
    close()
    assert all(isinstance(one, Measurement) for one in result.outcomes)
    return _by_setting(one for one in result.outcomes if isinstance(one, Measurement))


def test_a_campaign_is_the_same_as_here_though_a_worker_dies(tool: Tool, cluster: DaskCluster) -> None:
    write_plan(tool, SMALL)
    with tool.started(*sweep("there.db", "--cluster", cluster.address)) as process:
        wait_for(process, 3)
        cluster.kill_worker()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    there = samples(tool, "there.db")
    assert len(there) == TOTAL
    assert samples_here(tool, "there.db") == there


@slow
def test_a_chip_with_an_image_for_each_core_gets_both(tool: Tool, cluster: DaskCluster) -> None:
    write_plan(tool, TWO_IMAGES)
    tool(*sweep("there.db", "--cluster", cluster.address)).succeeded()
    there = samples(tool, "there.db")
    assert len(there) == 4
    assert samples_here(tool, "there.db") == there


@slow
@pytest.mark.timeout(3 * LONG_PATIENCE)
def test_a_large_campaign_with_kills_on_either_side_is_the_same_as_here(tool: Tool, cluster: DaskCluster) -> None:
    write_plan(tool, LARGE)
    words = sweep("there.db", "--cluster", cluster.address)
    for done in (20, 150, 300):
        with tool.started(*words) as process:
            wait_for(process, done)
            cluster.kill_worker()
            process.kill()
            process.communicate(timeout=PATIENCE)
    with tool.started(*words) as process:
        wait_for(process, 400)
        cluster.kill_worker()
        _, errors = process.communicate(timeout=LONG_PATIENCE)
    assert process.returncode == 0, errors
    with tool.started(*sweep("here.db")) as process:
        _, errors = process.communicate(timeout=LONG_PATIENCE)
    assert process.returncode == 0, errors
    there = samples(tool, "there.db")
    assert len(there) == LARGE_TOTAL
    assert samples(tool, "here.db") == there


@slow
def test_ctrl_c_ends_a_campaign_which_can_go_on_here(tool: Tool, cluster: DaskCluster) -> None:
    write_plan(tool, SMALL)
    with tool.started(*sweep("there.db", "--cluster", cluster.address)) as process:
        wait_for(process, 3)
        result = press_ctrl_c(process)
    assert result.status == 130
    assert "Traceback" not in result.err
    tool(*sweep("there.db")).succeeded()
    assert len(samples(tool, "there.db")) == TOTAL


@slow
def test_a_scheduler_that_goes_away_ends_the_campaign_which_can_go_on_here(tool: Tool, empty: DaskCluster) -> None:
    empty.add_worker()
    write_plan(tool, SMALL)
    with tool.started(*sweep("there.db", "--cluster", empty.address)) as process:
        wait_for(process, 3)
        empty.scheduler.kill()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert f"error: the cluster is lost: the scheduler at {empty.address} no longer answers" in " ".join(errors.split())
    tool(*sweep("there.db")).succeeded()
    assert len(samples(tool, "there.db")) == TOTAL


@slow
@pytest.mark.timeout(3 * LONG_PATIENCE)
def test_what_takes_its_worker_with_it_is_set_aside_and_the_rest_completes(tool: Tool, tmp_path: Path) -> None:
    write_plan(tool, SMALL.replace("samples = 5", "samples = 1000"))  # its worker is busy when it is killed
    with _scheduler(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as fragile:
        fragile.add_worker()
        words = sweep("there.db", "--cluster", fragile.address)
        with tool.started(*words) as process:
            wait_for(process, 3)
            fragile.kill_worker()
            _, errors = process.communicate(timeout=LONG_PATIENCE)
        assert process.returncode == 1, errors
        assert "skipped: workers of the cluster died" in " ".join(errors.split())
        with Store(tool.directory / "there.db") as store:
            assert TOTAL - 10 <= len(store.run().measurements) < TOTAL
        tool(*words).succeeded()
    assert len(samples(tool, "there.db")) == TOTAL


def test_a_cluster_is_for_simulated_targets(tool: Tool) -> None:
    write_plan(tool, SMALL.replace("pico-sim", "host"))
    error = tool(*sweep("there.db", "--cluster", "tcp://127.0.0.1:1")).failed(2).error
    assert error == (
        "error: plan.toml:2: host is not a simulated chip, and --cluster runs only those: remove it from the plan, or "
        "omit --cluster"
    )
    assert not (tool.directory / "there.db").exists()


def test_a_cluster_that_is_away_is_told_before_anything_is_measured(tool: Tool) -> None:
    write_plan(tool, SMALL)
    error = tool(*sweep("there.db", "--cluster", "tcp://127.0.0.1:1")).failed(1).error
    assert error.startswith("error: no Dask scheduler answers at tcp://127.0.0.1:1. To start a scheduler:")
    assert not (tool.directory / "there.db").exists()


@slow
def test_a_cluster_without_workers_is_told_before_anything_is_measured(tool: Tool, empty: DaskCluster) -> None:
    write_plan(tool, SMALL)
    error = tool(*sweep("there.db", "--cluster", empty.address)).failed(1).error
    assert error == (
        f"error: the scheduler {empty.address} has no workers. To start a worker: dask worker {empty.address} "
        "--host 127.0.0.1"
    )


def test_neither_dask_nor_labgrid_is_loaded_by_the_tool_itself() -> None:
    code = "import sys, intercore.cli.sweep; print({name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "'typer'" in loaded
    assert not any(f"'{name}'" in loaded for name in ("dask", "distributed", "labgrid", "grpc"))


def test_nothing_of_a_hostile_worker_runs_on_the_machine_of_the_campaign(
    empty: DaskCluster, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intercore.campaign.cluster.CONTACT_TIMEOUT", PATIENCE)  # a busy machine is slow to start it
    ran = empty.directory / "ran"
    ran.mkdir()
    preload = empty.directory / "hostile.py"
    preload.write_text(HOSTILE.replace("{folder!r}", repr(str(ran))))
    empty.add_worker(preload=preload)
    batch = Batch(ONE, tuple(settings(ONE)))
    with closing(Cluster(empty.address, print)) as cluster:
        cluster._programs_of = lambda _: ()  # type: ignore[method-assign] - it measures nothing
        for _ in ("as a result", "as an exception"):
            with pytest.raises(IntercoreError, match=f"a worker of {empty.address} failed"):
                cluster.submit(batch).result(PATIENCE)
    with pytest.raises(IntercoreError, match=f"workers of {empty.address} report their version"):
        Cluster(empty.address, print)
    assert str(os.getpid()) not in [path.name for path in ran.iterdir()]
    assert capfd.readouterr() == ("", "")


@contextmanager
def _server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Something else that listens where a scheduler is looked for; its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    held.append(connection)
                    with suppress(OSError):
                        answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        for connection in held:
            connection.close()


def _is_silent(_: socket.socket) -> None:
    pass


def _speaks_http(connection: socket.socket) -> None:
    connection.recv(100)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def _sends_garbage(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 8)


@pytest.mark.parametrize("answer", [_is_silent, _speaks_http, _sends_garbage])
def test_what_is_no_scheduler_is_given_up_soon(
    answer: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("intercore.campaign.cluster.CONTACT_TIMEOUT", 0.3)
    with _server(answer) as address, pytest.raises(IntercoreError, match=f"no Dask scheduler answers at {address}"):
        Cluster(address, print)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("127.0.0.1:8786", True),
        ("tcp://localhost:8786", True),
        ("tcp://[::1]:8786", True),
        ("tls://192.168.1.7:8786", True),
        ("tcp://192.168.1.7:8786", False),
        ("ws://there:8786", False),
        ("tcp://0.0.0.0:8786", False),
    ],
)
def test_an_address_is_private_on_this_machine_or_with_tls(address: str, private: bool) -> None:
    assert is_private(address) == private


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="expected an address such as tls://host:8786"):
        Cluster("ftp://somewhere:1", print)
    with pytest.raises(UsageError, match="expected an address such as tls://host:8786"):
        Cluster("somewhere", print)


def test_what_differs_on_a_worker_is_told_with_both_versions() -> None:
    here = {"Python": "3.11", "Intercore": "0.2.0 (0123456789ab)"}
    compare("tcp://there:1", dict(here), here)
    with pytest.raises(ForeignWorkerError) as error:
        compare("tcp://there:1", {"Python": "3.11", "Intercore": "0.1.0 (ba9876543210)"}, here)
    assert str(error.value) == (
        "the worker tcp://there:1 has other software than this machine and may yield other samples: "
        "Intercore is 0.1.0 (ba9876543210) there and 0.2.0 (0123456789ab) here. Install the same versions on both "
        "machines"
    )


@slow
def test_a_worker_with_another_version_is_refused_and_both_are_named(empty: DaskCluster) -> None:
    package = empty.directory / "other" / "intercore"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "9.9.9"\n')
    empty.add_worker(package.parent)
    with pytest.raises(ForeignWorkerError) as error:
        Cluster(empty.address, print)
    words = str(error.value)
    assert "Intercore is 9.9.9 (" in words
    assert "there and 0.1.0 (" in words
    assert "the simulated chip is missing there and" in words


def test_a_program_that_was_damaged_on_its_way_is_not_run(tmp_path: Path) -> None:
    image = tmp_path / f"intercore-{'0' * 64}.elf"
    image.write_bytes(b"\x7fELF")
    with pytest.raises(IntercoreError, match="damaged in transfer"):
        _checked(image)
