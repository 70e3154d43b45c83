"""Two targets side by side: the tables that the terminal and the page show."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from intercore.record.origin import in_brackets
from intercore.view.quantity import bounds, data_rate, duration, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from intercore.comparison.analysis import Comparison, Difference, Pair, Side
    from intercore.statistics.intervals import Interval

_MOST_VALUE = 60  # characters of a condition


def comparison_section(found: Comparison) -> Section:
    """Return what people read of it."""
    first, second = _name(found.first), _name(found.second)
    groups = groupby(found.pairs, key=lambda pair: (pair.benchmark, pair.series))
    tables: list[Table[Any]] = [
        _pairs(f"{benchmark}, {series}: {first} and {second}", list(pairs), found)
        for (benchmark, series), pairs in groups
    ]
    if found.differences:
        tables.append(_differences(found))
    return Section(
        f"{first} and {second} side by side",
        found.sentences,
        tables,
        notes=(
            "A ratio is the second target's median over the first one's, of times or of bytes per second. Its 95 % "
            "interval is made of those of both medians (MOVER, on the logarithmic scale).",
        ),
    )


def comparison_rows(found: Comparison) -> list[dict[str, object]]:
    """Return a row for each pair of settings."""
    return [_flat(found, pair) for pair in found.pairs]


def _name(side: Side) -> str:
    return in_brackets(side.target, side.origin)


def _pairs(title: str, pairs: Sequence[Pair], found: Comparison) -> Table[Pair]:
    names = list(dict.fromkeys(name for pair in pairs for name in pair.setting))
    told = [name for name in names if len({pair.setting.get(name) for pair in pairs}) > 1]
    columns: list[Column[Pair]] = [Column(name, partial(_level, name)) for name in told]
    columns += [
        Column(found.first.target, lambda pair: _value(pair, pair.first), right=True),
        Column(found.second.target, lambda pair: _value(pair, pair.second), right=True),
        Column("ratio", lambda pair: "?" if pair.ratio is None else f"{pair.ratio.value:.3f}", right=True),
        Column("95 %", _certainty, right=True),
    ]
    return Table(title, pairs, columns)


def _level(name: str, pair: Pair) -> str:
    return str(pair.setting.get(name, ""))


def _value(pair: Pair, median: Interval) -> str:
    shown = {"us": duration, "bytes_per_s": data_rate, "count": significant}[pair.unit]
    return shown(median.value)


def _certainty(pair: Pair) -> str:
    if pair.exact:
        return "exact"
    return "?" if pair.ratio is None else bounds(pair.ratio, lambda value: f"{value:.3f}") or "?"


def _differences(found: Comparison) -> Table[Difference]:
    return Table(
        "Conditions that differ",
        found.differences,
        [
            Column("condition", lambda one: one.key),
            Column(found.first.target, lambda one: _short(one.first)),
            Column(found.second.target, lambda one: _short(one.second)),
        ],
    )


def _short(values: Sequence[str]) -> str:
    text = " / ".join(values) or "not told"
    return text if len(text) <= _MOST_VALUE else f"{text[: _MOST_VALUE - 1]}…"


def _flat(found: Comparison, pair: Pair) -> dict[str, object]:
    ratio = pair.ratio
    return {
        "benchmark": pair.benchmark,
        "series": pair.series,
        **pair.setting,
        "unit": pair.unit,
        found.first.target: pair.first.value,
        found.second.target: pair.second.value,
        "ratio": None if ratio is None else ratio.value,
        "ratio_low": None if ratio is None else ratio.low,
        "ratio_high": None if ratio is None else ratio.high,
        "exact": pair.exact,
        "simulated": found.first.simulated or found.second.simulated,
        "emulated": found.first.emulated or found.second.emulated,
    }
