"""Opens targets: builds and starts programs, flashes boards, opens ports. Failures raise IntercoreError."""

from __future__ import annotations

import dataclasses
import time
from functools import partial
from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.board import elf
from intercore.board.build import board_image, host_program, work_conditions
from intercore.board.factors import OPT
from intercore.board.flash import flash
from intercore.board.stm32h745_factors import SUPPLY
from intercore.errors import IntercoreError, UsageError
from intercore.link.host_port import HostPort
from intercore.link.serial_port import SerialPort
from intercore.record.factors import TRACE_NAME
from intercore.sim import Rp2350, Stm32h745
from intercore.target import labgrid_port
from intercore.target.connection import Connection
from intercore.target.emulator import open_qemu
from intercore.target.simulated_chip import SimulatedChip, SimulatedPico
from intercore.target.targets import USB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from intercore.board.boards import Board
    from intercore.link.port import Port
    from intercore.target.targets import Address

REAPPEARING_S = 5.0
"""Seconds within which a port reappears after a reset."""


def open_host(address: Address, say: Callable[[str], None]) -> Connection:
    """Start the program on this machine. It can be restarted as long as its file is unchanged."""
    trace = int(address.build.get(TRACE_NAME, 0))
    program = host_program(str(address.build.get("opt", OPT.default)), say, address.sources, trace=trace)
    known = _identity(program)

    def start() -> Port:
        if _identity(program) != known:
            raise IntercoreError(f"{program} was rebuilt or replaced since the run began: start a new run")
        return HostPort([str(program)])

    known_here = work_conditions(address.sources)
    return Connection(start(), start=start, image=elf.digest([program]), conditions=known_here)


def _identity(program: Path) -> tuple[int, ...]:
    """Return a value that changes when a file is replaced or written."""
    try:
        found = program.stat()
    except OSError as error:
        raise IntercoreError(f"cannot read the program {program}: {error.strerror}") from None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def open_serial(address: Address, *, release: bool = False, wiring: str = "") -> Connection:
    """Open a serial port, local or in a labgrid laboratory; for `release` see SerialPort, for `wiring` Connection."""
    if address.port is None or not address.port.strip():
        hint = f"; {wiring}" if wiring else ""
        raise UsageError(
            f"a port is needed, e.g. --port /dev/ttyACM0, --port COM3 or --port socket://127.0.0.1:4000{hint}"
        )
    kind = labgrid_port.LabgridPort if address.port.startswith(labgrid_port.SCHEME) else SerialPort
    return Connection(kind(address.port, address.baud, release=release), wiring=wiring)


def open_simulated(board: Board, address: Address, say: Callable[[str], None]) -> Connection:
    """Power up a simulated chip with the program for its board."""
    programs, kernel = _programs(board, address, say)
    kind = Rp2350 if board.cores == "RISC-V" else None
    chip = SimulatedPico(programs[0], address.baud, address.faults, kind, usb=address.port == USB)
    known_here = work_conditions(address.sources, board)
    return Connection(chip.port, chip, image=elf.digest(programs), conditions=known_here, kernel=kernel)


def _programs(board: Board, address: Address, say: Callable[[str], None]) -> tuple[tuple[Path, ...], str]:
    """Return the programs of a simulated chip, and the kernel that they were built with here; empty if they existed."""
    if address.programs:
        return address.programs, ""
    image = board_image(board, address.build, say, address.sources)
    return image.elfs, str(image.kernel)


def open_board(board: Board, address: Address, say: Callable[[str], None]) -> Connection:
    """Open the serial port of a board; first flash it if `address` names a build and a way to flash it."""
    by_serial_port = board.flashed_by == "esptool"
    if address.build and address.flashing is not None:
        way = msgspec.structs.replace(address.flashing, port=address.port) if by_serial_port else address.flashing
        flashed = flash(board, address.build, way, say)
        say(flashed.words)
        opening = partial(open_serial, address, release=by_serial_port, wiring=board.console)
        connection = _reopened(opening) if by_serial_port else opening()
        return dataclasses.replace(connection, image=flashed.image, kernel=flashed.kernel)
    return open_serial(address, release=by_serial_port, wiring=board.console)


def _reopened(opening: Callable[[], Connection]) -> Connection:
    """Open a port that may be absent for a moment: a chip with native USB disappears at each reset."""
    deadline = time.monotonic() + REAPPEARING_S
    while True:
        try:
            return opening()
        except UsageError:
            raise
        except IntercoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def open_qemu_esp(board: Board, address: Address, say: Callable[[str], None]) -> Connection:
    """Start an emulated chip with the named image, or else the program for its board."""
    return open_qemu(address.image, partial(board_image, board, address.build, say))


def open_stm32h745(board: Board, address: Address, say: Callable[[str], None]) -> Connection:
    """Power up a simulated STM32H745, with the supply that its programs are built for."""
    programs, kernel = _programs(board, address, say)
    chip = Stm32h745(programs, supply=str(address.build.get(SUPPLY.name, SUPPLY.default)))
    simulated = SimulatedChip(chip, address.baud, address.faults)
    known_here = work_conditions(address.sources, board)
    what = f"Intercore {intercore.__version__}, a simulation that counts no cycles"
    return Connection(simulated.port, simulated, what, elf.digest(programs), known_here, kernel)
