"""What is loaded of a program depends on its sources and on how it is built: not on folders, nor on dates."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from intercore.board import elf
from intercore.board.kernel import KERNEL_VARIABLE, freertos_kernel
from intercore.board.sources import firmware_sources
from tests.built_once import ROOT, host_program_once
from tests.firmware.rp2040.conftest import built, built_amp, need_tools

SLOW = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes a minute; INTERCORE_SLOW=1 runs it")


def kernel() -> Path:
    need_tools()
    return freertos_kernel(firmware_sources() / "port" / "freertos" / "kernel", lambda _: None).folder


def program(name: str) -> Path:
    if name == "linux":
        return host_program_once()
    return {"rp2040": built, "rp2040_amp": built_amp}[name]("O2") / "intercore-target"


@pytest.mark.parametrize("name", ["linux", "rp2040", "rp2040_amp"])
def test_no_folder_of_this_machine_is_in_what_is_loaded(name: str) -> None:
    folders = [ROOT, firmware_sources(), Path.home(), *([] if name == "linux" else [kernel()])]
    for _, data in elf.loaded(program(name)):
        assert not [folder for folder in folders if f"{folder}/".encode() in data]


def test_no_build_id_is_loaded_since_it_depends_on_folders() -> None:
    assert not [section for section in elf.sections(host_program_once()) if "build-id" in section.name]


def made(folder: Path, board: str) -> str:
    """The digest of what is built of a clone's sources, there."""
    shutil.copytree(ROOT / "firmware", folder / "firmware", copy_function=shutil.copyfile)
    defines = [f"-DIC_BOARD={board}"]
    if board != "linux":
        shutil.copytree(kernel(), folder / "kernel", copy_function=shutil.copyfile)
        defines.append(f"-DIC_FREERTOS_KERNEL={folder / 'kernel'}")
    for path in folder.rglob("*.c"):
        os.utime(path, (len(str(folder)) * 1e6, len(str(folder)) * 1e6))
    build = str(folder / "build")
    for command in (
        ["cmake", "-S", str(folder / "firmware"), "-B", build, *defines],
        ["cmake", "--build", build, "--target", "intercore-target", "--parallel"],
    ):
        subprocess.run(command, capture_output=True, check=True)
    return elf.digest([folder / "build" / "intercore-target"])


@SLOW
@pytest.mark.parametrize("board", ["linux", "rp2040", "rp2040_amp"])
def test_two_clones_at_other_paths_make_the_same_image(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)
    here, there = tmp_path / "a", tmp_path / "another-user" / "with-a-much-longer-path" / "b"
    assert made(here, board) == made(there, board)


def test_another_program_has_another_digest(tmp_path: Path) -> None:
    data = bytearray(host_program_once().read_bytes())
    same, other = tmp_path / "same", tmp_path / "other"
    same.write_bytes(data)
    assert elf.digest([same]) == elf.digest([host_program_once()])
    at = data.index(b"benchmark")
    data[at] ^= 1
    other.write_bytes(data)
    assert elf.digest([other]) != elf.digest([same])
