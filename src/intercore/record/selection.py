"""A part of a run's measurements, chosen by the levels of its factors: `size<=256`, `opt=O0`."""

from __future__ import annotations

import math
import operator
import re
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.record.measurement import Level, Measurement, Run

_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


class Condition(msgspec.Struct, frozen=True):
    """What the level of a factor must be."""

    factor: str
    relation: str
    """`=`, `!=`, `<`, `<=`, `>` or `>=`."""
    level: str
    """As typed; a number where the relation is an order."""

    def holds(self, measurement: Measurement) -> bool:
        """Whether a measurement has such a level; one without the factor has none."""
        known = measurement.factors.get(self.factor)
        if known is None:
            return False
        if self.relation in _ORDERS:
            return _is_number(known) and _ORDERS[self.relation](float(known), float(self.level))
        return (str(known) == self.level) == (self.relation == "=")


def parse_condition(text: str) -> Condition:
    """Parse `factor<=level`. Raises UsageError for anything else."""
    found = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(<=|>=|!=|=|<|>)\s*([^\s<>=!]\S*)\s*", text)
    if found is None:
        raise UsageError(
            f"--where {text!r} is not a condition: write a factor, a relation (= != < <= > >=) and a level, e.g. "
            "size<=256"
        )
    factor, relation, level = found.groups()
    if relation in _ORDERS and not _is_number(level):
        raise UsageError(f"--where {text!r}: {relation} compares numbers, but {level!r} is not a number")
    return Condition(factor, relation, level)


def selected(run: Run, conditions: Sequence[Condition]) -> Run:
    """Return a run with the measurements alone for which all conditions hold.

    UsageError for a factor that the run does not have, or if nothing is left.
    """
    if not conditions:
        return run
    known = sorted({name for one in run.measurements for name in one.factors})
    for condition in conditions:
        if condition.factor not in known:
            raise UsageError(f"--where: {unknown('factor', condition.factor, known, f'run {run.id} has')}")
    kept = tuple(one for one in run.measurements if all(condition.holds(one) for condition in conditions))
    if not kept:
        words = " and ".join(f"{one.factor}{one.relation}{one.level}" for one in conditions)
        raise UsageError(f"no measurement of run {run.id} has {words}")
    missing = run.total - len(run.measurements)
    return msgspec.structs.replace(run, measurements=kept, total=len(kept) + missing)


def _is_number(level: Level) -> bool:
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False
