"""Files of the kernel with one number or one name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from intercore.meter.meter import MeterError
from intercore.operating_system import why_not_here

if TYPE_CHECKING:
    from intercore.meter.address import Address


def root_of(address: Address, usual: Path) -> Path:
    """Return the folder in which a meter's files are: its option `root`, or the usual one, which only Linux has."""
    if "root" in address.options:
        return Path(address.options["root"])
    if (why := why_not_here(f"the meter {address.text}", "intercore meters lists the others")) is not None:
        raise MeterError(why)
    return usual


def number_in(path: Path) -> float:
    """Return the number in a file. Raises MeterError if it cannot be read, or is not a number."""
    try:
        text = path.read_text("ascii").strip()
    except PermissionError:
        raise MeterError(f"{path} is readable by root only. To permit reading: sudo chmod a+r {path}") from None
    except FileNotFoundError:
        raise MeterError(f"{path} no longer exists: check that the meter is connected") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise MeterError(f"{path} cannot be read: {why}") from None
    try:
        return float(text)
    except ValueError:
        raise MeterError(f"{path} contains {text[:40]!a}, which is not a number") from None


def first_line(path: Path) -> str:
    """Return the first line of a file; empty if it cannot be read."""
    try:
        return (path.read_text("utf-8", "replace").splitlines() or [""])[0].strip()
    except OSError:
        return ""
