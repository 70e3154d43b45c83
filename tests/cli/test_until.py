"""`run --until`: a real target is measured until its medians are known, also if the tool is killed meanwhile."""

from __future__ import annotations

import random
import re
import shlex
from typing import TYPE_CHECKING

import jsonschema
import pytest

from intercore.benchmarks.stop_rule import caveats, is_reached
from intercore.document.schema import schema
from intercore.record.measurement import StopRule
from intercore.record.plan import repetitions_by_setting
from intercore.record.store import Store
from tests.cli.inspection import contents_of

if TYPE_CHECKING:
    from intercore.record.measurement import Run
    from tests.cli.tool import Tool

pytestmark = pytest.mark.measures("speedup")
LEVELS = ("n=10,1000", "samples=4", "mode=pool", "dither_us=10")
NEVER = ("--until", "0.00001%", "--cap", "4")
"""A machine's medians of a few samples are never known so well."""
KILLS = 40


def only_run(tool: Tool) -> Run:
    with Store(tool.store) as store:
        return store.run()


def check_that_it_stopped_where_the_rule_says(run: Run) -> None:
    rule = run.plan.stop
    assert rule is not None
    assert run.complete
    assert run.total == len(run.measurements)
    for pool in repetitions_by_setting(run).values():
        assert [one.repetition for one in pool] == list(range(len(pool)))
        assert is_reached(rule, pool) or len(pool) == rule.cap
        assert len(pool) == 1 or not is_reached(rule, pool[:-1])


def test_settings_are_repeated_with_other_seeds_up_to_the_cap_and_a_warning_says_so(tool: Tool) -> None:
    done = tool("run", "host", "speedup", *LEVELS, *NEVER, "--seed", "7", "--repetitions", "1", "-v").succeeded()
    run = only_run(tool)
    check_that_it_stopped_where_the_rule_says(run)
    (pool,) = (pool for pool in repetitions_by_setting(run).values() if pool[0].factors["n"] == 1000)
    assert len(pool) == 4
    looked_at = {tuple(one.samples("timestamp_overhead.0").ticks) for one in pool}
    assert len(looked_at) == 4, "the same experiment again"
    (found,) = caveats(run)
    assert (found.until, found.cap) == (1e-7, 4)
    assert any(one.factors["n"] == 1000 and one.series.series in {"t1", "tp"} for one in found.settings)
    assert found.text in " ".join(done.out.split())
    assert re.search(r"^1/3 .*t[1p] unknown from 4 samples$", done.err, re.MULTILINE)
    assert re.search(r"^\d+/\d+ .*n=1000.*, t[1p] ±\S+ %$", done.err, re.MULTILINE)


def test_a_modest_wish_takes_the_repetitions_that_are_believed(tool: Tool) -> None:
    tool("run", "pico-sim", "speedup", "n=100", "mode=pool", "samples=3", "--until", "50%").succeeded()
    run = only_run(tool)
    check_that_it_stopped_where_the_rule_says(run)
    assert len(run.measurements) == 5, "fewer may agree by chance"


def test_everything_that_shows_a_run_shows_the_rule(tool: Tool) -> None:
    shown = tool("run", "host", "speedup", *LEVELS, *NEVER, "--report", "page.html", "--format", "json").succeeded()
    jsonschema.Draft202012Validator(schema("run")).validate(shown.json)
    assert (shown.json["stop"]["until"], shown.json["stop"]["cap"]) == (1e-7, 4)
    assert {len(row["series"]) for row in shown.json["stop"]["settings"]} == {2}
    (missed,) = (one for one in shown.json["findings"] if one["code"] == "precision-not-reached")
    assert (missed["values"]["until"], missed["values"]["cap"]) == (1e-7, 4)
    assert missed["text"] in shown.json["warnings"]
    (row,) = tool("runs", "--format", "json").succeeded().json
    assert row["until"] == "0.00001%"
    page = (tool.directory / "page.html").read_text()
    assert "until medians are known to ±0.00001 % or 4 times" in page
    (command,) = re.findall(r"<pre>(intercore run host.*)", page)
    assert {"--until=0.00001%", "--cap=4"} <= set(shlex.split(command))


def test_a_run_without_a_rule_says_nothing_of_it(tool: Tool) -> None:
    shown = tool("run", "host", "speedup", *LEVELS, "--format", "json").succeeded()
    assert shown.json["stop"] is None
    assert tool("runs", "--format", "json").succeeded().json[0]["until"] is None
    assert " unknown from" not in shown.err


def test_kills_at_random_moments_lose_nothing(tool: Tool) -> None:
    chance = random.Random(20_260_102)  # noqa: S311 - repeatable, not secret
    words: tuple[str, ...] = ("run", "host", "speedup", *LEVELS, "--until", "0.00001%", "--cap", "30")
    killed = 0
    held: dict[object, object] = {}
    longest = 0.3
    while killed < KILLS:
        result = tool(*words, kill_after=chance.uniform(0, longest))
        if result.status == 0:
            break
        killed += 1
        now = contents_of(tool.store) if tool.store.exists() else {}
        assert now.items() >= held.items(), "a measurement is lost or changed"
        longest *= 1 if len(now) > len(held) else 1.3  # a slow machine may not get anywhere in so little time
        held = dict(now)
        if held:
            run = only_run(tool)
            assert run.plan.stop == StopRule(1e-7, 30)
            assert run.complete == (len(run.measurements) == run.total)
            if run.complete:
                break
            words = ("run", "--resume")
    assert killed >= 3
    if not only_run(tool).complete:
        tool("run", "--resume").succeeded()
    assert contents_of(tool.store).items() >= held.items()
    check_that_it_stopped_where_the_rule_says(only_run(tool))
