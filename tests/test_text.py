"""Text as it is shown: what of unknown origin is made fit for it, and how parts are joined."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercore.text import MOST_SHOWN, escaped, listed, printable, shortened

DANGEROUS = {
    "escape sequence": "\x1b[2J",
    "C1 control sequence introducer": "\x9b31m",
    "bell": "\x07",
    "carriage return": "\r",
    "delete": "\x7f",
    "right-to-left override": "\u202e",
    "right-to-left isolate": "\u2067",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "Arabic letter mark": "\u061c",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte-order mark": "\ufeff",
    "soft hyphen": "\xad",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "tag": "\U000e0041",
    "half of a pair": "\udc80",
}


@pytest.mark.parametrize("what", DANGEROUS)
def test_what_could_take_over_a_terminal_or_deceive_its_reader_is_replaced(what: str) -> None:
    shown = printable(f"a{DANGEROUS[what]}b")
    assert shown.startswith("a\N{REPLACEMENT CHARACTER}")
    assert shown.endswith("b")
    assert DANGEROUS[what][0] not in shown


def test_no_character_of_the_categories_of_controls_is_forgotten() -> None:
    every = "".join(map(chr, (*range(0x20000), *range(0xE0000, 0xE1000))))  # between them are ideographs alone
    left = [one for one in printable(every) if unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert left == ["\n"]


@pytest.mark.parametrize(
    "text", ["", "plain", "12\N{NO-BREAK SPACE}µs ± 3 %", "−1…2", "two\nlines", "Überlänge", "多核"]
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(st.text(st.characters(codec="utf-8"), max_size=40))
@example("\x7f\x9b\u202e\U000e0041")
def test_escaped_json_says_the_same(text: str) -> None:
    document = escaped(json.dumps([text], ensure_ascii=False))
    assert json.loads(document) == [text]
    assert printable(document) == document


@pytest.mark.parametrize("length", [0, 1, MOST_SHOWN, MOST_SHOWN + 1, 10**6])
def test_a_shortened_text_fits_a_screen_and_has_both_its_ends(length: int) -> None:
    text = "b" + "x" * length + "e"
    short = shortened(text)
    assert len(short) <= MOST_SHOWN + 3
    assert (short[0], short[-1]) == ("b", "e")


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_parts_are_joined_as_a_sentence_names_them(parts: list[str], text: str) -> None:
    assert listed(parts) == text
