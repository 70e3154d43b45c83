"""What `message` answers of sizes between those measured, and which of its warnings concern an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.message import analysis as message
from intercore.benchmarks.message.answers import answers, concerns
from intercore.benchmarks.message.curve import curves
from intercore.benchmarks.message.findings import (
    MessageFailedCheck,
    MessageFewSizes,
)
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.quantity import duration
from tests.benchmarks.message_data import campaign, line, measurement

if TYPE_CHECKING:
    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.message.rows import MessageLatencySize


def test_between_sizes_the_quickest_there_is_named_not_the_quickest_with_small_messages() -> None:
    ways = {"ring": line(2.0, 20.0), "queue": line(3.0, 1.0), "pipe": line(4.0, 1.0)}
    taken = [one for name, way in ways.items() for one in campaign(way, (16, 256, 4096), transport=name)]
    told = {one.question: one for one in answers(message.analyse(taken))}
    assert told["message of 16 bytes"].about == "ring"
    by_line = "3.30 µs, queue; estimated from 3 sizes: 3.00 µs + 1.00 ns per byte"
    assert told["message of 300 bytes"].text == by_line


def test_what_chance_alone_may_have_added_is_not_told_as_what_the_size_adds() -> None:
    rng = np.random.default_rng(1)
    noisy = [
        one
        for name in ("ring", "queue")
        for one in campaign(line(2.0, 0.0), (16, 256, 4096), size_noise=0.3, rng=rng, transport=name)
    ]
    found = message.analyse(noisy)
    told = {one.question: one for one in answers(found)}["message of 300 bytes"]
    row = next(one for one in found.latency if told.choice == one.transport)
    assert row.beta_ns_per_byte is not None
    assert row.beta_ns_per_byte.low is not None
    assert row.beta_ns_per_byte.low < 0
    beside = {one.bytes: one.latency_us.median.value for one in row.sizes}
    said = f"between {duration(beside[256])} at 256 and {duration(beside[4096])} at 4,096 bytes"
    assert told.about == f"{row.transport}; {said}, a difference that may be chance"
    assert told.value is not None
    assert min(beside[256], beside[4096]) <= told.value.value <= max(beside[256], beside[4096])
    known = next(one for one in answers(_with_medians_known_to(0.1, found)) if one.question == told.question).value
    assert known is not None
    assert [known.low, known.high] == pytest.approx([told.value.value - 0.1, told.value.value + 0.1])


def _with_medians_known_to(reach: float, found: MessageAnalysis) -> MessageAnalysis:
    """The same analysis, with each median's interval reaching so far to either side."""

    def known(size: MessageLatencySize) -> MessageLatencySize:
        value = size.latency_us.median.value
        median = Interval(value, value - reach, value + reach)
        return msgspec.structs.replace(size, latency_us=msgspec.structs.replace(size.latency_us, median=median))

    rows = [msgspec.structs.replace(row, sizes=tuple(map(known, row.sizes))) for row in found.latency]
    return msgspec.structs.replace(found, latency=tuple(rows))


def test_a_line_that_begins_nobody_knows_where_says_less_than_the_sizes_beside_it() -> None:
    ways = {"ring": line(2.0, 0.0), "queue": line(3.0, 0.0)}
    taken = [one for name, way in ways.items() for one in campaign(way, (16, 256, 4096), transport=name)]
    found = message.analyse(taken)
    vague = [
        msgspec.structs.replace(row, alpha_us=Interval(2.0, -1.0, 5.0), beta_ns_per_byte=Interval(0.0, -1e-6, 1e-6))
        for row in found.latency
    ]
    told = {
        name: {one.question: one.text for one in answers(each)}["message of 300 bytes"]
        for name, each in {"clear": found, "vague": msgspec.structs.replace(found, latency=tuple(vague))}.items()
    }
    assert told["clear"] == "2.00 µs, ring; independent of size"
    expected = "2.00 µs, ring; between 2.00 µs at 256 and 2.00 µs at 4,096 bytes, a difference that may be chance"
    assert told["vague"] == expected


def test_disturbed_latencies_concern_their_sizes_and_those_between() -> None:
    drifting = [*np.linspace(10.0, 12.0, 100), *np.linspace(20.0, 22.0, 100)]
    taken = [
        measurement(drifting if (name, size) != ("ring", 16) else [10.0] * 200, transport=name, size=size)
        for name in ("pipe", "queue", "ring")
        for size in (16, 256, 4096)
    ]
    found = [one for one in message.caveats(taken, curves(taken)) if disturbed_samples(one)]
    assert [[(one.levels["transport"], one.levels["size"]) for one in disturbed_samples(each)] for each in found] == [
        *([("pipe", size)] for size in (16, 256, 4096)),
        [("queue", 16), ("queue", 256), ("queue", 4096), ("ring", 256), ("ring", 4096)],
    ]

    def concerned(about: str) -> list[tuple[str, int]]:
        questions = ("message of 16 bytes", "4,096 bytes, copied", "300 bytes, copied", "most bytes/s, copied")
        return [
            (question, number)
            for number, one in enumerate(found)
            for question in questions
            if concerns(one, Answer(question, Interval(1.0), about=about))
        ]

    assert concerned("ring 0 → 1; 1 → 0: 9.00 µs") == [("4,096 bytes, copied", 3), ("300 bytes, copied", 3)]
    assert concerned("pipe") == [
        *(("message of 16 bytes", 0), ("300 bytes, copied", 0), ("300 bytes, copied", 1)),
        *(("4,096 bytes, copied", 2), ("300 bytes, copied", 2)),
    ]
    rate = Answer("most bytes/s", Interval(1.0))
    assert concerns(MessageFewSizes(few=1, settings=2), rate)
    failed = MessageFailedCheck(benchmark="message", check="preempted", count=1, factor="transport", levels=("ring",))
    assert concerns(failed, rate)


@pytest.mark.parametrize(("factor", "levels"), [("opt", ("O0", "O2")), ("receiver", ("polling", "blocked"))])
def test_disturbed_latencies_of_one_transport_concern_their_level(factor: str, levels: tuple[str, str]) -> None:
    drifting = [*np.linspace(10.0, 12.0, 100), *np.linspace(20.0, 22.0, 100)]
    taken = [
        measurement(us, size=16, **{factor: level}) for level, us in zip(levels, (drifting, [11.0] * 200), strict=True)
    ]
    (found,) = (one for one in message.caveats(taken, curves(taken)) if disturbed_samples(one))
    assert [one.levels[factor] for one in disturbed_samples(found)] == [levels[0]]
    disturbed, quiet = (Answer("message of 16 bytes", Interval(1.0), about=f"{factor}={level}") for level in levels)
    assert (concerns(found, disturbed), concerns(found, quiet)) == (True, False)


def test_latency_of_a_sleeping_receiver_includes_its_wake_up() -> None:
    def told(receiver: str) -> str:
        ways = {"ring": line(2.0, 0.0), "queue": line(3.0, 0.0)}
        taken = [
            one
            for name, way in ways.items()
            for one in campaign(way, (16, 256, 4096), transport=name, receiver=receiver)
        ]
        return {one.question: one for one in answers(message.analyse(taken))}["message of 300 bytes"].about

    assert told("blocked") == "ring; includes waking the receiver; independent of size"
    assert told("polling") == "ring; independent of size"
