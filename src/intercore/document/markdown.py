"""Budgets as Markdown, for the summary of a build or the comment of a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from intercore.budgets import report
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from intercore.budgets.check import Check
    from intercore.budgets.result import BudgetResult, Outcome

_HEADINGS: Mapping[Outcome, str] = {
    "kept": "All budgets are kept",
    "broken": "A budget is broken",
    "cannot tell": "It is undecided whether all budgets are kept",
    "not measured": "Not all budgets could be measured",
}


def markdown(found: Check) -> str:
    """Return a heading, what must be known first, and a table of all budgets, what is broken first."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Check) -> Iterator[str]:
    yield f"### {_HEADINGS[found.outcome]}: {_text(report.title(found))}"
    yield ""
    for sentence in found.first:
        yield f"> {_text(sentence)}"
        yield ""
    yield _text(report.summary(found))
    yield ""
    yield "| setting | budget | found | 95 % | |"
    yield "|---|---|--:|--:|---|"
    for one in report.ranked(found):
        yield f"| {' | '.join(map(_text, _cells(one)))} |"
    doubts = [one for one in report.ranked(found) if one.why]
    if doubts:
        yield ""
    for one in doubts:
        yield f"- {_text(f'{found.file}:{one.line}: {report.name(one)}: {report.reason(one)}.')}"


def _cells(one: BudgetResult) -> tuple[str, ...]:
    return (
        report.setting(one),
        f"{one.what} {one.bound}",
        report.value(one),
        report.interval(one),
        report.outcome(one),
    )


def _text(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", " ".join(printable(text).split()))
