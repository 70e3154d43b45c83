"""The firmware's structures for ctypes. `matches` tells whether they still are what the C headers say."""

from __future__ import annotations

import ctypes

COMMAND_MAX = 400
WORDS_MAX = 32
LINE_MAX = 480
TEXT_MAX = 120
LEVELS_MAX = 16
PARAMETERS_MAX = 16
SERIES_MAX = 11 * 2 + 8  # eleven times PORT_CORES_MAX of the test port, and eight
PLAIN = 2**32 - 1
"""The index of a series that has none."""


class Input(ctypes.Structure):
    """struct ic_input."""

    _fields_ = (
        ("text", ctypes.c_char * (COMMAND_MAX + 1)),
        ("length", ctypes.c_size_t),
        ("too_long", ctypes.c_bool),
    )


class Command(ctypes.Structure):
    """struct ic_command."""

    _fields_ = (
        ("id", ctypes.c_uint32),
        ("word_count", ctypes.c_size_t),
        ("words", ctypes.c_char_p * WORDS_MAX),
    )


class Error(ctypes.Structure):
    """struct ic_error."""

    _fields_ = (("code", ctypes.c_char_p), ("text", ctypes.c_char * 200))


class Line(ctypes.Structure):
    """struct ic_line."""

    _fields_ = (
        ("text", ctypes.c_char * (LINE_MAX + 2)),
        ("length", ctypes.c_size_t),
        ("overflow", ctypes.c_bool),
        ("separator", ctypes.c_bool),
    )


class Told(ctypes.Structure):
    """struct ic_text."""

    _fields_ = (("text", ctypes.c_char * (TEXT_MAX + 1)), ("length", ctypes.c_size_t))


class Series(ctypes.Structure):
    """struct ic_series."""

    _fields_ = (
        ("name", ctypes.c_char * 24),
        ("clock", ctypes.c_int),
        ("unit", ctypes.c_int),
        ("ticks", ctypes.POINTER(ctypes.c_int64)),
        ("count", ctypes.c_uint32),
        ("capacity", ctypes.c_uint32),
    )


class Settings(ctypes.Structure):
    """struct ic_settings."""

    _fields_ = (
        ("benchmark", ctypes.c_void_p),
        ("levels", (ctypes.c_uint32 * LEVELS_MAX) * PARAMETERS_MAX),
        ("level_count", ctypes.c_uint32 * PARAMETERS_MAX),
        ("position", ctypes.c_uint32 * PARAMETERS_MAX),
    )


class Workload(ctypes.Structure):
    """struct ic_workload."""

    _fields_ = (
        ("prepare", ctypes.CFUNCTYPE(None)),
        ("work", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)),
        ("expected", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)),
    )


STRUCTURES = {
    "input": Input,
    "command": Command,
    "error": Error,
    "line": Line,
    "text": Told,
    "series": Series,
    "settings": Settings,
    "workload": Workload,
}


def matches(library: ctypes.CDLL) -> bool:
    """Whether every structure here is as large as the compiler's."""
    return all(
        ctypes.c_size_t.in_dll(library, f"seen_size_of_{name}").value == ctypes.sizeof(structure)
        for name, structure in STRUCTURES.items()
    )
