from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from intercore.link.lines import LineReader
from intercore.link.protocol import MAX_LINE

if TYPE_CHECKING:
    from random import Random


PIECES = st.lists(
    st.sampled_from([b"\r\n", b"\n", b"\r", b"x", b"y" * (MAX_LINE - 1), b"z" * MAX_LINE, b"w" * 5000]) | st.binary()
)


@given(PIECES, st.randoms(use_true_random=False))
def test_lines_are_the_same_however_the_bytes_are_chunked(pieces: list[bytes], cuts: Random) -> None:
    data = b"".join(pieces)
    whole = LineReader().feed(data)
    reader, lines, rest = LineReader(), [], data
    while rest:
        size = cuts.randint(1, 700)
        lines += reader.feed(rest[:size])
        rest = rest[size:]
    assert lines == whole
    assert all(0 < len(line) <= MAX_LINE + 1 for line in lines)


@given(PIECES)
def test_a_line_reader_keeps_no_more_than_a_line(pieces: list[bytes]) -> None:
    reader = LineReader()
    for piece in pieces:
        reader.feed(piece)
        assert len(reader._rest) <= MAX_LINE + 1
