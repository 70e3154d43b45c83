"""Flashing by esptool, whatever esptool says."""

from __future__ import annotations

import itertools
import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board import esp_flash
from intercore.board.boards import ESP32, PICO, Flashing
from intercore.board.flash import flash
from intercore.errors import IntercoreError, UsageError
from tests.fakes.esp_images import whole

if TYPE_CHECKING:
    from tests.fakes.esp_tools import Fakes

PORT = "/dev/ttyUSB7"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "esp32.bin"
    path.write_bytes(whole("esp32"))
    return path


def flashed(image: Path, said: list[str] | None = None) -> str:
    return flash(ESP32, {}, Flashing(port=PORT, image=image), (said if said is not None else []).append).words


def test_an_image_is_written_verified_and_started(here: Fakes, image: Path) -> None:
    said: list[str] = []
    assert flashed(image, said) == f"esp32.bin written to {PORT} and verified"
    assert here.flash.read_bytes() == whole("esp32")
    (call,) = here.calls("esptool")
    assert " ".join(call["words"]) == (
        f"--chip esp32 --port {PORT} --baud 460800 --before default-reset --after hard-reset write-flash "
        f"--flash-mode keep --flash-freq keep --flash-size keep 0x0 {image}"
    )
    percents = [int(found[1]) for one in said if (found := re.fullmatch(r"writing the flash of ESP32: (\d+) %", one))]
    assert percents == sorted(percents)
    assert (percents[0], percents[-1], len(percents)) == (0, 100, 11)


@pytest.mark.parametrize(
    ("behaviour", "kind", "complaint"),
    [
        (
            "no-port",
            IntercoreError,
            rf"there is no port {PORT} \(esptool reports: Could not open .*\). Name the port by --port",
        ),
        ("forbidden", IntercoreError, rf"no permission to open {PORT}: .*dialout"),
        ("busy", IntercoreError, rf"{PORT} is in use: close the serial monitor"),
        (
            "silent",
            IntercoreError,
            rf"the chip at {PORT} does not answer: hold the board's BOOT button.*No serial data",
        ),
        ("boot", IntercoreError, r"does not answer: hold the board's BOOT button.*Wrong boot mode detected \(0x13\)"),
        ("s3", UsageError, rf"is an ESP32-S3, not an ESP32. .*intercore flash esp32s3 --port {PORT}$"),
        ("c3", UsageError, "is an ESP32-C3, not an ESP32. Intercore"),
        ("md5", IntercoreError, rf"verification of the flash at {PORT} failed"),
        ("breaks", IntercoreError, rf"the connection to {PORT} was lost"),
        ("unverified", IntercoreError, "does not report a"),
        ("odd", IntercoreError, r": The moon is in the wrong house\."),
    ],
)
def test_what_esptool_complains_of_is_told_with_what_to_do(
    here: Fakes,
    image: Path,
    monkeypatch: pytest.MonkeyPatch,
    behaviour: str,
    kind: type[IntercoreError],
    complaint: str,
) -> None:
    monkeypatch.setenv("FAKE_ESPTOOL", behaviour)
    with pytest.raises(IntercoreError, match=complaint) as caught:
        flashed(image)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert len(here.calls("esptool")) == (2 if behaviour in {"md5", "breaks", "unverified"} else 1)


def test_a_line_that_is_bad_at_the_fast_rate_gets_the_slow_one(
    here: Fakes, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ESPTOOL", "slow-line")
    said: list[str] = []
    flashed(image, said)
    assert "flashing at 460800 bits per second failed: trying again at 115200" in said
    rates = [call["words"][call["words"].index("--baud") + 1] for call in here.calls("esptool")]
    assert rates == ["460800", "115200"]


def test_an_esptool_that_hangs_is_ended(here: Fakes, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ESPTOOL", "hangs")

    def lose_patience_once_it_hangs() -> None:
        while not here.calls("hanging esptool"):
            time.sleep(0.01)
        monkeypatch.setattr(esp_flash, "SILENCE_S", 0.5)

    threading.Thread(target=lose_patience_once_it_hangs, daemon=True).start()
    with pytest.raises(IntercoreError, match=r"esptool does not answer\. Its last"):
        flashed(image)
    assert len(here.calls("esptool")) == 1


@pytest.mark.usefixtures("here")
def test_hours_in_which_this_program_was_stopped_are_no_silence_of_esptool(
    image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, stopped = time.monotonic, itertools.chain([0.0] * 3, itertools.repeat(7200.0))
    monkeypatch.setattr(time, "monotonic", lambda: now() + next(stopped))
    monkeypatch.setattr(esp_flash, "_POLL_S", 0.01)
    assert flashed(image)


def test_esptool_must_be_there_and_know_the_commands(here: Fakes, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here.install_esptool("4.9.0")
    with pytest.raises(IntercoreError, match="esptool 5 or newer is needed, but"):
        flashed(image)

    def missing(_: str) -> str:
        raise esp_flash.importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(esp_flash.importlib.metadata, "version", missing)
    with pytest.raises(IntercoreError, match=r"esptool.* is missing.*pip install 'intercore\[esp32\]'"):
        flashed(image)
    assert here.calls("esptool") == []


@pytest.mark.usefixtures("here")
def test_nothing_is_written_that_is_not_for_the_board(tmp_path: Path, here: Fakes) -> None:
    path = tmp_path / "s3.bin"
    path.write_bytes(whole("esp32s3"))
    with pytest.raises(IntercoreError, match=": the image is for ESP32-S3, not for ESP32"):
        flashed(path)
    assert here.calls("esptool") == []


def test_a_port_is_needed_before_anything_is_built() -> None:
    with pytest.raises(UsageError, match=r"port is needed.*by --port"):
        flash(ESP32, {}, Flashing(), [].append)
    with pytest.raises(UsageError, match="--port does not apply"):
        flash(PICO, {}, Flashing(port=PORT), [].append)
    with pytest.raises(UsageError, match="--drive does not apply"):
        flash(ESP32, {}, Flashing(drive=Path("/")), [].append)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("port", ["labgrid://bench", "--erase-all"])
def test_what_is_no_port_for_esptool_is_refused(image: Path, port: str) -> None:
    with pytest.raises(UsageError, match="is flashed through a serial device or a pyserial URL"):
        flash(ESP32, {}, Flashing(port=port, image=image), [].append)
