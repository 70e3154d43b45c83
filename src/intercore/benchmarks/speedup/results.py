"""The findings of `speedup`: break-even, its limits, and the loss per core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.speedup.answers import break_even_findings
from intercore.benchmarks.speedup.findings import SpeedupLoss
from intercore.benchmarks.speedup.own import is_own, of_own_work
from intercore.benchmarks.speedup.words import settings_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement


def results(analysis: SpeedupAnalysis, measurements: Sequence[Measurement], efficiency: float) -> Iterator[Finding]:
    """Return the findings, the most important first; `efficiency` is the one wanted of all cores."""
    yield from break_even_findings(analysis, efficiency)
    yield from of_own_work(analysis, measurements)
    settings = settings_of_groups(analysis.points)
    for fit in analysis.fits:
        if not is_own(fit):
            yield from losses(fit, settings[fit.group])


def losses(fit: ForkJoinFit, setting: Mapping[str, Level] | None = None) -> Iterator[SpeedupLoss]:
    """Report a loss that is significantly above 0: a result, not a caveat."""
    if fit.loss and fit.loss.low is not None and fit.loss.low > 0:
        yield SpeedupLoss(loss_percent=100 * fit.loss.value, setting=dict(setting or {}))
