"""What a run says of the findings of seed 000: planted data turns each verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.analysis import analyse
from intercore.benchmarks.speedup.claims import CLAIMS, Evidence, verdicts
from intercore.benchmarks.speedup.publication import SpeedupPublication
from tests.benchmarks.test_speedup import few, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.record.measurement import Level, Measurement
    from intercore.view.exhibit import Outcome

US = 4.0
"""Of an iteration on one core: about that of the paper, so that sizes and durations go together."""
SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)


def table() -> SpeedupPublication:
    (found,) = (one for one in published(SpeedupPublication) if one.id == "seed-000")
    return found


def planted(
    overhead_us: float,
    loss: float = 0.002,
    *,
    sizes: Sequence[int] = SIZES,
    noise: float = 1e-4,
    samples: int = 12,
    t1: Callable[[int], float] = lambda n: US * n,
    **factors: Level,
) -> list[Measurement]:
    """Work that costs so much to start on two cores, where each loses so much, and that scatters by a part of it."""
    found = []
    for n in sizes:
        rng = np.random.default_rng(n)
        tp = (1 + loss) * t1(n) / 2 + overhead_us
        ticks = [
            np.rint(1e3 * value * (1 + noise * rng.normal(0, 1, samples))).astype(np.int64).tolist()
            for value in (t1(n), tp)
        ]
        found.append(measured(*ticks, hz=10**9, n=n, **factors))
    return found


def held(measurements: Sequence[Measurement], *, reads_flash: bool = False) -> Evidence:
    analysis = analyse(measurements)
    first = analysis.points[0]
    mode = next((one for one in analysis.points if (one.workload, one.mode) == ("fp", "create")), first)
    points = tuple(sorted((one for one in analysis.points if one.group == mode.group), key=lambda one: one.n))
    fit = next(one for one in analysis.fits if one.group == mode.group)
    return Evidence(table(), points, fit, analysis, reads_flash=reads_flash)


def says(claim: str, measurements: Sequence[Measurement], *, reads_flash: bool = False) -> Outcome:
    said = CLAIMS[claim](held(measurements, reads_flash=reads_flash))
    assert said.because.endswith(".")
    return said.outcome


AS_PUBLISHED = planted(900)
"""As if its end were notified."""
POLLED = planted(900, join="poll-tick")
LARGE_ALONE = [10_000, 100_000, 1_000_000]

TURNED: dict[str, dict[Outcome, list[Measurement]]] = {
    "proportional": {
        "agrees": AS_PUBLISHED,
        "contradicts": planted(900, t1=lambda n: US * n**1.02),
        "cannot tell": planted(900, sizes=[100, 1_000]),
    },
    "grows": {
        "agrees": AS_PUBLISHED,
        "contradicts": [*planted(900, sizes=SIZES[:-1]), *planted(900, 0.3, sizes=SIZES[-1:])],
        "cannot tell": planted(0.1, 0.0, sizes=LARGE_ALONE),
    },
    "levels-off": {
        "agrees": planted(900, sizes=[*SIZES, 300_000]),
        "contradicts": planted(40_000, sizes=[150_000, 1_000_000]),
        "cannot tell": planted(900, sizes=SIZES[:-2]),
    },
    "at-the-limit": {
        "agrees": AS_PUBLISHED,
        "contradicts": planted(100, 0.05),
        "cannot tell": planted(900, 0.05, sizes=[100, 1_000, 3_000]),
    },
    "no-conflict": {
        "agrees": AS_PUBLISHED,
        "contradicts": planted(900, 0.05),
        "cannot tell": planted(900, sizes=SIZES[:2]),
    },
    "short-work": {
        "agrees": [*AS_PUBLISHED, *POLLED],
        "contradicts": [*planted(100), *planted(110, join="poll-tick")],
        "cannot tell": [*planted(100), *POLLED],
    },
    "fixed-costs": {
        "agrees": AS_PUBLISHED,
        "contradicts": [*planted(100), *planted(110, join="poll-tick")],
        "cannot tell": [*planted(100), *POLLED],
    },
    "costs-vanish": {
        "agrees": AS_PUBLISHED,
        "contradicts": planted(4e6, sizes=[*SIZES, 20_000_000]),
        "cannot tell": planted(900, sizes=SIZES[:3]),
    },
    "creation": {
        "agrees": [*planted(900), *planted(300, mode="pool")],
        "cannot tell": [*planted(900), *planted(900, mode="pool")],
    },
    "one-core-better": {
        "agrees": AS_PUBLISHED,
        "contradicts": planted(1),
        "cannot tell": planted(900, sizes=SIZES[2:]),
    },
    "from-10-ms": {
        "agrees": planted(4_500),
        "cannot tell": planted(6_000, sizes=[100, 1_000, 2_000, 2_800, 10_000]),
    },
    "flash": {
        "agrees": [*planted(900), *planted(900, 0.7, workload="flash")],
        "contradicts": [*planted(900), *planted(900, workload="flash")],
        "cannot tell": AS_PUBLISHED,
    },
}


@pytest.mark.parametrize(("claim", "outcome"), [(claim, outcome) for claim, some in TURNED.items() for outcome in some])
def test_planted_data_turns_each_verdict(claim: str, outcome: Outcome) -> None:
    assert says(claim, TURNED[claim][outcome], reads_flash=claim == "flash") == outcome


def test_each_finding_of_the_paper_is_judged_and_can_be_refuted() -> None:
    assert {one.id for one in table().claims} == CLAIMS.keys()
    assert CLAIMS.keys() - TURNED.keys() == {"watchdog", "watchdog-resets"}
    for claim in CLAIMS.keys() - TURNED.keys():
        assert says(claim, AS_PUBLISHED) == "cannot tell", "no run lets a watchdog expire"
    assert {claim for claim, some in TURNED.items() if "contradicts" not in some} == {"from-10-ms", "creation"}


def told(measurements: Sequence[Measurement], **target: str) -> dict[str, tuple[Outcome, str]]:
    """What a target with another chip or kernel says of each finding."""
    known = {one.text: one.id for one in table().claims}
    one = replace(held(measurements), **target)
    return {known[each.finding]: (each.outcome, each.because) for each in verdicts(one)}


def test_other_chip_gives_no_verdict_on_the_papers_claims() -> None:
    for run in (AS_PUBLISHED, planted(900, 0.05)):
        own, other = told(run), told(run, chip="RP2040")
        for claim in ("at-the-limit", "no-conflict"):
            assert own[claim][0] != "cannot tell"
            assert other[claim][0] == "cannot tell"
            assert other[claim][1].startswith(own[claim][1])
        assert [other[claim] for claim in ("grows", "fixed-costs")] == [
            own[claim] for claim in ("grows", "fixed-costs")
        ]


def test_what_is_said_of_freertos_is_not_told_without_it() -> None:
    found = told([*AS_PUBLISHED, *POLLED], kernel="host does not run FreeRTOS.")
    assert found["proportional"][0] == "agrees"
    for claim in (
        "grows",
        "short-work",
        "fixed-costs",
        "costs-vanish",
        "creation",
        "one-core-better",
        "from-10-ms",
        "watchdog",
    ):
        assert found[claim] == ("cannot tell", "host does not run FreeRTOS.")


def test_times_that_may_be_impossible_tell_nothing() -> None:
    found = told(planted(900, -0.02))
    assert {outcome for outcome, _ in found.values()} == {"cannot tell"}
    assert "above 100 % is impossible" in found["grows"][1]


def test_small_fixed_costs_take_polling_on_the_tick_to_contradict() -> None:
    known = CLAIMS["fixed-costs"](held(planted(100)))
    assert known.outcome == "cannot tell"
    assert "join=poll-tick was not measured" in known.because


def test_short_work_takes_all_ways_to_await_the_end() -> None:
    (alone, mixed) = (CLAIMS["short-work"](held(run)) for run in (AS_PUBLISHED, [*planted(100), *POLLED]))
    assert alone.outcome == "cannot tell"
    assert "join=poll-tick was not measured" in alone.because
    assert "depends on how the end is awaited" in mixed.because


def test_work_that_is_named_for_the_flash_and_reads_something_else_cannot_tell() -> None:
    assert says("flash", TURNED["flash"]["agrees"], reads_flash=False) == "cannot tell"


def test_ends_on_ticks_cannot_tell_what_creating_a_task_costs() -> None:
    polled = [
        measured([round(1e3 * US * n)] * 3, [-(-round(US * n / 2 + cost) // 1000) * 10**6] * 3, hz=10**9,
                 tick_hz="1000", n=n, mode=mode, join="poll-tick")
        for mode, cost in (("create", 900), ("pool", 300))
        for n in (1_003, 3_017, 10_041, 30_211, 100_407)
    ]  # fmt: skip
    for claim in ("creation", "fixed-costs"):
        known = CLAIMS[claim](held(polled))
        assert known.outcome == "cannot tell"
        assert "the wait for one" in known.because


@few
@given(st.floats(10, 5_000), st.floats(0, 0.3))
def test_what_is_measured_once_tells_nothing_that_takes_an_interval(overhead_us: float, loss: float) -> None:
    once = planted(overhead_us, loss, samples=1)
    claims = ("grows", "at-the-limit", "one-core-better", "from-10-ms")
    assert {says(claim, once) for claim in claims} == {"cannot tell"}


@few
@given(st.floats(50, 5_000), st.floats(0, 0.005))
def test_a_fork_join_of_fixed_costs_agrees_with_the_shape_of_the_curve(overhead_us: float, loss: float) -> None:
    run = planted(overhead_us, loss, sizes=[*SIZES, 10_000_000])
    assert {says(claim, run) for claim in ("grows", "levels-off", "at-the-limit")} == {"agrees"}


@few
@given(st.floats(10, 5_000), st.sampled_from([(10, 100, 1_000, 10_000), (1_035, 10_000, 100_000)]))
def test_fixed_costs_are_a_large_share_where_a_quarter_of_the_time_is_theirs(
    overhead_us: float, sizes: Sequence[int]
) -> None:
    share = overhead_us / (1.002 * 4_140 / 2 + overhead_us)
    one = held([run for join in ("notify", "poll-tick") for run in planted(overhead_us, sizes=sizes, join=join)])
    if abs(share / 0.25 - 1) > 0.02:
        outcomes = [CLAIMS["fixed-costs"](each).outcome for each in (one, replace(one, chip="RP2040"))]
        assert outcomes == (["agrees", "agrees"] if share > 0.25 else ["contradicts", "cannot tell"])


@pytest.mark.parametrize("sizes", [SIZES[:3], LARGE_ALONE, [1_500, 10_000, 100_000]])
def test_fixed_costs_of_other_sizes_than_the_papers_are_told_and_where(sizes: Sequence[int]) -> None:
    known = CLAIMS["fixed-costs"](held(planted(900, sizes=sizes)))
    assert known.outcome == "cannot tell"
    assert f"At n = {sizes[0]:,} (T1 = " in known.because
    assert "This needs work about T1 = 4.14 ms" in known.because


def test_what_creation_costs_tells_only_a_part_where_switching_may_be_the_rest() -> None:
    for waiting in (470, 900):
        known = CLAIMS["creation"](held([*planted(900), *planted(waiting, mode="pool")]))
        assert known.outcome == "cannot tell"
        assert "only a part of the statement" in known.because


@pytest.mark.parametrize(
    ("overhead_us", "outcome", "below", "above"),
    [(4_500, "agrees", "S = 0.61", "S = 1.63"), (900, "cannot tell", "S = 1.37", "S = 1.91")],
)
def test_an_advice_for_long_work_agrees_only_where_all_less_work_loses(
    overhead_us: float, outcome: Outcome, below: str, above: str
) -> None:
    known = CLAIMS["from-10-ms"](held(planted(overhead_us)))
    assert known.outcome == outcome, known.because
    assert below in known.because
    assert above in known.because


def test_a_smallest_size_that_takes_about_as_long_as_the_papers_is_held_against_it() -> None:
    known = CLAIMS["proportional"](held(planted(900, sizes=SIZES[2:])))
    assert known.because.startswith("From n = 1,000 "), "4.00 ms, and 4.14 in the paper"
    once = CLAIMS["proportional"](held(planted(900, samples=1)))
    assert once.outcome == "cannot tell"
    assert "too few samples" in once.because


def test_a_curve_that_does_not_flatten_yet_cannot_tell() -> None:
    known = CLAIMS["grows"](held(planted(900, sizes=[10, 100, 400])))
    assert known.outcome == "cannot tell"
    assert "whether it flattens" in known.because
