"""What operations take of each core at a rate."""

from __future__ import annotations

from intercore.benchmarks.findings import RateOfNothing, RatePart
from intercore.benchmarks.options import Options
from intercore.benchmarks.rate_report import report
from intercore.benchmarks.reports import reports
from intercore.record.measurement import Part, Plan, Run
from intercore.view.cost import CoreTime
from intercore.view.section import Report, Section
from tests.benchmarks.test_message_overhead import taking

RUN = Run(1, Plan("pico-sim", None, "message", (Part("message", {}),), simulated=True), "", "0", 0, ())
DMA = CoreTime("message by dma, 64 bytes, 0 → 1", {0: 9.0, 1: 42.0})
RING = CoreTime("message by ring, 64 bytes, 0 → 1", {0: 18.0, 1: 37.0})
MUTEX = CoreTime("mutex, locked and unlocked", {1: 6.0})


def at(rate_hz: float, *core_times: CoreTime) -> Report:
    made = report(RUN, [Report("message", {}, [], [], Section("", [], []), core_times=core_times)], rate_hz)
    assert made is not None
    return made


def test_a_part_is_the_time_times_the_rate_of_each_core() -> None:
    made = at(1000, DMA)
    assert [*made.findings] == [RatePart(rate_hz=1000, what=DMA.what, parts={"0": 0.009, "1": 0.042})]
    assert "takes 0.90 % of core 0 and 4.2 % of core 1" in made.findings[0].sentence
    assert made.rows[0]["core_1_part"] == 0.042


def test_the_least_and_the_most_are_told_and_answered() -> None:
    made = at(10_000, RING, MUTEX, DMA)
    assert [one.what for one in made.findings if isinstance(one, RatePart)] == [MUTEX.what, RING.what]
    both, one = made.answers
    assert both.about == f"9.0 % of core 0, 42 % of core 1 at 10 kHz, {DMA.what}"
    assert one.about == f"6.0 % of core 1 at 10 kHz, {MUTEX.what}"


def test_what_takes_more_than_a_core_has_cannot_happen_so_often() -> None:
    assert "cannot happen so often" in at(50_000, DMA).findings[0].sentence
    assert "cannot" not in at(20_000, DMA).findings[0].sentence


def test_a_time_that_chance_makes_negative_is_no_part() -> None:
    assert at(1000, CoreTime("wake-up", {0: -0.1})).rows[0]["core_0_part"] == 0


def test_a_run_without_times_of_a_core_is_told_what_to_measure() -> None:
    assert [*at(1000).findings] == [RateOfNothing(rate_hz=1000)]


def test_messages_and_their_measured_times_are_among_a_run_s_reports_with_a_rate_alone() -> None:
    run = Run(1, RUN.plan, "", "0", 1, (taking(1500, 2500),))
    assert [one.benchmark for one in reports(run).reports] == ["message"]
    (message, rate) = reports(run, Options(rate=1000)).reports
    assert [one.us for one in message.core_times] == [
        {core["core"]: core["us"] for core in operation["cores"]} for operation in rate.json["rate"]["operations"]
    ]
