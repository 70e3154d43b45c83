"""What the answer to `trace` holds: all of it or an error, whatever becomes of the lines on their way."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.link.incoming import Incoming
from intercore.link.port import ProtocolError
from intercore.link.protocol import BadLineError, Numbered, decode_line
from intercore.link.recorded import read_recording
from intercore.record.trace_recording import Event, Kind, Recording, Ring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KINDS = tuple(Kind)


def line(number: int, fields: dict[str, object]) -> bytes:
    text = json.dumps({**fields, "id": 7, "i": number}, separators=(",", ":")).encode()
    return b"%s *%08x" % (text, crc32(text))


def lines_of(recording: Recording) -> list[bytes]:
    """Return the answer of a target that has recorded this, as docs/protocol.md has it."""
    said: list[dict[str, object]] = []
    for ring in recording.rings:
        head = {"core": ring.core, "hz": recording.hz, "recorded": ring.recorded, "kept": len(ring.events)}
        said.append({"type": "ring", **head, "costs": ring.costs})
        if ring.core == 0:
            said += [{"type": "name", "number": number, "text": text} for number, text in recording.names.items()]
        for first in range(0, len(ring.events), 8):
            some = ring.events[first : first + 8]
            values = [value for one in some for value in (one.time, one.kind | one.detail << 8, one.object)]
            said.append({"type": "events", "core": ring.core, "index": ring.missing + first, "values": values})
    said.append({"type": "end", "status": "ok", "checks": {}})
    return [line(number, fields) for number, fields in enumerate(said)]


def decoded(lines: Iterable[bytes]) -> list[Numbered]:
    messages = []
    for one in lines:
        with suppress(BadLineError):
            messages.append(decode_line(one))
    return [message for message in messages if isinstance(message, Numbered)]


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    rings = []
    for core in range(draw(st.integers(1, 3))):
        count, missing = draw(st.integers(0, 20)), draw(st.integers(0, 1000))
        start = draw(st.integers(0, 2**60))
        events = tuple(
            Event(start + 7 * n, KINDS[(start + n) % len(KINDS)], (start + n) % 2**24, (start * 31 + n) % 2**32)
            for n in range(count)
        )
        rings.append(Ring(core, count + missing, events, (167, 168)))
    return Recording(125_000_000, tuple(rings), {0: "console", 24: "IDLE"})


@given(recordings())
def test_what_was_recorded_is_read(recording: Recording) -> None:
    assert read_recording(decoded(lines_of(recording))) == recording


@settings(max_examples=1000, deadline=None)
@given(recordings(), st.data())
def test_recording_over_a_faulty_line_is_complete_or_an_error(recording: Recording, data: st.DataObject) -> None:
    sent = lines_of(recording)
    incoming = Incoming()
    for number in data.draw(st.permutations([*range(len(sent)), *range(len(sent))])):
        one = bytearray(sent[number])
        if data.draw(st.booleans()):
            one[data.draw(st.integers(0, len(one) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        with suppress(BadLineError, ProtocolError):
            message = decode_line(bytes(one))
            assert isinstance(message, Numbered)
            incoming.add(message)
    if incoming.complete:
        assert read_recording([incoming.lines[number] for number in sorted(incoming.lines)]) == recording
    else:
        assert incoming.missing()


@settings(max_examples=1000, deadline=None)
@given(recordings(), st.data())
def test_a_target_that_stops_anywhere_in_its_answer_has_not_answered(recording: Recording, data: st.DataObject) -> None:
    sent = b"\n".join(lines_of(recording))
    incoming = Incoming()
    for one in sent[: data.draw(st.integers(0, len(sent) - 1))].split(b"\n"):
        with suppress(BadLineError, ProtocolError):
            message = decode_line(one)
            assert isinstance(message, Numbered)
            incoming.add(message)
    assert not incoming.complete


def whole() -> list[dict[str, object]]:
    """Return an answer of one core with nine events."""
    events = tuple(Event(10 + n, Kind.TICK, 0, n) for n in range(9))
    recording = Recording(1000, (Ring(0, 12, events, (5,)),), {})
    return [json.loads(one.rpartition(b" *")[0]) for one in lines_of(recording)]


def changed(number: int, **fields: object) -> list[Numbered]:
    said = whole()
    said[number] |= fields
    return decoded(line(n, {key: value for key, value in one.items() if key != "i"}) for n, one in enumerate(said))


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        (changed(1, index=0), "events from 0 of core 0"),
        (changed(2, core=1), "out of place"),
        (changed(2, values=[5, 16, 8]), "order"),
        (changed(2, values=[18, 99, 8]), "kind"),
        (changed(1, values=[18, 16, 8, 19]), "events from 3 of core 0"),
        (changed(0, kept=13), "events from"),
        (changed(0, kept=8), "events from"),
        (changed(0, core=1), "out of place"),
        (decoded([])[:0], "does not have one clock"),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(messages: Sequence[Numbered], says: str) -> None:
    with pytest.raises(ProtocolError, match=says):
        read_recording(messages)
