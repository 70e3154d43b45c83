"""Two profiles in files, for the command `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from intercore.errors import UsageError
from intercore.profile.comparison import compared
from intercore.profile.comparison_report import rows, section, warnings
from intercore.profile.profile_file import is_profile, read
from intercore.terminal.findings import OfSection

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIDES = 2


def are_profiles(names: Sequence[str]) -> bool:
    """Whether names are those of profiles. UsageError if some are and others are not, or if they are not two."""
    found = [name for name in names if is_profile(Path(name))]
    if not found:
        return False
    others = [name for name in names if name not in found]
    if others:
        raise UsageError(
            f"{found[0]} is a profile and {others[0]} is none: a profile can only be compared with another profile"
        )
    if len(names) != _SIDES:
        raise UsageError(f"give exactly two profiles, not {len(names)}, e.g. intercore compare before.json after.json")
    return True


def compared_profiles(names: Sequence[str], *, in_full: bool) -> OfSection:
    """Return what is to be shown of two profiles."""
    first, second = names
    found = compared((first, second), read(Path(first)), read(Path(second)))
    return OfSection(found, rows(found), section(found, in_full=in_full), list(warnings(found)), answer_first=True)
