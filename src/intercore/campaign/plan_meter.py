"""The energy keys of a target in a plan file: a meter, its path, or the currents of a simulated chip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec

from intercore.energy import currents_file
from intercore.errors import UsageError, unknown
from intercore.meter.registry import checked
from intercore.record.meter_recording import Besides

if TYPE_CHECKING:
    from intercore.campaign.plan_file import TargetEntry
    from intercore.campaign.toml_table import TomlTable
    from intercore.record.origin import Origin
    from intercore.target.targets import Target

METER_KEYS = ("meter", "path", "currents")
_AFTERWARDS = ("csv",)
"""Kinds of meters that are read once for a whole run."""


def besides_of(text: str | None, option: str) -> tuple[Besides, ...]:
    """Parse the loads in a meter's path, separated by commas. Raises UsageError that names the option, if unknown."""
    known: tuple[Besides, ...] = get_args(Besides)
    found: list[Besides] = []
    for word in text.split(",") if text else ():
        match = next((one for one in known if one == word.strip()), None)
        if match is None:
            raise UsageError(f"{option}: {unknown('part', word, known)}")
        found.append(match)
    return tuple(dict.fromkeys(found))


def check_meter(meter: str | None, currents: Path | None, *, origin: Origin) -> None:
    """Raise UsageError for an impossible meter, and for a target on which energy means nothing."""
    if meter is not None:
        checked(meter)
        if origin == "simulated":
            raise UsageError(
                "a simulated chip has no current to measure: omit the meter; for an ESTIMATED energy, give a file of "
                "currents"
            )
        if origin == "emulated":
            raise UsageError("an emulated chip has no current to measure, and its times mean nothing: omit the meter")
    if currents is not None and origin != "simulated":
        raise UsageError("currents apply only to a simulated chip: on other targets, use a meter")


def with_meter(entry: TargetEntry, table: TomlTable, target: Target) -> TargetEntry:
    """Return the entry with its meter. Raises UsageError, with the line, for an impossible one."""
    meter, path, currents = (table.string(key) for key in METER_KEYS)
    file = None if currents is None else _beside(table.name, currents)
    given = next((key for key in METER_KEYS if key in table.values), "name")
    try:
        check_meter(meter, file, origin="emulated" if entry.emulated else target.origin)
        scheme = None if meter is None else checked(meter)[0].scheme
        besides = besides_of(path, "path")
        known = None if file is None else currents_file.read(file)
    except UsageError as error:
        table.refuse(str(error), given)
    if scheme in _AFTERWARDS:
        table.refuse(
            f"a plan file does not support {meter}, which is read after the whole run: use intercore run instead",
            "meter",
        )
    if path is not None and meter is None:
        table.refuse("path states what the meter feeds, but there is no meter: add meter, or remove path", "path")
    return msgspec.structs.replace(entry, meter=meter, besides=besides, currents=known)


def _beside(plan: str, file: str) -> Path:
    """Return a file that a plan names: relative to the plan's folder, or else to the current folder."""
    there = Path(plan).parent / file
    return there if there.exists() else Path(file)
