"""The targets by name: how each is reached, a program that speaks the console protocol; opening one is `opening`'s."""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from intercore.board.boards import ESP32, ESP32P4, ESP32S3, PICO, PICO_AMP, STM32H745, Board, unknown_board
from intercore.board.factors import HOST_TRACE, OPT, Factor, check
from intercore.board.sources import USUAL_SOURCES, Sources
from intercore.errors import UsageError, unknown
from intercore.link.port import DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from intercore.board.boards import Flashing
    from intercore.record.measurement import Level
    from intercore.record.origin import Origin
    from intercore.target.connection import Connection

DEFAULT_BAUD = 115200
ESP_PATIENCE = 600.0
"""Seconds: the largest work of seed 000, N = 10,000,000, takes an ESP32 41 s on one core and 20 s on two at 240 MHz
(its Table 1), three times as long at 80 MHz, and it is silent meanwhile. It is to be over before the target is looked
for elsewhere (`exchange.HUNT_SHARE`)."""
QEMU_PATIENCE = 120.0
"""Seconds: the same work takes QEMU some ten on a machine that has time for it."""


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
    image: Path | None = None
    """The whole flash of an emulated chip, if that is here already; else it is built."""
    programs: tuple[Path, ...] = ()
    """What a simulated chip runs, a file for each image, if they are here already; none to build them."""
    flashing: Flashing | None = None
    """How a board is flashed with what `build` says, before it is opened; None if it may not be."""
    emulated: bool = False
    """Whether the user says that what is behind the port is an emulator, which the tool cannot see."""
    sources: Sources = USUAL_SOURCES
    """What its program is built from, where that is built when the target is opened."""


class Kind(enum.Enum):
    """How a target is reached, and where its numbers come from."""

    HOST = "host"
    """A program on this machine, built when the target is opened."""
    SIMULATED = "simulated"
    """A simulated chip that counts every cycle, in this process; its program is built when the target is opened."""
    EMULATED = "emulated"
    """An emulated chip, whose times mean nothing; its program is built when the target is opened."""
    BOARD = "board"
    """A known kind of board at a serial port; its program is put there by `intercore flash`, or by a plan file."""
    SERIAL = "serial"
    """Whatever speaks the console protocol at a serial port."""


class UnknownTargetError(UsageError):
    """There is no target of that name."""


class Target(msgspec.Struct, frozen=True):
    """Where benchmarks run, by the name that a user gives."""

    name: str
    summary: str
    kind: Kind
    factors: tuple[Factor, ...] = ()
    """What its program can be built or configured with; in the case of `flashed`, when that is done."""
    board: Board | None = None
    """For which its program is built, if it is for one."""
    patience: float = DEFAULT_TIMEOUT
    """Seconds that it may be silent if the user names no others: its longest repetition must fit."""

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """Open the target, saying what takes time; raises IntercoreError."""
        connection = self._opened(address, say)
        return replace(connection, emulator="an emulator, as the user says") if address.emulated else connection

    def _opened(self, address: Address, say: Callable[[str], None]) -> Connection:
        # Here, since ports, builders and the simulator take tenths of a second to load, and most commands open nothing.
        from intercore.target import opening  # noqa: PLC0415

        match self.kind, self.board:
            case Kind.HOST, _:
                return opening.open_host(address, say)
            case Kind.SIMULATED, Board() as board:
                return opening.open_simulated(board, address, say)
            case Kind.EMULATED, Board() as board if self.runs_image:
                return opening.open_qemu_esp(board, address, say)
            case Kind.EMULATED, Board() as board:
                return opening.open_stm32h745(board, address, say)
            case Kind.BOARD, Board() as board:
                return opening.open_board(board, address, say)
            case _:
                return opening.open_serial(address)

    @property
    def built_here(self) -> bool:
        """Whether its program is built when the target is opened, so that a plan can vary its factors."""
        return self.kind in {Kind.HOST, Kind.SIMULATED, Kind.EMULATED}

    @property
    def runs_image(self) -> bool:
        """Whether it can be opened with an image of a whole flash, instead of having one built."""
        return self.emulated and self.board is not None and self.board.flashed_by == "esptool"

    @property
    def from_sources(self) -> bool:
        """Whether its program is built by our own recipe when it is opened, and not by ESP-IDF."""
        return self.built_here and not self.runs_image

    @property
    def in_process(self) -> bool:
        """Whether it is a chip that a process of this tool simulates: for its times, or for its function alone.

        It can have faults that are asked for, and counts a time of its own, so it comes out the same wherever it is.
        """
        return self.from_sources and self.board is not None

    @property
    def interpreted(self) -> bool:
        """Whether each of its instructions is interpreted, for what it does alone: more work tells no more."""
        return self.in_process and self.emulated

    @property
    def simulated(self) -> bool:
        """Whether its numbers come from a simulated chip; then everything says so."""
        return self.kind is Kind.SIMULATED

    @property
    def emulated(self) -> bool:
        """Whether its numbers come from an emulated chip, whose times mean nothing; then everything says so."""
        return self.kind is Kind.EMULATED

    @property
    def alone(self) -> bool:
        """Whether nothing else of ours may run on this machine meanwhile: what it does takes this machine's time.

        A simulated chip runs here as well, but counts its own time; so it comes out the same however busy we are.
        """
        return self.built_here and not self.in_process

    @property
    def flashed(self) -> bool:
        """Whether its program is put there by `intercore flash`, or by a plan file that names its factors."""
        return self.kind is Kind.BOARD

    @property
    def origin(self) -> Origin:
        """Where its numbers come from."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


def _of_board(kind: Kind, name: str, summary: str, board: Board, patience: float = DEFAULT_TIMEOUT) -> Target:
    return Target(name, summary, kind, board.factors, board, patience)


TARGETS = (
    Target(
        "host",
        "this machine: Linux, POSIX threads pinned to cores; built here from the firmware's sources",
        Kind.HOST,
        (OPT, HOST_TRACE),
    ),
    _of_board(
        Kind.SIMULATED,
        "pico-sim",
        "simulated Raspberry Pi Pico (RP2040), no board needed; FreeRTOS SMP, built here as for a real one",
        PICO,
    ),
    _of_board(Kind.SIMULATED, "pico-amp-sim", "the same in AMP: each core with a FreeRTOS kernel of its own", PICO_AMP),
    _of_board(
        Kind.EMULATED,
        "stm32h745-sim",
        "the STM32H745's programs on simulated cores, no board needed. FUNCTION ONLY: times mean nothing",
        STM32H745,
    ),
    _of_board(
        Kind.BOARD,
        PICO.name,
        "Raspberry Pi Pico at a serial adapter, by --port; its program: intercore flash pico",
        PICO,
    ),
    _of_board(Kind.BOARD, PICO_AMP.name, "the same in AMP; its program: intercore flash pico-amp", PICO_AMP),
    _of_board(
        Kind.BOARD,
        STM32H745.name,
        "STM32H745 (NUCLEO-H745ZI-Q), a kernel on each core, at its ST-LINK's serial port, by --port; "
        "its programs: intercore flash stm32h745",
        STM32H745,
    ),
    _of_board(
        Kind.BOARD,
        ESP32.name,
        "ESP32 (ESP32-DevKitC and the like) at its USB serial port, by --port; its program: intercore flash esp32",
        ESP32,
        ESP_PATIENCE,
    ),
    _of_board(
        Kind.BOARD,
        ESP32S3.name,
        "ESP32-S3, likewise; its program: intercore flash esp32s3",
        ESP32S3,
        ESP_PATIENCE,
    ),
    _of_board(
        Kind.BOARD,
        ESP32P4.name,
        "ESP32-P4, likewise; it never ran on one; its program: intercore flash esp32p4",
        ESP32P4,
        ESP_PATIENCE,
    ),
    _of_board(
        Kind.EMULATED,
        "esp32-qemu",
        "the ESP32's program on Espressif's QEMU, no board needed. FUNCTION ONLY: times mean nothing",
        ESP32,
        QEMU_PATIENCE,
    ),
    Target(
        "serial",
        "any board or program that speaks the console protocol, by --port (a device, a pyserial URL or labgrid://PLACE)",
        Kind.SERIAL,
    ),
)


def find(name: str) -> Target:
    """Return the target called `name`. Raises UnknownTargetError that names the nearest one there is."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise UnknownTargetError(unknown_board("target", name, (target.name for target in TARGETS)))


def usual_builds() -> dict[str, dict[str, Level]]:
    """Return the default levels of each target's own factors, by its name."""
    return {target.name: {factor.name: factor.default for factor in target.factors} for target in TARGETS}


def check_address(target: Target, address: Address) -> None:
    """Raise UsageError if the address says something that has no meaning for the target: before anything is built."""
    if target.built_here and address.port is not None:
        meant = "serial" if target.board is None else target.board.name
        raise UsageError(f"the target {target.name} runs on this machine and has no --port; did you mean '{meant}'?")
    check_sources(target, address.sources)
    if address.emulated and target.kind not in {Kind.BOARD, Kind.SERIAL}:
        raise UsageError(f"--emulated is said of what is behind a port; the target {target.name} needs no such word")
    if address.faults and not target.in_process:
        raise UsageError(f"--fault is for simulated targets, such as pico-sim; {target.name} has its own")
    if address.image is not None and target.runs_image and address.build:
        name = next(iter(address.build))
        raise UsageError(f"an image was built already: leave out {name}, or the image")
    if address.faults:
        # Here, since the simulator takes tenths of a second to load.
        from intercore.target.simulated_chip import check_faults  # noqa: PLC0415

        check_faults(address.faults, stm32h745=target.board is STM32H745)
    if address.image is not None and not target.runs_image:
        flashed = (
            "" if target.board is None else f"; to put one on a board: intercore flash {target.board.name} --image FILE"
        )
        raise UsageError(f"{target.name} runs no image that is named when it is opened{flashed}")
    check_factors(target, address.build, flashing=address.flashing is not None)
    for factor in target.factors:
        if factor.name in address.build:
            factor.level(str(address.build[factor.name]))
    check(target.factors, address.build)


def check_sources(target: Target, sources: Sources) -> None:
    """Raise UsageError if the target's program is not built here from sources that a user may name."""
    if sources == USUAL_SOURCES:
        return
    if not target.from_sources:
        named = "--kernel" if sources.kernel is not None else "--firmware"
        hint = ""
        if sources.own is not None:
            named = "a workload of your own"
            level = sources.own.level
            hint = f". A program that is built elsewhere adds one, and it is measured as {level}: docs/own-work.md"
        raise UsageError(
            f"{named} is for targets whose program is built here when they are opened ("
            f"{', '.join(one.name for one in TARGETS if one.from_sources)}); {target.name} is none{hint}"
        )
    if sources.kernel is not None and target.board is None:
        raise UsageError(f"--kernel names a FreeRTOS kernel, and {target.name} has none: it runs on this machine's own")


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
                "run without it; the numbers are stored with what the program was built with. A plan file may name it: "
                "intercore sweep flashes the board for each level"
            )
        raise UsageError(f"{name} ({option}) has no meaning for {target.name}: its program is not built here")


def option_of(factor: str) -> str:
    """Return the option of `intercore build` and `intercore flash` for a factor: `--clock-mhz`."""
    return f"--{factor.replace('_', '-')}"
