"""Flashes the images of both cores of an STM32H745 through a debug probe, by one of several tools.

Each tool is a sequence of commands, each of which must succeed and report success. First the option bytes are read,
because with other boot options the chip would not run the images.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.elf import loaded
from intercore.errors import IntercoreError, UsageError, unknown
from intercore.operating_system import OWN_GROUP, end_group, wait_for_group
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BANKS = (0x0800_0000, 0x0810_0000)
"""Start addresses of the flash for the M7's and the M4's image (RM0399, embedded flash memory: banks 1 and 2)."""
BANK_SIZE = 0x10_0000
"""In bytes."""

STEP_TIMEOUT_S = 120.0
"""Timeout of one command: erasing and programming a bank's megabyte takes some 20 s."""
_MOST_OUTPUT = 65536
_LAST_LINES = 3

# RM0399, embedded flash memory, registers of the option bytes in effect: FLASH_OPTSR_CUR, FLASH_BOOT7_CURR,
# FLASH_BOOT4_CURR. Boot addresses are the upper 16 bits; the lower half of the registers is for the pin BOOT0 at 0.
_OPTSR, _BOOT7, _BOOT4 = 0x5200_201C, 0x5200_2040, 0x5200_2048
_BCM4, _BCM7, _SWAP_BANK = 1 << 22, 1 << 23, 1 << 31


class Step(msgspec.Struct, frozen=True):
    """A command of a tool."""

    what: str
    """Progress text when it begins."""
    command: tuple[str, ...]
    says: str = ""
    """Pattern of its output on success; without it, the command failed, whatever its exit status."""
    failed: str = ""
    """The failure, for errors, if its output does not state it."""


class Tool(msgspec.Struct, frozen=True):
    """A tool that drives a debug probe."""

    name: str
    """Name for --with."""
    program: str
    install: str
    """How to install it, for messages."""
    steps: Callable[[str, str | None, Sequence[Path]], tuple[Step, ...]]
    """Commands for the tool's path, a probe's serial number and the ELF files, run in the folder of these. The first
    one prints the registers of the option bytes."""
    places: tuple[str, ...] = ()
    """Folders of its installer, for when it is not on the PATH; ~ is the user's home."""

    def path(self) -> str | None:
        """Return its path; None if it is not installed."""
        folders = os.pathsep.join(str(Path(place).expanduser()) for place in self.places)
        return shutil.which(self.program) or (shutil.which(self.program, path=folders) if folders else None)


def _openocd(program: str, probe: str | None, elfs: Sequence[Path]) -> tuple[Step, ...]:
    """OpenOCD user's guide: OpenOCD's script for the NUCLEO-H745ZI-Q, flash programming by `program`."""
    base = [program, "-f", "board/st_nucleo_h745zi.cfg"]
    base += ["-c", f"adapter serial {probe}"] if probe else []
    read = "; ".join(["init", *(f"mdw {register:#010x}" for register in (_OPTSR, _BOOT7, _BOOT4)), "shutdown"])
    put = [
        Step(
            _putting(core),
            (*base, "-c", f"program {elf.name} verify{' reset' if core == len(elfs) - 1 else ''} exit"),
            says=r"\*\* Verified OK \*\*",
            failed="the flash was not verified",
        )
        for core, elf in enumerate(elfs)
    ]
    return (Step(_READING, (*base, "-c", read)), *put)


def _cube(program: str, probe: str | None, elfs: Sequence[Path]) -> tuple[Step, ...]:
    """STM32CubeProgrammer, UM2237: connection under reset, -r32, -w with -v, -rst."""
    base = [program, "-c", "port=SWD", *([f"sn={probe}"] if probe else []), "mode=UR", "reset=HWrst"]
    # One read covers all three registers, which are within 48 bytes.
    read = Step(_READING, (*base, "-r32", f"{_OPTSR:#010x}", "48"))
    put = [
        Step(
            _putting(core),
            (*base, "-w", elf.name, "-v", *(["-rst"] if core == len(elfs) - 1 else [])),
            says="verified successfully",
            failed="the flash was not verified",
        )
        for core, elf in enumerate(elfs)
    ]
    return (read, *put)


def _pyocd(program: str, probe: str | None, elfs: Sequence[Path]) -> tuple[Step, ...]:
    """pyOCD: its built-in STM32H743, which has the same flash, so that no pack is needed.

    It does not verify by itself, so the flash is compared with the contents of the files.
    """
    which = ["-W", "-t", "stm32h743xx", *(["-u", probe] if probe else [])]
    words = [word for register in (_OPTSR, _BOOT7, _BOOT4) for word in ("-c", f"read32 {register:#010x} 4")]
    read = Step(_READING, (program, "commander", *which, *words))
    put = [Step(_putting(core), (program, "load", *which, "--no-reset", elf.name)) for core, elf in enumerate(elfs)]
    compare, count = [], 0
    for elf in elfs:
        for address, data in loaded(elf):
            piece = elf.with_name(f"piece-{count}.bin")
            piece.write_bytes(data)
            compare += ["-c", f"compare {address:#010x} {piece.name}"]
            count += 1
    verify = Step(
        "verifying both images, and resetting the board",
        (program, "commander", *which, *compare, "-c", "reset"),
        says=rf"(?s)(All \d+ bytes match.*){{{count}}}",
        failed="the images were not verified",
    )
    return (read, *put, verify)


_READING = "reading the option bytes"


def _putting(core: int) -> str:
    return f"writing the {('M7', 'M4')[core]}'s image to flash bank {core + 1}"


# OpenOCD first: it is free, in every distribution, knows the board, and verifies. ST's tool does all of that as well,
# but requires a registration. pyOCD is last, because it knows only the related single-core chip.
TOOLS = (
    Tool("openocd", "openocd", "Debian or Ubuntu: apt install openocd", _openocd),
    Tool(
        "stm32cubeprogrammer",
        "STM32_Programmer_CLI",
        "from st.com",
        _cube,
        (
            "~/STMicroelectronics/STM32Cube/STM32CubeProgrammer/bin",
            "/opt/st/stm32cubeprogrammer/bin",
            "/Applications/STMicroelectronics/STM32Cube/STM32CubeProgrammer/STM32CubeProgrammer.app/Contents/MacOs/bin",
            "C:/Program Files/STMicroelectronics/STM32Cube/STM32CubeProgrammer/bin",
        ),
    ),
    Tool("pyocd", "pyocd", "pip install pyocd", _pyocd),
)
"""In the order of preference."""

_NO_PROBE = re.compile(
    r"open failed|no connected debug probes|no debug probe|no st-?link|unable to (open|find).*(probe|adapter|device)"
    r"|no device found|unable to find a matching",
    re.IGNORECASE,
)


def flash_probe(elfs: Sequence[Path], probe: str | None, tool: str | None, say: Callable[[str], None]) -> str:
    """Write the images of both cores to their banks, verify them, and reset the board; return a few words on how.

    `elfs` are in one folder, the M7's first. `probe` is a serial number, needed if there are several probes; `tool`
    names one of TOOLS, by default the first that is installed. `say` reports progress. Raises UsageError for an invalid
    tool or probe, and IntercoreError with the tool's message if it fails.
    """
    check_probe(probe, tool)
    chosen, path = _find(tool)
    for core, elf in enumerate(elfs):
        _check_bank(core, elf)
    first, *others = chosen.steps(path, probe, elfs)
    folder = elfs[0].parent
    say(f"{first.what} ({chosen.name})")
    for sentence in check_option_bytes(_registers(_run(chosen, first, folder))):
        say(sentence)
    for step in others:
        say(f"{step.what} ({chosen.name})")
        _run(chosen, step, folder)
    return f"both images are in flash and verified, by {chosen.name}"


def check_probe(probe: str | None, tool: str | None) -> None:
    """Raise UsageError for an invalid serial number or an unknown tool; None is valid."""
    if probe is not None and not re.fullmatch(r"[0-9A-Za-z_.:-]+", probe):
        raise UsageError(
            f"--probe={probe} is not the serial number of a debug probe: such a number has only letters, digits and "
            "the characters _ . : -"
        )
    if tool is not None and tool not in [known.name for known in TOOLS]:
        raise UsageError(unknown("flashing tool", tool, (known.name for known in TOOLS)))


def _find(name: str | None) -> tuple[Tool, str]:
    wanted = [tool for tool in TOOLS if name in (None, tool.name)]
    for tool in wanted:
        if (path := tool.path()) is not None:
            return tool, path
    ways = ", ".join(f"{tool.name} ({tool.install})" for tool in wanted)
    if len(wanted) == 1:
        raise IntercoreError(f"the board cannot be flashed, because {wanted[0].name} is not installed. Install {ways}")
    raise IntercoreError(f"the board cannot be flashed, because no flashing tool was found. Install one of: {ways}")


def _check_bank(core: int, elf: Path) -> None:
    """Raise IntercoreError if an image has contents outside of its core's bank."""
    begin = BANKS[core]
    for address, data in loaded(elf):
        if not begin <= address <= begin + BANK_SIZE - len(data):
            raise IntercoreError(
                f"{elf.name} has {len(data)} bytes for {address:#010x}, outside flash bank {core + 1} of "
                f"core {core}: this is a bug of Intercore, please report it"
            )


def check_option_bytes(registers: dict[int, int]) -> Iterator[str]:
    """Check the boot options in a chip's option bytes; return a note on them.

    Raises IntercoreError if the images would not be started (RM0399, option bytes).
    """
    if not {_OPTSR, _BOOT7, _BOOT4} <= registers.keys():
        yield (
            "the option bytes could not be read. The board starts both images only with the factory settings BCM7=1, "
            "SWAP_BANK=0, BOOT_CM7_ADD0=0x0800 and BOOT_CM4_ADD0=0x0810: check them"
        )
        return
    options, boot7, boot4 = (registers[address] for address in (_OPTSR, _BOOT7, _BOOT4))
    wrong = [
        *(["BCM7=0 (the M7 does not boot)"] if not options & _BCM7 else []),
        *(["SWAP_BANK=1 (the banks are swapped)"] if options & _SWAP_BANK else []),
        *([f"BOOT_CM7_ADD0={boot7 & 0xFFFF:#06x} instead of 0x0800"] if boot7 & 0xFFFF != 0x0800 else []),
        *([f"BOOT_CM4_ADD0={boot4 & 0xFFFF:#06x} instead of 0x0810"] if boot4 & 0xFFFF != 0x0810 else []),
    ]
    if wrong:
        raise IntercoreError(
            f"nothing was flashed, because the board's option bytes have wrong values: {', '.join(wrong)}. Set them by "
            "STM32CubeProgrammer: "
            "STM32_Programmer_CLI -c port=SWD -ob BCM7=1 BCM4=1 SWAP_BANK=0 BOOT_CM7_ADD0=0x0800 BOOT_CM4_ADD0=0x0810"
        )
    gate = "1: the M4 boots by itself" if options & _BCM4 else "0: the M7 lets the M4 boot"
    yield f"option bytes: BCM7=1, BCM4={gate}"


def _registers(output: str) -> dict[int, int]:
    """Parse memory words by address, as printed by the tools: `0x5200201c: 1bc6aaf0 …`, in rows of up to four."""
    found = {}
    for line in output.splitlines():
        row = re.match(r"\s*(?:0x)?([0-9A-Fa-f]{8})\s*:((?:\s+(?:0x)?[0-9A-Fa-f]{8}\b)+)", line)
        if row is not None:
            for at, word in enumerate(row[2].split()):
                found[int(row[1], 16) + 4 * at] = int(word, 16)
    return found


def _run(tool: Tool, step: Step, folder: Path) -> str:
    """Run a command and return its output. Raises IntercoreError if it fails or hangs.

    The output goes to a file, because a process that it leaves behind would keep a pipe open.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                step.command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=OWN_GROUP,
            )
        except OSError as error:
            raise IntercoreError(f"{tool.name} cannot be started: {error.strerror or error}") from error
        try:
            status = wait_for_group(process, STEP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_group(process)
        output.seek(0, os.SEEK_END)
        output.seek(max(0, output.tell() - _MOST_OUTPUT))
        said = printable(output.read().decode(errors="replace").replace("\r", "\n").replace("\t", " "))
    if status == 0 and re.search(step.says, said, re.IGNORECASE):
        return said
    last = " / ".join([line.strip() for line in said.splitlines() if line.strip()][-_LAST_LINES:]) or "nothing"
    if status is None:
        why = f"the tool took more than {STEP_TIMEOUT_S:.0f} s, and its last output was"
    elif status:
        why = f"its exit status was {status}, and its last output was"
    else:
        why = f"{step.failed or 'the tool did not report success'}, and its last output was"
    advice = (
        ". Check that the board is connected and that no other program uses its probe. If there are several probes, "
        "name one by --probe"
    )
    raise IntercoreError(
        f"the flashing tool {tool.name} failed while {step.what}. {why[0].upper()}{why[1:]}: "
        f"{last}{advice if _NO_PROBE.search(said) else ''}"
    )
