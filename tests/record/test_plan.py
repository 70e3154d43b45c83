"""The order of a plan, and what a run still lacks."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.errors import IntercoreError, UsageError
from intercore.record import plan as plan_module
from intercore.record.factors import of_target
from intercore.record.measurement import Excluded, Measurement, Part, Plan, Run
from intercore.record.plan import MAX_SETTINGS, Setting, canonical, grid, remaining, settings

LEVELS = st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8)
FACTORS = st.dictionaries(st.text(max_size=8), LEVELS, max_size=6)
GRIDS = st.dictionaries(
    st.sampled_from(["n", "mode", "opt", "clock_mhz", "code"]),
    st.lists(LEVELS, min_size=1, max_size=4, unique=True),
    max_size=4,
)
PARTS = st.lists(
    st.builds(Part, benchmark=st.sampled_from(["speedup", "clock", "switch"]), levels=GRIDS),
    min_size=1,
    max_size=3,
    unique_by=lambda part: part.benchmark,
).map(tuple)
PLANS = st.builds(
    Plan,
    target=st.just("host"),
    url=st.none(),
    name=st.just("suite"),
    parts=PARTS,
    repetitions=st.integers(1, 3),
    seed=st.integers(),
)


def plan(repetitions: int = 1, seed: int = 1, **levels: list[int | str]) -> Plan:
    return Plan("host", None, "speedup", (Part("speedup", levels),), repetitions, seed)


def measured(setting: Setting, **defaults: int | str) -> Measurement:
    return Measurement(
        setting.benchmark, {**defaults, **setting.factors}, setting.repetition, (), {}, {}, "2026-01-01T00:00:00Z"
    )


def run(of: Plan, *measurements: Measurement) -> Run:
    return Run(1, of, "2026-01-01T00:00:00+00:00", "0", len(settings(of)), measurements)


def keys(of: list[Setting]) -> list[tuple[str, str, int]]:
    return [(setting.benchmark, canonical(setting.factors), setting.repetition) for setting in of]


@given(PLANS)
def test_settings_are_a_permutation_of_levels_times_repetitions(of: Plan) -> None:
    product = [
        (part.benchmark, canonical(dict(zip(part.levels, levels, strict=True))), repetition)
        for part in of.parts
        for levels in itertools.product(*part.levels.values())
        for repetition in range(of.repetitions)
    ]
    assert sorted(keys(settings(of))) == sorted(product)


@given(PLANS)
def test_the_same_plan_always_gives_the_same_order(of: Plan) -> None:
    again = msgspec.json.decode(msgspec.json.encode(of), type=Plan)
    assert settings(of) == settings(again)


def test_the_order_is_the_same_in_another_process() -> None:
    of = plan(n=[1, 2, 3, 4, 5, 6], opt=["O0", "O2"])
    code = (
        "import sys, msgspec; from intercore.record.measurement import Plan\n"
        "from intercore.record.plan import settings\n"
        "print(msgspec.json.encode(settings(msgspec.json.decode(sys.argv[1], type=Plan))).decode())"
    )
    text = msgspec.json.encode(of).decode()
    other = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True).stdout
    assert msgspec.json.decode(other, type=list[Setting]) == settings(of)


@given(PLANS)
def test_every_setting_is_measured_once_before_any_is_measured_twice(of: Plan) -> None:
    repetitions = [setting.repetition for setting in settings(of)]
    assert repetitions == sorted(repetitions)


@given(PLANS)
def test_a_target_is_opened_once_for_each_build_in_a_repetition(of: Plan) -> None:
    builds = [(setting.repetition, canonical(of_target(setting.factors))) for setting in settings(of)]
    assert len([build for build, _ in itertools.groupby(builds)]) == len(set(builds))


def test_the_order_is_neither_that_of_the_levels_nor_the_same_in_each_repetition() -> None:
    order = [setting.factors["n"] for setting in settings(plan(repetitions=2, n=list(range(20))))]
    first, second = order[:20], order[20:]
    assert len({tuple(first), tuple(second), tuple(range(20))}) == 3


def test_another_seed_gives_another_order_of_settings_and_of_builds() -> None:
    def orders(of: list[Plan]) -> set[tuple[object, ...]]:
        return {tuple(keys(settings(each))) for each in of}

    assert len(orders([plan(seed=seed, n=list(range(20))) for seed in range(5)])) == 5
    assert len(orders([plan(seed=seed, opt=["O0", "O1", "O2", "O3", "Os"]) for seed in range(5)])) == 5


def test_a_plan_without_factors_has_one_setting() -> None:
    assert settings(plan()) == [Setting("speedup", {}, 0)]


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (plan(repetitions=0, n=[1]), "repetitions=0"),
        (plan(n=[]), "n has no level"),
        (plan(n=[1, 2, 1]), "n=1 is given 2 times"),
        (plan(mode=["pool", "pool"]), "mode=pool is given 2 times"),
        (plan(repetitions=MAX_SETTINGS + 1), f"at most {MAX_SETTINGS}"),
        (plan(repetitions=10**12, n=list(range(1000)), m=list(range(1000))), f"at most {MAX_SETTINGS}"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(of: Plan, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings(of)


@given(FACTORS, st.randoms())
def test_canonical_text_does_not_depend_on_the_order_and_says_everything(
    factors: dict[str, int | str], random: object
) -> None:
    names = list(factors)
    random.shuffle(names)  # type: ignore[attr-defined]
    text = canonical({name: factors[name] for name in names})
    assert text == canonical(factors)
    assert json.loads(text) == factors


def test_canonical_text_is_compact_and_tells_a_number_from_its_digits() -> None:
    assert canonical({"n": 1000, "mode": "pool"}) == '{"mode":"pool","n":1000}'
    assert canonical({"n": 1}) != canonical({"n": "1"})


def test_text_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(IntercoreError, match=r"'po\\udcffol' is not valid text"):
        settings(plan(mode=["po\udcffol"]))


@given(PLANS, st.data())
def test_what_remains_is_what_was_not_measured_in_the_order_of_the_plan(of: Plan, data: st.DataObject) -> None:
    order = settings(of)
    done = data.draw(st.lists(st.sampled_from(range(len(order))), unique=True))
    lacking = remaining(run(of, *(measured(order[index], rest=0) for index in done)))
    assert lacking == [setting for index, setting in enumerate(order) if index not in done]


def test_nothing_remains_of_a_complete_run() -> None:
    of = plan(repetitions=2, n=[1, 2])
    assert remaining(run(of, *map(measured, settings(of)))) == []


def test_measurements_of_another_setting_do_not_count() -> None:
    of = plan(n=[1, 2])
    strangers = [
        Setting("speedup", {"n": 3}, 0),
        Setting("speedup", {"n": "1"}, 0),
        Setting("speedup", {"n": 1}, 1),
        Setting("speedup", {}, 0),
    ]
    assert remaining(run(of, *map(measured, strangers))) == settings(of)


def test_parts_follow_one_another_within_a_repetition() -> None:
    parts = (Part("switch", {"n": [1, 2, 3]}), Part("clock", {"n": [1, 2]}))
    order = settings(Plan("host", None, "suite", parts, repetitions=2))
    assert [setting.benchmark for setting in order] == [*["switch"] * 3, *["clock"] * 2] * 2


def test_parts_of_one_benchmark_must_be_told_apart_by_their_factors() -> None:
    same_names = (Part("switch", {"n": [1], "time": ["a"]}), Part("switch", {"n": [1], "time": ["b"]}))
    assert len(settings(Plan("host", None, "suite", same_names))) == 2
    other_names = (Part("switch", {"n": [1]}), Part("switch", {"n": [1], "time": ["b"]}))
    with pytest.raises(UsageError, match="name different factors"):
        settings(Plan("host", None, "suite", other_names))
    twice = (Part("switch", {"n": [1, 2]}), Part("switch", {"n": [2, 3]}))
    with pytest.raises(UsageError, match=r'switch with \{"n":2\} 2 times'):
        settings(Plan("host", None, "suite", twice))


# ---- what is left out, and what is taken of a large grid ----


def test_what_is_excluded_is_neither_measured_nor_missing() -> None:
    levels: dict[str, list[int | str]] = {"n": [1, 2, 3], "mode": ["a", "b"], "opt": ["O0", "O2"]}
    none = (Excluded("speedup", {"n": 2, "mode": "b"}, "no"), Excluded("clock", {"n": 1}, "another benchmark's"))
    of = msgspec.structs.replace(plan(repetitions=2, **levels), excluded=none)
    assert len(settings(of)) == 2 * 2 * 5
    assert not any(one.factors["n"] == 2 and one.factors["mode"] == "b" for one in settings(of))
    assert remaining(run(of, *(measured(one) for one in settings(of)))) == []


def test_a_plan_that_excludes_everything_says_why() -> None:
    of = msgspec.structs.replace(plan(n=[1, 2]), excluded=(Excluded("speedup", {}, "it has one core"),))
    with pytest.raises(UsageError, match="nothing in the plan can be measured: it has one core"):
        settings(of)


@given(PLANS, st.floats(0.001, 1))
def test_a_fraction_takes_so_many_settings_of_the_grid_the_same_in_each_repetition(of: Plan, fraction: float) -> None:
    parts = tuple(msgspec.structs.replace(part, fraction=fraction) for part in of.parts)
    some = msgspec.structs.replace(of, parts=parts)
    for part in some.parts:
        whole = {canonical(factors) for factors in grid(part)}
        taken = [
            {
                canonical(one.factors)
                for one in settings(some)
                if (one.benchmark, one.repetition) == (part.benchmark, at)
            }
            for at in range(of.repetitions)
        ]
        assert all(each == taken[0] for each in taken)
        assert taken[0] <= whole
        assert len(taken[0]) == max(1, round(fraction * len(whole)))
    assert settings(msgspec.json.decode(msgspec.json.encode(some), type=Plan)) == settings(some)


def test_another_seed_takes_another_fraction() -> None:
    def taken(seed: int) -> frozenset[str]:
        (part,) = (of := plan(seed=seed, n=list(range(100)))).parts
        return frozenset(
            canonical(factors) for factors in plan_module.measured(of, msgspec.structs.replace(part, fraction=0.1))
        )

    assert len({taken(seed) for seed in range(5)}) == 5


@pytest.mark.parametrize("fraction", [0.0, -1.0, 1.01, math.nan])
def test_a_fraction_is_a_part(fraction: float) -> None:
    of = msgspec.structs.replace(plan(), parts=(Part("speedup", {"n": [1]}, fraction),))
    with pytest.raises(UsageError, match="out of range"):
        settings(of)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 60))
def test_a_run_has_its_share_of_the_repetitions_and_further_ones_are_of_the_last(
    runs: int, each: int, further: int
) -> None:
    of = msgspec.structs.replace(plan(runs * each), runs=runs)
    known = [plan_module.run_of(of, repetition) for repetition in range(of.repetitions)]
    assert known == [run for run in range(runs) for _ in range(each)]
    assert plan_module.run_of(of, of.repetitions + further) == runs - 1
