"""The table of targets: what it costs to load, and what it says of a name that is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from intercore.errors import UsageError
from intercore.target.targets import TARGETS, Address, Target, UnknownTargetError, find

HEAVY = (
    "numpy",
    "serial",
    "elftools",
    "labgrid",
    "intercore._native",
    "intercore.link.session",
    "intercore.board.build",
)
"""What a command that opens no target is not to wait for."""


def test_the_names_of_the_targets_are_known_without_ports_builders_and_the_simulator() -> None:
    code = f"import sys, intercore.target.targets; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_name_that_is_none_is_an_error_of_its_own() -> None:
    with pytest.raises(UnknownTargetError, match="there is no target 'pico-simm'; did you mean 'pico-sim'"):
        find("pico-simm")
    assert issubclass(UnknownTargetError, UsageError)


def test_what_takes_this_machines_time_runs_alone_and_simulated_chips_run_in_processes() -> None:
    assert {target.name for target in TARGETS if target.runs_on == "machine"} == {"host", "esp32-qemu"}
    processes = {target.name for target in TARGETS if target.runs_on == "process"}
    assert processes == {"pico-sim", "pico-amp-sim", "pico2-riscv-sim", "stm32h745-sim"}


def test_function_only_targets_interpret_each_instruction() -> None:
    assert {target.name for target in TARGETS if target.interpreted} == {"stm32h745-sim"}


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_a_target_has_a_board_unless_it_is_this_machine_or_any_serial_port(target: Target) -> None:
    assert (target.board is None) == (target.name in {"host", "serial"})
    assert target.board is None or target.factors == target.board.factors


def test_stm32h745_sim_is_function_only_with_faults_and_no_image() -> None:
    target = find("stm32h745-sim")
    assert (target.origin, target.runs_on) == ("emulated", "process")
    target.check(Address(faults=("stuck:core=1@1e9..2e9", "uart-out:lose=0.01", "hsem:to=1,interrupt=3")))
    with pytest.raises(UsageError, match="--fault: the cores of this chip have no FIFO"):
        target.check(Address(faults=("fifo:to=1,word=3",)))
    with pytest.raises(UsageError, match="--fault: this chip has no hardware semaphores"):
        find("pico-amp-sim").check(Address(faults=("hsem:to=1",)))
    with pytest.raises(UsageError, match="stm32h745-sim"):
        target.check(Address(image=Path("a.elf")))


@pytest.mark.parametrize("fault", ["nonsense", "flip=2", "uart-out:flip=nan", "reset@inf", "reset@१", "\udcff"])
def test_what_is_no_fault_is_refused_before_anything_is_built(fault: str) -> None:
    with pytest.raises(UsageError, match=r"--fault: .*uart-out|--fault: '.*' is no"):
        find("pico-sim").check(Address(faults=("reset@5e7", fault)))


@pytest.mark.parametrize("name", [target.name for target in TARGETS if target.origin != "emulated"])
def test_an_image_is_for_what_runs_on_an_emulator(name: str) -> None:
    with pytest.raises(UsageError, match=f"--image does not apply to {name}"):
        find(name).check(Address(image=Path("firmware.elf")))
