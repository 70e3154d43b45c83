"""The report of the benchmark `message`: what to choose, models of latency and throughput, and what explains them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from intercore.benchmarks.benchmark import AS_USUAL
from intercore.benchmarks.message import WITHIN
from intercore.benchmarks.message.analysis import MessageAnalysis, analyse_curves, caveats
from intercore.benchmarks.message.answers import answers, core_times, costs, remarks
from intercore.benchmarks.message.choice import MessageRank
from intercore.benchmarks.message.curve import BENCHMARK, MEASURES, Curve, curves, observations
from intercore.benchmarks.message.exhibits import exhibits
from intercore.benchmarks.message.overhead import MessageOverhead, overhead_table, overheads
from intercore.benchmarks.message.pilot import pilot_table
from intercore.benchmarks.message.plots import usual_figure
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.message.results import results
from intercore.benchmarks.message.round_trip import MessageRoundTrip, round_trips
from intercore.benchmarks.message.rows import MessageLatency, MessageThroughput
from intercore.benchmarks.published import published
from intercore.finding import texts
from intercore.view.factors import factor_table, interaction_figures, main_effects_figure
from intercore.view.quantity import bounds, data_rate, duration, duration_bounds, significant, tenths
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from intercore.benchmarks.benchmark import View
    from intercore.benchmarks.message.curve import Measure
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

Row: TypeAlias = MessageLatency | MessageThroughput

_RANKED = 10  # rows of a ranking that are shown
_FORMULAE: Mapping[Measure, str] = {
    "latency": "alpha + beta × size",
    "throughput": "per message alpha + beta × size",
}


def report(run: Run, within: float = WITHIN.default, view: View = AS_USUAL) -> Report:
    """Report on the measurements of `message`; pilots are to know a time to the fraction `within` to either side."""
    found = curves(run.measurements)
    analysis = analyse_curves(found, round_trips(run.measurements), overheads(run.measurements), within)
    findings = [*results(analysis, found), *caveats((*run.measurements, *run.failed), found)]
    shown = list(exhibits(run, found, analysis))
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(findings)}},
        [
            *(_row(row, measure) for measure, rows in _by_measure(analysis).items() for row in rows),
            *map(_round_trip_row, analysis.round_trips),
            *map(_overhead_row, analysis.overheads),
        ],
        findings,
        Section(
            "Moving messages between cores (message)",
            texts(findings),
            [*_tables(run, analysis), *(one.verdict_table for one in shown)],
            list(_figures(found, analysis, view)),
            list(_notes(run, analysis)),
        ),
        topic="messages",
        exhibits=shown,
        answers=tuple(answers(analysis)),
        costs=tuple(costs(analysis)),
        core_times=tuple(core_times(analysis)),
        remarks=tuple(remarks(analysis)),
    )


def _by_measure(analysis: MessageAnalysis) -> dict[Measure, tuple[Row, ...]]:
    return {"latency": analysis.latency, "throughput": analysis.throughput}


def _row(row: Row, measure: Measure) -> dict[str, object]:
    return {
        **row.varied,
        "measure": measure,
        "transport": row.transport,
        "from": row.first,
        "to": row.second,
        "region": row.region,
        "receiver": row.receiver,
        "load": row.load,
        "sizes": [one.bytes for one in row.sizes],
        **interval_cells("alpha_us", row.alpha_us),
        **interval_cells("beta_ns_per_byte", row.beta_ns_per_byte),
        "relative_error_median": row.relative_error_median,
        "relative_error_max": row.relative_error_max,
        "pieces": len(row.pieces),
        "held_out_median": row.held_out_median,
        "within_us": row.within_us if isinstance(row, MessageLatency) else None,
        "wrong": row.checks.get("wrong", 0),
        "lost": row.checks.get("lost", 0),
    }


def _round_trip_row(row: MessageRoundTrip) -> dict[str, object]:
    return {
        **row.varied,
        "measure": "round-trip",
        "transport": row.transport,
        "from": row.first,
        "to": row.second,
        "receiver": row.receiver,
        "load": row.load,
        "sizes": [row.bytes],
        **interval_cells("round_trip_us", row.round_trip_us.median),
        "wrong": row.wrong,
    }


def _overhead_row(row: MessageOverhead) -> dict[str, object]:
    receiver = row.receiver
    return {
        **row.varied,
        "measure": "overhead",
        "transport": row.transport,
        "from": row.sender.core,
        "to": (receiver or row.sender).core,
        "region": row.region,
        "sizes": [row.bytes],
        **interval_cells("sender_us", row.sender.us),
        **interval_cells("receiver_us", receiver.us if receiver else None),
    }


# Tables


def _tables(run: Run, analysis: MessageAnalysis) -> Iterator[Table[Any]]:
    for measure, rows in _by_measure(analysis).items():
        if rows:
            sizes = {_sizes(row) for row in rows}
            over = f", {next(iter(sizes))} bytes" if len(sizes) == 1 else ""
            within = max((row.within_us for row in rows if isinstance(row, MessageLatency)), default=0.0)
            by = f", ±{duration(within)}" if within else ""
            title = f"{measure.capitalize()} on {where(run)}: {_FORMULAE[measure]}{over}{by}"
            yield Table(title, rows, _model_columns(rows))
    if analysis.overheads:
        yield overhead_table(analysis.overheads, where(run))
    if analysis.pilots:
        yield pilot_table(analysis.pilots, where(run))
    if analysis.round_trips:
        trips = analysis.round_trips
        yield Table(f"Round trip to an echo and back on {where(run)}", trips, _round_trip_columns(trips))
    for measure in MEASURES:
        for size in sorted({one.bytes for one in analysis.ranking if one.measure == measure}):
            ranked = [one for one in analysis.ranking if (one.measure, one.bytes) == (measure, size)]
            more = f", the first {_RANKED} of {len(ranked)}" if len(ranked) > _RANKED else ""
            title = f"{measure.capitalize()}, {size:,} bytes, on {where(run)}: ranking{more}"
            yield Table(title, ranked[:_RANKED], _rank_columns(ranked))
    for measure, effects in (("latency", analysis.latency_factors), ("throughput", analysis.throughput_factors)):
        if effects is not None:
            yield factor_table(f"Effects on the {measure} on {where(run)}", effects, exact=run.plan.simulated)


def _model_columns(rows: Sequence[Row]) -> list[Column[Row]]:
    settings = [row.setting for row in rows]
    varied = [name for name in settings[0] if len({str(setting.get(name)) for setting in settings}) > 1]
    named = [name for name in varied if name not in ("transport", "from", "to")]
    return [
        Column("transport", lambda row: row.transport),
        *([Column[Row]("cores", lambda row: f"{row.first} → {row.second}")] if {"from", "to"} & set(varied) else []),
        *(Column(name, partial(_level, name)) for name in named),
        *([Column[Row]("sizes", _sizes, right=True)] if len({_sizes(row) for row in rows}) > 1 else []),
        Column("alpha", _alpha, right=True),
        Column("beta, ns/B", _beta, right=True),
        Column("error, %", _off, right=True),
        Column("held out", lambda row: _hundredths(row.held_out_median), right=True),
        Column("lines", lambda row: str(len(row.pieces)), right=True),
    ]


def _round_trip_columns(rows: Sequence[MessageRoundTrip]) -> list[Column[MessageRoundTrip]]:
    columns = [
        Column[MessageRoundTrip]("transport", lambda row: row.transport),
        Column[MessageRoundTrip]("tasks", lambda row: f"{row.first}, {row.second}"),
    ]
    if len({row.receiver for row in rows}) > 1:
        columns.append(Column("receiver", lambda row: row.receiver))
    if len({row.load for row in rows}) > 1:
        columns.append(Column("load", lambda row: row.load))
    return [
        *columns,
        *(Column[MessageRoundTrip](name, partial(_varied, name)) for name in rows[0].varied),
        Column("bytes", lambda row: f"{row.bytes:,}", right=True),
        Column("n", lambda row: f"{row.round_trip_us.n:,}", right=True),
        Column("round trip", lambda row: duration(row.round_trip_us.median.value), right=True),
        Column("95 %", lambda row: duration_bounds(row.round_trip_us.median) or "–", right=True),
        Column("max", lambda row: duration(row.round_trip_us.max), right=True),
        Column("send", lambda row: "–" if row.send_us is None else duration(row.send_us.value), right=True),
    ]


def _varied(name: str, row: MessageRoundTrip) -> str:
    return str(row.varied.get(name, ""))


def _level(name: str, row: Row) -> str:
    return str(row.setting.get(name, ""))


def _sizes(row: Row) -> str:
    sizes = [one.bytes for one in row.sizes]
    return f"{sizes[0]}–{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])


def _alpha(row: Row) -> str:
    """Return a duration and by how much its interval reaches to either side, in one unit."""
    alpha = row.alpha_us
    if alpha is None or alpha.low is None or alpha.high is None:
        return "–" if alpha is None else duration(alpha.value)
    if not alpha.value:
        return duration(alpha.value)
    value, unit = duration(alpha.value).rsplit(" ", 1)
    places = len(value.partition(".")[2])
    scale = abs(alpha.value) / abs(float(value))
    return f"{value} ± {_within((alpha.high - alpha.low) / 2 / scale, places)} {unit}"


def _within(half: float, places: int) -> str:
    """Return half an interval with so many decimals; what is not 0 and would be rounded to it as `<0.1`."""
    text = f"{half:.{places}f}"
    return text if float(text) or not half else f"<{10**-places:.{places}f}"


def _beta(row: Row) -> str:
    beta = row.beta_ns_per_byte
    if beta is None or beta.low is None or beta.high is None:
        return "–" if beta is None else f"{beta.value:.2f}"
    places = 1 if abs(beta.value) >= 10 else 2
    value, within = round(beta.value, places) + 0.0, _within((beta.high - beta.low) / 2, places)
    return within if not value and within.startswith("<") else f"{value:.{places}f} ± {within}"


def _off(row: Row) -> str:
    if row.relative_error_median is None or row.relative_error_max is None:
        return "–"
    both = (_hundredths(row.relative_error_median), _hundredths(row.relative_error_max))
    return both[0] if both[0] == both[1] and both[0] in {tenths(0.0), tenths(_LEAST)} else ", ".join(both)


_LEAST = 1e-3  # less than a table's tenths show


def _hundredths(fraction: float | None) -> str:
    return "–" if fraction is None else tenths(100 * fraction)


def _percent(fraction: float | None) -> str:
    return "–" if fraction is None else f"{tenths(100 * fraction)} %"


def _rank_columns(ranked: Sequence[MessageRank]) -> list[Column[MessageRank]]:
    columns = [Column[MessageRank]("", lambda one: str(one.rank), right=True)]
    columns += [Column(name, partial(_choice, name)) for name in ranked[0].choice]
    if ranked[0].bytes_per_s is not None:
        columns += [Column("throughput", lambda one: data_rate(one.bytes_per_s or 0.0), right=True)]
    return [
        *columns,
        Column(
            "time" if ranked[0].bytes_per_s is None else "per message",
            lambda one: duration(one.time_us.value),
            right=True,
        ),
        *([Column[MessageRank]("95 %", _time_bounds, right=True)] if ranked[0].bytes_per_s is None else []),
        Column("× the best", lambda one: significant(one.times_best.value), right=True),
        Column("95 %", lambda one: bounds(one.times_best, significant) if one.rank > 1 else "", right=True),
    ]


def _time_bounds(one: MessageRank) -> str:
    return duration_bounds(one.time_us) or "–"


def _choice(name: str, one: MessageRank) -> str:
    return str(one.choice.get(name, ""))


# Figures


def _figures(found: Sequence[Curve], analysis: MessageAnalysis, view: View) -> Iterator[Figure]:
    for measure in MEASURES:
        ours = [curve for curve in found if curve.measure == measure and float(curve.points.y.max()) > 0]
        if ours:
            yield usual_figure(measure, ours, view)
    for measure, effects in (("latency", analysis.latency_factors), ("throughput", analysis.throughput_factors)):
        if effects is None:
            continue
        response = "latency" if measure == "latency" else "time per message"
        main = main_effects_figure(f"message-{measure}-factors", f"Effect of each factor on the {response}", effects)
        if main is not None:
            yield main
        ours = [curve for curve in found if curve.measure == measure]
        yield from interaction_figures(
            f"message-{measure}", f"{response.capitalize()}", response, "s", effects, observations(ours), 1e-6
        )


# Notes


def _notes(run: Run, analysis: MessageAnalysis) -> Iterator[str]:
    if analysis.overheads:
        yield (
            "The processor time of a message on a core is the time that a task of lower priority on that core loses "
            "for each message. That task counts iterations of a loop while messages arrive one by one, and for the "
            "same time without messages. The loss includes the call, the interrupt, the context switches to the "
            "message's task and back, the copy, writing and checking the message's number, and the interference of "
            "the other core with the loop."
        )
    if not (analysis.latency or analysis.throughput or analysis.round_trips):
        return
    yield (
        "Latency lasts from before the sending call to after the receiving call, on the common clock. The message is "
        "in the sender's memory before and in the receiver's after. With zero-copy, it is written before and read "
        "after the measured time. Throughput: a stream of messages whose sender never waits for an answer."
    )
    yield (
        "A line is fitted to the medians. The weight of each median depends on its interval and on the scatter of the "
        "sizes about a line. The line is piecewise if that at least halves the error of cross-validation. Error: that "
        "of one line, median over the sizes, and the largest. Held out: median error of predictions for sizes left "
        "out of the fit."
    )
    if run.plan.simulated and (analysis.latency_factors or analysis.throughput_factors):
        yield "The simulated chip is deterministic, so there is no F and no p: every effect is real."
    for table in published(MessagePublication):
        yield from _compared(table, analysis)
        if analysis.published:
            yield f"Of this paper ({table.label}): {' '.join(table.notes)}"


def _compared(table: MessagePublication, analysis: MessageAnalysis) -> Iterator[str]:
    """Return the error of a published line, with that of this run's lines, if there is one."""
    rows = [row for row in (*analysis.latency, *analysis.throughput) if row.relative_error_max is not None]
    if rows:
        median = float(np.median([row.relative_error_median or 0.0 for row in rows]))
        worst = max(row.relative_error_max or 0.0 for row in rows)
        yield f"In this run a line has a median error of {_percent(median)}, and {_percent(worst)} at worst."
        yield (
            f"Published: a line is off by less than {100 * table.figures.relative_error_below:g} % ({table.label}). "
            f"{table.source.citation}."
        )
