"""The component of ESP-IDF, compiled without ESP-IDF: against the headers and the part of it in the folder idf."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.board.sources import firmware_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRMWARE = firmware_sources().resolve()
STANDIN = Path(__file__).parent / "idf"
POWER = Path(__file__).parent / "power"
"""Stand-in for power management."""
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wundef", "-Werror"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
HEADERS = (
    *(f"freertos/{name}" for name in ("FreeRTOS", "event_groups", "message_buffer", "ringbuf", "semphr", "task")),
    *("freertos/stream_buffer", "driver/gpio", "driver/uart", "esp_private/esp_clk", "hal/crosscore_int_ll"),
    *("soc/dport_reg", "soc/gpio_reg", "soc/soc", "sdkconfig"),
    *(
        f"esp_{name}"
        for name in ("app_format", "attr", "chip_info", "cpu", "flash", "freertos_hooks", "partition", "heap_caps")
    ),
    *(f"esp_{name}" for name in ("idf_version", "intr_alloc", "ipc", "rom_sys", "system", "task_wdt", "timer")),
)
"""Those of ESP-IDF that a file includes. Each is the stand-in's one header."""

_SCRIPT = """
set(IDF_TARGET esp32)
macro(idf_build_get_property variable name)
  set(${variable} "${${name}}")
endmacro()
macro(idf_component_register)
  message("${sources};${folders}")
  return()
endmacro()
set(CMAKE_BUILD_EARLY_EXPANSION ON)
set(CONFIG_INTERCORE_TRACE ${RECORDER})
include("${FIRMWARE}/board/esp32/component.cmake")
"""
"""Asks for sources and folders as ESP-IDF first does, in a script, with the usual console and program."""


TRACED_KERNEL = (
    *("-include", str(FIRMWARE / "port" / "freertos_smp" / "trace_esp_idf.h")),
    *(f"-idirafter{FIRMWARE / name}" for name in ("port/freertos", "core")),
)
"""What component.cmake gives the compiler for the kernel's component, where there is a recorder."""


def session_program(folder: Path, compiler: Sequence[str], events: int = 0) -> Path:
    """Return a program that Intercore is a part of (idf/session.c), with a recorder of so many events; 0: none."""
    objects = compile_component(folder, compiler, leave_out=["esp32_flash.c"], events=events)
    include = [f"-I{one}" for one in (STANDIN, POWER, FIRMWARE / "board" / "esp32" / "include")]
    traced = [f"-DIC_TRACE={events}", *TRACED_KERNEL] if events else []
    flags = ["-std=gnu11", *WARNINGS, *include]
    for name in ("standin_kernel", "standin_queue"):
        objects.append(folder / f"{name}.o")
        subprocess.run([*compiler, *flags, *traced, "-c", STANDIN / f"{name}.c", "-o", objects[-1]], check=True)
    own = [*(STANDIN / f"{name}.c" for name in ("session", "standin", "standin_absent")), POWER / "pm.c"]
    link = [*(["-Wl,--wrap=esp_crosscore_int_send_yield"] if events else []), "-lm", "-lpthread"]
    done = folder / "session"
    subprocess.run([*compiler, *flags, *own, *objects, *link, "-o", done], check=True)
    return done


def compile_component(
    folder: Path, compiler: Sequence[str], leave_out: Sequence[str] = (), events: int = 0
) -> list[Path]:
    """Compile the component's sources into objects in a new folder, but for those with these names.

    Its recorder keeps so many events of each core; 0: it has none.
    """
    for name in HEADERS:
        header = folder / "include" / f"{name}.h"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text('#include "standin.h"\n')
    script = folder / "sources.cmake"
    script.write_text(_SCRIPT)
    asked = ["cmake", f"-DFIRMWARE={FIRMWARE}", f"-DRECORDER={bool(events)}", "-P", str(script)]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stderr.strip().split(";")
    folders = [STANDIN, folder / "include", POWER, *(name for name in told if Path(name).is_dir())]
    folders.append(FIRMWARE / "board" / "esp32" / "include")
    command = [*compiler, "-c", "-std=gnu11", "-DESP_PLATFORM", "-D__XTENSA__=1"]
    command += [word for name in ("esp32_cpu.h", "esp32_ccompare.h") for word in ("-include", str(STANDIN / name))]
    command += [f"-I{one}" for one in folders]
    recorder = [f"-DIC_TRACE={events}"] if events else []
    sources = [Path(name) for name in told if name.endswith(".c") and Path(name).name not in leave_out]
    objects = [folder / ("_".join(path.relative_to(FIRMWARE).parts) + ".o") for path in sources]

    def compile_one(source: Path, target: Path) -> None:
        traced = (
            ["-include", FIRMWARE / "trace" / "traced.h"] if events and FIRMWARE / "bench" in source.parents else []
        )
        subprocess.run([*command, *recorder, *traced, source, "-o", target], check=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, sources, objects))
    return objects
