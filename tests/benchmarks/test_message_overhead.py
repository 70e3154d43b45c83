"""What a message takes from each core: known turns give known times."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from rich.console import Console

from intercore.benchmarks.message import analysis as message
from intercore.benchmarks.message.overhead import BLOCK_TURNS, overhead_results, taken_us, without_priority
from intercore.benchmarks.message.overhead_findings import MessageCpuTime, MessageCpuTimeExactness, MessageNoPriorities
from intercore.benchmarks.message.report import report
from intercore.benchmarks.reports import reports
from intercore.benchmarks.series import has_median, quantity
from intercore.document.run import run_document
from intercore.record.measurement import Measurement, Series
from intercore.terminal.formats.table import print_table
from tests.benchmarks.message_data import FACTORS, run_of
from tests.document.validity import check

if TYPE_CHECKING:
    from intercore.record.measurement import Level

HZ = 125_000_000
TURN = 100
"""Ticks of a turn, and so of a cycle of the chip below."""
MESSAGES = 64


def taking(sender: int, receiver: int, *, samples: int = 8, off: int = 0, **factors: Level) -> Measurement:
    """Windows in which each message took so many cycles from either core."""
    known = {**FACTORS, "measure": "overhead", "receiver": "blocked", "messages": MESSAGES, **factors}
    known = {name.rstrip("_"): level for name, level in known.items()}
    series = []
    for end, cycles in (("from", sender), ("to", receiver)):
        if end == "to" and known["from"] == known["to"]:
            continue
        idle = np.full(samples, 30_000, np.int64)
        series += [
            Series(f"turns_{end}", "common", HZ, idle - cycles * MESSAGES // TURN, "count"),
            Series(f"idle_turns_{end}", "common", HZ, idle, "count"),
            Series(f"block_{end}", "common", HZ, TURN * BLOCK_TURNS + np.arange(samples)),
            Series(f"true_taken_{end}", "simulator", HZ, np.full(samples, cycles * MESSAGES + off, np.int64)),
        ]
    series.append(Series("length", "common", HZ, np.full(samples, 3_000_000, np.int64)))
    return Measurement(
        "message", known, 0, tuple(series), {"clock.sys_hz": str(HZ), "memory.word_bytes": "4"},
        {"checked": 1, "wrong": 0}, "2026-11-21T10:00:00.000+00:00",
    )  # fmt: skip


def test_a_message_takes_the_turns_that_a_load_lost_for_it() -> None:
    (row,) = message.analyse([taking(1500, 2500)]).overheads
    assert (row.transport, row.cores, row.bytes, row.messages, row.windows) == ("ring", "0 → 1", 64, MESSAGES, 8)
    assert row.receiver is not None
    assert (row.sender.core, row.receiver.core) == (0, 1)
    assert row.sender.us.value == pytest.approx(12.0)
    assert (row.sender.cycles, row.receiver.cycles) == (pytest.approx(1500), pytest.approx(2500))


def test_two_ends_on_one_core_take_all_from_it() -> None:
    (row,) = message.analyse([taking(4000, 0, to=0)]).overheads
    assert (row.cores, row.receiver, row.sender.cycles) == ("0 → 0", None, pytest.approx(4000))


def test_it_is_no_latency_and_no_stream() -> None:
    analysis = message.analyse([taking(1500, 2500)])
    assert (analysis.latency, analysis.throughput, analysis.ranking) == ((), (), ())


def test_what_is_compared_is_what_a_message_takes() -> None:
    one = taking(1500, 2500)
    results = [series for series in one.series if has_median("message", series)]
    assert [quantity(one, series).name for series in results] == ["taken_from", "taken_to"]
    assert quantity(one, results[1]).values == pytest.approx(np.full(8, 20.0))


def test_the_least_and_the_most_of_both_cores_are_said_and_how_far_the_truth_is() -> None:
    run = [taking(1500, 2500), taking(1000, 5000, transport="queue"), taking(900, 900, transport="rpmsg", off=128)]
    taken, exact = overhead_results(message.analyse(run).overheads)
    assert isinstance(taken, MessageCpuTime)
    assert (taken.bytes, taken.least.setting) == (64, {"transport": "rpmsg", "from": 0, "to": 1})
    assert (taken.least.sender_us, taken.least.receiver_us) == pytest.approx((7.2, 7.2))
    assert taken.most is not None
    assert taken.most.setting == {"transport": "queue", "from": 0, "to": 1}
    assert (taken.most.sender_us, taken.most.receiver_us) == pytest.approx((8.0, 40.0))
    assert isinstance(exact, MessageCpuTimeExactness)
    assert exact.cycles == pytest.approx(2.0)


def test_the_table_fits_a_hundred_columns_and_the_document_its_schema() -> None:
    run = run_of([taking(1500, 2500), taking(1500, 2500, transport="ring-zero-copy", size=4096)], simulated=True)
    (table,) = (one for one in report(run).section.tables if one.title.startswith("Processor time of a message"))
    out = StringIO()
    print_table(table, Console(file=out, width=100))
    assert max(map(len, out.getvalue().splitlines())) <= 100
    assert "SIMULATED" in table.title
    document = msgspec.json.decode(msgspec.json.encode(run_document(reports(run))))
    check(document)
    (first, second) = document["analysis"]["message"]["overheads"]
    assert (first["sender"]["core"], second["bytes"]) == (0, 4096)
    rows = report(run).rows
    assert [(row["measure"], row["sender_us"]) for row in rows] == [("overhead", pytest.approx(12.0))] * 2


def test_without_priorities_it_is_said_not_to_be_what_a_message_takes() -> None:
    for policy, count in (("SCHED_FIFO", 0), ("SCHED_OTHER", 1)):
        one = taking(1500, 2500)
        known = msgspec.structs.replace(one, conditions={**one.conditions, "scheduler.policy": policy})
        assert list(without_priority([known])) == [MessageNoPriorities(policy="SCHED_OTHER")] * count


@pytest.mark.parametrize("broken", [{"messages": 0}, {"size": 0}, {"from": "a"}, {"size": -1}])
def test_levels_without_sense_are_left_out(broken: dict[str, Level]) -> None:
    assert message.analyse([taking(1500, 2500, **broken)]).overheads == ()


def test_series_that_do_not_belong_together_are_left_out() -> None:
    one = taking(1500, 2500)
    few = Series("idle_turns_to", "common", HZ, np.full(3, 30_000, np.int64), "count")
    other = Measurement(
        one.benchmark, one.factors, 0, tuple(few if each.name == few.name else each for each in one.series),
        one.conditions, one.checks, one.started,
    )  # fmt: skip
    assert len(taken_us(other, "to")) == 0
    assert message.analyse([other]).overheads == ()
