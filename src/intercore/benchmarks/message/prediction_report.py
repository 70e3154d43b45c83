"""A prediction for people: its value, its uncertainty, its basis, and otherwise the measurement to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.message.choice import GIVEN
from intercore.benchmarks.message.curve import in_words
from intercore.benchmarks.message.prediction import MessageRanking
from intercore.benchmarks.message.size_effect import ns_per_byte
from intercore.benchmarks.prediction_sections import (
    basis_sentence,
    distinguishing_factors,
    interval_column,
    ranked_rows,
    ranking_section,
    setting_section,
    target_cells,
)
from intercore.view.quantity import bounds, data_rate, duration, duration_bounds, significant
from intercore.view.table import Column, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.message.curve import Measure
    from intercore.benchmarks.message.prediction import MessagePrediction
    from intercore.benchmarks.prediction import Rank
    from intercore.view.section import Section


def prediction_section(found: MessagePrediction | MessageRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, MessageRanking) else _single_section(found)


def _single_section(found: MessagePrediction) -> Section:
    return setting_section(found, _title(found.measure, found.size), in_words, _lines(found), _basis(found))


def _title(measure: Measure, size: int) -> str:
    return f"{'Latency' if measure == 'latency' else 'Throughput'} of messages of {size:,} bytes"


def _lines(found: MessagePrediction) -> Iterator[tuple[str, str, str]]:
    if found.bytes_per_s is not None:
        yield "throughput", data_rate(found.bytes_per_s.value), bounds(found.bytes_per_s, data_rate)
    name = "median" if found.measure == "latency" else "time per message"
    yield name, duration(found.median_us.value), duration_bounds(found.median_us) or "–"
    if found.single_us is not None:
        yield "a single message", duration(found.single_us.value), duration_bounds(found.single_us) or "–"


def _basis(found: MessagePrediction) -> Iterator[str]:
    sizes = found.basis.sizes
    yield basis_sentence(found.basis, f"of {len(sizes)} sizes from {sizes[0]:,} to {sizes[-1]:,} bytes")
    if found.alpha_us is not None and found.beta_ns_per_byte is not None:
        held_out = "" if found.held_out is None else (
            f"; median error for sizes left out of the fit: {significant(100 * found.held_out, 2)} %"
        )  # fmt: skip
        yield f"Model: {_model(found, found.alpha_us, found.beta_ns_per_byte)}{held_out}."


def _model(found: MessagePrediction, alpha_us: float, beta_ns: float) -> str:
    if found.size_effect == "none":
        return f"{duration(found.median_us.value)}; the size makes no difference in the measured range"
    line = f"{duration(alpha_us)} {'−' if beta_ns < 0 else '+'} {ns_per_byte(abs(beta_ns))} ns per byte × size"
    return f"{line}; the effect of the size is not significant" if found.size_effect == "cannot tell" else line


def _ranking_section(found: MessageRanking) -> Section:
    streams = found.measure == "throughput"
    columns: list[Column[Rank[MessagePrediction]]] = [
        *([Column("predicted", _rate, right=True)] if streams else []),
        Column("per message" if streams else "predicted", _median, right=True),
        interval_column(lambda one: one.median_us),
        Column("× the first", lambda row: significant(row.times_first), right=True),
    ]
    title = _title(found.measure, found.size)
    names = distinguishing_factors(found.ranking, GIVEN, otherwise=["transport"])
    return ranking_section(found, lambda _: title, in_words, names, columns, named_shows="its model")


def _rate(row: Rank[MessagePrediction]) -> str:
    rate = row.prediction.bytes_per_s
    return "" if rate is None else data_rate(rate.value)


def _median(row: Rank[MessagePrediction]) -> str:
    return duration(row.prediction.median_us.value)


def prediction_rows(found: MessagePrediction | MessageRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    return ranked_rows(found.ranking, _row) if isinstance(found, MessageRanking) else [_row(found)]


def _row(found: MessagePrediction) -> dict[str, object]:
    return {
        **target_cells(found),
        "measure": found.measure,
        "size": found.size,
        **found.setting,
        **interval_cells("median_us", found.median_us),
        **interval_cells("single_us", found.single_us),
        **interval_cells("bytes_per_s", found.bytes_per_s),
        "by": found.by,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": list(found.basis.runs),
        "samples": found.basis.samples,
    }
