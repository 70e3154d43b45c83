"""What the time of the longest samples went to, where `--explain-worst` has found it out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.finding import Finding
from intercore.record.explanation import ExplainedPart, Explanation
from intercore.text import listed
from intercore.view.quantity import duration, percent
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Measurement, Run

_KERNELS = (14, 15)
"""Spinlocks that the Pico SDK keeps for operating systems (`PICO_SPINLOCK_ID_OS1`, `PICO_SPINLOCK_ID_OS2`)."""
_NAMED = 3
"""Parts that a sentence names, at most."""
_LEAST = 0.02
"""What part of the sample they have at least."""


class ExplainedSample(msgspec.Struct, frozen=True):
    """The longest sample of a measurement, and what its time went to."""

    factors: dict[str, int | str]
    """The setting."""
    repetition: int
    worst: Explanation


class WorstExplained(Finding, frozen=True):
    """What the time of the longest sample went to."""

    what: str
    """What it is a sample of, in words."""
    cycles: int
    hz: int
    parts: Annotated[tuple[ExplainedPart, ...], Meta(min_length=1)]

    @property
    def sentence(self) -> str:
        """See Finding."""
        us = 1e6 / self.hz
        delays: Counter[str] = Counter()
        for one in self.parts:
            if one.cause != "way":
                delays[in_words(one)] += one.cycles
        ordered = delays.most_common()
        named = [(words, cycles) for words, cycles in ordered[:_NAMED] if cycles >= _LEAST * self.cycles]
        told = [f"{duration(cycles * us)} {words}" for words, cycles in named]
        if more := sum(delays.values()) - sum(cycles for _, cycles in named):
            told.append(f"{duration(more * us)} other delays")
        if way := sum(one.cycles for one in self.parts if one.cause == "way"):
            told.append(f"{duration(way * us)} what has to be executed")
        return f"The longest {self.what} took {duration(self.cycles * us)}, of which {listed(told)}."


def in_words(part: ExplainedPart) -> str:
    """Return what the time of a part was spent with, a clause."""
    inside = f" in {part.function}" if part.function else ""
    if part.cause == "lock" and part.holder is not None:
        by = part.holder
        whose = "the kernel's " if part.lock in _KERNELS else ""
        where = f"{f' in {by.function}' if by.function else ''}{f' ({by.context})' if by.context else ''}"
        return f"core {by.core} held {whose}spinlock {part.lock}{where}"
    return {
        "lock": f"core {part.core} waited for spinlock {part.lock}",
        "masked": f"interrupts were masked on core {part.core}{inside} ({part.context})",
        "interrupt": f"core {part.core} was in the handler of {part.context}{inside}",
        "task": f"core {part.core} executed {part.context}{inside}",
        "flash": f"{part.misses} misses of the flash cache on core {part.core}, most{inside}",
        "bus": f"core {part.core} waited for what another master had, most for {part.port}",
        "asleep": f"core {part.core} slept",
        "way": f"has to be executed: {part.context} on core {part.core}, most{inside}",
    }[part.cause]


def _in_a_cell(part: ExplainedPart) -> str:
    return in_words(part) + (f"; {part.context} waited on core {part.core}" if part.cause == "lock" else "")


def explained(measurements: Iterable[Measurement], benchmark: str) -> tuple[ExplainedSample, ...]:
    """Return what was explained of a benchmark."""
    return tuple(
        ExplainedSample(dict(one.factors), one.repetition, one.explanation)
        for one in measurements
        if one.benchmark == benchmark and one.explanation is not None
    )


def explained_findings(samples: Sequence[ExplainedSample], what: str) -> Iterator[Finding]:
    """Return what the samples went to; `what` is what they are samples of, in words."""
    for one in samples:
        setting = {name: one.factors[name] for name in _varied(samples)}
        yield WorstExplained(
            setting=setting, what=what, cycles=one.worst.cycles, hz=one.worst.hz, parts=one.worst.parts
        )


def explained_tables(run: Run, samples: Sequence[ExplainedSample], what: str) -> Iterator[Table[ExplainedPart]]:
    """Return the parts of each sample."""
    for one in samples:
        setting = "".join(f", {name}={one.factors[name]}" for name in _varied(samples))
        total = duration(one.worst.cycles * 1e6 / one.worst.hz)
        yield Table(
            f"Where the longest {what} went ({total}{setting}), on {where(run)}",
            one.worst.parts,
            _columns(one.worst),
        )


def _columns(worst: Explanation) -> list[Column[ExplainedPart]]:
    return [
        Column("cycles", lambda part: f"{part.cycles:,}", right=True),
        Column("time", lambda part: duration(part.cycles * 1e6 / worst.hz), right=True),
        Column("share", lambda part: percent(part.cycles / worst.cycles), right=True),
        Column("what", _in_a_cell),
    ]


def _varied(samples: Sequence[ExplainedSample]) -> list[str]:
    """Return the factors that tell the samples apart."""
    names = samples[0].factors if samples else ()
    return [name for name in names if len({one.factors.get(name) for one in samples}) > 1]
