"""The file of a baseline: JSON Lines, one for each condition and each series of a setting, made to be committed.

    {"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}
    {"kind":"condition","name":"compiler","value":"gcc 12.2.1 20221205"}
    {"kind":"series","benchmark":"switch","factors":{"from":0,"to":1},"series":"switch","unit":"us","n":10,"median":12.1,…

Lines are sorted, so that a change of one number is one line of a diff. Whatever is wrong in a file is a UsageError that
begins with the file and the line; docs/ci.md describes it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NoReturn, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from intercore.benchmarks.series import Unit
from intercore.comparison.baseline import baseline, setting_key
from intercore.comparison.quantities import PERCENTILES, BaselineQuantity, KeptMeasurement, Percentile
from intercore.errors import IntercoreError, UsageError
from intercore.files import bounds
from intercore.files.bounds import contents
from intercore.files.replacement import BASELINE, replacement
from intercore.record import renamed
from intercore.record.factors import of_target
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import Medians
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from intercore.comparison.baseline import Baseline
    from intercore.comparison.quantities import Name

KIND = "intercore baseline"
VERSION = 2
"""Of the format. 1: text, which is no longer read. 2: JSON Lines."""

_SAVE = "save it again: intercore baseline save"

Number: TypeAlias = float | Interval
"""A value with its 95 % interval; alone where it is exact."""


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"):
    pass


class _Head(_Line, frozen=True, tag=KIND):
    version: Annotated[int, Meta(ge=VERSION)]
    tool: str
    target: str
    origin: Literal["measured", "simulated"]


class _Condition(_Line, frozen=True, tag="condition"):
    name: str
    value: str
    build: dict[str, Level] | None = None
    """Levels of the target's factors that it follows from; None if it is that of all settings."""


class _Series(_Line, frozen=True, tag="series"):
    benchmark: str
    factors: dict[str, Level]
    series: str
    unit: Unit
    n: Annotated[int, Meta(ge=1)]
    """Samples."""
    median: Number
    min: float
    max: float
    each: tuple[float, ...] = ()
    """The median of each repetition, or of each run, where there are several."""
    runs: Annotated[int, Meta(ge=1)] = 1
    """How many runs these are from."""
    percentiles: dict[Percentile, Number] = {}


L = TypeVar("L", bound=_Line)
_FIRST = msgspec.json.Decoder(_Head)
_OTHER: msgspec.json.Decoder[_Condition | _Series] = msgspec.json.Decoder(_Condition | _Series)


class _AnyVersion(msgspec.Struct, frozen=True):
    """The first line of a baseline, in every version from 2 on."""

    kind: Literal["intercore baseline"]
    version: int


# Writing


def text_of(known: Baseline) -> str:
    """Return the text of a baseline."""
    settings = [one for one in known.measurements if isinstance(one, KeptMeasurement)]
    lines = [
        _Head(VERSION, known.tool, known.plan.target, "simulated" if known.plan.simulated else "measured"),
        *_conditions(settings),
        *(line for one in settings for line in _series(one)),
    ]
    return "".join(f"{msgspec.json.encode(line).decode()}\n" for line in lines)


def write(known: Baseline, path: Path, *, force: bool = False) -> None:
    """Write a baseline to a file, whole or not at all.

    An older baseline is replaced, another file only by `force`: UsageError without it. IntercoreError if the file
    cannot be written, or if what would be written could not be read again.
    """
    content = text_of(known)
    try:
        parse(content, str(path))
    except UsageError as error:
        raise IntercoreError(
            f"{path} was not written, because the tool could not read back what it would write ({error}): please "
            "report this"
        ) from error
    with replacement(path, BASELINE, force=force) as file:
        file.write(content.encode())


def _conditions(settings: Iterable[KeptMeasurement]) -> Iterator[_Condition]:
    """Return the conditions by name: once what all settings have in common, else by how their target was built."""
    values: dict[str, dict[tuple[tuple[str, Level], ...], str]] = defaultdict(dict)
    builds = set()
    for one in settings:
        build = tuple(_sorted(of_target(one.factors)).items())
        builds.add(build)
        for name, value in one.conditions.items():
            values[name][build] = value
    for name, found in sorted(values.items()):
        if len(set(found.values())) == 1 and found.keys() == builds:
            yield _Condition(name, next(iter(found.values())))
        else:
            yield from (_Condition(name, found[build], dict(build)) for build in sorted(found, key=str))


def _series(one: KeptMeasurement) -> Iterator[_Series]:
    for (series, unit), known in one.quantities.items():
        whole, each, runs = known.medians
        yield _Series(
            one.benchmark,
            _sorted(one.factors),
            series,
            unit,
            known.samples,
            _number(whole),
            known.least,
            known.largest,
            each if len(each) > 1 else (),
            runs,
            {name: _number(known.percentiles[name]) for name in PERCENTILES if name in known.percentiles},
        )


def _sorted(factors: Mapping[str, Level]) -> dict[str, Level]:
    return dict(sorted(factors.items()))


def _number(known: Interval) -> Number:
    return known.value if known.low == known.value == known.high else known


# Reading


class _Place(NamedTuple):
    """A line of a file."""

    file: str
    number: int

    def refuse(self, sentence: str) -> NoReturn:
        raise UsageError(f"{self.file}:{self.number}: {printable(sentence)}")


def read(path: Path) -> Baseline:
    """Read a baseline. UsageError, with file and line, for any other file or an invalid edit."""
    name = str(path)
    try:
        data = contents(path, bounds.BASELINE)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from None
    try:
        return parse(data.decode(), name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: this line is not UTF-8 text: save the file as UTF-8") from None


def parse(text: str, name: str) -> Baseline:
    """Parse the text of a baseline; `name` is that of the file, for errors."""
    lines = [(_Place(name, number), line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    head = _head(*lines[0] if lines else (_Place(name, 1), ""))
    conditions: dict[tuple[str, str], _Condition] = {}
    settings: dict[tuple[str, str], tuple[_Series, dict[Name, BaselineQuantity]]] = {}
    for place, line in lines[1:]:
        found = _decoded(place, line, _OTHER)
        if isinstance(found, _Series):
            _add_series(place, _renamed(found), settings)
            continue
        found = msgspec.structs.replace(found, name=renamed.condition(found.name))
        key = (found.name, str(found.build))
        if key in conditions:
            place.refuse(f"the condition {found.name} appears twice: keep one of the two")
        conditions[key] = found
    if not settings:
        lines[-1][0].refuse(f"the baseline has no setting. {_SAVE} {name}")
    made = [
        KeptMeasurement(
            first.benchmark, first.factors, 0, (), _of_build(first, conditions.values()), {}, "", quantities=quantities
        )
        for first, quantities in settings.values()
    ]
    return baseline(head.target, head.tool, made, simulated=head.origin == "simulated", file=name)


def _head(place: _Place, line: str) -> _Head:
    if line.startswith(f"{KIND} 1"):
        place.refuse(
            f"this baseline has format version 1, which this version of Intercore no longer reads. {_SAVE} "
            f"{place.file} RUN"
        )
    try:
        version = msgspec.json.decode(line, type=_AnyVersion).version
    except msgspec.MsgspecError:
        place.refuse(f'this file is not a baseline, because its first line does not begin with {{"kind":"{KIND}"')
    if version > VERSION:
        place.refuse(
            f"this baseline has format version {version}, but this version of Intercore reads only up to {VERSION}: "
            "update Intercore"
        )
    return _decoded(place, line, _FIRST)


def _decoded(place: _Place, line: str, decoder: msgspec.json.Decoder[L]) -> L:
    try:
        return decoder.decode(line)
    except msgspec.MsgspecError as error:
        place.refuse(f"this line of the baseline is not valid: {error}. Correct the line, or {_SAVE} {place.file}")


def _renamed(one: _Series) -> _Series:
    """Return a line of an earlier version with the names of today."""
    factors, name = renamed.levels(one.benchmark, one.factors), renamed.series_name(one.benchmark, one.series)
    return msgspec.structs.replace(one, factors=factors, series=name)


def _of_build(one: _Series, conditions: Iterable[_Condition]) -> dict[str, str]:
    build = of_target(one.factors)
    return {known.name: known.value for known in conditions if known.build is None or known.build == build}


def _add_series(
    place: _Place, found: _Series, settings: dict[tuple[str, str], tuple[_Series, dict[Name, BaselineQuantity]]]
) -> None:
    key = setting_key(found.benchmark, found.factors)
    first, quantities = settings.setdefault(key, (found, {}))
    if first.factors != found.factors:
        place.refuse(
            f"this setting of {found.benchmark} appears twice, with other values of seed, samples or the like: keep "
            "one of the two"
        )
    if (found.series, found.unit) in quantities:
        place.refuse(f"the series {found.series} of this setting appears twice: keep one of the two")
    quantities[found.series, found.unit] = _kept(place, found)


def _kept(place: _Place, found: _Series) -> BaselineQuantity:
    median = _interval(place, "median", found.median)
    percentiles: dict[str, Interval] = {
        name: _interval(place, name, found.percentiles[name]) for name in PERCENTILES if name in found.percentiles
    }
    ordered = [("min", found.min), ("median", median.value)]
    ordered += [(name, known.value) for name, known in percentiles.items()]
    ordered.append(("max", found.max))
    for (below, low), (above, high) in pairwise(ordered):
        if low > high:
            place.refuse(f"{below}={low:g} is above {above}={high:g}: one of these two numbers is wrong")
    each = found.each or (median.value,)
    if len(each) > found.n:
        place.refuse(
            f"the list each has {len(each)} medians, but n is only {found.n} samples: one of these two values is wrong"
        )
    if found.runs not in (1, len(each)):
        place.refuse(
            f"runs={found.runs} does not fit the {len(each)} medians of each: one of these two values is wrong"
        )
    return BaselineQuantity(Medians(median, each, found.runs), found.n, found.min, found.max, percentiles)


def _interval(place: _Place, name: str, known: Number) -> Interval:
    if not isinstance(known, Interval):
        return Interval(known, known, known)
    ends = [end for end in (known.low, known.value, known.high) if end is not None]
    if ends != sorted(ends):
        place.refuse(f"{name}={known.value:g} is not within its interval: one of the three numbers is wrong")
    return known
