"""Budgets as JUnit's XML, held against its schema, and as Markdown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import xmlschema

from intercore.budgets.check import Check, check, unmeasured
from intercore.document.junit import junit
from intercore.document.markdown import markdown
from tests.budgets.budget_files import budgets
from tests.comparison.compared_runs import measured, run

pytestmark = pytest.mark.measures("switch", "irq")
SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))
EACH = (
    "switch: median <= 110 us",
    "switch: max <= 90 us",
    "switch: p99 <= 200 us",
    "irq: median <= 1 us",
)
"""Kept, broken, cannot tell, not measured."""


@pytest.fixture
def found() -> Check:
    return check(budgets(*EACH), run("pico-sim", measured([100] * 20)), {})


def test_junit_has_failure_error_and_skipped_for_budgets(found: Check) -> None:
    assert [one.outcome for one in found.budgets] == ["kept", "broken", "cannot tell", "not measured"]
    text = junit(found)
    SCHEMA.validate(text.decode())
    root = ET.fromstring(text)  # noqa: S314 - our own
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    cases = list(root.iter("testcase"))
    assert [[element.tag for element in case] for case in cases] == [[], ["failure"], ["skipped"], ["error"]]
    assert cases[1][0].get("message") == "100 µs is not <= 90 us"
    assert cases[1].get("name") == "switch: switch max <= 90 us"
    assert cases[1].get("classname") == "intercore.pico-sim.switch"
    assert "b.toml:3: switch: max <= 90 us" in str(cases[1][0].text)


def test_the_schema_finds_what_no_build_server_reads(found: Check) -> None:
    text = junit(found).decode()
    for broken in (text.replace("failure", "broken"), text.replace(' tests="4"', ""), text.replace('type="', 'kind="')):
        assert not SCHEMA.is_valid(broken)


def test_whatever_stands_in_a_sentence_makes_no_other_document() -> None:
    nasty = 'a "quoted" <tag> & \x1b[2J\x00 | pipe `code` \udcff'
    found = unmeasured(budgets(*EACH), "pico", nasty, simulated=False)
    text = junit(found)
    SCHEMA.validate(text.decode())
    assert all(len(case) == 1 for case in ET.fromstring(text).iter("testcase"))  # noqa: S314 - our own
    rows = [line for line in markdown(found).splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(EACH)
    assert "\x1b" not in markdown(found)
    assert "\\<tag\\>" in markdown(found)


def test_markdown_says_what_it_comes_to_and_has_what_is_broken_first(found: Check) -> None:
    lines = markdown(found).splitlines()
    assert lines[0] == "### A budget is broken: Budgets of b.toml on pico-sim (SIMULATED)"
    assert "4 numbers with a budget: 1 broken, 1 not measured, 1 undecided and 1 kept." in lines
    first = lines.index("|---|---|--:|--:|---|") + 1
    assert lines[first] == "| switch | switch max \\<= 90 us | 100 µs |  | broken |"
    assert [line.rpartition(" | ")[2] for line in lines[first : first + 4]] == [
        "broken |",
        "not measured |",
        "cannot tell: 49 more |",
        "kept |",
    ]
