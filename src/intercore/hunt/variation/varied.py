"""A hunt that varies the interleaving of the cores: many runs that deviate, and the first of them that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.hunt.analysis import HuntAnalysis, Variation, analysed
from intercore.hunt.variation.choice import Choices
from intercore.hunt.variation.deviations import FlashCache, Hold, Phase, PowerOn, faults_of, written
from intercore.hunt.variation.explanation import sentences
from intercore.hunt.variation.places import recorded
from intercore.hunt.variation.reduction import Reduced, reduced
from intercore.hunt.variation.search import failures
from intercore.hunt.variation.trial import POTENTIAL, Setting, Trial, undisturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from intercore.hunt.hunting import Wanted
    from intercore.hunt.variation.deviations import Deviation

_FLASH = range(0x1000_0000, 0x2000_0000)
_PATIENT = 1.5
"""Seconds of the chip's time that the run which fails is looked at, beyond its end: a deadlock has to last for 1 s."""


class Search(NamedTuple):
    """What to search through."""

    runs: int
    seed: int
    jobs: int


def fails(analysis: HuntAnalysis) -> bool:
    """Return whether a run has a finding of more than what may go wrong."""
    return any(one.code not in POTENTIAL for one in analysis.findings)


def varied(
    image: Path, before: HuntAnalysis, wanted: Wanted, search: Search, progress: Callable[[str], None]
) -> HuntAnalysis:
    """Return the first run that fails, reduced, and else the undisturbed one, each with what was tried."""
    setting, launch = undisturbed(image, wanted)
    accesses = recorded(image, setting.start, setting.undisturbed.cycles, progress)
    in_flash = any(int(one["pc"]) in _FLASH for one in accesses[:1])
    choices = Choices(accesses, launch, in_flash=in_flash)
    tried, failed = 0, None
    interrupted = False
    of_each = (choices.chosen(search.seed, number) for number in range(search.runs))
    try:
        for tried, code in enumerate(failures(setting, of_each, search.jobs), 1):
            progress(f"{tried:,} of {search.runs:,} variations")
            if code is not None:
                failed = code
                break
    except KeyboardInterrupt:
        interrupted = True
    kinds = [Hold.stands_for, Phase.stands_for, PowerOn.stands_for, *([FlashCache.stands_for] if in_flash else [])]
    variation = Variation("", (), search.seed, tried, search.runs, kinds, choices.instructions, interrupted=interrupted)
    if failed is None:
        return msgspec.structs.replace(before, variation=variation)
    chosen = choices.chosen(search.seed, tried - 1)
    trial = Trial(setting)
    least = Reduced(chosen, 0)
    try:
        progress("the first that fails is reduced")
        least = reduced(chosen, lambda attempt: trial.failure(attempt) == failed)
    except KeyboardInterrupt:
        interrupted = True
    variation = msgspec.structs.replace(variation, chosen=len(chosen), reduction=least.runs, interrupted=interrupted)
    return _told(image, before.image, setting, launch, least.deviations, variation, progress)


def replayed(
    image: Path, name: str, wanted: Wanted, deviations: Sequence[Deviation], progress: Callable[[str], None]
) -> HuntAnalysis:
    """Repeat a run with deviations."""
    setting, launch = undisturbed(image, wanted)
    return _told(image, name, setting, launch, deviations, Variation(""), progress)


def _told(
    image: Path,
    name: str,
    setting: Setting,
    launch: tuple[int, int] | None,
    deviations: Sequence[Deviation],
    variation: Variation,
    progress: Callable[[str], None],
) -> HuntAnalysis:
    """Return all of a run with deviations."""
    trial = Trial(setting)
    outcome = trial.outcome(deviations)
    seconds = min(setting.seconds, outcome.seconds + _PATIENT)
    analysis = analysed(image, name, setting.wanted(seconds), progress, faults_of(deviations))
    clauses: list[str] = []
    found = list(analysis.findings)
    if setting.failure(outcome) is not None:
        clauses = list(sentences(image, deviations, launch, outcome.cycles, analysis.hz))
        if not fails(analysis) and (difference := setting.difference(outcome)):
            found = [difference, *found]
    variation = msgspec.structs.replace(variation, replay=written(deviations), sentences=clauses)
    return msgspec.structs.replace(analysis, findings=found, variation=variation)
