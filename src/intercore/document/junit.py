"""Results as JUnit's XML, which build servers show as tests: budgets that were checked, and the rules of a hunt.

There is no standard for it. The format is that of Ant's formatter, which build servers read (docs/ci.md): a broken
budget or a finding is a failure, a budget that could not be measured an error, an undecided one is skipped.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from intercore.budgets import report
from intercore.hunt.finding import Code
from intercore.hunt.report import states, verdict
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.budgets.check import Check
    from intercore.budgets.result import BudgetResult, Outcome
    from intercore.hunt.analysis import HuntAnalysis

_Element: TypeAlias = Literal["failure", "error", "skipped"]
_ELEMENTS: Mapping[Outcome, _Element] = {"broken": "failure", "not measured": "error", "cannot tell": "skipped"}
_COUNTS: Mapping[str, _Element] = {"failures": "failure", "errors": "error", "skipped": "skipped"}


class _Case(NamedTuple):
    """A test."""

    group: str
    name: str
    element: _Element | None = None
    """None if it has passed."""
    kind: str = ""
    message: str = ""
    text: str = ""


def junit(found: Check) -> bytes:
    """Return the whole document of budgets, UTF-8."""
    output = [*found.first, report.summary(found), *found.warnings]
    return _document("intercore check", report.title(found), [_of_budget(found, one) for one in found.budgets], output)


def hunt_junit(analysis: HuntAnalysis) -> bytes:
    """Return the whole document of a hunt, UTF-8: a test for each rule, so that they are the same in every build."""
    cases = [_of_rule(analysis, code) for code in get_args(Code)]
    output = [verdict(analysis), *states(analysis), *analysis.notes]
    return _document("intercore hunt", f"Hunt in {analysis.image}, SIMULATED", cases, output)


def _document(command: str, title: str, cases: Sequence[_Case], output: Sequence[str]) -> bytes:
    counts = {"tests": str(len(cases))} | {
        name: str(sum(case.element == element for case in cases)) for name, element in _COUNTS.items()
    }
    root = ET.Element("testsuites", {"name": command, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": printable(title), **counts})
    for case in cases:
        names = {"classname": printable(f"intercore.{case.group}"), "name": printable(case.name)}
        element = ET.SubElement(suite, "testcase", names)
        if case.element is not None:
            result = ET.SubElement(element, case.element, {"message": printable(case.message)})
            if case.kind:
                result.set("type", case.kind)
            result.text = printable(case.text)
    ET.SubElement(suite, "system-out").text = printable("\n".join(output))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _of_budget(found: Check, one: BudgetResult) -> _Case:
    case = _Case(f"{found.target or 'unknown'}.{one.benchmark}", f"{report.name(one)} {one.bound}")
    if one.outcome == "kept":
        return case
    message = _message(one)
    kinds = {"broken": "broken budget", "not measured": "not measured"}
    text = f"{found.file}:{one.line}: {one.budget}\n{message}"
    return case._replace(element=_ELEMENTS[one.outcome], kind=kinds.get(one.outcome, ""), message=message, text=text)


def _message(one: BudgetResult) -> str:
    if one.why:
        return f"{one.outcome}: {report.reason(one)}"
    interval = report.interval(one)
    return f"{report.value(one)}{f' ({interval})' if interval else ''} is not {one.bound}"


def _of_rule(analysis: HuntAnalysis, code: Code) -> _Case:
    case = _Case(f"hunt.{analysis.image}", code)
    found = [one for one in analysis.findings if one.code == code]
    if not found:
        return case
    lines = [f"{one.text}{f' Timeline: {one.timeline}' if one.timeline else ''}" for one in found]
    return case._replace(element="failure", kind="finding", message=found[0].text, text="\n".join(lines))
