"""Model of current over activity: the current that each busy core adds, from rows of a table.

    current = rest + added by core 0, if it is busy + added by core 1, if it is busy

by least squares. A core that is busy in every row cannot be separated from the rest: `rest` then includes both, and the
core's current is only bounded, because no current is negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.least_squares import least_squares

if TYPE_CHECKING:
    from collections.abc import Sequence


class Row(NamedTuple):
    """A row of a table of currents."""

    label: str
    busy: tuple[bool, ...]
    """Whether each core is always busy in it: it works, or spins."""
    amps: float


class CoreAdds(msgspec.Struct, frozen=True):
    """The current that a busy core adds."""

    core: int
    amps: Interval | None
    """None if it is not identifiable: busy in every row, in none, or always together with another core."""
    always: bool
    """Whether it is busy in every row, so that its current is part of `rest`."""


class Fitted(msgspec.Struct, frozen=True):
    """A row with the model's residual."""

    label: str
    busy: tuple[bool, ...]
    amps: float
    residual: float
    """The row less the model, A."""


class ActivityModel(msgspec.Struct, frozen=True):
    """The model of a table."""

    rest: Interval
    """Current with no core busy, A, except for cores that are always busy according to `cores`."""
    cores: tuple[CoreAdds, ...]
    rows: tuple[Fitted, ...]
    largest_residual: float
    """Its absolute value, A."""

    def predicted(self, busy: Sequence[bool]) -> Interval | None:
        """Return the current with these cores busy, A; only bounds if an always busy core would rest.

        The current of such a core is between 0 and `rest`. None if a core's current is unknown.
        """
        known = [one for one in self.cores if one.amps is not None]
        unknown = [one for one in self.cores if one.amps is None]
        if any(busy[one.core] and not one.always for one in unknown):
            return None
        value = self.rest.value + sum(one.amps.value for one in known if one.amps is not None and busy[one.core])
        resting = [one for one in unknown if one.always and not busy[one.core]]
        if not resting:
            return Interval(value)
        return Interval(value - self.rest.value / 2, value - self.rest.value, value)


def fitted(rows: Sequence[Row], step: float = 0.0) -> ActivityModel:
    """Fit the model to at least one row; `step` is the last digit of the meter, A.

    Intervals follow from the residuals, and are at least half a step wide to either side.
    """
    count = len(rows[0].busy)
    busy = np.array([row.busy for row in rows], np.float64)
    amps = np.array([row.amps for row in rows])
    identifiable = [core for core in range(count) if _is_identifiable(busy, core)]
    design = np.column_stack((np.ones(len(rows)), *(busy[:, core] for core in identifiable)))
    fit = least_squares(amps, design)

    def interval(at: int) -> Interval:
        value, least = float(fit.parameters[at]), step / 2
        if fit.freedom < 1:
            return Interval(value)
        row = np.zeros(design.shape[1])
        row[at] = 1.0
        away = max(float(fit.half_width(row, CONFIDENCE)[0]), least)
        return Interval(value, value - away, value + away)

    cores = tuple(
        CoreAdds(
            core, interval(1 + identifiable.index(core)) if core in identifiable else None, bool(busy[:, core].all())
        )
        for core in range(count)
    )
    known = tuple(
        Fitted(row.label, row.busy, row.amps, float(residual))
        for row, residual in zip(rows, fit.residuals, strict=True)
    )
    return ActivityModel(interval(0), cores, known, float(np.abs(fit.residuals).max()))


def _is_identifiable(busy: np.typing.NDArray[np.float64], core: int) -> bool:
    """Whether a core's current is identifiable: its column is not a combination of the constant and the other cores."""
    others = np.column_stack((np.ones(len(busy)), np.delete(busy, core, axis=1)))
    return int(np.linalg.matrix_rank(np.column_stack((others, busy[:, core])))) > int(np.linalg.matrix_rank(others))
