"""What a user gets wrong: one sentence that helps, exit status 2 (1 if the words were right), and nothing changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from intercore.record.measurement import Part, Plan
from intercore.record.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Tool

RUN = ("run", "host", "clock")
SPEEDUP = ("run", "host", "speedup")

ASKED_WRONGLY = {
    # what is wrong: (the words, what the sentence must contain)
    "unknown target": (("run", "hots", "clock"), "did you mean 'host'?"),
    "unknown target of list": (("list", "seriell"), "did you mean 'serial'?"),
    "unknown target of info": (
        ("info", "avr"),
        "there is: host, pico-sim, pico-amp-sim, pico, pico-amp, stm32h745, esp32, esp32s3, esp32-qemu, serial",
    ),
    "unknown target of shell": (("shell", "hos"), "did you mean 'host'?"),
    "unknown benchmark": (("run", "host", "clokc"), "did you mean 'clock'?"),
    "no benchmark": (("run", "host"), "which benchmark"),
    "nothing to run": (("run",), "intercore run host speedup"),
    "unknown parameter": ((*RUN, "tim=common"), "did you mean 'time'?"),
    "unknown parameter that is like no other": ((*RUN, "zzz=1"), "longest_us"),
    "opt as a word and as an option": ((*RUN, "opt=O3", "--opt", "O2"), "opt is given twice"),
    "factor of another target": ((*RUN, "clock_mhz=48"), "no factor of host 'clock_mhz'"),
    "factor of another target, for the suite": (("run", "host", "suite", "code=flash"), "no factor of host 'code'"),
    "unknown choice": ((*RUN, "time=comon"), "did you mean 'common'?"),
    "one of the choices unknown": ((*RUN, "time=common,countr"), "did you mean 'counter'?"),
    "choice in capitals": ((*RUN, "time=COMMON"), "common"),
    "text for a number": ((*RUN, "from=many"), "from is a whole number and not 'many'"),
    "fraction for a number": ((*RUN, "from=1.5"), "from is a whole number"),
    "exponent for a number": ((*RUN, "from=1e6"), "from is a whole number"),
    "huge number": ((*RUN, "longest_us=" + "9" * 30), "out of range"),
    "too small": ((*RUN, "samples=0"), "samples=0 is out of range: 1 to"),
    "negative": ((*RUN, "samples=-1"), "samples=-1 is out of range"),
    "too many samples": ((*RUN, "samples=999999999"), "out of range"),
    "too many cores": ((*SPEEDUP, f"cores={os.cpu_count() or 1 + 64}00"), "out of range: 1 to"),
    "no cores": ((*SPEEDUP, "cores=0"), "out of range: 1 to"),
    "parameter twice": ((*RUN, "from=0", "from=1"), "from is given twice"),
    "level twice": ((*RUN, "longest_us=10,10"), "longest_us=10 is given 2 times"),
    "empty value": ((*RUN, "from="), "name=value"),
    "empty value in a list": ((*RUN, "longest_us=1,,2"), "name=value"),
    "no name": ((*RUN, "=5"), "name=value"),
    "no value": ((*RUN, "from"), "name=value"),
    "control characters": ((*RUN, "from=\x1b[31m"), "whole number"),
    "too many measurements": (
        (*RUN, f"longest_us={','.join(map(str, range(1, 1200)))}", f"samples={','.join(map(str, range(1, 1000)))}"),
        "more than",
    ),
    "efficiency above 1": ((*SPEEDUP, "--efficiency", "1.5"), "above 0 and below 1"),
    "efficiency of 0": (("show", "--efficiency", "0"), "above 0 and below 1"),
    "efficiency of 1": (("report", "--efficiency", "1"), "above 0 and below 1"),
    "efficiency that is no number": (("show", "--efficiency", "nan"), "above 0 and below 1"),
    "efficiency in words": (("show", "--efficiency", "much"), "--efficiency"),
    "unknown optimisation": ((*RUN, "--opt", "O9"), "did you mean"),
    "one of the optimisations unknown": ((*RUN, "--opt", "O2,fast"), "fast"),
    "optimisation twice": ((*RUN, "--opt", "O2,O2"), "given 2 times"),
    "empty optimisation": ((*RUN, "--opt", ""), "O0, O1, O2, O3, Os, Ofast"),
    "optimisation of a board": (("run", "serial", "clock", "--port", "socket://127.0.0.1:1", "--opt", "O2"), "--opt"),
    "port of the host": ((*RUN, "--port", "/dev/ttyACM0"), "did you mean 'serial'?"),
    "no port": (("run", "serial", "clock"), "--port /dev/ttyACM0"),
    "no port for list": (("list", "serial"), "--port /dev/ttyACM0"),
    "no port for shell": (("shell", "serial"), "--port /dev/ttyACM0"),
    "unknown kind of port": (("info", "serial", "--port", "carrier-pigeon://x"), "carrier-pigeon"),
    "baud of 0": (("info", "serial", "--port", "/dev/ttyACM0", "--baud", "0"), "--baud"),
    "no patience": ((*RUN, "--timeout", "0"), "--timeout"),
    "no repetition": ((*RUN, "--repetitions", "0"), "--repetitions"),
    "precision without a sign": ((*RUN, "--until", "1"), "such as 1%"),
    "precision in words": ((*RUN, "--until", "much"), "such as 1%"),
    "precision of 0": ((*RUN, "--until", "0%"), "above 0 %"),
    "precision above 100": ((*RUN, "--until", "101%"), "at most 100 %"),
    "cap of 0": ((*RUN, "--until", "1%", "--cap", "0"), "--cap"),
    "cap without a precision": ((*RUN, "--cap", "5"), "--until"),
    "cap below the repetitions": ((*RUN, "--until", "1%", "--cap", "2", "--repetitions", "3"), "at least 3"),
    "negative seed": ((*RUN, "--seed", "-1"), "--seed"),
    "unknown format": (("list", "--format", "xml"), "'table', 'json', 'csv'"),
    "unknown command": (("rum", "host", "clock"), "rum"),
    "unknown option": ((*RUN, "--fast"), "--fast"),
    "run that is no number": (("show", "first"), "RUN"),
    "export to no file": (("export", "1"), "--to"),
    "export of no run": (("export", "--to", "x.csv"), "RUN"),
    "unknown suffix": (("export", "1", "--to", "samples.xlsx"), ".parquet or .csv"),
    "no suffix": (("export", "1", "--to", "samples"), ".parquet or .csv"),
    "run that does not exist": (("show", "99"), "there is no run 99"),
    "report on a run that does not exist": (("report", "99"), "there is no run 99"),
    "export of a run that does not exist": (("export", "99", "--to", "x.csv"), "there is no run 99"),
    "run of a huge number": (("show", "9" * 25), "there is no run 999"),
    "target for resume": (("run", "--resume", "host", "clock"), "--resume"),
    "nothing to resume": (("run", "--resume"), "nothing to resume"),
}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def of_speedups(words: tuple[str, ...]) -> bool:
    return not {"speedup", "--efficiency"}.isdisjoint(words)


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=pytest.mark.measures("speedup")) if of_speedups(words) else what
        for what, (words, _) in ASKED_WRONGLY.items()
    ],
)
def test_a_wrong_word_gets_a_sentence_that_helps_and_changes_nothing(measured: Tool, what: str) -> None:
    words, hint = ASKED_WRONGLY[what]
    before = contents(measured.directory)
    result = measured(*words).failed(2)
    assert hint in result.error
    assert result.err.count("\n") == 1
    assert contents(measured.directory) == before


@pytest.mark.parametrize(
    "words",
    [
        ("run", "hots", "clock"),
        ("run", "host", "clokc"),
        (*RUN, "samples=0"),
        (*RUN, "--opt", "O9"),
        ("run", "serial", "clock"),
        ("run", "--resume"),
        ("run", "--resume", "host"),
        ("show",),
        ("runs",),
        ("report",),
        ("export", "1", "--to", "x.csv"),
    ],
    ids=" ".join,
)
def test_a_command_that_is_refused_leaves_no_store_behind(tool: Tool, words: tuple[str, ...]) -> None:
    tool(*words).failed(2)
    assert contents(tool.directory) == {}


@pytest.mark.parametrize("words", [("show",), ("runs",), ("report",), ("export", "1", "--to", "x.csv")], ids=" ".join)
def test_without_a_store_the_sentence_says_how_to_get_one(tool: Tool, words: tuple[str, ...]) -> None:
    assert "measure something first (intercore run host speedup)" in tool(*words).failed(2).error


def test_the_program_says_the_same_as_its_fork(measured: Tool) -> None:
    """All the other tests here use the fork."""
    for words in (("run", "hots", "clock"), ("show", "99"), ("list", "--format", "xml"), ("frob",)):
        assert measured.program(*words) == measured(*words)


def test_a_device_that_is_not_there_is_named(measured: Tool) -> None:
    before = contents(measured.directory)
    result = measured("run", "serial", "clock", "--port", "/dev/ttyNOTHERE").failed(1)
    assert "cannot open /dev/ttyNOTHERE: No such file or directory" in result.error
    assert contents(measured.directory) == before


def test_a_device_that_is_no_serial_port_is_named(measured: Tool) -> None:
    assert "/dev/null" in measured("info", "serial", "--port", "/dev/null").failed(1).error


def test_a_machine_that_refuses_is_named(measured: Tool, board: FakeBoard) -> None:
    board.close()
    result = measured("run", "serial", "example", "--port", board.url, "mode=pool").failed(1)
    assert f"cannot open {board.url}: Connection refused" in result.error


# Options that --resume would have to ignore


@pytest.mark.parametrize(
    "option",
    [("--opt", "O3"), ("--seed", "9"), ("--repetitions", "5"), ("--until", "1%"), ("--cap", "5")],
    ids=" ".join,
)
def test_resume_refuses_what_would_change_the_plan(tool: Tool, option: tuple[str, str]) -> None:
    with Store(tool.store) as store:
        store.create_run(Plan("host", None, "speedup", (Part("speedup", {"n": [10], "opt": ["O2"]}),)), 1)
    assert option[0] in tool("run", "--resume", *option).failed(2).error
    with Store(tool.store) as store:
        assert not store.run().measurements


def test_resume_of_a_run_of_the_host_refuses_a_port(tool: Tool) -> None:
    with Store(tool.store) as store:
        store.create_run(Plan("host", None, "speedup", (Part("speedup", {"n": [10], "opt": ["O2"]}),)), 1)
    assert "--port" in tool("run", "--resume", "--port", "/dev/ttyACM0").failed(2).error


# Where the results go


def test_a_page_that_cannot_be_written_is_an_error(measured: Tool) -> None:
    result = measured("report", "-o", "missing/page.html").failed(1)
    assert "cannot write missing/page.html: No such file or directory" in result.error


def test_samples_that_cannot_be_written_are_an_error(measured: Tool) -> None:
    result = measured("export", "1", "--to", "missing/samples.csv").failed(1)
    assert "cannot write missing/samples.csv: " in result.error
    assert "No such file or directory" in result.error
    assert ".partial" not in result.error


@pytest.mark.parametrize("words", [("report", "-o"), ("export", "1", "--to")], ids=" ".join)
def test_a_folder_is_no_place_for_a_file(measured: Tool, words: tuple[str, ...]) -> None:
    (measured.directory / "folder.csv").mkdir()
    assert "folder.csv" in measured(*words, "folder.csv").failed(1).error
    assert {path.name for path in measured.directory.iterdir()} == {"intercore.db", "folder.csv"}


@pytest.mark.parametrize("words", [("report", "-o"), ("export", "1", "--to")], ids=" ".join)
def test_a_device_is_not_replaced_by_a_file(measured: Tool, words: tuple[str, ...]) -> None:
    """As root, `-o /dev/null` would take /dev/null away from the whole machine."""
    device = measured.directory / "device.csv"
    os.mkfifo(device)
    result = measured(*words, "device.csv")
    assert device.is_fifo()
    assert "device.csv" in result.failed(1).error


@pytest.mark.parametrize(
    ("store", "words"),
    [
        pytest.param("speedups", ("report", "-o", "page.html"), marks=pytest.mark.measures("speedup"), id="a page"),
        pytest.param("measured", ("export", "1", "--to", "x.csv"), id="samples"),
    ],
)
def test_a_file_that_may_not_grow_is_an_error_and_leaves_the_old_one(
    request: pytest.FixtureRequest, store: str, words: tuple[str, ...]
) -> None:
    tool: Tool = request.getfixturevalue(store)
    old = tool.directory / words[-1]
    old.write_text("old")
    result = tool(*words, file_limit=60_000).failed(1)
    assert words[-1] in result.error
    assert old.read_text() == "old"
    assert {path.name for path in tool.directory.iterdir()} == {"intercore.db", words[-1]}


def test_a_page_that_cannot_be_written_does_not_cost_the_run(tool: Tool) -> None:
    words = ("from=0", "to=0", "longest_us=1,2,3", "samples=2", "--format", "json", "--report", "missing/page.html")
    result = tool(*RUN, *words)
    assert result.status in {1, 2}
    assert "missing/page.html" in result.error
    if tool.store.exists():  # it was not refused before it began
        assert tool("runs", "--format", "json").succeeded().json[0]["done"] == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("words", [("list",), ("list", "--format", "json"), ("runs", "--format", "csv")], ids=" ".join)
def test_output_to_a_full_disk_is_an_error_and_not_a_traceback(measured: Tool, words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = measured.program_to(full, *words)
    assert "Traceback" not in done.err
    assert "Exception ignored" not in done.err
    assert done.status == 1
    assert "No space left on device" in done.err


def test_a_reader_that_leaves_early_is_no_error(measured: Tool) -> None:
    receiver, sender = os.pipe()
    os.close(receiver)
    with os.fdopen(sender, "w") as closed:
        done = measured.program_to(closed, "show", "--format", "json")
    assert done.err == ""
