"""An image gets onto the board that is there, and onto no other drive."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from intercore.board import boot_drive
from intercore.board.boot_drive import PICO2_RISCV, board_id, flash_drive
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

INFO = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    file = tmp_path / "program.uf2"
    file.write_bytes(bytes(range(256)) * 4)
    return file


@pytest.fixture(autouse=True)
def nothing_mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(boot_drive, "mounted", list)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def drive(tmp_path: Path, name: str, info: str = INFO) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_bytes(info.encode())
    return folder


def picotool(tmp_path: Path, text: str) -> None:
    if os.name != "posix":
        pytest.skip("a shell script stands for picotool")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "picotool").write_text(f"#!/bin/sh\n{text}\n")
    (tmp_path / "bin" / "picotool").chmod(0o755)


def test_a_mounted_board_gets_the_image(tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = drive(tmp_path, "RPI-RP2")
    other = drive(tmp_path, "STICK", "hello")
    monkeypatch.setattr(boot_drive, "mounted", lambda: [other, tmp_path / "gone", board])
    assert flash_drive(image) == f"copied to {board}"
    assert (board / "program.uf2").read_bytes() == image.read_bytes()
    assert [path.name for path in other.iterdir()] == ["INFO_UF2.TXT"]


def test_another_kind_of_board_is_left_alone(tmp_path: Path, image: Path) -> None:
    board = drive(tmp_path, "FEATHER", INFO.replace("RPI-RP2", "RPI-RP2350"))
    assert board_id(board) == "RPI-RP2350"
    with pytest.raises(UsageError, match="is not the boot drive of a Pico"):
        flash_drive(image, board)
    assert not (board / "program.uf2").exists()


def test_each_kind_of_board_gets_its_own_image(tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pico = drive(tmp_path, "RPI-RP2")
    pico2 = drive(tmp_path, "RP2350", INFO.replace("RPI-RP2", "RP2350"))
    monkeypatch.setattr(boot_drive, "mounted", lambda: [pico, pico2])
    assert flash_drive(image, kind=PICO2_RISCV) == f"copied to {pico2}"
    with pytest.raises(UsageError, match=r"is not the boot drive of a Pico 2 \(.* drive named RP2350 appears"):
        flash_drive(image, pico, kind=PICO2_RISCV)
    assert not (pico / "program.uf2").exists()


def test_of_two_boards_one_must_be_chosen(tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [drive(tmp_path, "a"), drive(tmp_path, "b")]
    monkeypatch.setattr(boot_drive, "mounted", lambda: boards)
    with pytest.raises(UsageError, match=r"2 boot drives .* choose one by --drive"):
        flash_drive(image)
    flash_drive(image, boards[1])
    assert not (boards[0] / "program.uf2").exists()
    assert (boards[1] / "program.uf2").exists()


def test_without_a_board_it_is_said_what_to_do(image: Path) -> None:
    with pytest.raises(IntercoreError, match=r"was found\. Hold the BOOTSEL button"):
        flash_drive(image)


def test_picotool_is_used_when_there_is_no_drive(tmp_path: Path, image: Path) -> None:
    picotool(tmp_path, f'echo "$@" > {tmp_path}/said')
    assert flash_drive(image) == "loaded by picotool"
    assert (tmp_path / "said").read_text().split() == ["load", "-x", str(image)]


def test_a_drive_comes_before_picotool(tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picotool(tmp_path, f"echo > {tmp_path}/said")
    monkeypatch.setattr(boot_drive, "mounted", lambda: [drive(tmp_path, "RPI-RP2")])
    assert "copied" in flash_drive(image)
    assert not (tmp_path / "said").exists()


def test_picotool_that_finds_nothing_is_quoted(tmp_path: Path, image: Path) -> None:
    picotool(tmp_path, 'echo "No accessible RP-series devices in BOOTSEL mode were found." >&2; exit 249')
    with pytest.raises(IntercoreError, match=r"\(No accessible RP-series devices.*BOOTSEL button"):
        flash_drive(image)


def test_a_drive_that_is_full_or_gone_is_an_error(tmp_path: Path, image: Path) -> None:
    board = drive(tmp_path, "RPI-RP2")
    (board / "program.uf2").mkdir()
    with pytest.raises(IntercoreError, match=r"cannot copy program.uf2 to .*RPI-RP2"):
        flash_drive(image, board)


@pytest.mark.skipif(sys.platform == "win32", reason="mounts are those of Linux")
def test_mounted_drives_are_read_from_the_table_of_linux(tmp_path: Path) -> None:
    table = tmp_path / "mounts"
    table.write_text(
        "/dev/sda1 / ext4 rw 0 0\n"
        "/dev/sdb1 /media/me/RPI-RP2 vfat rw,nosuid 0 0\n"
        "/dev/sdc1 /media/me/My\\040Drive vfat rw 0 0\n"
        "broken\n"
    )
    assert [str(path) for path in boot_drive._mounts(table)] == ["/media/me/RPI-RP2", "/media/me/My Drive"]
    assert boot_drive._mounts(tmp_path / "none") == []
