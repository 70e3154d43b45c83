"""What people read of energy: by window and by operation, one core against several, and the current over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from intercore.benchmarks.energy import BenchmarkEconomy, EnergyAnalysis, EnergyRow, analyse
from intercore.energy.alignment import align
from intercore.energy.placement import RefusedError
from intercore.finding import unconverted
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.current import current_figure
from intercore.view.quantity import bounds, duration, multiple, si, si_with_bounds, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from intercore.energy.economy import Economy
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

ESTIMATED = "ESTIMATED"
_MOST_FIGURES = 4
_DASH = "–"


def report(run: Run, *, idle: float = 0.0) -> Report | None:
    """Report on energy; None where no meter was to see it. `idle` is the part of the power at rest to subtract."""
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
    return Report(
        "energy",
        {"energy": msgspec.to_builtins(analysis)},
        [_flat(row, analysis.kind) for row in analysis.rows],
        unconverted(_sentences(analysis), _warnings(analysis)),
        Section("What it takes in energy", list(_sentences(analysis)), tables, list(_figures(run)), _NOTES),
        topic="energy",
        answers=tuple(_answers(analysis)),
    )


_NOTES = (
    "A window is the time for which the target held the energy mark high. Where the meter does not see the mark, "
    "windows are found by their known lengths against the edges of the current. The mean power is that of the "
    "samples that lie wholly within the window; its length is the target's own. The interval is Student's t over "
    "repetitions; of one repetition, it knows the noise of that recording alone. The accuracy of the meter is in "
    "neither.",
    "E(1)/E(P) compares the energy of one operation on one core with that on several, each at the best that was "
    "measured: above 1, several cores save energy. The energy-delay product is energy × time of an operation. "
    "Race to idle: several cores do the work and rest until one core would have been done.",
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
    return Table(_heading("What a window takes", run, analysis), analysis.rows, columns)


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
    return Table(_heading("What an operation takes", run, analysis), analysis.rows, columns)


def _economy_table(run: Run, analysis: EnergyAnalysis) -> Table[BenchmarkEconomy]:
    columns: list[Column[BenchmarkEconomy]] = [
        Column("one core", lambda row: row.found.one),
        Column("against", lambda row: f"{row.found.cores} cores: {row.found.several}"),
        Column("speed-up", lambda row: multiple(row.found.time_ratio), right=True),
        Column("race to idle", lambda row: _raced(row.found), right=True),
        Column("E(1)/E(P)", lambda row: _ratio(row.found.energy_ratio), right=True),
        Column("energy × time", lambda row: multiple(row.found.energy_delay_ratio), right=True),
    ]
    return Table(_heading("One core against several, at the same work,", run, analysis), analysis.economies, columns)


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
                lambda row: "not told" if row.clock.drift_ppm is None else _ppm(row.clock.drift_ppm),
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
    return [*columns, Column("at work", lambda row: row.took.label)]


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
    told = multiple(ratio.value)
    return told if span in ("", f"{told} – {told}") else f"{told} ({span})"


def _raced(found: Economy) -> str:
    return _DASH if found.race_to_idle_ratio is None else _ratio(found.race_to_idle_ratio)


def _ppm(drift: Interval) -> str:
    if drift.low is None or drift.high is None:
        return f"{round(drift.value) + 0}"
    return f"{round(drift.value) + 0} ± {significant((drift.high - drift.low) / 2, 2)}"


# Sentences


def _sentences(analysis: EnergyAnalysis) -> Iterator[str]:
    for one in analysis.economies:
        yield _economy_sentence(one, analysis)
    yield _of_what(analysis)


def _economy_sentence(one: BenchmarkEconomy, analysis: EnergyAnalysis) -> str:
    """Say what a second core saves a product, which rests when its work is done, and then by the work alone."""
    found = one.found
    estimated = f" ({ESTIMATED})" if analysis.kind == "estimated" else ""
    raced, alone = found.race_to_idle_ratio, f"{multiple(found.energy_ratio.value)} times"
    cores = f"on one core ({found.one}) that it takes on {found.cores} ({found.several})"
    faster = f"which do it {multiple(found.time_ratio)} times as fast"
    if raced is None:
        verdict = _verdict(found.energy_ratio)
        return f"{one.benchmark}: the same work takes {alone} the energy {cores}, {faster}: {verdict}{estimated}."
    times = f"{multiple(raced.value)} times"
    return (
        f"{one.benchmark}: the same work takes {times} the energy {cores}, {faster} and then rest until one would have "
        f"been done: {_verdict(raced)}{estimated}. Without that rest it is {alone}."
    )


def _verdict(ratio: Interval) -> str:
    if ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high:
        return "whether a second core saves energy cannot be told"
    return "a second core saves energy" if ratio.low > 1 else "a second core costs energy"


def _of_what(analysis: EnergyAnalysis) -> str:
    if analysis.kind == "estimated":
        return (
            f"{ESTIMATED}: a simulated chip has no current. This is the activity of its cores times the currents of "
            f"{analysis.path}, and no better than they are."
        )
    if analysis.of_chip:
        return "This is the energy of the chip alone, as the user says of the meter's path (--path chip)."
    if analysis.path == "not stated":
        return (
            "What the meter feeds besides the chip was not stated (--path), so none of this is the chip's energy: it "
            "is that of all that the meter feeds."
        )
    return f"This is the energy of {analysis.path}, as the user says of the meter's path, and not of the chip alone."


def _warnings(analysis: EnergyAnalysis) -> Iterator[str]:
    for why in analysis.refused:
        yield f"Energy is missing of {analysis.lacking} of {analysis.of} measurements: {why}."


def _answers(analysis: EnergyAnalysis) -> Iterator[Answer]:
    """Answer what one core takes beside several that rest when they are done, as a product's do; then without rest."""
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
        found[name] = None if value is None else value.value
        found[f"{name}_low"] = None if value is None else value.low
        found[f"{name}_high"] = None if value is None else value.high
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
