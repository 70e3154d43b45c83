"""The targets by name and their properties; `opening` opens them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import msgspec

from intercore.board.boards import ESP32, ESP32P4, ESP32S3, PICO, PICO2_RISCV, PICO_AMP, STM32H745, Board, unknown_board
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
USB = "usb"
"""The port of a simulated chip whose console is at its USB cable, and not at its UART."""
ESP_TIMEOUT = 600.0
"""Seconds: the largest work of seed 000, N = 10,000,000, takes an ESP32 41 s on one core and 20 s on two at 240 MHz
(its Table 1), three times as long at 80 MHz, without any output. That must end before the tool searches for the target
at other bit rates (`exchange.RATE_SEARCH_SHARE`)."""
QEMU_TIMEOUT = 120.0
"""Seconds: the same work takes QEMU some ten on an idle machine."""


class Address(msgspec.Struct, frozen=True):
    """How to reach a target: the user's options other than its name."""

    port: str | None = None
    """pyserial device or URL; of a simulated chip `usb`, or None for its UART."""
    baud: int = DEFAULT_BAUD
    build: Mapping[str, Level] = {}
    """Levels of the target's factors; others have their defaults."""
    max_baud: int | None = None
    """Limit in bits per second for raising the rate above `baud`; None for no limit."""
    faults: tuple[str, ...] = ()
    """Faults of a simulated target, as for the option --fault of intercore-sim."""
    image: Path | None = None
    """Existing whole flash image of an emulated chip; None to build one."""
    programs: tuple[Path, ...] = ()
    """Existing programs of a simulated chip, a file for each image; empty to build them."""
    flashing: Flashing | None = None
    """How to flash a board with `build` before it is opened; None if it must not be flashed."""
    emulated: bool = False
    """Whether the user declares the target behind the port as an emulator, which the tool cannot detect."""
    sources: Sources = USUAL_SOURCES
    """The sources of its program, if that is built when the target is opened."""


class UnknownTargetError(UsageError):
    """There is no target of that name."""


class Target(msgspec.Struct, frozen=True):
    """Where benchmarks run, by name; each kind of target is a subclass."""

    name: str
    summary: str
    factors: tuple[Factor, ...] = ()
    """Its build factors; those of a `BoardTarget` are chosen when it is flashed."""
    board: Board | None = None
    """The board that its program is built for, if any."""
    timeout: float = DEFAULT_TIMEOUT
    """Default for the longest permitted silence, in seconds: its longest repetition must fit."""

    origin: ClassVar[Origin] = "measured"
    """Origin of its numbers; every output names it."""
    built_here: ClassVar[bool] = True
    """Whether its program is built when the target is opened, so that a plan can vary its factors."""
    own_recipe: ClassVar[bool] = True
    """Whether it is built by CMake from sources that a user may name, and not by ESP-IDF."""
    runs_on: ClassVar[Literal["board", "process", "machine"]]
    """Where its work is timed. `board`: on a separate processor, so other targets can run at the same time. `process`:
    in simulated time, so any number can run at the same time, each in a process of this tool. `machine`: on this
    machine, so nothing else of this tool may run at the same time."""
    interpreted: ClassVar[bool] = False
    """Whether each instruction is interpreted, only for function: more work gives no more information."""

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """Open the target; `say` reports progress. Raises IntercoreError."""
        raise NotImplementedError

    def check(self, address: Address) -> None:
        """Raise UsageError if an option does not apply to the target; called before anything is built."""
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
        """Raise UsageError if the target's program cannot be built from these sources."""
        if sources == USUAL_SOURCES:
            return
        if not (self.built_here and self.own_recipe):
            named = "--kernel" if sources.kernel is not None else "--firmware"
            hint = ""
            if sources.own is not None:
                named = "your own workload"
                level = sources.own.level
                hint = f". If you have built a program with your workload, give workload={level}: see docs/own-work.md"
            able = ", ".join(one.name for one in TARGETS if one.built_here and one.own_recipe)
            raise UsageError(
                f"{named} applies only to targets whose program the tool builds ({able}), not to {self.name}{hint}"
            )
        if sources.kernel is not None and self.board is None:
            raise UsageError(
                f"--kernel names a FreeRTOS kernel, but {self.name} uses the kernel of this machine: omit --kernel"
            )

    def check_factors(self, levels: Mapping[str, Level | Sequence[str]], *, flashing: bool = False) -> None:
        """Raise UsageError if the target does not have one of these factors.

        `flashing` permits levels that a board is flashed for.
        """
        names = [factor.name for factor in self.factors]
        for name, given in levels.items():
            if name not in names and self.factors:
                raise UsageError(unknown("build factor", name, names, f"{self.name} has"))
            self._check_chosen_now(name, given[0] if isinstance(given, list | tuple) else given, flashing=flashing)

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:
        """Raise UsageError if a factor cannot be chosen when the target is opened, with or without flashing it."""

    def _check_port(self, address: Address) -> None:
        if address.port is not None:
            meant = "serial" if self.board is None else self.board.name
            raise UsageError(
                f"the target {self.name} runs on this machine and has no port: omit --port. Did you mean the target "
                f"'{meant}'?"
            )
        if address.emulated:
            raise UsageError(f"--emulated applies only to targets at a port: omit --emulated for {self.name}")

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            raise UsageError(
                f"--fault applies only to simulated targets, such as pico-sim: omit --fault for {self.name}"
            )

    def _check_image(self, address: Address) -> None:
        if address.image is not None:
            name = None if self.board is None else self.board.name
            flashed = "" if name is None else f". To flash an image to a board: intercore flash {name} --image FILE"
            raise UsageError(f"--image does not apply to {self.name}: omit --image{flashed}")


class Host(Target, frozen=True):
    """A program on this machine, built when the target is opened."""

    runs_on = "machine"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_host(address, say)


class SimulatedTarget(Target, frozen=True, kw_only=True):
    """A simulated chip in this process that counts every cycle; its program is built when the target is opened."""

    board: Board

    origin: ClassVar[Origin] = "simulated"
    runs_on = "process"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_simulated(self.board, address, say)

    def _check_port(self, address: Address) -> None:
        if address.port == USB:
            super()._check_port(msgspec.structs.replace(address, port=None))
        else:
            super()._check_port(address)

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            from intercore.target.simulated_chip import check_faults

            check_faults(faults)


class FunctionOnlyTarget(SimulatedTarget, frozen=True):
    """A simulated STM32H745: it counts no cycles, so its times mean nothing."""

    origin = "emulated"
    interpreted = True

    def _check_port(self, address: Address) -> None:
        Target._check_port(self, address)  # its console has no USB cable

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        from intercore.target import opening

        return opening.open_stm32h745(self.board, address, say)

    def _check_faults(self, faults: tuple[str, ...]) -> None:
        if faults:
            from intercore.target.simulated_chip import check_faults

            check_faults(faults, stm32h745=True)


class EmulatedTarget(Target, frozen=True, kw_only=True):
    """A chip on an emulator, whose times mean nothing; its image is given, or built by ESP-IDF when it is opened."""

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
            raise UsageError(
                f"{next(iter(address.build))} has no effect on an image that is already built: omit that factor, or "
                "omit --image"
            )


class SerialTarget(Target, frozen=True):
    """Any program that speaks the console protocol at a serial port."""

    built_here = False
    runs_on = "board"

    def open(self, address: Address, say: Callable[[str], None]) -> Connection:
        """See Target."""
        connection = self._opened(address, say)
        return replace(connection, emulator="an emulator (declared by the user)") if address.emulated else connection

    def _opened(self, address: Address, say: Callable[[str], None]) -> Connection:  # noqa: ARG002
        from intercore.target import opening

        return opening.open_serial(address)

    def _check_port(self, address: Address) -> None:
        """Accept any port: only opening it shows whether it exists."""

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:  # noqa: ARG002
        option = option_of(name)
        raise UsageError(
            f"{name} ({option}) does not apply to the target {self.name}, because the tool does not build the program "
            f"that runs there: omit {name}"
        )


class BoardTarget(SerialTarget, frozen=True, kw_only=True):
    """A known board at a serial port, flashed by `intercore flash` or by a plan file."""

    board: Board

    def _opened(self, address: Address, say: Callable[[str], None]) -> Connection:
        from intercore.target import opening

        return opening.open_board(self.board, address, say)

    def _check_chosen_now(self, name: str, level: object, *, flashing: bool) -> None:
        if not flashing:
            raise UsageError(
                f"{name} can only be chosen when {self.name} is flashed. Flash it: intercore flash {self.name} "
                f"{option_of(name)} {level}. Then run again without {name}: the run stores the level. To vary {name}, "
                "use a plan file: intercore sweep flashes the board for each level"
            )


_OfBoard: TypeAlias = SimulatedTarget | EmulatedTarget | BoardTarget


def _of_board(
    kind: type[_OfBoard], name: str, summary: str, board: Board, timeout: float = DEFAULT_TIMEOUT
) -> _OfBoard:
    return kind(name=name, summary=summary, factors=board.factors, board=board, timeout=timeout)


TARGETS: tuple[Target, ...] = (
    Host(
        "host",
        "this machine (Linux): POSIX threads pinned to cores; the tool builds the program",
        (OPT, HOST_TRACE),
    ),
    _of_board(
        SimulatedTarget,
        "pico-sim",
        "simulated Raspberry Pi Pico (RP2040) with FreeRTOS SMP, no board needed; runs the same program as a real one",
        PICO,
    ),
    _of_board(
        SimulatedTarget,
        "pico-amp-sim",
        "simulated Raspberry Pi Pico in AMP: each core runs its own FreeRTOS kernel",
        PICO_AMP,
    ),
    _of_board(
        SimulatedTarget,
        "pico2-riscv-sim",
        "simulated Raspberry Pi Pico 2 (RP2350) with FreeRTOS SMP on its RISC-V cores, no board needed",
        PICO2_RISCV,
    ),
    _of_board(
        FunctionOnlyTarget,
        "stm32h745-sim",
        "simulated STM32H745, no board needed. FUNCTION ONLY: times mean nothing",
        STM32H745,
    ),
    _of_board(
        BoardTarget,
        PICO.name,
        "Raspberry Pi Pico on a serial adapter (--port); to flash it: intercore flash pico",
        PICO,
    ),
    _of_board(
        BoardTarget,
        PICO_AMP.name,
        "Raspberry Pi Pico in AMP, on a serial adapter (--port); to flash it: intercore flash pico-amp",
        PICO_AMP,
    ),
    _of_board(
        BoardTarget,
        PICO2_RISCV.name,
        "Raspberry Pi Pico 2 (RP2350) on a serial adapter (--port), with its RISC-V cores, not yet tried; "
        "to flash it: intercore flash pico2-riscv",
        PICO2_RISCV,
    ),
    _of_board(
        BoardTarget,
        STM32H745.name,
        "STM32H745 (NUCLEO-H745ZI-Q) in AMP, on the serial port of its ST-LINK (--port); "
        "to flash it: intercore flash stm32h745",
        STM32H745,
    ),
    _of_board(
        BoardTarget,
        ESP32.name,
        "ESP32 (e.g. ESP32-DevKitC) on its USB serial port (--port); to flash it: intercore flash esp32",
        ESP32,
        ESP_TIMEOUT,
    ),
    _of_board(
        BoardTarget,
        ESP32S3.name,
        "ESP32-S3 on its USB serial port (--port); to flash it: intercore flash esp32s3",
        ESP32S3,
        ESP_TIMEOUT,
    ),
    _of_board(
        BoardTarget,
        ESP32P4.name,
        "ESP32-P4 on its USB serial port (--port), not yet tried; to flash it: intercore flash esp32p4",
        ESP32P4,
        ESP_TIMEOUT,
    ),
    _of_board(
        EmulatedTarget,
        "esp32-qemu",
        "ESP32 on Espressif's QEMU, no board needed. FUNCTION ONLY: times mean nothing",
        ESP32,
        QEMU_TIMEOUT,
    ),
    SerialTarget(
        "serial",
        "any program that speaks the console protocol, on the port --port (device, pyserial URL or labgrid://PLACE)",
    ),
)


def find(name: str) -> Target:
    """Return the target called `name`. Raises UnknownTargetError that suggests the closest one."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise UnknownTargetError(unknown_board("target", name, (target.name for target in TARGETS)))


def usual_builds() -> dict[str, dict[str, Level]]:
    """Return the default levels of each target's factors, by its name."""
    return {target.name: {factor.name: factor.default for factor in target.factors} for target in TARGETS}


def option_of(factor: str) -> str:
    """Return the option of `intercore build` and `intercore flash` for a factor: `--clock-mhz`."""
    return f"--{factor.replace('_', '-')}"
