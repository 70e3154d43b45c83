from __future__ import annotations

import pytest

from intercore.link.link import Link
from intercore.link.port import Port, ProtocolError
from intercore.link.protocol import Log
from tests.fakes.target import sealed


class Played(Port):
    """A port that plays what it was given, a chunk per read."""

    description = "played"

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = list(chunks)

    def read(self, timeout: float) -> bytes:  # noqa: ARG002 - it never has to wait
        return self.chunks.pop(0) if self.chunks else b""

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def test_a_line_that_is_too_long_costs_only_itself() -> None:
    good = sealed(b'{"type":"log","id":0,"text":"here"}')
    link = Link(Played(b"x" * 1000, b"y" * 1000 + b"\r\n" + good))
    assert link.receive(0) == []
    assert link.receive(0) == [Log(0, "here")]
    assert (link.statistics.lines, link.statistics.bad_lines, link.last_bad) == (
        1,
        1,
        "a line longer than 480 characters",
    )


def test_garbage_is_borne_for_a_while_and_then_called_a_flood() -> None:
    good = sealed(b'{"type":"log","id":0,"text":"here"}')
    chunk = (b"\x00garbage" * 20 + b"\n") * 400
    link = Link(Played(*[chunk] * 50, good, *[chunk] * 100))
    for _ in range(51):
        link.receive(0)
    with pytest.raises(ProtocolError, match="floods"):
        list(map(link.receive, [0] * 100))


def test_empty_lines_are_no_flood() -> None:
    """They are the log that a load of the benchmark `jitter` prints."""
    chunk = (b"\r" * 63 + b"\n") * 1024
    good = sealed(b'{"type":"log","id":0,"text":"here"}')
    link = Link(Played(*[chunk] * 100, good))
    assert [message for _ in range(101) for message in link.receive(0)] == [Log(0, "here")]
    assert (link.statistics.lines, link.statistics.bad_lines) == (1, 0)


def test_contents_are_forgiven_before_the_greeting_only() -> None:
    hello = (
        b'{"type":"hello","id":0,"i":0,"protocol":2,"firmware":"1","board":"b","chip":"c","cores":1,"clock":"k",'
        b'"hz":1,"tick_hz":0}'
    )
    link = Link(Played(sealed(b'{"type":"gift"}'), sealed(hello), sealed(b'{"type":"gift\\u001b"}')))
    assert link.receive(0) == []
    link.receive(0)
    with pytest.raises(ProtocolError, match=r"violates the Intercore protocol.*gift") as caught:
        link.receive(0)
    assert "\x1b" not in str(caught.value)
