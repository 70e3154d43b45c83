"""From the words of a `run` command to the grid of settings."""

from __future__ import annotations

import ctypes
import itertools
import re

from hypothesis import example, given
from hypothesis import strategies as st

from tests.firmware.portable.conftest import SAMPLES_CAPACITY
from tests.firmware.portable.layout import LEVELS_MAX, PARAMETERS_MAX, Error, Settings

COLOURS = ("red", "green", "blue")
INTEGERS = {
    "n": (1, 10**9, 1000),
    "cores": (1, 2, 2),
    "samples": (1, SAMPLES_CAPACITY - 2 * 32, 3),  # two cores look 32 times each
    "dither_us": (0, 10**6, 1000),
    "rest_ms": (0, 60000, 0),
    "seed": (0, 2**32 - 1, 1),
}
"""Smallest, largest and default value, as test_port.c and core/benchmark.c declare them."""
NAMES = ("n", "colour", "cores", "samples", "dither_us", "rest_ms", "seed")
DEFAULTS = {name: 1 if name == "colour" else INTEGERS[name][2] for name in NAMES}


def firmware_grid(core: ctypes.CDLL, words: list[str], most: int) -> list[tuple[int, ...]] | str:
    """Return up to `most` settings in their order, or the code of the error."""
    core.ic_settings_parse.restype = ctypes.c_bool
    core.ic_settings_next.restype = ctypes.c_bool
    core.ic_settings_value.restype = ctypes.c_uint32
    buffers = [ctypes.create_string_buffer(word.encode()) for word in words]
    pointers = (ctypes.c_char_p * (len(words) + 1))(*(ctypes.addressof(buffer) for buffer in buffers))
    settings, error = Settings(), Error()
    count = ctypes.c_size_t(len(words))
    if not core.ic_settings_parse(ctypes.byref(settings), pointers, count, ctypes.byref(error)):
        assert error.text
        return str(error.code.decode())
    grid = []
    while len(grid) < most:
        grid.append(
            tuple(core.ic_settings_value(ctypes.byref(settings), ctypes.c_size_t(i)) for i in range(len(NAMES)))
        )
        assert all(settings.levels[i][0] == 0 for i in range(len(NAMES), PARAMETERS_MAX))
        if not core.ic_settings_next(ctypes.byref(settings)):
            break
    return grid


def model_value(name: str, text: str) -> int | str:
    if name == "colour":
        return COLOURS.index(text) if text in COLOURS else "bad-value"
    if not re.fullmatch(r"[0-9]+", text) or int(text) >= 2**32:
        return "bad-value"
    low, high, _ = INTEGERS[name]
    return int(text) if low <= int(text) <= high else "out-of-range"


def model_levels(word: str) -> tuple[str, list[int]] | str:
    name, equals, text = word.partition("=")
    if not equals:
        return "syntax"
    if name not in NAMES:
        return "unknown-parameter"
    values = [model_value(name, value) for value in text.split(",")]
    for value in values[:LEVELS_MAX]:
        if isinstance(value, str):
            return value
    if len(values) > LEVELS_MAX:
        return "bad-value"
    return name, [value for value in values if isinstance(value, int)]


def model_grid(words: list[str], most: int) -> list[tuple[int, ...]] | str:
    if words[:1] != ["trial"]:
        return "unknown-benchmark" if words else "syntax"
    levels = {name: [value] for name, value in DEFAULTS.items()}
    for word in words[1:]:
        read = model_levels(word)
        if isinstance(read, str):
            return read
        levels[read[0]] = read[1]
    # The first parameter changes fastest.
    grid = itertools.product(*(levels[name] for name in reversed(NAMES)))
    return [setting[::-1] for setting in itertools.islice(grid, most)]


def assignment(name: str) -> st.SearchStrategy[str]:
    if name == "colour":
        value: st.SearchStrategy[str] = st.sampled_from(COLOURS)
    else:
        low, high, _ = INTEGERS[name]
        value = st.one_of(st.integers(low, high), st.sampled_from([low, high])).map(str)
    return st.lists(value, min_size=1, max_size=4).map(lambda values: f"{name}=" + ",".join(values))


good_words = st.lists(st.sampled_from(NAMES).flatmap(assignment), max_size=8)
odd_words = st.one_of(
    st.text("abcn=,0123456789", max_size=12),
    st.tuples(st.sampled_from(NAMES), st.text("0123456789,-x", max_size=12)).map("=".join),
    st.just("n=" + ",".join(["1"] * (LEVELS_MAX + 1))),
    st.just("n=" + ",".join(["1"] * LEVELS_MAX)),
)


@given(words=good_words)
def test_the_grid_is_the_product_of_the_levels(core: ctypes.CDLL, words: list[str]) -> None:
    grid = firmware_grid(core, ["trial", *words], 300)
    assert isinstance(grid, list)
    assert grid == model_grid(["trial", *words], 300)


@given(words=st.lists(st.one_of(odd_words, st.sampled_from(NAMES).flatmap(assignment)), max_size=5))
@example(["n=1", "n=2,3"])
@example(["n=1,2,3", "n=2"])
@example(["n=1,2,"])
@example(["=1"])
@example(["n=1=2"])
@example(["n=" + ",".join(["1"] * 17)])
@example(["n=" + ",".join(["1"] * 16 + ["x"])])
def test_words_are_refused_as_the_model_refuses_them(core: ctypes.CDLL, words: list[str]) -> None:
    assert firmware_grid(core, ["trial", *words], 50) == model_grid(["trial", *words], 50)


@given(name=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=100))
def test_an_unknown_benchmark_is_refused(core: ctypes.CDLL, name: str) -> None:
    if name != "trial":
        assert firmware_grid(core, [name], 1) == "unknown-benchmark"


def test_no_benchmark_is_refused(core: ctypes.CDLL) -> None:
    assert firmware_grid(core, [], 1) == "syntax"
