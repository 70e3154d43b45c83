"""`intercore run TARGET suite`: every benchmark in one run, one document, one page."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import os
import re
import uuid
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from intercore.benchmarks import registry
from intercore.benchmarks.options import Options
from intercore.board.kernel import KERNEL_VARIABLE
from intercore.cli.outcome import findings
from intercore.comparison import baseline_file
from intercore.comparison.quantities import KeptMeasurement
from intercore.record.store import Store
from intercore.terminal.findings import Sentence
from intercore.terminal.formats.table import print_parts
from intercore.terminal.printable_console import PrintableConsole
from intercore.terminal.run import in_brief
from intercore.view.answer import Answer
from tests.benchmarks.test_suite import APART
from tests.built_once import ROOT
from tests.cli.tool import Tool
from tests.document.validity import check
from tests.firmware.rp2040.conftest import need_tools, of_all_benchmarks
from tests.firmware.rp2040.test_baseline import of_this_compiler

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OF_SPEEDUP = ("overhead_us", "break_even", "isoefficiency", "quantised", "thresholds")
"""Further keys of its analysis."""
MEASURED = [name for name in registry.names() if name not in APART]
"""The benchmarks of the suite."""
KEYS = {"answers", *MEASURED, *(OF_SPEEDUP if "speedup" in registry.names() else ())}
ONE_SCREEN = 40
"""Lines, at 80 columns."""
BETWEEN = 300
"""Bytes of a message that an answer tells of, and that the suite does not measure."""
DISTURBED = ("wrong", "migrated", "lost")
SUITE = ROOT / "baselines/pico-sim-suite.jsonl"


def check_first_screen(store: Path, shown: dict[str, Any]) -> None:
    """Hold what is left on a terminal against the document: the same answers, and all of them on one screen."""
    with Store(store) as opened:
        run = opened.run()
    parts = list(findings(run, store, Options(), brief=True).text())
    printed = io.StringIO()
    print_parts(parts, PrintableConsole(width=80, file=printed))
    left = printed.getvalue()
    remarked = any(isinstance(part, Sentence) for part in parts)
    of_answers = 0 if remarked or run.plan.simulated else 8  # a noisy machine has long intervals, which are not cut
    assert left.count("\n") < ONE_SCREEN + of_answers, left  # below it comes the name of the page
    *above, last = left.splitlines()
    assert max(map(len, above)) <= 80
    assert re.fullmatch(r"All tables(, and \d+ more warnings?)?: intercore show 1 --store .*", last)
    rows = [line for line in above if line.startswith("  ")]
    words = " ".join(" ".join(rows).split())
    known = shown["analysis"]["answers"]
    assert [one["benchmark"] for one in known] == list(run.plan.benchmarks)
    for one in known:
        assert one["answers"], one["benchmark"]
        numbers = {*numbers_of({name: part for name, part in shown["analysis"].items() if name != "answers"})}
        if one["benchmark"] == "message":
            numbers |= {*times_between_sizes(shown["analysis"]["message"]["latency"])}
            numbers |= {*rates(shown["analysis"]["message"]["ranking"])}
        if one["benchmark"] == "switch":
            numbers |= {*core_1_against_core_0(shown["analysis"]["switch"]["wake_ups"])}
        every = np.array([*numbers])
        for made in one["answers"]:
            answer = msgspec.convert(made, Answer)
            assert len(answer.question) <= 24
            assert (f"{answer.question} {in_brief(answer)}" in words) == answer.brief
            assert in_brief(answer).count("(") == in_brief(answer).count(")")
            if answer.value is not None and one["benchmark"] != "clock":  # whose readings are in ticks there
                for number in {answer.value.value, answer.value.low, answer.value.high} - {None}:
                    assert np.isclose(every, number, rtol=1e-12, atol=0).any(), answer


def times_between_sizes(latencies: list[dict[str, Any]]) -> Iterator[float]:
    """Yield what a message of BETWEEN bytes takes, in µs: by each line, and between the sizes beside it."""
    for one in latencies:
        if one["alpha_us"] is not None and one["beta_ns_per_byte"] is not None:
            yield one["alpha_us"]["value"] + one["beta_ns_per_byte"]["value"] * BETWEEN / 1e3
        known = [(size["bytes"], size["latency_us"]["median"]) for size in one["sizes"]]
        for (below, first), (above, second) in pairwise(known):
            if below <= BETWEEN < above:
                for end in first.keys() & second.keys():
                    if None not in (first[end], second[end]):
                        yield first[end] + (BETWEEN - below) / (above - below) * (second[end] - first[end])


def rates(ranking: list[dict[str, Any]]) -> Iterator[float]:
    """Yield the bytes per second that the ends of a message's time come to, in a stream."""
    for one in ranking:
        if one["measure"] == "throughput":
            yield from (one["bytes"] / each * 1e6 for each in one["time_us"].values() if each)


def core_1_against_core_0(wake_ups: list[dict[str, Any]]) -> Iterator[float]:
    """Yield how many times as long core 1 takes as core 0 to wake a task of its own, by each primitive, with its ends.

    These are by MOVER of logarithms (Zou & Donner 2008), written here once more.
    """
    own = [one for one in wake_ups if one["from"] == one["to"] and one["time"] == "common"]
    for first, second in product(own, own):
        if (first["primitive"], first["from"], second["from"]) == (second["primitive"], 0, 1):
            under, over = (one["wake_up_us"]["median"] for one in (first, second))
            times = over["value"] / under["value"]
            yield times
            for end, other in (("low", "high"), ("high", "low")):
                if None not in (over.get(end), under.get(other)):
                    reach = math.hypot(math.log(over["value"] / over[end]), math.log(under["value"] / under[other]))
                    yield times * math.exp(-reach if end == "low" else reach)


def check_spreadsheets(printed: str, analysed: list[str]) -> None:
    """Hold the rows against what a spreadsheet needs: a table for each benchmark, with columns of its own."""
    tables = [list(csv.DictReader(table.splitlines())) for table in printed.split("\n\n")]
    assert [table[0]["benchmark"] for table in tables] == [name for name in analysed if name in registry.names()]
    for table in tables:
        assert len({row["benchmark"] for row in table}) == 1
        assert {row["target"] for row in table} != {""}
        assert len(table[0]) < 40


def numbers_of(document: object) -> Iterator[float]:
    """Yield all numbers in a document."""
    if isinstance(document, dict | list):
        for one in document.values() if isinstance(document, dict) else document:
            yield from numbers_of(one)
    elif isinstance(document, int | float):
        yield float(document)


def suite(tool: Tool, target: str, *options: str) -> dict[str, Any]:
    """Run the suite as people do, in an empty folder; return the document after holding it against its schema."""
    shown: dict[str, Any] = tool("run", target, "suite", *options, "--format", "json", kill_after=800).succeeded().json
    check(shown)
    assert shown["complete"]
    assert {row["benchmark"] for row in shown["measurements"]} == {*MEASURED}
    check_first_screen(tool.store, shown)
    check_spreadsheets(tool("show", "--format", "csv").succeeded().out, [*shown["analysis"]])
    assert set(shown["analysis"]) == KEYS
    page = (tool.directory / f"{target}-suite.html").read_text()
    found = re.findall(r"<td[^>]*>(.*?)</td>", page)
    cells = [" ".join(html.unescape(re.sub("<[^>]*>", "", cell)).split()) for cell in found]
    for made in (made for one in shown["analysis"]["answers"] for made in one["answers"]):
        answer = msgspec.convert(made, Answer)
        told = {answer.question, " ".join((answer.headline or answer.about).split())}
        assert answer.again or told <= {*cells}, answer
    for name in MEASURED:
        analysis = registry.analysis(name)
        if analysis is not None and analysis.combined is not None:  # it is said of all runs of the page at once
            continue
        assert shown["analysis"][name]["sentences"], name
        assert f"({name})</span></a>" in page
    return shown


@pytest.mark.timeout(900)
def test_the_suite_measures_everything_on_this_machine(tool: Tool) -> None:
    shown = suite(tool, "host", "--repetitions", "1")  # of five, for the sake of time
    assert not shown["simulated"]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tool, dict[str, Any]]:
    """The tool beside a store with the suite of the simulated chip, and its document."""
    need_tools()
    tool = Tool(tmp_path_factory.mktemp("suite"), uuid.uuid4().hex, {KERNEL_VARIABLE: ""})
    return tool, suite(tool, "pico-sim")


@pytest.mark.timeout(900)
def test_the_suite_measures_everything_on_the_simulated_chip_undisturbed(
    simulated: tuple[Tool, dict[str, Any]],
) -> None:
    _, shown = simulated
    assert shown["simulated"]
    for one in shown["measurements"]:
        assert not any(one["checks"].get(name) for name in DISTURBED), one
    moved = [one["checks"] for one in shown["measurements"] if "migrations_requested" in one["checks"]]
    assert bool(moved) == ("jitter" in registry.names())
    assert all(checks["migrations_done"] == checks["migrations_requested"] > 0 for checks in moved)


@pytest.mark.timeout(900)
def test_a_baseline_of_the_suite_is_saved_read_and_kept_by_budgets_of_every_median(
    simulated: tuple[Tool, dict[str, Any]],
) -> None:
    tool, _ = simulated
    tool("baseline", "save", "suite.txt", "1").succeeded()
    found = tool("compare", "suite.txt", "1", "--format", "json").succeeded().json
    assert len(found["pairs"]) > 100
    assert {pair["verdict"] for pair in found["pairs"]} == {"same"}
    named = {
        (one.benchmark, f" measure={one.factors['measure']}" if "measure" in one.factors else "", series)
        for one in baseline_file.read(tool.directory / "suite.txt").measurements
        if isinstance(one, KeptMeasurement)
        for series, _ in one.quantities
    }
    texts = [f"{''.join(of)}: {one} median / baseline {sense} 1" for *of, one in named for sense in ("<=", ">=")]
    budgets = f"baseline = 'suite.txt'\nbudgets = {json.dumps(texts)}\n"
    (tool.directory / "budgets.toml").write_text(budgets)
    checked = tool("check", "budgets.toml", "1", "--format", "json").succeeded().json
    assert checked["outcome"] == "kept"
    assert len(checked["budgets"]) >= 2 * len(found["pairs"])


@pytest.mark.timeout(900)
@of_all_benchmarks
def test_the_suite_comes_to_what_its_committed_baseline_says(simulated: tuple[Tool, dict[str, Any]]) -> None:
    tool, shown = simulated
    of_this_compiler(SUITE, shown["conditions"])
    found = tool("compare", str(SUITE), "1", "--phases", "0", "--format", "json").succeeded().json
    moved = [pair for pair in found["pairs"] if pair["verdict"] != "same"]
    assert not moved, f"{len(moved)} numbers moved; if that is meant, `make baseline` and commit it"
    assert SUITE.name not in {one["target"] for one in found["unpaired"]}


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(900)
def test_amp_suite_skips_smp_benchmarks_and_compares_with_smp(tool: Tool) -> None:
    need_tools()
    result = tool("run", "pico-amp-sim", "suite", "--format", "json", kill_after=600).succeeded()
    names = f"contention, {'jitter' if 'jitter' in registry.names() else 'api'}"
    assert f"Left out, because pico-amp-sim cannot measure them (not applicable on AMP): {names}" in result.err
    shown = result.json
    check(shown)
    assert shown["complete"]
    assert {*registry.names()} & {"speedup", "switch", "irq", "memory", "message", "clock"} <= set(shown["analysis"])
    assert not {"contention", "jitter", "api", "rhealstone", "threadmetric", "lock"} & set(shown["analysis"])
    for one in shown["measurements"]:
        assert not any(one["checks"].get(name) for name in (*DISTURBED, "recovered_doorbells")), one
    for measure in ("latency", "throughput"):
        rows = shown["analysis"]["message"][measure]
        assert {(row["from"], row["to"]) for row in rows} == {(0, 1), (1, 0)}
        assert all(row["beta_ns_per_byte"] is not None for row in rows), "there is a model"
    exact = [size["exactness"] for row in shown["analysis"]["message"]["latency"] for size in row["sizes"]]
    assert all(one["high"] - one["low"] <= 2 for one in exact)
    tool("run", "pico-sim", "message", "transport=ring", "size=16,256", "samples=20", kill_after=100).succeeded()
    found = tool("compare", "pico-sim", "pico-amp-sim", "--format", "json").succeeded().json
    assert any(pair["benchmark"] == "message" and pair["ratio"]["value"] != 1 for pair in found["pairs"])


def test_levels_are_refused(tool: Tool) -> None:
    assert "n, or name one benchmark instead" in tool("run", "host", "suite", "n=5").failed(2).error
