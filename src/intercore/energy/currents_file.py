"""Reads the file of `--currents`: a chip's currents with both cores at work, with one, and asleep."""

from __future__ import annotations

import math
import tomllib
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.errors import UsageError
from intercore.files import bounds
from intercore.record.meter_recording import Currents

if TYPE_CHECKING:
    from pathlib import Path

_Current = Annotated[float, Meta(ge=0, le=100_000)]


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ma: _Current = 0.0
    ma_per_mhz: _Current = 0.0

    def __post_init__(self) -> None:
        if self.ma == 0 and self.ma_per_mhz == 0:
            raise ValueError("each state needs ma, ma_per_mhz or both")
        if not (math.isfinite(self.ma) and math.isfinite(self.ma_per_mhz)):
            raise ValueError("a current must be finite")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1)]
    volts: Annotated[float, Meta(gt=0, le=1000)]
    both: _State
    one: _State
    asleep: _State
    source: Annotated[str, Meta(min_length=1)]
    leaves_out: str = ""


def read(path: Path) -> Currents:
    """Read a file of currents. Raises UsageError, with the error and its place, if it is invalid."""
    try:
        found = msgspec.convert(bounds.toml(bounds.contents(path, bounds.CURRENTS).decode("utf-8-sig")), _File)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise UsageError(f"{path} is not a file of currents: {error}; docs/energy.md has an example") from None
    except ValueError as error:
        raise UsageError(f"{path} is not a file of currents: {error}") from None
    both, one, asleep = ((each.ma, each.ma_per_mhz) for each in (found.both, found.one, found.asleep))
    return Currents(found.name, found.volts, both, one, asleep, found.source, found.leaves_out)
