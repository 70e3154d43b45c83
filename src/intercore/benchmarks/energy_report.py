"""The section on energy: by window and by operation, one core against several, and the current over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from intercore.benchmarks.energy import BenchmarkEconomy, EnergyAnalysis, EnergyRow, analyse
from intercore.benchmarks.findings import ESTIMATED, EnergyMissing, EnergyOfCores, EnergyPath
from intercore.energy.alignment import align
from intercore.energy.placement import RefusedError
from intercore.finding import texts
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.current import current_figure
from intercore.view.quantity import bounds, duration, multiple, si, si_with_bounds, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from intercore.energy.economy import Economy
    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_MOST_FIGURES = 4
_DASH = "–"


def report(run: Run, *, idle: float = 0.0) -> Report | None:
    """Report on energy; None without a meter. `idle` is the part of the power at rest to subtract."""
    analysis = analyse(run)
    if analysis is None:
        return None
    tables: list[Table[Any]] = []
    if analysis.rows:
        tables += [_windows_table(run, analysis), _operations_table(run, analysis, idle)]
    if analysis.economies:
        tables.append(_economy_table(run, analysis))
    if analysis.alignments:
        tables.append(_alignment_table(run, analysis))
    found = list(_findings(analysis))
    return Report(
        "energy",
        {"energy": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(row, analysis.kind) for row in analysis.rows],
        found,
        Section("Energy", texts(found), tables, list(_figures(run)), _NOTES),
        topic="energy",
        answers=tuple(_answers(analysis)),
    )


_NOTES = (
    "A window is the time for which the target held the mark pin high. If the meter does not record that pin, windows "
    "are matched by their known lengths to the edges of the current. The mean power is that of the samples that lie "
    "wholly within the window; the target measures its length. The interval is Student's t over repetitions; with one "
    "repetition, it covers the noise of that recording only. It never includes the accuracy of the meter.",
    "E(1)/E(P) compares the energy of one operation on one core with that on several, each at its best setting: above "
    "1, several cores save energy. The energy-delay product is energy × time of an operation. Race to idle: several "
    "cores do the work, then rest until one core would have finished.",
)


def _heading(text: str, run: Run, analysis: EnergyAnalysis) -> str:
    label = f", {ESTIMATED}" if analysis.kind == "estimated" else ""
    return f"{text} on {where(run)}{label}"


def _windows_table(run: Run, analysis: EnergyAnalysis) -> Table[EnergyRow]:
    with_amps = any(row.took.amps is not None for row in analysis.rows)
    with_peak = any(row.took.peak_amps is not None for row in analysis.rows)
    columns = _setting_columns(analysis)
    if with_amps:
        columns.append(Column("mean current", lambda row: _or_dash(row.took.amps, "A"), right=True))
    if with_peak:
        columns.append(Column("peak", lambda row: _amount(row.took.peak_amps, "A"), right=True))
    if with_amps:
        columns.append(Column("charge", _charge, right=True))
    columns.append(Column("energy", lambda row: si_with_bounds(row.took.joules, "J"), right=True))
    return Table(_heading("Current and energy of the windows", run, analysis), analysis.rows, columns)


def _operations_table(run: Run, analysis: EnergyAnalysis, idle: float) -> Table[EnergyRow]:
    def less_idle(row: EnergyRow) -> str:
        each, rest, seconds = row.took.joules_each, row.took.rest_watts, row.took.seconds_each
        if each is None or rest is None or seconds is None:
            return _DASH
        return si(each.value - idle * rest.value * seconds, "J")

    def product(row: EnergyRow) -> str:
        each, seconds = row.took.joules_each, row.took.seconds_each
        return _DASH if each is None or seconds is None else si(each.value * seconds, "J·s")

    columns = [
        *_setting_columns(analysis),
        Column[EnergyRow]("operation", lambda row: row.took.operation),
        Column("energy of one", lambda row: _or_dash(row.took.joules_each, "J"), right=True),
    ]
    if idle > 0:
        columns.append(Column(f"less {idle:.0%} of rest", less_idle, right=True))
    columns += [
        Column("time of one", lambda row: _time(row.took.seconds_each), right=True),
        Column("energy × time", product, right=True),
    ]
    return Table(_heading("Energy of an operation", run, analysis), analysis.rows, columns)


def _economy_table(run: Run, analysis: EnergyAnalysis) -> Table[BenchmarkEconomy]:
    columns: list[Column[BenchmarkEconomy]] = [
        Column("one core", lambda row: row.found.one),
        Column("against", lambda row: f"{row.found.cores} cores: {row.found.several}"),
        Column("speed-up", lambda row: multiple(row.found.time_ratio), right=True),
        Column("race to idle", lambda row: _raced(row.found), right=True),
        Column("E(1)/E(P)", lambda row: _ratio(row.found.energy_ratio), right=True),
        Column("energy × time", lambda row: multiple(row.found.energy_delay_ratio), right=True),
    ]
    return Table(_heading("One core against several with the same work,", run, analysis), analysis.economies, columns)


def _alignment_table(run: Run, analysis: EnergyAnalysis) -> Table[Any]:
    return Table(
        _heading("The meter's clock against the target's", run, analysis),
        analysis.alignments,
        [
            Column("benchmark", lambda row: row.benchmark),
            Column("repetition", lambda row: str(row.repetition), right=True),
            Column("windows found by", lambda row: row.how),
            Column("first window at", lambda row: si_with_bounds(row.clock.offset_s, "s"), right=True),
            Column(
                "drift, ppm",
                lambda row: "unknown" if row.clock.drift_ppm is None else _ppm(row.clock.drift_ppm),
                right=True,
            ),
        ],
    )


def _setting_columns(analysis: EnergyAnalysis) -> list[Column[EnergyRow]]:
    names = dict.fromkeys(name for row in analysis.rows for name in row.varied)
    columns = [Column[EnergyRow]("benchmark", lambda row: row.benchmark)] * (
        len({row.benchmark for row in analysis.rows}) > 1
    )
    columns += [Column(name, _level(name)) for name in names]
    return [*columns, Column("active", lambda row: row.took.label)]


def _level(name: str) -> Any:  # noqa: ANN401 - what a column takes
    return lambda row: str(row.varied.get(name, ""))


def _amount(value: float | None, unit: str) -> str:
    return _DASH if value is None else si(value, unit)


def _charge(row: EnergyRow) -> str:
    return _DASH if row.took.coulombs is None else si(row.took.coulombs.value, "C")


def _or_dash(value: Interval | None, unit: str) -> str:
    return _DASH if value is None else si_with_bounds(value, unit)


def _time(seconds: float | None) -> str:
    return _DASH if seconds is None else duration(1e6 * seconds)


def _ratio(ratio: Interval) -> str:
    span = bounds(ratio, multiple)
    ratio_text = multiple(ratio.value)
    return ratio_text if span in ("", f"{ratio_text} – {ratio_text}") else f"{ratio_text} ({span})"


def _raced(found: Economy) -> str:
    return _DASH if found.race_to_idle_ratio is None else _ratio(found.race_to_idle_ratio)


def _ppm(drift: Interval) -> str:
    if drift.low is None or drift.high is None:
        return f"{round(drift.value) + 0}"
    return f"{round(drift.value) + 0} ± {significant((drift.high - drift.low) / 2, 2)}"


# Findings


def _findings(analysis: EnergyAnalysis) -> Iterator[Finding]:
    """Return the findings on the gain of a second core, the meter's path, and missing energy."""
    for one in analysis.economies:
        yield EnergyOfCores(
            benchmark=one.benchmark,
            one=one.found.one,
            several=one.found.several,
            cores=one.found.cores,
            speed_up=one.found.time_ratio,
            at_work=one.found.energy_ratio,
            with_rest=one.found.race_to_idle_ratio,
            second_core=_verdict(one.found.race_to_idle_ratio or one.found.energy_ratio),
            estimated=analysis.kind == "estimated",
        )
    yield EnergyPath(of=_of_what(analysis), path=analysis.path)
    for why in analysis.refused:
        yield EnergyMissing(missing=analysis.missing, measurements=analysis.of, why=why)


def _verdict(ratio: Interval) -> Literal["saves", "costs", "unknown"]:
    if ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high:
        return "unknown"
    return "saves" if ratio.low > 1 else "costs"


def _of_what(analysis: EnergyAnalysis) -> Literal["estimate", "chip", "not stated", "more than the chip"]:
    if analysis.kind == "estimated":
        return "estimate"
    if analysis.of_chip:
        return "chip"
    return "not stated" if analysis.path == "not stated" else "more than the chip"


def _answers(analysis: EnergyAnalysis) -> Iterator[Answer]:
    """Answer the energy of one core against several that rest when they are done, as in a product; then without."""
    for one in analysis.economies[:1]:
        found = one.found
        energy = f"the {f'{ESTIMATED} ' if analysis.kind == 'estimated' else ''}energy of {found.cores} cores"
        if found.race_to_idle_ratio is not None:
            about = f"{energy} that then rest until one is done"
            yield Answer("energy of one core", found.race_to_idle_ratio, "times", about)
        yield Answer("energy, without any rest", found.energy_ratio, "times", f"{energy}, at the same work")


def _flat(row: EnergyRow, kind: str) -> Mapping[str, object]:
    took = row.took
    found: dict[str, object] = {**row.varied, "of": row.benchmark, "kind": kind, "at_work": took.label}
    found |= {
        "operation": took.operation,
        "cores": took.cores,
        "windows": took.windows,
        "repetitions": took.repetitions,
        "seconds": took.seconds,
    }
    known = {"joules": took.joules, "watts": took.watts, "amps": took.amps, "joules_each": took.joules_each}
    for name, value in known.items():
        found |= interval_cells(name, value)
    return found | {"peak_amps": took.peak_amps, "operations": took.operations, "seconds_each": took.seconds_each}


# Figures


def _figures(run: Run) -> Iterator[Figure]:
    """Draw the current of the first measurement of each setting that a meter sampled, as far as a page has room."""
    seen: set[str] = set()
    for one in run.measurements:
        recording = one.recording
        if recording is None or recording.trace is None or recording.missing or len(seen) == _MOST_FIGURES:
            continue
        setting = str(sorted((name, level) for name, level in one.factors.items() if name != "seed"))
        if setting in seen:
            continue
        try:
            places = align(recording.trace, recording.windows).places
        except RefusedError:
            continue
        seen.add(setting)
        yield current_figure(
            f"Current during {one.benchmark} on {where(run)}",
            f"current-{one.benchmark}-{len(seen)}",
            recording.trace,
            [(place.begin, place.end, window.label) for window, place in zip(recording.windows, places, strict=True)],
        )
