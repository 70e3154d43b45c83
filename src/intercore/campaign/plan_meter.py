"""What a target of a plan file says of energy: a meter, what is in its path, or the currents of a simulated chip."""

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
"""Kinds of meters that are asked once for a whole run."""


def besides_of(text: str | None) -> tuple[Besides, ...]:
    """Return what a user says of a meter's path, parted by commas; UsageError for what is not on the list."""
    known: tuple[Besides, ...] = get_args(Besides)
    found: list[Besides] = []
    for word in text.split(",") if text else ():
        match = next((one for one in known if one == word.strip()), None)
        if match is None:
            raise UsageError(f"path: {unknown('part of a measured path', word, known)}")
        found.append(match)
    return tuple(dict.fromkeys(found))


def check_meter(meter: str | None, currents: Path | None, *, origin: Origin) -> None:
    """Raise UsageError for a meter that there cannot be, and where energy means nothing."""
    if meter is not None:
        checked(meter)
        if origin == "simulated":
            raise UsageError(
                "a simulated chip has no current: leave the meter out; a file of currents makes an ESTIMATE"
            )
        if origin == "emulated":
            raise UsageError("an emulated chip has no current, and its times mean nothing: leave the meter out")
    if currents is not None and origin != "simulated":
        raise UsageError("currents are for a simulated chip; on another target a meter measures")


def with_meter(entry: TargetEntry, table: TomlTable, target: Target) -> TargetEntry:
    """Return the entry with its meter. UsageError, with the line, for one that cannot be."""
    meter, path, currents = (table.string(key) for key in METER_KEYS)
    file = None if currents is None else _beside(table.name, currents)
    given = next((key for key in METER_KEYS if key in table.values), "name")
    try:
        check_meter(meter, file, origin="emulated" if entry.emulated else target.origin)
        scheme = None if meter is None else checked(meter)[0].scheme
        besides = besides_of(path)
        known = None if file is None else currents_file.read(file)
    except UsageError as error:
        table.refuse(str(error), given)
    if scheme in _AFTERWARDS:
        table.refuse(f"{meter} is read when all is measured: measure by intercore run", "meter")
    if path is not None and meter is None:
        table.refuse("path says what the path of a meter holds: name one by meter", "path")
    return msgspec.structs.replace(entry, meter=meter, besides=besides, currents=known)


def _beside(plan: str, file: str) -> Path:
    """Return a file that a plan names: from the plan's own folder, as a plan is carried about with it, or from here."""
    there = Path(plan).parent / file
    return there if there.exists() else Path(file)
