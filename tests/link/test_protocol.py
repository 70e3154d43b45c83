from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args
from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercore.errors import UsageError
from intercore.link import protocol
from intercore.link.protocol import (
    BadContentError,
    BadLineError,
    ForeignHello,
    Hello,
    Message,
    Samples,
    SeriesHead,
    decode_line,
    encode_command,
)
from intercore.record.measurement import Unit

DOCUMENTED = b'{"type":"samples","id":17,"i":21,"series":"tp","unit":"tick","index":16,"values":[8123,8110]}'
WORDS = st.lists(st.from_regex(r"[a-z0-9=,.-]{1,12}", fullmatch=True), min_size=1, max_size=8)
INT64 = st.integers(-(2**63), 2**63 - 1)


def sealed(text: bytes) -> bytes:
    return text + b" *%08x" % crc32(text)


def as_line(**fields: object) -> bytes:
    return sealed(json.dumps(fields).encode())


def decoded(line: bytes) -> Message | None:
    try:
        return decode_line(line)
    except BadLineError:
        return None


def test_the_line_in_the_documentation_is_understood() -> None:
    assert decode_line(sealed(DOCUMENTED)) == Samples(17, 21, "tp", "tick", 16, (8123, 8110))


def test_the_crc_may_be_in_capitals() -> None:
    text, crc = DOCUMENTED, crc32(DOCUMENTED)
    assert decode_line(text + b" *%08X" % crc) == decode_line(text + b" *%08x" % crc)


@pytest.mark.parametrize("unit", get_args(Unit))
def test_a_series_has_one_of_the_units(unit: Unit) -> None:
    head = as_line(type="series", id=1, i=2, name="s", unit=unit, clock="c", hz=1, count=1)
    assert decode_line(head) == SeriesHead(1, 2, "s", unit, "c", 1, 1)
    assert decode_line(as_line(type="samples", id=1, i=3, series="s", unit=unit, index=0, values=[7])) == Samples(
        1, 3, "s", unit, 0, (7,)
    )


def test_the_documentation_names_all_units() -> None:
    described = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
    assert re.findall(r"^- `(\w+)`: ", described, re.MULTILINE) == list(get_args(Unit))


@given(INT64, st.lists(INT64, min_size=1, max_size=16))
def test_samples_keep_every_bit(index: int, values: list[int]) -> None:
    line = as_line(type="samples", id=1, i=2, series="t1", unit="tick", index=abs(index) // 2, values=values)
    if len(line) <= protocol.MAX_LINE:
        assert decode_line(line) == Samples(1, 2, "t1", "tick", abs(index) // 2, tuple(values))


@given(st.binary(max_size=600))
@example(b"")
@example(sealed(b""))
@example(sealed(b"null"))
@example(sealed(b"[" * 470))
@example(sealed(b'{"type":"samples","x":' + b"[" * 440))
@example(sealed(b'"\\ud800"'))
@example(sealed(b'{"type":"hello","protocol":1e999}'))
@example(sealed(b'{"type":"\xff"}'))
def test_nothing_but_a_bad_line_comes_of_arbitrary_bytes(data: bytes) -> None:
    for line in (data, sealed(data)):
        assert isinstance(decoded(line), (*get_args(Message), type(None)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)
FIELDS = {
    "type": st.sampled_from(["hello", "samples", "series", "factor", "end", "error", "log", "parameter", "condition"]),
    "id": st.just(1) | JSON,
    "i": st.just(2) | JSON,
}
MORE = [
    "protocol",
    "series",
    "unit",
    "index",
    "values",
    "checks",
    "status",
    "name",
    "value",
    "text",
    "choices",
    "count",
]


@given(st.fixed_dictionaries(FIELDS, optional=dict.fromkeys(MORE, JSON)))
def test_nothing_but_a_bad_line_comes_of_right_json_with_wrong_contents(fields: dict[str, object]) -> None:
    message = decoded(as_line(**fields))
    if isinstance(message, Samples):
        assert all(type(value) is int for value in message.values)


@given(st.integers(0, len(sealed(DOCUMENTED)) - 1), st.integers(0, 255), st.sampled_from(["replace", "drop", "insert"]))
def test_any_single_damaged_byte_is_noticed(at: int, byte: int, how: str) -> None:
    line = sealed(DOCUMENTED)
    damaged = line[:at] + (b"" if how == "drop" else bytes([byte])) + line[at + (how != "insert") :]
    # In the last 8 digits a capital says the same as a small letter.
    assert decoded(damaged) is None or damaged.lower() == line


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "samples", "series": "t1", "unit": "tick", "index": 0, "values": []},
        {"type": "samples", "series": "t1", "unit": "tick", "index": 0, "values": [1] * 17},
        {"type": "samples", "series": "t1", "unit": "tick", "index": 0, "values": [2**63]},
        {"type": "samples", "series": "t1", "unit": "tick", "index": 0, "values": [True]},
        {"type": "samples", "series": "t1", "unit": "ms", "index": 0, "values": [1]},
        {"type": "samples", "series": "t1", "index": 0, "values": [1]},
        {"type": "series", "name": "t1", "unit": "ms", "clock": "c", "hz": 1, "count": 1},
        {"type": "series", "name": "t1", "unit": 1, "clock": "c", "hz": 1, "count": 1},
        {"type": "series", "name": "t1", "clock": "c", "hz": 1, "count": 1},
        {"type": "samples", "series": "t1", "unit": "tick", "index": -1, "values": [1]},
        {"type": "series", "name": "t1", "unit": "tick", "clock": "c", "hz": 0, "count": 1},
        {"type": "series", "name": "t1", "unit": "tick", "clock": "c", "hz": 1, "count": -1},
        {"type": "factor", "name": "n", "value": 1.0},
        {"type": "factor", "name": "n", "value": None},
        {"type": "factor", "name": "n", "value": "\x1b[2J"},
        {"type": "end", "status": "perfect", "checks": {}},
        {"type": "end", "status": "ok", "checks": {"wrong": -1}},
        {"type": "surprise"},
    ],
    ids=str,
)
def test_contents_out_of_range_are_told_from_damage(fields: dict[str, object]) -> None:
    with pytest.raises(BadContentError):
        decode_line(as_line(id=1, i=2, **fields))


@pytest.mark.parametrize("number", [-1, protocol.MAX_LINES, 2**64, "1"])
def test_a_line_number_is_bounded(number: object) -> None:
    with pytest.raises(BadContentError):
        decode_line(as_line(type="begin", id=1, i=number, benchmark="example"))


def test_a_line_that_is_too_long_is_bad_whatever_its_crc() -> None:
    with pytest.raises(BadLineError, match="480"):
        decode_line(as_line(type="log", id=0, text="x" * 480))


def test_another_version_is_known_by_its_greeting_alone() -> None:
    assert decode_line(as_line(type="hello", protocol=3, welcome=True)) == ForeignHello("hello", 3)


def test_a_greeting_of_this_version_must_be_complete() -> None:
    with pytest.raises(BadContentError):
        decode_line(as_line(type="hello", id=1, i=0, protocol=2))
    names = {"firmware": "1", "board": "b", "chip": "c", "clock": "k"}
    whole = as_line(type="hello", id=1, i=0, protocol=2, cores=2, hz=10**9, tick_hz=0, **names)
    assert isinstance(decode_line(whole), Hello)


@given(WORDS)
def test_a_command_carries_the_crc_of_its_words(words: list[str]) -> None:
    line = encode_command(words)
    text = " ".join(words).encode()
    assert line.strip() == sealed(text)
    assert line.endswith(b"\r\n")


@pytest.mark.parametrize("word", ["", "two words", "tab\t", "line\nend", "star*", "µ", "\ud800", "\x1b"])
def test_a_word_that_a_target_could_misread_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        encode_command(["run", word])


def test_a_command_too_long_for_a_target_is_refused() -> None:
    assert len(encode_command(["x" * (protocol.MAX_COMMAND - protocol.TRAILER)]).strip()) == protocol.MAX_COMMAND
    with pytest.raises(UsageError, match="too long"):
        encode_command(["x" * (protocol.MAX_COMMAND - protocol.TRAILER + 1)])


def test_every_kind_of_message_is_immutable() -> None:
    with pytest.raises(AttributeError):
        decode_line(sealed(DOCUMENTED)).i = 3  # type: ignore[misc, union-attr]


def test_the_messages_are_those_of_the_documentation() -> None:
    documentation = Path(__file__).parents[2] / "docs" / "protocol.md"
    (table,) = re.findall(r"^\| type \| numbered \|.*\n((?:\|.*\n)+)", documentation.read_text("utf-8"), re.MULTILINE)
    described = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert described == {message.__struct_config__.tag for message in get_args(Message) if message is not ForeignHello}
