"""What failed is told before all else, and nothing is answered from it, in every benchmark and wherever one looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.benchmarks.failed import analysable, faults, headline
from intercore.benchmarks.findings import CAUSES, MeasurementsFailed
from intercore.benchmarks.reports import reports
from intercore.budgets.check import check as checked
from intercore.document.junit import junit
from intercore.document.markdown import markdown
from intercore.document.run import run_document
from intercore.page.page import write_page
from intercore.record.measurement import SPOILING_CHECKS
from intercore.terminal.findings import Failure
from intercore.terminal.run import RunFindings
from tests.benchmarks.test_plausibility import as_run
from tests.budgets.test_check import budgets
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.record.measurement import Measurement, Run

BENCHMARKS = fake_esp32.run().plan.benchmarks


def of(benchmark: str) -> list[Measurement]:
    return [one for one in fake_esp32.run().measurements if one.benchmark == benchmark]


def with_checks(one: Measurement, checks: Mapping[str, int], **factors: int | str) -> Measurement:
    return msgspec.structs.replace(one, checks={**one.checks, **checks}, factors={**one.factors, **factors})


def findings(run: Run) -> RunFindings:
    found = reports(run)
    return RunFindings(run, lambda: run_document(found), lambda: found.reports, headline(run), (), "", (), "go on")


def failure(run: Run) -> MeasurementsFailed:
    found = headline(run)
    assert found is not None
    return found


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_wrong_work_answers_nothing_and_is_told_first(benchmark: str) -> None:
    run = as_run(*(with_checks(one, {"wrong": 3}) for one in of(benchmark)))
    (sound,) = reports(as_run(*of(benchmark))).reports
    assert sound.answers, "of sound work there is an answer"
    (report,) = reports(run).reports
    section = report.section
    shown = [report.answers, report.remarks, report.costs, report.rows, section.tables, section.sentences]
    assert not any((*shown, section.figures))
    known = [one for one in report.caveats if one not in sound.caveats]
    assert known, "what the benchmark knows of it is still said"
    first, *others = findings(run).text()
    assert isinstance(first, Failure)
    count = len(run.measurements)
    wrong = MeasurementsFailed(failed=count, measurements=count, causes={"wrong": count})
    assert failure(run) == wrong
    assert first.text == wrong.text
    assert not any(isinstance(part, Failure) for part in others)
    document = run_document(reports(run))
    assert document["failed"] == first.text
    assert msgspec.convert(document["findings"], list[dict[str, object]])[0] == {"benchmark": None, **wrong.to_json()}
    rows = msgspec.convert(document["measurements"], list[dict[str, object]])
    assert "answers" not in msgspec.convert(document["analysis"], dict[str, object])
    assert {row["summary"] for row in rows} == {None}
    assert all(row["failed"] for row in rows)


@pytest.mark.parametrize(
    ("benchmark", "check"),
    [(each, "wrong") for each in BENCHMARKS] + [("switch", each) for each in SPOILING_CHECKS[1:]],
)
def test_what_is_answered_is_what_the_others_alone_answer(benchmark: str, check: str) -> None:
    sound = of(benchmark)
    bad = with_checks(sound[0], {check: 1}, samples=77)
    run = as_run(*sound, bad)
    assert analysable(run).measurements == tuple(sound)
    assert run_document(reports(run))["analysis"] == run_document(reports(as_run(*sound)))["analysis"]
    assert [bool(found) for found in faults(run)] == [*[False] * len(sound), True]
    assert failure(run) == MeasurementsFailed(failed=1, measurements=len(sound) + 1, causes={check: 1})
    assert headline(as_run(*sound)) is None


def test_wrong_and_impossible_results_differ_from_other_failures() -> None:
    verdicts = {cause: MeasurementsFailed(failed=1, measurements=1, causes={cause: 1}).verdict for cause in CAUSES}
    wrong = {verdicts["wrong"], verdicts["impossible"]}
    assert len(wrong) == 1
    assert {verdict for cause, verdict in verdicts.items() if cause not in ("wrong", "impossible")}.isdisjoint(wrong)


@pytest.mark.measures("speedup")
def test_a_function_of_ones_own_that_is_wrong_once_is_wrong_at_all_sizes() -> None:
    """Windows that do not reach the unit that is wrong are of the same broken work."""
    ours, *others = (
        [msgspec.structs.replace(one, factors={**one.factors, "workload": level}) for one in of("speedup")]
        for level in ("own:wild", "own:tame", "fp")
    )
    ours[-1] = with_checks(ours[-1], {"wrong": 1})
    sound = [one for some in others for one in some]
    run = as_run(*ours, *sound)
    assert analysable(run).measurements == tuple(sound)
    assert (failure(run).failed, failure(run).measurements) == (len(ours), len(run.measurements))


def test_the_page_says_it_before_its_title_and_shows_no_number_of_it(tmp_path: Path) -> None:
    sound = of("switch")
    run = as_run(*(with_checks(one, {"wrong": 3}) for one in sound))
    for name, runs in {"sound": (as_run(*sound),), "wrong": (run,), "both": (as_run(*sound), run)}.items():
        write_page([reports(one) for one in runs], tmp_path / name)
    pages = {name: (tmp_path / name).read_text() for name in ("sound", "wrong", "both")}
    body = {name: page.partition("<body>")[2] for name, page in pages.items()}
    verdict = failure(run).verdict
    assert verdict not in body["sound"]
    assert 'id="answers"' in body["sound"]
    for name in ("wrong", "both"):
        assert 0 < body[name].index(verdict) < body[name].index("<h1>")
    assert 'id="answers"' not in body["wrong"]
    assert "<figure>" not in body["wrong"]


def test_a_check_of_budgets_says_it_first_in_all_formats() -> None:
    run = as_run(*(with_checks(one, {"wrong": 3}) for one in of("switch")))
    found = checked(budgets("switch: median <= 110 us"), run, {})
    assert found.outcome == "not measured"
    failed = failure(run)
    assert found.first[0] == failed.text
    assert failed.verdict in markdown(found).partition("|")[0]
    assert failed.verdict.encode() in junit(found).partition(b"<system-out>")[2]
