"""Budgets as JUnit's XML, which build servers show as tests.

There is no standard for it. The format is that of Ant's formatter, which build servers read (docs/ci.md): a broken
budget is a failure, one that could not be measured an error, an undecided one is skipped.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from intercore.budgets import report
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.budgets.check import Check
    from intercore.budgets.result import BudgetResult, Outcome

_ELEMENTS: Mapping[Outcome, str] = {"broken": "failure", "not measured": "error", "cannot tell": "skipped"}
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def junit(found: Check) -> bytes:
    """Return the whole document, UTF-8."""
    cases = [_case(found, one) for one in found.budgets]
    counts = {"tests": str(len(cases))} | {
        name: str(sum(case.find(element) is not None for case in cases)) for name, element in _COUNTS.items()
    }
    root = ET.Element("testsuites", {"name": "intercore check", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": printable(report.title(found)), **counts})
    suite.extend(cases)
    output = [*found.first, report.summary(found), *found.warnings]
    ET.SubElement(suite, "system-out").text = printable("\n".join(output))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(found: Check, one: BudgetResult) -> ET.Element:
    classname = f"intercore.{found.target or 'unknown'}.{one.benchmark}"
    named = f"{report.name(one)} {one.bound}"
    case = ET.Element("testcase", {"classname": printable(classname), "name": printable(named)})
    if one.outcome != "kept":
        message = _message(one)
        element = ET.SubElement(case, _ELEMENTS[one.outcome], {"message": printable(message)})
        if one.outcome != "cannot tell":
            element.set("type", "broken budget" if one.outcome == "broken" else "not measured")
        element.text = printable(f"{found.file}:{one.line}: {one.budget}\n{message}")
    return case


def _message(one: BudgetResult) -> str:
    if one.why:
        return f"{one.outcome}: {report.reason(one)}"
    interval = report.interval(one)
    return f"{report.value(one)}{f' ({interval})' if interval else ''} is not {one.bound}"
