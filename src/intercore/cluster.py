"""Simulated campaigns on a Dask cluster: the same samples, computed elsewhere.

The workers need Intercore, of the very version that is here, and no compiler: the programs for the chip are built here
and sent to them. They keep nothing; what they return is stored here.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import time
import warnings
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from intercore.batch import Batch, Failure, Result, measure_batch
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future
    from types import TracebackType

CONTACT_TIMEOUT = 5.0
"""Seconds within which a scheduler must answer."""
WORKER_PATIENCE = 30.0
"""Seconds to wait for a worker where there is none: as long as one takes to start again."""


class ForeignWorkerError(IntercoreError):
    """A worker is not like this machine: the same measurement may give other samples there."""


class Cluster:
    """A connection to a Dask cluster. Every method raises IntercoreError once the cluster is gone."""

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at `address`, e.g. `tcp://host:8786`; its workers must be like this machine.

        Raises UsageError if that is no address, and IntercoreError if nobody answers there, if there is no worker, if
        one has another version of Intercore, or if Dask is not installed.
        """
        try:
            import distributed  # noqa: PLC0415 - takes a second to load
        except ImportError as error:
            raise IntercoreError("--cluster needs Dask; install it: pip install 'intercore[cluster]'") from error
        self.address = address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is worth saying is said here
        warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
        try:
            self._client = distributed.Client(address, timeout=CONTACT_TIMEOUT, set_as_default=False)
        except (ValueError, TypeError) as error:
            raise UsageError(f"--cluster {address}: expected an address such as tcp://host:8786 ({error})") from None
        except OSError:
            raise IntercoreError(
                f"no Dask scheduler answers at {address}; start one: dask scheduler, and on each machine: "
                f"dask worker {address}"
            ) from None
        self._executor = self._client.get_executor(pure=False)
        self._sent: dict[Path, str] = {}
        self._lonely_since: float | None = None
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONTACT_TIMEOUT)
        except TimeoutError:
            raise IntercoreError(f"{self.address} has no workers; start one: dask worker {self.address}") from None
        for worker, there in self._client.run(identify, on_error="return").items():
            if isinstance(there, BaseException):
                raise IntercoreError(f"the worker {worker} cannot say what it is: {there}")
            compare(worker, there, _identity())

    def __enter__(self) -> Self:
        """Return the connection itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the cluster."""
        self.close()

    def close(self) -> None:
        """Leave the cluster as it was: tasks that are not done are cancelled, and what was sent there is forgotten."""
        with suppress(Exception):
            self._executor.shutdown(wait=False, cancel_futures=True)
        for name in self._sent.values():
            with suppress(Exception):
                self._client.unregister_worker_plugin(name)
        with suppress(Exception):
            self._client.close(timeout=CONTACT_TIMEOUT)

    @property
    def slots(self) -> int:
        """How many tasks run at once, now."""
        return sum(worker["nthreads"] for worker in self._workers().values())

    def _workers(self) -> Mapping[str, Mapping[str, Any]]:
        workers: Mapping[str, Mapping[str, Any]] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def submit(self, batch: Batch, program: Path) -> Future[Result]:
        """Have a worker measure a batch on a simulated chip that runs `program`. If it dies, another begins anew."""
        future: Future[Result] = self._executor.submit(_measure, _identity(), self._send(program), batch)
        return future

    def _send(self, program: Path) -> str:
        """Send a program to all workers, those that come later too, and return what it is called there."""
        from distributed.diagnostics.plugin import UploadFile  # noqa: PLC0415

        if program not in self._sent:
            plugin = UploadFile(str(program), load=False)
            plugin.filename = f"intercore-{hashlib.sha256(plugin.data).hexdigest()}.elf"
            self._client.register_plugin(plugin, name=plugin.filename)
            self._sent[program] = plugin.filename
        return self._sent[program]

    def result(self, batch: Batch, future: Future[Result]) -> Result:
        """Return what came of a batch that has ended; Failures if it took one worker with it after the other.

        Raises IntercoreError if the cluster is gone or a worker is not like this machine.
        """
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        try:
            return future.result(timeout=0)
        except CancelledError:
            raise self._gone() from None
        except KilledWorker as error:
            failure = Failure(f"{error.allowed_failures + 1} workers of the cluster died of it, one after the other")
            return Result((failure,) * len(batch.settings), 0.0)
        except IntercoreError:
            raise
        except Exception as error:  # what a worker raises is its own: it may even lack Intercore
            raise IntercoreError(f"a worker of {self.address} failed: {type(error).__name__}: {error}") from error

    def _gone(self) -> IntercoreError:
        return IntercoreError(f"lost the cluster: the scheduler at {self.address} went away")

    def check_alive(self) -> None:
        """Raise IntercoreError if the scheduler is gone, or has had no worker for a while."""
        if self._client.status != "running":
            raise self._gone()
        if self._workers():
            self._lonely_since = None
        elif self._lonely_since is None:
            self._lonely_since = time.monotonic()
        elif time.monotonic() - self._lonely_since > WORKER_PATIENCE:
            raise IntercoreError(f"{self.address} has no workers any more; start one: dask worker {self.address}")


def _measure(expected: Mapping[str, str], name: str, batch: Batch) -> Result:
    """Measure a batch; runs on a worker, which may have come later than the check at the beginning."""
    from distributed import get_worker  # noqa: PLC0415 - a worker has it loaded

    worker = get_worker()
    compare(worker.address, _identity(), expected)
    program = _checked(Path(worker.local_directory) / name)
    return measure_batch(msgspec.structs.replace(batch, program=program))


@functools.cache
def _checked(program: Path) -> Path:
    """Return the file after comparing its content with its name. Raises IntercoreError if it is not what was sent."""
    digest = program.stem.removeprefix("intercore-")
    try:
        found = hashlib.sha256(program.read_bytes()).hexdigest()
    except OSError as error:
        raise IntercoreError(f"the program for the chip did not reach the worker: {error.strerror}") from None
    if found != digest:
        raise IntercoreError(f"the program for the chip was damaged on its way to the worker: {program} is {found}")
    return program


def _identifier() -> Callable[[], dict[str, str]]:
    """Return a function that is sent to workers as it is, not by its name: they may have no Intercore to find it in."""

    def identify() -> dict[str, str]:
        import hashlib  # noqa: PLC0415
        import sys  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        import distributed  # noqa: PLC0415

        def digest(pattern: str) -> str:
            found = hashlib.sha256()
            for path in sorted(package.rglob(pattern)):
                found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
            return found.hexdigest()[:12]

        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        try:
            import intercore  # noqa: PLC0415
        except ImportError:
            return {"Python": python, "Dask": distributed.__version__, "Intercore": "none"}
        package = Path(intercore.__file__).parent
        return {
            "Python": python,
            "Dask": distributed.__version__,
            "Intercore": f"{intercore.__version__} ({digest('*.py')})",
            "the simulated chip": digest("_sim.*"),
        }

    return identify


identify = _identifier()
"""Return what must be the same on every machine for the same samples, by name: versions, and digests of what runs."""

_identity = functools.cache(identify)


def compare(worker: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise ForeignWorkerError if a worker is not as it is here, going by what `identify` said on either side."""
    names = [name for name in here if there.get(name) != here[name]]
    if names:
        both = "; ".join(f"{name} is {there.get(name, 'none')} there and {here[name]} here" for name in names)
        raise ForeignWorkerError(f"the worker {worker} may give other samples: {both}. Install the same on both")
