"""Where a measurement runs. A target is a name for how to reach a program that speaks the console protocol."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.boards import ESP32, ESP32S3, PICO, PICO_AMP, STM32H745, Board, Flashing
from intercore.board.build import board_image, host_program
from intercore.errors import IntercoreError, UsageError, unknown
from intercore.link.child_port import ChildPort
from intercore.link.port import DEFAULT_TIMEOUT, Port
from intercore.link.serial_port import SerialPort
from intercore.record.factors import OPT, Factor, check
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.record.origin import Origin

DEFAULT_BAUD = 115200
ESP_PATIENCE = 600.0
"""Seconds: the largest work of seed 000, N = 10,000,000, takes an ESP32 41 s on one core and 20 s on two at 240 MHz
(its Table 1), three times as long at 80 MHz, and it is silent meanwhile. It is to be over before the target is looked
for elsewhere (`exchange.HUNT_SHARE`)."""
QEMU_PATIENCE = 120.0
"""Seconds: the same work takes QEMU some ten on a machine that has time for it."""
REAPPEARING_S = 5.0
"""Within which a port that went away with a reset is there again."""


class Address(msgspec.Struct, frozen=True):
    """What a user says about reaching a target, beside its name."""

    port: str | None = None
    """pyserial device or URL."""
    baud: int = DEFAULT_BAUD
    build: Mapping[str, Level] = {}
    """Levels of the target's factors; the others are at their defaults."""
    max_baud: int | None = None
    """Most bits per second to go to when target and port can do more than `baud`; None for no limit."""
    faults: tuple[str, ...] = ()
    """Faults to have on a simulated target, as for the option --fault of intercore-sim."""
    program: Path | None = None
    """What a simulated or emulated chip runs, if that is here already; else it is built."""
    flashing: Flashing | None = None
    """How a board is flashed with what `build` says, before it is opened; None if it may not be."""


class Target(msgspec.Struct, frozen=True):
    """A place where benchmarks run."""

    name: str
    summary: str
    open: Callable[[Address, Callable[[str], None]], Port]
    """Open the target, saying what takes time; raises IntercoreError."""
    factors: tuple[Factor, ...] = ()
    """What its program can be built or configured with; in the case of `flashed`, when that is done."""
    built_here: bool = False
    """Whether the program is compiled by this tool when the target is opened, so that a plan can vary its factors."""
    program: Callable[[Mapping[str, Level], Callable[[str], None]], Path] | None = None
    """Build what a simulated chip runs, with these levels of its factors, saying what takes time."""
    simulated: bool = False
    """Whether its numbers come from a simulated chip, exact in time; then everything says so."""
    emulated: bool = False
    """Whether its numbers come from an emulated chip, whose times mean nothing; then everything says so."""
    patience: float = DEFAULT_TIMEOUT
    """Seconds that it may be silent if the user names no others: its longest repetition must fit."""
    board: Board | None = None
    """For which its program is built, if it is for one."""
    flashed: bool = False
    """Whether its program is put there by `intercore flash`, or by a plan file that names its factors."""

    @property
    def origin(self) -> Origin:
        """Where its numbers come from."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


def _open_host(address: Address, say: Callable[[str], None]) -> Port:
    return ChildPort([str(host_program(str(address.build.get("opt", OPT.default)), say))])


def _open_serial(address: Address, _say: Callable[[str], None], *, release: bool = False) -> Port:
    if address.port is None:
        raise UsageError("which port? e.g. --port /dev/ttyACM0, --port COM3 or --port socket://127.0.0.1:4000")
    if address.port.startswith("labgrid://"):
        from intercore.target.laboratory import PlacePort  # noqa: PLC0415 - few boards are in a laboratory

        return PlacePort(address.port, address.baud, release=release)
    return SerialPort(address.port, address.baud, release=release)


def _simulated(name: str, summary: str, board: Board) -> Target:
    """Return the target that simulates a board: its program is built for that, and run on the simulated chip."""

    def program(build: Mapping[str, Level], say: Callable[[str], None]) -> Path:
        return board_image(board, build, say).elf

    def open_port(address: Address, say: Callable[[str], None]) -> Port:
        from intercore.target.simulated_port import SimulatedPort  # noqa: PLC0415 - the other targets do without the simulator

        return SimulatedPort(address.program or program(address.build, say), address.baud, address.faults)

    return Target(
        name, summary, open_port, board.factors, built_here=True, program=program, simulated=True, board=board
    )


def _flashed(summary: str, board: Board, patience: float = DEFAULT_TIMEOUT) -> Target:
    """Return the target that is a board at a serial port."""
    opening = partial(_open_board, board)
    return Target(board.name, summary, opening, board.factors, board=board, flashed=True, patience=patience)


def _open_board(board: Board, address: Address, say: Callable[[str], None]) -> Port:
    by_serial_port = board.flashed_by == "esptool"
    if address.build and address.flashing is not None:
        from intercore.board.flash import flash  # noqa: PLC0415 - for plans that flash alone

        way = msgspec.structs.replace(address.flashing, port=address.port) if by_serial_port else address.flashing
        say(flash(board, address.build, way, say))
        if by_serial_port:
            return _reopened(partial(_open_serial, address, say, release=True))
    return _open_serial(address, say, release=by_serial_port)


def _reopened(opening: Callable[[], Port]) -> Port:
    """Open a port that may be gone for a moment: a chip with USB of its own vanishes with each reset."""
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


def _open_qemu(address: Address, say: Callable[[str], None]) -> Port:
    from intercore.target.emulator import open_qemu  # noqa: PLC0415 - for this target alone

    def image() -> Path:
        from intercore.board.esp_idf import whole_flash  # noqa: PLC0415 - and only if there is no image yet

        return whole_flash(ESP32, address.build, say)

    return open_qemu(address.program, image)


TARGETS = (
    Target(
        name="host",
        summary="this machine: Linux, POSIX threads pinned to cores; built here from the firmware's sources",
        open=_open_host,
        factors=(OPT,),
        built_here=True,
    ),
    _simulated(
        "pico-sim",
        "simulated Raspberry Pi Pico (RP2040), no board needed; FreeRTOS SMP, built here as for a real one",
        PICO,
    ),
    _simulated("pico-amp-sim", "the same in AMP: each core with a FreeRTOS kernel of its own", PICO_AMP),
    _flashed("Raspberry Pi Pico at a serial adapter, by --port; its program: intercore flash pico", PICO),
    _flashed("the same in AMP; its program: intercore flash pico-amp", PICO_AMP),
    _flashed(
        "STM32H745 (NUCLEO-H745ZI-Q), a kernel on each core, at its ST-LINK's serial port, by --port; "
        "its programs: intercore flash stm32h745",
        STM32H745,
    ),
    _flashed(
        "ESP32 (ESP32-DevKitC and the like) at its USB serial port, by --port; its program: intercore flash esp32",
        ESP32,
        ESP_PATIENCE,
    ),
    _flashed("ESP32-S3, likewise; its program: intercore flash esp32s3", ESP32S3, ESP_PATIENCE),
    Target(
        name="esp32-qemu",
        summary="the ESP32's program on Espressif's QEMU, no board needed. FUNCTION ONLY: times mean nothing",
        open=_open_qemu,
        factors=ESP32.factors,
        built_here=True,
        emulated=True,
        board=ESP32,
        patience=QEMU_PATIENCE,
    ),
    Target(
        name="serial",
        summary="any board or program that speaks the console protocol, by --port (a device, a pyserial URL or labgrid://PLACE)",
        open=_open_serial,
    ),
)


def find(name: str) -> Target:
    """Return the target called `name`. Raises UsageError that names the nearest one there is."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise UsageError(unknown("target", name, (target.name for target in TARGETS)))


def check_address(target: Target, address: Address) -> None:
    """Raise UsageError if the address says something that has no meaning for the target."""
    if target.built_here and address.port is not None:
        meant = "serial" if target.board is None else target.board.name
        raise UsageError(f"the target {target.name} runs on this machine and has no --port; did you mean '{meant}'?")
    if address.faults and not target.simulated:
        raise UsageError(f"--fault is for simulated targets, such as pico-sim; {target.name} has its own")
    if address.program is not None and target.emulated and address.build:
        name = next(iter(address.build))
        raise UsageError(f"an image was built already: leave out {name}, or the image")
    if address.program is not None and not (target.emulated or target.simulated):
        flashed = (
            "" if target.board is None else f"; to put one on a board: intercore flash {target.board.name} --image FILE"
        )
        raise UsageError(f"{target.name} runs no image that is named when it is opened{flashed}")
    check_factors(target, address.build, flashing=address.flashing is not None)
    for factor in target.factors:
        if factor.name in address.build:
            factor.level(str(address.build[factor.name]))
    check(target.factors, address.build)


def check_factors(target: Target, levels: Mapping[str, Level | Sequence[str]], *, flashing: bool = False) -> None:
    """Raise UsageError if the target cannot be built or configured with a factor that is named here.

    `flashing` says whether a board may be flashed for that.
    """
    names = [factor.name for factor in target.factors]
    for name, given in levels.items():
        if name not in names and target.factors:
            raise UsageError(unknown(f"factor of {target.name}", name, names))
        if target.built_here or (target.flashed and flashing):
            continue
        level = given[0] if isinstance(given, list | tuple) else given
        option = option_of(name)
        if target.flashed:
            raise UsageError(
                f"{name} is chosen when {target.name} is flashed: intercore flash {target.name} {option} {level}, then "
                "run without it; what the program was built with travels with the numbers. A plan file may name it: "
                "intercore sweep flashes the board for each level"
            )
        raise UsageError(f"{name} ({option}) has no meaning for {target.name}: its program is not built here")


def option_of(factor: str) -> str:
    """Return the option of `intercore build` and `intercore flash` for a factor: `--clock-mhz`."""
    return f"--{factor.replace('_', '-')}"
