"""A plan file: targets, benchmarks and levels as TOML, read and checked as far as that goes without a target.

docs/sweep.md describes it. Whatever is wrong is a UsageError that begins with the file and the line.
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from intercore.board.boards import Flashing
from intercore.campaign import stop_rule
from intercore.errors import UsageError, unknown
from intercore.record.measurement import Level, StopRule
from intercore.record.plan import MAX_SETTINGS
from intercore.target.targets import DEFAULT_BAUD, Address, Target, UnknownTargetError, check_address, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_LEVELS = 10_000
"""Levels of one factor: more is a range that was mistyped."""
MAX_BYTES = 1 << 20
"""Of a plan file."""
_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CLOSINGS = ("", "\n]", "\n]}", "\n]]", "\n]}]", "\n]}}", "\n]}}]")
"""What may be missing behind a line in the middle of a list, so that what is above can be read."""
_NO_LEVEL = object()

Path_ = tuple[str | int, ...]


class Place(msgspec.Struct, frozen=True):
    """A target of a plan file."""

    name: str
    """As in `intercore list`."""
    port: str | None
    """Device or pyserial URL; None for what runs on this machine."""
    baud: int
    max_baud: int | None
    path: tuple[str | int, ...]
    """Where it stands in the file."""
    flashing: Flashing = Flashing()
    """How it is flashed, if it is a board and experiments name its factors."""
    image: str | None = None
    """The prebuilt image that an emulated chip runs; None if its program is built here."""

    def __str__(self) -> str:
        """Return it in words: `pico at /dev/ttyACM0`."""
        return self.name if self.port is None else f"{self.name} at {self.port}"


class Experiment(msgspec.Struct, frozen=True):
    """A benchmark of a plan file, with the levels of its factors."""

    benchmark: str
    levels: dict[str, list[Level]]
    """As they stand there: what a target makes of them is not known yet."""
    targets: tuple[str, ...] | None
    """Names of the targets that it is for; None for all."""
    fraction: float
    skip_impossible: bool
    skip: tuple[dict[str, Level], ...]
    """Levels of some factors, of which no setting is to have all."""
    path: tuple[str | int, ...]

    def is_for(self, place: Place) -> bool:
        """Whether it is to be measured there."""
        return self.targets is None or place.name in self.targets


class PlanFile(msgspec.Struct, frozen=True):
    """What a plan file says."""

    name: str
    """As the user named it."""
    text: str
    places: tuple[Place, ...]
    experiments: tuple[Experiment, ...]
    repetitions: int
    seed: int
    stop: StopRule | None
    budget: float | None
    """Seconds after which nothing more is begun."""

    def refuse(self, path: tuple[str | int, ...], sentence: str) -> UsageError:
        """Return the error that names the line of what stands at `path`."""
        return UsageError(f"{self.name}:{line_of(self.text, path)}: {sentence}")


def read(path: Path) -> PlanFile:
    """Read a plan file. Raises UsageError for one that cannot be read, or whatever target it is carried out on."""
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError as error:  # a name with a zero byte
        raise UsageError(f"cannot read {name!r}: {error}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is no plan file: it has more than {MAX_BYTES} bytes")
    try:
        return parse(data.decode(), name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: this is not UTF-8 text") from None


def parse(text: str, name: str) -> PlanFile:
    """Return what the text of a plan file says; `name` is that of the file, for errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_syntax(str(error), name, text)) from None
    except RecursionError:
        raise UsageError(f"{name} is no plan file: its lists and tables are nested too deeply") from None
    return _Reader(text, name).plan(data)


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """Return the number, from 1, of the line of a TOML text in which the key or value at `path` stands.

    The path has keys of tables and positions in lists. What is not there counts as being where its table is.
    """
    lines = text.split("\n")
    for kept in range(len(path), 0, -1):
        for count in range(1, len(lines) + 1):
            above = "\n".join(lines[:count])
            if any(_has(above + closing, path[:kept]) for closing in _CLOSINGS):
                return count
    return 1


def _has(text: str, path: Path_) -> bool:
    try:
        found: Any = tomllib.loads(text)
        for step in path:
            found = found[step]
    except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError):
        return False
    return True


def _syntax(sentence: str, name: str, text: str) -> str:
    """Return what a TOML reader complains of with the place in front."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", sentence)
    if found is None:
        return f"{name}: {sentence}"
    line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    return f"{name}:{line}: this is not TOML: {sentence[: found.start()]}"


class _Reader:
    """Reads the parts of one file."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def plan(self, data: Mapping[str, Any]) -> PlanFile:
        known = ("target", "experiment", "repetitions", "seed", "until", "cap", "budget")
        self._check_keys(data, (), known)
        repetitions = self._whole(data, (), "repetitions", 1, 1, 1_000_000)
        places = tuple(self._place(table, path) for table, path in self._tables(data, "target", 'name = "pico-sim"'))
        self._check_distinct(places)
        experiments = tuple(
            self._experiment(table, path, places)
            for table, path in self._tables(data, "experiment", 'benchmark = "speedup"')
        )
        for place in places:
            if not any(one.is_for(place) for one in experiments):
                self._refuse(place.path, f"no experiment is for the target {place}: leave it out, or name it in one")
        return PlanFile(
            self._name,
            self._text,
            places,
            experiments,
            repetitions,
            self._whole(data, (), "seed", 1, 0, 2**32 - 1),
            self._stop(data, repetitions),
            self._budget(data),
        )

    def _refuse(self, path: Path_, sentence: str) -> NoReturn:
        raise UsageError(f"{self._name}:{line_of(self._text, path)}: {sentence}")

    # ---- targets and experiments ----

    def _place(self, table: Mapping[str, Any], path: Path_) -> Place:
        self._check_keys(table, path, ("name", "port", "baud", "max_baud", "probe", "with", "drive", "image"))
        drive = self._text_of(table, path, "drive")
        way = Flashing(
            None if drive is None else Path(drive),
            self._text_of(table, path, "probe"),
            self._text_of(table, path, "with"),
        )
        place = Place(
            self._named(table, path, "name"),
            self._text_of(table, path, "port"),
            self._whole(table, path, "baud", DEFAULT_BAUD, 1, 10**9),
            self._whole(table, path, "max_baud", 0, 1, 10**9) or None,
            path,
            way,
            self._text_of(table, path, "image"),
        )
        try:
            program = None if place.image is None else Path(place.image)
            check_address(find(place.name), Address(place.port, place.baud, program=program))
            self._check_way(find(place.name), way)
        except UnknownTargetError as error:
            self._refuse((*path, "name"), str(error))
        except UsageError as error:
            self._refuse((*path, "port" if "port" in table else "name"), str(error))
        if place.port is None and not find(place.name).built_here:
            self._refuse(path, f'the target {place.name} needs a port, such as port = "/dev/ttyACM0"')
        return place

    def _check_way(self, target: Target, way: Flashing) -> None:
        """Raise UsageError if a target is not flashed so."""
        if target.flashed and target.board is not None:
            target.board.check(way)
        elif way != Flashing():
            raise UsageError(f"probe, with and drive are for boards that are flashed: {target.name} is none")

    def _check_distinct(self, places: Iterable[Place]) -> None:
        seen = set()
        for place in places:
            if (place.name, place.port) in seen:
                self._refuse(place.path, f"the target {place} is there twice")
            seen.add((place.name, place.port))

    def _experiment(self, table: Mapping[str, Any], path: Path_, places: Iterable[Place]) -> Experiment:
        self._check_keys(table, path, ("benchmark", "factors", "targets", "fraction", "skip_impossible", "skip"))
        factors = table.get("factors", {})
        if not isinstance(factors, dict):
            self._refuse((*path, "factors"), "factors is a table of names and levels, such as [experiment.factors]")
        skip = table.get("skip_impossible", False)
        if not isinstance(skip, bool):
            self._refuse((*path, "skip_impossible"), "skip_impossible is true or false")
        levels = {name: self._levels(name, value, (*path, "factors", name)) for name, value in factors.items()}
        settings = math.prod(map(len, levels.values()))
        if settings > MAX_SETTINGS:
            self._refuse(path, f"these are {settings} settings, more than {MAX_SETTINGS}: give fewer levels per factor")
        return Experiment(
            self._named(table, path, "benchmark"),
            levels,
            self._targets(table, path, places),
            self._fraction(table, path),
            skip,
            self._skipped(table, path, levels),
            path,
        )

    def _targets(self, table: Mapping[str, Any], path: Path_, places: Iterable[Place]) -> tuple[str, ...] | None:
        if "targets" not in table:
            return None
        given = table["targets"]
        path = (*path, "targets")
        if not isinstance(given, list) or not given:
            self._refuse(path, 'targets is a list of names of this plan\'s targets, such as ["host"]')
        names = [place.name for place in places]
        for at, name in enumerate(given):
            if name not in names:
                self._refuse((*path, at), unknown("target of this plan", str(name), names))
            if name in given[:at]:
                self._refuse((*path, at), f"{name} is there twice")
        return tuple(given)

    def _skipped(
        self, table: Mapping[str, Any], path: Path_, levels: Mapping[str, Sequence[Level]]
    ) -> tuple[dict[str, Level], ...]:
        given = table.get("skip", [])
        path = (*path, "skip")
        if not isinstance(given, list) or not all(isinstance(one, dict) and one for one in given):
            self._refuse(
                path, "skip is a list of tables of levels, such as [{ from = 0, to = 0 }, { from = 1, to = 1 }]"
            )
        for at, one in enumerate(given):
            for name, level in one.items():
                if name not in levels:
                    self._refuse((*path, at), unknown("factor of this experiment", name, levels))
                if isinstance(level, bool) or level not in levels[name]:
                    known = ", ".join(map(str, levels[name]))
                    self._refuse((*path, at), f"{name}={_shown(level)} is none of the experiment's levels: {known}")
        return tuple(dict(one) for one in given)

    def _fraction(self, table: Mapping[str, Any], path: Path_) -> float:
        given = table.get("fraction", 1.0)
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
            self._refuse((*path, "fraction"), f"fraction={given} is out of range: a number above 0, at most 1")
        return float(given)

    # ---- levels ----

    def _levels(self, name: str, given: object, path: Path_) -> list[Level]:
        if isinstance(given, dict):
            return self._range(name, given, path)
        values = given if isinstance(given, list) else [given]
        if not values:
            self._refuse(path, f"factor {name} has no level: give it at least one value")
        if len(values) > MAX_LEVELS:
            self._refuse(path, f"factor {name} has {len(values)} levels, more than {MAX_LEVELS}")
        levels: dict[str, Level] = {}
        for at, value in enumerate(values):
            here = (*path, at) if isinstance(given, list) else path
            if isinstance(value, bool) or not isinstance(value, int | str):
                self._refuse(here, f"a level of {name} is a whole number, a text or a range, and not {_shown(value)}")
            if not re.fullmatch(r"[!-)+-~]+", str(value)):
                self._refuse(here, f"{name}={value!a} is no level: it is printable ASCII without blanks and stars")
            if str(value) in levels:
                self._refuse(here, f"{name}={value} is given twice: to measure it more often, ask for repetitions")
            levels[str(value)] = value
        return list(levels.values())

    def _range(self, name: str, given: Mapping[str, object], path: Path_) -> list[Level]:
        """Return the levels of `{from = 4, to = 4096, factor = 2}` or `{from = 10, to = 50, step = 10}`."""
        form = f"a range of {name} is {{from = 4, to = 4096, factor = 2}} or {{from = 10, to = 50, step = 10}}"
        for key in given:
            if key not in ("from", "to", "step", "factor"):
                self._refuse((*path, key), f"{form}: there is no {key!a}")
        if "from" not in given or "to" not in given or ("step" in given) == ("factor" in given):
            self._refuse(path, f"{form}: from, to, and one of step and factor")
        whole = {key: self._whole(given, path, key, 0, 0, 2**32 - 1) for key in given}
        low, high = whole["from"], whole["to"]
        if low > high:
            self._refuse(path, f"factor {name} has no level: from {low} to {high}")
        if "step" in whole:
            if whole["step"] < 1:
                self._refuse((*path, "step"), "step is out of range: at least 1")
            levels: Sequence[int] = range(low, high + 1, whole["step"])
        else:
            if whole["factor"] < 2 or low < 1:
                self._refuse(path, f"{form}: factor is at least 2, from at least 1")
            levels = _powers(low, high, whole["factor"])
        if len(levels) > MAX_LEVELS:
            self._refuse(path, f"factor {name} has {len(levels)} levels, more than {MAX_LEVELS}")
        return list(levels)

    # ---- how often, how long ----

    def _stop(self, data: Mapping[str, Any], repetitions: int) -> StopRule | None:
        cap = self._whole(data, (), "cap", 0, 1, 1_000_000) or None
        until = self._text_of(data, (), "until")
        try:
            rule = stop_rule.parse_rule(until, cap, repetitions)
        except UsageError as error:
            self._refuse(("until",) if until is not None else ("cap",), str(error).replace("--", ""))
        if rule is not None and rule.cap < repetitions:
            self._refuse(("cap",), f"cap={rule.cap} is out of range: at least {repetitions}, the repetitions asked for")
        return rule

    def _budget(self, data: Mapping[str, Any]) -> float | None:
        text = self._text_of(data, (), "budget")
        if text is None:
            return None
        try:
            return parse_time(text)
        except UsageError as error:
            self._refuse(("budget",), f"budget: {error}")

    # ---- values ----

    def _check_keys(self, table: Mapping[str, Any], path: Path_, known: Iterable[str]) -> None:
        for key in table:
            if key not in known:
                self._refuse((*path, key), unknown("key", key, known))

    def _tables(self, data: Mapping[str, Any], key: str, example: str) -> list[tuple[Mapping[str, Any], Path_]]:
        tables = data.get(key)
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            self._refuse((key,), f"the plan needs at least one [[{key}]], such as:  [[{key}]]  {example}")
        return [(table, (key, at)) for at, table in enumerate(tables)]

    def _named(self, table: Mapping[str, Any], path: Path_, key: str) -> str:
        if key not in table:
            self._refuse(path, f"{key} is missing here")
        found = self._text_of(table, path, key)
        if not found:
            self._refuse((*path, key), f"{key} is empty")
        return found

    def _text_of(self, table: Mapping[str, Any], path: Path_, key: str) -> str | None:
        found = table.get(key)
        if found is not None and not isinstance(found, str):
            self._refuse((*path, key), f"{key} is a text in quotes and not {_shown(found)}")
        return found

    def _whole(self, table: Mapping[str, Any], path: Path_, key: str, default: int, least: int, most: int) -> int:
        found = table.get(key, _NO_LEVEL)
        if found is _NO_LEVEL:
            return default
        if isinstance(found, bool) or not isinstance(found, int):
            self._refuse((*path, key), f"{key} is a whole number and not {_shown(found)}")
        if not least <= found <= most:
            self._refuse((*path, key), f"{key}={found} is out of range: {least} to {most}")
        return found


def parse_time(text: str) -> float:
    """Return a time such as `90 s`, `30 min` or `1 h 30 min` in seconds. UsageError if it is none, or 0."""
    parts = re.findall(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(s|min|h|d)(?![a-z])", text)
    if not parts or re.sub(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(s|min|h|d)(?![a-z])", "", text).strip():
        raise UsageError(f"'{text}' is no time, such as '90 s', '30 min' or '1 h 30 min'")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < seconds < 1e9:
        raise UsageError(f"'{text}' is out of range: nothing can be measured in no time, and 30 years are enough")
    return seconds


def _powers(low: int, high: int, factor: int) -> list[int]:
    levels = []
    while low <= high:
        levels.append(low)
        low *= factor
    return levels


def _shown(value: object) -> str:
    """Return a value as it stands in TOML, or what kind it is."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, int | float | str) else f"a {_KINDS.get(type(value), 'date or time')}"


_KINDS: Mapping[type, str] = {list: "list", dict: "table"}
