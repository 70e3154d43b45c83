"""The section on a rate: which part of each core it takes if an operation happens so often (`--rate`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.findings import RateOfNothing, RatePart
from intercore.finding import texts
from intercore.view.answer import Answer
from intercore.view.quantity import duration, hertz, percent
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.view.cost import CoreTime

_DASH = "–"


class CorePart(msgspec.Struct, frozen=True):
    """What an operation takes of one core."""

    core: Annotated[int, Meta(ge=0)]
    us: Annotated[float, Meta(ge=0)]
    """Of its time, each time."""
    part: Annotated[float, Meta(ge=0)]
    """Of its time at that rate, as a fraction; above 1 it cannot happen so often."""


class RateOperation(msgspec.Struct, frozen=True):
    """An operation at the rate."""

    what: str
    cores: tuple[CorePart, ...]
    """The core that begins it first."""


class RateAnalysis(msgspec.Struct, frozen=True):
    """What operations take of each core at a rate."""

    rate_hz: Annotated[float, Meta(gt=0)]
    operations: tuple[RateOperation, ...]


def report(run: Run, reports: Iterable[Report], rate_hz: float) -> Report | None:
    """Report on the operations of all reports of a run at a rate; None without a rate."""
    if not rate_hz:
        return None
    operations = tuple(_operation(one, rate_hz) for found in reports for one in found.core_times)
    analysis = RateAnalysis(rate_hz, operations)
    found = list(_findings(analysis))
    title = f"What each core has to give at {hertz(rate_hz)}"
    return Report(
        "rate",
        {"rate": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one, rate_hz) for one in operations],
        found,
        Section(title, texts(found), [_table(run, title, operations)] if operations else [], notes=_NOTES),
        topic="both cores",
        answers=tuple(_answers(analysis)),
    )


_NOTES = (
    "A part is the processor time of one operation times the rate. That of a message is what a task of lower priority "
    "loses to it on each core (message measure=overhead), with the interrupt, both switches, and all waiting for the "
    "kernel's lock. That of a lock is the time of its calls on the core that calls (api), less the timestamp overhead.",
)


def _operation(one: CoreTime, rate_hz: float) -> RateOperation:
    cores = {core: max(us, 0.0) for core, us in one.us.items()}
    return RateOperation(one.what, tuple(CorePart(core, us, us * rate_hz / 1e6) for core, us in cores.items()))


def _total(one: RateOperation) -> float:
    return sum(core.part for core in one.cores)


def _findings(analysis: RateAnalysis) -> Iterator[Finding]:
    """Return the operations with the smallest and the largest part."""
    if not analysis.operations:
        yield RateOfNothing(rate_hz=analysis.rate_hz)
    ranked = sorted(analysis.operations, key=_total)
    for one in dict.fromkeys([*ranked[:1], *ranked[-1:]]):
        yield RatePart(rate_hz=analysis.rate_hz, what=one.what, parts={str(core.core): core.part for core in one.cores})


def _answers(analysis: RateAnalysis) -> Iterator[Answer]:
    """Answer the operation that takes least of both cores, and the one that takes least of one."""
    for question, cores in (("least of both cores", 2), ("least of one core", 1)):
        found = [one for one in analysis.operations if len(one.cores) == cores]
        if found:
            least = min(found, key=_total)
            yield Answer(question, None, about=f"{_parts(least)} at {hertz(analysis.rate_hz)}, {least.what}")


def _parts(one: RateOperation) -> str:
    return ", ".join(f"{percent(core.part)} of core {core.core}" for core in one.cores)


def _table(run: Run, title: str, rows: Sequence[RateOperation]) -> Table[RateOperation]:
    def of(index: int, text: str) -> Column[RateOperation]:
        return Column(text, lambda one: _core(one, index), right=True)

    columns = [Column[RateOperation]("operation", lambda one: one.what), of(0, "first core"), of(1, "other core")]
    return Table(f"{title}, on {where(run)}", rows, columns)


def _core(one: RateOperation, index: int) -> str:
    if index >= len(one.cores):
        return _DASH
    core = one.cores[index]
    return f"{percent(core.part)} of {core.core}\n{duration(core.us)}"


def _flat(one: RateOperation, rate_hz: float) -> Mapping[str, object]:
    return {
        "rate_hz": rate_hz,
        "operation": one.what,
        **{f"core_{core.core}_us": core.us for core in one.cores},
        **{f"core_{core.core}_part": core.part for core in one.cores},
    }
