"""Simulated campaigns on a Dask cluster: the same samples, computed elsewhere.

The workers need the same version of Intercore and no compiler: the programs for the chip are built here and sent to
them. They store nothing; their results are stored here.

Workers and the scheduler are not trusted: their data cannot run code here (`unpickling`), and results are bytes that
are validated (`result_bytes`).
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import ipaddress
import logging
import threading
import time
import warnings
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.build import board_image
from intercore.campaign.batch import Batch, Failure, Result, measure_batch
from intercore.campaign.result_bytes import as_bytes, from_bytes, refusal_as_bytes
from intercore.campaign.unpickling import nothing_runs
from intercore.campaign.workers import BATCH_MOST
from intercore.errors import IntercoreError, UsageError
from intercore.record.factors import of_target
from intercore.target.targets import SimulatedTarget, find
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import distributed

CONTACT_TIMEOUT = 5.0
"""Seconds within which a scheduler must answer, and a first worker must exist."""
WORKER_TIMEOUT = 30.0
"""Seconds to wait for a worker's identity, or for a new worker after the last one is gone: workers start slowly."""
POLL_INTERVAL = 1.0
"""Seconds between checks of the cluster."""


class ForeignWorkerError(IntercoreError):
    """A worker differs from this machine: the same measurement may yield other samples there."""


class Cluster:
    """Workers (`intercore.campaign.workers`) whose simulated chips run on the workers of a Dask cluster."""

    most = BATCH_MOST

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        """Connect to the scheduler at `address`, e.g. `tls://host:8786`; its workers must match this machine.

        `say` reports what takes time here. Raises UsageError for an invalid address, and IntercoreError if there is no
        scheduler or no worker, if a worker has another version of Intercore, or if Dask is not installed.
        """
        try:
            import distributed  # noqa: PLC0415 - takes a second to load
        except ImportError as error:
            raise IntercoreError("--cluster needs Dask; to install it: pip install 'intercore[cluster]'") from error
        self._address = address
        self._say = say
        logging.disable()  # no log messages of Dask and Tornado; errors are reported here
        warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
        self._programs: dict[str, tuple[Path, ...]] = {}
        self._sent: dict[Path, str] = {}
        self._pending: dict[Future[Result], object] = {}  # Dask drops futures without a reference
        self._closed = threading.Event()
        with ExitStack() as opening:
            opening.enter_context(nothing_runs())
            _greet(address)
            if not is_private(address):
                say(
                    f"{address} is neither on this machine nor protected by TLS, so anyone who can connect to it "
                    f"controls its workers: {_PRIVATE}"
                )
            try:
                self._client = distributed.Client(address, timeout=CONTACT_TIMEOUT, set_as_default=False)
            except Exception:  # any type: it comes from untrusted data
                raise _no_scheduler(address) from None
            opening.callback(self._leave)
            for topic in ("print", "warn"):  # messages of workers would appear in the output
                self._client.subscribe_topic(topic, lambda _: None)
            self._meet_workers()
            self._opened = opening.pop_all()
        threading.Thread(target=self._watch, daemon=True).start()

    def _meet_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONTACT_TIMEOUT)
        except TimeoutError:
            raise IntercoreError(
                f"the scheduler {self._address} has no workers. To start a worker: {_start_of_worker(self._address)}"
            ) from None
        client = self._client
        try:
            answers = client.sync(client.run, _identify, on_error="return", callback_timeout=WORKER_TIMEOUT)
            identities = {printable(str(worker)): _read_identity(there) for worker, there in answers.items()}
        except Exception:  # any type: it comes from untrusted data
            raise IntercoreError(
                f"not all workers of {self._address} report their version: restart those that do not answer, and check "
                "that each has Intercore with its extra `cluster`"
            ) from None
        for worker, there in identities.items():
            compare(worker, there, _identity())
        self.size = self._slots()

    def _slots(self) -> int:
        """Return the present number of batches that the workers measure at the same time."""
        return sum(worker["nthreads"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values())

    def __str__(self) -> str:
        """See Workers."""
        return f"the {self.size} worker{'s' * (self.size != 1)} of {self._address}"

    def submit(self, batch: Batch) -> Future[Result]:
        """Let a worker measure a batch on a simulated chip.

        If it dies, another one starts over, a limited number of times.

        This or the future raises IntercoreError if the cluster is gone or a worker does not match this machine.
        """
        programs = self._programs_of(batch)
        try:
            measuring = self._client.submit(_measure, _identity(), tuple(map(self._send, programs)), batch, pure=False)
        except Exception as error:  # depends on the kind of connection
            raise self._lost_error() from error
        future: Future[Result] = Future()
        self._pending[future] = measuring
        measuring.add_done_callback(lambda done: self._end(future, lambda: self._result(batch, done)))
        return future

    def _end(self, future: Future[Result], result: Callable[[], Result]) -> None:
        """Complete a future unless it is done: Dask and the watch thread may both do so."""
        self._pending.pop(future, None)
        with suppress(InvalidStateError):
            try:
                future.set_result(result())
            except IntercoreError as error:
                future.set_exception(error)

    def _result(self, batch: Batch, done: distributed.Future) -> Result:
        try:
            returned = done.result(timeout=WORKER_TIMEOUT)  # it is done
        except CancelledError:
            raise self._lost_error() from None
        except Exception as error:  # a pickle that was not loaded: only its names are used
            if any(isinstance(one, bytes) and b"KilledWorker" in one for one in error.args):
                why = "workers of the cluster died while measuring it, as often as the scheduler allows"
                return Result((Failure(why, "broken"),) * len(batch.settings), 0.0)
            raise IntercoreError(
                f"a worker of {self._address} failed before the measurement: read the log of that worker"
            ) from None
        return from_bytes(batch.settings, returned, f"a worker of {self._address}")

    def _programs_of(self, batch: Batch) -> tuple[Path, ...]:
        """Return the programs of a batch's chip, a file for each image, built here."""
        build = of_target(batch.settings[0].factors)
        key = repr((batch.plan.target, sorted(build.items())))
        if key not in self._programs:
            target = find(batch.plan.target)
            if not isinstance(target, SimulatedTarget):
                raise UsageError(
                    f"{batch.plan.target} is not a simulated chip, and a cluster runs only simulated chips: choose "
                    "another target, or omit --cluster"
                )
            self._programs[key] = board_image(target.board, build, self._say).elfs
        return self._programs[key]

    def _send(self, program: Path) -> str:
        """Send a program to all workers, including later ones, and return its name there."""
        from distributed.diagnostics.plugin import UploadFile  # noqa: PLC0415

        if program not in self._sent:
            plugin = UploadFile(str(program), load=False)
            plugin.filename = f"intercore-{hashlib.sha256(plugin.data).hexdigest()}.elf"
            self._client.register_plugin(plugin, name=plugin.filename)
            self._sent[program] = plugin.filename
        return self._sent[program]

    def _watch(self) -> None:
        """Fail the pending batches when all workers are gone: Dask would wait without end."""
        last_seen = time.monotonic()
        while not self._closed.wait(POLL_INTERVAL):
            try:
                slots = self._slots() if self._client.status == "running" else 0
            except Exception:  # depends on the kind of connection
                slots = 0
            if slots:
                self.size = slots  # workers come and go
                last_seen = time.monotonic()
            elif self._client.status != "running" or time.monotonic() - last_seen > WORKER_TIMEOUT:
                for future in list(self._pending):
                    self._end(future, self._give_up)

    def _give_up(self) -> Result:
        raise self._lost_error()

    def _lost_error(self) -> IntercoreError:
        if self._client.status == "running":
            return IntercoreError(
                f"the cluster is lost: the scheduler at {self._address} has no workers left, so start a worker, then "
                "continue"
            )
        return IntercoreError(
            f"the cluster is lost: the scheduler at {self._address} no longer answers, so start the scheduler again"
        )

    def close(self) -> None:
        """Restore the cluster: cancel pending batches, and remove the files that were sent."""
        self._closed.set()
        self._opened.close()

    def _leave(self) -> None:
        for name in self._sent.values():
            with suppress(Exception):
                self._client.unregister_worker_plugin(name)
        with suppress(Exception):
            self._client.close(timeout=CONTACT_TIMEOUT)


_PRIVATE = "docs/cluster.md explains how to use tls://"
_LOOPBACK = "--host 127.0.0.1"
"""Without it, a scheduler and a worker listen to the whole network."""


def _greet(address: str) -> None:
    """Raise UsageError for an invalid address, IntercoreError unless a Dask scheduler answers soon.

    Dask's client waits without end for a server that accepts a connection and sends nothing.
    """
    from distributed.comm import connect  # noqa: PLC0415
    from distributed.security import Security  # noqa: PLC0415

    async def greet() -> None:
        options = Security().get_connection_args("client")
        comm = await connect(address, timeout=CONTACT_TIMEOUT, **options)
        comm.abort()

    try:
        asyncio.run(asyncio.wait_for(greet(), CONTACT_TIMEOUT))
    except (ValueError, TypeError) as error:
        if address.startswith("tls://") and "ssl_context" in str(error):
            raise UsageError(
                f"--cluster {address}: this machine has no certificate for that scheduler; {_PRIVATE}"
            ) from None
        raise UsageError(f"--cluster {address}: expected an address such as tls://host:8786 ({error})") from None
    except Exception:  # any type: it comes from untrusted data
        raise _no_scheduler(address) from None


def _no_scheduler(address: str) -> IntercoreError:
    scheduler = f"dask scheduler {_LOOPBACK if _is_here(address) else '--protocol tls'}"
    return IntercoreError(
        f"no Dask scheduler answers at {address}. To start a scheduler: {scheduler}. To start a worker: "
        f"{_start_of_worker(address)}"
    )


def _start_of_worker(address: str) -> str:
    return f"dask worker {address}{f' {_LOOPBACK}' if _is_here(address) else ''}"


def is_private(address: str) -> bool:
    """Whether a scheduler at this address is reachable only from this machine, or only with its certificate."""
    return address.startswith("tls://") or _is_here(address)


def _is_here(address: str) -> bool:
    """Whether an address is on the loopback interface."""
    from distributed.comm.addressing import get_address_host  # noqa: PLC0415

    host: str = get_address_host(address)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _measure(expected: Mapping[str, str], names: tuple[str, ...], batch: Batch) -> bytes:
    """Measure a batch; runs on a worker, which may have joined after the initial check."""
    from distributed import get_worker  # noqa: PLC0415 - a worker has it loaded

    try:
        worker = get_worker()
        compare(worker.address, _identity(), expected)
        programs = tuple(_checked(Path(worker.local_directory) / name) for name in names)
        return as_bytes(batch.settings, measure_batch(msgspec.structs.replace(batch, programs=programs)))
    except IntercoreError as error:
        return refusal_as_bytes(str(error))
    except Exception as error:  # not sent as an object
        return refusal_as_bytes(f"a worker failed: {type(error).__name__}: {error}")


@functools.cache
def _checked(program: Path) -> Path:
    """Return the file after comparing its content with its name. Raises IntercoreError if it was damaged."""
    digest = program.stem.removeprefix("intercore-")
    try:
        found = hashlib.sha256(program.read_bytes()).hexdigest()
    except OSError as error:
        raise IntercoreError(f"the program for the chip is missing on the worker: {error.strerror}") from None
    if found != digest:
        raise IntercoreError(
            f"the program for the chip was damaged in transfer (the digest of {program} is now {found}): try again"
        )
    return program


def _identifier() -> Callable[[], str]:
    """Return a function that is sent to workers by value, because they may lack Intercore."""

    def identify() -> str:
        import hashlib  # noqa: PLC0415
        import json  # noqa: PLC0415
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
            return json.dumps(here)
        package = Path(intercore.__file__).parent
        here["Intercore"] = f"{intercore.__version__} ({digest('*.py')})"
        here["the simulated chip"] = digest("_native.*")
        return json.dumps(here)

    return identify


_identify = _identifier()
"""Return as JSON, by name, the versions and digests of code that must be the same on every machine."""


def _read_identity(answers: str) -> dict[str, str]:
    """Decode a worker's identity. Raises MsgspecError or TypeError for anything else."""
    return {
        printable(name): printable(what) for name, what in msgspec.json.decode(answers, type=dict[str, str]).items()
    }


@functools.cache
def _identity() -> dict[str, str]:
    return _read_identity(_identify())


def compare(worker: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise ForeignWorkerError if the identity of a worker differs from that here."""
    names = [name for name in here if there.get(name) != here[name]]
    if names:
        both = "; ".join(f"{name} is {there.get(name, 'missing')} there and {here[name]} here" for name in names)
        raise ForeignWorkerError(
            f"the worker {worker} has other software than this machine and may yield other samples: {both}. Install "
            "the same versions on both machines"
        )
