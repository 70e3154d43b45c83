"""The ESP32 on Espressif's QEMU, as a port. It shows what the program does; its times mean nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.board import esp_image
from intercore.errors import IntercoreError
from intercore.link.child_port import ChildPort
from intercore.target.connection import Connection
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.board.image import Image

PROGRAM = "qemu-system-xtensa"
MACHINE = "esp32"
BOOT_TIMEOUT = 60.0
"""Seconds for the program to boot and answer, also on a busy machine."""

_ASK_TIMEOUT_S = 30.0
_INSTALL = (
    "Install Espressif's QEMU, a tool of ESP-IDF: python $IDF_PATH/tools/idf_tools.py install qemu-xtensa; then "
    "activate ESP-IDF in this shell again"
)


class QemuPort(ChildPort):
    """UART0 of an ESP32 that runs as long as the port is open."""

    def __init__(self, qemu: str, flash: bytes) -> None:
        """Start the chip with this flash, of a size that QEMU supports."""
        self._folder = tempfile.TemporaryDirectory(prefix="intercore-qemu-", ignore_cleanup_errors=True)
        try:
            file = Path(self._folder.name, "flash.bin")
            file.write_bytes(flash)
            super().__init__([*_dying_with_us(), *_command(qemu, file)], f"{PROGRAM} (machine {MACHINE})")
        except OSError as error:
            self._folder.cleanup()
            raise IntercoreError(f"cannot write the emulated flash: {error.strerror or error}") from error
        except BaseException:
            self._folder.cleanup()
            raise

    def close(self) -> None:
        """See Port."""
        super().close()
        self._folder.cleanup()


def open_qemu(given: Path | None, build: Callable[[], Image]) -> Connection:
    """Start the ESP32's program on QEMU: the given whole flash image, or else the one that `build` builds.

    Raises IntercoreError if there is no QEMU with an ESP32, and what `build` raises.
    """
    qemu, version = find_qemu()
    image = build() if given is None else None
    path = given if image is None else image.whole_flash
    if path is None:
        raise IntercoreError("the image has no file with the whole flash: this is a bug of Intercore, please report it")
    data = esp_image.read(path)
    try:
        found = esp_image.check(data, esp_image.ESP32)
    except ValueError as error:
        raise IntercoreError(f"{path} is not an image for the ESP32's flash: {error}") from None
    port = QemuPort(qemu, esp_image.padded(data, found.flash_size))
    kernel = "" if image is None else str(image.kernel)
    digest = esp_image.digest(data)
    return Connection(port, emulator=version, image=digest, kernel=kernel, contact_timeout=BOOT_TIMEOUT)


def find_qemu() -> tuple[str, str]:
    """Return the path and the version of a QEMU that has an ESP32. Raises IntercoreError if there is none."""
    found = [path for path in (shutil.which(PROGRAM), *_of_esp_idf()) if path is not None]
    for path in dict.fromkeys(found):
        if re.search(rf"(?m)^{MACHINE}\s", _ask(path, "-machine", "help")):
            words = _ask(path, "--version").partition("\n")[0]
            return path, words.strip() or PROGRAM
    if found:
        raise IntercoreError(
            f"{found[0]} has no machine '{MACHINE}'. Like most distributions' QEMU, this program lacks Espressif's "
            f"additions. {_INSTALL}"
        )
    raise IntercoreError(f"the target esp32-qemu needs {PROGRAM}, which was not found. {_INSTALL}")


def _of_esp_idf() -> list[str]:
    """Yield the QEMUs that ESP-IDF's installer has put, for a shell without ESP-IDF; the newest first."""
    tools = Path(os.environ.get("IDF_TOOLS_PATH") or Path.home() / ".espressif") / "tools" / "qemu-xtensa"
    try:
        return sorted((str(path) for path in tools.glob(f"*/qemu/bin/{PROGRAM}*")), reverse=True)
    except OSError:
        return []


def _ask(path: str, *words: str) -> str:
    try:
        completed = subprocess.run(
            [path, *words], capture_output=True, check=False, timeout=_ASK_TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise IntercoreError(f"{path} cannot be started: {error}") from error
    if completed.returncode:
        last_lines = printable(completed.stderr.decode(errors="replace")).strip().splitlines() or ["nothing"]
        raise IntercoreError(
            f"{path} failed with exit status {completed.returncode}. Its last output was: {last_lines[-1]}"
        )
    return printable(completed.stdout.decode(errors="replace"))


def _command(qemu: str, flash: Path) -> list[str]:
    """Espressif's QEMU documentation (esp-toolchain-docs, qemu/esp32): flash as an MTD drive, timer watchdogs off.

    The watchdogs would reset a chip that QEMU runs slower than its timers.
    """
    name = str(flash).replace(",", ",,")
    return [
        *(qemu, "-machine", MACHINE, "-m", "4M", "-display", "none", "-monitor", "none"),
        *("-drive", f"file={name},if=mtd,format=raw"),
        *("-global", "driver=timer.esp32.timg,property=wdt_disable,value=true"),
        *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
    ]


def _dying_with_us() -> list[str]:
    """Return a prefix that kills a program when this process dies: QEMU does not exit when its output is closed."""
    setpriv = shutil.which("setpriv")  # of util-linux; without it, kill -9 of this process leaves QEMU behind
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
