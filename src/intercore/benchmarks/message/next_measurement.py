"""What to measure so that a prediction is known better: which sizes, and how often."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.message.curve import BENCHMARK
from intercore.benchmarks.prediction_answer import advised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.record.measurement import Level
    from intercore.statistics.line import Fit

_AROUND = (1 / 4, 1 / 2, 1, 2, 4)  # multiples of the size, which pin down the line next to it


class ToMeasure(msgspec.Struct, frozen=True):
    """What would make an answer of a prediction that is none."""

    sizes: tuple[int, ...]
    """Bytes of the messages."""
    repetitions: Annotated[int, Meta(ge=1)]
    command: str
    """That measures them."""


def sizes_to_measure(found: Curve, model: Fit, size: int) -> list[int]:
    """Return sizes around one, within those measured, that are not measured yet; if all are, those next to it."""
    word = found.word_bytes if size % found.word_bytes == 0 else 1
    low, high = model.points.x[[0, -1]]
    around = {max(round(size * factor / word), 1) * word for factor in _AROUND}
    new = sorted(each for each in around if low <= each <= high and each not in found.measurements)
    return new or sorted(found.measurements, key=lambda each: abs(math.log(each / size)))[: len(_AROUND)]


def repetitions_to_measure(found: Curve, model: Fit) -> int:
    """Return how many repetitions it takes until medians, as they scatter, are known well enough for a line."""
    off = float(np.median(model.points.error / np.maximum(model.points.y, model.points.error)))
    done = max(len(pool) for pool in found.measurements.values())
    return advised(done, off)


def measuring(
    target: str, measure: Measure, settings: Sequence[Mapping[str, Level]], sizes: Iterable[int], repetitions: int
) -> ToMeasure:
    """Return what measures sizes of settings: all combinations of what these have."""
    names = dict.fromkeys(name for setting in settings for name in setting)
    levels = {name: dict.fromkeys(str(each[name]) for each in settings if name in each) for name in names}
    words = " ".join(f"{name}={','.join(known)}" for name, known in levels.items())
    wanted = tuple(sizes)
    told = ",".join(map(str, wanted))
    command = f"intercore run {target} {BENCHMARK} measure={measure} size={told} {words} --repetitions {repetitions}"
    return ToMeasure(wanted, repetitions, command)
