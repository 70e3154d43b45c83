"""Results of budgets for people: a table of at most 80 columns, broken budgets first."""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from intercore.benchmarks.grouping import by_level
from intercore.budgets.profile_budget import PROFILE
from intercore.record.origin import in_brackets
from intercore.record.plan import canonical
from intercore.text import listed, plural
from intercore.view.quantity import bounds, data_rate, duration, duration_bounds, percent, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.budgets.check import Check
    from intercore.budgets.result import BudgetResult, Outcome
    from intercore.record.measurement import Level

COLUMNS = 80
"""Of the table, at most: as many as the log of a build has."""
MOST_KEPT = 20
"""Budgets that are kept in the table: with what is not, a screen or two."""

_SETTING, _BUDGET, _FOUND, _OUTCOME = 26, 17, 13, 12  # columns of each; 12 more stand between them
_LINES, _LEVELS = 10, 50  # columns of what they cover
_WHOLE = 100
"""Cycles per call from which on they are shown without a fraction."""
_RANK: Mapping[Outcome, int] = {"broken": 0, "not measured": 1, "cannot tell": 2, "kept": 3}
_IN_WORDS: Mapping[Outcome, str] = {
    "kept": "kept",
    "broken": "broken",
    "cannot tell": "undecided",
    "not measured": "not measured",
}


def section(found: Check) -> Section:
    """Return what people read of it."""
    rows = ranked(found)
    kept = [one for one in rows if one.outcome == "kept"]
    shown = [one for one in rows if one.outcome != "kept"] + kept[:MOST_KEPT]
    covered = coverage(found)
    tables: list[Table[Any]] = [_table(found, shown)]
    if covered:
        tables.append(_covered(covered))
    return Section(title(found), tuple(sentences(found, len(kept) - MOST_KEPT)), tables)


def title(found: Check) -> str:
    """Return the title: `Budgets of budgets.toml on pico-sim (SIMULATED)`."""
    return f"Budgets of {found.file} on {in_brackets(found.target, 'simulated' if found.simulated else 'measured')}"


def ranked(found: Check) -> list[BudgetResult]:
    """Return the budgets: what is broken first, farthest beyond its limit; what is kept last, nearest to it first."""

    def rank(one: BudgetResult) -> tuple[int, float]:
        return _RANK[one.outcome], -_off(one) if one.outcome == "broken" else _off(one)

    return sorted(found.budgets, key=rank)


def summary(found: Check) -> str:
    """Return a sentence with the number of budgets by outcome."""
    counts = Counter(one.outcome for one in found.budgets)
    parts = [f"{counts[outcome]} {_IN_WORDS[outcome]}" for outcome in _RANK if counts[outcome]]
    return f"{plural(len(found.budgets), 'number')} with a budget: {listed(parts)}."


def sentences(found: Check, left_out: int = 0) -> Iterator[str]:
    """Yield the summary, and why some budgets are undecided or were not measured."""
    yield summary(found)
    for one in ranked(found):
        if one.why:
            yield f"{found.file}:{one.line}: {name(one)}: {reason(one)}."
    if left_out > 0:
        yield f"{left_out} more are kept: --format json lists all."


def name(one: BudgetResult) -> str:
    """Return the name of a budget: `switch from=0 to=1: p99`."""
    return f"{setting(one)}: {one.what}"


def setting(one: BudgetResult) -> str:
    """Return the setting: as measured, or as the budget has it."""
    if not one.setting:
        return one.budget.partition(": ")[0]
    return " ".join((one.benchmark, *(f"{key}={level}" for key, level in one.setting.items())))


def reason(one: BudgetResult) -> str:
    """Return why a budget is undecided or was not measured, and the remedy."""
    if one.more_repetitions is None:
        return one.why
    more = f"{one.more_repetitions} more repetition{'s' * (one.more_repetitions != 1)}"
    return f"{one.why}; {more} would likely decide it"


class Coverage(NamedTuple):
    """The settings of one budget, or of several with the same settings."""

    lines: tuple[int, ...]
    """Of the file."""
    benchmark: str
    settings: int
    levels: Mapping[str, Sequence[Level]]
    """By factor, those of the settings; first of the factors that the budget names, or that differ."""


def coverage(found: Check) -> list[Coverage]:
    """Return which settings the budgets were held against, in the order of the file."""
    by_line: dict[int, list[BudgetResult]] = defaultdict(list)
    for one in found.budgets:
        if one.setting or one.others:
            by_line[one.line].append(one)
    lines: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    alike: dict[tuple[str, int, str], dict[str, list[Level]]] = {}
    for line, helds in by_line.items():
        levels: dict[str, dict[Level, None]] = defaultdict(dict)
        for one in helds:
            for factor, level in {**one.setting, **one.others}.items():
                levels[factor][level] = None
        known = {factor: sorted(some, key=lambda level: by_level({"": level})) for factor, some in levels.items()}
        key = (helds[0].benchmark, len(helds), canonical({factor: str(some) for factor, some in known.items()}))
        lines[key].append(line)
        alike.setdefault(key, known)
    return [Coverage(tuple(lines[key]), key[0], key[1], known) for key, known in alike.items()]


def value(one: BudgetResult) -> str:
    """Return the measured value, without its interval."""
    if one.found is None or one.unit is None:
        return "?"
    if one.unit == "us":
        return duration(one.found.value)
    return _number(one, one.found.value)


def interval(one: BudgetResult) -> str:
    """Return the interval of what was found; empty where there is none, or no width of it."""
    if one.found is None or one.found.low == one.found.high:
        return ""
    if one.unit == "us":
        return duration_bounds(one.found)
    return bounds(one.found, lambda bound: _number(one, bound))


def outcome(one: BudgetResult) -> str:
    """Return the outcome; for an undecided budget, with the repetitions that would decide it."""
    return one.outcome if one.more_repetitions is None else f"{one.outcome}: {one.more_repetitions} more"


def rows(found: Check) -> list[dict[str, object]]:
    """Return a row for each budget and setting."""
    return [
        {
            "budget": one.budget,
            "line": one.line,
            "benchmark": one.benchmark,
            "setting": " ".join(f"{key}={level}" for key, level in one.setting.items()),
            "unit": one.unit,
            "limit": one.limit,
            "found": None if one.found is None else one.found.value,
            "low": None if one.found is None else one.found.low,
            "high": None if one.found is None else one.found.high,
            "baseline": one.baseline,
            "outcome": one.outcome,
            "more_repetitions": one.more_repetitions,
            "why": one.why,
            "target": found.target,
            "simulated": found.simulated,
            "others": " ".join(f"{key}={level}" for key, level in one.others.items()),
        }
        for one in found.budgets
    ]


def _number(one: BudgetResult, number: float) -> str:
    if one.unit == "bytes_per_s":
        return data_rate(number)
    if one.unit == "percent":
        return percent(number / 100)
    if one.benchmark == PROFILE:
        return f"{number:,.0f}" if number >= _WHOLE or number == int(number) else significant(number)
    return f"{number:.3f}" if one.unit in ("ratio", "factor") else significant(number)


def _off(one: BudgetResult) -> float:
    if one.found is None or one.limit is None or one.found.value <= 0:
        return 0.0
    return abs(math.log(one.found.value / one.limit))


def _table(found: Check, shown: Sequence[BudgetResult]) -> Table[BudgetResult]:
    return Table(
        textwrap.fill(title(found), COLUMNS - 2),
        shown,
        [
            Column("setting", lambda one: _folded(setting(one), _SETTING)),
            Column("budget", lambda one: _folded(f"{one.what} {one.bound}", _BUDGET)),
            Column("found", _found, right=True),
            Column("", lambda one: _folded(outcome(one), _OUTCOME)),
        ],
    )


def _covered(covered: Sequence[Coverage]) -> Table[Coverage]:
    return Table(
        "What the budgets cover",
        covered,
        [
            Column("lines", lambda one: _folded(", ".join(map(str, one.lines)), _LINES)),
            Column("settings", lambda one: f"{one.settings:,}", right=True),
            Column("levels of all factors", lambda one: textwrap.fill(_levels(one), _LEVELS, break_on_hyphens=False)),
        ],
    )


def _levels(one: Coverage) -> str:
    return " ".join((one.benchmark, *(f"{name}={', '.join(map(str, some))}" for name, some in one.levels.items())))


def _found(one: BudgetResult) -> str:
    return "\n".join(_folded(part, _FOUND) for part in (value(one), interval(one)) if part)


def _folded(text: str, columns: int) -> str:
    return textwrap.fill(text, columns)
