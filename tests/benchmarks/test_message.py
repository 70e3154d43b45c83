"""What messages are taken to say: known times give known models, choices and errors."""

from __future__ import annotations

import math
from io import StringIO
from typing import TYPE_CHECKING, TypeVar

import jsonschema
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.message import analysis as message
from intercore.benchmarks.message.answers import answers, costs
from intercore.benchmarks.message.choice import copies
from intercore.benchmarks.message.curve import curves
from intercore.benchmarks.message.findings import (
    MessageAlternatives,
    MessageBreaks,
    MessageFailedCheck,
    MessageFewSizes,
    MessageHeldOutCheck,
    MessageHighestThroughput,
    MessageLowestLatency,
    MessagePartWords,
    MessageRoundTrips,
)
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.message.report import report
from intercore.benchmarks.message.results import results
from intercore.benchmarks.published import published
from intercore.benchmarks.reports import reports
from intercore.benchmarks.uncertainty import CrossCoreUncertainty
from intercore.document.run import run_document
from intercore.record.measurement import Series
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Line, Points
from intercore.view.svg import drawn
from tests.benchmarks.message_data import SIZES, campaign, line, measurement, run_of
from tests.document.validity import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement

Kind = TypeVar("Kind")


def everything() -> list[Measurement]:
    """Two transports and how ends wait, both measures, exact: a ring that copies and one that does not."""
    made = []
    for measure in ("latency", "throughput"):
        for receiver, wait in (("polling", 1.0), ("blocked", 4.0)):
            for from_ in (0, 1):
                more: dict[str, Level] = {"measure": measure, "receiver": receiver, "from_": from_, "to": 1 - from_}
                made += campaign(line(wait, 20.0), transport="ring", **more)
                made += campaign(line(wait, 0.0), transport="ring-zero-copy", **more)
    return made


def results_of(known: Sequence[Measurement]) -> list[Finding]:
    found = curves(known)
    return list(results(message.analyse(known), found))


def one_of(known: Sequence[Measurement], kind: type[Kind]) -> Kind:
    (found,) = (one for one in results_of(known) if isinstance(one, kind))
    return found


# The model


def test_a_line_is_found_with_its_units() -> None:
    (row,) = message.analyse(campaign(line(2.0, 20.0), noise=0.01)).latency
    assert row.alpha_us is not None
    assert row.beta_ns_per_byte is not None
    for estimate, truth in ((row.alpha_us, 2.0), (row.beta_ns_per_byte, 20.0)):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= truth <= estimate.high
        assert estimate.high - estimate.low < 0.1 * truth
    assert row.relative_error_median is not None
    assert row.relative_error_median < 0.01
    assert [piece.sizes for piece in row.pieces] == ["all"]
    assert row.held_out_median is not None
    assert row.held_out_median < 0.01
    assert [one.bytes for one in row.sizes] == list(SIZES)
    assert row.sizes[0].latency_us.n == 100
    assert row.sizes[0].send_us is not None
    assert row.sizes[0].send_us.value == pytest.approx(row.sizes[0].latency_us.median.value / 2, rel=0.01)
    assert row.timestamp_overhead_us == {"0": 0.04}


def test_a_stream_is_modelled_by_its_time_per_message() -> None:
    (row,) = message.analyse(campaign(line(2.0, 20.0), measure="throughput", messages=32, count=8)).throughput
    assert row.alpha_us is not None
    assert row.alpha_us.value == pytest.approx(2.0, rel=1e-3)
    size = row.sizes[-1]
    assert (size.bytes, size.streams) == (4096, 8)
    assert size.bytes_per_s.value == pytest.approx(4096 / (2.0 + 4096 * 0.02) * 1e6, rel=1e-4)
    assert size.model_bytes_per_s == pytest.approx(size.bytes_per_s.value, rel=1e-3)


def test_settings_have_a_row_each_and_checks_are_summed() -> None:
    found = message.analyse([*everything(), *[measurement([1.0] * 9, checks={"lost": 2}, load="both", size=4)] * 3])
    assert len(found.latency) == 9
    assert len(found.throughput) == 8
    (loaded,) = [row for row in found.latency if row.load == "both"]
    assert (loaded.checks["lost"], loaded.checks["checked"]) == (6, 27)
    assert loaded.alpha_us is None
    assert loaded.pieces == ()


def test_a_knee_is_said_and_modelled() -> None:
    knee = campaign(lambda size: 2.0 + 0.01 * size + 0.04 * max(size - 300, 0), noise=0.002)
    found = message.analyse(knee)
    (row,) = found.latency
    assert [(piece.from_bytes, piece.to_bytes) for piece in row.pieces] == [(4, 256), (512, 4096)]
    assert [piece.beta_ns_per_byte.value for piece in row.pieces] == pytest.approx([10, 50], rel=0.05)
    (bend,) = one_of(knee, MessageBreaks).breaks
    assert (bend.low_bytes, bend.high_bytes, bend.step_us) == (256, 512, None)


def test_a_step_is_told_from_a_knee() -> None:
    (step,) = one_of(campaign(lambda size: 2.0 + 0.001 * size + 5.0 * (size > 100), noise=0.002), MessageBreaks).breaks
    assert (step.low_bytes, step.high_bytes) == (64, 128)
    assert step.step_us == pytest.approx(5.0, abs=0.05)


def test_bytes_that_are_copied_singly_go_their_own_way() -> None:
    """As the queue of FreeRTOS does with 4,090 bytes: every second place in it is no whole word."""
    exact = campaign(line(10.0, 20.0), noise=0.001)
    odd = [measurement([110.0, 600.0] * 8, size=4090), measurement([40.0, 210.0] * 8, size=1022)]
    found = message.analyse([*exact, *odd])
    (row,) = found.latency
    assert {piece.sizes for piece in row.pieces} == {"words", "other"}
    assert row.alpha_us is not None
    assert row.alpha_us.value == pytest.approx(10.0, rel=0.01)
    apart = one_of([*exact, *odd], MessagePartWords)
    assert (apart.apart, apart.settings, apart.word_bytes, apart.sizes) == (1, 1, 4, (1022, 4090))
    (even,) = message.analyse([*exact, measurement([10 + 0.02 * 4090] * 16, size=4090)]).latency
    assert {piece.sizes for piece in even.pieces} == {"all"}


def test_noise_between_measurements_is_seen_where_they_are_repeated() -> None:
    rng = np.random.default_rng(0)
    once = campaign(line(2.0, 20.0), noise=0.001, size_noise=0.05, rng=rng)
    again = [
        msgspec.structs.replace(one, repetition=1)
        for one in campaign(line(2.0, 20.0), noise=0.001, size_noise=0.05, rng=rng)
    ]
    (found,) = curves([*once, *again])
    assert float(np.median(found.points.error / found.points.y)) == pytest.approx(0.05 / math.sqrt(2), rel=0.5)


# The held-out check


def test_sizes_left_out_are_predicted_within_five_per_cent() -> None:
    known = campaign(line(2.0, 20.0), noise=0.05, size_noise=0.01)
    found = message.analyse(known)
    assert found.held_out is not None
    assert found.held_out.predictions == len(SIZES) - 2
    assert found.held_out.median < 0.05
    check = one_of(known, MessageHeldOutCheck)
    assert check.median == found.held_out.median <= check.aim == 0.05


def test_a_model_that_does_not_predict_is_said_to_fail() -> None:
    rng = np.random.default_rng(3)
    check = one_of(campaign(line(2.0, 20.0), noise=0.001, size_noise=0.4, rng=rng), MessageHeldOutCheck)
    assert check.median > check.aim


# What to choose


def test_answers_tell_what_copies_from_what_does_not_and_what_any_size_takes() -> None:
    found = {one.question: one for one in answers(message.analyse(everything()))}
    latencies = [name for name in found if "throughput" not in name]
    assert latencies == [
        *("4 bytes, zero-copy", "4 bytes, copied"),
        *("300 bytes, zero-copy", "300 bytes, copied"),
        *("4,096 bytes, zero-copy", "4,096 bytes, copied"),
    ], "of all sizes the smallest, the largest, and one between them"
    for name, about, took in ((", zero-copy", "ring-zero-copy", 1.0), (", copied", "ring", 1.0 + 0.02 * 4096)):
        told = found[f"4,096 bytes{name}"]
        assert told.value is not None
        assert told.value.value == pytest.approx(took, rel=0.01)
        assert about in told.about.split()
    by_line = "; estimated from 11 sizes: 1.00 µs + 20.0 ns per byte"
    assert found["300 bytes, copied"].number == "7.00 µs"
    assert found["300 bytes, copied"].about.endswith(by_line)
    assert found["300 bytes, zero-copy"].number == "1.00 µs"
    assert found["300 bytes, zero-copy"].about.startswith("ring-zero-copy")
    assert found["300 bytes, zero-copy"].about.endswith("; independent of size")
    assert [copies(name) for name in ("ring", "dma", "ring-zero-copy", "notification")] == [True, True, False, False]


def test_an_advantage_that_may_be_none_is_said_to_be_so() -> None:
    rng = np.random.default_rng(2)
    known = [
        one
        for name in ("ring", "ring-zero-copy")
        for one in campaign(line(2.0, 0.0), (16, 4096), noise=0.3, count=30, rng=rng, transport=name)
    ]
    found = message.analyse(known)
    (times,) = [one.times for one in found.advantages if one.bytes == 4096]
    assert times.low is not None
    assert times.high is not None
    assert times.low <= 1 <= times.high
    (gain,) = (one for one in one_of(known, MessageAlternatives).gains if one.bytes == 4096)
    assert gain.times == times
    assert gain.unsure


def test_the_answer_and_the_picture_take_the_slower_direction_across_cores() -> None:
    times = {(0, 0): 9.0, (1, 1): 2.0, (0, 1): 3.8, (1, 0): 15.0}
    known = [
        one
        for (first, second), us in times.items()
        for transport, more in (("ring", 0.0), ("queue", 100.0))
        for one in campaign(line(us + more, 0.0), (16,), transport=transport, from_=first, to=second)
    ]
    (told,) = answers(message.analyse(known))
    assert told.value is not None
    assert told.value.value == pytest.approx(15.0)
    assert told.about == "ring 1 → 0; 0 → 1: 3.80 µs"
    (cost,) = costs(message.analyse(known))
    assert (cost.across_us, cost.same_us) == pytest.approx((15.0, 2.0))
    on_one = [one for one in known if one.factors["from"] == one.factors["to"]]
    (cost,) = costs(message.analyse(on_one))
    assert (cost.across_us, cost.same_us) == (pytest.approx(9.0), None), "of what happens on one core alone, there"


def test_a_load_is_not_taken_for_a_direction() -> None:
    known = [
        one
        for load, us in (("none", 5.0), ("both", 50.0))
        for transport, more in (("ring", 0.0), ("queue", 100.0))
        for one in campaign(line(us + more, 0.0), (16,), transport=transport, load=load)
    ]
    (told,) = answers(message.analyse(known))
    assert told.text == "5.00 µs, ring"


def test_an_answer_a_rate_and_a_choice_are_all_of_the_slowest_direction_across_cores() -> None:
    known = [
        one
        for measure in ("latency", "throughput")
        for (first, second), us in {(0, 1): 4.0, (1, 0): 5.0, (0, 0): 9.0}.items()
        for transport, more in (("ring", 0.0), ("queue", 100.0))
        for load, times in (("none", 1.0), ("other", 3.0))
        for one in campaign(
            line((us + more) * times, 0.0),
            (16,),
            measure=measure,
            transport=transport,
            load=load,
            from_=first,
            to=second,
        )
    ]
    analysis = message.analyse(known)
    assert [(one.slowest, round(one.time_us.value, 2)) for one in analysis.ranking if one.rank == 1] == [
        ("1 → 0", 5.0)
    ] * 2
    latency, stream = answers(analysis)
    assert latency.value is not None
    assert latency.value.value == pytest.approx(5.0)
    assert stream.value is not None
    assert stream.value.value == pytest.approx(16 / 5e-6, rel=0.01)
    assert one_of(known, MessageLowestLatency).time_us == pytest.approx(5.0)
    assert one_of(known, MessageHighestThroughput).bytes_per_s == pytest.approx(16 / 5e-6, rel=0.01)


def test_what_to_choose_comes_first_with_the_numbers() -> None:
    lowest, highest, buys = results_of(everything())[:3]
    assert isinstance(lowest, MessageLowestLatency)
    assert (lowest.bytes, lowest.choice) == (4, "ring-zero-copy, polling")
    assert lowest.slowest is not None
    assert lowest.time_us == pytest.approx(1.0, rel=0.01)
    assert isinstance(highest, MessageHighestThroughput)
    assert (highest.bytes, highest.choice) == (4096, "ring-zero-copy, polling")
    assert highest.bytes_per_s == pytest.approx(4.1e9, rel=0.01)
    assert highest.second.choice == "ring-zero-copy, blocked"
    assert highest.second.times.value == pytest.approx(4.0, rel=0.01)
    assert isinstance(buys, MessageAlternatives)
    polling, *_ = buys.gains
    assert (polling.better, polling.than, polling.bytes, int(polling.times.value)) == ("polling", "blocked", 4, 3)
    assert {one.bytes for one in buys.gains if one.better == "ring-zero-copy"} == {4096}


def test_of_several_that_do_not_copy_each_is_compared_with_its_own() -> None:
    known = [
        one
        for name, beta in (("ring", 20.0), ("rpmsg", 30.0))
        for transport, slope in ((name, beta), (f"{name}-zero-copy", 0.0))
        for one in campaign(line(1.0, slope), transport=transport)
    ]
    gains = one_of(known, MessageAlternatives).gains
    assert [(one.better, one.than, one.bytes, round(one.times.value)) for one in gains] == [
        *(("ring-zero-copy", "ring", 4096, 83), ("rpmsg-zero-copy", "rpmsg", 4096, 124)),
    ]


# Round trips


def round_trip(us: Sequence[float], **factors: Level) -> Measurement:
    """The same measurement by a transport that leads to an echo and back."""
    one = measurement(us, transport="rpmsg-char:/dev/rpmsg0", **factors)
    return msgspec.structs.replace(
        one,
        series=tuple(msgspec.structs.replace(s, name="round_trip") if s.name == "latency" else s for s in one.series),
    )


def test_a_round_trip_is_told_whole_and_never_as_a_latency() -> None:
    trips = [round_trip([10.0 + 0.01 * i for i in range(101)], size=size) for size in (16, 64)]
    latency = campaign(line(1.0, 10.0), transport="ring")
    found = message.analyse([*trips, *latency])
    assert [(one.transport, one.bytes, one.round_trip_us.n) for one in found.round_trips] == [
        ("rpmsg-char:/dev/rpmsg0", 16, 101),
        ("rpmsg-char:/dev/rpmsg0", 64, 101),
    ]
    assert found.round_trips[0].round_trip_us.median.value == pytest.approx(10.5, rel=0.01)
    assert {row.transport for row in found.latency} == {"ring"}
    assert not [one for one in found.ranking if "rpmsg" in str(one.choice)]
    assert one_of([*trips, *latency], MessageRoundTrips).transports == ("rpmsg-char:/dev/rpmsg0",)


@pytest.mark.parametrize("factors", [{"size": 0}, {"size": "large"}, {"from_": "x"}, {"receiver": 3}])
def test_a_round_trip_with_levels_that_make_no_sense_is_left_out(factors: dict[str, Level]) -> None:
    assert message.analyse([round_trip([1.0, 2.0, 3.0], **factors)]).round_trips == ()


def test_rankings_are_in_order_and_margins_have_intervals() -> None:
    found = message.analyse(
        [
            *campaign(line(1.0, 10.0), noise=0.02, transport="ring"),
            *campaign(line(2.0, 20.0), noise=0.02, transport="queue"),
            *campaign(line(2.02, 20.0), noise=0.02, transport="pipe", sizes=SIZES[:3]),
        ]
    )
    small = [one for one in found.ranking if one.bytes == 4]
    assert small[0].choice["transport"] == "ring"
    assert [one.rank for one in small] == [1, 2, 3]
    second = small[1].times_best
    assert second.low is not None
    assert second.high is not None
    assert second.low <= 2.0 <= second.high
    large = [one for one in found.ranking if one.bytes == 4096]
    assert [one.choice["transport"] for one in large] == ["ring", "queue"]  # a pipe was not measured with them


def test_factors_explain_what_they_do() -> None:
    found = message.analyse(everything()).latency_factors
    assert found is not None
    shares = {one.factors: one.eta_squared for one in found.effects}
    assert shares[("from, to",)] == pytest.approx(0, abs=1e-9)
    assert shares[("receiver",)] > 0.05
    assert found.constant == {"region": "sram-striped", "load": "none"}


# Degenerate input


@pytest.mark.parametrize(
    "measurements",
    [
        [],
        [measurement([1.0])],
        [measurement([1.0] * 50)],
        [measurement([0.0] * 50, size=size) for size in SIZES],
        [measurement([1.0], size=size) for size in (4, 8)],
        [measurement([9e12, 8e12], size=size) for size in SIZES],
        [measurement([5.0] * 20, size=size, measure="throughput", messages=0) for size in SIZES],
        [measurement([1.0] * 3, size=0), measurement([1.0], from_="x"), measurement([1.0], measure="other")],
    ],
    ids=["none", "one sample", "one size", "zeros", "two sizes", "huge", "no messages", "unusable"],
)
def test_odd_measurements_give_a_valid_document(measurements: Sequence[Measurement]) -> None:
    run = run_of(measurements or [measurement([1.0])])
    run = msgspec.structs.replace(run, measurements=tuple(measurements))
    document = msgspec.json.decode(msgspec.json.encode(run_document(reports(run))))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert "nan" not in str(document["analysis"]).lower()
    assert len(document["analysis"]["message"]["latency"]) <= 1
    report(run)


def test_counts_and_moments_are_no_latencies() -> None:
    one = measurement([1.0] * 9)
    (latency, *_) = one.series
    changed = msgspec.structs.replace(one, series=(msgspec.structs.replace(latency, unit="count"),))
    assert message.analyse([changed]).latency == ()
    empty = msgspec.structs.replace(one, series=(Series("latency", "common", 1, np.zeros(0, np.int64)),))
    assert message.analyse([empty]).latency == ()


@settings(max_examples=10)
@given(factor=st.sampled_from([1e-2, 3.0, 1e4]), seed=st.integers(0, 1000))
def test_slower_by_a_factor_is_slower_by_that_factor_in_any_order(factor: float, seed: int) -> None:
    known = campaign(line(2.0, 20.0), noise=0.01, sizes=SIZES[:8])
    scaled = campaign(line(2.0 * factor, 20.0 * factor), noise=0.01, sizes=SIZES[:8])
    order = np.random.default_rng(seed).permutation(len(scaled))
    (one,) = message.analyse(known).latency
    (other,) = message.analyse([scaled[i] for i in order]).latency
    assert one.alpha_us is not None
    assert other.alpha_us is not None
    assert other.alpha_us.value == pytest.approx(factor * one.alpha_us.value, rel=0.02)  # ticks are whole


# What is told and shown


def test_broken_transports_are_named() -> None:
    known = [measurement([1.0] * 9, checks={"wrong": 3}, transport="pipe")]
    assert list(message.caveats(known, curves(known))) == [
        MessageFailedCheck(benchmark="message", check="wrong", count=3, factor="transport", levels=("pipe",)),
        MessageFewSizes(few=1, settings=1),
    ]


def test_tables_fit_a_hundred_columns_and_simulated_numbers_say_so() -> None:
    run = run_of(everything(), simulated=True)
    found = report(run)
    assert len(found.section.tables) == 8
    for table in found.section.tables:
        stream = StringIO()
        print_table(table, Console(file=stream, width=100))
        lines = stream.getvalue().splitlines()
        assert "SIMULATED" in lines[0]
        assert len([text for text in lines[4:] if text.strip()]) == len(table.rows), lines
    assert {row["transport"] for row in found.rows} == {"ring", "ring-zero-copy"}


def test_figures_have_a_line_for_every_setting_and_its_points() -> None:
    figures = report(run_of(everything())).section.figures
    latency, throughput, *_ = figures
    for figure in (latency, throughput):
        series = [one for panel in figure.panels for one in panel.series]
        points = [one for one in series if isinstance(one, Points)]
        assert (len(points), sum(isinstance(one, Line) for one in series)) == (8, 8)
        assert {len(one.x) for one in points} == {len(SIZES)}
        assert len(figure.panels) > 1  # eight lines are too many for one panel
    names = [figure.name for figure in figures]
    assert "message-latency-factors" in names
    assert len(names) == len(set(names))


def test_of_many_transports_those_that_copy_have_a_panel_and_those_that_do_not() -> None:
    in_place = ("ring-zero-copy", "rpmsg-zero-copy", "notification")
    copying = ("ring", "rpmsg", "queue", "pipe", "fifo")
    for names, panels in (((*copying, *in_place), ["copied", "zero-copy"]), ((copying[0], in_place[0]), [])):
        taken = [one for name in names for one in campaign(line(2.0, 20.0), transport=name)]
        figure = report(run_of(taken)).section.figures[0]
        assert [panel.title for panel in figure.panels if panel.title] == panels
        shown = {one.name: place for place, panel in enumerate(figure.panels) for one in panel.series}
        assert list(shown) == list(names)
        alike = [{shown[name] for name in kind if name in shown} for kind in (copying, in_place)]
        assert [len(axes) for axes in alike] == [1, 1]
        assert (alike[0] != alike[1]) == bool(panels)


def test_levels_of_a_target_are_escaped_in_figures() -> None:
    run = run_of([*campaign(line(1, 1), transport="<b>x"), *campaign(line(2, 1), transport="ring")])
    pictures = "".join(drawn(figure) for figure in report(run).section.figures)
    assert "&lt;b&gt;x" in pictures
    assert "<b>x" not in pictures


def test_statements_of_seed_003_stand_beside_what_was_found() -> None:
    (table,) = published(MessagePublication)
    assert (table.id, table.figures.relative_error_below, table.figures.samples) == ("seed-003", 0.05, 1024)
    run = run_of([*campaign(line(1, 20), opt="O3"), *campaign(line(2, 20), opt="O0")])
    notes = " ".join(report(run).section.notes)
    assert "less than 5 %" in notes
    assert table.notes[0] in notes


def test_latencies_carry_the_uncertainty_of_a_clock_of_two_counters() -> None:
    known = [
        *campaign(lambda size: 1 + 0.01 * size, (4, 64), conditions={"clock.uncertainty": "25 ticks"}),
        *campaign(lambda size: 1 + 0.01 * size, (4, 64), conditions={"clock.uncertainty": "25 ticks"}, to=0),
    ]
    analysis = message.analyse(known)
    assert [(one.second, one.within_us) for one in analysis.latency] == [(0, 0), (1, pytest.approx(0.025))]
    assert CrossCoreUncertainty(times_of="latency", within_us=pytest.approx(0.025)) in results_of(known)
    titles = [table.title for table in report(run_of(known)).section.tables]
    assert any("±25.0 ns" in title for title in titles), titles
