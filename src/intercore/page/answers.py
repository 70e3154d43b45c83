"""The table of answers that a page begins with: a row for each question, and what each run answers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks import registry
from intercore.view.quantity import significant
from intercore.view.ratio import upright

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.benchmarks.reports import ReportedRun
    from intercore.finding import Finding
    from intercore.view.answer import Answer, Unit
    from intercore.view.cost import Cost
    from intercore.view.section import Topic

_OF_RATIOS: Mapping[Unit, tuple[str, str]] = {"us": ("faster", "slower"), "bytes/s": ("slower", "faster")}
"""Words for the second of two answers if it is smaller, and if it is larger; none for multiples."""
_OF_OTHERS = " *"
"""Behind a ratio of two different ways or cases, as the words below the table explain."""


@dataclass(frozen=True)
class QuestionRow:
    """One question, and what each run answers."""

    benchmark: str
    question: str
    answers: tuple[Answer | None, ...]
    under: str
    """The benchmark under which it is asked: its own, but where an answer has another topic."""
    first: bool
    """Whether it is the first one there."""
    has_caveat: tuple[bool, ...]
    """Of each answer, whether a warning may concern it."""
    timestamp_overhead_us: tuple[float, ...]
    """The timestamp overhead in each run; 0 if unknown."""

    @property
    def _rated(self) -> list[Answer]:
        """Both answers, if there are two and both are times or rates above 0 that one target may have less of."""
        known = [one for one in self.answers if one is not None and one.value is not None and one.value.value > 0]
        is_rated = len(self.answers) == len(known) == 2 and known[0].unit in _OF_RATIOS and known[0].rated
        return known if is_rated else []

    @property
    def is_too_short(self) -> bool:
        """Whether there is no ratio because an answer is the reading of the clock for the most part, which is in it."""
        known = zip(self._rated, self.timestamp_overhead_us, strict=False)
        return any(
            one.unit == "us" and one.value is not None and one.value.value < 2 * of and not one.overhead
            for one, of in known
        )

    @property
    def times(self) -> float | None:
        """The second of two answers over the first one, if both are times or rates above 0.

        There is none for a time that is mostly timestamp overhead, or for a number with a verdict.
        """
        values = [one.value.value for one in self._rated if one.value is not None]
        if not values or any(one.verdict for one in self._rated) or self.is_too_short:
            return None
        return values[1] / values[0]

    @property
    def ratio(self) -> str:
        """The second of two answers against the first one, if comparable: `22 × slower`.

        An asterisk marks answers of different choices.
        """
        if self.is_too_short:
            return "too short to tell"
        if self.times is None:
            return ""
        first, second = self._rated
        return _in_words(self.times, *_OF_RATIOS[first.unit]) + _OF_OTHERS * (first.choice != second.choice)


def answer_rows(reported: Sequence[ReportedRun], timestamp_overhead_us: Sequence[float]) -> list[QuestionRow]:
    """Return all questions that some run answers, by benchmark, in the order in which they first come.

    `timestamp_overhead_us` is the timestamp overhead in each run; 0 if unknown.
    """
    known = [
        {(report.benchmark, one.question): one for report in each.reports for one in report.answers}
        if not each.run.plan.emulated
        else {}
        for each in reported
    ]
    warned = [{report.benchmark: report.caveats for report in each.reports} for each in reported]
    benchmarks = dict.fromkeys(benchmark for answers in known for benchmark, _ in answers)
    order = {benchmark: place for place, benchmark in enumerate(benchmarks)}
    topics = {one.topic: one.benchmark for each in reported for one in each.reports if one.benchmark in order}
    questions = [
        key
        for benchmark in benchmarks
        for key in dict.fromkeys(key for answers in known for key in answers if key[0] == benchmark)
    ]
    under = {key: _under(key[0], topics, [answers[key] for answers in known if key in answers]) for key in questions}
    shown = {key for answers in known for key, one in answers.items() if not one.again}
    questions = [key for key in questions if key in shown]
    leads = {key for answers in known for key, one in answers.items() if one.leads}
    questions.sort(key=lambda key: (order[under[key]], key not in leads, key[0] != under[key]))
    return [
        QuestionRow(
            *key,
            tuple(answers.get(key) for answers in known),
            under[key],
            number == 0 or under[questions[number - 1]] != under[key],
            tuple(
                key in answers and any(_concerns(key[0], caveat, answers[key]) for caveat in of.get(key[0], ()))
                for answers, of in zip(known, warned, strict=True)
            ),
            tuple(timestamp_overhead_us),
        )
        for number, key in enumerate(questions)
    ]


def _under(benchmark: str, topics: Mapping[Topic | None, str], answers: Iterable[Answer]) -> str:
    """Return the benchmark under which a question is asked: that of its topic, if it has one that was answered."""
    return next((topics[one.topic] for one in answers if one.topic is not None and one.topic in topics), benchmark)


def marked_answers(rows: Iterable[QuestionRow], number: int, *, worst: bool) -> str:
    """Return the number of a run's answers with a caveat: `3 of 33 answers below are`; empty if none.

    They are those that warnings may concern, and the worst cases if `worst`.
    """
    known = [
        row.has_caveat[number] or (worst and answer.worst)
        for row in rows
        if (answer := row.answers[number]) is not None
    ]
    return f"{sum(known)} of {len(known)} answers below {'is' if sum(known) == 1 else 'are'}" if any(known) else ""


def worst_case(rows: Iterable[QuestionRow]) -> QuestionRow | None:
    """Return the worst case by which two targets differ most; None if no two compare."""
    known = [row for row in rows if row.times is not None and any(one is not None and one.worst for one in row.answers)]
    return max(known, key=lambda row: abs(math.log(row.times or 1.0)), default=None)


_SHOWN = 3  # of either kind


def differing(rows: Iterable[QuestionRow], costs: Sequence[Iterable[Cost]]) -> list[tuple[str, list[str]]]:
    """Return what the second of two targets is, slower or faster, and in which few answers and costs it is that most.

    `costs` are those of each target; a worst case is none of either.
    """
    found = [
        (row.times, f"“{row.question}” {row.ratio}")
        for row in rows
        if row.times is not None and not any(one is not None and one.worst for one in row.answers)
    ]
    if len(costs) == 2:
        first, second = ({one.label: one.across_us for one in each if one.across_us} for each in costs)
        for label in first.keys() & second.keys():
            times = second[label] / first[label]
            found.append((times, f"“{label}” {_in_words(times, *_OF_RATIOS['us'])}"))
    found.sort(key=lambda one: (-abs(math.log(one[0])), one[1]))
    sentences = [
        (word, [text.replace(f" {word}", "") for _, text in found if f" {word}" in text][:_SHOWN])
        for word in ("slower", "faster")
    ]
    return [(word, texts) for word, texts in sentences if texts]


def differ_most(name: str, found: Sequence[tuple[str, Sequence[str]]], speed: str) -> str:
    """Say in a sentence or two what the second target, of this name, is most; empty if nothing is known.

    `found` is what `differing` returns; `speed` is what a core of it is in computing alone: `731 × slower`, or nothing.
    """
    shown = dict(found)
    sentences = []
    for word in ("faster", "slower"):
        places = [f"pure computing, at least {speed.removesuffix(' ' + word)}"] * speed.endswith(word)
        places += [f"{text}" for text in shown.get(word, ())[:1]]
        if places:
            sentences.append(f"Largest gaps where {name} is {word}: {'; '.join(places)}.")
    return " ".join(sentences)


def _in_words(times: float, less: str, more: str) -> str:
    """Write a ratio as what the second side is: `22 × slower`."""
    written = significant(upright(times), 2)
    return "same" if float(written) == 1 else f"{written} × {less if times < 1 else more}"


def _concerns(benchmark: str, caveat: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it names only other choices than the answer.

    A benchmark may know better of what else distinguishes its settings.
    """
    values = msgspec.json.encode(caveat).decode()
    shown, asked = (_named(benchmark, text) for text in (values, f"{answer.question} {answer.about}"))
    analysis = registry.analysis(benchmark)
    concerns = None if analysis is None else analysis.concerns
    return (not shown or not asked or bool(shown & asked)) and (concerns is None or concerns(caveat, answer))


def choices(rows: Iterable[QuestionRow]) -> dict[str, str]:
    """Return the names that the answers hold and that one may not know, each with what it means, as they come."""
    found: dict[str, str] = {}
    for row in rows:
        meanings = registry.benchmark(row.benchmark).choices
        sentences = " ".join([row.question, *(one.about for one in row.answers if one is not None)])
        named = _named(row.benchmark, sentences)
        for name, meaning in meanings.items():
            if name in named:
                found.setdefault(name, meaning)
    return found


def _named(benchmark: str, text: str) -> set[str]:
    """Return which of the names that the benchmark explains stand in a text."""
    return {name for name in registry.benchmark(benchmark).choices if re.search(rf"(?<![\w-]){name}(?![\w-])", text)}
