"""The one-line answers of `memory`: how fast memory is, and how much the other core slows it down."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from intercore.benchmarks.memory.analysis import slowdown, worst_interference
from intercore.benchmarks.memory.findings import MemoryFailedCheck, MemorySlowdown
from intercore.view.answer import Answer, with_varied
from intercore.view.memory import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.memory.analysis import MemoryAnalysis, MemoryInterference
    from intercore.finding import Finding


def answers(analysis: MemoryAnalysis) -> Iterator[Answer]:
    """Answer the worst slowdown of memory with the other core busy."""
    worst = _worst(analysis)
    if worst is not None:
        about = with_varied(f"as long, {worst.access} in {in_words(worst.region)}", worst.varied)
        about += "; with the other core busy"
        yield Answer("memory slowdown, worst", worst.slowdown, "times", about)


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it names regions, and none that the answer is of."""
    regions = finding.levels if isinstance(finding, MemoryFailedCheck) else ()
    return not regions or any(re.search(rf"\bin {re.escape(in_words(one))}(?![\w-])", answer.about) for one in regions)


def remarks(analysis: MemoryAnalysis) -> Iterator[MemorySlowdown]:
    """Return the same."""
    worst = _worst(analysis)
    if worst is not None:
        yield MemorySlowdown(times=worst.slowdown.value, worst=slowdown(worst))


def _worst(analysis: MemoryAnalysis) -> MemoryInterference | None:
    return worst_interference(analysis.interference) if analysis.interference else None
