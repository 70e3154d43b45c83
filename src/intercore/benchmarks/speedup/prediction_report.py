"""A predicted speed-up for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from intercore.benchmarks.speedup.prediction import SpeedupRanking
from intercore.view.quantity import bounds, duration, duration_bounds, multiple, significant
from intercore.view.table import Column, interval_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.prediction import Rank
    from intercore.benchmarks.speedup.prediction import SpeedupBasis, SpeedupPrediction
    from intercore.view.section import Section


def prediction_section(found: SpeedupPrediction | SpeedupRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, SpeedupRanking) else _single_section(found)


def _title(duration_us: float) -> str:
    return f"Work of {duration(duration_us)} on one core"


def _single_section(found: SpeedupPrediction) -> Section:
    lines = [
        (f"on {found.cores} cores", duration(found.tp_us.value), duration_bounds(found.tp_us) or "–"),
        ("speed-up", multiple(found.speedup.value), bounds(found.speedup, multiple) or "–"),
        ("efficiency", _percent(found.efficiency.value), bounds(found.efficiency, _percent) or "–"),
    ]
    sentences = [_pays(found), _basis(found.basis), _model(found)]
    return setting_section(found, _title(found.duration_us), in_words, lines, sentences)


def _percent(share: float) -> str:
    return f"{significant(100 * share)} %"


def _pays(found: SpeedupPrediction) -> str:
    sentences = {
        True: f"{found.cores} cores are faster than one.",
        False: f"{found.cores} cores are slower than one.",
        None: f"It is not known whether {found.cores} cores are faster than one.",
    }
    return sentences[found.pays]


def _basis(basis: SpeedupBasis) -> str:
    sizes = f"{len(basis.n)} sizes from {duration(basis.shortest_us)} to {duration(basis.longest_us)} on one core"
    return basis_sentence(basis, f"of {sizes}")


def _model(found: SpeedupPrediction) -> str:
    sign, loss = ("−" if found.loss < 0 else "+"), significant(100 * abs(found.loss), 2)
    overhead = f"{'−' if found.overhead_us < 0 else '+'} {duration(abs(found.overhead_us))}"
    return f"Model: (1 {sign} {loss} %) × {duration(found.duration_us)} / {found.cores} {overhead}."


def _ranking_section(found: SpeedupRanking) -> Section:
    columns: list[Column[Rank[SpeedupPrediction]]] = [
        Column("takes", lambda row: duration(row.prediction.tp_us.value), right=True),
        interval_column(lambda one: one.tp_us),
        Column("speed-up", lambda row: multiple(row.prediction.speedup.value), right=True),
        Column("95 %", lambda row: bounds(row.prediction.speedup, multiple) or "–", right=True),
    ]
    names = distinguishing_factors(found.ranking, found.ranking[0].given)
    title = _title(found.duration_us)
    return ranking_section(found, lambda _: title, in_words, names, columns, named_shows="its model")


def prediction_rows(found: SpeedupPrediction | SpeedupRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    return ranked_rows(found.ranking, _row) if isinstance(found, SpeedupRanking) else [_row(found)]


def _row(found: SpeedupPrediction) -> dict[str, object]:
    return {
        **target_cells(found),
        "duration_us": found.duration_us,
        **found.setting,
        **interval_cells("tp_us", found.tp_us),
        **interval_cells("speedup", found.speedup),
        "pays": found.pays,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": found.basis.runs,
        "n": found.basis.n,
        "samples": found.basis.samples,
    }
