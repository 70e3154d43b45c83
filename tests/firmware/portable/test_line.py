"""One line of output: json reads from it what was put in, or there is no line."""

from __future__ import annotations

import ctypes
import json
import zlib
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from tests.firmware.portable.layout import LINE_MAX, Line

if TYPE_CHECKING:
    from collections.abc import Mapping

I64_MIN = -(2**63)

Value = int | bytes | list[int | bytes] | dict[str, int | bytes]

GUARD = b"\xa5" * 64
TRAILER = len(" *00000000")


class GuardedLine(ctypes.Structure):
    """An ic_line between bytes that must not change."""

    _fields_ = (("before", ctypes.c_char * 64), ("line", Line), ("after", ctypes.c_char * 64))


def put(core: ctypes.CDLL, line: Line, key: str | None, value: Value) -> None:
    name = None if key is None else key.encode()
    at = ctypes.byref(line)
    if isinstance(value, int):
        core.ic_line_integer(at, name, ctypes.c_int64(value))
    elif isinstance(value, bytes):
        core.ic_line_text_part(at, name, value, ctypes.c_size_t(len(value)))
    elif isinstance(value, list):
        core.ic_line_list_open(at, name)
        for item in value:
            put(core, line, None, item)
        core.ic_line_list_close(at)
    else:
        core.ic_line_object_open(at, name)
        for inner, item in value.items():
            put(core, line, inner, item)
        core.ic_line_object_close(at)


def firmware_line(core: ctypes.CDLL, members: Mapping[str, Value]) -> bytes:
    """Return the line as it would be sent; empty if it was refused."""
    core.ic_line_close.restype = ctypes.c_size_t
    holder = GuardedLine(GUARD, Line(), GUARD)
    core.ic_line_open(ctypes.byref(holder.line), b"test")
    for key, value in members.items():
        put(core, holder.line, key, value)
    length = core.ic_line_close(ctypes.byref(holder.line))
    assert (holder.before, holder.after) == (GUARD, GUARD)
    return ctypes.string_at(ctypes.addressof(holder.line), length)


def printable(text: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in text)


def shown(value: Value) -> object:
    """Return what json should read."""
    if isinstance(value, bytes):
        return printable(value)
    if isinstance(value, list):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return value


integers = st.one_of(st.integers(I64_MIN, 2**63 - 1), st.sampled_from([I64_MIN, I64_MIN + 1, -1, 0, 2**63 - 1]))
keys = st.text("abcdefghij_", min_size=1, max_size=6)
scalars = st.one_of(integers, st.binary(max_size=30))
values: st.SearchStrategy[Value] = st.one_of(
    scalars, st.lists(scalars, max_size=6), st.dictionaries(keys, scalars, max_size=4)
)
# "type" is the line's own.
members = st.dictionaries(keys.filter(lambda key: key != "type"), values, max_size=6)


@given(members=members)
@example({"smallest": I64_MIN})
@example({"text": bytes(range(256))})
@example({"text": b'"\\' * 100})
@example({"empty": [], "nothing": {}, "text": b""})
@example({"text": b"x" * (LINE_MAX - TRAILER - len('{"type":"test","text":""}'))})
@example({"text": b"x" * (LINE_MAX - TRAILER - len('{"type":"test","text":""}') + 1)})
@example({"text": b"x" * 600, "after": 1})
def test_a_line_holds_exactly_what_was_put_in_or_is_refused(core: ctypes.CDLL, members: dict[str, Value]) -> None:
    expected = {"type": "test", **{key: shown(value) for key, value in members.items()}}
    text = json.dumps(expected, separators=(",", ":"))
    line = firmware_line(core, members)
    if len(text) + TRAILER > LINE_MAX:
        assert line == b""
        return
    assert line == f"{text} *{zlib.crc32(text.encode()):08x}\r\n".encode()
    assert json.loads(line.rpartition(b" *")[0]) == expected


@given(value=integers)
def test_any_integer_comes_out_as_it_went_in(core: ctypes.CDLL, value: int) -> None:
    line = firmware_line(core, {"value": value})
    assert json.loads(line.rpartition(b" *")[0])["value"] == value


@given(before=st.binary(max_size=300), subject=st.binary(max_size=300), after=st.binary(max_size=300))
def test_the_sentence_of_an_error_is_cut_and_always_ends(
    core: ctypes.CDLL, before: bytes, subject: bytes, after: bytes
) -> None:
    core.ic_error_set.restype = ctypes.c_bool
    holder = ctypes.create_string_buffer(b"\xa5" * 300)
    before, subject, after = (text.replace(b"\0", b"") for text in (before, subject, after))
    assert not core.ic_error_set(holder, b"code", before, subject, after)
    text_at = ctypes.sizeof(ctypes.c_char_p)
    assert holder.raw[text_at:].partition(b"\0")[0] == (before + subject[:60] + after)[:199]
    assert holder.raw[text_at + 200 : 300] == b"\xa5" * (100 - text_at)
