"""Whether a periodic task keeps a deadline (`--deadline`): broken, kept within a bound, or not shown.

An activation that is later than the deadline breaks it, in one repetition as well as in all. That none was later is
evidence by repetition, the unit of replication: activations of one repetition share their phase, their layout of the
cache and all that disturbed them. If a fraction p of such repetitions has a late activation, all of n independent ones
are without with probability (1 - p)^n. The exact 95 % bound is the p at which that is 0.05 (Clopper & Pearson,
Biometrika 26, 1934, with no successes; about 3 / n).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import by_run, ticks
from intercore.benchmarks.jitter.activations import in_us, lateness_us, pools
from intercore.benchmarks.jitter.findings import JitterDeadlineBroken, JitterDeadlineKept, JitterDeadlineNotShown
from intercore.view.answer import Answer
from intercore.view.quantity import duration, percent
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

Verdict: TypeAlias = Literal["kept", "broken", "not shown"]

_CONFIDENCE = 0.95
SHOWN = 0.05
"""Largest bound on the fraction of repetitions with a late activation at which a deadline counts as kept."""
_LARGEST = 1  # of the series `extremes`: the largest lateness
_WORST: Sequence[Verdict] = ("broken", "not shown", "kept")


class JitterDeadline(msgspec.Struct, frozen=True):
    """What the activations at one setting say of a deadline."""

    label: str
    """What sets it apart, in words."""
    deadline_us: Annotated[float, Meta(gt=0)]
    verdict: Verdict
    largest_us: float
    """The largest lateness."""
    activations: Annotated[int, Meta(ge=1)]
    late: Annotated[int, Meta(ge=0)]
    """Kept activations that were later; those in histograms are not counted one by one."""
    repetitions: Annotated[int, Meta(ge=1)]
    """Independent ones: of several runs, the runs."""
    broken: Annotated[int, Meta(ge=0)]
    """Those with a later activation."""
    at_most: Annotated[float, Meta(gt=0, le=1)] | None
    """The 95 % bound on the fraction of such repetitions that have one; null if one was seen."""


def bound(repetitions: int) -> float:
    """Return the upper 95 % bound on a fraction of which none was seen in so many independent repetitions."""
    return 1 - math.pow(1 - _CONFIDENCE, 1 / repetitions)


NEEDED = math.ceil(math.log(1 - _CONFIDENCE) / math.log(1 - SHOWN))
"""Repetitions without a late activation that show a deadline as kept: 59."""


def deadlines(measurements: Iterable[Measurement], deadline_us: float) -> tuple[JitterDeadline, ...]:
    """Judge a deadline at each setting of jitter among the measurements; none is judged if it is 0."""
    if not deadline_us:
        return ()
    return tuple(_deadline(label, pool, deadline_us) for label, pool in pools(measurements).items())


def _deadline(label: str, pool: Sequence[Measurement], deadline_us: float) -> JitterDeadline:
    late = [lateness_us(one) for one in pool]
    each = by_run(pool, (np.append(us, _counted_largest_us(one)) for us, one in zip(late, pool, strict=True)))
    largest = [float(us.max()) for us in each]
    broken = sum(us > deadline_us for us in largest)
    at_most = None if broken else bound(len(each))
    verdict: Verdict = "broken" if at_most is None else "kept" if at_most <= SHOWN else "not shown"
    return JitterDeadline(
        label=label,
        deadline_us=deadline_us,
        verdict=verdict,
        largest_us=max(largest),
        activations=sum(len(us) for us in late) + sum(int(ticks(one, "late.counts").sum()) for one in pool),
        late=sum(int(np.count_nonzero(us > deadline_us)) for us in late),
        repetitions=len(each),
        broken=broken,
        at_most=at_most,
    )


def _counted_largest_us(one: Measurement) -> list[float]:
    """Return the largest lateness of what the histograms hold, which is exact; nothing without histograms."""
    return [float(us) for us in in_us(ticks(one, "extremes"), one)[_LARGEST : _LARGEST + 1]]


# What is said of them


def deadline_results(found: Sequence[JitterDeadline]) -> Iterator[Finding]:
    """Return each verdict, the worst first, with the setting that is latest; a table has all of them."""
    latest = {one.verdict: one for one in sorted(found, key=lambda one: one.largest_us)}
    for one in (latest[verdict] for verdict in _WORST if verdict in latest):
        if one.at_most is None:
            yield JitterDeadlineBroken(
                label=one.label,
                deadline_us=one.deadline_us,
                largest_us=one.largest_us,
                repetitions=one.repetitions,
                broken=one.broken,
            )
        else:
            kind = JitterDeadlineKept if one.verdict == "kept" else JitterDeadlineNotShown
            yield kind(
                label=one.label,
                deadline_us=one.deadline_us,
                largest_us=one.largest_us,
                activations=one.activations,
                repetitions=one.repetitions,
                at_most=one.at_most,
                needed=NEEDED,
            )


def deadline_answers(found: Sequence[JitterDeadline]) -> Iterator[Answer]:
    """Answer with the worst verdict, and the setting that it is of."""
    if found:
        one = min(found, key=lambda one: (_WORST.index(one.verdict), -one.largest_us))
        about = f"{one.verdict}: up to {duration(one.largest_us)} late, {one.label}"
        if one.at_most is not None:
            about += f"; less than {percent(one.at_most)} of repetitions (95 %)"
        yield Answer(f"deadline of {duration(one.deadline_us)}", None, about=about, leads=True)


def deadline_table(found: Sequence[JitterDeadline], where: str) -> Table[JitterDeadline]:
    """Show a row for each setting."""
    return Table(
        f"A deadline of {duration(found[0].deadline_us)} on {where}",
        found,
        [
            Column("setting", lambda one: one.label),
            Column("verdict", lambda one: one.verdict),
            Column("latest", lambda one: duration(one.largest_us), right=True),
            Column("activations", lambda one: f"{one.activations:,}", right=True),
            Column("repetitions", lambda one: f"{one.broken} of {one.repetitions}", right=True),
            Column("95 %", lambda one: "–" if one.at_most is None else f"< {percent(one.at_most)}", right=True),
        ],
    )
