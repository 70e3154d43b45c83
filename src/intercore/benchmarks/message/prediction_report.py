"""What people read of a prediction: what it comes to, how sure that is, what it rests on, and what to measure else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.message.choice import GIVEN
from intercore.benchmarks.message.curve import in_words
from intercore.benchmarks.message.prediction_types import PredictedRanking
from intercore.benchmarks.message.size_effect import ns_per_byte
from intercore.benchmarks.ranking_report import basis_of, common_notes, ties, under
from intercore.record.origin import in_heading
from intercore.view.quantity import bounds, data_rate, duration, duration_bounds, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.message.curve import Measure
    from intercore.benchmarks.message.prediction_types import Prediction
    from intercore.benchmarks.ranking import Rank
    from intercore.record.measurement import Level

_SHOWN = 20  # settings of a ranking; --format json has all


def prediction_section(found: Prediction | PredictedRanking) -> Section:
    """Return what people read of it."""
    return _ranking_section(found) if isinstance(found, PredictedRanking) else _single_section(found)


def _single_section(found: Prediction) -> Section:
    columns = [
        Column[tuple[str, str, str]]("", lambda row: row[0]),
        Column[tuple[str, str, str]]("predicted", lambda row: row[1], right=True),
        Column[tuple[str, str, str]]("95 %", lambda row: row[2], right=True),
    ]
    title = _title(found.measure, found.size)
    where = f"{in_words(found.setting, found.setting)} on {in_heading(found.target, found.origin)}"
    sentences = (f"Setting: {where}.", *_no_answer(found), *_basis(found), *found.notes)
    return Section(title, sentences, (Table(title, list(_lines(found)), columns),))


def _title(measure: Measure, size: int) -> str:
    return f"{'Latency' if measure == 'latency' else 'Throughput'} of messages of {size:,} bytes"


def _lines(found: Prediction) -> Iterator[tuple[str, str, str]]:
    if found.bytes_per_s is not None:
        yield "throughput", data_rate(found.bytes_per_s.value), bounds(found.bytes_per_s, data_rate)
    name = "median" if found.measure == "latency" else "time per message"
    yield name, duration(found.median_us.value), duration_bounds(found.median_us) or "–"
    if found.single_us is not None:
        yield "a single message", duration(found.single_us.value), duration_bounds(found.single_us) or "–"


def _no_answer(found: Prediction | PredictedRanking) -> Iterator[str]:
    """Say that a prediction is none, and what to measure."""
    if found.to_measure is None:
        return
    what = "This is no answer"
    if isinstance(found, PredictedRanking):
        several = [one for one in found.ranking if not one.prediction.conclusive]
        what = f"{len(several)} of {len(found.ranking)} {'is' if len(several) == 1 else 'are'} no answer"
    yield f"{what}: the truth may be more than half of the value away. To find out: {found.to_measure.command}"


def _basis(found: Prediction) -> Iterator[str]:
    basis = found.basis
    runs = ", ".join(map(str, basis.runs))
    sizes = f"{len(basis.sizes)} sizes from {basis.sizes[0]:,} to {basis.sizes[-1]:,} bytes"
    when = basis.first[:10] if basis.first[:10] == basis.last[:10] else f"{basis.first[:10]} to {basis.last[:10]}"
    yield (
        f"It rests on run{'s' if len(basis.runs) > 1 else ''} {runs}: {basis.samples:,} samples of {sizes}, measured "
        f"on {when}."
    )
    if found.alpha_us is not None and found.beta_ns_per_byte is not None:
        held_out = "" if found.held_out is None else (
            f"; sizes that it did not see are predicted to {significant(100 * found.held_out, 2)} % in median"
        )  # fmt: skip
        yield f"Model: {_model(found, found.alpha_us, found.beta_ns_per_byte)}{held_out}."


def _model(found: Prediction, alpha_us: float, beta_ns: float) -> str:
    if found.size_effect == "none":
        return f"{duration(found.median_us.value)}; the size makes no difference within what was measured"
    line = f"{duration(alpha_us)} {'−' if beta_ns < 0 else '+'} {ns_per_byte(abs(beta_ns))} ns per byte × size"
    return f"{line}; whether the size makes a difference cannot be told" if found.size_effect == "cannot tell" else line


# Of several settings


def _ranking_section(found: PredictedRanking) -> Section:
    given = list({str(one.given): one.given for one in found.ranking}.values())
    told = _told(found)
    title = _title(found.measure, found.size)
    tables = [_ranking_table(found, title, each) for each in given]
    sentences = [
        *_no_answer(found),
        *(sentence for each in given for sentence in ties(found.ranking, each, told, in_words)),
        basis_of(found.ranking, named_shows="its model"),
        *common_notes(found.ranking),
        *(f"Left out: {sentence}." for sentence in found.left_out),
    ]
    return Section(title, sentences, tables)


def _ranking_table(found: PredictedRanking, title: str, given: Mapping[str, Level]) -> Table[Rank[Prediction]]:
    rows = under(given, found.ranking)
    names = _told(found)
    more = f", the first {_SHOWN} of {len(rows)}" if len(rows) > _SHOWN else ""
    where = f"{in_words(given, given)}, " if given else ""
    streams = found.measure == "throughput"
    return Table(
        f"{title}: {where}on {in_heading(found.target, found.origin)}{more}",
        rows[:_SHOWN],
        [
            Column("", lambda row: f"{row.rank}", right=True),
            Column("setting", lambda row: in_words(row.prediction.setting, names)),
            *([Column("predicted", _rate, right=True)] if streams else []),
            Column("per message" if streams else "predicted", _median, right=True),
            Column("95 %", _interval, right=True),
            Column("× the first", lambda row: significant(row.times_first), right=True),
        ],
    )


def _told(found: PredictedRanking) -> list[str]:
    """Return the factors, beside those given, that tell the settings apart; the transport if none does."""
    settings = [one.prediction.setting for one in found.ranking]
    names = [name for name in settings[0] if name not in GIVEN]
    return [name for name in names if len({str(each.get(name)) for each in settings}) > 1] or ["transport"]


def _rate(row: Rank[Prediction]) -> str:
    rate = row.prediction.bytes_per_s
    return "" if rate is None else data_rate(rate.value)


def _median(row: Rank[Prediction]) -> str:
    return duration(row.prediction.median_us.value)


def _interval(row: Rank[Prediction]) -> str:
    interval = duration_bounds(row.prediction.median_us) or "–"
    return interval if row.prediction.conclusive else f"{interval}, no answer"


# For programs


def prediction_rows(found: Prediction | PredictedRanking) -> Sequence[dict[str, object]]:
    """Return it as flat rows, one for each setting."""
    if not isinstance(found, PredictedRanking):
        return [_row(found)]
    return [{"rank": one.rank, **_row(one.prediction)} for one in found.ranking]


def _row(found: Prediction) -> dict[str, object]:
    def ends(name: str) -> dict[str, object]:
        estimate = getattr(found, name)
        value, low, high = (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)
        return {name: value, f"{name}_low": low, f"{name}_high": high}

    return {
        "target": found.target,
        "simulated": found.simulated,
        "emulated": found.emulated,
        "measure": found.measure,
        "size": found.size,
        **found.setting,
        **ends("median_us"),
        **ends("single_us"),
        **ends("bytes_per_s"),
        "by": found.by,
        "extrapolated": found.extrapolated,
        "conclusive": found.conclusive,
        "runs": list(found.basis.runs),
        "samples": found.basis.samples,
    }
