"""The console of the real program, as a person at a terminal meets it."""

from __future__ import annotations

import os
import signal
import time
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.firmware.host.conftest import Terminal

if TYPE_CHECKING:
    from pathlib import Path

QUICK_RUN = "run clock to=0 longest_us=10 samples=40 dither_us=0"


def with_crc(text: str) -> str:
    return f"{text} *{zlib.crc32(text.encode()):08x}"


def numbered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in messages if "i" in message]


def samples(messages: list[dict[str, Any]], series: str) -> list[int]:
    return [
        value
        for message in messages
        if message["type"] == "samples" and message["series"] == series
        for value in message["values"]
    ]


def test_says_hello_when_it_starts(program: Path) -> None:
    terminal = Terminal(program)
    hello, *facts, end = terminal.answer()
    assert hello["type"] == "hello"
    assert (hello["protocol"], hello["board"], hello["cores"]) == (2, "linux", len(os.sched_getaffinity(0)))
    assert {fact["type"] for fact in facts} == {"condition"}
    assert {"os.kernel", "scheduler.policy", "compiler", "compiler.flags"} <= {fact["key"] for fact in facts}
    assert end["status"] == "ok"
    assert terminal.close() == ""


def test_info_says_the_same_again(terminal: Terminal) -> None:
    first, second = terminal.ask("info"), terminal.ask("info")
    assert first == second


def test_lines_of_an_answer_are_numbered_without_gaps(terminal: Terminal) -> None:
    for command in ("info", "list", "help", QUICK_RUN):
        lines = numbered(terminal.ask(command))
        assert [line["i"] for line in lines] == list(range(len(lines)))
        assert lines[-1]["type"] == "end"


def test_samples_of_what_was_shown_in_words_can_be_had(terminal: Terminal) -> None:
    shown = terminal.ask(QUICK_RUN.replace("run", "show"))
    assert {line["type"] for line in shown} <= {"log", "progress", "end"}
    assert any(line["text"].split()[:2] == ["interval", "40"] for line in shown if line["type"] == "log")
    whole = terminal.ask("resend 0 0-")
    assert len(samples(whole, "interval")) == 40
    assert numbered(whole)[-1] == shown[-1]
    assert [line["i"] for line in numbered(whole)] == list(range(len(numbered(whole))))


def test_every_default_is_within_its_range(terminal: Terminal) -> None:
    parameters = [line for line in terminal.ask("list") if line["type"] == "parameter"]
    assert {"from", "to", "longest_us", "time", "samples", "seed"} <= {line["name"] for line in parameters}
    for parameter in parameters:
        if parameter["kind"] == "choice":
            assert parameter["default"] in parameter["choices"]
        else:
            assert parameter["min"] <= parameter["default"] <= parameter["max"]


def test_help_names_every_command_and_benchmark(terminal: Terminal) -> None:
    text = " ".join(line["text"] for line in terminal.ask("help") if line["type"] == "log")
    for word in ("info", "list", "run", "show", "check", "abort", "resend", "clock"):
        assert word in text


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("dance", "unknown-command"),
        ("run", "syntax"),
        ("run clokc", "unknown-benchmark"),
        ("run clock form=1", "unknown-parameter"),
        ("run clock to", "syntax"),
        ("run clock to=", "bad-value"),
        ("run clock longest_us=12x", "bad-value"),
        ("run clock longest_us=-1", "bad-value"),
        ("run clock samples=0", "out-of-range"),
        ("run clock longest_us=100001", "out-of-range"),
        ("run clock longest_us=99999999999999999999", "bad-value"),
        ("run clock from=65", "out-of-range"),
        ("run clock time=fast", "bad-value"),
        ("run clock longest_us=1,2,", "bad-value"),
        ("run clock longest_us=" + ",".join(["1"] * 17), "bad-value"),
        ("run clock samples=2000000", "out-of-range"),
        ("run clock samples=1048576", "out-of-range"),
        ("info id=x", "bad-value"),
        ("info id=4294967296", "bad-value"),
        ("resend", "syntax"),
        ("resend 0 x", "syntax"),
        ("resend 0 3-1", "syntax"),
        ("resend 7 0", "nothing-to-resend"),
        ("abort", "unsupported"),
        ("info *00000000", "bad-crc"),
        ("info*", "bad-crc"),
        ("caf\u00e9", "syntax"),
        ("x" * 401, "too-long"),
        ("info " + "a " * 40, "syntax"),
    ],
)
def test_refuses_what_it_cannot_do_and_goes_on(terminal: Terminal, line: str, code: str) -> None:
    error = terminal.ask(line)[-1]
    assert (error["type"], error["code"]) == ("error", code)
    assert error["text"]
    assert terminal.ask("info")[-1]["type"] == "end"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_takes_any_end_of_line(terminal: Terminal, end: str) -> None:
    terminal.type(f"  info\t id=5 {end}")
    assert {line["id"] for line in terminal.answer()} == {5}


def test_takes_a_line_with_its_crc(terminal: Terminal) -> None:
    assert terminal.ask(with_crc("info id=9"))[0]["id"] == 9
    assert terminal.ask(with_crc("info id=9").upper().replace("INFO ID", "info id"))[0]["id"] == 9


def test_a_command_that_is_repeated_is_not_carried_out_again(terminal: Terminal) -> None:
    first = numbered(terminal.ask(f"{QUICK_RUN} id=77"))
    assert numbered(terminal.ask(f"{QUICK_RUN} id=77")) == first  # to the last tick
    assert numbered(terminal.ask(f"{QUICK_RUN} id=78")) != first


def test_any_line_can_be_had_again(terminal: Terminal) -> None:
    lines = numbered(terminal.ask(f"{QUICK_RUN} id=3"))
    last = len(lines) - 1
    terminal.type(f"resend 3 2-4,7,{last - 1}-\n")
    assert [terminal.message() for _ in range(6)] == [*lines[2:5], lines[7], *lines[-2:]]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_ranges_of_lines_come_in_the_order_asked(terminal: Terminal, data: st.DataObject) -> None:
    lines = numbered(terminal.ask("info id=4"))
    numbers = st.integers(0, len(lines) - 1)
    ranges = data.draw(st.lists(st.tuples(numbers, numbers).map(sorted), min_size=1, max_size=6))
    terminal.type("resend 4 " + ",".join(f"{low}-{high}" for low, high in ranges) + "\n")
    wanted = [lines[i] for low, high in ranges for i in range(low, high + 1)]
    assert [terminal.message() for _ in wanted] == wanted


def test_lists_of_values_run_every_combination(terminal: Terminal) -> None:
    terminal.type("run clock to=0 longest_us=10,20 samples=2,3 dither_us=0\n")
    seen = set()
    for _ in range(4):
        factors = {line["name"]: line["value"] for line in terminal.answer() if line["type"] == "factor"}
        seen.add((factors["longest_us"], factors["samples"]))
    assert seen == {(10, 2), (20, 2), (10, 3), (20, 3)}


def test_abort_ends_a_run_and_keeps_what_was_taken(terminal: Terminal) -> None:
    terminal.type("run clock to=0 samples=400000 dither_us=1000\n")  # for some minutes
    while terminal.message()["type"] != "progress":
        pass
    terminal.type("abort\n")
    answer = terminal.answer()
    checks = answer[-1]["checks"]
    assert answer[-1]["status"] == "aborted"
    assert 0 < checks["done"] < checks["repetitions"] == 400000
    assert len(samples(answer, "interval")) == checks["done"]


def test_other_commands_wait_for_no_run(terminal: Terminal) -> None:
    terminal.type("run clock to=0 samples=100000 dither_us=1000 id=5\n")
    while terminal.message()["type"] != "factor":
        pass
    terminal.type("info id=6\n")
    answer = terminal.answer()
    assert (answer[-1]["type"], answer[-1]["code"], answer[-1]["id"]) == ("error", "busy", 6)
    terminal.type("abort\n")
    assert terminal.answer()[-1]["status"] == "aborted"


def test_ends_when_its_input_does(terminal: Terminal) -> None:
    assert terminal.close() == ""
    assert terminal.process.returncode == 0


def test_ends_in_the_middle_of_a_run_when_its_input_does(terminal: Terminal) -> None:
    terminal.type("run clock to=0 samples=400000 dither_us=1000\n")  # for some minutes
    while terminal.message()["type"] != "progress":
        pass
    assert terminal.close() == ""
    assert terminal.process.returncode == 0


def test_survives_a_stop_signal(terminal: Terminal) -> None:
    terminal.type("run clock to=0 samples=20 dither_us=0\n")
    terminal.process.send_signal(signal.SIGSTOP)
    time.sleep(0.05)
    terminal.process.send_signal(signal.SIGCONT)
    assert terminal.answer()[-1]["status"] == "ok"
