"""The console over USB of the RP2040 and the RP2350, whose driver is the same, with the simulated host.

A host finds it, samples are those of the UART, and neither cable nor requests stop it.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intercore.sim import Reason, Rp2350, Simulator
from tests.built_once import pico2_program_once
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, built, built_amp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FOUND = 0.2
"""Seconds after which a host that takes the shortest times has opened the port: 0.12 s, and some requests."""
QUIET = 1.0
"""Seconds after which the program has said on the UART what it says at its start."""
RP2350_CLK_SYS_HZ = 150_000_000
VOLUME = 100_000_000 if "INTERCORE_SLOW" in os.environ else 100_000
"""Bytes to go each way at least."""


class UsbBoard(Board):
    """The benchmark program, with a person at its console over USB."""

    def take(self) -> bytes:
        return self.chip.take_usb()

    def type(self, text: bytes) -> None:
        self.chip.send_usb(text)


class Boards:
    """The program after its start; the cable is plugged in and the port open, or it is not."""

    def __init__(self, chip: Simulator, clk_sys_hz: int = CLK_SYS_HZ) -> None:
        self.chip = chip
        self.clk_sys_hz = clk_sys_hz
        off = self.chip.snapshot()
        self.chip.run(round(QUIET * clk_sys_hz))
        assert b'"type":"end"' in self.chip.take_uart()
        assert not self.chip.take_usb()
        self._plugged = self.chip.snapshot()
        self.chip.restore(off)
        self.chip.plug_usb(False)
        self.chip.run(round(QUIET * clk_sys_hz))
        self.chip.take_uart()
        self._unplugged = self.chip.snapshot()

    def uart(self, *, plugged: bool) -> Board:
        self.chip.restore(self._plugged if plugged else self._unplugged)
        return Board(self.chip, self.clk_sys_hz)

    def usb(self) -> UsbBoard:
        self.chip.restore(self._plugged)
        return UsbBoard(self.chip, self.clk_sys_hz)


@pytest.fixture(scope="module")
def boards() -> Boards:
    return Boards(Simulator(built("O2") / "intercore-target"))


@pytest.fixture(scope="module")
def pico2() -> Boards:
    return Boards(Rp2350(pico2_program_once()), RP2350_CLK_SYS_HZ)


@pytest.fixture(params=["boards", "pico2"])
def either(request: pytest.FixtureRequest) -> Boards:
    found: Boards = request.getfixturevalue(request.param)
    return found


def answered(said: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an answer, without reports of progress, which come by the clock."""
    return [line for line in said if line["type"] not in {"progress", "hello", "condition"}]


# The console


def test_a_host_finds_a_serial_port_and_the_program_answers_there(either: Boards) -> None:
    board = either.usb()
    board.chip.take_uart()
    hello, *conditions, end = board.ask("info")
    assert (hello["chip"], end["type"]) == ("RP2350" if isinstance(board.chip, Rp2350) else "RP2040", "end")
    assert "rate" not in hello
    assert "rates" not in hello
    assert len(conditions) > 30
    assert not board.chip.take_diagnostics()


def test_the_line_that_speaks_is_answered(either: Boards) -> None:
    usb = either.usb()
    uart = Board(usb.chip, either.clk_sys_hz)
    for _ in range(2):
        assert usb.ask("info")[-1]["type"] == "end"
        assert not uart.take()
        assert uart.ask("info")[-1]["type"] == "end"
        assert not usb.take()


@pytest.mark.measures("switch")
def test_input_of_the_other_line_waits_or_is_dropped_while_a_command_is_carried_out(boards: Boards) -> None:
    usb = boards.usb()
    uart = Board(usb.chip)
    uart.type(b"id=7 run switch samples=50\n")
    uart.run(0.01)
    usb.type(b"id=8 info\n")
    assert {line["id"] for line in uart.hear()} == {7}
    assert {line["id"] for line in usb.hear()} == {8}, "it has waited"
    usb.type(b"id=9 run switch samples=500\n")
    assert usb.run(0.01)
    uart.type(b"id=10 info\n")
    assert {line["id"] for line in usb.hear()} == {9}
    assert not uart.run(0.5), "it was dropped"


@pytest.mark.parametrize(
    "line", [b"x" * 401, b"x" * 5000, b"info *00000000", b"in\xfffo", b"\x00", b"run " + b"a " * 60, b"nothing"]
)
def test_what_is_no_command_is_refused_as_on_the_uart(boards: Boards, line: bytes) -> None:
    uart = boards.uart(plugged=False)
    uart.type(line + b"\n")
    (expected,) = uart.run(0.65)
    usb = boards.usb()
    usb.type(line + b"\n")
    assert usb.run(0.1) == [expected]
    assert expected["type"] == "error"


# Measurements


@pytest.mark.measures("jitter", "message", "switch")
@pytest.mark.parametrize(
    "command",
    [
        "run switch samples=200",
        "run message samples=60 from=0 to=1",
        "run jitter samples=300",  # with reports of progress
    ],
)
def test_samples_are_those_of_the_uart(boards: Boards, command: str) -> None:
    check_samples(boards, command)


@pytest.mark.measures("switch")
def test_samples_of_the_pico_2_are_those_of_the_uart(pico2: Boards) -> None:
    check_samples(pico2, "run switch samples=40")


def check_samples(boards: Boards, command: str) -> None:
    expected = answered(boards.uart(plugged=False).ask(command))
    assert expected[-1]["status"] == "ok"
    assert answered(boards.uart(plugged=True).ask(command)) == expected
    assert answered(boards.usb().ask(command)) == expected


@pytest.mark.measures("message")
def test_samples_of_two_kernels_are_those_of_the_uart_from_the_first_command_on() -> None:
    boards = Boards(Simulator(built_amp("O2") / "intercore-target"))
    expected = answered(boards.uart(plugged=False).ask("run message samples=60"))
    assert expected[-1]["status"] == "ok"
    for later in (0, 0.00033, 0.0123):
        board = boards.usb()
        board.run(later)
        assert answered(board.ask("run message samples=60")) == expected


DISTURBANCES: dict[str, Callable[[Simulator], None]] = {
    "request": lambda chip: chip.request_usb(bytes([0x80, 6, 0, 1, 0, 0, 18, 0])),
    "suspend": lambda chip: chip.suspend_usb(True),
    "reset": Simulator.reset_usb,
    "pull": lambda chip: chip.plug_usb(False),
    "text": lambda chip: chip.send_usb(b"info\n"),
}


@pytest.mark.measures("switch")
@pytest.mark.parametrize(("line", "kinds"), [("uart", list(DISTURBANCES)), ("usb", ["request"])])
def test_nothing_that_a_host_does_touches_a_sample(boards: Boards, line: str, kinds: list[str]) -> None:
    def measuring() -> Board:
        board = boards.uart(plugged=True) if line == "uart" else boards.usb()
        board.type(b"run switch samples=100\n")
        assert board.chip.run(address="ic_measure").reason is Reason.ADDRESS
        return board

    expected = answered(measuring().hear())
    for kind in kinds:
        for seconds in (0.001, 0.0035):  # before the first repetition, and among them
            board = measuring()
            said = board.run(seconds)
            DISTURBANCES[kind](board.chip)
            assert answered(said + board.hear()) == expected, kind


# The cable and the host


def test_a_host_that_sleeps_gets_the_rest_of_an_answer_when_it_wakes(boards: Boards) -> None:
    board = boards.usb()
    expected = board.ask("list")
    board = boards.usb()
    board.type(b"list\n")
    said = board.run(0.005)
    for _ in range(3):
        board.chip.suspend_usb(True)
        said += board.run(0.002)
        assert not board.run(1)
        board.chip.suspend_usb(False)
        said += board.run(0.035)
    assert said[-1]["type"] != "end"
    assert said + board.hear() == expected


def test_a_pulled_cable_is_found_again_and_the_answer_can_be_had(either: Boards) -> None:
    board = either.usb()
    expected = board.ask("id=5 list")
    for _ in range(3):
        board = UsbBoard(either.chip, either.clk_sys_hz)
        board.type(b"id=6 list\n")
        cut = board.run(0.005)
        board.chip.plug_usb(False)
        board.chip.run(either.clk_sys_hz // 10)
        board.take()
        board.chip.plug_usb(True)
        board.chip.run(round(FOUND * either.clk_sys_hz))
        board = UsbBoard(either.chip, either.clk_sys_hz)
        board.type(b"\n")
        board.run(0.05)
        again = board.ask(f"id=9 resend 6 {len(cut) // 2}-")
        assert [line | {"id": 5} for line in again] == expected[len(cut) // 2 :]


def test_a_uart_takes_over_from_a_host_that_sleeps(boards: Boards) -> None:
    board = boards.usb()
    uart = Board(board.chip)
    board.type(b"list\n")
    board.run(0.005)
    board.chip.suspend_usb(True)
    board.run(0.1)
    uart.type(b"\n")
    assert uart.hear()[-1]["type"] == "end", "of the list"
    assert uart.ask("info")[-1]["type"] == "end"


@pytest.mark.timeout(7200)
def test_nothing_is_lost_however_much_goes_both_ways(boards: Boards) -> None:
    board = boards.usb()
    sent, taken, number = 0, 0, 0
    rest = b""
    while sent < VOLUME or taken < VOLUME:
        batch = []
        while len(batch) < 64:
            number += 1
            text = b"id=%d %s" % (number, b"list"[: 3 + (taken < sent)] + b"y" * (number % 330) * (taken >= sent))
            batch.append(b"%s *%08x\n" % (text, zlib.crc32(text)))
        board.type(b"".join(batch))
        sent += sum(map(len, batch))
        ended: list[int] = []
        while len(ended) < len(batch):
            board.chip.run(CLK_SYS_HZ // 50)
            found = board.take()
            taken += len(found)
            *lines, rest = (rest + found).split(b"\r\n")
            for line in filter(None, lines):
                text, _, crc = line.rpartition(b" *")
                assert int(crc, 16) == zlib.crc32(text)
                if text.startswith((b'{"type":"end"', b'{"type":"error"')):
                    said = json.loads(text)
                    assert said["type"] == "end" or said["code"] == "unknown-command"
                    ended.append(said["id"])
        assert ended == list(range(number - len(batch) + 1, number + 1))
    assert not board.chip.take_diagnostics()


# Requests

STALLED = (None, "the device refuses (STALL) a request of the host that it must carry out")
DONE = (b"", "")


@pytest.mark.parametrize(
    ("setup", "data", "expected"),
    [
        ("80 00 00 00 00 00 02 00", "", (b"\0\0", "")),  # GET_STATUS of the device
        ("82 00 00 00 82 00 02 00", "", (b"\0\0", "")),  # of an end point
        ("82 00 00 00 83 00 02 00", "", STALLED),
        ("81 00 00 00 02 00 02 00", "", STALLED),
        ("80 08 00 00 00 00 01 00", "", (b"\1", "")),  # GET_CONFIGURATION
        ("81 0a 00 00 01 00 01 00", "", (b"\0", "")),  # GET_INTERFACE
        ("81 0a 00 00 02 00 01 00", "", STALLED),
        ("01 0b 00 00 01 00 00 00", "", DONE),  # SET_INTERFACE
        ("01 0b 01 00 01 00 00 00", "", STALLED),
        ("a1 21 00 00 00 00 07 00", "", (bytes([0, 0xC2, 1, 0, 0, 0, 8]), "")),  # GET_LINE_CODING
        ("a1 21 00 00 01 00 07 00", "", STALLED),
        ("21 20 00 00 00 00 07 00", "00 e1 00 00 00 00 08", DONE),  # SET_LINE_CODING
        ("21 20 00 00 00 00 07 00", "00 e1 00 00", STALLED),
        ("21 20 00 00 00 00 08 00", "00 e1 00 00 00 00 08 00", STALLED),
        ("21 20 00 00 01 00 07 00", "00 e1 00 00 00 00 08", STALLED),
        ("21 23 ff ff 00 00 00 00", "", STALLED),  # SEND_BREAK, which it does not say it knows
        ("80 06 00 06 00 00 0a 00", "", STALLED),  # the descriptor of a device with high speed, too
        ("80 06 03 03 09 04 ff 00", "", STALLED),  # a string that there is none of
        ("80 06 01 01 00 00 12 00", "", STALLED),
        ("80 06 00 02 00 00 05 00", "", (bytes([9, 2, 67, 0, 2]), "")),  # a part of a descriptor
        ("80 06 02 03 09 04 ff 00", "", (b"\x0e\x03" + "target".encode("utf-16-le"), "")),
        ("00 05 80 00 00 00 00 00", "", STALLED),  # SET_ADDRESS, with one that there is none of
        ("00 09 02 00 00 00 00 00", "", STALLED),  # SET_CONFIGURATION
        ("00 09 01 00 00 00 04 00", "01 02 03 04", STALLED),  # with data
        ("00 03 01 00 00 00 00 00", "", STALLED),  # SET_FEATURE: remote wake-up
        ("02 03 00 00 00 00 00 00", "", STALLED),  # a halt of end point 0
        ("c0 55 34 12 78 56 ff ff", "", STALLED),  # of a vendor
        ("ff ff ff ff ff ff ff ff", "", STALLED),
    ],
)
def test_requests_are_carried_out_or_refused(
    boards: Boards, setup: str, data: str, expected: tuple[bytes | None, str]
) -> None:
    board = boards.usb()
    board.chip.request_usb(bytes.fromhex(setup), bytes.fromhex(data))
    board.chip.run(CLK_SYS_HZ // 100)
    assert board.chip.take_usb_answers() == [expected]
    assert board.ask("info")[-1]["type"] == "end"


def test_an_end_point_that_is_halted_goes_on_when_the_halt_is_cleared(either: Boards) -> None:
    board = either.usb()
    ask = board.chip.request_usb
    ask(bytes.fromhex("02 03 00 00 02 00 00 00"))
    ask(bytes.fromhex("82 00 00 00 02 00 02 00"))
    ask(bytes.fromhex("02 01 00 00 02 00 00 00"))
    ask(bytes.fromhex("82 00 00 00 02 00 02 00"))
    board.chip.run(either.clk_sys_hz // 100)
    assert board.chip.take_usb_answers() == [DONE, (b"\1\0", ""), DONE, (b"\0\0", "")]
    assert board.ask("info")[-1]["type"] == "end"


words = st.sampled_from([0, 1, 2, 3, 0x80, 0x81, 0x82, 0x100, 0x200, 0x300, 0x301, 0x600, 0xFFFF]) | st.integers(
    0, 0xFFFF
)
requests = st.builds(
    lambda kind, request, *words: bytes([kind, request]) + b"".join(word.to_bytes(2, "little") for word in words),
    st.sampled_from([0x00, 0x01, 0x02, 0x21, 0x80, 0x81, 0x82, 0xA1]) | st.integers(0, 255),
    st.integers(0, 12) | st.sampled_from([0x20, 0x21, 0x22, 0x23]) | st.integers(0, 255),
    words,
    words,
    st.integers(0, 80) | words,
)
events = st.one_of(
    st.tuples(st.just("request"), requests, st.binary(max_size=80)),
    st.tuples(st.sampled_from(["pull", "plug", "sleep", "wake", "reset"])),
    st.tuples(st.just("text"), st.binary(max_size=200)),
)


@settings(max_examples=200 if "INTERCORE_SLOW" in os.environ else 12, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(events, st.floats(0, 0.02)), max_size=12))
def test_whatever_a_host_does_the_device_is_found_again(
    boards: Boards, steps: list[tuple[tuple[Any, ...], float]]
) -> None:
    board = boards.usb()
    chip = board.chip
    for (what, *arguments), seconds in steps:
        match what:
            case "request":
                chip.request_usb(*arguments)
            case "text":
                chip.send_usb(*arguments)
            case "pull" | "plug":
                chip.plug_usb(what == "plug")
            case "sleep" | "wake":
                chip.suspend_usb(what == "sleep")
            case _:
                chip.reset_usb()
        chip.run(round(seconds * CLK_SYS_HZ))
    chip.plug_usb(True)
    chip.suspend_usb(False)
    chip.run(CLK_SYS_HZ // 10)
    chip.reset_usb()
    chip.run(CLK_SYS_HZ // 2)
    chip.send_usb(b"\nabort\nid=77 info\n")
    board = UsbBoard(chip)
    chip.run(CLK_SYS_HZ // 5)
    assert board.take().endswith(b"\r\n")
    assert board.ask("id=78 info")[-1] | {"i": 0} == {"type": "end", "id": 78, "i": 0, "status": "ok", "checks": {}}
