"""What this machine has for each target, and how to fix what is missing: programs, permissions, ports, disturbances."""

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
from intercore.board.build import CROSS_COMPILERS, ELSEWHERE, HOST, host_compiler
from intercore.board.cmake import Tool, builders, find_tools, version_of
from intercore.board.kernel import freertos_kernel
from intercore.board.prebuilt import prebuilt_variants
from intercore.board.sources import USUAL_SOURCES
from intercore.errors import IntercoreError
from intercore.operating_system import load_averages, may_have_real_time, may_open, why_not_here
from intercore.target import emulator
from intercore.target.targets import TARGETS, BoardTarget, Target

State: TypeAlias = Literal["ready", "caveat", "missing"]
_PREBUILT = "prebuilt image"
_ON_ARM = "pico-sim, pico, stm32h745-sim, stm32h745"
_ON_RISC_V = "pico2-riscv-sim, pico2-riscv"
_OF_OUR_RECIPE = f"{_ON_ARM}, {_ON_RISC_V}"
"""Targets whose programs are cross-compiled without ESP-IDF."""
_BUSY = 0.5
"""Load per core above which a run on this machine has a caveat about other programs."""


class ReadinessCheck(msgspec.Struct, frozen=True):
    """Something that a target needs, or that disturbs its measurements."""

    target: str
    """The targets that it concerns, separated by commas."""
    what: str
    state: State
    """`caveat`: the target can be measured, and its runs have a warning."""
    details: str
    """What was found, or how to fix it, with the command."""


class Machine(msgspec.Struct, frozen=True):
    """Sources of information about this machine; tests replace them."""

    clock_source: Path = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    processors: Path = Path("/proc/cpuinfo")
    load: Callable[[], tuple[float, float, float]] = load_averages
    cores: Callable[[], int | None] = os.cpu_count
    real_time: Callable[[], bool] = may_have_real_time
    ports: Callable[[], list[str]] = lambda: [port.device for port in list_ports.comports()]


def findings(machine: Machine | None = None, target: Target | None = None) -> Iterator[ReadinessCheck]:
    """Check everything that targets need, in the order of the targets; only for one target if it is named."""
    known = Machine() if machine is None else machine
    for one in (*_of_host(known), *_of_simulated(), *_of_boards(), *_of_ports(known)):
        if target is None or concerns(one, target):
            yield one


def concerns(found: ReadinessCheck, target: Target) -> bool:
    """Return whether a check concerns a target."""
    if found.what == _PREBUILT:
        return found.target == target.name
    return any(_is_for(word, target) for word in found.target.split(", "))


def _is_for(word: str, target: Target) -> bool:
    """Whether a need of `word` is also one of a target: the variants of a board have the same needs."""
    match word:
        case "boards":
            return not target.built_here
        case "pico-sim":
            return target.origin == "simulated" and target.board is not None and target.board.cores == "Arm"
        case "pico":
            return isinstance(target, BoardTarget) and target.board in (PICO, PICO_AMP)
        case "esp32":
            return isinstance(target, BoardTarget) and target.board.flashed_by == "esptool"
        case _:
            return word == target.name


def _of_host(machine: Machine) -> Iterator[ReadinessCheck]:
    if (why := why_not_here(HOST, ELSEWHERE)) is not None:
        yield ReadinessCheck("host", "operating system", "missing", why)
        for tool in builders():
            yield _tool(_OF_OUR_RECIPE, tool.kind, tool)
        return
    yield _tool("host", "C compiler", host_compiler())
    for tool in builders():
        yield _tool(f"host, {_OF_OUR_RECIPE}", tool.kind, tool)
    cores = machine.cores() or 1
    yield ReadinessCheck(
        "host",
        "cores",
        *(
            ("ready", str(cores))
            if cores > 1
            else ("caveat", "only one: two are needed to measure anything between cores")
        ),
    )
    if machine.real_time():
        yield ReadinessCheck("host", "real-time priority", "ready", "SCHED_FIFO is permitted")
    else:
        yield ReadinessCheck(
            "host",
            "real-time priority",
            "caveat",
            "not permitted: other programs preempt the benchmark. Run as root, or: sudo prlimit --pid $$ --rtprio=20",
        )
    source = _read(machine.clock_source).strip()
    if source in {"", "tsc", "arch_sys_counter"}:
        yield ReadinessCheck("host", "clock source", "ready", source or "unknown")
    else:
        yield ReadinessCheck(
            "host",
            "clock source",
            "caveat",
            f"{source}, which is slow to read. If available_clocksource lists tsc: echo tsc | sudo tee "
            f"{machine.clock_source}",
        )
    if "hypervisor" in _read(machine.processors).split():
        yield ReadinessCheck(
            "host",
            "hypervisor",
            "caveat",
            "virtual machine: expect rare, very long samples (the hypervisor preempts its processors)",
        )
    else:
        yield ReadinessCheck("host", "hypervisor", "ready", "none detected")
    load = machine.load()[0] / cores
    described = f"{load:.1f} per core"
    is_idle = load <= _BUSY
    yield ReadinessCheck(
        "host",
        "other load",
        "ready" if is_idle else "caveat",
        described if is_idle else f"{described}: close other programs",
    )


def _of_simulated() -> Iterator[ReadinessCheck]:
    for target in TARGETS:
        if target.origin == "simulated" and target.board is not None and (carried := prebuilt_variants(target.board)):
            details = (
                f"{', '.join(carried)}: needs nothing else; your own workloads, the recorder and other levels need "
                "the tools below"
            )
            yield ReadinessCheck(target.name, _PREBUILT, "ready", details)
    yield _tool(_ON_ARM, "cross compiler", CROSS_COMPILERS["Arm"])
    yield _tool(_ON_RISC_V, "cross compiler for RISC-V", CROSS_COMPILERS["RISC-V"])
    manifest = USUAL_SOURCES.folder() / "port" / "freertos" / "kernel"
    yield _checked_tool(_OF_OUR_RECIPE, "FreeRTOS kernel", lambda: str(freertos_kernel(manifest, lambda _: None)))


def _of_boards() -> Iterator[ReadinessCheck]:
    picotool = shutil.which("picotool")
    yield ReadinessCheck(
        "pico, pico2-riscv",
        "picotool",
        "ready",
        picotool or "not installed; optional: the board can be flashed through its boot drive",
    )
    probes = [tool for tool in debug_probe.TOOLS if tool.path()]
    how = "; ".join(f"{tool.name}: {tool.install}" for tool in debug_probe.TOOLS)
    yield ReadinessCheck("stm32h745", "debug probe tool", *(("ready", probes[0].name) if probes else ("missing", how)))
    yield _checked_tool("esp32, esp32-qemu", "ESP-IDF", lambda: esp_idf.find_idf().version)
    yield _checked_tool("esp32", "esptool", esp_flash.check_esptool)
    yield _checked_tool("esp32-qemu", "QEMU", lambda: emulator.find_qemu()[1])


def _of_ports(machine: Machine) -> Iterator[ReadinessCheck]:
    found = machine.ports()
    if not found:
        what = f"none: connect a board by a USB cable that carries data; {PICO.console}"
        yield ReadinessCheck("boards", "serial ports", "missing", what)
    for port in found:
        if may_open(port):
            yield ReadinessCheck("boards", port, "ready", "accessible")
        else:
            fix = "sudo usermod -aG dialout $USER, then log in again"
            yield ReadinessCheck("boards", port, "missing", f"no permission to open it: {fix}")


def _checked_tool(target: str, what: str, ask: Callable[[], str]) -> ReadinessCheck:
    try:
        return ReadinessCheck(target, what, "ready", ask())
    except IntercoreError as error:
        return ReadinessCheck(target, what, "missing", str(error))


def _tool(targets: str, what: str, tool: Tool) -> ReadinessCheck:
    def version() -> str:
        return (
            version_of(find_tools(f"the program for {targets}", [tool])[0]).decode(errors="replace").partition("\n")[0]
        )

    return _checked_tool(targets, what, version)


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
