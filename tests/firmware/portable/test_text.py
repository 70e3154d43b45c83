"""A line of text: columns end where they should, and what does not fit is cut off."""

from __future__ import annotations

import ctypes

from hypothesis import example, given
from hypothesis import strategies as st

from tests.firmware.portable.layout import TEXT_MAX, Told

GUARD = b"\xa5" * 64


class GuardedText(ctypes.Structure):
    """An ic_text between bytes that must not change."""

    _fields_ = (("before", ctypes.c_char * 64), ("line", Told), ("after", ctypes.c_char * 64))


Item = tuple[int | None, str | int]
"""The column that it ends in front of, if any, and text or a number."""

items = st.tuples(
    st.one_of(st.none(), st.integers(0, 2 * TEXT_MAX)),
    st.one_of(st.text("abcdef ,()", max_size=TEXT_MAX + 9), st.integers(0, 2**64 - 1)),
)


def firmware_text(core: ctypes.CDLL, wanted: list[Item]) -> str:
    holder = GuardedText(GUARD, Told(), GUARD)
    at = ctypes.byref(holder.line)
    for column, what in wanted:
        where = () if column is None else (ctypes.c_size_t(column),)
        if isinstance(what, int):
            function = core.ic_text_number if column is None else core.ic_text_number_right
            function(at, *where, ctypes.c_uint64(what))
        else:
            function = core.ic_text_add if column is None else core.ic_text_add_right
            function(at, *where, what.encode())
    assert (holder.before, holder.after) == (GUARD, GUARD)
    assert holder.line.length == len(holder.line.text)
    return bytes(holder.line.text).decode()


@given(wanted=st.lists(items, max_size=12))
@example(wanted=[(None, 2**64 - 1), (None, 0)])
@example(wanted=[(None, "task0"), (12, 59), (12, 30)])
@example(wanted=[(None, "x" * TEXT_MAX), (TEXT_MAX, 1)])
def test_what_is_added_stands_in_its_place(core: ctypes.CDLL, wanted: list[Item]) -> None:
    expected = ""
    for column, what in wanted:
        if column is not None:
            expected += " " if expected else ""
            expected += " " * (min(column, TEXT_MAX + len(str(what))) - len(expected) - len(str(what)))
        expected += str(what)
    assert firmware_text(core, wanted) == expected[:TEXT_MAX]


def test_a_row_reads_as_a_row_of_a_table(core: ctypes.CDLL) -> None:
    assert firmware_text(core, [(None, "task0, main"), (20, 59), (26, "none")]) == "task0, main       59  none"
