"""Simulated campaigns on a Dask cluster that runs here: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.cluster import Cluster, ForeignWorkerError, _checked
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes; set INTERCORE_SLOW=1")
PATIENCE = 120.0


@dataclass
class DaskCluster:
    """A scheduler and its workers."""

    address: str
    directory: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, python_path: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, which finds modules in `python_path` first."""
        words = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(self.directory)]
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
def _scheduler(directory: Path) -> Iterator[DaskCluster]:
    told = directory / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
    scheduler = _dask("scheduler", *words, log=directory / "scheduler.log", environment=dict(os.environ))
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
        cluster = DaskCluster(address, directory)
        try:
            yield cluster
        finally:
            for worker in cluster.workers:
                worker.kill()
                worker.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with _scheduler(tmp_path_factory.mktemp("cluster")) as started:
        started.add_worker()
        started.add_worker()
        yield started


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[DaskCluster]:
    """A cluster without workers."""
    with _scheduler(tmp_path) as started:
        yield started


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="expected an address such as tcp://host:8786"):
        Cluster("ftp://somewhere:1", print)
    with pytest.raises(UsageError, match="expected an address such as tcp://host:8786"):
        Cluster("somewhere", print)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercore.cluster.CONTACT_TIMEOUT", 0.5)
    with pytest.raises(IntercoreError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1; start one"):
        Cluster("tcp://127.0.0.1:1", print)


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
    assert "the simulated chip is e3b0c44298fc there and" in words  # of no file at all


def test_a_program_that_was_damaged_on_its_way_is_not_run(tmp_path: Path) -> None:
    image = tmp_path / f"intercore-{'0' * 64}.elf"
    image.write_bytes(b"\x7fELF")
    with pytest.raises(IntercoreError, match="damaged on its way"):
        _checked(image)
