"""The recorder under ESP-IDF, as far as it can be seen without: against the stand-in's kernel, and how it is built.

The stand-in (the folder idf) has ESP-IDF's trace macros where that kernel has them, and notes what it did beside each;
that these are the places and the names is read there, and not shown here. The definitions are the component's own.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from intercore.link.protocol import BadLineError, Numbered, Samples, SeriesHead, decode_line
from intercore.link.recorded import read_recording
from intercore.record.measurement import Series
from intercore.record.trace_recording import Cause, Class, Event, Kind, Recording
from intercore.trace.history import History
from intercore.trace.path import Part, path_of
from intercore.trace.window import windows
from tests.firmware.esp32.standin import FIRMWARE, SANITIZED, WARNINGS, compile_component, session_program

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = 1024
PLENTY = "heap 180000 110000"
MEANS = {
    "TASK_CREATE": (Kind.CREATED, None),
    "TASK_DELETE": (Kind.DELETED, None),
    "TASK_SWITCHED_IN": (Kind.IN, None),
    "TASK_SWITCHED_OUT": (Kind.OUT, None),
    "MOVED_TASK_TO_READY_STATE": (Kind.READY, None),
    "TASK_DELAY": (Kind.DELAYED, None),
    "TASK_SUSPEND": (Kind.SUSPENDED, None),
    "TASK_NOTIFY": (Kind.GIVEN, Class.NOTIFICATION),
    "TASK_NOTIFY_TAKE": (Kind.TAKEN, Class.NOTIFICATION),
    "TASK_NOTIFY_TAKE_BLOCK": (Kind.AWAITED, Class.NOTIFICATION),
    "QUEUE_SEND": (Kind.GIVEN, Class.SEMAPHORE),
    "QUEUE_SEMAPHORE_RECEIVE": (Kind.TAKEN, Class.SEMAPHORE),
    "BLOCKING_ON_QUEUE_RECEIVE": (Kind.AWAITED, Class.SEMAPHORE),
    "TASK_INCREMENT_TICK": (Kind.TICK, None),
    "ISR_ENTER": (Kind.INTERRUPT_IN, Cause.TICK),
    "ISR_EXIT": (Kind.INTERRUPT_OUT, Cause.TICK),
}
"""What is to be recorded where the kernel has a macro: kind and detail; None where that is not told by the place."""
OBJECTS = {Kind.GIVEN, Kind.TAKEN, Kind.AWAITED, Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT}
SETTINGS = {
    "notification, to core 1": {"primitive": "notification", "from": 0, "to": 1},
    "notification, to core 0": {"primitive": "notification", "from": 1, "to": 0},
    "notification, on core 0": {"primitive": "notification", "from": 0, "to": 0},
    "semaphore, to core 1": {"primitive": "counting-semaphore", "from": 0, "to": 1},
    "semaphore, on core 1": {"primitive": "counting-semaphore", "from": 1, "to": 1},
}


class Deed(NamedTuple):
    """What the kernel did, or what is recorded of it."""

    kind: Kind
    detail: int | None
    object: int


class Session(NamedTuple):
    """A recorded measurement, and what the stand-in says that its kernel did."""

    recording: Recording
    series: list[Series]
    did: tuple[list[Deed], list[Deed]]
    """Of each core, since the program began."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sanitized = SANITIZED if os.environ.get("INTERCORE_SLOW") else []
    return session_program(tmp_path_factory.mktemp("traced"), ["cc", "-O0", "-D_GNU_SOURCE", *sanitized], EVENTS)


def record(program: Path, factors: dict[str, str | int]) -> Session:
    """Have the program record `switch`."""
    levels = " ".join(f"{name}={level}" for name, level in {"samples": 6, **factors}.items())
    lines = [PLENTY, "start", f"ask record switch {levels}", "ask trace", "did", "stop"]
    said = subprocess.run(
        [program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False, timeout=120
    )
    assert (said.returncode, said.stderr) == (0, ""), said.stdout[-2000:] + said.stderr
    messages: list[Numbered] = []
    for line in said.stdout.splitlines():
        with suppress(BadLineError):
            message = decode_line(line.strip().encode())
            if isinstance(message, Numbered):
                messages.append(message)
    begin = max(index for index, one in enumerate(messages) if one.i == 0)
    heads = [one for one in messages[:begin] if isinstance(one, SeriesHead)]
    values = {one.name: [v for s in messages if isinstance(s, Samples) and s.series == one.name for v in s.values]
              for one in heads}  # fmt: skip
    series = [Series(one.name, one.clock, one.hz, np.array(values[one.name])) for one in heads]
    did: tuple[list[Deed], list[Deed]] = ([], [])
    for line in said.stdout.splitlines():
        if line.startswith("did "):
            _, core, macro, number = line.split()
            kind, detail = MEANS[macro]
            did[int(core)].append(Deed(kind, detail, int(number)))
    return Session(read_recording(messages[begin:]), series, did)


@pytest.fixture(scope="module", params=SETTINGS)
def session(request: pytest.FixtureRequest, program: Path) -> Session:
    return record(program, SETTINGS[request.param])


def is_the_kernels(event: Event) -> bool:
    interrupt = event.kind in (Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT)
    return event.kind <= Kind.TICK and event.kind is not Kind.RUNG and (not interrupt or event.detail == Cause.TICK)


@pytest.mark.measures("switch")
def test_what_the_kernel_did_is_recorded_in_its_order_with_nothing_left_out(session: Session) -> None:
    for ring in session.recording.rings:
        found = [
            Deed(one.kind, one.detail if one.kind in OBJECTS else None, 0 if one.kind is Kind.CREATED else one.object)
            for one in ring.events
            if is_the_kernels(one)
        ]
        did = session.did[ring.core]
        assert (ring.missing, len(found) > 20 or ring.core == 1) == (0, True), "core 1 may have nothing to do"
        assert any(did[begin : begin + len(found)] == found for begin in range(len(did) - len(found) + 1))


@pytest.mark.measures("switch")
def test_doorbells_arrive_once_each_and_after_they_were_sent(
    session: Session,
) -> None:
    events = [(one.time, ring.core, one) for ring in session.recording.rings for one in ring.events]
    under_way = {0: 0, 1: 0}
    sent = 0
    for _, core, event in sorted(events, key=lambda one: (one[0], one[2].kind is not Kind.RUNG)):
        if event.kind is Kind.RUNG:
            assert event.object == 1 - core
            under_way[event.object] += 1
            sent += 1
        elif event.kind is Kind.INTERRUPT_IN and event.detail == Cause.CORE:
            assert under_way[core] > 0
            under_way[core] = 0  # one handler takes all that were sent before
    assert (sent > 0) == (len(session.recording.rings[1].events) > 0)
    assert sum(under_way.values()) <= 1, "the last may come when nothing is recorded any more"


@pytest.mark.measures("switch")
def test_what_is_measured_consists_of_the_parts_of_a_wake_up(program: Path) -> None:
    same = {Part.SIGNAL, Part.SWITCH, Part.RETURN}
    across = {*same, Part.KERNEL, Part.RING}
    for name, expected in (("notification, to core 1", across), ("notification, on core 0", same)):
        found = record(program, SETTINGS[name])
        history = History(found.recording)
        measured = [one for one in windows(history, found.series) if one.series == "switch"]
        assert len(measured) == 6
        for window in measured:
            way = path_of(history, window)
            assert {segment.part for segment in way} - {Part.INTERRUPT} == expected
            assert sum(segment.end - segment.begin for segment in way) == window.end - window.begin


@pytest.mark.measures("switch")
def test_tasks_have_the_names_that_the_kernel_was_given(program: Path) -> None:
    found = record(program, SETTINGS["notification, to core 1"]).recording
    tasks = {found.task(one.object).partition(" ")[0] for ring in found.rings for one in ring.events
             if one.kind is Kind.IN}  # fmt: skip
    assert tasks >= {"IDLE1", "intercore", "switch"}


# How it is built


def test_recorder_compiles_for_32_bits_and_adds_only_its_rings(
    tmp_path: Path,
) -> None:
    knows = {"names", "recording", "ring", "traced", "traced_transport", "trace_freertos", "esp32_trace", "handler",
             "doorbell", "timer_ccompare", "start", "esp32_instruments", "answer", "console"}  # fmt: skip
    others = [path.name for path in FIRMWARE.rglob("*.c") if path.stem not in knows]
    flags = ["-mcpu=cortex-m3", "-mthumb", "-Os", "-D__int64_t_defined=1", "-Wconversion", *WARNINGS]
    objects = compile_component(tmp_path, ["arm-none-eabi-gcc", *flags], leave_out=others, events=EVENTS)
    (rings,) = (path for path in objects if path.name == "trace_ring.c.o")
    sizes = subprocess.run(["arm-none-eabi-size", "-A", rings], check=True, capture_output=True, text=True).stdout
    static = sum(int(line.split()[1]) for line in sizes.splitlines() if line.startswith((".bss", ".data")))
    assert 0 <= static - 2 * EVENTS * 16 < 64


BUILD = """
cmake_minimum_required(VERSION 3.22)
project(wiring C ASM)
set(CONFIG_INTERCORE_TRACE {traced})
set(CONFIG_INTERCORE_TRACE_EVENTS 512)
set(CONFIG_SOC_CPU_CORES_NUM 2)
set(COMPONENT_LIB __idf_intercore)
set(COMPONENT_NAME intercore)
add_library(__idf_freertos STATIC kernel.c port.S)
function(idf_build_get_property variable)
  set(${{variable}} "" PARENT_SCOPE)
endfunction()
function(idf_component_get_property variable name property)
  set(${{variable}} __idf_freertos PARENT_SCOPE)
  if(property STREQUAL COMPONENT_DIR)
    set(${{variable}} ${{CMAKE_CURRENT_SOURCE_DIR}} PARENT_SCOPE)
  endif()
endfunction()
function(idf_component_register)
  add_library(${{COMPONENT_LIB}} STATIC component.c)
endfunction()
include("{firmware}/board/esp32/component.cmake")
get_target_property(interface ${{COMPONENT_LIB}} INTERFACE_LINK_LIBRARIES)
get_source_file_property(benchmark "{firmware}/bench/switch.c" COMPILE_OPTIONS)
message(STATUS "linked with ${{interface}}, a benchmark compiled with ${{benchmark}}")
"""
KERNEL = """
#define portGET_CORE_ID() 0
#if {condition}
#error "not as it should be"
#endif
#ifndef traceTASK_SWITCHED_IN
#define traceTASK_SWITCHED_IN()
#endif
struct task {{ unsigned uxTaskNumber; }} *pxCurrentTCBs[2];
void switched(void);
void switched(void) {{ traceTASK_SWITCHED_IN(); }}
"""


@pytest.mark.parametrize(
    ("traced", "condition", "calls"),
    [
        ("ON", "!defined(traceTASK_SWITCHED_OUT) || !defined(traceISR_ENTER) || IC_TRACE != 512", True),
        ("OFF", "defined(traceTASK_SWITCHED_OUT) || defined(traceISR_ENTER) || defined(IC_TRACE)", False),
    ],
)
def test_recorder_macros_reach_the_kernels_c_files_only(
    tmp_path: Path, traced: str, condition: str, *, calls: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(BUILD.format(traced=traced, firmware=FIRMWARE))
    (tmp_path / "kernel.c").write_text(KERNEL.format(condition=condition))
    (tmp_path / "port.S").write_text(".globl port\nport:\n")
    (tmp_path / "component.c").write_text("int component;\n")
    (tmp_path / "console.h").write_text('#error "of ours, hidden by none"\n')
    build = tmp_path / "build"
    asked = ["cmake", "-S", tmp_path, "-B", build, "-G", "Ninja"]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert ("--wrap=esp_crosscore_int_send_yield" in said, "/trace/traced.h" in said) == (calls, calls)
    target = ["cmake", "--build", build, "--target", "__idf_freertos"]
    done = subprocess.run(target, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    symbols = subprocess.run(["nm", build / "lib__idf_freertos.a"], check=True, capture_output=True, text=True).stdout
    assert ("U ic_trace_put" in symbols) == calls
