"""What a combination of levels that was not measured takes if each factor does the same whatever the others are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.least_squares import least_squares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FARTHEST = 700.0  # of a logarithm: floats have no larger numbers


def main_effects(
    known: Sequence[tuple[Mapping[str, object], float]], names: Sequence[str], asked: Mapping[str, object]
) -> Interval:
    """Return the value at a setting with the 95 % interval for another measurement of it; no bounds without a residual.

    `known` are settings and their values, above 0, of which the logarithm is fitted by an effect of each level of the
    factors in `names`. Levels are distinguished by their texts.
    """
    levels = {name: list(dict.fromkeys(str(setting.get(name)) for setting, _ in known)) for name in names}

    def row(setting: Mapping[str, object]) -> list[float]:
        dummies = [float(str(setting.get(name)) == level) for name in names for level in levels[name][1:]]
        return [1.0, *dummies]

    # Of factors that always change together, any will do.
    fit = least_squares(np.log([value for _, value in known]), [row(setting) for setting, _ in known])
    value = float(np.array(row(asked)) @ fit.parameters)
    if not fit.freedom:
        return Interval(math.exp(value))
    (half,) = fit.half_width([row(asked)], CONFIDENCE, of_another=True)
    ends = (value, value - half, value + half)
    return Interval(*(math.exp(min(max(float(end), -_FARTHEST), _FARTHEST)) for end in ends))
