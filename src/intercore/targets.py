"""Where a measurement runs. A target is a name for how to reach a program that speaks the console protocol."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import msgspec

from intercore.build import DEFAULT_OPT, OPT_LEVELS, host_program, pico_image
from intercore.errors import UsageError
from intercore.link import ChildPort, Port, SerialPort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEFAULT_BAUD = 115200


class Address(msgspec.Struct, frozen=True):
    """What a user says about reaching a target, beside its name."""

    port: str | None = None
    """pyserial device or URL."""
    baud: int = DEFAULT_BAUD
    opt: str | None = None
    """Optimisation level, for targets that are built here."""
    max_baud: int | None = None
    """Most bits per second to go to when target and port can do more than `baud`; None for no limit."""
    faults: tuple[str, ...] = ()
    """Faults to have on a simulated target, as for the option --fault of intercore-sim."""


class Target(msgspec.Struct, frozen=True):
    """A place where benchmarks run."""

    name: str
    summary: str
    open: Callable[[Address, Callable[[str], None]], Port]
    """Open the target, saying what takes time; raises IntercoreError."""
    built_here: bool = False
    """Whether the program is compiled by this tool, so that `opt` is a factor."""
    simulated: bool = False
    """Whether its numbers come from a simulated chip; then everything says so."""
    flashed: bool = False
    """Whether its program is put there by hand, by `intercore flash`."""


def _open_host(address: Address, say: Callable[[str], None]) -> Port:
    return ChildPort([str(host_program(address.opt or DEFAULT_OPT, say))])


def _open_serial(address: Address, _say: Callable[[str], None]) -> Port:
    if address.port is None:
        raise UsageError("which port? e.g. --port /dev/ttyACM0, --port COM3 or --port socket://127.0.0.1:4000")
    if address.port.startswith("labgrid://"):
        from intercore.place import PlacePort  # noqa: PLC0415 - few boards are in a laboratory

        return PlacePort(address.port, address.baud)
    return SerialPort(address.port, address.baud)


def _open_pico_sim(address: Address, say: Callable[[str], None]) -> Port:
    from intercore.sim_port import SimulatedPort  # noqa: PLC0415 - the other targets do without the simulator

    image = pico_image(address.opt or DEFAULT_OPT, say)
    return SimulatedPort(image.elf, address.baud, address.faults)


TARGETS = (
    Target(
        name="host",
        summary="this machine: Linux, POSIX threads pinned to cores; built here from the firmware's sources",
        open=_open_host,
        built_here=True,
    ),
    Target(
        name="pico-sim",
        summary="simulated Raspberry Pi Pico (RP2040), no board needed; FreeRTOS SMP, built here as for a real one",
        open=_open_pico_sim,
        built_here=True,
        simulated=True,
    ),
    Target(
        name="pico",
        summary="Raspberry Pi Pico at a serial adapter, by --port; its program: intercore flash pico",
        open=_open_serial,
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
    if target.flashed and address.opt is not None:
        raise UsageError(
            f"--opt is chosen when {target.name} is flashed: intercore flash {target.name} --opt {address.opt}, then "
            "run without it; the level it was built with travels with the numbers"
        )
    if address.faults and not target.simulated:
        raise UsageError(f"--fault is for simulated targets, such as pico-sim; {target.name} has its own")
    if not target.built_here and address.opt is not None:
        raise UsageError(f"--opt has no meaning for {target.name}: its program is not built here")
    if address.opt is not None and address.opt not in OPT_LEVELS:
        raise UsageError(unknown("optimisation level", address.opt, OPT_LEVELS))


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence that says a name is unknown, with the nearest right one or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if near:
        return f"there is no {kind} '{name}'; did you mean '{near[0]}'?"
    return f"there is no {kind} '{name}'; there is: {', '.join(names)}"
