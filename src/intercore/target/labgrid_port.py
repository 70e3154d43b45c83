"""Boards of a labgrid laboratory: a place is acquired, its serial port is used, and the place is released again.

A process of its own (`intercore.target.labgrid_place`) holds the place, for as long as its standard input is open. So
the place is released however this process ends, even killed; and labgrid with its threads stays out of the process that
measures.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import unquote

import msgspec

from intercore.errors import IntercoreError, UsageError
from intercore.link.port import TargetLostError
from intercore.link.serial_port import SerialPort
from intercore.process_group import OWN_GROUP
from intercore.text import printable

SCHEME = "labgrid://"
DEFAULT_COORDINATOR = "127.0.0.1:20408"
"""Where labgrid's own client looks, too, if the environment variable LG_COORDINATOR says nothing else."""
RELEASE_TIMEOUT = 30.0
"""Seconds for the coordinator to release a place: it gives an exporter 10 s to stop serving a port."""
LOST_GRACE = 1.0
"""Seconds in which the reason for a closed connection may arrive."""


class Address(msgspec.Struct, frozen=True):
    """What `labgrid://PLACE/PORT@COORDINATOR` says."""

    place: str
    """Name or alias, in full."""
    port: str
    """Name of the serial port in the place; empty if it has but one."""
    coordinator: str
    """host:port."""

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a URL; raises UsageError if it names no place."""
        rest = url[len(SCHEME) :]
        where, at, coordinator = rest.rpartition("@") if "@" in rest else (rest, "", "")
        place, _, port = where.partition("/")
        if not place or (at and not coordinator):
            raise UsageError(f"cannot open {url}: expected labgrid://PLACE or labgrid://PLACE@host:port")
        coordinator = coordinator or os.environ.get("LG_COORDINATOR") or DEFAULT_COORDINATOR
        return cls(unquote(place), unquote(port), coordinator)


class Reservation(msgspec.Struct, frozen=True, tag=True):
    """The place is held."""

    url: str
    """pyserial URL of its serial port."""
    meter: str = ""
    """What its tag `meter` says: the power meter beside the board, percent-encoded; empty if it has none."""


class Refusal(msgspec.Struct, frozen=True, tag=True):
    """The place is not held, or no longer."""

    why: str
    """A sentence."""
    usage: bool = False
    """Whether what was asked for does not exist."""


Report: TypeAlias = Reservation | Refusal
"""What the process that holds it says: one JSON line when the place is held or refused, another if it is lost later."""


class LabgridPort(SerialPort):
    """The serial port of a labgrid place, which is released with it."""

    def __init__(self, url: str, baud: int, *, release: bool = False) -> None:
        """Acquire the place and open its port.

        Raises UsageError if there is no such place or port, and IntercoreError if somebody else holds the place, if
        the coordinator does not answer, or if the labgrid library is missing.
        """
        _check_library(url)
        self._held_place = _PlaceProcess(url, Address.parse(url))
        try:
            super().__init__(self._held_place.url(), baud, release=release)
        except BaseException:
            self._held_place.let_go()
            raise
        self.description = url

    def _read_waiting(self) -> bytes:
        if not self._held_place.holds:
            raise self._held_place.lost()
        return super()._read_waiting()

    def _lost(self, error: Exception) -> TargetLostError:
        self._held_place.wait(LOST_GRACE)
        return super()._lost(error) if self._held_place.holds else self._held_place.lost()

    def close(self) -> None:
        """See Port. Raises IntercoreError if the place could not be released."""
        super().close()
        self._held_place.let_go()


def meter_of(url: str) -> str:
    """Return the meter that a place names, as `--meter` takes it: its tag `meter`.

    The place is acquired for that, and released. Raises UsageError if it names none, and as opening its port does.
    """
    _check_library(url)
    place = _PlaceProcess(url, Address.parse(url))
    try:
        place.url()
        meter = unquote(place.meter)
    finally:
        place.let_go()
    if not meter:
        name = Address.parse(url).place
        raise UsageError(
            f"the place {name} names no meter; tag it: "
            f"labgrid-client -p {name} set-tags 'meter=ppk2:/dev/ttyACM1?volts%3D3.3'"
        )
    return meter


def _check_library(url: str) -> None:
    if importlib.util.find_spec("labgrid") is None:
        raise IntercoreError(f"{url} needs the labgrid library; install it: pip install 'intercore[lab]'")


class _PlaceProcess:
    """The process that holds a place."""

    def __init__(self, url: str, address: Address) -> None:
        self._url = url
        self._place = address.place
        self._held = False
        self.meter = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours, without a shell
            # -P: what lies in the current folder is not imported.
            [
                sys.executable,
                "-P",
                "-m",
                "intercore.target.labgrid_place",
                address.place,
                address.port,
                address.coordinator,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            process_group=OWN_GROUP,
        )

    def url(self) -> str:
        """Wait until the place is held and return the URL of its port. Raises IntercoreError if it is not."""
        report = self._report()
        if isinstance(report, Reservation):
            self._held, self.meter = True, report.meter
            return report.url
        kind = UsageError if report.usage else IntercoreError
        raise kind(f"cannot open {self._url}: {report.why}")

    @property
    def holds(self) -> bool:
        return self._process.poll() is None

    def wait(self, timeout: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)

    def lost(self) -> TargetLostError:
        report = self._report()
        return TargetLostError(f"lost {self._url}: {report.why if isinstance(report, Refusal) else 'it was released'}")

    def let_go(self) -> None:
        """Have the place released. May be called twice."""
        held, self._held = self._held and self.holds, False
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self.wait(RELEASE_TIMEOUT)
        if held and self._process.returncode != 0:
            why = "labgrid takes its time" if self.holds else self.lost()
            raise IntercoreError(
                f"the place {self._place} may still be held ({why}); "
                f"release it: labgrid-client -p {self._place} release"
            )

    def _report(self) -> Report:
        """Return what that process says next."""
        line = b"" if self._process.stdout is None else self._process.stdout.readline()
        try:
            report: Report = msgspec.json.decode(line, type=Report)
        except msgspec.DecodeError:  # it died
            self._errors.seek(0)
            words = self._errors.read().decode(errors="replace").strip().splitlines() or ["it said nothing"]
            report = Refusal(f"labgrid failed: {words[-1]}")
        if isinstance(report, Refusal):  # the coordinator's words: from elsewhere
            return msgspec.structs.replace(report, why=printable(report.why))
        return report
