"""Boards of a labgrid laboratory: acquires a place, uses its serial port, and releases the place.

A separate process (`intercore.target.labgrid_place`) holds the place as long as its standard input is open. So the
place is released however this process ends, even if killed, and labgrid's threads stay out of the measuring process.
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
from intercore.operating_system import OWN_GROUP, need_posix
from intercore.text import printable

SCHEME = "labgrid://"
DEFAULT_COORDINATOR = "127.0.0.1:20408"
"""The default of labgrid's client, unless the environment variable LG_COORDINATOR names another."""
RELEASE_TIMEOUT = 30.0
"""Seconds for the coordinator to release a place: it gives an exporter 10 s to stop serving a port."""
LOST_GRACE = 1.0
"""Seconds to wait for the reason of a closed connection."""


class Address(msgspec.Struct, frozen=True):
    """The parts of `labgrid://PLACE/PORT@COORDINATOR`."""

    place: str
    """Full name or alias."""
    port: str
    """Name of the place's serial port; empty if it has only one."""
    coordinator: str
    """host:port."""

    @classmethod
    def parse(cls, url: str) -> Address:
        """Parse a URL; raises UsageError if it names no place."""
        rest = url[len(SCHEME) :]
        where, at, coordinator = rest.rpartition("@") if "@" in rest else (rest, "", "")
        place, _, port = where.partition("/")
        if not place or (at and not coordinator):
            raise UsageError(f"cannot open {url}: expected labgrid://PLACE or labgrid://PLACE@host:port")
        coordinator = coordinator or os.environ.get("LG_COORDINATOR") or DEFAULT_COORDINATOR
        return cls(unquote(place), unquote(port), coordinator)


class Reservation(msgspec.Struct, frozen=True, tag=True):
    """The place is acquired."""

    url: str
    """pyserial URL of its serial port."""
    meter: str = ""
    """Its tag `meter`: the power meter of the board, percent-encoded; empty if it has none."""


class Refusal(msgspec.Struct, frozen=True, tag=True):
    """The place cannot be acquired, or is lost."""

    why: str
    """A sentence."""
    usage: bool = False
    """Whether the place or port does not exist."""


Report: TypeAlias = Reservation | Refusal
"""The output of the holding process: a JSON line when the place is acquired or refused, another if it is lost later."""


class LabgridPort(SerialPort):
    """The serial port of a labgrid place; closing it releases the place."""

    def __init__(self, url: str, baud: int, *, release: bool = False) -> None:
        """Acquire the place and open its port.

        Raises UsageError if there is no such place or port, and IntercoreError if the place is held by another user, if
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
    """Return the meter in a place's tag `meter`, as a value of `--meter`.

    Acquires and releases the place. Raises UsageError if it names no meter, and the errors of opening its port.
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
            f"the place {name} has no tag `meter`. To add the tag: labgrid-client -p {name} set-tags "
            "'meter=ppk2:/dev/ttyACM1?volts%3D3.3'"
        )
    return meter


def _check_library(url: str) -> None:
    need_posix(url, "name the board's own port by --port")
    if importlib.util.find_spec("labgrid") is None:
        raise IntercoreError(f"{url} needs the labgrid library. To install labgrid: pip install 'intercore[lab]'")


class _PlaceProcess:
    """The process that keeps a place acquired."""

    def __init__(self, url: str, address: Address) -> None:
        self._url = url
        self._place = address.place
        self._held = False
        self.meter = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours, without a shell
            # -P: nothing is imported from the current folder.
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
        """Wait until the place is acquired and return the URL of its port. Raises IntercoreError if it cannot be."""
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
        return TargetLostError(
            f"the connection to {self._url} was lost: "
            f"{report.why if isinstance(report, Refusal) else 'the place was released'}"
        )

    def let_go(self) -> None:
        """Release the place. May be called twice."""
        held, self._held = self._held and self.holds, False
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self.wait(RELEASE_TIMEOUT)
        if held and self._process.returncode != 0:
            why = "labgrid did not confirm its release" if self.holds else self.lost()
            raise IntercoreError(
                f"the place {self._place} may still be held ({why}). To release the place: labgrid-client -p "
                f"{self._place} release"
            )

    def _report(self) -> Report:
        """Return the process's next report."""
        line = b"" if self._process.stdout is None else self._process.stdout.readline()
        try:
            report: Report = msgspec.json.decode(line, type=Report)
        except msgspec.DecodeError:  # it died
            self._errors.seek(0)
            words = self._errors.read().decode(errors="replace").strip().splitlines() or ["it printed no reason"]
            report = Refusal(f"labgrid failed: {words[-1]}")
        if isinstance(report, Refusal):  # text from the coordinator, which is not trusted
            return msgspec.structs.replace(report, why=printable(report.why))
        return report
