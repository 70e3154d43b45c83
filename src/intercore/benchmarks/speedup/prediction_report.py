"""What people and programs read of a predicted speed-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.prediction_basis import in_words
from intercore.benchmarks.ranking_report import basis_of, common_notes, telling, ties, under
from intercore.benchmarks.speedup.prediction_types import SpeedupRanking
from intercore.record.origin import in_heading
from intercore.view.quantity import bounds, duration, duration_bounds, multiple, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.ranking import Rank
    from intercore.benchmarks.speedup.prediction_types import SpeedupPrediction
    from intercore.record.measurement import Level

_SHOWN = 20  # settings of a ranking; --format json has all


def prediction_section(found: SpeedupPrediction | SpeedupRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, SpeedupRanking) else _single_section(found)


def _title(duration_us: float) -> str:
    return f"Work of {duration(duration_us)} on one core"


def _single_section(found: SpeedupPrediction) -> Section:
    columns = [
        Column[tuple[str, str, str]]("", lambda row: row[0]),
        Column[tuple[str, str, str]]("predicted", lambda row: row[1], right=True),
        Column[tuple[str, str, str]]("95 %", lambda row: row[2], right=True),
    ]
    lines = [
        (f"on {found.cores} cores", duration(found.tp_us.value), duration_bounds(found.tp_us) or "–"),
        ("speed-up", multiple(found.speedup.value), bounds(found.speedup, multiple) or "–"),
        ("efficiency", _percent(found.efficiency.value), bounds(found.efficiency, _percent) or "–"),
    ]
    where = f"{in_words(found.setting, found.setting)} on {in_heading(found.target, found.origin)}"
    sentences = (f"Setting: {where}.", *_no_answer(found), _pays(found), _basis(found), _model(found), *found.notes)
    title = _title(found.duration_us)
    return Section(title, sentences, (Table(title, lines, columns),))


def _percent(share: float) -> str:
    return f"{significant(100 * share)} %"


def _no_answer(found: SpeedupPrediction | SpeedupRanking) -> Iterator[str]:
    """Say that a prediction is none, and what to measure."""
    if found.to_measure is None:
        return
    what = "This is no answer"
    if isinstance(found, SpeedupRanking):
        several = [one for one in found.ranking if not one.prediction.conclusive]
        what = f"{len(several)} of {len(found.ranking)} {'is' if len(several) == 1 else 'are'} no answer"
    yield f"{what}: the truth may be more than half of the value away. To find out: {found.to_measure.command}"


def _pays(found: SpeedupPrediction) -> str:
    told = {
        True: f"{found.cores} cores are faster than one.",
        False: f"{found.cores} cores are slower than one.",
        None: f"Whether {found.cores} cores are faster than one cannot be told.",
    }
    return told[found.pays]


def _basis(found: SpeedupPrediction) -> str:
    basis = found.basis
    runs = ", ".join(map(str, basis.runs))
    when = basis.first[:10] if basis.first[:10] == basis.last[:10] else f"{basis.first[:10]} to {basis.last[:10]}"
    return (
        f"It rests on run{'s' * (len(basis.runs) > 1)} {runs}: {basis.samples:,} samples of {len(basis.n)} sizes from "
        f"{duration(basis.shortest_us)} to {duration(basis.longest_us)} on one core, measured on {when}."
    )


def _model(found: SpeedupPrediction) -> str:
    sign, loss = ("−" if found.loss < 0 else "+"), significant(100 * abs(found.loss), 2)
    overhead = f"{'−' if found.overhead_us < 0 else '+'} {duration(abs(found.overhead_us))}"
    return f"Model: (1 {sign} {loss} %) × {duration(found.duration_us)} / {found.cores} {overhead}."


# Of several settings


def _ranking_section(found: SpeedupRanking) -> Section:
    given = list({str(one.given): one.given for one in found.ranking}.values())
    told = telling(found.ranking, found.ranking[0].given)
    title = _title(found.duration_us)
    sentences = [
        *_no_answer(found),
        *(sentence for each in given for sentence in ties(found.ranking, each, told, in_words)),
        basis_of(found.ranking, named_shows="its model"),
        *common_notes(found.ranking),
        *(f"Left out: {sentence}." for sentence in found.left_out),
    ]
    return Section(title, sentences, [_ranking_table(found, title, each) for each in given])


def _ranking_table(found: SpeedupRanking, title: str, given: Mapping[str, Level]) -> Table[Rank[SpeedupPrediction]]:
    rows = under(given, found.ranking)
    names = telling(found.ranking, found.ranking[0].given)
    more = f", the first {_SHOWN} of {len(rows)}" if len(rows) > _SHOWN else ""
    where = f"{in_words(given, given)}, " if given else ""
    return Table(
        f"{title}: {where}on {in_heading(found.target, found.origin)}{more}",
        rows[:_SHOWN],
        [
            Column("", lambda row: f"{row.rank}", right=True),
            Column("setting", lambda row: in_words(row.prediction.setting, names)),
            Column("takes", lambda row: duration(row.prediction.tp_us.value), right=True),
            Column("95 %", _interval, right=True),
            Column("speed-up", lambda row: multiple(row.prediction.speedup.value), right=True),
            Column("95 %", lambda row: bounds(row.prediction.speedup, multiple) or "–", right=True),
        ],
    )


def _interval(row: Rank[SpeedupPrediction]) -> str:
    interval = duration_bounds(row.prediction.tp_us) or "–"
    return interval if row.prediction.conclusive else f"{interval}, no answer"


# For programs


def prediction_rows(found: SpeedupPrediction | SpeedupRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    if not isinstance(found, SpeedupRanking):
        return [_row(found)]
    return [{"rank": one.rank, **_row(one.prediction)} for one in found.ranking]


def _row(found: SpeedupPrediction) -> dict[str, object]:
    return {
        "target": found.target,
        "simulated": found.simulated,
        "emulated": found.emulated,
        "duration_us": found.duration_us,
        **found.setting,
        "tp_us": found.tp_us.value,
        "tp_us_low": found.tp_us.low,
        "tp_us_high": found.tp_us.high,
        "speedup": found.speedup.value,
        "speedup_low": found.speedup.low,
        "speedup_high": found.speedup.high,
        "pays": found.pays,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": found.basis.runs,
        "n": found.basis.n,
        "samples": found.basis.samples,
    }
