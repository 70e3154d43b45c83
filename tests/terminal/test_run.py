"""What one screen tells of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Caveat
from intercore.record.findings import MachineBusy, OnVirtualMachine
from intercore.record.measurement import Part, Plan, Run
from intercore.statistics.intervals import Interval
from intercore.terminal.findings import Line, Sentence
from intercore.terminal.formats.table import height
from intercore.terminal.run import RunFindings, by_cause, first_sentence, in_brief, most_notable
from intercore.view.answer import Answer, Remark
from intercore.view.section import Report, Section
from intercore.view.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.finding import Finding


class Remarked(Remark, frozen=True):
    """What stands out, in words of any length."""

    words: str

    @property
    def sentence(self) -> str:
        return self.words


class Doubted(Caveat, frozen=True):
    """What is doubtful, in words of any length."""

    words: str

    @property
    def sentence(self) -> str:
        return self.words


def test_a_warning_is_told_by_its_first_sentence() -> None:
    assert first_sentence("Of 2.8 % or less. Measure again. Then look.") == "Of 2.8 % or less."
    assert first_sentence("no stop") == "no stop"
    assert first_sentence("") == ""


def test_warnings_that_differ_in_settings_and_numbers_alone_are_one_with_a_count() -> None:
    same = [
        FailedCheck(setting={"mode": mode}, benchmark="speedup", check="lost", count=count, factor="n", levels=())
        for mode, count in (("create", 2), ("pool", 1), ("spin", 12))
    ]
    assert by_cause([same[0], MachineBusy(), *same[1:]]) == [(same[0], 3), (MachineBusy(), 1)]
    assert by_cause([]) == []


@given(st.lists(st.one_of(st.builds(Doubted, words=st.text()), st.just(MachineBusy()), st.just(OnVirtualMachine()))))
def test_no_warning_is_lost_by_grouping(caveats: list[Finding]) -> None:
    found = by_cause(caveats)
    assert sum(count for _, count in found) == len(caveats)
    assert all(first == next(one for one in caveats if one.code == first.code) for first, _ in found)


@given(st.lists(st.lists(st.floats(0.01, 100))))
def test_what_stands_out_is_the_three_that_differ_most(times: list[list[float]]) -> None:
    section = Section("", [], [])
    reports = [
        Report("b", {}, [], [], section, remarks=[Remarked(times=one, words=f"{one} times") for one in some])
        for some in times
    ]
    told = [float(re.sub(" times", "", sentence)) for sentence in most_notable(reports)]
    every = sorted((one for some in times for one in some), reverse=True)
    assert told == [one for one in every if one >= 1.25][:3]


def test_one_screen_leaves_out_what_stands_behind_a_semicolon_and_no_condition() -> None:
    above = Answer(
        "throughput on all cores", Interval(2.09), "times", "that of one core (above 2: a core was slower alone)"
    )
    assert in_brief(above) == above.text
    over = Answer("lock hand-off", Interval(1.3), about="spinlock 1 → 0; 0 → 1: 1.00 µs")
    assert in_brief(over) == "1.30 µs, spinlock 1 → 0"


def a_run(answers: Sequence[str], remarks: Sequence[str], caveats: Sequence[Finding]) -> RunFindings:
    """Return what one screen tells of a run with an answer of each benchmark; the first remark stands out most."""
    section = Section("", [], [])
    made = [Remarked(times=2.0 + len(remarks) - index, words=words) for index, words in enumerate(remarks)]
    reports = [
        Report("threadmetric", {}, [], [], section, answers=[Answer("release late, under load", None, about=one)])
        for one in answers
    ]
    reports.append(Report("clock", {}, [], [], section, remarks=made))
    plan = Plan("pico", None, "suite", (Part("clock", {"n": [1]}),))
    run = Run(1, plan, "2026-01-01T00:00:00+00:00", "0", 0, ())
    return RunFindings(run, dict, lambda: reports, None, [], "", caveats, "intercore run", details="intercore show 1")


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=22),
    st.lists(st.integers(1, 300), max_size=3),
    st.lists(st.integers(1, 150), max_size=4),
    st.booleans(),
)
def test_remarks_stand_where_the_screen_has_room_and_no_further(
    answers: list[int], remarks: list[int], doubted: list[int], busy: bool
) -> None:
    def words(length: int) -> str:
        return ("load " * length)[:length].strip()

    told = [f"{index} {words(length)}" for index, length in enumerate(remarks)]
    caveats = [*(Doubted(words=words(length)) for length in doubted), *([MachineBusy()] if busy else [])]
    shown = a_run([*map(words, answers)], told, caveats)
    parts = list(shown.text())
    left = [part.text for part in parts if isinstance(part, Sentence)]
    assert left == [text for text in told if text in left]
    without = [part for part in parts if not isinstance(part, Sentence)]
    if left:
        assert height(parts, 80) < 40
    for index, text in enumerate(told):
        before = [other for other in told[:index] if other in left]
        assert text in left or height([*without, *map(Sentence, [*before, text])], 80) >= 40


def test_papers_tables_are_shown_where_they_are_asked_for_and_else_named() -> None:
    tables = [Table[int]("own", [], []), Table[int]("of a paper", [], [], published=True)]
    report = Report("clock", {}, [], [], Section("", [], tables))
    run = a_run([], [], []).run
    for command in ("", "intercore show 1 --published"):
        parts = list(RunFindings(run, dict, lambda: [report], None, [], "", [], "", published=command).text())
        shown = [part.title for part in parts if isinstance(part, Table)]
        assert shown == (["own"] if command else ["own", "of a paper"])
        assert any(isinstance(part, Line) and command in part.text for part in parts) == bool(command)
