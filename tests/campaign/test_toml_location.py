"""Where something stands in a TOML text."""

from __future__ import annotations

import json
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.campaign.toml_location import line_of

KEYS = st.text("abc", min_size=1, max_size=3)
VALUES = (
    st.integers()
    | st.text('ab"\\#\n', max_size=5)
    | st.lists(st.integers(), max_size=4)
    | st.dictionaries(KEYS, st.integers())
)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[\n" + "".join(f"  {toml(one)}, # and on\n" for one in value) + "]"
    return json.dumps(value).replace("\x7f", "\\u007f")


@settings(max_examples=30)
@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), min_size=1, max_size=3))
def test_the_line_of_everything_in_a_file_is_found(tables: list[dict[str, object]]) -> None:
    text, where = "# top\n", {}
    for at, table in enumerate(tables):
        where["t", at] = text.count("\n") + 2
        text += "\n[[t]]\n"
        for key, value in table.items():
            line = text.count("\n") + 1
            where["t", at, key] = line
            if isinstance(value, list):
                where |= {("t", at, key, index): line + 1 + index for index in range(len(value))}
            text += f"{key} = {toml(value)}\n"
    assert tomllib.loads(text) == {"t": tables}
    assert {path: line_of(text, path) for path in where} == where
