"""The table of answers that a page begins with: a row for each question, and what each run answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.view.quantity import significant
from intercore.view.ratio import upright

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.benchmarks.reports import Reported
    from intercore.view.answer import Answer, Unit

_OF_RATIOS: Mapping[Unit, tuple[str, str]] = {"us": ("faster", "slower"), "bytes/s": ("slower", "faster")}
"""What the second of two answers is where it is smaller, and where it is larger; of two multiples nothing is said."""
_OF_OTHERS = " *"
"""Behind a ratio of two different ways or cases, as the words below the table explain."""


@dataclass(frozen=True)
class Asked:
    """One question, and what each run answers."""

    benchmark: str
    question: str
    answers: tuple[Answer | None, ...]
    first: bool
    """Whether it is the first one of its benchmark."""
    doubted: tuple[bool, ...]
    """Of each answer, whether a warning may concern it."""
    looking_us: tuple[float, ...]
    """What reading the clock takes in each run; 0 where that is not known."""

    @property
    def is_doubted(self) -> bool:
        """Whether a warning may concern any of the answers."""
        return any(self.doubted)

    @property
    def ratio(self) -> str:
        """What the second of two answers is beside the first one, if both are times or rates above 0: `22 × slower`.

        Where each is of another way to do the same, an asterisk says so. Of a time that is shorter than a reading of
        the clock, which was taken off it, no ratio is told.
        """
        known = [one for one in self.answers if one is not None and one.value is not None and one.value.value > 0]
        if len(self.answers) != 2 or len(known) != 2 or known[0].unit not in _OF_RATIOS or not known[0].rated:
            return ""
        first, second = (one.value.value for one in known if one.value is not None)
        if known[0].unit == "us" and any(
            value < looking for value, looking in zip((first, second), self.looking_us, strict=True)
        ):
            return ""
        less, more = _OF_RATIOS[known[0].unit]
        written = significant(upright(second / first), 2)
        said = "same" if float(written) == 1 else f"{written} × {less if second < first else more}"
        return said + _OF_OTHERS * (known[0].choice != known[1].choice)


def answer_rows(reported: Sequence[Reported], looking_us: Sequence[float]) -> list[Asked]:
    """Return all questions that some run answers, by benchmark, in the order in which they first come.

    `looking_us` is what reading the clock takes in each run; 0 where that is not known.
    """
    known = [
        {(report.benchmark, one.question): one for report in each.reports for one in report.answers}
        if not each.run.plan.emulated
        else {}
        for each in reported
    ]
    warned = [{report.benchmark: report.warnings for report in each.reports} for each in reported]
    benchmarks = dict.fromkeys(benchmark for answers in known for benchmark, _ in answers)
    questions = [
        key
        for benchmark in benchmarks
        for key in dict.fromkeys(key for answers in known for key in answers if key[0] == benchmark)
    ]
    return [
        Asked(
            *key,
            tuple(answers.get(key) for answers in known),
            number == 0 or questions[number - 1][0] != key[0],
            tuple(
                key in answers and any(_concerns(key[0], sentence, answers[key]) for sentence in of.get(key[0], ()))
                for answers, of in zip(known, warned, strict=True)
            ),
            tuple(looking_us),
        )
        for number, key in enumerate(questions)
    ]


def _concerns(benchmark: str, warning: str, answer: Answer) -> bool:
    """Whether a warning may concern an answer: unless what it names is all other than what the answer names."""
    told = _named(benchmark, warning)
    return not told or bool(told & _named(benchmark, f"{answer.question} {answer.about}"))


def choices(rows: Iterable[Asked]) -> dict[str, str]:
    """Return the names that the answers hold and that one may not know, each with what it means, as they come."""
    found: dict[str, str] = {}
    for row in rows:
        meanings = _meanings(row.benchmark)
        said = " ".join([row.question, *(one.about for one in row.answers if one is not None)])
        named = _named(row.benchmark, said)
        for name, meaning in meanings.items():
            if name in named:
                found.setdefault(name, meaning)
    return found


def _meanings(benchmark: str) -> Mapping[str, str]:
    module = registry.module(benchmark, "choices")
    found: Mapping[str, str] = {} if module is None else module.CHOICES
    return found


def _named(benchmark: str, text: str) -> set[str]:
    """Return which of the names that the benchmark explains stand in a text."""
    return {name for name in _meanings(benchmark) if re.search(rf"(?<![\w-]){name}(?![\w-])", text)}
