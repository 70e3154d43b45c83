"""Images for Espressif's chips: made of their parts, and checked, whatever they hold."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board import esp_image
from intercore.board.esp_image import ESP32, ESP32P4, ESP32S3, MEGABYTE, check, merge, padded
from intercore.errors import IntercoreError
from tests.fakes.esp_images import APP, TABLE, header, parts, table, whole

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.board.esp_image import Chip

CHIPS = {"esp32": ESP32, "esp32s3": ESP32S3, "esp32p4": ESP32P4}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("flash_mb", [2, 4, 8, 16])
def test_parts_make_a_whole_flash_that_is_one(chip: str, flash_mb: int) -> None:
    merged = merge(parts(chip, flash_mb))
    assert merged == whole(chip, flash_mb)
    found = check(merged, CHIPS[chip])
    assert (found.flash_size, found.app) == (flash_mb * MEGABYTE, APP)
    full = padded(merged, found.flash_size)
    assert len(full) == flash_mb * MEGABYTE
    assert full.startswith(merged)
    assert set(full[len(merged) :]) == {0xFF}


@given(st.lists(st.tuples(st.integers(0, 4096), st.binary(min_size=1, max_size=64)), min_size=1, max_size=6))
def test_every_part_is_where_it_belongs_or_nothing_is_made(pieces: list[tuple[int, bytes]]) -> None:
    known = dict(pieces)
    taken = [at for offset, data in known.items() for at in range(offset, offset + len(data))]
    if len(taken) != len(set(taken)):
        with pytest.raises(ValueError, match="two parts of the flash image overlap at 0x"):
            merge(known)
        return
    merged = merge(known)
    assert all(merged[offset : offset + len(data)] == data for offset, data in known.items())
    assert all(byte == 0xFF for at, byte in enumerate(merged) if at not in set(taken))
    assert len(merged) == max(taken) + 1


@pytest.mark.parametrize("pieces", [{}, {-1: b"x"}, {esp_image.MOST: b"x"}, {1 << 40: b"x"}])
def test_what_no_flash_holds_is_refused(pieces: dict[int, bytes]) -> None:
    with pytest.raises(ValueError, match=r"the flash image has no parts|do not fit into a flash of 16 MB"):
        merge(pieces)


@given(st.data())
def test_whatever_a_file_holds_it_is_checked_and_nothing_else_happens(data: st.DataObject) -> None:
    chip = data.draw(st.sampled_from([ESP32, ESP32S3]))
    image = bytearray(whole(chip.name)[: data.draw(st.integers(0, APP + 64))])
    places = st.one_of(
        st.integers(chip.bootloader, chip.bootloader + 24), st.integers(TABLE, TABLE + 96), st.integers(APP, APP + 24)
    )
    for at in data.draw(st.lists(places, max_size=6)):
        if at < len(image):
            image[at] = data.draw(st.integers(0, 255))
    try:
        found = check(bytes(image), chip)
    except ValueError as error:
        assert str(error).isprintable()  # noqa: PT017 - either is right
    else:
        assert len(image) <= found.flash_size <= 128 * MEGABYTE
        assert image[found.app] == 0xE9


@given(st.binary(max_size=200))
def test_noise_is_no_image(noise: bytes) -> None:
    with pytest.raises(
        ValueError, match=r"no bootloader|the bootloader in the image is for|no partition table|unknown flash size"
    ):
        check(noise, ESP32S3)


def changed(chip: str, offset: int, data: bytes) -> bytes:
    image = bytearray(whole(chip))
    image[offset : offset + len(data)] = data
    return bytes(image)


@pytest.mark.parametrize(
    ("image", "chip", "complaint"),
    [
        (whole("esp32s3"), ESP32, "the image is for ESP32-S3, not for ESP32"),
        (whole("esp32"), ESP32S3, "the image is for ESP32, not for ESP32-S3"),
        (whole("esp32p4"), ESP32S3, "the image is for ESP32-P4, not for ESP32-S3"),
        (whole("esp32s3"), ESP32P4, "the image is for ESP32-S3, not for ESP32-P4"),
        (header("esp32") + bytes(20000), ESP32, "no bootloader at 0x1000.*a program without a bootloader"),
        (b"", ESP32, "no bootloader at 0x1000"),
        (changed("esp32", 0x100C, b"\x05"), ESP32, r"the bootloader in the image is for another chip \(number 5\)"),
        (changed("esp32", APP + 12, b"\x09"), ESP32, "the program in the image is for ESP32-S3, not for ESP32"),
        (changed("esp32", TABLE, b"\x00"), ESP32, "no partition table at 0x8000"),
        (changed("esp32", APP, b"\x00"), ESP32, "no program at 0x10000"),
        (changed("esp32", 0x1003, b"\xf0"), ESP32, r"unknown flash size \(code 15\)"),
        (
            changed("esp32", TABLE, table((1, 0x9000, 0x6000, "nvs")).ljust(96, b"\xff")),
            ESP32,
            "no partition for a program",
        ),
        (
            changed("esp32", TABLE + 32, struct.pack("<HBBII", 0x50AA, 0, 0, APP, 0xFFFFFFFF)),
            ESP32,
            "partition 1 of the partition table ends at",
        ),
        (whole("esp32", 1).ljust(MEGABYTE + 1, b"x"), ESP32, "built for a flash of 1 MB"),
    ],
)
def test_what_is_no_whole_flash_for_the_chip_is_told(image: bytes, chip: Chip, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check(image, chip)


def test_a_file_that_is_larger_than_any_flash_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "big.bin"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(IntercoreError, match="larger than 16 MiB"):
        esp_image.read(path)
    with pytest.raises(IntercoreError, match=r"cannot read .*missing"):
        esp_image.read(tmp_path / "missing")
