"""The real benchmark program of this machine. With INTERCORE_SANITIZE set, a sanitizer build of it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from intercore.board.build import SANITIZE_VARIABLE
from tests.built_once import host_program_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SANITIZED = bool(os.environ.get(SANITIZE_VARIABLE)) and "INTERCORE_SLOW" not in os.environ
"""Whether a sanitizer looks on, and one case of each kind is enough: others take other numbers the same way."""
PATIENCE = 600.0
"""Seconds after which a silent program counts as hung: a sanitizer is slow, and a busy machine ten times as slow."""


class Terminal:
    """A person's terminal on the program: types lines, reads what comes."""

    def __init__(self, program: Path, environment: Mapping[str, str] | None = None) -> None:
        """Start the program, with some variables besides those of this process."""
        # A sanitizer's report must fail the test even where the program would go on.
        self.process = subprocess.Popen(
            [program],
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._received = b""

    def type(self, text: bytes | str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() if isinstance(text, str) else text)
        self.process.stdin.flush()

    def line(self) -> bytes:
        """Return the next line as it was sent, with its end."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self._received:
            assert select.select([self.process.stdout], [], [], deadline - time.monotonic())[0], "the program hangs"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"the program has ended: {self.close()}"
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line + b"\n"

    def message(self) -> dict[str, Any]:
        """Return the next line as JSON, after checking its form and CRC; skip empty lines."""
        while not (line := self.line()).strip():
            pass
        assert line.endswith(b"\r\n")
        text, star, crc = line.rstrip().rpartition(b" *")
        assert star
        assert int(crc, 16) == zlib.crc32(text)
        assert len(line) <= 482
        message: dict[str, Any] = json.loads(text)
        return message

    def answer(self) -> list[dict[str, Any]]:
        """Return the messages up to and with the next `end` or `error`."""
        messages = [self.message()]
        while messages[-1]["type"] not in {"end", "error"}:
            messages.append(self.message())
        return messages

    def ask(self, text: str) -> list[dict[str, Any]]:
        self.type(text + "\n")
        return self.answer()

    def conditions(self) -> dict[str, str]:
        """Return what the program says that its numbers depend on."""
        return {line["key"]: line["value"] for line in self.ask("info") if line["type"] == "condition"}

    def has_realtime(self) -> bool:
        """Whether the program has real-time scheduling, by which a task of more priority runs at once.

        The system may not permit it, and a build with a sanitizer does without (board/linux/board.cmake).
        """
        return self.conditions()["scheduler.policy"] == "SCHED_FIFO"

    def need_realtime(self) -> None:
        """Skip the test where the program has none."""
        if not self.has_realtime():
            pytest.skip("only real-time scheduling goes by priorities")

    def close(self) -> str:
        """End input, wait for the end of the program, and return what it said on standard error."""
        try:
            _, errors = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()  # or its real-time tasks would keep every later test from the processors
            raise
        return errors.decode()


def cores(terminal: Terminal) -> int:
    """Return how many cores the program has."""
    found = terminal.ask("info")[0]["cores"]
    assert isinstance(found, int)
    return found


def series(answer: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Return the samples of each series of an answer, which are there without a gap."""
    values: dict[str, list[int]] = {line["name"]: [] for line in answer if line["type"] == "series"}
    for line in answer:
        if line["type"] == "samples":
            assert line["index"] == len(values[line["series"]])
            values[line["series"]] += line["values"]
    return values


@pytest.fixture(scope="session")
def program() -> Path:
    return host_program_once()


@pytest.fixture
def terminal(program: Path) -> Iterator[Terminal]:
    """A terminal on a program that has said hello."""
    opened = Terminal(program)
    opened.answer()
    yield opened
    if opened.process.poll() is None:
        assert opened.close() == ""
    assert opened.process.returncode == 0
