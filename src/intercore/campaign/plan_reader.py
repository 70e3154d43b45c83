"""Reads a plan file and checks it as far as possible without a target.

Errors are UsageErrors that begin with the file and the line.
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
from intercore.record.plan import EVERY, MAX_RUNS, MAX_SETTINGS
from intercore.target.targets import DEFAULT_BAUD, Address, BoardTarget, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.campaign.toml_table import TomlTable
    from intercore.record.measurement import Level, StopRule
    from intercore.target.targets import Target

MAX_LEVELS = 10_000
"""Most levels of one factor; more are probably a mistyped range."""
_KEYS = ("target", "experiment", "repetitions", "runs", "every", "seed", "until", "cap", "budget", "exhibits")
_TARGET_KEYS = ("name", "port", "baud", "max_baud", "probe", "with", "drive", "image", "emulated", *METER_KEYS)
_EXPERIMENT_KEYS = ("benchmark", "factors", "targets", "fraction", "skip_impossible", "skip")


def read(path: Path) -> PlanFile:
    """Read a plan file. Raises UsageError if it cannot be read, or if it is invalid for any target."""
    return parse(text_of(path), str(path))


def text_of(path: Path) -> str:
    """Return the text of a plan file or a similar file. Raises UsageError if it cannot be read."""
    name = str(path)
    try:
        data = contents(path, bounds.PLAN)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError:  # a name with a zero byte
        raise UsageError(f"cannot read {name}: this is not a valid file name") from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UsageError(f"{name}:1: the file is UTF-16 text: save the file as UTF-8")
    try:
        return data.decode("utf-8-sig")  # including the byte-order mark of some editors
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: this line is not UTF-8 text: save the file as UTF-8") from None


def parse(text: str, name: str) -> PlanFile:
    """Parse the text of a plan file; `name` is that of the file, for errors."""
    file = parsed(text, name)
    file.check_keys(_KEYS, lambda key: _belongs(key, "target") or _belongs(key, "experiment"))
    repetitions = file.whole("repetitions", 1, 1, 1_000_000)
    targets = tuple(_target(table) for table in file.tables("target", 'name = "pico-sim"'))
    _check_distinct(file, targets)
    experiments = tuple(_experiment(table, targets) for table in file.tables("experiment", 'benchmark = "speedup"'))
    for entry in targets:
        if not any(one.is_for(entry) for one in experiments):
            file.refuse(
                f"no experiment applies to the target {entry}: remove the target, or name it in an experiment",
                *entry.location,
            )
    seed = file.whole("seed", 1, 0, 2**32 - 1)
    stop = _stop(file, repetitions)
    runs = file.whole("runs", 1, 1, MAX_RUNS)
    if runs > 1 and stop is not None:
        file.refuse("runs and until exclude each other: omit one of them", "runs")
    every = _duration(file, "every")
    if every is not None and runs == 1:
        file.refuse("every is the time between runs: add runs, e.g. runs = 5", "every")
    return PlanFile(
        name,
        text,
        targets,
        experiments,
        repetitions,
        seed,
        stop,
        _duration(file, "budget"),
        _exhibits(file),
        runs=runs,
        every=EVERY if every is None else every,
    )


def _exhibits(file: TomlTable) -> tuple[str, ...]:
    """Return the published tables and figures that a plan reproduces."""
    names = file.values.get("exhibits", [])
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        file.refuse('exhibits must be a list of names, such as ["seed-000-figure-2"]', "exhibits")
    for name in names:
        if name not in exhibits():
            file.refuse(unknown("published table or figure", name, exhibits()), "exhibits")
    return tuple(names)


def _belongs(key: str, table: str) -> str:
    """Return where a key of the file (`table` is empty) or of one of its tables belongs; empty for another key."""
    if key in {"": _KEYS, "target": _TARGET_KEYS, "experiment": _EXPERIMENT_KEYS}[table]:
        return f"{key} belongs below [[{table}]]" if table else f"{key} belongs at the beginning of the file"
    return ""


# ---- targets ----


def _target(table: TomlTable) -> TargetEntry:
    table.check_keys(_TARGET_KEYS, lambda key: _belongs(key, "") or _belongs(key, "experiment"))
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
    """Raise UsageError if a target is not flashed in this way."""
    if isinstance(target, BoardTarget):
        target.board.check(way)
        check_probe(way.probe, way.tool)
    elif way != Flashing():
        raise UsageError(
            f"the keys 'probe', 'with' and 'drive' apply only to boards that the tool flashes, and {target.name} is "
            "not such a board: remove these keys"
        )


def _check_distinct(file: TomlTable, targets: Sequence[TargetEntry]) -> None:
    seen = set()
    for entry in targets:
        if (entry.name, entry.port) in seen:
            file.refuse(f"the target {entry} appears twice: remove one of the two", *entry.location)
        seen.add((entry.name, entry.port))


# ---- experiments ----


def _experiment(table: TomlTable, targets: Sequence[TargetEntry]) -> Experiment:
    table.check_keys(
        _EXPERIMENT_KEYS,
        lambda key: _belongs(key, "") or _belongs(key, "target") or "a factor belongs below [experiment.factors]",
    )
    factors = table.values.get("factors", {})
    if not isinstance(factors, dict):
        table.refuse("factors must be a table of names and levels, such as [experiment.factors]", "factors")
    skip = table.boolean("skip_impossible", default=False)
    given = table.inner(factors, "factors")
    levels = {name: _levels(given, name) for name in factors}
    settings = math.prod(map(len, levels.values()))
    if settings > MAX_SETTINGS:
        table.refuse(
            f"this experiment has {settings} settings, but at most {MAX_SETTINGS} are possible: give fewer levels"
        )
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
    """Return the names of an experiment's targets; None for all."""
    if "targets" not in table.values:
        return None
    given = table.values["targets"]
    if not isinstance(given, list) or not given:
        table.refuse('targets must be a list of names of this plan\'s targets, such as ["host"]', "targets")
    names = [entry.name for entry in targets]
    for at, name in enumerate(given):
        if name not in names:
            table.refuse(unknown("target", str(name), names, "this plan has"), "targets", at)
        if name in given[:at]:
            table.refuse(f"{name} appears twice: remove one of the two", "targets", at)
    return tuple(given)


def _skipped(table: TomlTable, levels: Mapping[str, Sequence[Level]]) -> tuple[dict[str, Level], ...]:
    given = table.values.get("skip", [])
    if not isinstance(given, list) or not all(isinstance(one, dict) and one for one in given):
        table.refuse(
            "skip must be a list of combinations of levels, such as [{ from = 0, to = 0 }, { from = 1, to = 1 }]",
            "skip",
        )
    for at, one in enumerate(given):
        for name, level in one.items():
            if name not in levels:
                table.refuse(unknown("factor", name, levels, "this experiment has"), "skip", at)
            if isinstance(level, bool) or level not in levels[name]:
                known = ", ".join(map(str, levels[name]))
                table.refuse(
                    f"{name}={shown(level)} is not a level of the experiment: its levels are {known}", "skip", at
                )
    return tuple(dict(one) for one in given)


def _fraction(table: TomlTable) -> float:
    given = table.values.get("fraction", 1.0)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
        table.refuse(f"fraction={given} is out of range: it must be above 0 and at most 1", "fraction")
    return float(given)


# ---- levels ----


def _levels(factors: TomlTable, name: str) -> list[Level]:
    """Return the levels of a factor: a single one, a list, or a range."""
    given = factors.values[name]
    if isinstance(given, dict):
        return _range(factors.inner(given, name), name)
    values = given if isinstance(given, list) else [given]
    if not values:
        factors.refuse(f"factor {name} has no level: give at least one", name)
    if len(values) > MAX_LEVELS:
        factors.refuse(f"factor {name} has {len(values)} levels, but at most {MAX_LEVELS} are possible", name)
    levels: dict[str, Level] = {}
    for at, value in enumerate(values):
        here = (name, at) if isinstance(given, list) else (name,)
        if isinstance(value, bool) or not isinstance(value, int | str):
            factors.refuse(f"a level of {name} must be a whole number, a string or a range, not {shown(value)}", *here)
        if is_file(str(value)):
            factors.refuse(
                f"{value!a} is a file of your own workload, which a plan file cannot name: measure it by "
                f"intercore run TARGET BENCHMARK {name}={value}",
                *here,
            )
        if not re.fullmatch(r"[!-)+-~]+", str(value)):
            factors.refuse(
                f"{name}={value!a} is not a valid level: use printable ASCII characters without spaces and asterisks",
                *here,
            )
        if str(value) in levels:
            factors.refuse(
                f"{name}={value} is given twice: to measure that level more often, increase repetitions", *here
            )
        levels[str(value)] = value
    return list(levels.values())


def _range(given: TomlTable, name: str) -> list[Level]:
    """Return the levels of `{from = 4, to = 4096, factor = 2}` or `{from = 10, to = 50, step = 10}`."""
    form = f"a range of {name} must be {{from = 4, to = 4096, factor = 2}} or {{from = 10, to = 50, step = 10}}"
    keys = given.values.keys()
    for key in keys:
        if key not in ("from", "to", "step", "factor"):
            given.refuse(f"{form}; {key!a} is unknown", key)
    if not keys >= {"from", "to"} or ("step" in keys) == ("factor" in keys):
        given.refuse(f"{form}, with from, to, and either step or factor")
    whole = {key: given.whole(key, 0, 0, 2**32 - 1) for key in keys}
    low, high = whole["from"], whole["to"]
    if low > high:
        given.refuse(f"factor {name} has no level: the range from {low} to {high} is empty")
    if "step" in whole:
        if whole["step"] < 1:
            given.refuse("step is out of range: it must be at least 1", "step")
        levels: Sequence[int] = range(low, high + 1, whole["step"])
    else:
        if whole["factor"] < 2 or low < 1:
            given.refuse(f"{form}; factor must be at least 2, and from at least 1")
        levels = _powers(low, high, whole["factor"])
    if len(levels) > MAX_LEVELS:
        given.refuse(f"factor {name} has {len(levels)} levels, but at most {MAX_LEVELS} are possible")
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
        file.refuse(f"cap={rule.cap} is out of range: it must be at least repetitions={repetitions}", "cap")
    return rule


def _duration(file: TomlTable, key: str) -> float | None:
    text = file.string(key)
    if text is None:
        return None
    try:
        return parse_duration(text)
    except UsageError as error:
        file.refuse(f"{key}: {error}", key)
