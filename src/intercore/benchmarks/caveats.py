"""Caveats on any benchmark: failed checks of the firmware, and disturbed samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from intercore.finding import Caveat, Finding
from intercore.record.measurement import Level
from intercore.statistics.disturbance import Disturbance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.finding import Severity
    from intercore.record.measurement import Measurement

_NAMED = 3
"""Levels in one sentence, and samples that are reported one by one."""


class FailedCheck(Finding, frozen=True):
    """A check of the firmware failed. A benchmark has a subclass where its wording differs."""

    wording: ClassVar[dict[str, str]] = {
        "wrong": "{count} results were wrong: these times mean nothing.",
        "migrated": (
            "{count} times a pinned task ran on another core: let the program pin its tasks (check the container or "
            "cpuset)."
        ),
        "lost": "{count} samples did not fit into the target's memory and are missing: request fewer.",
        "preempted": (
            "tasks were preempted {count} times, so the longest times include other work. Close other programs, or "
            "permit real-time priorities."
        ),
    }
    """By check, with `{count}` in it. An empty one is not reported."""

    benchmark: str
    check: str
    """A key of `wording`."""
    count: int
    """How often it failed, over all measurements."""
    factor: str
    """The factor of which the levels are named."""
    levels: tuple[str, ...]
    """Those in which it failed."""

    @property
    def severity(self) -> Severity:
        return "error" if self.check == "wrong" else "warning"

    @property
    def sentence(self) -> str:
        more = [f"{len(self.levels) - _NAMED} more"] if len(self.levels) > _NAMED else []
        name = "" if self.factor == self.benchmark else f"{self.factor.replace('_', ' ')} "
        where = f", {name}{', '.join([*self.levels[:_NAMED], *more])}" if self.levels else ""
        wording = self.wording[self.check]
        once = wording.replace("{count} times", "once") if self.count == 1 else wording
        return f"{self.benchmark}{where}: {once.format(count=self.count)}"


def failed_checks(
    measurements: Iterable[Measurement], benchmark: str, factor: str, kind: type[FailedCheck] = FailedCheck
) -> Iterator[FailedCheck]:
    """Return the failed checks that a kind has a wording for, with the affected levels of a factor."""
    ours = [one for one in measurements if one.benchmark == benchmark]
    for check, wording in kind.wording.items():
        hit = [one for one in ours if one.checks.get(check, 0)]
        if hit and wording:
            levels = tuple(dict.fromkeys(str(one.factors[factor]) for one in hit if factor in one.factors))
            count = sum(one.checks[check] for one in hit)
            yield kind(benchmark=benchmark, check=check, count=count, factor=factor, levels=levels)


class Samples(msgspec.Struct, frozen=True):
    """Samples of one setting."""

    name: str
    """In words: `hand-off of mutex from core 0 to core 1`."""
    levels: dict[str, Level]
    """The factors by which it is known whether they concern an answer."""


class Disturbed(Caveat, frozen=True):
    """Samples were disturbed."""

    benchmark: str
    samples: Samples
    disturbances: Annotated[tuple[Disturbance, ...], Meta(min_length=1)]

    @property
    def sentence(self) -> str:
        return f"{self.benchmark}, {self.samples.name}: {' '.join(one.sentence for one in self.disturbances)}"


class AlsoDisturbed(Caveat, frozen=True):
    """More samples were disturbed than `Disturbed` is reported of."""

    benchmark: str
    samples: Annotated[tuple[Samples, ...], Meta(min_length=1)]

    @property
    def sentence(self) -> str:
        names = dict.fromkeys(one.name for one in self.samples)
        return f"{self.benchmark}, {'; '.join(names)}: these samples were disturbed, too."


def disturbed(
    benchmark: str, found: Iterable[tuple[Samples, Sequence[Disturbance]]]
) -> Iterator[Disturbed | AlsoDisturbed]:
    """Report the samples with disturbances: of the first few how, and of the others that they were."""
    known = [(samples, tuple(disturbances)) for samples, disturbances in found if disturbances]
    for samples, disturbances in known[:_NAMED]:
        yield Disturbed(benchmark=benchmark, samples=samples, disturbances=disturbances)
    if known[_NAMED:]:
        yield AlsoDisturbed(benchmark=benchmark, samples=tuple(samples for samples, _ in known[_NAMED:]))


def disturbed_samples(finding: Finding) -> tuple[Samples, ...]:
    """Return the samples that a finding calls disturbed; none of any other finding."""
    match finding:
        case Disturbed():
            return (finding.samples,)
        case AlsoDisturbed():
            return finding.samples
        case _:
            return ()
