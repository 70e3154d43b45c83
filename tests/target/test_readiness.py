"""What `intercore doctor` finds on machines that lack one thing after another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from intercore.target.readiness import Machine, ReadinessCheck, concerns, findings
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Callable

READY: dict[str, Any] = {
    "load": lambda: (0.1, 0.1, 0.1),
    "cores": lambda: 2,
    "real_time": lambda: True,
    "ports": lambda: ["/dev/null"],
}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, ReadinessCheck]]:
    """What is found on a machine that is ready for `host`, but for what is given; by what it is."""
    monkeypatch.delenv("CMAKE_GENERATOR", raising=False)
    (tmp_path / "source").write_text("tsc\n")
    (tmp_path / "cpuinfo").write_text("flags : fpu tsc\n")

    def found(**given: Any) -> dict[str, ReadinessCheck]:  # noqa: ANN401 - as Machine has it
        known = {**READY, "clock_source": tmp_path / "source", "processors": tmp_path / "cpuinfo", **given}
        return {one.what: one for one in findings(Machine(**known))}

    return found


@pytest.fixture(scope="module")
def everything() -> list[ReadinessCheck]:
    return [*findings(Machine(**READY)), ReadinessCheck("pico-sim", "prebuilt image", "ready", "")]


def programs(folder: Path, *missing: str) -> str:
    """A PATH with all programs of this one but some."""
    folder.mkdir()
    for directory in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in directory.iterdir() if directory.is_dir() else ():
            if program.name not in missing and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


def test_a_machine_that_has_everything_for_host_is_ready(machine: Callable[..., dict[str, ReadinessCheck]]) -> None:
    found = machine()
    of_host = [one for one in found.values() if "host" in one.target.split(", ")]
    assert len(of_host) == 8
    assert {one.state for one in of_host} == {"ready"}
    assert found["clock source"].details == "tsc"


@pytest.mark.parametrize(
    ("program", "what", "mend"),
    [
        ("cc", "C compiler", "apt install gcc"),
        ("cmake", "CMake", "apt install cmake"),
        ("make", "make", "apt install make"),
        ("arm-none-eabi-gcc", "cross compiler", "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi"),
        ("cargo", "FreeRTOS kernel", "cargo was not found"),
        ("idf.py", "ESP-IDF", "Install ESP-IDF"),
        ("qemu-system-xtensa", "QEMU", "install qemu-xtensa"),
        ("openocd", "debug probe tool", "apt install openocd"),
    ],
)
def test_a_program_that_is_missing_is_named_with_how_to_get_it(
    machine: Callable[..., dict[str, ReadinessCheck]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    what: str,
    mend: str,
) -> None:
    monkeypatch.setenv("PATH", programs(tmp_path / "bin", program, "STM32_Programmer_CLI", "pyocd"))
    for name in ("CC", "FREERTOS_KERNEL_PATH", "IDF_PATH", "IDF_PYTHON_ENV_PATH"):
        monkeypatch.delenv(name, raising=False)
    found = machine()[what]
    assert found.state == "missing"
    assert mend in found.details


@pytest.mark.parametrize(
    ("given", "what", "state", "mend"),
    [
        ({"cores": lambda: 1}, "cores", "caveat", "only one"),
        ({"real_time": lambda: False}, "real-time priority", "caveat", "sudo prlimit --pid $$ --rtprio=20"),
        ({"load": lambda: (1.5, 0, 0)}, "other load", "caveat", "0.8 per core: close other programs"),
        ({"ports": list}, "serial ports", "missing", "connect a board"),
        ({"ports": lambda: ["/dev/gone"]}, "/dev/gone", "missing", "sudo usermod -aG dialout $USER"),
    ],
)
def test_what_disturbs_is_told(
    machine: Callable[..., dict[str, ReadinessCheck]], given: dict[str, Any], what: str, state: str, mend: str
) -> None:
    found = machine(**given)[what]
    assert (found.state, mend in found.details) == (state, True), found
    assert machine().get(what, ReadinessCheck("", what, "ready", "")).state == "ready"


@pytest.mark.parametrize(
    ("target", "needed", "not_needed"),
    [
        ("host", {"C compiler", "CMake", "cores"}, {"cross compiler", "/dev/null", "ESP-IDF"}),
        ("pico-amp-sim", {"cross compiler", "FreeRTOS kernel", "CMake"}, {"C compiler", "picotool", "/dev/null"}),
        ("pico-amp", {"cross compiler", "picotool", "/dev/null"}, {"esptool", "debug probe tool"}),
        ("stm32h745-sim", {"cross compiler"}, {"debug probe tool", "/dev/null", "prebuilt image"}),
        ("stm32h745", {"debug probe tool", "/dev/null"}, {"picotool", "QEMU"}),
        ("esp32s3", {"ESP-IDF", "esptool", "/dev/null"}, {"cross compiler", "QEMU"}),
        ("esp32-qemu", {"ESP-IDF", "QEMU"}, {"esptool", "/dev/null"}),
        ("serial", {"/dev/null"}, {"CMake", "cores"}),
    ],
)
def test_what_is_for_a_target_is_told_of_it_alone(
    everything: list[ReadinessCheck], target: str, needed: set[str], not_needed: set[str]
) -> None:
    of_it = {one.what for one in everything if concerns(one, find(target))}
    assert needed <= of_it
    assert not not_needed & of_it


def test_only_what_is_for_the_target_is_found() -> None:
    assert {one.what for one in findings(Machine(**READY), find("serial"))} == {"/dev/null"}


def test_a_slow_clock_and_a_hypervisor_are_seen(
    machine: Callable[..., dict[str, ReadinessCheck]], tmp_path: Path
) -> None:
    (tmp_path / "source").write_text("hpet\n")
    (tmp_path / "cpuinfo").write_text("flags : fpu hypervisor tsc\n")
    found = machine()
    assert found["clock source"].details.startswith("hpet, which is slow to read. If available_clocksource")
    assert found["hypervisor"].state == found["clock source"].state == "caveat"


def test_this_machine_is_looked_at_without_an_error() -> None:
    assert len({one.what for one in findings()}) >= 14
