"""The interactive console: what a target says is shown as it is, unless it could take over the terminal."""

from __future__ import annotations

import io
import json
import os
import threading
import time
from unittest.mock import patch
from zlib import crc32

import pytest

from intercore.errors import IntercoreError
from intercore.link.port import Port
from intercore.link.shell import converse
from intercore.terminal.console_text import in_words


def sealed(**fields: object) -> bytes:
    text = json.dumps(fields, separators=(",", ":")).encode()
    return text + b" *%08x\r\n" % crc32(text)


END = sealed(type="end", id=0, i=1)
GREETING = sealed(type="end", id=0, i=0, checks={"up": 1})


class Answering(Port):
    """Says the same whatever it hears, and a greeting at first."""

    description = "the target"

    def __init__(self, says: bytes) -> None:
        self._says = says
        self._left = GREETING

    def read(self, timeout: float) -> bytes:  # noqa: ARG002 - it comes at once
        data, self._left = self._left, b""
        return data

    def write(self, data: bytes) -> None:  # noqa: ARG002
        self._left = self._says

    def close(self) -> None:
        """Nothing is open."""


class Board(Port):
    """A target in a time of its own, which carries out what it hears once it is up, and is deaf until then."""

    description = "the board"

    def __init__(self, boots_for: float = 0.0, *, greets: bool = True, rate: int | None = None) -> None:
        self.carried_out: list[str] = []
        self.rate = rate
        self.damages = 0
        """How many of the next commands arrive damaged."""
        self.restarts_at = ""
        """The command at which it restarts."""
        self.ends_first = False
        """Whether a run ends before what is sent meanwhile arrives."""
        self._time = 0.0
        self._boots_for = boots_for
        self._due = [(boots_for, self._info(0))] if greets else []

    def now(self) -> float:
        return self._time

    def _info(self, answer_id: int) -> bytes:
        told = {"protocol": 2, "firmware": "1", "board": "b", "chip": "c", "cores": 2, "clock": "t", "hz": 1000}
        hello = sealed(type="hello", id=answer_id, i=0, tick_hz=0, **told)
        return hello + sealed(type="end", id=answer_id, i=1)

    def read(self, timeout: float) -> bytes:
        end = self._time + timeout
        if self._due and self._due[0][0] <= end:
            at, data = self._due.pop(0)
            self._time = max(self._time, at)
            return data
        self._time = end
        return b""

    def write(self, data: bytes) -> None:
        text = data.decode().partition(" *")[0]
        words, _, answer_id = text.partition(" id=")
        if self._time < self._boots_for:
            return
        if self.damages and not answer_id:
            self.damages -= 1
            self._due.append((self._time, sealed(type="error", id=0, code="bad-crc", text="")))
            return
        if not words.startswith("info") or not answer_id:
            self.carried_out.append(words)
        answers = self._answers(words, int(answer_id or 0))
        self._due += [(self._time + 0.1, answer) for answer in answers]

    def _answers(self, words: str, answer_id: int) -> list[bytes]:
        command = words.split(maxsplit=1)[0]
        end = sealed(type="end", id=answer_id, i=9, checks={command: 1})
        if command == self.restarts_at:
            return [self._info(0)]
        if command == "abort":
            ended = self._due and not self.ends_first
            status = sealed(type="end", id=0, i=9, status="aborted")
            refusal = sealed(type="error", id=answer_id, code="unsupported", text="")
            self._due = self._due if not ended else []
            return [status if ended else refusal]
        if command == "info":
            return [self._info(answer_id)]
        if command == "rate":
            return [sealed(type="rate", id=0, rate=int(words.split()[1]))]
        if command == "resend":
            return [sealed(type="log", id=0, text="again")]
        return [end] * (len(words.split(",")) if command == "run" else 1)

    def set_rate(self, rate: int) -> bool:
        self.rate = rate
        return True

    def close(self) -> None:
        """Nothing is open."""


class Typed(io.FileIO):
    """Lines, and whether the shell's thread has read all of them."""

    def __init__(self, source: int) -> None:
        super().__init__(source)
        self.all_read = threading.Event()

    def __next__(self) -> bytes:
        try:
            return super().__next__()
        except StopIteration:
            self.all_read.set()
            raise


def piped(board: Port, *commands: str, timeout: float = 5) -> str:
    """What is shown of a conversation that was written beforehand."""
    read, write = os.pipe()
    os.write(write, "".join(f"{command}\n" for command in commands).encode())
    os.close(write)
    screen = io.StringIO()
    answers = board.read

    def answer_once_all_is_read(timeout: float) -> bytes:
        # The target's clock is made up: it must not run on while a busy machine delays the thread that reads the lines.
        assert lines.all_read.wait(60)
        return answers(timeout)

    with Typed(read) as lines, patch.object(board, "read", answer_once_all_is_read):
        converse(board, lines, screen, timeout)
    return screen.getvalue()


def shown(says: bytes) -> list[str]:
    """What a person sees who types `info` to a target that says so, and then `end`."""
    first, *before, last = piped(Answering(says + b"\r\n" + END), "info").splitlines()
    assert "up" in first
    assert last == END.decode().partition(" *")[0]
    return before


@pytest.mark.parametrize("boots_for", [0, 0.04, 0.4, 3])
@pytest.mark.parametrize("greets", [True, False])
def test_no_command_is_lost_that_is_piped_to_a_target_that_is_still_starting(boots_for: float, *, greets: bool) -> None:
    board = Board(boots_for, greets=greets)
    text = piped(board, "help", "list", "run switch samples=2")
    assert board.carried_out == ["help", "list", "run switch samples=2"]
    assert [text.count(f'"{command}":1') for command in ("help", "list", "run")] == [1, 1, 1]


def test_a_greeting_is_not_taken_for_the_answer_to_info() -> None:
    for greets in (True, False):
        board = Board(0.2, greets=greets)
        assert piped(board, "info", "list").count('"hello"') == 1 + greets
        assert board.carried_out == ["info", "list"]


def test_a_target_that_never_answers_ends_the_shell_with_an_error() -> None:
    with pytest.raises(IntercoreError, match="not answered for 5 s"):
        piped(Board(1000), "help")


def test_a_command_that_arrives_damaged_is_sent_again() -> None:
    board = Board()
    board.damages = 2
    assert "bad-crc" not in piped(board, "help", "list")
    assert board.carried_out == ["help", "list"]


def test_a_command_that_arrives_damaged_each_time_is_given_up() -> None:
    board = Board()
    board.damages = 1000
    assert piped(board, "help").count("bad-crc") == 1


def test_a_restart_in_the_middle_of_a_piped_command_is_an_error() -> None:
    board = Board()
    board.restarts_at = "run"
    with pytest.raises(IntercoreError, match="the board restarted"):
        piped(board, "run switch", "list")


def test_a_check_of_several_settings_is_one_answer_and_a_run_of_them_several() -> None:
    board = Board()
    piped(board, "check switch to=0,1", "run switch to=0,1", "help")
    assert board.carried_out == ["check switch to=0,1", "run switch to=0,1", "help"]


def test_abort_ends_the_run_that_it_follows() -> None:
    board = Board()
    assert piped(board, "help", "run switch to=0,1", "abort", "list").count('"aborted"') == 1
    assert board.carried_out == ["help", "run switch to=0,1", "abort", "list"]


def test_the_refusal_of_an_abort_that_came_too_late_answers_no_other_command() -> None:
    board = Board()
    board.ends_first = True
    assert '"list":1' in piped(board, "run switch", "abort", "list")


def test_a_change_of_the_bit_rate_is_followed() -> None:
    board = Board(rate=115200)
    piped(board, "rate 921600", "list")
    assert (board.rate, board.carried_out) == (921600, ["rate 921600", "list"])


def test_lines_that_are_sent_again_are_an_answer_without_an_end() -> None:
    board = Board()
    assert '"again"' in piped(board, "resend 0 1", "list")
    assert board.carried_out == ["resend 0 1", "list"]


def test_the_escape_sequences_of_a_damaged_line_do_not_reach_the_terminal() -> None:
    (line,) = shown(b'{"type":"hello" \x1b]0;owned\x07\x1b[2J\x7f *00000000')
    assert line.isprintable()
    assert line.startswith("(damaged: ")
    assert "owned" in line


def test_what_comes_at_a_wrong_bit_rate_does_not_reach_the_terminal() -> None:
    lines = shown(bytes(set(range(256)) - {10, 13}))
    assert lines
    assert all(line.isprintable() for line in lines)


def test_the_escape_sequences_of_a_whole_line_do_not_reach_the_terminal() -> None:
    text = b'{"type":"log","id":0,"text":"","unknown":"\x7f"}'
    (line,) = shown(text + b" *%08x" % crc32(text))
    assert line == text.decode().replace("\x7f", "\N{REPLACEMENT CHARACTER}")


def test_a_person_has_a_prompt_and_words() -> None:
    screen = io.StringIO()
    read, write = os.pipe()
    end = sealed(type="end", id=0, i=0, checks={"done": 1})

    def type_after_the_prompt() -> None:
        while "sim> " not in screen.getvalue():
            time.sleep(0.01)
        os.write(write, b"help\n")
        while screen.getvalue().count("sim> ") < 2:
            time.sleep(0.01)
        os.close(write)

    person = threading.Thread(target=type_after_the_prompt)
    person.start()
    with os.fdopen(read, "rb", buffering=0) as lines:
        converse(Answering(end), lines, screen, 60, prompt="sim> ", in_words=in_words)
    person.join()
    assert screen.getvalue() == "  ok: up 1\nsim>   ok: done 1\nsim> \n"


def test_time_in_which_the_tool_was_stopped_is_no_silence_of_the_target() -> None:
    class Stopped(Board):
        """One whose answer to the first command comes after this program was stopped for an hour."""

        def read(self, timeout: float) -> bytes:
            if self.carried_out and self._time < 3600:
                self._time += 3600
                return b""
            return super().read(timeout)

    board = Stopped()
    text = piped(board, "help", "list")
    assert board.carried_out == ["help", "list"]
    assert [text.count(f'"{command}":1') for command in board.carried_out] == [1, 1]
