"""From received bytes to the words of a command."""

from __future__ import annotations

import ctypes
import re
import zlib
from typing import NamedTuple

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.firmware.portable.layout import COMMAND_MAX, WORDS_MAX, Command, Error, Input

GUARD = b"\xa5" * 64


class GuardedInput(ctypes.Structure):
    """An ic_input between bytes that must not change."""

    _fields_ = (("before", ctypes.c_char * 64), ("input", Input), ("after", ctypes.c_char * 64))


def guarded() -> GuardedInput:
    return GuardedInput(GUARD, Input(), GUARD)


# ---- bytes to lines ----


def firmware_lines(core: ctypes.CDLL, received: bytes) -> list[bytes | None]:
    """Return the lines that the bytes make; None for one that was too long."""
    core.ic_input_push.restype = ctypes.c_bool
    holder = guarded()
    line = holder.input
    text = ctypes.addressof(line)
    lines: list[bytes | None] = []
    for byte in received:
        if core.ic_input_push(ctypes.byref(line), ctypes.c_uint8(byte)):
            assert ctypes.string_at(text + line.length, 1) == b"\0"
            lines.append(None if line.too_long else ctypes.string_at(text, line.length))
            core.ic_input_clear(ctypes.byref(line))
        assert line.length <= COMMAND_MAX
    assert (holder.before, holder.after) == (GUARD, GUARD)
    return lines


def model_lines(received: bytes) -> list[bytes | None]:
    *complete, _ = re.split(rb"[\r\n]", received)
    return [line if len(line) <= COMMAND_MAX else None for line in complete if line]


pieces = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"\n", b"\r", b"\r\n", b"\0"]),
    st.integers(COMMAND_MAX - 2, COMMAND_MAX + 2).map(lambda size: b"x" * size),
)


@given(received=st.lists(pieces, max_size=12).map(b"".join))
@example(b"\0\n")
@example(b"x" * 400 + b"\n" + b"x" * 401 + b"\r\ninfo\n")
@example(b"x" * 5000 + b"\n")
def test_any_bytes_make_the_lines_that_splitting_makes(core: ctypes.CDLL, received: bytes) -> None:
    assert firmware_lines(core, received) == model_lines(received)


# ---- lines to commands ----


class Parsed(NamedTuple):
    """What came of a line: a code if it was refused, otherwise its id and words."""

    code: str
    id: int
    words: tuple[bytes, ...] = ()


def firmware_parse(core: ctypes.CDLL, text: bytes) -> Parsed:
    core.ic_command_parse.restype = ctypes.c_bool
    holder = guarded()
    ctypes.memmove(ctypes.addressof(holder.input), text + b"\0", len(text) + 1)
    holder.input.length = len(text)
    command, error = Command(), Error()
    good = core.ic_command_parse(ctypes.byref(holder.input), ctypes.byref(command), ctypes.byref(error))
    assert (holder.before, holder.after) == (GUARD, GUARD)
    if not good:
        assert error.text
        return Parsed(error.code.decode(), command.id)
    return Parsed("", command.id, tuple(command.words[i] for i in range(command.word_count)))


def model_parse(text: bytes) -> Parsed:
    if b"*" in text:
        match = re.fullmatch(rb"(.*) \*([0-9a-fA-F]{8})", text, re.DOTALL)
        if not match or int(match[2], 16) != zlib.crc32(match[1]):
            return Parsed("bad-crc", 0)
        text = match[1]
    if re.search(rb"[^ -~\t]", text):
        return Parsed("syntax", 0)
    words = [word for word in re.split(rb"[ \t]+", text) if word]
    if len(words) > WORDS_MAX:
        return Parsed("syntax", 0)
    ids = [word[3:] for word in words if word.startswith(b"id=")]
    if not all(re.fullmatch(rb"[0-9]+", number) and int(number) < 2**32 for number in ids):
        return Parsed("bad-value", 0)
    return Parsed("", int(ids[-1]) if ids else 0, tuple(word for word in words if not word.startswith(b"id=")))


def with_crc(text: bytes) -> bytes:
    return b"%s *%08x" % (text, zlib.crc32(text))


words = st.one_of(
    st.sampled_from([b"run", b"speedup", b"n=1,2", b"id=", b"id=7", b"id=0", b"id=4294967295", b"id=4294967296", b"*"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=8).map(str.encode),
    st.binary(max_size=3),
)
blanks = st.sampled_from([b" ", b"  ", b"\t", b" \t "])
plain_lines = st.lists(st.tuples(words, blanks).map(b"".join), max_size=40).map(b"".join)
lines = st.one_of(
    plain_lines,
    plain_lines.map(with_crc),
    plain_lines.map(lambda line: with_crc(line).upper()),
    st.tuples(plain_lines, st.integers(0, 2**32 - 1)).map(lambda pair: b"%s *%08x" % pair),
    st.binary(max_size=COMMAND_MAX),
)


@given(line=lines)
@example(with_crc(b""))
@example(b" *0000000g")
@example(b"*")
@example(b"info *" + b"0" * 9)
@example(with_crc(b"info\0id=3"))
@example(b"a " * 32)
@example(b"a " * 33)
@example(b"id=3 " * 32 + b"x")
@example(b"x" * 400)
def test_a_line_is_read_as_the_model_reads_it(core: ctypes.CDLL, line: bytes) -> None:
    assume(len(line) <= COMMAND_MAX and b"\n" not in line and b"\r" not in line)
    parsed = firmware_parse(core, line)
    if parsed.code == "bad-value":  # what is reported of a bad id is the next test's subject
        parsed = parsed._replace(id=0)
    assert parsed == model_parse(line)


def test_an_id_that_cannot_be_read_is_0(core: ctypes.CDLL) -> None:
    assert firmware_parse(core, b"info id=12x") == Parsed("bad-value", 0)


@given(line=plain_lines, position=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_bit_error_under_a_crc_is_never_carried_out(core: ctypes.CDLL, line: bytes, position: int, bit: int) -> None:
    assume(b"*" not in line)
    damaged = bytearray(with_crc(line))
    damaged[position % len(damaged)] ^= 1 << bit
    parsed = firmware_parse(core, bytes(damaged[:COMMAND_MAX])) if len(damaged) <= COMMAND_MAX else None
    # A digit of the CRC may change its case only, and a star that is gone leaves a line that claims no CRC.
    if parsed is not None and b"*" in damaged and bytes(damaged).lower() != with_crc(line).lower():
        assert parsed.code == "bad-crc"


def test_a_line_that_was_too_long_is_refused_whole(core: ctypes.CDLL) -> None:
    line, command, error = Input(b"info", 4, True), Command(), Error()
    core.ic_command_parse.restype = ctypes.c_bool
    assert not core.ic_command_parse(ctypes.byref(line), ctypes.byref(command), ctypes.byref(error))
    assert (error.code, command.id, command.word_count) == (b"too-long", 0, 0)
