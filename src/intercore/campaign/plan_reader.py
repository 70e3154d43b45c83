"""Reads a plan file and checks it as far as that goes without a target.

Whatever is wrong is a UsageError that begins with the file and the line.
"""

from __future__ import annotations

import codecs
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.benchmarks.published import exhibits
from intercore.board.boards import Flashing
from intercore.board.debug_probe import check_probe
from intercore.campaign.duration import parse_duration
from intercore.campaign.plan_file import Experiment, PlanFile, TargetEntry
from intercore.campaign.plan_meter import METER_KEYS, with_meter
from intercore.campaign.toml_table import parsed, shown
from intercore.campaign.until import parse_rule
from intercore.errors import UsageError, unknown
from intercore.files import bounds
from intercore.files.bounds import contents
from intercore.record.own_work import is_file
from intercore.record.plan import MAX_SETTINGS
from intercore.target.targets import DEFAULT_BAUD, Address, BoardTarget, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.campaign.toml_table import TomlTable
    from intercore.record.measurement import Level, StopRule
    from intercore.target.targets import Target

MAX_LEVELS = 10_000
"""Levels of one factor: more is a range that was mistyped."""


def read(path: Path) -> PlanFile:
    """Read a plan file. Raises UsageError for one that cannot be read, or whatever target it is carried out on."""
    return parse(text_of(path), str(path))


def text_of(path: Path) -> str:
    """Return the text of a plan file or of one alike. UsageError if it cannot be read or is none."""
    name = str(path)
    try:
        data = contents(path, bounds.PLAN)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError:  # a name with a zero byte
        raise UsageError(f"cannot read {name}: no file has such a name") from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UsageError(f"{name}:1: this is UTF-16 text: save it as UTF-8")
    try:
        return data.decode("utf-8-sig")  # with the byte-order mark that some editors put in front
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: this is not UTF-8 text") from None


def parse(text: str, name: str) -> PlanFile:
    """Return what the text of a plan file says; `name` is that of the file, for errors."""
    file = parsed(text, name)
    file.check_keys(("target", "experiment", "repetitions", "seed", "until", "cap", "budget", "exhibits"))
    repetitions = file.whole("repetitions", 1, 1, 1_000_000)
    targets = tuple(_target(table) for table in file.tables("target", 'name = "pico-sim"'))
    _check_distinct(file, targets)
    experiments = tuple(_experiment(table, targets) for table in file.tables("experiment", 'benchmark = "speedup"'))
    for entry in targets:
        if not any(one.is_for(entry) for one in experiments):
            file.refuse(f"no experiment is for the target {entry}: leave it out, or name it in one", *entry.location)
    seed = file.whole("seed", 1, 0, 2**32 - 1)
    stop = _stop(file, repetitions)
    return PlanFile(name, text, targets, experiments, repetitions, seed, stop, _budget(file), _exhibits(file))


def _exhibits(file: TomlTable) -> tuple[str, ...]:
    """Return the tables and figures of publications that a plan says it repeats."""
    names = file.values.get("exhibits", [])
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        file.refuse('exhibits is a list of names, such as ["seed-000-figure-2"]', "exhibits")
    for name in names:
        if name not in exhibits():
            file.refuse(unknown("table or figure of a publication", name, exhibits()), "exhibits")
    return tuple(names)


# ---- targets ----


def _target(table: TomlTable) -> TargetEntry:
    table.check_keys(("name", "port", "baud", "max_baud", "probe", "with", "drive", "image", "emulated", *METER_KEYS))
    drive = table.string("drive")
    way = Flashing(None if drive is None else Path(drive), table.string("probe"), table.string("with"))
    entry = TargetEntry(
        table.required("name"),
        table.string("port"),
        table.whole("baud", DEFAULT_BAUD, 1, 10**9),
        table.whole("max_baud", 0, 1, 10**9) or None,
        table.location,
        way,
        table.string("image"),
        table.boolean("emulated", default=False),
    )
    try:
        target = find(entry.name)
    except UsageError as error:
        table.refuse(str(error), "name")
    entry = with_meter(entry, table, target)
    try:
        image = None if entry.image is None else Path(entry.image)
        target.check(Address(entry.port, entry.baud, image=image, emulated=entry.emulated))
        _check_way(target, way)
    except UsageError as error:
        table.refuse(str(error), "port" if "port" in table.values else "name")
    if entry.port is None and not target.built_here:
        table.refuse(f'the target {entry.name} needs a port, such as port = "/dev/ttyACM0"')
    return entry


def _check_way(target: Target, way: Flashing) -> None:
    """Raise UsageError if a target is not flashed so."""
    if isinstance(target, BoardTarget):
        target.board.check(way)
        check_probe(way.probe, way.tool)
    elif way != Flashing():
        raise UsageError(f"probe, with and drive are for boards that are flashed: {target.name} is none")


def _check_distinct(file: TomlTable, targets: Sequence[TargetEntry]) -> None:
    seen = set()
    for entry in targets:
        if (entry.name, entry.port) in seen:
            file.refuse(f"the target {entry} is there twice", *entry.location)
        seen.add((entry.name, entry.port))


# ---- experiments ----


def _experiment(table: TomlTable, targets: Sequence[TargetEntry]) -> Experiment:
    table.check_keys(("benchmark", "factors", "targets", "fraction", "skip_impossible", "skip"))
    factors = table.values.get("factors", {})
    if not isinstance(factors, dict):
        table.refuse("factors is a table of names and levels, such as [experiment.factors]", "factors")
    skip = table.boolean("skip_impossible", default=False)
    given = table.inner(factors, "factors")
    levels = {name: _levels(given, name) for name in factors}
    settings = math.prod(map(len, levels.values()))
    if settings > MAX_SETTINGS:
        table.refuse(f"these are {settings} settings, more than {MAX_SETTINGS}: give fewer levels per factor")
    return Experiment(
        table.required("benchmark"),
        levels,
        _names(table, targets),
        _fraction(table),
        skip,
        _skipped(table, levels),
        table.location,
    )


def _names(table: TomlTable, targets: Sequence[TargetEntry]) -> tuple[str, ...] | None:
    """Return the names of the targets that an experiment is for; None for all."""
    if "targets" not in table.values:
        return None
    given = table.values["targets"]
    if not isinstance(given, list) or not given:
        table.refuse('targets is a list of names of this plan\'s targets, such as ["host"]', "targets")
    names = [entry.name for entry in targets]
    for at, name in enumerate(given):
        if name not in names:
            table.refuse(unknown("target of this plan", str(name), names), "targets", at)
        if name in given[:at]:
            table.refuse(f"{name} is there twice", "targets", at)
    return tuple(given)


def _skipped(table: TomlTable, levels: Mapping[str, Sequence[Level]]) -> tuple[dict[str, Level], ...]:
    given = table.values.get("skip", [])
    if not isinstance(given, list) or not all(isinstance(one, dict) and one for one in given):
        table.refuse("skip is a list of tables of levels, such as [{ from = 0, to = 0 }, { from = 1, to = 1 }]", "skip")
    for at, one in enumerate(given):
        for name, level in one.items():
            if name not in levels:
                table.refuse(unknown("factor of this experiment", name, levels), "skip", at)
            if isinstance(level, bool) or level not in levels[name]:
                known = ", ".join(map(str, levels[name]))
                table.refuse(f"{name}={shown(level)} is none of the experiment's levels: {known}", "skip", at)
    return tuple(dict(one) for one in given)


def _fraction(table: TomlTable) -> float:
    given = table.values.get("fraction", 1.0)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
        table.refuse(f"fraction={given} is out of range: a number above 0, at most 1", "fraction")
    return float(given)


# ---- levels ----


def _levels(factors: TomlTable, name: str) -> list[Level]:
    """Return the levels of a factor: one, a list of them, or a range."""
    given = factors.values[name]
    if isinstance(given, dict):
        return _range(factors.inner(given, name), name)
    values = given if isinstance(given, list) else [given]
    if not values:
        factors.refuse(f"factor {name} has no level: give it at least one value", name)
    if len(values) > MAX_LEVELS:
        factors.refuse(f"factor {name} has {len(values)} levels, more than {MAX_LEVELS}", name)
    levels: dict[str, Level] = {}
    for at, value in enumerate(values):
        here = (name, at) if isinstance(given, list) else (name,)
        if isinstance(value, bool) or not isinstance(value, int | str):
            factors.refuse(f"a level of {name} is a whole number, a text or a range, and not {shown(value)}", *here)
        if is_file(str(value)):
            factors.refuse(
                f"a plan names no file of a workload of your own, and {value!a} is one: measure it by intercore run "
                f"TARGET BENCHMARK {name}={value}",
                *here,
            )
        if not re.fullmatch(r"[!-)+-~]+", str(value)):
            factors.refuse(f"{name}={value!a} is no level: it is printable ASCII without blanks and stars", *here)
        if str(value) in levels:
            factors.refuse(f"{name}={value} is given twice: to measure it more often, ask for repetitions", *here)
        levels[str(value)] = value
    return list(levels.values())


def _range(given: TomlTable, name: str) -> list[Level]:
    """Return the levels of `{from = 4, to = 4096, factor = 2}` or `{from = 10, to = 50, step = 10}`."""
    form = f"a range of {name} is {{from = 4, to = 4096, factor = 2}} or {{from = 10, to = 50, step = 10}}"
    keys = given.values.keys()
    for key in keys:
        if key not in ("from", "to", "step", "factor"):
            given.refuse(f"{form}: there is no {key!a}", key)
    if not keys >= {"from", "to"} or ("step" in keys) == ("factor" in keys):
        given.refuse(f"{form}: from, to, and one of step and factor")
    whole = {key: given.whole(key, 0, 0, 2**32 - 1) for key in keys}
    low, high = whole["from"], whole["to"]
    if low > high:
        given.refuse(f"factor {name} has no level: from {low} to {high}")
    if "step" in whole:
        if whole["step"] < 1:
            given.refuse("step is out of range: at least 1", "step")
        levels: Sequence[int] = range(low, high + 1, whole["step"])
    else:
        if whole["factor"] < 2 or low < 1:
            given.refuse(f"{form}: factor is at least 2, from at least 1")
        levels = _powers(low, high, whole["factor"])
    if len(levels) > MAX_LEVELS:
        given.refuse(f"factor {name} has {len(levels)} levels, more than {MAX_LEVELS}")
    return list(levels)


def _powers(low: int, high: int, factor: int) -> list[int]:
    levels = []
    while low <= high:
        levels.append(low)
        low *= factor
    return levels


# ---- how often, how long ----


def _stop(file: TomlTable, repetitions: int) -> StopRule | None:
    cap = file.whole("cap", 0, 1, 1_000_000) or None
    until = file.string("until")
    try:
        rule = parse_rule(until, cap, repetitions, prefix="")
    except UsageError as error:
        file.refuse(str(error), "cap" if until is None else "until")
    if rule is not None and rule.cap < repetitions:
        file.refuse(f"cap={rule.cap} is out of range: at least {repetitions}, the repetitions asked for", "cap")
    return rule


def _budget(file: TomlTable) -> float | None:
    text = file.string("budget")
    if text is None:
        return None
    try:
        return parse_duration(text)
    except UsageError as error:
        file.refuse(f"budget: {error}", "budget")
