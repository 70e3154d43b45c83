"""The file of a profile: what `intercore profile --format json` prints, to be compared with another one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import IntercoreError, UsageError
from intercore.files import bounds
from intercore.profile.summary import SCHEMA, ProfileAnalysis

if TYPE_CHECKING:
    from pathlib import Path

_BEGINNING = re.compile(rb'\s*\{\s*"kind"\s*:\s*"intercore profile"')
_WITHOUT_TIME = re.compile(rb'\s*\{\s*"kind"\s*:\s*"intercore instructions"')
_AGAIN = "make it again: intercore profile app.elf --format json > app.json"


class _Head(msgspec.Struct):
    schema: int


def is_profile(path: Path) -> bool:
    """Whether a file is that of a profile. Raises UsageError if it is one of a chip without time."""
    try:
        with bounds.opened(path) as file:
            beginning = file.read(256)
    except (OSError, ValueError):
        return False
    _check_time(path, beginning)
    return _BEGINNING.match(beginning) is not None


def _check_time(path: Path, beginning: bytes) -> None:
    if _WITHOUT_TIME.match(beginning):
        raise UsageError(
            f"{path} has the instructions of a chip that is simulated without time, and only cycles are compared: "
            "profile the same benchmark on pico-sim, or compare the instructions of two files made with --format csv"
        )


def read(path: Path) -> ProfileAnalysis:
    """Read the file of a profile. Raises IntercoreError if it cannot be read, UsageError if it is damaged."""
    try:
        data = bounds.contents(path, bounds.PROFILE)
    except OSError as error:
        raise IntercoreError(f"cannot read {path}: {error.strerror or error}") from error
    _check_time(path, data[:256])
    if _BEGINNING.match(data[:256]) is None:
        raise UsageError(f"{path} is not a profile: make one: intercore profile app.elf --format json > app.json")
    try:
        schema = msgspec.json.decode(data, type=_Head).schema
        if schema != SCHEMA:
            raise UsageError(f"{path} was written by another version of Intercore (its schema is {schema}): {_AGAIN}")
        return msgspec.json.decode(data, type=ProfileAnalysis)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is damaged ({error}): {_AGAIN}") from error
