"""Faults of FreeRTOS tasks: planted ones are found, with tasks and objects by name; mended programs are silent."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from intercore.board.sources import firmware_sources
from intercore.hunt.analysis import HuntAnalysis, analysed
from intercore.hunt.hunting import Wanted
from tests.built_once import ROOT, alone_in
from tests.firmware.rp2040.conftest import need_tools

EXAMPLES = ROOT / "sim" / "examples"
SECONDS = 2.0
SLOW = "INTERCORE_SLOW" in os.environ
EVERY_DAY = {"MUTEX_ORDER", "EVENT_BIT", "STACK", "INVERSION"}
"""Faults whose mended programs are looked at without INTERCORE_SLOW=1: one of each code."""


def program(*definitions: str, file: str = "faults/tasks.c") -> Path:
    """Return an image of the firmware that has an example as its program."""
    need_tools()
    folder = ROOT / "build" / "test-hunt-tasks"
    made = folder / f"{'-'.join(definitions)}-{Path(file).stem}.elf"
    with alone_in(folder):
        source = folder / "program.c"
        defined = "".join(f"#define {one}\n" for one in definitions)
        source.write_text(f'{defined}#include "{EXAMPLES / file}"\n', "utf-8")
        for words in (
            ["cmake", "-S", str(firmware_sources()), "-B", str(folder), "-DIC_BOARD=rp2040", f"-DIC_PROGRAM={source}"],
            ["cmake", "--build", str(folder), "--parallel", "--target", "intercore-target"],
        ):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        made.write_bytes((folder / "intercore-target").read_bytes())
    return made


def hunted(*definitions: str, text: bytes = b"") -> HuntAnalysis:
    """Return what is found in tasks.c, which is expected to print a text."""
    return analysed(program(*definitions), "tasks", Wanted(SECONDS, None, text), lambda _: None)


TASKS = [
    ("MUTEX_ORDER", "deadlock", ("task logger waits", "the mutex storage", "task painter waits", "the mutex display")),
    ("MUTEX_KEPT", "no-progress", ("task painter waits", "the mutex storage", "which task logger")),
    ("NOT_GIVEN", "no-progress", ("task reader waits", "the semaphore data_ready")),
    ("EVENT_BIT", "no-progress", ("task reader waits", "bits 0x4 of the event group states", "it has 0x2")),
    ("QUEUES_FULL", "deadlock", ("task client", "the queue commands has room", "task server", "the queue answers")),
    ("STACK", "stack-overflow", ("task parser leaves its stack", "in parse")),
    ("STARVED", "starvation", ("task logger", "has been ready", "task control (priority 4) is on core 1")),
    ("INVERSION", "starvation", ("task low", "has been ready", "task middle", "task high waits", "storage")),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("which", "code", "words"), TASKS, ids=[one[0] for one in TASKS])
def test_a_fault_of_tasks_is_told_with_its_cause(which: str, code: str, words: tuple[str, ...]) -> None:
    found = hunted(which).findings
    assert [one.code for one in found][:1] == [code]
    text = found[0].text.replace("Task ", "task ")
    assert [word for word in words if word not in text] == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("which", [one[0] for one in TASKS if one[0] in EVERY_DAY or SLOW])
def test_the_same_program_of_tasks_mended_is_silent(which: str) -> None:
    assert hunted(which, "MENDED").findings == []


MISSED = "NOTIFIED"


@pytest.mark.timeout(900)
def test_that_nobody_notifies_a_task_is_told_if_something_is_expected() -> None:
    assert hunted(MISSED).findings == []
    found, *_ = hunted(MISSED, text=b"PASS").findings
    assert found.code in {"no-progress", "not-reached"}
    assert "consumer" in found.text


KINDS = ["QUEUE", "COUNTING", "MUTEX", "NOTIFICATIONS", "EVENTS", "STREAM", "MESSAGES", "SUSPENDED", "MOVED"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["ALL", KINDS[0], *(KINDS[1:] if SLOW else [])])
def test_objects_of_the_kernel_under_load_have_no_finding(kind: str) -> None:
    image = program(kind, file="kernel_objects.c")
    analysis = analysed(image, kind, Wanted(SECONDS, None, b""), lambda _: None)
    assert analysis.findings == []
    assert analysis.exit_code == 0
    assert analysis.all_shared or kind == "ALL"
