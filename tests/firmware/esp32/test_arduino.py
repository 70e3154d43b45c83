"""The Arduino library: what is in it, whether it is one, and whether a sketch with it does what it should.

The sketch runs on this machine: the library's own portable files, its class and its example, over POSIX threads instead
of ESP-IDF, in a fake of Arduino's core that calls setup() and loop() the way the real one does. It takes no processor
for itself: other tests may run beside it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import pytest

import intercore
from intercore.board.arduino_library import arduino_library, write_arduino_library
from intercore.board.sources import firmware_sources
from intercore.errors import UsageError
from tests.firmware.contention_answers import told, towers
from tests.firmware.host.conftest import Terminal, series

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "arduino"
FIRMWARE = firmware_sources()
ROOT = Path(__file__).parents[3]

PORTABLE = re.compile(r"(core|bench|workload|transport)_[a-z0-9_]*\.c|port_(launch_none|loop)\.c")
PLATFORM = re.compile(r"transport_(freertos|esp_idf)_")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
C = [
    "gcc",
    "-std=c11",
    "-D_POSIX_C_SOURCE=200809L",
    "-DIC_SAMPLES_CAPACITY=1048576U",
    "-DIC_ADDED_MAX=8",  # as the port's own port_types.h says under ESP-IDF
    *WARNINGS,
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
]
CPP = ["g++", "-std=gnu++17", *WARNINGS]
SHORT = "yield=none discs=16 window_ms=60"
ALONE = "run contention task0=off task1=off free=1 samples=2 yield=none discs=14 window_ms=200"
"""With somebody at work beside the main loop, on whatever core there is."""


# What is in it

FILES = arduino_library()
PROPERTIES = dict(
    line.split("=", 1)
    for line in FILES[PurePosixPath("library.properties")].decode().splitlines()
    if line and not line.startswith("#")
)


def test_it_has_what_the_arduino_library_specification_asks_for() -> None:
    """What arduino-lint checks with --compliance strict, but for the url, which does not exist yet."""
    assert PROPERTIES["name"] == "Intercore"
    assert re.fullmatch(r"\d+\.\d+\.\d+", PROPERTIES["version"])
    assert PROPERTIES["category"] in {"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control",
                                      "Timing", "Data Storage", "Data Processing", "Other"}  # fmt: skip
    assert PROPERTIES["architectures"] == "esp32"
    assert all(PROPERTIES[field] for field in ("author", "maintainer", "sentence", "paragraph"))
    assert PROPERTIES["sentence"] not in PROPERTIES["paragraph"], "both are shown, one behind the other"
    known = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "architectures",
             "includes", "license"}  # fmt: skip
    assert PROPERTIES.keys() == known, "a field that is misspelled has no effect"
    assert PurePosixPath("src") / PROPERTIES["includes"] in FILES
    for name in ("LICENSE", "README.md", "examples/Benchmark/Benchmark.ino"):
        assert FILES[PurePosixPath(name)]
    sketches = [path for path in FILES if path.suffix == ".ino"]
    assert all(path.parts[0] == "examples" and path.stem == path.parent.name for path in sketches)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,63}", part) for path in FILES for part in path.parts)


def test_from_outside_there_are_two_headers() -> None:
    """For a sketch, and for a work of its own."""
    outside = [path.name for path in FILES if path.parent == PurePosixPath("src")]
    assert outside == ["Intercore.h", "intercore_workload.h"]


def test_no_two_names_differ_in_their_case_only() -> None:
    """As on the disks of Windows and macOS."""
    assert len({str(path).lower() for path in FILES}) == len(FILES)


def test_the_files_are_the_firmwares_own() -> None:
    originals = {path.read_bytes() for path in (*FIRMWARE.rglob("*"), ROOT / "LICENSE") if path.is_file()}
    assert all(content in originals for content in FILES.values())


def test_every_header_that_a_file_includes_is_there_or_the_platforms() -> None:
    ours = {path.name for path in FIRMWARE.rglob("*.h") if HERE not in path.parents}
    here = {path.name for path in FILES}
    for path, content in FILES.items():
        for name in re.findall(r'#\s*include\s+["<]([^">]+)[">]', content.decode()):
            assert name in here or name not in ours, (path, name)


COMPONENT = """
function(idf_build_get_property)
endfunction()
macro(idf_component_register)
  message("${sources}")
  return()
endmacro()
set(CMAKE_BUILD_EARLY_EXPANSION ON)
include("${FIRMWARE}/board/esp32/component.cmake")
"""
"""Asks for the sources as ESP-IDF first does, in a script, with the usual console and program."""


def test_it_is_made_of_the_same_files_as_the_component_of_esp_idf(tmp_path: Path) -> None:
    script = tmp_path / "sources.cmake"
    script.write_text(COMPONENT)
    command = ["cmake", f"-DFIRMWARE={FIRMWARE.resolve()}", "-P", str(script)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr.strip()
    component = {"_".join(Path(name).relative_to(FIRMWARE.resolve()).parts) for name in told.split(";")}
    library = {path.name for path in FILES if path.suffix in {".c", ".cpp"}}
    assert library == component | {"board_esp32_arduino.cpp"}


def test_all_manifests_have_the_version_of_the_whole() -> None:
    assert f'#define IC_VERSION "{intercore.__version__}"' in (FIRMWARE / "core" / "version.h").read_text()
    assert PROPERTIES["version"] == intercore.__version__
    assert json.loads((FIRMWARE / "library.json").read_text())["version"] == intercore.__version__
    assert f'version: "{intercore.__version__}"' in (ROOT / "idf_component.yml").read_text()


def test_the_firmwares_licence_is_the_projects() -> None:
    assert (FIRMWARE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


# Writing it


def test_a_zip_file_has_it_in_one_folder_and_is_the_same_each_time(tmp_path: Path) -> None:
    first = write_arduino_library(tmp_path / "first.zip").read_bytes()
    assert write_arduino_library(tmp_path / "second.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            f"Intercore/{path}": content for path, content in FILES.items()
        }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.zip", "second.zip"]


def test_an_earlier_version_of_it_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "Intercore"
    write_arduino_library(folder)
    (folder / "src" / "old.c").write_text("int old;")
    write_arduino_library(folder)
    written = {PurePosixPath(path.relative_to(folder).as_posix()) for path in folder.rglob("*") if path.is_file()}
    assert written == FILES.keys()
    assert [path.name for path in tmp_path.iterdir()] == ["Intercore"]


def test_what_is_not_the_library_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "library.properties").write_text("name=Another\n")
    with pytest.raises(UsageError, match="is not an Intercore library"):
        write_arduino_library(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["library.properties"]


# A sketch with it


class Sketches(NamedTuple):
    """What sketches are linked with, compiled once."""

    folder: Path
    library: Path
    objects: list[Path]

    def build(self, name: str, source: str, *beside: Path) -> Path:
        """Return the program that a sketch becomes, with C files beside it; Arduino puts the first line of it there."""
        (self.folder / f"{name}.cpp").write_text(f"#include <Arduino.h>\n{source}")
        program = self.folder / name
        headers = f"-I{self.library / 'src'}"
        objects = [self.folder / f"{path.stem}.o" for path in beside]
        for path, made in zip(beside, objects, strict=True):
            subprocess.run(["gcc", "-std=gnu17", headers, "-c", path, "-o", made], check=True)
        command = [*CPP, f"-I{HERE}", headers, f"{program}.cpp"]
        subprocess.run([*command, *objects, *self.objects, "-lpthread", "-lm", "-lrt", "-o", program], check=True)
        return program


@pytest.fixture(scope="module")
def sketches(tmp_path_factory: pytest.TempPathFactory) -> Sketches:
    """The library, laid out as Arduino has it, on POSIX threads.

    Its portable files are compiled where they lie, with no folder to look in but src/: only port_types.h is changed.
    """
    folder = tmp_path_factory.mktemp("arduino")
    library = write_arduino_library(folder / "Intercore")
    inside = library / "src" / "intercore"
    posix = FIRMWARE / "port" / "posix"
    (inside / "port_types.h").write_text((posix / "port_types.h").read_text())
    portable = [path for path in sorted(inside.glob("*.c")) if PORTABLE.fullmatch(path.name)]
    portable = [path for path in portable if not PLATFORM.match(path.name)]
    assert len(portable) >= 35
    jobs = [[*C, f"-I{library / 'src'}", "-c", str(path)] for path in portable]
    # Intercore.cpp finds <Intercore.h>, and inside what else it needs.
    jobs.append([*CPP, f"-I{HERE}", f"-I{library / 'src'}", "-c", str(inside / "board_esp32_arduino.cpp")])
    jobs.append([*CPP, f"-I{HERE}", "-c", str(HERE / "framework.cpp")])
    # The platform of this machine; its console has another name, since the sketch's is to be used.
    linux = FIRMWARE / "board" / "linux"
    folders = [f"-I{one}" for one in (posix, linux, FIRMWARE / "transport" / "posix", HERE, inside)]
    renamed = [
        f"-Dport_console_{name}=posix_console_{name}" for name in ("read", "write", "rate_choice", "rate", "set_rate")
    ]
    defines = ["-D_GNU_SOURCE", '-DIC_FLAGS="test"', '-DIC_COMPILER="test"', "-DIC_REALTIME=0"]
    platform = [
        *(
            posix / f"{name}_posix.c"
            for name in ("control", "counter", "interrupt", "lock", "objects", "period", "port", "storage", "turns")
        ),
        *(linux / f"{name}.c" for name in ("linux_conditions", "linux_region", "transports")),
        *sorted((FIRMWARE / "transport" / "posix").glob("*.c")),
        FIRMWARE / "port" / "pin_none.c",
        FIRMWARE / "port" / "samples_static.c",
        HERE / "host.c",
    ]
    for path in platform:
        names = [] if path.parent == HERE else ["-Wno-missing-prototypes", *renamed]
        jobs.append([*C, *names, *folders, *defines, "-c", str(path)])
    objects = [folder / f"{number}.o" for number in range(len(jobs))]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: subprocess.run([*job[0], "-o", job[1]], check=True), zip(jobs, objects, strict=True)))
    return Sketches(folder, library, objects)


@pytest.fixture(scope="module")
def example(sketches: Sketches) -> Path:
    return sketches.build("example", FILES[PurePosixPath("examples/Benchmark/Benchmark.ino")].decode())


@pytest.fixture
def monitor(example: Path) -> Iterator[Terminal]:
    """The Serial Monitor on the library's example."""
    yield from opened(example)


def opened(program: Path) -> Iterator[Terminal]:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores")
    terminal = Terminal(program)
    terminal.answer()
    yield terminal
    terminal.close()


def fate_of_loop(terminal: Terminal) -> dict[str, int]:
    """End the program and return how often loop() was called, and what happened to its task."""
    words = terminal.close().split("\n")[-2].split()
    return {name: int(count) for name, count in zip(words[::2], words[1::2], strict=True)}


def test_typing_the_command_prints_the_published_table(monitor: Terminal) -> None:
    answer = monitor.ask(f"run contention preset=qiita-table {SHORT}")
    assert answer[-1]["status"] == "ok"
    head, *rows = told(answer)
    assert head.startswith("towers of 16 discs in 60 ms")
    assert [row[:26].strip() for row in rows][::6] == ["task0, task1, main", "task1 (main spins)"]
    fate = fate_of_loop(monitor)
    assert fate["raised"] == fate["lowered"] == 7, "main takes part in each row, and has its own priority after"
    assert fate["elsewhere"] == 0


def test_a_main_loop_at_work_does_a_tower_for_each_call_of_loop(monitor: Terminal) -> None:
    answer = monitor.ask(f"{ALONE} main=work")
    done = len(series(answer)["main.1"])
    assert done > 0
    assert fate_of_loop(monitor)["loops"] - done in range(1, 5), "and in each window one that is late, and the last"


def test_a_main_loop_that_spins_is_a_loop_that_returns_at_once(monitor: Terminal) -> None:
    monitor.ask(f"{ALONE} main=spin")
    assert fate_of_loop(monitor)["loops"] > 1000


def test_a_main_loop_that_delays_returns_at_each_tick(monitor: Terminal) -> None:
    monitor.ask(f"{ALONE} main=delay")
    assert 10 < fate_of_loop(monitor)["loops"] < 2 * 202 + 4


def test_a_main_loop_that_blocks_returns_when_its_event_has_come(monitor: Terminal) -> None:
    monitor.ask(f"{ALONE} main=block")
    assert fate_of_loop(monitor)["loops"] in (3, 4), "and once more in each window, for the last time"


def test_while_nobody_has_it_the_main_loop_waits(monitor: Terminal) -> None:
    answer = monitor.ask(f"{ALONE} main=off")
    assert "main.1" not in towers(answer)
    assert monitor.ask("run clock to=0 samples=3")[-1]["status"] == "ok"
    assert fate_of_loop(monitor) == {"loops": 0, "raised": 0, "lowered": 0, "elsewhere": 0}


def test_the_rate_of_a_hardware_serial_can_be_changed(monitor: Terminal) -> None:
    hello = monitor.ask("info")[0]
    assert (hello["rate"], hello["rates"][0]) == (115200, 115200)
    monitor.type("rate 921600\n")
    assert monitor.message()["rate"] == 921600
    assert monitor.ask("info")[0]["rate"] == 921600
    assert "rate 921600\n" in monitor.close()


def test_another_stream_has_no_rate(sketches: Sketches) -> None:
    source = (
        "#include <Intercore.h>\n"
        "void setup() { Serial.begin(9600); Stream &usb = Serial; Intercore.begin(usb); }\n"
        "void loop() { Intercore.loop(); }\n"
    )
    for terminal in opened(sketches.build("stream", source)):
        assert "rates" not in terminal.ask("info")[0]
        assert terminal.ask("rate 115200")[-1]["code"] == "unsupported"


def test_a_sketch_whose_loop_does_something_else_is_told_so(sketches: Sketches) -> None:
    source = (
        "#include <Intercore.h>\n"
        "void setup() { Serial.begin(115200); Intercore.begin(Serial); }\n"
        "void loop() { delay(5); }\n"
    )
    for terminal in opened(sketches.build("other", source)):
        refused = terminal.ask(f"run contention main=work {SHORT}")[-1]
        assert (refused["type"], refused["code"]) == ("error", "failed")
        assert "main loop is busy with other work" in refused["text"]
        assert terminal.ask(f"run contention main=off {SHORT}")[-1]["status"] == "ok"


@pytest.mark.measures("speedup")
def test_a_sketch_measures_a_work_of_its_own(sketches: Sketches) -> None:
    """As the header that it includes shows it."""
    shown = FILES[PurePosixPath("src/intercore_workload.h")].decode()
    (include, declared) = re.findall(r"^ \*   (#include .*|INTERCORE_C .*;)$", shown, re.MULTILINE)
    (added,) = re.findall(r"^ \*   (const char .*;) //", shown, re.MULTILINE)
    source = (
        f"#include <Intercore.h>\n{include}\n{declared}\n"
        f"void setup() {{ Serial.begin(115200); {added} if (wrong == nullptr) {{ Intercore.begin(Serial); }} }}\n"
        "void loop() { Intercore.loop(); }\n"
    )
    for terminal in opened(sketches.build("own", source, ROOT / "examples" / "workloads" / "crc.c")):
        assert "own:crc" in str([line for line in terminal.ask("list") if line.get("name") == "workload"])
        answer = terminal.ask("run speedup workload=own:crc n=64 mode=create samples=3 dither_us=0")
        assert (answer[-1]["status"], answer[-1]["checks"]["wrong"]) == ("ok", 0)


def test_what_keeps_it_from_starting_is_said_on_the_console(example: Path) -> None:
    ended = subprocess.run(
        [example], env={"REFUSE": "the console cannot be had"}, input=b"", capture_output=True, check=False
    )
    assert ended.stdout == b"Intercore cannot start: the console cannot be had\r\n"


def test_it_starts_once(sketches: Sketches) -> None:
    source = (
        "#include <Intercore.h>\n"
        "void setup() { Serial.begin(115200); Intercore.begin(Serial); Intercore.begin(Serial); }\n"
        "void loop() { Intercore.loop(); }\n"
    )
    ended = subprocess.run([sketches.build("twice", source)], input=b"", capture_output=True, check=False)
    assert b"Intercore is running already" in ended.stdout
