"""What people and programs read of the prediction of an event: what it comes to, how sure that is, what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.event_prediction import EventRanking
from intercore.benchmarks.prediction_basis import in_words
from intercore.benchmarks.ranking_report import basis_of, common_notes, telling, ties, under
from intercore.record.origin import in_heading
from intercore.view.quantity import duration, duration_bounds, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.event_prediction import EventPrediction
    from intercore.benchmarks.ranking import Rank
    from intercore.record.measurement import Level

_SHOWN = 20  # settings of a ranking; --format json has all


def prediction_section(found: EventPrediction | EventRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, EventRanking) else _single_section(found)


def _single_section(found: EventPrediction) -> Section:
    columns = [
        Column[tuple[str, str, str]]("", lambda row: row[0]),
        Column[tuple[str, str, str]]("predicted", lambda row: row[1], right=True),
        Column[tuple[str, str, str]]("95 %", lambda row: row[2], right=True),
    ]
    lines = [
        (name, duration(known.value), duration_bounds(known) or "–")
        for name, known in (("median", found.median_us), ("a single one", found.single_us))
    ]
    where = f"{in_words(found.setting, found.setting)} on {in_heading(found.target, found.origin)}"
    sentences = (f"Setting: {where}.", *_no_answer(found), _basis(found), *found.notes)
    return Section(found.event, sentences, (Table(found.event, lines, columns),))


def _no_answer(found: EventPrediction | EventRanking) -> Iterator[str]:
    """Say that a prediction is none, and what to measure."""
    if found.to_measure is None:
        return
    what = "This is no answer"
    if isinstance(found, EventRanking):
        several = [one for one in found.ranking if not one.prediction.conclusive]
        what = f"{len(several)} of {len(found.ranking)} {'is' if len(several) == 1 else 'are'} no answer"
    yield f"{what}: the truth may be more than half of the value away. To find out: {found.to_measure.command}"


def _basis(found: EventPrediction) -> str:
    basis = found.basis
    runs = ", ".join(map(str, basis.runs))
    when = basis.first[:10] if basis.first[:10] == basis.last[:10] else f"{basis.first[:10]} to {basis.last[:10]}"
    many = f"{basis.repetitions} repetition{'s' * (basis.repetitions != 1)}"
    settings = f" of {basis.settings} settings" if basis.settings > 1 else ""
    return (
        f"It rests on run{'s' * (len(basis.runs) > 1)} {runs}: {basis.samples:,} samples in {many}{settings}, measured "
        f"on {when}."
    )


# Of several settings


def _ranking_section(found: EventRanking) -> Section:
    given = list({str(one.given): one.given for one in found.ranking}.values())
    told = telling(found.ranking, found.ranking[0].given)
    title = found.ranking[0].prediction.event
    sentences = [
        *_no_answer(found),
        *(sentence for each in given for sentence in ties(found.ranking, each, told, in_words)),
        basis_of(found.ranking, named_shows="it alone"),
        *common_notes(found.ranking),
        *(f"Left out: {sentence}." for sentence in found.left_out),
    ]
    return Section(title, sentences, [_ranking_table(found, each) for each in given])


def _ranking_table(found: EventRanking, given: Mapping[str, Level]) -> Table[Rank[EventPrediction]]:
    rows = under(given, found.ranking)
    names = telling(found.ranking, found.ranking[0].given)
    more = f", the first {_SHOWN} of {len(rows)}" if len(rows) > _SHOWN else ""
    where = f"{in_words(given, given)}, " if given else ""
    return Table(
        f"{rows[0].prediction.event}: {where}on {in_heading(found.target, found.origin)}{more}",
        rows[:_SHOWN],
        [
            Column("", lambda row: f"{row.rank}", right=True),
            Column("setting", lambda row: in_words(row.prediction.setting, names)),
            Column("predicted", lambda row: duration(row.prediction.median_us.value), right=True),
            Column("95 %", _interval, right=True),
            Column("× the first", lambda row: significant(row.times_first), right=True),
        ],
    )


def _interval(row: Rank[EventPrediction]) -> str:
    interval = duration_bounds(row.prediction.median_us) or "–"
    return interval if row.prediction.conclusive else f"{interval}, no answer"


# For programs


def prediction_rows(found: EventPrediction | EventRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    if not isinstance(found, EventRanking):
        return [_row(found)]
    return [{"rank": one.rank, **_row(one.prediction)} for one in found.ranking]


def _row(found: EventPrediction) -> dict[str, object]:
    return {
        "target": found.target,
        "simulated": found.simulated,
        "emulated": found.emulated,
        "benchmark": found.benchmark,
        "event": found.event,
        **found.setting,
        "median_us": found.median_us.value,
        "median_us_low": found.median_us.low,
        "median_us_high": found.median_us.high,
        "single_us_low": found.single_us.low,
        "single_us_high": found.single_us.high,
        "by": found.by,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": found.basis.runs,
        "repetitions": found.basis.repetitions,
        "samples": found.basis.samples,
    }
