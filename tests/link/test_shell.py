"""The interactive console: what a target says is shown as it is, unless it could take over the terminal."""

from __future__ import annotations

import io
import os
import threading
import time
from typing import TYPE_CHECKING
from zlib import crc32

from intercore.link.port import Port
from intercore.link.shell import converse
from intercore.terminal.spoken import in_words

if TYPE_CHECKING:
    from pathlib import Path


class Answering(Port):
    """Says the same whatever it hears."""

    description = "the target"

    def __init__(self, says: bytes) -> None:
        self._says = says
        self._left = b""

    def read(self, timeout: float) -> bytes:  # noqa: ARG002 - it comes at once
        data, self._left = self._left, b""
        return data

    def write(self, data: bytes) -> None:  # noqa: ARG002
        self._left = self._says

    def close(self) -> None:
        """Nothing is open."""


def shown(says: bytes, tmp_path: Path) -> list[str]:
    """What a person sees who types `info` to a target that says so, and then `end`."""
    end = b'{"type":"end","id":0,"i":1}'
    typed = tmp_path / "typed"
    typed.write_text("info\n")
    screen = io.StringIO()
    with typed.open("rb", buffering=0) as lines:
        converse(Answering(says + b"\r\n" + end + b" *%08x\r\n" % crc32(end)), lines, screen, 5)
    *before, last = screen.getvalue().splitlines()
    assert last == end.decode()
    return before


def test_the_escape_sequences_of_a_damaged_line_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (line,) = shown(b'{"type":"hello" \x1b]0;owned\x07\x1b[2J\x7f *00000000', tmp_path)
    assert line.isprintable()
    assert line.startswith("(damaged: ")
    assert "owned" in line


def test_what_comes_at_a_wrong_bit_rate_does_not_reach_the_terminal(tmp_path: Path) -> None:
    lines = shown(bytes(set(range(256)) - {10, 13}), tmp_path)
    assert lines
    assert all(line.isprintable() for line in lines)


def test_the_escape_sequences_of_a_whole_line_do_not_reach_the_terminal(tmp_path: Path) -> None:
    text = b'{"type":"log","id":0,"text":"","unknown":"\x7f"}'
    (line,) = shown(text + b" *%08x" % crc32(text), tmp_path)
    assert line == text.decode().replace("\x7f", "\N{REPLACEMENT CHARACTER}")


def test_a_person_has_a_prompt_and_words() -> None:
    screen = io.StringIO()
    read, write = os.pipe()
    end = b'{"type":"end","id":0,"i":0,"checks":{"done":1}}'

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
        converse(Answering(end + b" *%08x\r\n" % crc32(end)), lines, screen, 60, prompt="sim> ", in_words=in_words)
    person.join()
    assert screen.getvalue() == "sim>   ok: done 1\nsim> \n"
