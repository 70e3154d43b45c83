"""How far a page says that its numbers may be trusted: on each target's card, and at the answers that it marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from intercore.accuracy.trust import sentence
from intercore.benchmarks import registry
from intercore.benchmarks.caveats import Disturbed, FailedCheck, Samples
from intercore.benchmarks.model import beside_boards
from intercore.benchmarks.reports import ReportedRun
from intercore.finding import Caveat
from intercore.page.page import by_advice, write_page
from intercore.record.measurement import Measurement, Part, Plan, Run
from intercore.statistics.disturbance import Drift
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.section import Report, Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from intercore.finding import Finding
    from intercore.view.section import Topic

STARTED = "2026-01-02T03:04:05+00:00"
DRIFT = Disturbed(
    benchmark="lock",
    samples=Samples("hand-over of spinlock from core 0 to core 1", {"lock": "spinlock"}),
    disturbances=(Drift(first=1.0, second=2.0),),
)
PREEMPTED = FailedCheck(benchmark="lock", check="preempted", count=1, factor="lock", levels=())
ANSWERS = [Answer(f"{name} hand-off", Interval(2.0), about=name) for name in ("mutex", "spinlock")]


def reported(
    *caveats: Finding,
    answers: Sequence[Answer] = ANSWERS,
    target: str = "host",
    checks: Mapping[str, int] | None = None,
    conditions: Mapping[str, str] | None = None,
    benchmark: str = "lock",
) -> ReportedRun:
    """A run of one measurement without samples, and a report with two answers."""
    measured = Measurement(
        benchmark, {"measure": "hand-off"}, 0, (), dict(conditions or {}), dict(checks or {}), STARTED
    )
    plan = Plan(target, None, "lock", (Part("lock", {}),), seed=1, simulated=target != "host")
    run = Run({"host": 7}.get(target, 8), plan, STARTED, "0.1.0", 1, (measured,))
    section = Section("Locks (lock)", ["."], [])
    report = Report("lock", {}, [], caveats, section, topic="locks", answers=list(answers))
    return ReportedRun(run, run, (report,))


def written(folder: Path, *runs: ReportedRun) -> str:
    path = folder / "page.html"
    write_page(runs, path)
    return re.sub(r"\s+", " ", path.read_text("utf-8"))


def card(source: str, target: str) -> str:
    found = re.findall(r'<div class="card" id="target-\d">(.*?)</div>', source)
    (own,) = [one for one in found if f"<strong>{target}</strong>" in one]
    return re.sub("<.*?>", "", own)


def marked(source: str) -> list[tuple[str, str]]:
    """The question of each answer that is marked, and what the mark's link leads to, in words."""
    headings = dict(re.findall(r'<(?:h3|section) id="(warnings[^"]*)">(.*?)<', source))
    rows = re.findall(r'<tr class="[^"]*" data-benchmark.*?</tr>', source)
    return [
        (re.findall('<td class="question">(.*?)</td>', row)[0], headings[link])
        for row in rows
        for link in re.findall('<a class="caveat" href="#(.*?)"', row)
    ]


def test_warnings_with_one_advice_stand_together_where_the_first_of_them_stands() -> None:
    class Advice(Caveat, frozen=True, tag="advice"):
        words: str

        @property
        def sentence(self) -> str:
            return self.words

    def about(benchmark: str, topic: Topic) -> Report:
        return Report(benchmark, {}, [], [], Section("", [], []), topic=topic)

    found = by_advice(
        [
            (None, Advice(words="Close it.")),
            (about("lock", "locks"), Advice(words="lock, a: The values drift: 1 and 2. Warm up. Measure again.")),
            (about("memory", "memory"), Advice(words="A bank. Wait.")),
            (about("message", "messages"), Advice(words="b: Another. Warm up. Measure again.")),
        ]
    )
    assert [(one.entries, one.advice) for one in found] == [
        ([("", "Close it.")], ""),
        ([("locks", "a: The values drift: 1 and 2."), ("messages", "b: Another.")], "Warm up. Measure again."),
        ([("memory", "A bank.")], "Wait."),
    ]


@pytest.mark.parametrize(
    ("host", "chip", "leads"),
    [
        ((DRIFT,), (), ["host, run 7"]),
        ((), (DRIFT,), ["pico-sim, run 8"]),
        ((DRIFT,), (DRIFT,), ["pico-sim, run 8", "host, run 7"]),
    ],
)
def test_a_mark_leads_to_the_warnings_of_its_own_target(
    tmp_path: Path, host: tuple[Finding, ...], chip: tuple[Finding, ...], leads: list[str]
) -> None:
    source = written(tmp_path, reported(*host), reported(*chip, target="pico-sim"))
    assert marked(source) == [("spinlock hand-off", where) for where in leads]


def test_of_one_target_a_mark_leads_to_all_warnings_and_its_column_has_none_of_another(tmp_path: Path) -> None:
    source = written(tmp_path, reported(DRIFT))
    assert [question for question, _ in marked(source)] == ["spinlock hand-off"]
    assert '<a class="caveat" href="#warnings"' in source


def test_the_card_says_how_many_answers_are_marked(tmp_path: Path) -> None:
    runs: dict[str, tuple[Finding, ...]] = {"none": (), "one": (DRIFT,), "all": (PREEMPTED,)}
    told = {name: card(written(tmp_path, reported(*said)), "host") for name, said in runs.items()}
    assert "answers" not in told["none"]
    assert "; 1 of 2 answers below is marked." in told["one"]
    assert "; 2 of 2 answers below are marked." in told["all"]


@pytest.mark.parametrize(
    ("checks", "conditions", "said"),
    [
        ({"preempted": 1}, {}, "do not trust its worst cases: the disturbance may have caused them."),
        (
            {},
            {"cpu.virtualisation": "virtual machine"},
            "do not trust its worst cases: the hypervisor may have caused them.",
        ),
        (
            {"preempted": 1},
            {"cpu.virtualisation": "virtual machine"},
            "do not trust its worst cases: the disturbance or the hypervisor may have caused them.",
        ),
        ({"preempted": 1, "wrong": 1}, {}, "Results were wrong: read the warnings"),
    ],
)
def test_the_card_says_which_numbers_may_be_trusted(
    tmp_path: Path, checks: Mapping[str, int], conditions: Mapping[str, str], said: str
) -> None:
    told = card(written(tmp_path, reported(checks=checks, conditions=conditions)), "host")
    assert said in told
    assert ("as reliable as their intervals" in told) == ("wrong" not in checks)


def test_where_nothing_could_have_made_the_worst_cases_the_card_doubts_none(tmp_path: Path) -> None:
    told = card(written(tmp_path, reported()), "host")
    assert "Validity: Measured on this target" in told
    assert "worst cases" not in told
    both = written(tmp_path, reported(checks={"preempted": 1}), reported(target="pico-sim"))
    assert ["worst cases" in card(both, target) for target in ("host", "pico-sim")] == [True, False]


def test_the_card_of_a_simulated_chip_says_what_boards_say_of_the_parts_that_were_measured(tmp_path: Path) -> None:
    conditions = {"chip": "RP2040", "memory.code": "sram"}
    told = card(written(tmp_path, reported(target="pico-sim", conditions=conditions)), "pico-sim")
    assert sentence(registry.benchmark("lock").made_of) in told
    conditions["chip"] = "RP2350"
    told = card(written(tmp_path, reported(target="pico2-riscv-sim", conditions=conditions)), "pico2-riscv-sim")
    assert "never compared with a board" in told
    assert "figure" not in told
    told = card(written(tmp_path, reported(conditions=conditions)), "host")
    assert "board" not in told


def test_code_from_flash_is_held_against_figures_of_flash() -> None:
    runs = [
        reported(target="pico-sim", conditions={"chip": "RP2040", "memory.code": code}, benchmark="memory").run
        for code in ("sram", "flash")
    ]
    assert ["computing from SRAM" in beside_boards(run) for run in runs] == [True, False]
    assert ["computing from flash" in beside_boards(run) for run in runs] == [False, True]


def test_a_worst_case_that_something_else_may_have_made_is_marked_and_leads_to_the_card(tmp_path: Path) -> None:
    answers = [*ANSWERS, Answer("longest hand-over", Interval(9.0), about="mutex", worst=True)]
    both = reported(answers=answers, checks={"preempted": 1}), reported(answers=answers, target="pico-sim")
    source = written(tmp_path, *both)
    (link,) = re.findall('<a class="caveat" href="#(.*?)"', source)
    (named,) = re.findall(rf'<div class="card" id="{link}">.*?<strong>(.*?)</strong>', source)
    assert named == "host"
    assert "; 1 of 3 answers below is marked." not in card(source, "pico-sim")
    assert "may concern the number" in source


@pytest.mark.parametrize(("count", "scrolls"), [(3, 0), (4, 1)])
def test_answers_of_many_runs_scroll_and_name_their_run(tmp_path: Path, count: int, scrolls: int) -> None:
    source = written(tmp_path, *[reported(target="pico-sim")] * count)
    answers = source.split('<section id="answers">')[1].split("</section>")[0]
    assert len(re.findall(r'<div class="scroll"[^>]*>\s*<table class="answers">', answers)) == scrolls
    assert answers.count("<div") == answers.count("</div>")
    assert set(re.findall('<td data-target="(.*?)"', answers)) == {"pico-sim, run 8"}
