"""The ESP-IDF project and component, as far as they can be judged without ESP-IDF: names, and what names what."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from intercore.board.boards import BOARDS
from intercore.board.esp_image import CHIPS

ROOT = Path(__file__).parents[3]
FIRMWARE = ROOT / "firmware"
PROJECT = FIRMWARE / "board" / "esp32"
DEFAULTS = sorted(PROJECT.glob("sdkconfig.defaults*"))

# What the project sets of ESP-IDF's own options, each looked up in release/v5.5: the Kconfig file that defines it.
OPTIONS = {
    "APP_REPRODUCIBLE_BUILD": "Kconfig",
    "BOOTLOADER_LOG_LEVEL_WARN": "components/bootloader/Kconfig.log",
    "COMPILER_OPTIMIZATION_ASSERTIONS_ENABLE": "Kconfig",
    "COMPILER_OPTIMIZATION_PERF": "Kconfig",
    "ESPTOOLPY_FLASHFREQ_80M": "components/spi_flash/esp32/Kconfig.flash_freq",
    "ESPTOOLPY_FLASHMODE_DIO": "components/esptool_py/Kconfig.projbuild",
    "ESPTOOLPY_FLASHSIZE_4MB": "components/esptool_py/Kconfig.projbuild",
    "ESP_CONSOLE_SECONDARY_NONE": "components/esp_system/Kconfig",
    "ESP_CONSOLE_UART_DEFAULT": "components/esp_system/Kconfig",
    "ESP_DEFAULT_CPU_FREQ_MHZ_240": "components/esp_system/port/soc/esp32/Kconfig.cpu",
    "ESP_TASK_WDT_CHECK_IDLE_TASK_CPU0": "components/esp_system/Kconfig",
    "ESP_TASK_WDT_CHECK_IDLE_TASK_CPU1": "components/esp_system/Kconfig",
    "ESP_TASK_WDT_INIT": "components/esp_system/Kconfig",
    "ESP_TASK_WDT_PANIC": "components/esp_system/Kconfig",
    "ESP_TASK_WDT_TIMEOUT_S": "components/esp_system/Kconfig",
    "FREERTOS_CHECK_STACKOVERFLOW_CANARY": "components/freertos/Kconfig",
    "FREERTOS_HZ": "components/freertos/Kconfig",
    "FREERTOS_IN_IRAM": "components/freertos/Kconfig of release/v6.0",
    "FREERTOS_TASK_NOTIFICATION_ARRAY_ENTRIES": "components/freertos/Kconfig",
    "FREERTOS_UNICORE": "components/freertos/Kconfig",
    "LOG_DEFAULT_LEVEL_WARN": "components/log/Kconfig.level",
    "PARTITION_TABLE_CUSTOM": "components/partition_table/Kconfig.projbuild",
    "PARTITION_TABLE_CUSTOM_FILENAME": "components/partition_table/Kconfig.projbuild",
    "PM_ENABLE": "components/esp_pm/Kconfig",
    "UART_ISR_IN_IRAM": "components/esp_driver_uart/Kconfig",
}


def own_options() -> set[str]:
    """Return the options that the component's Kconfig defines."""
    return set(re.findall(r"^\s*(?:config|choice)\s+(\w+)", (PROJECT / "Kconfig").read_text(), re.MULTILINE))


def settings(path: Path) -> dict[str, str]:
    """Return the options that a file of defaults sets; every other line is empty or a comment."""
    found: dict[str, str] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r'CONFIG_(\w+)=(y|n|\d+|"[^"]+")', line)
            assert match is not None, f"{path.name}: {line}"
            assert match[1] not in found, f"{path.name} sets {match[1]} twice"
            found[match[1]] = match[2]
    return found


def sources() -> list[str]:
    """Return the C files that component.cmake names."""
    return re.findall(r"\b[\w/]+\.c\b", re.sub(r"#.*", "", (PROJECT / "component.cmake").read_text()))


@pytest.mark.parametrize("path", DEFAULTS, ids=lambda path: path.name)
def test_defaults_set_options_that_exist(path: Path) -> None:
    assert settings(path).keys() <= OPTIONS.keys() | own_options()


def test_every_option_of_the_table_is_set_somewhere() -> None:
    assert {name for path in DEFAULTS for name in settings(path)} >= OPTIONS.keys()


def test_each_chip_has_its_defaults_and_its_fastest_clock() -> None:
    for chip in CHIPS:
        own = settings(PROJECT / f"sdkconfig.defaults.{chip.name}")
        fastest = BOARDS[chip.name].whole({})["cpu_mhz"]
        clocks = [name for name in own if name.startswith("ESP_DEFAULT_CPU_FREQ_MHZ_")]
        # An ESP32-P4's is ESP-IDF's own choice, by the revision that an image is for.
        assert clocks == ([] if chip.name == "esp32p4" else [f"ESP_DEFAULT_CPU_FREQ_MHZ_{fastest}"])
    assert not any(name.startswith("ESP_DEFAULT_CPU_FREQ") for name in settings(PROJECT / "sdkconfig.defaults"))


def test_each_setting_is_explained() -> None:
    for path in DEFAULTS:
        for block in path.read_text().strip().split("\n\n"):
            assert block.startswith("# "), f"{path.name}: {block.splitlines()[0]} has no reason before it"


def test_code_asks_for_options_that_kconfig_defines() -> None:
    asked: set[str] = set()
    for path in [*FIRMWARE.rglob("*.[ch]"), *PROJECT.glob("*.cmake"), *PROJECT.glob("*.in")]:
        asked |= set(re.findall(r"CONFIG_(INTERCORE_\w+)", path.read_text()))
    assert asked
    assert asked <= own_options()


def test_the_component_names_files_that_exist_and_leaves_none_of_the_board_out() -> None:
    named = sources()
    assert [name for name in named if not (FIRMWARE / name).is_file()] == []
    own = {
        path
        for path in PROJECT.rglob("*.c")
        if not {"main", "build", "components"} & set(path.relative_to(PROJECT).parts)
    }
    assert {path.relative_to(FIRMWARE).as_posix() for path in own} <= set(named)


def test_the_folders_to_include_exist_and_none_hides_a_header_of_the_kernel() -> None:
    lists = (FIRMWARE / "portable.cmake").read_text() + (PROJECT / "component.cmake").read_text()
    named = re.findall(r"set\((?:IC_PORTABLE_FOLDERS|folders) ([^)]*)\)", lists)
    folders = [FIRMWARE / name for name in " ".join(named).split() if not name.startswith("$")]
    assert len(folders) > 5
    assert all(folder.is_dir() for folder in folders)
    kernel = {"FreeRTOS.h", "FreeRTOSConfig.h", "task.h", "queue.h", "semphr.h", "portable.h", "portmacro.h", "list.h"}
    assert [header for folder in folders for header in folder.glob("*.h") if header.name in kernel] == []


def test_esp_idf_6_1_has_the_systimer_in_a_component_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "requirements.cmake"
    script.write_text(
        'macro(idf_component_register)\n  message("${required}")\n  return()\nendmacro()\n'
        "function(idf_build_get_property variable name)\n  set(${variable} ${IDF} PARENT_SCOPE)\nendfunction()\n"
        "set(CMAKE_BUILD_EARLY_EXPANSION ON)\n"
        f"include({PROJECT}/component.cmake)\n"
    )
    asked = ["cmake", f"-DIDF={tmp_path}", "-P", str(script)]
    for folder in ("", "components/esp_hal_systimer"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        told = subprocess.run(asked, check=True, capture_output=True, text=True).stderr.strip().split(";")
        assert ("esp_hal_systimer" in told) == bool(folder)
        assert "hal" in told


def test_the_project_names_no_folder_above_it_and_its_component_has_a_name_of_its_own() -> None:
    for path in (PROJECT / "CMakeLists.txt", PROJECT / "main" / "CMakeLists.txt"):
        assert "../" not in path.read_text()
    assert (PROJECT / "components" / "intercore" / "CMakeLists.txt").is_file()


def test_the_library_claims_no_framework_that_its_class_cannot_be_compiled_for() -> None:
    library = json.loads((FIRMWARE / "library.json").read_text())
    assert "+<board/esp32/*.cpp>" in library["build"]["srcFilter"], "arduino.cpp, which needs Arduino.h"
    assert library["frameworks"] == ["arduino"]


def test_the_manifest_says_what_the_project_requires() -> None:
    manifest = (ROOT / "idf_component.yml").read_text()
    cmake = (PROJECT / "CMakeLists.txt").read_text()
    assert re.search(r'^  idf: ">=5\.5"$', manifest, re.MULTILINE)
    assert "ESP-IDF 5.5 or later is needed" in cmake
    targets = re.search(r"^targets: \[(.*)\]$", manifest, re.MULTILINE)
    assert targets is not None
    assert targets[1].split(", ") == [chip.name for chip in CHIPS]
    for pattern in re.findall(r"^    - ([^\"\n]+)$", manifest, re.MULTILINE):
        assert any(path.is_file() for path in ROOT.glob(pattern)), f"{pattern} names no file"


@pytest.mark.parametrize(("compiler", "dialect"), [("cc", "-std=c11"), ("c++", "-std=c++11")])
def test_the_public_header_is_c_and_cpp(compiler: str, dialect: str, tmp_path: Path) -> None:
    source = tmp_path / ("main.c" if compiler == "cc" else "main.cpp")
    source.write_text(
        '#include "intercore.h"\n'
        "int main() { return intercore_start(NULL) == NULL && intercore_is_running() ? 0 : 1; }\n"
    )
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
    command = [compiler, dialect, *warnings, "-I", PROJECT / "include", "-c", source, "-o", tmp_path / "main.o"]
    subprocess.run(command, check=True)
