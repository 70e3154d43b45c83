"""Where a measurement runs. A target is a name for how to reach a program that speaks the console protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.build import host_program, pico_image
from intercore.errors import UsageError, unknown
from intercore.link import ChildPort, Port, SerialPort
from intercore.measurement import Level
from intercore.target_factors import CLOCK_MHZ, CODE, OPT, XIP_CACHE, Factor, check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DEFAULT_BAUD = 115200


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
    """What a simulated chip runs, if that is here already; else it is built."""


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
    """Whether its numbers come from a simulated chip; then everything says so."""
    flashed: bool = False
    """Whether its program is put there by hand, by `intercore flash`."""


def _open_host(address: Address, say: Callable[[str], None]) -> Port:
    return ChildPort([str(host_program(str(address.build.get("opt", OPT.default)), say))])


def _open_serial(address: Address, _say: Callable[[str], None]) -> Port:
    if address.port is None:
        raise UsageError("which port? e.g. --port /dev/ttyACM0, --port COM3 or --port socket://127.0.0.1:4000")
    if address.port.startswith("labgrid://"):
        from intercore.place import PlacePort  # noqa: PLC0415 - few boards are in a laboratory

        return PlacePort(address.port, address.baud)
    return SerialPort(address.port, address.baud)


def _open_pico_sim(address: Address, say: Callable[[str], None]) -> Port:
    from intercore.sim_port import SimulatedPort  # noqa: PLC0415 - the other targets do without the simulator

    program = address.program or _pico_program(address.build, say)
    return SimulatedPort(program, address.baud, address.faults)


def _pico_program(build: Mapping[str, Level], say: Callable[[str], None]) -> Path:
    return pico_image(build, say).elf


PICO_FACTORS = (OPT, CLOCK_MHZ, CODE, XIP_CACHE)
"""What the program for a Raspberry Pi Pico can be built with."""

TARGETS = (
    Target(
        name="host",
        summary="this machine: Linux, POSIX threads pinned to cores; built here from the firmware's sources",
        open=_open_host,
        factors=(OPT,),
        built_here=True,
    ),
    Target(
        name="pico-sim",
        summary="simulated Raspberry Pi Pico (RP2040), no board needed; FreeRTOS SMP, built here as for a real one",
        open=_open_pico_sim,
        program=_pico_program,
        factors=PICO_FACTORS,
        built_here=True,
        simulated=True,
    ),
    Target(
        name="pico",
        summary="Raspberry Pi Pico at a serial adapter, by --port; its program: intercore flash pico",
        open=_open_serial,
        factors=PICO_FACTORS,
        flashed=True,
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
        meant = "pico" if target.simulated else "serial"
        raise UsageError(f"the target {target.name} runs on this machine and has no --port; did you mean '{meant}'?")
    if address.faults and not target.simulated:
        raise UsageError(f"--fault is for simulated targets, such as pico-sim; {target.name} has its own")
    check_factors(target, address.build)
    for factor in target.factors:
        if factor.name in address.build:
            factor.level(str(address.build[factor.name]))
    check(address.build)


def check_factors(target: Target, levels: Mapping[str, Level | Sequence[str]]) -> None:
    """Raise UsageError if the target cannot be built or configured with a factor that is named here."""
    names = [factor.name for factor in target.factors]
    for name, given in levels.items():
        if name not in names and target.factors:
            raise UsageError(unknown(f"factor of {target.name}", name, names))
        if target.built_here:
            continue
        level = given[0] if isinstance(given, list | tuple) else given
        option = option_of(name)
        if target.flashed:
            raise UsageError(
                f"{name} is chosen when {target.name} is flashed: intercore flash {target.name} {option} {level}, then "
                "run without it; what the program was built with travels with the numbers"
            )
        raise UsageError(f"{name} ({option}) has no meaning for {target.name}: its program is not built here")


def option_of(factor: str) -> str:
    """Return the option of `intercore build` and `intercore flash` for a factor: `--clock-mhz`."""
    return f"--{factor.replace('_', '-')}"
