"""The same with Espressif's own programs, where they are: ESP-IDF, QEMU, and esptool into QEMU's flash. Slow."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from intercore.board import esp_image
from intercore.board.boards import ESP32, Flashing
from intercore.board.build import board_image
from intercore.board.flash import flash
from intercore.errors import IntercoreError
from intercore.target.emulator import find_qemu
from intercore.target.targets import Address, find

if TYPE_CHECKING:
    from pathlib import Path

BUILD_TIMEOUT_S = 1800


@pytest.fixture(scope="module")
def image() -> Path:
    """The whole flash, built by the ESP-IDF of this shell."""
    if not os.environ.get("INTERCORE_SLOW"):
        pytest.skip("slow: set INTERCORE_SLOW=1")
    if shutil.which("idf.py") is None:
        pytest.skip("no ESP-IDF in this shell")
    whole = board_image(ESP32, {}, lambda _: None).whole_flash
    assert whole is not None
    return whole


@pytest.fixture(scope="module")
def qemu() -> str:
    try:
        return find_qemu()[0]
    except IntercoreError as error:
        pytest.skip(str(error))


@pytest.mark.timeout(BUILD_TIMEOUT_S)
@pytest.mark.usefixtures("qemu")
@pytest.mark.measures("speedup")
def test_what_esp_idf_builds_runs_on_qemu(image: Path) -> None:
    target = find("esp32-qemu")
    opened = target.open(Address(program=image), lambda _: None)
    with contextlib.closing(opened), opened.session(target.timeout) as session:
        info = session.info()
        assert (info.hello.board, info.hello.cores) == ("esp32", 2)
        assert info.conditions["framework"] == "ESP-IDF"
        answer = session.measure("speedup", {"n": 100, "samples": 5})
        assert answer.status in {"ok", "failed"}
        assert answer.checks["wrong"] == 0


@pytest.mark.timeout(BUILD_TIMEOUT_S)
def test_esptool_writes_it_to_a_chip_in_its_boot_rom(image: Path, qemu: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("esptool") is None:
        pytest.skip("no esptool: pip install 'intercore[esp32]'")
    file = tmp_path / "flash.bin"
    file.write_bytes(b"\xff" * (4 << 20))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [qemu, "-machine", "esp32", "-display", "none", "-monitor", "none"]
    words += ["-drive", f"file={file},if=mtd,format=raw", "-serial", f"tcp:127.0.0.1:{port},server,nowait"]
    words += ["-global", "driver=esp32.gpio,property=strap_mode,value=0x0f"]  # as with BOOT held
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            time.sleep(5)
            flash(ESP32, {}, Flashing(port=f"socket://127.0.0.1:{port}", image=image), lambda _: None)
        finally:
            process.kill()
    written = esp_image.read(image)
    assert file.read_bytes()[: len(written)] == written
