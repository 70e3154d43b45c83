"""Levels as words."""

from __future__ import annotations

import pytest

from intercore.errors import UsageError
from intercore.record.level_words import parse_levels


def test_a_word_names_a_factor_and_its_levels() -> None:
    assert parse_levels(["n=1000,10000", "mode=pool"]) == {"n": ["1000", "10000"], "mode": ["pool"]}


@pytest.mark.parametrize("word", ["", "n", "=1", "n=", "n=1,", "n=,1"])
def test_what_is_no_such_word_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="write name=value or name=value,value"):
        parse_levels([word])


def test_a_factor_is_named_once() -> None:
    with pytest.raises(UsageError, match="the factor n is given twice: put all its levels in one list"):
        parse_levels(["n=1", "n=2"])
