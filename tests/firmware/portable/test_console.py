"""The whole console in this process: bytes in, lines out, on a target that says whatever the test wants it to say."""

from __future__ import annotations

import ctypes
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.firmware.portable.conftest import SAMPLES_CAPACITY
from tests.firmware.portable.layout import LINE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAMPLES_MAX = SAMPLES_CAPACITY - 2 * 32
"""What the timestamp overhead on two cores leaves."""

for_one_target = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


class Target:
    """The target of test_port.c. What a test makes it say stays until something else is given."""

    def __init__(self, core: ctypes.CDLL) -> None:
        self._core = core
        self._kept: dict[str, Any] = {}
        """What the library points to."""

    def say(self, name: str, text: bytes) -> None:
        """Give the target a text: its `chip`, the `key` or `value` of its condition, the name of its `series`."""
        self._kept[name] = ctypes.create_string_buffer(text)
        self._point(name)

    def measure(self, samples: Sequence[int]) -> None:
        """Give the benchmark its samples; behind them it takes zeros."""
        self._kept["samples"] = (ctypes.c_int64 * len(samples))(*samples)
        self._point("samples")
        ctypes.c_uint32.in_dll(self._core, "given_sample_count").value = len(samples)

    def talk(self, typed: bytes, chunk: int = 64) -> list[dict[str, Any]]:
        """Start the target, type, and return all that it sends, after checking the form of every line."""
        self._variable("seen_output_size").value = 0
        ctypes.c_uint32.in_dll(self._core, "seen_empty_writes").value = 0
        self._kept["input"] = ctypes.create_string_buffer(typed)
        self._point("input")
        self._variable("given_input_size").value = len(typed)
        self._variable("given_chunk").value = chunk
        self._core.ic_console_serve()
        assert ctypes.c_uint32.in_dll(self._core, "seen_empty_writes").value == 0, "a line did not fit and was dropped"
        output = ctypes.c_char.in_dll(self._core, "seen_output")
        return messages(ctypes.string_at(ctypes.addressof(output), self._variable("seen_output_size").value))

    def _point(self, name: str) -> None:
        ctypes.c_void_p.in_dll(self._core, f"given_{name}").value = ctypes.addressof(self._kept[name])

    def _variable(self, name: str) -> ctypes.c_size_t:
        return ctypes.c_size_t.in_dll(self._core, name)


@pytest.fixture(scope="module")
def target(core: ctypes.CDLL) -> Target:
    return Target(core)


def messages(sent: bytes) -> list[dict[str, Any]]:
    *lines, rest = sent.split(b"\r\n")
    assert rest == b""
    found = []
    for line in lines:
        assert len(line) <= LINE_MAX
        text, _, crc = line.rpartition(b" *")
        assert int(crc, 16) == zlib.crc32(text)
        found.append(json.loads(text))
    return found


def printable(text: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in text)


# No `run`: what is typed while one is under way is refused, and that does depend on when it arrives.
commands = st.sampled_from(
    [b"info", b"list id=7", b"help", b"abort", b"resend 0 0-3,5", b"resend 7 2-", b"run trial x"]
)
typed_lines = st.lists(st.one_of(commands, st.binary(max_size=40)), max_size=6).map(b"\n".join).map(lambda t: t + b"\n")


@for_one_target
@given(typed=typed_lines, chunk=st.integers(1, 64))
@example(b"x" * 1000 + b"\ninfo id=4\n", 1)
def test_how_bytes_arrive_makes_no_difference(target: Target, typed: bytes, chunk: int) -> None:
    assert target.talk(typed, chunk) == target.talk(typed)


@for_one_target
@given(text=st.binary(max_size=400).filter(lambda text: b"\0" not in text))
@example(b"")
@example(b'"' * 300)
@example(b"\\" * 121)
def test_a_condition_of_any_length_comes_in_parts_that_join(target: Target, text: bytes) -> None:
    target.say("value", text)
    parts = [message for message in target.talk(b"") if message["type"] == "condition"]
    assert [part["part"] for part in parts] == list(range(max(1, -(-len(text) // 120))))
    assert "".join(part["value"] for part in parts) == printable(text)


@for_one_target
@given(chip=st.binary(max_size=100).filter(lambda text: b"\0" not in text))
@example(b'"' * 127)
def test_a_chip_may_have_any_name(target: Target, chip: bytes) -> None:
    target.say("chip", chip)
    assert target.talk(b"")[0]["chip"] == printable(chip)


@for_one_target
@given(
    samples=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=SAMPLES_MAX),
    name=st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=15),
    answer_id=st.integers(0, 2**32 - 1),
)
@example([-(2**63)] * SAMPLES_MAX, "n" * 15, 2**32 - 1)
def test_samples_arrive_as_they_were_taken(target: Target, samples: list[int], name: str, answer_id: int) -> None:
    target.measure(samples)
    target.say("series", name.encode())
    answer = target.talk(f"run trial samples={len(samples)} dither_us=0 id={answer_id}\n".encode())
    chunks = [message for message in answer if message["type"] == "samples" and message["series"] == name]
    assert [value for chunk in chunks for value in chunk["values"]] == samples
    assert [chunk["index"] for chunk in chunks] == list(range(0, len(samples), 16))
    assert {chunk["id"] for chunk in chunks} == {answer_id}
    assert answer[-1]["status"] == "ok"


@for_one_target
@given(data=st.data())
def test_any_lines_of_an_answer_can_be_had_again(target: Target, data: st.DataObject) -> None:
    lines = target.talk(b"")
    numbers = st.integers(0, len(lines) + 2)
    ranges = data.draw(st.lists(st.tuples(numbers, numbers).map(sorted), min_size=1, max_size=6))
    asked = ",".join(f"{low}-{high}" for low, high in ranges)
    again = target.talk(f"resend 0 {asked}\n".encode())[len(lines) :]
    assert again == [line for low, high in ranges for line in lines[low : high + 1]]


def test_a_wrong_result_makes_the_run_fail(target: Target) -> None:
    end = target.talk(b"run trial colour=red samples=4 id=9\n")[-1]
    assert (end["status"], end["checks"]["checked"], end["checks"]["wrong"]) == ("failed", 4, 4)


def test_a_grid_is_answered_setting_by_setting(target: Target) -> None:
    answer = target.talk(b"run trial n=1,2 colour=green,blue samples=1 id=9\n")
    seen = [line["value"] for line in answer if line["type"] == "factor" and line["name"] in {"n", "colour"}]
    assert seen == [1, "green", 2, "green", 1, "blue", 2, "blue"]


def impossible(answer: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(line["setting"], line["text"]) for line in answer if line["type"] == "impossible"]


def test_check_numbers_the_settings_that_are_impossible_as_run_would_take_them(target: Target) -> None:
    answer = target.talk(b"check trial n=1,7,8 colour=green,blue samples=1,2 id=9\n")
    why = "there is no blue of 7 or 8"
    assert impossible(answer) == [(4, why), (5, why), (10, why), (11, why)]
    assert {line["code"] for line in answer if line["type"] == "impossible"} == {"unsupported"}
    assert [line["i"] for line in answer if line["id"] == 9] == [0, 1, 2, 3, 4]
    assert answer[-1]["type"] == "end"


def test_what_check_calls_impossible_run_refuses_with_the_same_words(target: Target) -> None:
    (line,) = [line for line in target.talk(b"check trial n=7 colour=blue\n") if line["type"] == "impossible"]
    error = target.talk(b"run trial n=7 colour=blue id=3\n")[-1]
    assert (error["type"], error["id"]) == ("error", 3)
    assert (error["code"], error["text"]) == (line["code"], line["text"])


def test_a_check_can_be_had_again_until_the_next_settings_are_read(target: Target) -> None:
    check = b"check trial n=7 colour=blue id=9\n"
    answer = [line for line in target.talk(check + b"resend 9 0-\n" + check) if line["id"] == 9]
    assert [line["type"] for line in answer] == 3 * ["impossible", "end"]
    refused = target.talk(check + b"run trial n=x id=4\nresend 9 0-\n")
    assert [line["code"] for line in refused if line["type"] == "error"] == ["bad-value", "nothing-to-resend"]


SIXTEEN = b" ".join(name + b"=" + b",".join([b"1"] * 16) for name in (b"n", b"seed", b"samples", b"rest_ms"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (b"", "syntax"),
        (b" other", "unknown-benchmark"),
        (b" trial x=1", "unknown-parameter"),
        (b" trial n=", "bad-value"),
        (b" trial " + SIXTEEN, "out-of-range"),
    ],
)
def test_a_check_of_what_is_no_grid_or_too_large_a_one_is_refused(target: Target, words: bytes, code: str) -> None:
    assert target.talk(b"check" + words + b"\n")[-1]["code"] == code


def test_a_run_is_not_repeated_for_the_same_id(target: Target) -> None:
    command = b"run trial id=9 samples=5\n"
    numbered = [line for line in target.talk(command * 2, chunk=len(command)) if line["id"] == 9 and "i" in line]
    answer, again = numbered[: len(numbered) // 2], numbered[len(numbered) // 2 :]
    assert answer[-1]["type"] == "end"
    assert again == answer  # to the last tick of a clock that goes on


def test_as_many_samples_as_list_allows_can_be_taken(target: Target) -> None:
    shown = [line for line in target.talk(b"list\n") if line["type"] == "parameter" and line["name"] == "samples"]
    assert target.talk(f"run trial samples={shown[0]['max']} dither_us=0\n".encode())[-1]["type"] == "end"


@dataclass
class Mark:
    """What was seen of the energy mark in a run of `trial`, whose repetitions have a window of kind 2 each."""

    rises: int
    in_windows: int
    out_of_windows: int
    at_the_end: bool


def mark_of(core: ctypes.CDLL, target: Target, typed: bytes, kind: int = 0, failure: int = 0) -> Mark:
    def variable(name: str) -> ctypes.c_uint32:
        return ctypes.c_uint32.in_dll(core, name)

    variable("given_marked").value, variable("given_failure").value = kind, failure
    for name in ("seen_mark_rises", "seen_marked", "seen_unmarked"):
        variable(name).value = 0
    try:
        target.talk(typed)
    finally:
        variable("given_marked").value = variable("given_failure").value = 0
    seen = (variable(name).value for name in ("seen_mark_rises", "seen_marked", "seen_unmarked"))
    return Mark(*seen, at_the_end=bool(core.seen_mark()))


def test_the_energy_mark_is_high_from_the_first_repetition_to_behind_the_last(
    core: ctypes.CDLL, target: Target
) -> None:
    assert mark_of(core, target, b"run trial samples=5\n") == Mark(1, 5, 0, False)


def test_the_energy_mark_is_low_during_a_rest(core: ctypes.CDLL, target: Target) -> None:
    assert mark_of(core, target, b"run trial samples=5 rest_ms=100\n") == Mark(5, 5, 0, False)


def test_the_energy_mark_is_high_for_windows_of_one_kind_only(core: ctypes.CDLL, target: Target) -> None:
    assert mark_of(core, target, b"run trial samples=5\n", kind=2) == Mark(5, 5, 0, False)
    assert mark_of(core, target, b"run trial samples=5\n", kind=1) == Mark(0, 0, 5, False)


def test_the_energy_mark_is_low_after_a_run_that_gave_up(core: ctypes.CDLL, target: Target) -> None:
    assert mark_of(core, target, b"run trial samples=5\n", failure=3) == Mark(1, 3, 0, False)


def test_the_error_that_ended_a_run_can_be_had_again(core: ctypes.CDLL, target: Target) -> None:
    """A tool that missed it would take `nothing-to-resend` for a restart (docs/protocol.md)."""
    no_tasks = ctypes.c_uint32.in_dll(core, "given_no_tasks")
    no_tasks.value = 1
    try:
        answer = target.talk(b"run trial id=5\nresend 5 0-\n")
    finally:
        no_tasks.value = 0
    assert [line["code"] for line in answer if line["type"] == "error"] == ["failed", "failed"]
    assert [line["type"] for line in answer if line["id"] == 5].count("begin") == 2


# ---- the bit rate ----


class Line:
    """The target's console as a serial line at 115200 bit/s, until the test is over."""

    def __init__(self, core: ctypes.CDLL, target: Target) -> None:
        self._core = core
        self._target = target
        self.rate.value = 115200
        self._changes.value = 0

    def talk(self, typed: bytes, silence: bytes | None = None) -> list[dict[str, Any]]:
        """Type, and then, if there is a `silence`, nothing for a while, and then that. Without the hello of the start.

        The rate stays what it has become.
        """
        ctypes.c_size_t.in_dll(self._core, "given_after_silence").value = len(silence or b"")
        answer = self._target.talk(typed + (silence or b""))
        return answer[3:]  # hello, condition, end

    @property
    def rate(self) -> ctypes.c_uint32:
        return ctypes.c_uint32.in_dll(self._core, "given_rate")

    @property
    def _changes(self) -> ctypes.c_uint32:
        return ctypes.c_uint32.in_dll(self._core, "seen_rate_changes")

    @property
    def changes(self) -> int:
        return self._changes.value


@pytest.fixture
def line(core: ctypes.CDLL, target: Target) -> Iterator[Line]:
    line = Line(core, target)
    yield line
    line.rate.value = 0


def test_a_console_without_a_rate_says_nothing_of_rates(target: Target) -> None:
    answer = target.talk(b"rate 115200 id=3\n")
    assert "rates" not in answer[0]
    assert "rate" not in answer[0]
    assert (answer[-1]["code"], answer[-1]["id"]) == ("unsupported", 3)


def test_hello_lists_the_rates_and_names_the_present_one(target: Target, line: Line) -> None:
    hello = target.talk(b"")[0]
    assert hello["rates"] == [9600, 115200, 921600]
    assert hello["rate"] == line.rate.value == 115200


def test_a_rate_is_answered_before_it_changes_and_stays_once_a_command_has_come(line: Line) -> None:
    answer = line.talk(b"rate 921600 id=5\ninfo\n", silence=b"info\n")
    assert answer[0] == {"type": "rate", "id": 5, "rate": 921600}
    assert [message["rate"] for message in answer if message["type"] == "hello"] == [921600, 921600]
    assert line.changes == 1


def test_the_answer_has_left_when_the_rate_changes(core: ctypes.CDLL, line: Line) -> None:
    line.talk(b"rate 921600\n")
    sent = ctypes.c_size_t.in_dll(core, "seen_output_size").value
    assert ctypes.c_size_t.in_dll(core, "seen_output_before_rate").value == sent


@pytest.mark.parametrize("garbage", [b"", b"\n\n", b"\xff\x80\xff\n", b"inf", b"x\n", b"info *00000000\n"])
def test_without_a_valid_command_in_time_the_old_rate_comes_back(line: Line, garbage: bytes) -> None:
    answer = line.talk(b"rate 921600\n" + garbage, silence=b"info\n")
    assert [message["rate"] for message in answer if message["type"] == "hello"] == [115200]
    assert line.changes == 2


def test_the_way_back_is_to_the_rate_before(line: Line) -> None:
    line.talk(b"rate 921600\ninfo\nrate 9600\n", silence=b"info\n")
    assert line.rate.value == 921600


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(b" 12345", "bad-value"), (b" 0", "bad-value"), (b" fast", "syntax"), (b"", "syntax"), (b" 9600 9600", "syntax")],
)
def test_a_rate_that_cannot_be_is_refused_and_nothing_changes(line: Line, arguments: bytes, code: str) -> None:
    answer = line.talk(b"rate" + arguments + b" id=8\n")
    assert (answer[-1]["code"], answer[-1]["id"]) == (code, 8)
    assert line.changes == 0
