"""The boards: their build factors, programs, and how they are flashed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from intercore.board import boot_drive, esp_image
from intercore.board.esp32_factors import CPU_MHZ, ESP_CODE, ESP_TRACE, FLASH_SUSPEND, P4_MHZ, PSRAM
from intercore.board.factors import OPT, Factor
from intercore.board.rp2040_factors import AMP_TRACE, BUS_PRIORITY, CLOCK_MHZ, CODE, TRACE, XIP_CACHE
from intercore.board.rp2350_factors import CLOCK_MHZ as RP2350_CLOCK_MHZ
from intercore.board.stm32h745_factors import DCACHE, ICACHE, M4_MHZ, M7_MHZ, SHARED, SUPPLY
from intercore.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from intercore.board.esp_image import Chip
    from intercore.record.measurement import Level


class Flashing(msgspec.Struct, frozen=True):
    """How to flash a board, as far as the user specifies it; None to detect it."""

    drive: Path | None = None
    """Folder of a boot drive."""
    probe: str | None = None
    """Serial number of a debug probe."""
    tool: str | None = None
    """Name of the tool that drives the probe."""
    port: str | None = None
    """Serial port at which esptool finds the chip: device or pyserial URL."""
    image: Path | None = None
    """Existing whole flash image to write instead of building one."""


class Board(msgspec.Struct, frozen=True):
    """A kind of board."""

    name: str
    """Name for `intercore build` and `intercore flash`, and of the target at a serial port."""
    title: str
    """Name in messages, e.g. `the Pico`."""
    folder: str
    """Folder of its sources under firmware/board."""
    factors: tuple[Factor, ...]
    """Its build factors: each is the CMake variable IC_<NAME>, or an option of ESP-IDF."""
    flashed_by: Literal["boot drive", "debug probe", "esptool"]
    """How it is flashed: by a UF2 file on the drive of its boot ROM, by ELF files through a debug probe, or by a whole
    flash image through Espressif's esptool, which communicates with the boot ROM over the serial port."""
    chip: Chip | None = None
    """The chip, if the board is flashed by esptool."""
    drive: boot_drive.BootDrive = boot_drive.PICO
    """The drive, if it is flashed by that."""
    cores: Literal["Arm", "RISC-V"] = "Arm"
    """The kind of its cores, for which our recipe compiles."""
    console: str = ""
    """Hint on its console, if that is not only the connector through which it is flashed."""
    programs: tuple[str, ...] = ("intercore-target",)
    """Files of its build, one for each separate program, that of core 0 first."""

    def level(self, name: str, text: str) -> Level:
        """Return the level of a factor from a user's text. Raises UsageError if there is no such factor or level."""
        known = {factor.name: factor for factor in self.factors}
        if name not in known:
            raise UsageError(unknown("factor", name, known, f"{self.name} has"))
        return known[name].level(text)

    def whole(self, build: Mapping[str, Level]) -> dict[str, Level]:
        """Return a level of each factor, from `build` or else the default."""
        return {factor.name: build.get(factor.name, factor.default) for factor in self.factors}

    def check(self, way: Flashing) -> None:
        """Raise UsageError if an option for flashing does not apply to the board."""
        means = {
            "boot drive": (("drive",), "by its boot drive or picotool"),
            "debug probe": (("probe", "tool"), "by a debug probe"),
            "esptool": (("port", "image"), "by esptool over its serial port"),
        }
        words = {"drive": "--drive", "probe": "--probe", "tool": "--with", "port": "--port", "image": "--image"}
        own, by = means[self.flashed_by]
        for name, option in words.items():
            if name not in own and getattr(way, name) is not None:
                raise UsageError(f"{option} does not apply to {self.name}, which is flashed {by}: omit {option}")


_ON_USB = "the Pico's console is on GP0 (TX) and GP1 (RX), for a 3.3 V serial adapter, and on its USB connector"
PICO = Board(
    "pico",
    "the Pico",
    "rp2040",
    (OPT, CLOCK_MHZ, CODE, XIP_CACHE, BUS_PRIORITY, TRACE),
    "boot drive",
    console=_ON_USB,
)
# Its image contains that of core 1, which has its own kernel.
PICO_AMP = Board(
    "pico-amp",
    "the Pico in AMP",
    "rp2040_amp",
    (OPT, CLOCK_MHZ, BUS_PRIORITY, AMP_TRACE),
    "boot drive",
    console=_ON_USB,
)
PICO2_RISCV = Board(
    "pico2-riscv",
    "the Pico 2 with its RISC-V cores",
    "rp2350",
    (OPT, RP2350_CLOCK_MHZ, CODE, XIP_CACHE, BUS_PRIORITY),
    "boot drive",
    drive=boot_drive.PICO2_RISCV,
    cores="RISC-V",
    console=_ON_USB.replace("Pico", "Pico 2"),
)
STM32H745 = Board(
    "stm32h745",
    "the STM32H745",
    "stm32h745",
    (OPT, M7_MHZ, M4_MHZ, SUPPLY, ICACHE, DCACHE, SHARED),
    "debug probe",
    programs=("intercore-target", "intercore-target-core1"),
)


def _of_espressif(clock: Factor) -> tuple[Factor, ...]:
    return (OPT, clock, ESP_CODE, PSRAM, ESP_TRACE)


# One project for all chips, built by ESP-IDF.
ESP32 = Board("esp32", "the ESP32", "esp32", _of_espressif(CPU_MHZ), "esptool", esp_image.ESP32)
ESP32S3 = Board(
    "esp32s3", "the ESP32-S3", "esp32", (*_of_espressif(CPU_MHZ), FLASH_SUSPEND), "esptool", esp_image.ESP32S3
)
ESP32P4 = Board("esp32p4", "the ESP32-P4", "esp32", _of_espressif(P4_MHZ), "esptool", esp_image.ESP32P4)

BOARDS = {board.name: board for board in (PICO, PICO_AMP, PICO2_RISCV, STM32H745, ESP32, ESP32S3, ESP32P4)}

_factors = {id(factor): factor for board in BOARDS.values() for factor in board.factors}.values()

FACTORS: Mapping[str, tuple[Factor, ...]] = {
    name: tuple(factor for factor in _factors if factor.name == name) for name in (factor.name for factor in _factors)
}
"""All factors of any board, by name. Factors of the same name may have other levels on another chip."""


_OTHER_CHIPS = (
    (
        r"(raspberrypi)?pico2.*|rp235\d.*",
        "of the Raspberry Pi Pico 2 (RP2350) only the RISC-V cores are supported yet: use pico2-riscv, or without a "
        "board the target pico2-riscv-sim",
    ),
    (
        r"rp2040.*|picow.*",
        "the RP2040 is the chip of the Raspberry Pi Pico: use pico, or without a board the target pico-sim",
    ),
    (r"esp32(c|h|s2).*", "that chip has one main core; chips with two are esp32, esp32s3 and esp32p4"),
    (r"stm32h7(47|55|57).*", "that chip is not supported yet; its relative stm32h745 is"),
)
"""Explanations for names of other chips that resemble ours, without blanks and dashes."""


def unknown_board(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the error for an unknown board or target; boards with other chips have an explanation."""
    plain = re.sub(r"[-_ ]", "", name.lower())
    for pattern, why in _OTHER_CHIPS:
        if re.fullmatch(pattern, plain):
            return f"there is no {kind} '{name}': {why}"
    names = list(known)
    dashed = re.sub(r"[_ ]", "-", name.lower())
    if dashed in names and name not in names:
        return f"there is no {kind} '{name}'; did you mean '{dashed}'?"
    simulated = re.fullmatch(r"(.+)[-_ ](sim|qemu)", name)
    if simulated is not None and simulated[1] in names and name not in names:
        return f"there is no {kind} '{name}'; did you mean '{simulated[1]}'?"
    return unknown(kind, name, names)


def find(name: str) -> Board:
    """Return the board called `name`. Raises UsageError that suggests the closest one."""
    if name not in BOARDS:
        raise UsageError(unknown_board("board", name, BOARDS))
    return BOARDS[name]
