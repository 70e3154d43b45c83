"""The prediction of an event for people and programs: its value, its uncertainty, its basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.event_prediction import EventRanking
from intercore.benchmarks.prediction_basis import in_words
from intercore.benchmarks.prediction_sections import (
    basis_sentence,
    distinguishing_factors,
    interval_column,
    ranked_rows,
    ranking_section,
    setting_section,
    target_cells,
)
from intercore.view.quantity import duration, duration_bounds, significant
from intercore.view.table import Column, interval_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.event_prediction import EventPrediction
    from intercore.benchmarks.prediction import Rank
    from intercore.view.section import Section


def prediction_section(found: EventPrediction | EventRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, EventRanking) else _single_section(found)


def _single_section(found: EventPrediction) -> Section:
    lines = [
        (name, duration(known.value), duration_bounds(known) or "–")
        for name, known in (("median", found.median_us), ("a single one", found.single_us))
    ]
    return setting_section(found, found.event, in_words, lines, [_basis(found)])


def _basis(found: EventPrediction) -> str:
    basis = found.basis
    many = f"{basis.repetitions} repetition{'s' * (basis.repetitions != 1)}"
    return basis_sentence(basis, f"in {many}{f' of {basis.settings} settings' if basis.settings > 1 else ''}")


def _ranking_section(found: EventRanking) -> Section:
    columns: list[Column[Rank[EventPrediction]]] = [
        Column("predicted", lambda row: duration(row.prediction.median_us.value), right=True),
        interval_column(lambda one: one.median_us),
        Column("× the first", lambda row: significant(row.times_first), right=True),
    ]
    names = distinguishing_factors(found.ranking, found.ranking[0].given)
    return ranking_section(
        found, lambda one: one.event, in_words, names, columns, named_shows="the predicted time of one event"
    )


def prediction_rows(found: EventPrediction | EventRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    return ranked_rows(found.ranking, _row) if isinstance(found, EventRanking) else [_row(found)]


def _row(found: EventPrediction) -> dict[str, object]:
    return {
        **target_cells(found),
        "benchmark": found.benchmark,
        "event": found.event,
        **found.setting,
        **interval_cells("median_us", found.median_us),
        "single_us_low": found.single_us.low,
        "single_us_high": found.single_us.high,
        "by": found.by,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": found.basis.runs,
        "repetitions": found.basis.repetitions,
        "samples": found.basis.samples,
    }
