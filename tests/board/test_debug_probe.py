"""Images go into both banks of an STM32H745 by whatever tool there is, and what goes wrong there is told in its words.

Scripts stand for the tools: they keep how they were called, and say what the real ones say.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board import debug_probe
from intercore.board.debug_probe import BANKS, check_option_bytes, flash_probe
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shell scripts stand for the tools")

FACTORY = {0x5200201C: 0x1BC6AAF0, 0x52002040: 0x1FF00800, 0x52002048: 0x10000810}
"""Option bytes of a board as it left the factory."""
OPENOCD_READS = "\n".join(f"echo '{address:#010x}: {word:08x} '" for address, word in FACTORY.items())
OPENOCD = f"""
case "$*" in
*mdw*) {OPENOCD_READS};;
*) echo '** Programming Started **'; echo '** Verified OK **' >&2;;
esac
"""


def elf(path: Path, *pieces: tuple[int, bytes]) -> Path:
    """Write an ELF file for Arm (ELF specification, figures 1-3 and 2-1) with pieces to load."""
    offset = 52 + 32 * len(pieces)
    head = struct.pack(
        "<4s5B7xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 0, 0, 2, 40, 1, 0, 52, 0, 0, 52, 32, len(pieces), 40, 0, 0
    )
    table, contents = b"", b""
    for address, data in pieces:
        # Variables run elsewhere than where they are loaded from.
        table += struct.pack("<8I", 1, offset + len(contents), 0x2400_0000, address, len(data), len(data), 5, 4)
        contents += data
    path.write_bytes(head + table + contents)
    return path


@pytest.fixture
def images(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "image s"
    folder.mkdir()
    return [
        elf(folder / f"core{core}.elf", (bank, b"vectors"), (bank + 64, b"data")) for core, bank in enumerate(BANKS)
    ]


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("cat", "sleep"):
        (tmp_path / "bin" / program).symlink_to(str(shutil.which(program)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def install(tmp_path: Path, program: str, script: str) -> Path:
    """Put a script on the path; return the file with its calls, one in each line, words separated by bars."""
    calls = tmp_path / f"{program}.calls"
    file = tmp_path / "bin" / program
    file.write_text(f'#!/bin/sh\nIFS="|"; echo "$*" >> "{calls}"; unset IFS\n{script}\n')
    file.chmod(0o755)
    return calls


def flashed(images: Sequence[Path], probe: str | None = None, tool: str | None = None) -> tuple[str, list[str]]:
    told: list[str] = []
    return flash_probe(images, probe, tool, told.append), told


# How the tools are called


def test_openocd_reads_the_option_bytes_and_verifies_what_it_puts_into_each_bank(
    tmp_path: Path, images: list[Path]
) -> None:
    calls = install(tmp_path, "openocd", OPENOCD)
    done, told = flashed(images, probe="0669FF")
    assert done == "both images are in flash and verified, by openocd"
    board = "-f|board/st_nucleo_h745zi.cfg|-c|adapter serial 0669FF|-c|"
    assert calls.read_text().splitlines() == [
        f"{board}init; mdw 0x5200201c; mdw 0x52002040; mdw 0x52002048; shutdown",
        f"{board}program core0.elf verify exit",
        f"{board}program core1.elf verify reset exit",
    ]
    assert told == [
        "reading the option bytes (openocd)",
        "option bytes: BCM7=1, BCM4=1: the M4 boots by itself",
        "writing the M7's image to flash bank 1 (openocd)",
        "writing the M4's image to flash bank 2 (openocd)",
    ]


def test_stm32cubeprogrammer_connects_under_reset_and_verifies(tmp_path: Path, images: list[Path]) -> None:
    words = " ".join(f"{FACTORY.get(address, 0):08X}" for address in range(0x5200201C, 0x5200202C, 4))
    rows = [f"echo '0x5200201C : {words}'"]
    rows += [f"echo '0x{address:08X} : {FACTORY[address]:08X}'" for address in (0x52002040, 0x52002048)]
    script = 'case "$*" in\n*r32*) {};;\n*) echo "Download verified successfully";;\nesac'
    calls = install(tmp_path, "STM32_Programmer_CLI", script.format("\n".join(rows)))
    _, told = flashed(images)
    base = "-c|port=SWD|mode=UR|reset=HWrst|"
    assert calls.read_text().splitlines() == [
        f"{base}-r32|0x5200201c|48",
        f"{base}-w|core0.elf|-v",
        f"{base}-w|core1.elf|-v|-rst",
    ]
    assert "option bytes: BCM7=1, BCM4=1: the M4 boots by itself" in told


def test_pyocd_compares_every_piece_with_what_is_in_flash(tmp_path: Path, images: list[Path]) -> None:
    reads = "\n".join(f"echo '{address:08x}:  {word:08x}    |....|'" for address, word in FACTORY.items())
    script = f"""
case "$*" in
*read32*) {reads};;
*compare*) cat piece-*.bin > pieces; for i in 1 2 3 4; do echo "All 7 bytes match."; done;;
esac
"""
    calls = install(tmp_path, "pyocd", script)
    flashed(images, probe="0669FF", tool="pyocd")
    which = "-W|-t|stm32h743xx|-u|0669FF"
    assert calls.read_text().splitlines() == [
        f"commander|{which}|-c|read32 0x5200201c 4|-c|read32 0x52002040 4|-c|read32 0x52002048 4",
        f"load|{which}|--no-reset|core0.elf",
        f"load|{which}|--no-reset|core1.elf",
        f"commander|{which}|-c|compare 0x08000000 piece-0.bin|-c|compare 0x08000040 piece-1.bin"
        "|-c|compare 0x08100000 piece-2.bin|-c|compare 0x08100040 piece-3.bin|-c|reset",
    ]
    assert (images[0].parent / "pieces").read_bytes() == b"vectorsdata" * 2


def test_pyocd_that_finds_one_piece_different_is_not_believed(tmp_path: Path, images: list[Path]) -> None:
    three = 'case "$*" in *compare*) for i in 1 2 3; do echo "All 7 bytes match."; done; echo Mismatched byte;; esac'
    install(tmp_path, "pyocd", three)
    with pytest.raises(IntercoreError, match=r"were not verified, and its last.*Mismatched byte"):
        flashed(images)


def test_the_first_tool_that_is_installed_is_used_or_the_one_that_is_named(tmp_path: Path, images: list[Path]) -> None:
    calls = {name: install(tmp_path, name, OPENOCD) for name in ("openocd", "pyocd")}
    flashed(images)
    assert not calls["pyocd"].exists()
    with pytest.raises(IntercoreError, match="pyocd failed while verifying"):
        flashed(images, tool="pyocd")


def test_a_tool_is_found_where_its_installer_leaves_it(tmp_path: Path, images: list[Path]) -> None:
    folder = tmp_path / "home/STMicroelectronics/STM32Cube/STM32CubeProgrammer/bin"
    folder.mkdir(parents=True)
    install(tmp_path, "STM32_Programmer_CLI", "echo Error: No debug probe detected.; exit 1")
    (tmp_path / "bin/STM32_Programmer_CLI").rename(folder / "STM32_Programmer_CLI")
    with pytest.raises(IntercoreError, match=r"No debug probe detected\."):
        flashed(images)


# What goes wrong


def test_without_a_tool_it_is_said_how_to_get_one(images: list[Path]) -> None:
    with pytest.raises(
        IntercoreError, match=r"Install one of: openocd \(Debian or Ubuntu:.*apt install openocd\), .*pyocd \("
    ):
        flashed(images)
    with pytest.raises(IntercoreError, match=r"pyocd \(pip install pyocd\)$"):
        flashed(images, tool="pyocd")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo Open On-Chip Debugger; echo 'Error: open failed' >&2; exit 1", r"open failed\. Check"),
        ("exit 3", "Its exit status was 3, and its last"),
        ("printf 'a\\033[2Jb\\nc\\nd\\ne'; exit 1", ": c / d / e"),
        ("printf 'For\\tbugs'; exit 1", ": For bugs"),
        ("printf 'a\\033[31mred'; exit 1", "31mred"),
        ("kill -9 $$", "Its exit status was -9"),
    ],
    ids=["no probe", "silent", "many words", "tab", "escapes", "killed"],
)
def test_a_tool_that_fails_is_quoted(tmp_path: Path, images: list[Path], script: str, says: str) -> None:
    install(tmp_path, "openocd", script)
    with pytest.raises(IntercoreError, match=f"openocd failed while reading the option bytes. .*{says}"):
        flashed(images)


def test_what_was_not_verified_is_not_flashed(tmp_path: Path, images: list[Path]) -> None:
    calls = install(tmp_path, "openocd", OPENOCD.replace("** Verified OK **", "** Verify Failed **"))
    with pytest.raises(IntercoreError, match=r"the M7's image to flash.*was not verified.*\*\* Verify Failed"):
        flashed(images)
    assert "core1" not in calls.read_text()


def test_a_tool_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, images: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"

    class Hanging(subprocess.Popen[bytes]):
        def wait(self, timeout: float | None = None) -> int:
            while not started.exists():
                time.sleep(0.01)  # nobody loses patience before it hangs
            return super().wait(timeout)

    monkeypatch.setattr(debug_probe, "STEP_TIMEOUT_S", 0.5)
    monkeypatch.setattr(subprocess, "Popen", Hanging)
    install(tmp_path, "openocd", f"echo waiting; sleep 600 & echo $! > '{tmp_path}/child'; : > '{started}'; wait")
    begin = time.monotonic()
    with pytest.raises(IntercoreError, match="more than 0 s, and its last"):
        flashed(images)
    child = Path("/proc", (tmp_path / "child").read_text().strip(), "stat")
    while (lives := child.exists() and child.read_text().split()[2] != "Z") and time.monotonic() - begin < 120:
        time.sleep(0.05)  # it has been killed, and may not have noticed yet
    assert not lives


@pytest.mark.parametrize("word", ["a b", "x; shutdown", "[exit]", ""])
def test_a_serial_number_is_no_command(images: list[Path], word: str) -> None:
    with pytest.raises(UsageError, match="the serial number"):
        flashed(images, probe=word)


def test_an_unknown_tool_is_refused_with_the_nearest(images: list[Path]) -> None:
    with pytest.raises(UsageError, match="'opencd'; did you mean 'openocd'"):
        flashed(images, tool="opencd")


def test_an_image_that_reaches_into_the_other_bank_is_not_flashed(tmp_path: Path, images: list[Path]) -> None:
    calls = install(tmp_path, "openocd", OPENOCD)
    elf(images[0], (BANKS[1] - 4, b"eight by"))
    with pytest.raises(IntercoreError, match=r"core0\.elf has 8 bytes for 0x080ffffc, outside flash bank 1"):
        flashed(images)
    assert not calls.exists()


# Option bytes


@pytest.mark.parametrize(
    ("address", "word", "says"),
    [
        (0x5200201C, 0x1B46AAF0, r"BCM7=0 \(the M7 does not boot\)"),
        (0x5200201C, 0x9BC6AAF0, r"SWAP_BANK=1 \(the banks are"),
        (0x52002040, 0x1FF00810, "BOOT_CM7_ADD0=0x0810 instead of 0x0800"),
        (0x52002048, 0x10001000, "BOOT_CM4_ADD0=0x1000 instead of 0x0810"),
    ],
)
def test_a_chip_that_would_start_something_else_is_not_flashed(
    tmp_path: Path, images: list[Path], address: int, word: int, says: str
) -> None:
    script = OPENOCD.replace(f"{address:#010x}: {FACTORY[address]:08x}", f"{address:#010x}: {word:08x}")
    calls = install(tmp_path, "openocd", script)
    with pytest.raises(IntercoreError, match=f"nothing was flashed.*{says}.*Set them by STM32CubeProgrammer"):
        flashed(images)
    assert "program" not in calls.read_text()


def test_an_m4_that_waits_for_the_m7_is_told() -> None:
    gated = {**FACTORY, 0x5200201C: FACTORY[0x5200201C] & ~(1 << 22)}
    assert list(check_option_bytes(gated)) == ["option bytes: BCM7=1, BCM4=0: the M7 lets the M4 boot"]


def test_option_bytes_that_cannot_be_read_are_told_as_they_must_be() -> None:
    (sentence,) = check_option_bytes({})
    assert "board starts both images only with" in sentence


# The real thing, as far as it goes without a probe


def test_openocd_has_the_script_of_the_board(images: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    openocd = shutil.which("openocd")
    if openocd is None:
        pytest.skip("no openocd here: apt install openocd")
    found = subprocess.run(
        [
            openocd,
            "-f",
            "board/st_nucleo_h745zi.cfg",
            "-c",
            "adapter serial 0669FF",
            "-c",
            "flash list",
            "-c",
            "shutdown",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found
    assert "stm32h7x.bank1.cpu0" in found.stderr + found.stdout or "stm32h7x" in found.stderr
    with pytest.raises(IntercoreError, match=r"openocd failed while reading the option bytes. .*board is connected"):
        flashed(images, probe="intercore-has-none", tool="openocd")
