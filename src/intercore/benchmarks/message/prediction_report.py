"""What people read of a prediction: what it comes to, how sure that is, and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.message.curve import in_words
from intercore.record.origin import in_heading
from intercore.view.quantity import bounds, data_rate, duration, duration_bounds, significant
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.message.prediction import Prediction


def prediction_section(found: Prediction) -> Section:
    """Return what people read of it."""
    columns = [
        Column[tuple[str, str, str]]("", lambda row: row[0]),
        Column[tuple[str, str, str]]("predicted", lambda row: row[1], right=True),
        Column[tuple[str, str, str]]("95 %", lambda row: row[2], right=True),
    ]
    what = "Latency" if found.measure == "latency" else "Throughput"
    title = f"{what} of messages of {found.size:,} bytes"
    where = f"{in_words(found.setting, found.setting)} on {in_heading(found.target, found.origin)}"
    return Section(
        title, (f"Setting: {where}.", *_basis(found), *found.notes), (Table(title, list(_lines(found)), columns),)
    )


def _lines(found: Prediction) -> Iterator[tuple[str, str, str]]:
    if found.bytes_per_s is not None:
        yield "throughput", data_rate(found.bytes_per_s.value), bounds(found.bytes_per_s, data_rate)
    name = "median" if found.measure == "latency" else "time per message"
    yield name, duration(found.median_us.value), duration_bounds(found.median_us)
    if found.single_us is not None:
        yield "a single message", duration(found.single_us.value), duration_bounds(found.single_us) or "–"


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
        yield (
            f"Model: {duration(found.alpha_us)} + {significant(found.beta_ns_per_byte)} ns per byte × size{held_out}."
        )


def prediction_row(found: Prediction) -> dict[str, object]:
    """Return it as one flat row."""

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
        "runs": list(found.basis.runs),
        "samples": found.basis.samples,
    }
