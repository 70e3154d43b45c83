"""What this machine has for each target, and what mends what it lacks: programs, rights, ports, and what disturbs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from serial.tools import list_ports

from intercore.board import debug_probe, esp_flash, esp_idf
from intercore.board.boards import PICO, PICO_AMP
from intercore.board.build import CROSS_COMPILER, ELSEWHERE, HOST, host_compiler
from intercore.board.cmake import Tool, builders, find_tools, version_of
from intercore.board.kernel import freertos_kernel
from intercore.board.prebuilt import prebuilt_variants
from intercore.board.sources import USUAL_SOURCES
from intercore.errors import IntercoreError
from intercore.operating_system import load_averages, may_have_real_time, may_open, why_not_here
from intercore.target import emulator
from intercore.target.targets import TARGETS, BoardTarget, Target

State: TypeAlias = Literal["ready", "doubtful", "missing"]
_PREBUILT = "prebuilt image"
_OF_OUR_RECIPE = "pico-sim, pico, stm32h745-sim, stm32h745"
"""Targets whose programs are built without ESP-IDF, for another processor than this machine's."""
_BUSY = 0.5
"""Load per core above which a run on this machine warns of what else is running."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that a target needs, or that disturbs it."""

    target: str
    """What it is for; several targets are parted by commas."""
    what: str
    state: State
    """`doubtful`: it can be measured, and a warning will say what to think of it."""
    says: str
    """Which one was found; or what to do, with the command."""


class Machine(msgspec.Struct, frozen=True):
    """Where this machine tells about itself: tests name other places."""

    clock_source: Path = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    processors: Path = Path("/proc/cpuinfo")
    load: Callable[[], tuple[float, float, float]] = load_averages
    cores: Callable[[], int | None] = os.cpu_count
    real_time: Callable[[], bool] = may_have_real_time
    ports: Callable[[], list[str]] = lambda: [port.device for port in list_ports.comports()]


def findings(machine: Machine | None = None, target: Target | None = None) -> Iterator[Finding]:
    """Look at everything, in the order of the targets; each is yielded as it is known.

    Only what is for a target, if one is named.
    """
    known = Machine() if machine is None else machine
    for one in (*_of_host(known), *_of_simulated(), *_of_boards(), *_of_ports(known)):
        if target is None or concerns(one, target):
            yield one


def concerns(found: Finding, target: Target) -> bool:
    """Return whether something is for a target."""
    if found.what == _PREBUILT:
        return found.target == target.name
    return any(_is_for(word, target) for word in found.target.split(", "))


def _is_for(word: str, target: Target) -> bool:
    """Whether what is for `word` is for a target, too: a board's variants need what it needs."""
    match word:
        case "boards":
            return not target.built_here
        case "pico-sim":
            return target.origin == "simulated"
        case "pico":
            return isinstance(target, BoardTarget) and target.board in (PICO, PICO_AMP)
        case "esp32":
            return isinstance(target, BoardTarget) and target.board.flashed_by == "esptool"
        case _:
            return word == target.name


def _of_host(machine: Machine) -> Iterator[Finding]:
    if (why := why_not_here(HOST, ELSEWHERE)) is not None:
        yield Finding("host", "operating system", "missing", why)
        for tool in builders():
            yield _tool(_OF_OUR_RECIPE, tool.kind, tool)
        return
    yield _tool("host", "C compiler", host_compiler())
    for tool in builders():
        yield _tool(f"host, {_OF_OUR_RECIPE}", tool.kind, tool)
    cores = machine.cores() or 1
    yield Finding("host", "cores", *(("ready", str(cores)) if cores > 1 else ("doubtful", "one: there is no other")))
    if machine.real_time():
        yield Finding("host", "real-time rights", "ready", "SCHED_FIFO is permitted")
    else:
        yield Finding(
            "host",
            "real-time rights",
            "doubtful",
            "none: other programs take the cores. Run as root, or: sudo prlimit --pid $$ --rtprio=20",
        )
    source = _read(machine.clock_source).strip()
    if source in {"", "tsc", "arch_sys_counter"}:
        yield Finding("host", "clock source", "ready", source or "not told")
    else:
        yield Finding(
            "host",
            "clock source",
            "doubtful",
            f"{source}, which is slow to read. If tsc is in available_clocksource: echo tsc | sudo tee "
            f"{machine.clock_source}",
        )
    if "hypervisor" in _read(machine.processors).split():
        yield Finding("host", "hypervisor", "doubtful", "a virtual machine: rare samples will be very long")
    else:
        yield Finding("host", "hypervisor", "ready", "none seen")
    load = machine.load()[0] / cores
    told = f"{load:.1f} per core"
    calm = load <= _BUSY
    yield Finding("host", "other load", "ready" if calm else "doubtful", told if calm else f"{told}: close what runs")


def _of_simulated() -> Iterator[Finding]:
    for target in TARGETS:
        if target.origin == "simulated" and target.board is not None and (carried := prebuilt_variants(target.board)):
            says = f"{', '.join(carried)}: needs nothing of what follows; own functions, trace and other levels do"
            yield Finding(target.name, _PREBUILT, "ready", says)
    yield _tool(_OF_OUR_RECIPE, "cross compiler", CROSS_COMPILER)
    manifest = USUAL_SOURCES.folder() / "port" / "freertos" / "kernel"
    yield _asked(_OF_OUR_RECIPE, "FreeRTOS kernel", lambda: str(freertos_kernel(manifest, lambda _: None)))


def _of_boards() -> Iterator[Finding]:
    picotool = shutil.which("picotool")
    yield Finding("pico", "picotool", "ready", picotool or "none; not needed: the boot drive of the board will do")
    probes = [tool for tool in debug_probe.TOOLS if tool.path()]
    how = "; ".join(f"{tool.name}: {tool.install}" for tool in debug_probe.TOOLS)
    yield Finding("stm32h745", "debug probe's tool", *(("ready", probes[0].name) if probes else ("missing", how)))
    yield _asked("esp32, esp32-qemu", "ESP-IDF", lambda: esp_idf.find_idf().version)
    yield _asked("esp32", "esptool", esp_flash.check_esptool)
    yield _asked("esp32-qemu", "QEMU", lambda: emulator.find_qemu()[1])


def _of_ports(machine: Machine) -> Iterator[Finding]:
    found = machine.ports()
    if not found:
        what = f"none: plug a board in by a cable that carries data; {PICO.console}"
        yield Finding("boards", "serial ports", "missing", what)
    for port in found:
        if may_open(port):
            yield Finding("boards", port, "ready", "may be opened")
        else:
            mend = "sudo usermod -aG dialout $USER, then log in again"
            yield Finding("boards", port, "missing", f"may not be opened: {mend}")


def _asked(target: str, what: str, ask: Callable[[], str]) -> Finding:
    try:
        return Finding(target, what, "ready", ask())
    except IntercoreError as error:
        return Finding(target, what, "missing", str(error))


def _tool(targets: str, what: str, tool: Tool) -> Finding:
    def version() -> str:
        return version_of(find_tools(f"what is for {targets}", [tool])[0]).decode(errors="replace").partition("\n")[0]

    return _asked(targets, what, version)


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
