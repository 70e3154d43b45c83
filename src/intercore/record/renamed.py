"""Names that have changed: rows and lines stored under an old name are read with the current one.

The one table of them. A store and the file of a baseline keep the names that they were written with; the names change
when a row or a line is read, so everything else knows the current ones only.
"""

from __future__ import annotations

_CONDITIONS = {
    f"desk.{name}": f"host.{name}"
    for name in ("faults", "link", "meter", "meter_path", "mistakes", "platform", "python", "rate", "tool")
}


def condition(name: str) -> str:
    """Return the current name of a condition."""
    return _CONDITIONS.get(name, name)


def conditions(stored: dict[str, str]) -> dict[str, str]:
    """Return conditions under their current names, sorted by these, as they are stored."""
    if _CONDITIONS.keys().isdisjoint(stored):
        return stored
    return dict(sorted((condition(name), value) for name, value in stored.items()))
