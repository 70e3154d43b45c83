"""Files exported by a meter's software (`csv:FILE`): columns by name or number, with or without the mark pin.

Columns whose names have units are found automatically: `Timestamp(ms)`, `Current(uA)` and `D0` to `D7`
of Nordic's Power Profiler, `#time (s),current (A),voltage (V)` of Joulescope's, `Time,DCI (A)` of multimeters'.
"""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from intercore.errors import UsageError, unknown
from intercore.files import bounds
from intercore.meter.meter import Driver, Meter, MeterData, MeterError
from intercore.record.meter_recording import Trace
from intercore.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.meter.address import Address
    from intercore.record.meter_recording import Window

_LOOKED_AT = 1 << 16
"""Bytes at the beginning that must contain the header."""
_HEADER_LINES = 40
_PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "": 1.0}
_QUANTITIES = {
    "time": (re.compile(r"time|seconds|\bt\b|elapsed", re.IGNORECASE), "s"),
    "current": (re.compile(r"current|amps|\bdci\b|\bi\b|\bcurr", re.IGNORECASE), "A"),
    "volts": (re.compile(r"voltage|volts|\bdcv\b|\bv\b", re.IGNORECASE), "V"),
    "mark": (re.compile(r"^(d0|mark|gpi\[?0\]?|in0)$", re.IGNORECASE), ""),
}
_UNIT = re.compile(r"[(\[_ ]\s*([nuµμm]?)(s|sec|seconds|A|amps|V|volts)\s*[)\]]?\s*$")


class CsvMeter(Meter):
    """Reads the file after the run, when it must exist."""

    afterwards = True

    def __init__(self, address: Address) -> None:
        """Use the file of an address. Raises UsageError if it names none."""
        if not address.place:
            raise UsageError(f"{address.text}: the file is missing: name it after the colon, e.g. csv:current.csv")
        self._address = address
        self._path = Path(address.place)
        self._stated = address.number("volts", high=1000) if _is_number(address.options.get("volts")) else None
        self.description = f"{self._path.name}, as exported"

    def begin(self) -> None:
        """See Meter."""

    def end(self, windows: Sequence[Window]) -> MeterData:  # noqa: ARG002 - all that is in it
        """See Meter."""
        return MeterData(read(self._path, self._address, self._stated))

    def close(self) -> None:
        """See Meter."""


def read(path: Path, address: Address, stated: float | None) -> Trace:
    """Read a file. Raises UsageError for columns that it does not have, MeterError for other errors."""
    try:
        with bounds.opened(path) as plain, io.TextIOWrapper(plain, "utf-8-sig", "replace") as file:
            if path.stat().st_size > bounds.CAPTURE.most:
                raise MeterError(f"{path} is larger than {bounds.CAPTURE}: export only the part with the run")
            beginning = file.read(_LOOKED_AT)
            layout = _Layout.of(path, beginning, address)
            file.seek(0)
            columns = layout.columns(file, beginning, with_volts=stated is None)
    except OSError as error:
        raise MeterError(f"cannot read {path}: {error.strerror or error}") from None
    seconds = columns["time"]
    if len(seconds) < 2:
        raise MeterError(f"{path} has {plural(len(seconds), 'sample')}, but at least two are needed")
    back = np.flatnonzero(np.diff(seconds) <= 0)
    if len(back):
        raise MeterError(
            f"{path}: time does not increase between samples {back[0] + 1} and {back[0] + 2}: export the file again"
        )
    amps = columns["current"]
    volts = np.full(len(amps), stated) if stated is not None else columns.get("volts")
    if volts is None:
        raise UsageError(f"{address.text}: {path.name} has no voltage: add the voltage to the address, e.g. volts=3.3")
    mark = columns.get("mark")
    # A sample of an averaging program covers the time up to the next one, so its middle is half of that later.
    middle = float(np.median(np.diff(seconds))) / 2
    return Trace(seconds - seconds[0] + middle, amps, volts, None, None if mark is None else mark > 0.5)


class _Layout:
    """The layout of a file: its header, its separator, and the scale of each column."""

    def __init__(
        self, path: Path, first: int, parting: str, decimal: str, places: dict[str, tuple[int, float]]
    ) -> None:
        self._path, self._first, self._parting, self._decimal, self._places = path, first, parting, decimal, places

    @classmethod
    def of(cls, path: Path, beginning: str, address: Address) -> _Layout:
        lines = beginning.splitlines()
        parting = _parting(lines)
        decimal = "," if parting != "," and any(re.search(r"\d,\d", line) for line in lines) else "."
        rows = [next(csv.reader([line], delimiter=parting), []) for line in lines]
        first = next((at for at, row in enumerate(rows[:_HEADER_LINES]) if _is_data(row, decimal)), None)
        if first is None:
            raise MeterError(
                f"{path}: there is no row of numbers in the first {_HEADER_LINES} lines: check that the file is CSV"
            )
        header = [cell.strip().lstrip("#").strip() for cell in rows[first - 1]] if first else []
        if len(header) != len(rows[first]):
            header = [str(number) for number in range(1, len(rows[first]) + 1)]
        places = {}
        for quantity in _QUANTITIES:
            place = _place(quantity, header, address, path)
            if place is not None:
                places[quantity] = place, _scale(quantity, header[place], address)
        for needed in ("time", "current"):
            if needed not in places:
                raise UsageError(
                    f"{address.text}: no column can be identified as the {needed}: name the column by {needed}=…, one "
                    f"of {', '.join(header)}"
                )
        return cls(path, first, parting, decimal, places)

    def columns(self, file: IO[str], beginning: str, *, with_volts: bool) -> dict[str, NDArray[np.float64]]:
        wanted = {name: place for name, place in self._places.items() if name != "volts" or with_volts}
        order = list(wanted)
        converters: dict[int | str, Callable[[str], Any]] = {}
        if self._has_dates(beginning.replace(",", ".") if self._decimal == "," else beginning):
            converters[wanted["time"][0]] = _seconds
        try:
            table = np.loadtxt(
                self._lines(file),
                np.float64,
                comments=None,
                delimiter=self._parting,
                skiprows=self._first,
                usecols=[wanted[name][0] for name in order],
                converters=converters,
                quotechar='"',
                ndmin=2,
            )
        except ValueError as error:
            raise MeterError(f"{self._path}: {_in_words(str(error))}") from None
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise MeterError(f"{self._path}:{self._first + row + 1}: a value in this line is not a finite number")
        return {name: table[:, at] * wanted[name][1] for at, name in enumerate(order)}

    def _lines(self, file: IO[str]) -> Iterator[str]:
        """Yield the lines; an extremely long line in pieces."""
        for count, line in enumerate(iter(lambda: file.readline(bounds.CAPTURE_LINE.most), "")):
            if count > self._first + bounds.CAPTURE_SAMPLES.most:
                raise MeterError(
                    f"{self._path} has more than {bounds.CAPTURE_SAMPLES}: export only the part with the run"
                )
            yield line.replace(",", ".") if self._decimal == "," else line

    def _has_dates(self, beginning: str) -> bool:
        row = next(csv.reader([beginning.split("\n", self._first + 1)[self._first]], delimiter=self._parting))
        return not _is_number(row[self._places["time"][0]])


def _parting(lines: Sequence[str]) -> str:
    """Return the separator of the columns: the most frequent of the usual ones."""
    counts = {mark: sum(line.count(mark) for line in lines[-10:]) for mark in ("\t", ";", ",")}
    return next((mark for mark in ("\t", ";") if counts[mark]), ",")


def _is_data(row: Sequence[str], decimal: str) -> bool:
    cells = [cell.strip() for cell in row if cell.strip()]
    numbers = sum(_is_number(cell.replace(decimal, ".")) for cell in cells)
    return len(cells) > 1 and (numbers == len(cells) or (numbers == len(cells) - 1 and _is_date(cells[0])))


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text.strip().strip('"')).timestamp()


def _place(quantity: str, header: Sequence[str], address: Address, path: Path) -> int | None:
    """Return the column of a quantity: the one that the user names, or the first with a matching name."""
    given = address.options.get(quantity)
    if given == "none" or (quantity == "volts" and _is_number(given)):
        return None
    if given is not None:
        if given in header:
            return header.index(given)
        if given.isdecimal() and 1 <= int(given) <= len(header):
            return int(given) - 1
        raise UsageError(f"{address.text}: {unknown('column', given, header, f'{path.name} has')}")
    pattern, _ = _QUANTITIES[quantity]
    return next((at for at, name in enumerate(header) if pattern.search(name)), None)


def _scale(quantity: str, name: str, address: Address) -> float:
    """Return the scale of a column: from the user's option, or from the unit in its name."""
    if quantity == "mark":
        return 1.0
    option = f"{quantity}_unit"
    unit = _QUANTITIES[quantity][1]
    given = address.options.get(option)
    if given is not None:
        prefix = given.removesuffix(unit)
        if prefix == given or prefix not in _PREFIXES:
            raise UsageError(f"{address.text}: {option}={given} is not a unit: use {unit}, m{unit}, u{unit} or n{unit}")
        return _PREFIXES[prefix]
    match = _UNIT.search(name)
    return _PREFIXES[match[1]] if match and match[2][0].upper() == unit.upper() else 1.0


def _in_words(error: str) -> str:
    """Return numpy's message about a row in simpler words."""
    return re.sub(r"; use `usecols`.*", "", error.replace("\n", " "))[:200]


def find() -> Iterator[tuple[str, str]]:
    """Find none: files are not connected devices."""
    yield from ()


DRIVER = Driver(
    "csv",
    "a file exported by the meter's software, for a whole run",
    "csv:FILE[?time=COLUMN&current=COLUMN&mark=COLUMN&volts=3.3&current_unit=mA&time_unit=ms]",
    ("time", "current", "volts", "mark", "time_unit", "current_unit", "volts_unit"),
    CsvMeter,
    find,
)
