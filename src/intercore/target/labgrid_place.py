"""The program that holds a labgrid place while its standard input is open; `labgrid_port` starts it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from typing import IO, TYPE_CHECKING, NoReturn

import msgspec
from labgrid.remote.client import ClientSession, Error
from labgrid.resource import NetworkSerialPort
from labgrid.util.proxy import proxymanager

from intercore.errors import unknown
from intercore.target.labgrid_port import Refusal, Report, Reservation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from labgrid.remote.common import Place, ResourceEntry

DEFAULT_PORT = 20408
"""Of a coordinator, as labgrid's own client has it."""
CONTACT_TIMEOUT = 10.0
"""Seconds within which a coordinator must answer."""
ACQUIRE_TIMEOUT = 30.0
"""Seconds to acquire a place, or release it: the coordinator gives every exporter 10 s to see to its resources."""
PORT_TIMEOUT = 10.0
"""Seconds for a serial port to appear, as in labgrid's own client: a board may be booting."""
POLL_INTERVAL = 0.25
"""Seconds between looks at who holds the place."""


class RefusedError(Exception):
    """The place is not to be had, or no longer."""

    def __init__(self, why: str, *, usage: bool = False) -> None:
        """Say why, as in Refused."""
        super().__init__(why)
        self.refused = Refusal(why, usage)


def main() -> NoReturn:
    """Hold a place; the words of the command line are its name, that of its serial port, and the coordinator."""
    _, place, port, coordinator = sys.argv
    out = sys.stdout
    try:
        with contextlib.redirect_stdout(sys.stderr):  # labgrid prints what it does
            asyncio.run(_hold_place(place, port, coordinator, out))
    except RefusedError as error:
        _report_to_parent(error.refused, out)
        sys.exit(1)
    sys.exit()


def _report_to_parent(report: Report, out: IO[str]) -> None:
    with contextlib.suppress(BrokenPipeError):  # who asked is gone: nothing to tell
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
                    raise RefusedError(f"the labgrid coordinator at {coordinator} went away, and the place with it")
                if not ended.done() and (now := _holder(session, place)) != holder:
                    raise RefusedError(f"the place was taken away: now {now or 'nobody'} holds it")


async def _end_of_input() -> None:
    """Wait until whoever started this program lets go, or it is told to end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, reader.feed_eof)
    await reader.read()


@contextlib.asynccontextmanager
async def _session(coordinator: str) -> AsyncIterator[ClientSession]:
    try:
        address = proxymanager.get_grpc_address(coordinator, default_port=DEFAULT_PORT)
    except Exception as error:
        raise RefusedError(f"'{coordinator}' is no host:port of a coordinator", usage=True) from error
    session = ClientSession(address, asyncio.get_running_loop(), args=argparse.Namespace())
    try:
        await asyncio.wait_for(session.start(), CONTACT_TIMEOUT)
    except (Error, TimeoutError) as error:
        raise RefusedError(
            f"the labgrid coordinator at {address} does not answer; does it run there? "
            "Name yours by the variable LG_COORDINATOR or labgrid://PLACE@host:port"
        ) from error
    try:
        yield session
    finally:
        session.stopping.set()  # what labgrid expects before it stops
        await session.stop()
        await session.close()


def _find(session: ClientSession, name: str) -> Place:
    """Return the place with this name or alias; labgrid's own client would do with a part of it."""
    for place in session.places.values():
        if name == place.name or name in place.aliases:
            return place
    if not session.places:
        raise RefusedError("this labgrid coordinator has no places", usage=True)
    raise RefusedError(unknown("place", name, sorted(session.places)), usage=True)


def _holder(session: ClientSession, place: Place) -> str | None:
    """Return who holds the place now, as host/user."""
    return place.acquired if session.places.get(place.name) is place else None


@contextlib.asynccontextmanager
async def _held(session: ClientSession, place: Place) -> AsyncIterator[str]:
    """Hold the place; it stays with whom had it before, if that is this user or one who allows this user."""
    me = f"{session.gethostname()}/{session.getuser()}"
    session.args.place = place.name
    session.args.allow_unmatched = False
    session.args.acquired = me
    if place.acquired is not None:
        if me != place.acquired and me not in place.allowed:
            raise RefusedError(f"the place {place.name} is held by {place.acquired}; it must be released there first")
        yield place.acquired
        return
    try:
        try:
            await asyncio.wait_for(session.acquire(), ACQUIRE_TIMEOUT)
        except (Error, TimeoutError) as error:
            raise RefusedError(f"labgrid gives no place {place.name}: {_words(error)}") from error
        yield me
    finally:
        if place.acquired == me and not session.stopping.is_set():
            try:
                await asyncio.wait_for(session.release_from(), ACQUIRE_TIMEOUT)
            except (Error, TimeoutError) as error:
                raise RefusedError(f"labgrid says: {_words(error)}") from error


async def _url(session: ClientSession, place: Place, wanted: str) -> str:
    """Return the URL of a serial port of the place once it is there."""
    entry = _serial_port(session, place, wanted)
    waiting = PORT_TIMEOUT
    while not entry.avail or entry.args.get("port") is None:
        if waiting <= 0:
            raise RefusedError(f"the serial port of {place.name} is not there; is the board connected to its exporter?")
        await asyncio.sleep(POLL_INTERVAL)
        waiting -= POLL_INTERVAL
    arguments = entry.args
    resource = NetworkSerialPort(target=None, name=None, **arguments)
    resource.extra = entry.extra
    host, number = proxymanager.get_host_and_port(resource)  # may go through ssh, if the exporter asks for that
    address = f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
    if resource.protocol == "raw":
        return f"socket://{address}"
    if resource.protocol == "rfc2217":
        # A port without modem lines never confirms their setting: labgrid's own driver does not wait for that, either.
        return f"rfc2217://{address}?ign_set_control"
    raise RefusedError(f"the serial port of {place.name} has an unknown protocol: {resource.protocol}")


def _serial_port(session: ClientSession, place: Place, wanted: str) -> ResourceEntry:
    try:
        resources = {name: entry for (name, _), entry in session.get_target_resources(place).items()}
    except Error as error:
        raise RefusedError(f"the place {place.name} cannot be used: {_words(error)}") from error
    ports = {name: entry for name, entry in resources.items() if entry.cls == "NetworkSerialPort"}
    if not ports:
        has = ", ".join(sorted(entry.cls for entry in resources.values())) or "nothing"
        raise RefusedError(f"the place {place.name} has no serial port; it has: {has}", usage=True)
    if wanted and wanted not in ports:
        raise RefusedError(unknown(f"serial port of {place.name}", wanted, sorted(ports)), usage=True)
    if not wanted and len(ports) > 1:
        names = ", ".join(sorted(ports))
        raise RefusedError(
            f"the place {place.name} has several serial ports: {names}; choose: labgrid://{place.name}/PORT", usage=True
        )
    return ports[wanted] if wanted else next(iter(ports.values()))


def _words(error: Exception) -> str:
    return " ".join(str(word) for word in error.args) or "it does not answer"


if __name__ == "__main__":
    main()
