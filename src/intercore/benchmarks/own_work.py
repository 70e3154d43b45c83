"""The error of a user's workload in any benchmark: the first wrong unit, if found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from intercore.finding import Finding, Severity
from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Measurement

_SEEKS = "speedup"
"""The benchmark that looks for the unit of a sum that is wrong."""

Mistake: TypeAlias = Literal["beyond", "around", "unexpected", "depends", "differs"]
"""The series of a measurement that has the first unit with it (firmware/workload/own/own.c)."""
_MISTAKES = get_args(Mistake)
"""The one that explains most is reported first."""


class WorkSplit(msgspec.Struct, frozen=True):
    """How work was split."""

    n: int
    """Units."""
    cores: int


class _OwnWork(Finding, frozen=True):
    """A user's workload gives wrong results."""

    work: str
    benchmark: str
    split: WorkSplit | None
    """None in benchmarks that split nothing."""

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def where(self) -> str:
        """The subject of the sentence."""
        split = self.split
        return f"{self.work} in {self.benchmark}" + (f" with n={split.n} on {split.cores} cores" if split else "")


class OwnWorkWrong(_OwnWork, frozen=True):
    """A user's workload gives wrong results, and no single unit does."""

    is_sought: bool
    """Whether the benchmark looks for such a unit."""

    @property
    def sentence(self) -> str:
        """The error, and its likely cause."""
        if self.is_sought:
            return (
                f"The sum of {self.where} differs from that of its parts, but no single unit differs: it depends on "
                "the order, on the split, or on state that parts share."
            )
        return (
            f"{self.where} gives wrong results, and {self.benchmark} does not search for the unit: {_SEEKS} "
            f"workload={PREFIX}{self.work} does."
        )


class OwnWorkWrongUnit(_OwnWork, frozen=True):
    """The first unit of a user's workload that is wrong."""

    mistake: Mistake
    unit: int

    @property
    def sentence(self) -> str:
        """The error, and its likely cause."""
        what = {
            "beyond": f"writes beyond its part: unit {self.unit} alone changes data of other units.",
            "around": (
                f"writes outside its buffer, in a window or part that begins with unit {self.unit}; none of its units "
                "does so alone."
            ),
            "unexpected": f"differs from the expected result in its file: the first wrong unit is {self.unit}.",
            "depends": (
                f"has another sum than its parts: the first unit that differs is {self.unit}. It gives another number "
                "after other units than alone, so it depends on the order, on the split, or on state that a call "
                "leaves."
            ),
            "differs": (
                f"has another result than on one core: the first unit that differs is {self.unit}. It depends on "
                "state that parts share, or on the order of units."
            ),
        }[self.mistake]
        return f"{self.where} {what}"


def wrong_units(measurements: Sequence[Measurement]) -> Iterator[OwnWorkWrong | OwnWorkWrongUnit]:
    """Return which unit of the user's workload was wrong first, or that none was found; nothing if all was right."""
    wrong = [one for one in measurements if one.checks.get("wrong") and own_level(one)]
    for one in wrong:
        first = {series.name: int(series.ticks[0]) for series in one.series if len(series.ticks)}
        for mistake in (mistake for mistake in _MISTAKES if mistake in first):
            yield OwnWorkWrongUnit(**_where(one), mistake=mistake, unit=first[mistake])
            return
    for one in wrong[:1]:
        yield OwnWorkWrong(**_where(one), is_sought=one.benchmark == _SEEKS)


def without_own_wrong(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the measurements without the count of wrong results of the user's workload: `wrong_units` reports those.

    What else is reported of wrong results names causes in the target.
    """
    return [_without(one, "wrong") if own_level(one) else one for one in measurements]


def _without(measurement: Measurement, check: str) -> Measurement:
    kept = {name: count for name, count in measurement.checks.items() if name != check}
    return msgspec.structs.replace(measurement, checks=kept)


def own_level(measurement: Measurement) -> str:
    """Return the level of a measurement's user workload; empty if there is none."""
    levels = (str(level) for level in measurement.factors.values())
    return next((level for level in levels if level.startswith(PREFIX)), "")


def _where(measurement: Measurement) -> dict[str, Any]:
    """Return the fields that describe the error."""
    name, benchmark, factors = own_level(measurement).removeprefix(PREFIX), measurement.benchmark, measurement.factors
    split = WorkSplit(int(factors.get("n", 0)), int(factors.get("cores", 0))) if benchmark == _SEEKS else None
    return {"work": name, "benchmark": benchmark, "split": split}
