"""Plans that repeat a table or figure of a paper: what they write begins with it, as published and as measured."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.tool import Tool

TINY = {"n": [10, 30, 100], "discs": 9, "window_ms": 40, "samples": 2, "yield": "none"}
NAMES = ("seed-000-table-1", "seed-000-figure-2", "seed-001-towers", "seed-001-currents")


def experiments(plan: dict[str, Any]) -> Iterator[str]:
    """What a plan measures on the simulated Pico, with small work, from the image that it usually has."""
    for one in plan["experiment"]:
        factors = one["factors"]
        if "pico-sim" in one.get("targets", ["pico-sim"]) and "code" not in factors:
            levels = {name: TINY.get(name, level) for name, level in factors.items() if name != "priority"}
            lines = [f"{name} = {json.dumps(level)}" for name, level in levels.items()]
            head = ["[[experiment]]", f"benchmark = {json.dumps(one['benchmark'])}", "[experiment.factors]"]
            yield "\n".join([*head, *lines])


@pytest.mark.measures("speedup", "contention")
def test_the_page_and_the_terminal_begin_with_what_plans_repeat(tool: Tool) -> None:
    need_tools()
    plans = [tomllib.loads((ROOT / "plans" / f"{name}.toml").read_text(encoding="utf-8")) for name in NAMES]
    repeated = [one for plan in plans for one in plan["exhibits"]]
    targets = [one for plan in plans for one in plan["target"]]
    target = {key: str(ROOT / "plans" / one[key]) for one in targets for key in one.keys() & {"currents"}}
    # So small, those of the figure are those of the table.
    measured = [one for plan in plans if plan["exhibits"] != [NAMES[1]] for one in experiments(plan)]
    lines = [f"exhibits = {json.dumps(repeated)}", "[[target]]", 'name = "pico-sim"']
    lines += [f"{name} = {json.dumps(value)}" for name, value in target.items()]
    text = "\n".join([*lines, *dict.fromkeys(measured)])
    (tool.directory / "plan.toml").write_text(text, encoding="utf-8")

    found = tool("sweep", "plan.toml", "--no-estimate", "--report", "page.html").succeeded()
    page = (tool.directory / "page.html").read_text(encoding="utf-8")
    places = [page.index(f'<section class="exhibit" id="{name}">') for name in repeated]
    assert '<tr class="theirs">' in page, "published rows are told from one's own"
    assert places == sorted(places)
    assert places[-1] < page.index('<section id="answers">')
    assert "this run has no measurement of it" not in found.out
    before = found.out[: found.out.index("Run 1 on pico-sim")]
    assert before.count("This run and the findings on") == len(repeated) == len(NAMES)
    assert "published" in before
    assert "ESTIMATED" in before
