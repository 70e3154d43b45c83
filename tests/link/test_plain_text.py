"""A target that does not start says why in plain text: a person is told that, and not to look for the right port."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.link.child_port import ChildPort
from intercore.link.plain_text import KEPT, LONGEST, PlainText
from intercore.link.port import ProtocolError
from intercore.link.session import Session

if TYPE_CHECKING:
    from pathlib import Path

BOOT = """\
ets Jul 29 2019 12:21:46

rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)
configsip: 0, SPIWP:0xee
mode:DIO, clock div:2
entry 0x400805cc
\x1b[0;32mI (29) boot: ESP-IDF v5.5 2nd stage bootloader\x1b[0m
"""
TEXTS = {
    "truncated": (
        f"{BOOT}\x1b[0;31mE (84) esp_image: invalid segment length 0xffffffff\x1b[0m\n"
        "E (85) boot: Factory app partition is not bootable\n"
        "E (86) boot: No bootable app partitions in the partition table\n",
        ("invalid segment length 0xffffffff", "flash it again"),
    ),
    "flipped": (
        f"{BOOT}E (343) esp_image: Checksum failed. Calculated 0x5e read 0x5f\n",
        ("Checksum failed. Calculated 0x5e read 0x5f", "flash it again"),
    ),
    "erased": ("rst:0x1 (POWERON_RESET),boot:0x13\ninvalid header: 0xffffffff\n", ("no program: flash one",)),
    "panic": (
        "I (300) main_task: Calling app_main()\n"
        "Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.\n"
        "Backtrace: 0x400d1234:0x3ffb5f00\nRebooting...\n",
        ("Guru Meditation Error: Core  1 panic'ed (LoadProhibited)", "crashed"),
    ),
    "assertion": (
        "assert failed: vTaskDelay tasks.c:1478 (xSchedulerRunning)\n",
        ("vTaskDelay tasks.c:1478", "its program has aborted"),
    ),
    "stack": ("***ERROR*** A stack overflow in task answer has been detected.\n", ("in task answer", "too small")),
    "brown-out": ("Brownout detector was triggered\n", ("is too low",)),
    "brown-out, told by the reset": ("rst:0xf (RTCWDT_BROWN_OUT_RESET),boot:0x13\n", ("is too low",)),
    "boot button held": ("rst:0x1 (POWERON_RESET),boot:0x3 (DOWNLOAD_BOOT)\nwaiting for download\n", ("boot button",)),
    "watchdog": ("rst:0x8 (TG1WDT_SYS_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n", ("watchdog",)),
}


def heard(text: str) -> PlainText:
    found = PlainText()
    for line in text.encode().splitlines():
        if line:
            found.add(line)
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_chip_says_of_itself_is_told_with_what_it_means(name: str) -> None:
    text, told = TEXTS[name]
    for part in told:
        assert part in heard(text).reason
    assert "\x1b" not in heard(text).reason


def test_a_cause_is_told_and_not_what_follows_from_it() -> None:
    panic, truncated = TEXTS["panic"][0], TEXTS["truncated"][0]
    assert "Guru Meditation" in heard(panic + "rst:0x8 (TG1WDT_SYS_RESET)\n").reason
    assert "invalid segment" in heard(truncated).reason
    assert "(StoreProhibited)" in heard(panic + panic.replace("Load", "Store")).reason, "of two, the later one"


def test_text_without_a_sign_is_quoted_and_no_reason() -> None:
    found = heard(BOOT)
    assert not found.reason
    assert found.last_words == ". The target last printed “I (29) boot: ESP-IDF v5.5 2nd stage bootloader”"
    assert not PlainText().last_words


def test_damaged_lines_of_the_protocol_are_no_text() -> None:
    assert heard('{"v":1,"type":"hello","id":12#\nype":"condition","name":"Guru Meditation Error"\n') == PlainText()


@given(st.binary(max_size=400))
def test_whatever_comes_is_shown_without_controls_and_never_in_bulk(line: bytes) -> None:
    found = PlainText()
    for _ in range(KEPT + 2):
        found.add(line)
    assert len(found.lines) <= KEPT
    assert all(len(each) <= LONGEST and each.isprintable() for each in found.lines)


def test_a_copy_is_not_changed_by_what_comes_later() -> None:
    found = heard(BOOT)
    kept = copy.copy(found)
    found.add(b"Brownout detector was triggered")
    assert kept == heard(BOOT) != found


def saying(folder: Path, text: str, *, again: int = 1) -> ChildPort:
    """A target that says so, and then nothing."""
    (folder / "text").write_text(text * again)
    return ChildPort(["/bin/sh", "-c", 'cat "$0"; exec sleep 300', str(folder / "text")], "esp32 at /dev/ttyUSB0")


@pytest.mark.parametrize("name", ["truncated", "panic"])
def test_a_chip_that_does_not_start_is_not_said_to_be_at_the_wrong_port(tmp_path: Path, name: str) -> None:
    port = saying(tmp_path, TEXTS[name][0])
    with pytest.raises(ProtocolError) as raised:
        Session(port, timeout=2).info()
    port.close()
    assert str(raised.value).startswith("esp32 at /dev/ttyUSB0 does not answer. The target printed “")
    assert TEXTS[name][1][0] in str(raised.value)
    assert "check the port" not in str(raised.value).lower()


def test_a_chip_that_restarts_for_ever_is_given_up_at_once(tmp_path: Path) -> None:
    port = saying(tmp_path, TEXTS["truncated"][0], again=3)
    with pytest.raises(ProtocolError, match=r"restarts again and again.*invalid segment length") as raised:
        Session(port, timeout=600, contact_timeout=600).info()
    port.close()
    assert "flash it again" in str(raised.value)


def test_a_program_that_is_not_ours_is_quoted(tmp_path: Path) -> None:
    port = saying(tmp_path, "Hello world!\n")
    with pytest.raises(ProtocolError, match=r"The target last printed “Hello world!”\. Check the"):
        Session(port, timeout=1).info()
    port.close()
