"""The file of a baseline: text of one line for each series of each setting, made to be committed and to be compared.

    intercore baseline 1
    target = pico-sim
    origin = simulated
    compiler = gcc 12.2.1 20221205
    switch from=0 primitive=notification to=1: switch us n=10 median=12.1 min=12.1 max=12.1

Lines are sorted, so that a change of one number is one line of a diff. Empty lines and those that begin with # say
nothing. Whatever is wrong in a file is a UsageError that begins with the file and the line; docs/ci.md describes it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn, get_args

import msgspec

from intercore.benchmarks.series import Unit
from intercore.comparison.baseline import baseline, setting_key
from intercore.comparison.quantities import PERCENTILES, Kept, KeptMeasurement
from intercore.errors import IntercoreError, UsageError, unknown
from intercore.files import bounds
from intercore.files.bounds import contents
from intercore.files.replacement import BASELINE, replacement
from intercore.numeral import decimal_number, whole_number
from intercore.record.factors import of_target
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import Medians
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from intercore.comparison.baseline import Baseline
    from intercore.comparison.quantities import Name
    from intercore.record.measurement import Level

VERSION = 1
"""Of the format. 1: the first."""
MAGIC = "intercore baseline"

_SAVE = "save it anew: intercore baseline save"
_ORIGINS = ("measured", "simulated")
_UNITS: tuple[str, ...] = get_args(Unit)
_CONDITION = re.compile(r"(?P<key>[^\s=:\[\]]+)(?: \[(?P<build>[^\]]*)\])? = (?P<value>.*)")
_SETTING = re.compile(r"(?P<benchmark>[^\s=:]+)(?P<factors>(?: [^\s=]+=\S*[^\s:])*): (?P<series>\S+) (?P<numbers>.+)")
_NUMBER = re.compile(r"(?P<value>[^\[\]]+)(?:\[(?P<low>[^,\]]+),(?P<high>[^,\]]+)\])?")
_LEVEL = re.compile(r"[!-~]+")
_UNKNOWN = "?"
_EDITED = "n", "median", "each", "min", "max", *PERCENTILES


# ---- writing ----


def text_of(known: Baseline) -> str:
    """Return the text of a baseline."""
    origin = "simulated" if known.plan.simulated else "measured"
    head = [
        f"{MAGIC} {VERSION}",
        "# What a run came to, to compare later runs with: intercore compare FILE RUN. A number has its 95 % interval",
        "# in brackets, or none where it is exact; each: the median of each repetition. See docs/ci.md.",
        f"tool = {_quoted(known.tool)}",
        f"target = {_quoted(known.plan.target)}",
        f"origin = {origin}",
    ]
    settings = [one for one in known.measurements if isinstance(one, KeptMeasurement)]
    lines = [line for one in settings for line in _setting_lines(one)]
    return "\n".join([*head, "", *_condition_lines(settings), "", *lines]) + "\n"


def write(known: Baseline, path: Path, *, force: bool = False) -> None:
    """Write a baseline to a file, whole or not at all.

    An older baseline is replaced, another file only by `force`: UsageError without it. IntercoreError if the file
    cannot be written, or if what would be written could not be read again.
    """
    content = text_of(known)
    try:
        parse(content, str(path))
    except UsageError as error:
        raise IntercoreError(f"{path} is not written, as it could not be read again: {error}") from error
    with replacement(path, BASELINE, force=force) as file:
        file.write(content.encode())


def _condition_lines(settings: Iterable[KeptMeasurement]) -> Iterator[str]:
    """Return what all settings have in common, then what follows from how their target was built."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    builds: dict[str, None] = {}
    for one in settings:
        build = _words(of_target(one.factors))
        builds[build] = None
        for key, value in one.conditions.items():
            values[key][build] = value
    for key in sorted(values):
        found = values[key]
        if len(set(found.values())) == 1 and found.keys() == builds.keys():
            yield f"{key} = {_quoted(next(iter(found.values())))}"
        else:
            yield from (f"{key} [{build}] = {_quoted(value)}" for build, value in sorted(found.items()))


def _setting_lines(one: KeptMeasurement) -> Iterator[str]:
    words = _words(one.factors)
    for (series, unit), known in one.quantities.items():
        numbers = [f"n={known.samples}", f"median={_interval(known.medians.whole)}"]
        if len(known.medians.each) > 1:
            numbers.append(f"each={','.join(map(repr, known.medians.each))}")
        numbers += [f"{name}={_interval(found)}" for name, found in known.percentiles.items()]
        numbers += [f"min={known.least!r}", f"max={known.largest!r}"]
        yield f"{one.benchmark}{words and ' '}{words}: {series} {unit} {' '.join(numbers)}"


def _words(factors: Mapping[str, Level]) -> str:
    return " ".join(f"{name}={_level(name, level)}" for name, level in sorted(factors.items()))


def _level(name: str, level: Level) -> str:
    """Return a level as a word; a text that looks like a number has quotes."""
    if isinstance(level, int):
        return str(level)
    if not _LEVEL.fullmatch(level) or level.endswith(":"):
        raise IntercoreError(f"{name}={level!a} cannot stand in a baseline: it is no word")
    return f"'{level}'" if whole_number(level) is not None or level.startswith("'") else level


def _quoted(value: str) -> str:
    plain = value == value.strip() != "" and value == printable(value) and "\n" not in value
    return value if plain and not value.startswith('"') else json.dumps(value)


def _interval(known: Interval) -> str:
    if known.low == known.value == known.high:
        return repr(known.value)
    return f"{known.value!r}[{_bound(known.low)},{_bound(known.high)}]"


def _bound(bound: float | None) -> str:
    return _UNKNOWN if bound is None else repr(bound)


# ---- reading ----


class _Line(msgspec.Struct, frozen=True):
    """A line of a file."""

    name: str
    number: int
    text: str

    def refuse(self, sentence: str) -> NoReturn:
        raise UsageError(f"{self.name}:{self.number}: {printable(sentence)}")


class _Condition(msgspec.Struct, frozen=True):
    key: str
    build: str | None
    """Levels of the target's factors that it follows from; None if it is that of all settings."""
    value: str


def read(path: Path) -> Baseline:
    """Read a baseline. UsageError, with file and line, for what is none or was edited so that it says nothing."""
    name = str(path)
    try:
        data = contents(path, bounds.BASELINE)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from None
    try:
        return parse(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: this is not UTF-8 text") from None


def parse(text: str, name: str) -> Baseline:
    """Return what the text of a baseline says; `name` is that of the file, for errors."""
    lines = [_Line(name, number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    _check_version(lines[0] if lines else _Line(name, 1, ""))
    head: dict[str, str] = {}
    conditions: dict[tuple[str, str | None], _Condition] = {}
    settings: dict[tuple[str, str], tuple[str, dict[str, Level], dict[Name, Kept]]] = {}
    for line in lines[1:]:
        if not line.text or line.text.startswith("#"):
            continue
        if found := _CONDITION.fullmatch(line.text):
            _add_condition(line, found, head, conditions)
        elif found := _SETTING.fullmatch(line.text):
            _add_setting(line, found, settings)
        else:
            line.refuse(
                "this is no line of a baseline: it is 'condition = value' or 'benchmark factor=level …: series unit "
                f"n=… median=… min=… max=…'; mend it, or {_SAVE} {name}"
            )
    end = _Line(name, len(lines), "")
    for key in ("tool", "target", "origin"):
        if key not in head:
            end.refuse(f"there is no line '{key} = …'; add it, or {_SAVE} {name}")
    if not settings:
        end.refuse(f"the baseline has no setting; {_SAVE} {name}")
    made = [
        KeptMeasurement(
            benchmark, factors, 0, (), _conditions_of(factors, conditions.values()), {}, "", quantities=found
        )
        for benchmark, factors, found in settings.values()
    ]
    return baseline(head["target"], head["tool"], made, simulated=head["origin"] == "simulated", file=name)


def _check_version(first: _Line) -> None:
    words = first.text.split(" ")
    version = whole_number(words[-1])
    if " ".join(words[:-1]) != MAGIC or version is None:
        first.refuse(f"this is no baseline: its first line is not '{MAGIC} {VERSION}'")
    if version > VERSION:
        first.refuse(
            f"this baseline is of version {version}, and this Intercore reads up to version {VERSION}: update Intercore"
        )
    if version < 1:
        first.refuse(f"there is no version {version} of baselines: the first one is 1; {_SAVE} {first.name}")


def _add_condition(
    line: _Line, found: re.Match[str], head: dict[str, str], conditions: dict[tuple[str, str | None], _Condition]
) -> None:
    key, build, value = found["key"], found["build"], _unquoted(line, found["value"].strip())
    if key in ("tool", "target", "origin"):
        if key in head:
            line.refuse(f"{key} is there twice: keep one of the two")
        if key == "origin" and value not in _ORIGINS:
            line.refuse(unknown("origin", value, _ORIGINS))
        head[key] = value
        return
    if (key, build) in conditions:
        line.refuse(f"the condition {key} is there twice: keep one of the two")
    conditions[key, build] = _Condition(key, build, value)


def _unquoted(line: _Line, value: str) -> str:
    if not value:
        line.refuse('a value is missing: an empty one is written ""')
    if not value.startswith('"'):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, str):
        line.refuse(f"a value in quotes ends with them, and has \\ before those inside: {value}")
    return found


def _conditions_of(factors: Mapping[str, Level], conditions: Iterable[_Condition]) -> dict[str, str]:
    build = _words(of_target(factors))
    return {one.key: one.value for one in conditions if one.build is None or one.build == build}


def _add_setting(
    line: _Line,
    found: re.Match[str],
    settings: dict[tuple[str, str], tuple[str, dict[str, Level], dict[Name, Kept]]],
) -> None:
    benchmark, factors = found["benchmark"], _factors(line, found["factors"].split())
    unit, *numbers = found["numbers"].split()
    if unit not in _UNITS:
        line.refuse(unknown("unit of a series", unit, _UNITS))
    name: Name = (found["series"], msgspec.convert(unit, Unit))
    key = setting_key(benchmark, factors)
    _, first, quantities = settings.setdefault(key, (benchmark, factors, {}))
    if first != factors:
        line.refuse(
            f"this setting of {benchmark} is there already, measured in another way (seed, samples …): keep one"
        )
    if name in quantities:
        line.refuse(f"the series {name[0]} of this setting is there twice: keep one of the two")
    quantities[name] = _kept(line, numbers)


def _factors(line: _Line, words: Iterable[str]) -> dict[str, Level]:
    factors: dict[str, Level] = {}
    for word in words:
        name, _, text = word.partition("=")
        if name in factors:
            line.refuse(f"{name} is there twice: keep one of the two")
        number = whole_number(text)
        if number is not None:
            factors[name] = number
        else:
            quoted = len(text) > 2 and text[0] == text[-1] == "'"
            factors[name] = text[1:-1] if quoted else text
    return factors


def _kept(line: _Line, words: Iterable[str]) -> Kept:
    told: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in _EDITED:
            line.refuse(unknown("number of a series", name, _EDITED))
        if name in told:
            line.refuse(f"{name} is there twice: keep one of the two")
        told[name] = text
    for name in ("n", "median", "min", "max"):
        if name not in told:
            line.refuse(f"{name}=… is missing")
    samples = whole_number(told["n"])
    if samples is None or samples < 1:
        line.refuse(f"n={told['n']} is no number of samples: a whole number from 1 up")
    least, largest = (_number(line, name, told[name]) for name in ("min", "max"))
    whole = _estimate(line, "median", told["median"])
    each = tuple(_number(line, "each", text) for text in told["each"].split(",")) if "each" in told else (whole.value,)
    percentiles = {name: _estimate(line, name, told[name]) for name in PERCENTILES if name in told}
    ordered = [("min", least), ("median", whole.value)]
    ordered += [(name, known.value) for name, known in percentiles.items()]
    ordered.append(("max", largest))
    for (below, low), (above, high) in pairwise(ordered):
        if low > high:
            line.refuse(f"{below}={low:g} is above {above}={high:g}: one of the two was mistyped")
    if len(each) > samples:
        line.refuse(f"each has {len(each)} medians, of {samples} samples: one of the two was mistyped")
    return Kept(Medians(whole, each), samples, least, largest, percentiles)


def _estimate(line: _Line, name: str, text: str) -> Interval:
    found = _NUMBER.fullmatch(text)
    if found is None:
        line.refuse(f"{name}={text} is no number, with or without its interval: 12.5 or 12.5[12.1,12.9]")
    value = _number(line, name, found["value"])
    if found["low"] is None:
        return Interval(value, value, value)
    low, high = (None if bound == _UNKNOWN else _number(line, name, bound) for bound in (found["low"], found["high"]))
    if (low is not None and low > value) or (high is not None and high < value):
        line.refuse(f"{name}={text}: the value is not within its interval")
    return Interval(value, low, high)


def _number(line: _Line, name: str, text: str) -> float:
    value = decimal_number(text)
    if value is None or value in (float("inf"), float("-inf")):
        line.refuse(f"{name}={text} is no number such as 12.5")
    return value
