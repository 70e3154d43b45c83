"""Two sides next to each other: the tables of the terminal and the page."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from intercore.benchmarks.series import called
from intercore.comparison.largest import differing_most, quantity_name
from intercore.comparison.verdicts import in_words
from intercore.record.origin import in_brackets
from intercore.view.quantity import bounds, data_rate, duration, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from intercore.comparison.analysis import Comparison, Difference, Side
    from intercore.comparison.pairs import Pair
    from intercore.statistics.intervals import Interval

MOST_SHOWN = 8
"""Quantities in the table of what differs most: with what stands around it, a screen."""
_APART = "Welch's t on the logarithms of the repetitions' medians or"
_BY_TURNS = "Student's t on the logarithms of the ratios of repetitions that were measured next to each other or"
_THREE_DECIMALS_SAY = 0.1  # of a ratio
_THOUSAND = 1e3
_HUNDREDS = 100  # of a ratio, from which on its decimals say nothing
_MOST_VALUE = 60  # characters of a condition


def comparison_section(found: Comparison, *, in_full: bool = True, with_most: bool = True) -> Section:
    """Return the section for people: `with_most` adds the largest differences, `in_full` all quantities."""
    first, second = _name(found.first), _name(found.second)
    groups = groupby(found.pairs, key=lambda pair: (pair.benchmark, pair.series))
    differing = _largest(f"Largest differences: {first} and {second}", found)
    tables: list[Table[Any]] = [differing] if differing.rows and with_most else []
    interval = _BY_TURNS if found.by_turns and not found.first.simulated else _APART
    if in_full:
        tables += [
            _pairs(f"{benchmark}, {called(benchmark, series)}: {first} and {second}", list(pairs), found)
            for (benchmark, series), pairs in groups
        ]
    if found.differences and in_full:
        tables.append(_differences(found))
    return Section(
        f"{first} and {second} side by side",
        (*found.answer, *found.sentences) if in_full else (*found.answer, *_on_request(found)),
        tables,
        notes=(
            "A ratio is the second side's median over the first one's, of times or of bytes per second. Its 95 % "
            f"interval is by {interval}; with a single repetition, it combines the intervals of both medians (MOVER). "
            "The expected share of false alarms among slower and faster is 5 % (Benjamini & Hochberg). Same means "
            "that the interval excludes a difference larger than the given one. Before and after a change on a "
            "simulated chip, the interval is by Student's t on the logarithms of the medians of one program in "
            "several phases (seeds, and addresses of its code): phase means that the two differ by no more than that "
            "program differs from itself.",
        ),
    )


def _on_request(found: Comparison) -> Iterator[str]:
    rest = len(found.pairs) - min(MOST_SHOWN, sum(map(_may_differ, found.pairs)))
    if rest > 0:
        differing = f", and {len(found.differences)} conditions that differ" if found.differences else ""
        yield f"{rest} more quantities{differing}: add --all."
    elif found.differences:
        yield f"{len(found.differences)} conditions differ: add --all."


def _largest(title: str, found: Comparison) -> Table[Pair]:
    """Show the quantities whose sides differ most, worse and better ones."""
    columns: list[Column[Pair]] = [
        Column("quantity", quantity_name),
        Column("setting", setting_name),
        *_medians_columns(found),
    ]
    if any(pair.cycles is not None for pair in found.pairs):
        columns.append(Column("cycles", _cycles, right=True))
    columns.append(Column("verdict", verdict_words))
    return Table(title, differing_most([*filter(_may_differ, found.pairs)], MOST_SHOWN), columns)


def _may_differ(pair: Pair) -> bool:
    """Whether a pair is worth a row: what is identical, or moved within phase, is counted in the answer."""
    return pair.verdict != "phase" and not (pair.verdict == "same" and pair.within == 0)


def setting_name(pair: Pair) -> str:
    """Return the factors of a pair that take several levels, as they are typed."""
    return " ".join(f"{name}={level}" for name, level in pair.setting.items())


def _cycles(pair: Pair) -> str:
    return "" if pair.cycles is None else f"{pair.cycles:+,.12g}"


def verdict_words(pair: Pair) -> str:
    """Return the verdict, and what stands behind it."""
    return in_words(pair.verdict, pair.within, pair.more_runs or pair.more_repetitions)


def comparison_rows(found: Comparison) -> list[dict[str, object]]:
    """Return a row for each pair of settings."""
    return [_flat(found, pair) for pair in found.pairs]


def _name(side: Side) -> str:
    return in_brackets(side.name, side.origin)


def _pairs(title: str, pairs: Sequence[Pair], found: Comparison) -> Table[Pair]:
    names = dict.fromkeys(name for pair in pairs for name in pair.setting)
    columns: list[Column[Pair]] = [Column(name, partial(_level, name)) for name in names]
    columns += [*_medians_columns(found), Column("95 %", of_ratio, right=True), Column("verdict", verdict_words)]
    return Table(title, pairs, columns)


def _medians_columns(found: Comparison) -> list[Column[Pair]]:
    return [
        Column(found.first.title, lambda pair: median_text(pair, pair.first), right=True),
        Column(found.second.title, lambda pair: median_text(pair, pair.second), right=True),
        Column("ratio", lambda pair: "?" if pair.ratio is None else times(pair.ratio.value), right=True),
    ]


def _level(name: str, pair: Pair) -> str:
    return str(pair.setting.get(name, ""))


def median_text(pair: Pair, median: Interval) -> str:
    """Return a median of a pair in its unit."""
    shown = {"us": duration, "bytes_per_s": data_rate, "count": _count, "factor": times}[pair.unit]
    return shown(median.value)


def _count(number: float) -> str:
    """Return a number to three digits, in words where it would be long."""
    for scale, word in ((1e9, "billion"), (1e6, "million")):
        if number >= 0.9995 * scale:
            return f"{significant(number / scale)} {word}"
    return f"{float(significant(number)):,.0f}" if number >= _THOUSAND else significant(number)


def times(ratio: float) -> str:
    """Return a ratio with enough digits to show a change."""
    if ratio >= _HUNDREDS:
        return f"{ratio:,.0f}"
    return f"{ratio:.3f}" if ratio >= _THREE_DECIMALS_SAY else significant(ratio, 2)


def of_ratio(pair: Pair) -> str:
    """Return the interval of the ratio: `exact`, its bounds, or `?`."""
    if pair.exact:
        return "exact"
    return "?" if pair.ratio is None else bounds(pair.ratio, times) or "?"


def _differences(found: Comparison) -> Table[Difference]:
    return Table(
        "Conditions that differ",
        found.differences,
        [
            Column("condition", lambda one: one.key),
            Column(found.first.title, lambda one: _short(one.first)),
            Column(found.second.title, lambda one: _short(one.second)),
        ],
    )


def _short(values: Sequence[str]) -> str:
    """Return a condition's values, cut at the end of a word where they are long."""
    text = " / ".join(values) or "unknown"
    if len(text) <= _MOST_VALUE:
        return text
    whole, blank, _ = text[:_MOST_VALUE].rpartition(" ")
    return f"{whole if blank else text[: _MOST_VALUE - 1]}…"


def _flat(found: Comparison, pair: Pair) -> dict[str, object]:
    return {
        "benchmark": pair.benchmark,
        "series": pair.series,
        **pair.setting,
        "unit": pair.unit,
        found.first.name: pair.first.value,
        found.second.name: pair.second.value,
        **interval_cells("ratio", pair.ratio),
        "exact": pair.exact,
        "verdict": pair.verdict,
        "within": pair.within,
        "more_repetitions": pair.more_repetitions,
        "more_runs": pair.more_runs,
        "cycles": pair.cycles,
        "simulated": found.first.simulated or found.second.simulated,
        "emulated": found.first.emulated or found.second.emulated,
    }
