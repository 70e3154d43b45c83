"""Simulated campaigns on a Dask cluster: the same samples, computed elsewhere.

The workers need Intercore, of the very version that is here, and no compiler: the programs for the chip are built here
and sent to them. They keep nothing; what they return is stored here.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import threading
import time
import warnings
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.build import board_image
from intercore.campaign.batch import Batch, Failure, Result, measure_batch
from intercore.errors import IntercoreError, UsageError
from intercore.record.factors import of_target
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTACT_TIMEOUT = 5.0
"""Seconds within which a scheduler must answer, and a first worker must be there."""
WORKER_PATIENCE = 30.0
"""Seconds to wait for a worker once there is none any more: as long as one takes to start again."""
LOOK_INTERVAL = 1.0
"""Seconds between looks at whether the cluster is still there."""


class ForeignWorkerError(IntercoreError):
    """A worker is not like this machine: the same measurement may give other samples there."""


class Cluster:
    """Workers (`intercore.campaign.workers`) whose simulated chips run on the workers of a Dask cluster."""

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        """Connect to the scheduler at `address`, e.g. `tcp://host:8786`; its workers must be like this machine.

        `say` is told what takes time here. Raises UsageError if that is no address, and IntercoreError if nobody
        answers there, if there is no worker, if one has another version of Intercore, or if Dask is not installed.
        """
        try:
            import distributed  # noqa: PLC0415 - takes a second to load
        except ImportError as error:
            raise IntercoreError("--cluster needs Dask; install it: pip install 'intercore[cluster]'") from error
        self._address = address
        self._say = say
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
        self._programs: dict[str, tuple[Path, ...]] = {}
        self._sent: dict[Path, str] = {}
        self._pending: set[Future[Result]] = set()
        self._closed = threading.Event()
        try:
            self._meet_workers()
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._watch, daemon=True).start()

    def _meet_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONTACT_TIMEOUT)
        except TimeoutError:
            raise IntercoreError(f"{self._address} has no workers; start one: dask worker {self._address}") from None
        for worker, there in self._client.run(identify, on_error="return").items():
            if isinstance(there, BaseException):
                raise IntercoreError(f"the worker {worker} cannot say what it is: {there}")
            compare(worker, there, _identity())
        self.size = self._slots()

    def _slots(self) -> int:
        """Return how many batches the workers measure at a time, now."""
        return sum(worker["nthreads"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values())

    def __str__(self) -> str:
        """See Workers."""
        return f"the {self.size} worker{'s' * (self.size != 1)} of {self._address}"

    def submit(self, batch: Batch) -> Future[Result]:
        """Have a worker measure a batch on a simulated chip. If it dies, another begins anew; after some, it failed.

        This, or the future, raises IntercoreError if the cluster is gone or a worker is not like this machine.
        """
        programs = self._programs_of(batch)
        try:
            measuring = self._executor.submit(_measure, _identity(), tuple(map(self._send, programs)), batch)
        except Exception as error:  # of whatever kind the connection is
            raise self._gone() from error
        future: Future[Result] = Future()
        self._pending.add(future)
        measuring.add_done_callback(lambda done: self._end(future, lambda: self._result(batch, done)))
        return future

    def _end(self, future: Future[Result], result: Callable[[], Result]) -> None:
        """End a future, unless it has ended: Dask and the watch may both know how."""
        self._pending.discard(future)
        with suppress(InvalidStateError):
            try:
                future.set_result(result())
            except IntercoreError as error:
                future.set_exception(error)

    def _result(self, batch: Batch, done: Future[Result]) -> Result:
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        try:
            return done.result()
        except CancelledError:
            raise self._gone() from None
        except KilledWorker as error:
            deaths = error.allowed_failures + 1
            why = f"{deaths} worker{'s' * (deaths != 1)} of the cluster died of it"
            return Result((Failure(why, "broken"),) * len(batch.settings), 0.0)
        except IntercoreError:
            raise
        except Exception as error:  # what a worker raises is its own: it may even lack Intercore
            raise IntercoreError(f"a worker of {self._address} failed: {type(error).__name__}: {error}") from error

    def _programs_of(self, batch: Batch) -> tuple[Path, ...]:
        """Return what the chip of a batch runs, a file for each image, built here."""
        build = of_target(batch.settings[0].factors)
        key = repr((batch.plan.target, sorted(build.items())))
        if key not in self._programs:
            target = find(batch.plan.target)
            if not target.in_process or target.board is None:
                raise UsageError(f"only simulated chips run on a cluster, and {batch.plan.target} is none")
            self._programs[key] = board_image(target.board, build, self._say).elfs
        return self._programs[key]

    def _send(self, program: Path) -> str:
        """Send a program to all workers, those that come later too, and return what it is called there."""
        from distributed.diagnostics.plugin import UploadFile  # noqa: PLC0415

        if program not in self._sent:
            plugin = UploadFile(str(program), load=False)
            plugin.filename = f"intercore-{hashlib.sha256(plugin.data).hexdigest()}.elf"
            self._client.register_plugin(plugin, name=plugin.filename)
            self._sent[program] = plugin.filename
        return self._sent[program]

    def _watch(self) -> None:
        """End what is under way once nobody is left to do it: Dask would wait for ever."""
        last_seen = time.monotonic()
        while not self._closed.wait(LOOK_INTERVAL):
            try:
                slots = self._slots() if self._client.status == "running" else 0
            except Exception:  # whatever kind of connection it was
                slots = 0
            if slots:
                self.size = slots  # workers come and go
                last_seen = time.monotonic()
            elif self._client.status != "running" or time.monotonic() - last_seen > WORKER_PATIENCE:
                for future in list(self._pending):
                    self._end(future, self._give_up)

    def _give_up(self) -> Result:
        raise self._gone()

    def _gone(self) -> IntercoreError:
        if self._client.status == "running":
            return IntercoreError(f"lost the cluster: {self._address} has no workers any more")
        return IntercoreError(f"lost the cluster: the scheduler at {self._address} went away")

    def close(self) -> None:
        """Leave the cluster as it was: what is not done is cancelled, and what was sent there forgotten."""
        self._closed.set()
        with suppress(Exception):
            self._executor.shutdown(wait=False)
        for name in self._sent.values():
            with suppress(Exception):
                self._client.unregister_worker_plugin(name)
        with suppress(Exception):
            self._client.close(timeout=CONTACT_TIMEOUT)


def _measure(expected: Mapping[str, str], names: tuple[str, ...], batch: Batch) -> Result:
    """Measure a batch; runs on a worker, which may have come later than the check at the beginning."""
    from distributed import get_worker  # noqa: PLC0415 - a worker has it loaded

    worker = get_worker()
    compare(worker.address, _identity(), expected)
    programs = tuple(_checked(Path(worker.local_directory) / name) for name in names)
    return measure_batch(msgspec.structs.replace(batch, programs=programs))


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
            paths = sorted(package.rglob(pattern))
            for path in paths:
                found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
            return found.hexdigest()[:12] if paths else "missing"

        here = {
            "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "Dask": distributed.__version__,
        }
        try:
            import intercore  # noqa: PLC0415
        except ImportError:
            return here
        package = Path(intercore.__file__).parent
        return {
            **here,
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
        both = "; ".join(f"{name} is {there.get(name, 'missing')} there and {here[name]} here" for name in names)
        raise ForeignWorkerError(f"the worker {worker} may give other samples: {both}. Install the same on both")
