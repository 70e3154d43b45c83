"""What outages are taken to say: standstills, their parts, and what hangs."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.benchmarks.outage.analysis import analyse, caveats, results
from intercore.benchmarks.outage.answers import answers
from intercore.benchmarks.outage.findings import (
    OutageGaveUp,
    OutageLate,
    OutageStandstill,
    OutageStuck,
    OutageTicksLost,
)
from intercore.benchmarks.outage.report import report
from intercore.record.measurement import Measurement, Part, Plan, Run, Series

HZ = 1_000_000
COUNTS = ("gave_up", "stuck")


def measurement(
    series: dict[str, list[int]], other: str = "ram", safe: str = "lockout", op: str = "both", wrong: int = 0
) -> Measurement:
    known = {"missed": [0], "own": [5], "behind": [0], "gave_up": [0], "stuck": [0], **series}
    counts = COUNTS if other in ("ram", "flash", "lock") else (*COUNTS, "missed")
    return Measurement(
        benchmark="outage",
        factors={"op": op, "safe": safe, "other": other, "from": 0, "pages": 1, "seed": 1},
        repetition=0,
        series=tuple(
            Series(name, "common", HZ, np.array(ticks, np.int64), "count" if name in counts else "tick")
            for name, ticks in known.items()
        ),
        conditions={},
        checks={"wrong": wrong},
        started="",
    )


def run_of(*measurements: Measurement) -> Run:
    plan = Plan("pico-sim", None, "outage", (Part("outage", {}),), simulated=True)
    return Run(1, plan, "", "0", len(measurements), measurements)


def test_the_longest_standstill_and_its_parts_are_found_again() -> None:
    parts = {"entry": [1, 1], "seen": [2, 2], "prepare": [100, 100], "write": [45_500, 45_600]}
    one = measurement({"longest": [45_650, 45_750], "own": [45_000, 45_400], "behind": [44_000, 45_000], **parts})
    analysis = analyse([one])
    (found,) = analysis.outages
    assert found.longest_us.max == 45_750
    assert found.parts_us == {"entry": 1, "seen": 2, "prepare": 100, "write": 45_550}
    said = [finding for finding in results(analysis) if not isinstance(finding, OutageTicksLost)]
    assert said == [
        OutageStandstill(op="both", safe="lockout", core=0, longest_us=45_750, own_us=45_400, write_us=45_550)
    ]
    assert OutageTicksLost(core=0, lost_us=45_000) in [*results(analysis)]


def test_an_interrupt_has_a_lateness_and_missed_activations() -> None:
    analysis = analyse([measurement({"longest": [45_600], "missed": [456]}, other="interrupt")])
    (found,) = analysis.outages
    assert (found.missed, found.total_us) == (456, None)
    (late,) = results(analysis)
    assert late == OutageLate(op="both", safe="lockout", other="interrupt", core=0, late_us=45_600, missed=456)
    assert "456 activations" in late.sentence


@pytest.mark.parametrize(("stuck", "kind"), [(0, OutageGaveUp), (1, OutageStuck)])
def test_what_was_given_up_or_hangs_is_a_warning(stuck: int, kind: type) -> None:
    found = [*results(analyse([measurement({"longest": [9], "gave_up": [1, 0], "stuck": [stuck, 0]}, other="lock")]))]
    assert isinstance(found[0], kind)
    assert found[0].severity == "warning"


def test_the_answer_is_of_the_way_that_stops_the_other_core_least() -> None:
    analysis = analyse(
        [
            measurement({"longest": [45_650]}),
            measurement({"longest": [30, 20]}, safe="ram"),
            measurement({"longest": [1]}, safe="unsafe"),
            measurement({"longest": [45_100]}, other="task"),
        ]
    )
    computing, task = answers(analysis)
    assert computing.value is not None
    assert (computing.value.value, computing.worst) == (30, True)
    assert computing.about.startswith("ram")
    assert "lockout: 45." in computing.about
    assert (task.question, task.value and task.value.value) == ("flash write, a task", 45_100)


def test_wrong_contents_of_the_storage_are_told() -> None:
    (found,) = caveats([measurement({"longest": [9]}, wrong=2)])
    assert found.severity == "error"


def test_the_report_has_the_parts_where_a_core_was_parked() -> None:
    parked = {"longest": [9], "entry": [1], "write": [8]}
    assert len(report(run_of(measurement(parked))).section.tables) == 2
    found = report(run_of(measurement({"longest": [9]}, safe="ram")))
    assert len(found.section.tables) == 1
    assert found.rows[0]["longest_max_us"] == 9
