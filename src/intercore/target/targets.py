"""The targets by name: how each is reached, a program that speaks the console protocol; opening one is `opening`'s."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

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
ESP_TIMEOUT = 600.0
"""Seconds: the largest work of seed 000, N = 10,000,000, takes an ESP32 41 s on one core and 20 s on two at 240 MHz
(its Table 1), three times as long at 80 MHz, and it is silent meanwhile. It is to be over before the target is looked
for elsewhere (`exchange.RATE_SEARCH_SHARE`)."""
QEMU_TIMEOUT = 120.0
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


class UnknownTargetError(UsageError):
    """There is no target of that name."""


class Target(msgspec.Struct, frozen=True):
    """Where benchmarks run, by the name that a user gives; each kind of target is a class that derives from this."""

    name: str
    summary: str
    factors: tuple[Factor, ...] = ()
    """What its program can be built or configured with; in the case of `BoardTarget`, when it is flashed."""
    board: Board | None = None
    """For which its program is built, if it is for one."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds that it may be silent if the user names no others: its longest repetition must fit."""

    origin: ClassVar[Origin] = "measured"
    """Where its numbers come from; everything shown says so."""
    built_here: ClassVar[bool] = True
    """Whether its program is built when the target is opened, so that a plan can vary its factors."""
    own_recipe: ClassVar[bool] = True
    """Whether that is by our own recipe, from sources that a user may name, and not by ESP-IDF."""
    runs_on: ClassVar[Literal["board", "process", "machine"]]
    """What its work takes the time of. `board`: of a processor of its own, so others run meanwhile. `process`: of none,
    since a chip that a process of this tool simulates counts a time of its own; any number run at once, each in a
    process. `machine`: of this machine, so nothing else of ours may run on it meanwhile."""
    interpreted: ClassVar[bool] = False
    """Whether each of its instructions is interpreted, for what it does alone: more work tells no more."""

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """Open the target; `say` is called with what takes time. Raises IntercoreError."""
        raise NotImplementedError

    def check(self, address: Address) -> None:
        """Raise UsageError if the address has a part without meaning for the target: before anything is built."""
        self._check_port(address)
        self.check_sources(address.sources)
        self._check_faults(address.faults)
        self._check_image(address)
        self.check_factors(address.build, flashing=address.flashing is not None)
        for factor in self.factors:
            if factor.name in address.build:
                factor.level(str(address.build[factor.name]))
        check(self.factors, address.build)

    def check_sources(self, sources: Sources) -> None:
        """Raise UsageError if the target's program is not built here from sources that a user may name."""
        if sources == USUAL_SOURCES:
            return
        if not (self.built_here and self.own_recipe):
            named = "--kernel" if sources.kernel is not None else "--firmware"
            hint = ""
            if sources.own is not None:
                named = "a workload of your own"
                level = sources.own.level
                hint = f". A program that is built elsewhere adds one, and it is measured as {level}: docs/own-work.md"
            able = ", ".join(one.name for one in TARGETS if one.built_here and one.own_recipe)
            raise UsageError(
                f"{named} is for targets whose program is built here when they are opened ({able}); {self.name} is "
                f"none{hint}"
            )
        if sources.kernel is not None and self.board is None:
            raise UsageError(
                f"--kernel names a FreeRTOS kernel, and {self.name} has none: it runs on this machine's own"
            )

    def check_factors(self, levels: Mapping[str, Level | Sequence[str]], *, flashing: bool = False) -> None:
        """Raise UsageError if the target cannot be built or configured with a factor that is named here.

        `flashing` says whether a board may be flashed for that.
        """
        names = [factor.name for factor in self.factors]
        for name, given in levels.items():
            if name not in names and self.factors:
                raise UsageError(unknown(f"factor of {self.name}", name, names))
            self._check_chosen_now(name, given[0] if isinstance(given, list | tuple) else given, flashing=flashing)

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:
        """Raise UsageError if a factor of the target cannot be chosen when it is opened, flashed before or not."""

    def _check_port(self, address: Address) -> None:
        if address.port is not None:
            meant = "serial" if self.board is None else self.board.name
            raise UsageError(f"the target {self.name} runs on this machine and has no --port; did you mean '{meant}'?")
        if address.emulated:
            raise UsageError(f"--emulated is said of what is behind a port; the target {self.name} needs no such word")

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            raise UsageError(f"--fault is for simulated targets, such as pico-sim; {self.name} has its own")

    def _check_image(self, address: Address) -> None:
        if address.image is not None:
            name = None if self.board is None else self.board.name
            flashed = "" if name is None else f"; to put one on a board: intercore flash {name} --image FILE"
            raise UsageError(f"{self.name} runs no image that is named when it is opened{flashed}")


class Host(Target, frozen=True):
    """A program on this machine, built when the target is opened."""

    runs_on = "machine"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_host(address, say)


class SimulatedTarget(Target, frozen=True, kw_only=True):
    """A simulated chip that counts every cycle, in this process; its program is built when the target is opened."""

    board: Board

    origin: ClassVar[Origin] = "simulated"
    runs_on = "process"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_simulated(self.board, address, say)

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            from intercore.target.simulated_chip import check_faults

            check_faults(faults)


class FunctionOnlyTarget(SimulatedTarget, frozen=True):
    """A simulated STM32H745: it counts no cycles, so its times mean nothing."""

    origin = "emulated"
    interpreted = True

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_stm32h745(self.board, address, say)

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            from intercore.target.simulated_chip import check_faults

            check_faults(faults, stm32h745=True)


class EmulatedTarget(Target, frozen=True, kw_only=True):
    """A chip on an emulator, whose times mean nothing; its image is named, or built by ESP-IDF when it is opened."""

    board: Board

    origin = "emulated"
    own_recipe = False
    runs_on = "machine"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_qemu_esp(self.board, address, say)

    def _check_image(self, address: Address) -> None:
        if address.image is not None and address.build:
            raise UsageError(f"an image was built already: leave out {next(iter(address.build))}, or the image")


class SerialTarget(Target, frozen=True):
    """Whatever speaks the console protocol at a serial port."""

    built_here = False
    runs_on = "board"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        connection = self._opened(address, say)
        return replace(connection, emulator="an emulator, as the user says") if address.emulated else connection

    def _opened(self, address: Address, say: Callable[[str], None]) -> Connection:  # noqa: ARG002
        from intercore.target import opening

        return opening.open_serial(address)

    def _check_port(self, address: Address) -> None:
        """Check nothing: only opening it can show whether there is a port, and what is behind it."""

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:  # noqa: ARG002
        option = option_of(name)
        raise UsageError(f"{name} ({option}) has no meaning for {self.name}: its program is not built here")


class BoardTarget(SerialTarget, frozen=True, kw_only=True):
    """A known kind of board at a serial port; its program is put there by `intercore flash`, or by a plan file."""

    board: Board

    def _opened(self, address: Address, say: Callable[[str], None]) -> Connection:
        from intercore.target import opening

        return opening.open_board(self.board, address, say)

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:
        if not flashing:
            raise UsageError(
                f"{name} is chosen when {self.name} is flashed: intercore flash {self.name} {option_of(name)} {level}, "
                "then run without it; the numbers are stored with what the program was built with. A plan file may "
                "name it: intercore sweep flashes the board for each level"
            )


_OfBoard: TypeAlias = SimulatedTarget | EmulatedTarget | BoardTarget


def _of_board(
    kind: type[_OfBoard], name: str, summary: str, board: Board, timeout: float = DEFAULT_TIMEOUT
) -> _OfBoard:
    return kind(name=name, summary=summary, factors=board.factors, board=board, timeout=timeout)


TARGETS: tuple[Target, ...] = (
    Host(
        "host",
        "this machine: Linux, POSIX threads pinned to cores; built here from the firmware's sources",
        (OPT, HOST_TRACE),
    ),
    _of_board(
        SimulatedTarget,
        "pico-sim",
        "simulated Raspberry Pi Pico (RP2040), no board needed; FreeRTOS SMP, built here as for a real one",
        PICO,
    ),
    _of_board(
        SimulatedTarget, "pico-amp-sim", "the same in AMP: each core with a FreeRTOS kernel of its own", PICO_AMP
    ),
    _of_board(
        FunctionOnlyTarget,
        "stm32h745-sim",
        "the STM32H745's programs on simulated cores, no board needed. FUNCTION ONLY: times mean nothing",
        STM32H745,
    ),
    _of_board(
        BoardTarget,
        PICO.name,
        "Raspberry Pi Pico at a serial adapter, by --port; its program: intercore flash pico",
        PICO,
    ),
    _of_board(BoardTarget, PICO_AMP.name, "the same in AMP; its program: intercore flash pico-amp", PICO_AMP),
    _of_board(
        BoardTarget,
        STM32H745.name,
        "STM32H745 (NUCLEO-H745ZI-Q), a kernel on each core, at its ST-LINK's serial port, by --port; "
        "its programs: intercore flash stm32h745",
        STM32H745,
    ),
    _of_board(
        BoardTarget,
        ESP32.name,
        "ESP32 (ESP32-DevKitC and the like) at its USB serial port, by --port; its program: intercore flash esp32",
        ESP32,
        ESP_TIMEOUT,
    ),
    _of_board(
        BoardTarget,
        ESP32S3.name,
        "ESP32-S3, likewise; its program: intercore flash esp32s3",
        ESP32S3,
        ESP_TIMEOUT,
    ),
    _of_board(
        BoardTarget,
        ESP32P4.name,
        "ESP32-P4, likewise; it never ran on one; its program: intercore flash esp32p4",
        ESP32P4,
        ESP_TIMEOUT,
    ),
    _of_board(
        EmulatedTarget,
        "esp32-qemu",
        "the ESP32's program on Espressif's QEMU, no board needed. FUNCTION ONLY: times mean nothing",
        ESP32,
        QEMU_TIMEOUT,
    ),
    SerialTarget(
        "serial",
        "any board or program that speaks the console protocol, by --port (a device, a pyserial URL or labgrid://PLACE)",
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


def option_of(factor: str) -> str:
    """Return the option of `intercore build` and `intercore flash` for a factor: `--clock-mhz`."""
    return f"--{factor.replace('_', '-')}"
