"""The program that keeps a labgrid place acquired while its standard input is open; `labgrid_port` starts it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from typing import IO, TYPE_CHECKING, NoReturn

import msgspec
from labgrid.remote.client import ClientSession, Error
from labgrid.resource import NetworkSerialPort
from labgrid.util.proxy import proxymanager

from intercore.errors import unknown
from intercore.operating_system import ending_signals
from intercore.target.labgrid_port import Refusal, Report, Reservation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from labgrid.remote.common import Place, ResourceEntry

DEFAULT_PORT = 20408
"""Port of a coordinator, as in labgrid's client."""
CONTACT_TIMEOUT = 10.0
"""Seconds within which a coordinator must answer."""
ACQUIRE_TIMEOUT = 30.0
"""Seconds to acquire or release a place: the coordinator gives each exporter 10 s for its resources."""
PORT_TIMEOUT = 10.0
"""Seconds for a serial port to appear, as in labgrid's client: a board may be booting."""
POLL_INTERVAL = 0.25
"""Seconds between checks of the place's holder."""


class RefusedError(Exception):
    """The place cannot be acquired, or is lost."""

    def __init__(self, why: str, *, usage: bool = False) -> None:
        """Store the reason, as in Refusal."""
        super().__init__(why)
        self.refused = Refusal(why, usage)


def main() -> NoReturn:
    """Acquire a place; the arguments are its name, its serial port's name, and the coordinator."""
    _, place, port, coordinator = sys.argv
    out = sys.stdout
    try:
        with contextlib.redirect_stdout(sys.stderr):  # labgrid prints its progress
            asyncio.run(_hold_place(place, port, coordinator, out))
    except RefusedError as error:
        _report_to_parent(error.refused, out)
        sys.exit(1)
    sys.exit()


def _report_to_parent(report: Report, out: IO[str]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the parent is gone
        print(msgspec.json.encode(report).decode(), file=out, flush=True)


async def _hold_place(name: str, port: str, coordinator: str, out: IO[str]) -> None:
    ended = asyncio.create_task(_end_of_input())
    async with _session(coordinator) as session:
        place = _find(session, name)
        async with _held(session, place) as holder:
            _report_to_parent(Reservation(await _url(session, place, port), place.tags.get("meter", "")), out)
            while not ended.done():
                await asyncio.wait([ended], timeout=POLL_INTERVAL)
                if session.stopping.is_set():
                    raise RefusedError(
                        f"the labgrid coordinator at {coordinator} no longer answers, so the place is no longer held "
                        "for you: check the coordinator"
                    )
                if not ended.done() and (now := _holder(session, place)) != holder:
                    raise RefusedError(
                        f"someone else released the place, and {now or 'nobody'} holds it now: agree with the other "
                        "users before you continue"
                    )


async def _end_of_input() -> None:
    """Wait until the parent closes standard input, or a signal ends this program."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    for number in ending_signals():
        loop.add_signal_handler(number, reader.feed_eof)
    await reader.read()


@contextlib.asynccontextmanager
async def _session(coordinator: str) -> AsyncIterator[ClientSession]:
    try:
        address = proxymanager.get_grpc_address(coordinator, default_port=DEFAULT_PORT)
    except Exception as error:
        raise RefusedError(
            f"'{coordinator}' is not the address of a coordinator: write host:port", usage=True
        ) from error
    session = ClientSession(address, asyncio.get_running_loop(), args=argparse.Namespace())
    try:
        await asyncio.wait_for(session.start(), CONTACT_TIMEOUT)
    except (Error, TimeoutError) as error:
        raise RefusedError(
            f"the labgrid coordinator at {address} does not answer: check that the coordinator is running there. To "
            "use another coordinator, set LG_COORDINATOR or write labgrid://PLACE@host:port"
        ) from error
    try:
        yield session
    finally:
        session.stopping.set()  # labgrid requires it before it stops
        await session.stop()
        await session.close()


def _find(session: ClientSession, name: str) -> Place:
    """Return the place with exactly this name or alias; labgrid's client also accepts a part of it."""
    for place in session.places.values():
        if name == place.name or name in place.aliases:
            return place
    if not session.places:
        raise RefusedError("this labgrid coordinator has no places: create a place with labgrid-client", usage=True)
    raise RefusedError(unknown("labgrid place", name, sorted(session.places)), usage=True)


def _holder(session: ClientSession, place: Place) -> str | None:
    """Return the place's present holder, as host/user."""
    return place.acquired if session.places.get(place.name) is place else None


@contextlib.asynccontextmanager
async def _held(session: ClientSession, place: Place) -> AsyncIterator[str]:
    """Acquire the place for the duration of the context.

    It is not released at the end if this user, or one that allows this user, had acquired it before.
    """
    me = f"{session.gethostname()}/{session.getuser()}"
    session.args.place = place.name
    session.args.allow_unmatched = False
    session.args.acquired = me
    if place.acquired is not None:
        if me != place.acquired and me not in place.allowed:
            raise RefusedError(
                f"the place {place.name} is held by {place.acquired}: wait until that user releases the place"
            )
        yield place.acquired
        return
    try:
        try:
            await asyncio.wait_for(session.acquire(), ACQUIRE_TIMEOUT)
        except (Error, TimeoutError) as error:
            raise RefusedError(f"labgrid does not grant the place {place.name}: {_words(error)}") from error
        yield me
    finally:
        if place.acquired == me and not session.stopping.is_set():
            try:
                await asyncio.wait_for(session.release_from(), ACQUIRE_TIMEOUT)
            except (Error, TimeoutError) as error:
                raise RefusedError(f"labgrid reports: {_words(error)}") from error


async def _url(session: ClientSession, place: Place, wanted: str) -> str:
    """Return the URL of a serial port of the place once it is available."""
    entry = _serial_port(session, place, wanted)
    waiting = PORT_TIMEOUT
    while not entry.avail or entry.args.get("port") is None:
        if waiting <= 0:
            raise RefusedError(
                f"the serial port of {place.name} is not available: check that the board is connected to its "
                "exporter, and that the exporter runs"
            )
        await asyncio.sleep(POLL_INTERVAL)
        waiting -= POLL_INTERVAL
    arguments = entry.args
    resource = NetworkSerialPort(target=None, name=None, **arguments)
    resource.extra = entry.extra
    host, number = proxymanager.get_host_and_port(resource)  # may use ssh, if the exporter requires it
    address = f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
    if resource.protocol == "raw":
        return f"socket://{address}"
    if resource.protocol == "rfc2217":
        # A port without modem lines never confirms their setting: labgrid's driver does not wait for it either.
        return f"rfc2217://{address}?ign_set_control"
    raise RefusedError(
        f"the serial port of {place.name} has an unknown protocol, {resource.protocol}: the exporter must use raw or "
        "rfc2217"
    )


def _serial_port(session: ClientSession, place: Place, wanted: str) -> ResourceEntry:
    try:
        resources = {name: entry for (name, _), entry in session.get_target_resources(place).items()}
    except Error as error:
        raise RefusedError(f"the place {place.name} cannot be used: {_words(error)}") from error
    ports = {name: entry for name, entry in resources.items() if entry.cls == "NetworkSerialPort"}
    if not ports:
        has = ", ".join(sorted(entry.cls for entry in resources.values())) or "nothing"
        raise RefusedError(f"the place {place.name} has no serial port (NetworkSerialPort), only {has}", usage=True)
    if wanted and wanted not in ports:
        raise RefusedError(unknown("serial port", wanted, sorted(ports), f"the place {place.name} has"), usage=True)
    if not wanted and len(ports) > 1:
        names = ", ".join(sorted(ports))
        raise RefusedError(
            f"the place {place.name} has several serial ports ({names}): choose one by labgrid://{place.name}/PORT",
            usage=True,
        )
    return ports[wanted] if wanted else next(iter(ports.values()))


def _words(error: Exception) -> str:
    return " ".join(str(word) for word in error.args) or "it does not answer"


if __name__ == "__main__":
    main()
