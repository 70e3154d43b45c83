"""What is found of a workload of the user's own: from which size on cores pay, and what limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.speedup.analysis import analyse
from intercore.benchmarks.speedup.caveats import caveats
from intercore.benchmarks.speedup.findings import (
    Cause,
    FromSize,
    FromSmallest,
    SpeedupOwnDoesNotPay,
    SpeedupOwnFewSizes,
    SpeedupOwnLoss,
    SpeedupOwnNoLoss,
    SpeedupOwnOverhead,
    SpeedupOwnPays,
    SpeedupOwnUncertainLoss,
    SpeedupUnstable,
)
from intercore.benchmarks.speedup.own import is_own, of_own_work
from tests.benchmarks.test_speedup import SIZES, Kind, of_kind, synthetic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Measurement

pytestmark = pytest.mark.measures("speedup")

SYS_HZ = 125_000_000
SAMPLES = 25


def own(
    *, overhead_us: float = 100.0, loss: float = 0.0, checks: Mapping[str, int] | None = None, noise_us: float = 0.0
) -> list[Measurement]:
    """Return sizes of 4 µs a unit, of which the simulated chip counted the same in all; noisy ones are small."""
    sizes = (100, 200, 400) if noise_us else SIZES
    return [
        msgspec.structs.replace(
            one,
            factors={**one.factors, "workload": "own:fft"},
            conditions={"clock.sys_hz": str(SYS_HZ)},
            checks=dict(checks or {}),
        )
        for one in synthetic(overhead_us=overhead_us, loss=loss, samples=SAMPLES, noise_us=noise_us, sizes=sizes)
    ]


def found(kind: type[Kind], measurements: list[Measurement]) -> Kind:
    (one,) = of_kind(kind, of_own_work(analyse(measurements), measurements))
    return one


def near(value: float) -> Any:  # noqa: ANN401 - stands for a number
    return pytest.approx(value, abs=0.06)


def test_it_is_told_from_which_work_on_cores_pay_and_what_starting_takes() -> None:
    ours = own(overhead_us=1000.0)
    pays = found(SpeedupOwnPays, ours)
    assert (pays.work, pays.mode, pays.cores, pays.largest_n) == ("fft", "create", 2, 1_000_000)
    assert isinstance(pays.begin, FromSize)
    assert pays.begin.n == 501, "with 500 units it is all the same"
    assert pays.begin.t1_us.value == pytest.approx(2000, rel=0.01)
    assert pays.largest_speedup.value == pytest.approx(2, abs=0.005)
    overhead = found(SpeedupOwnOverhead, ours).overhead_us
    assert overhead is not None
    assert overhead.value == pytest.approx(1000, rel=0.01)
    assert found(SpeedupOwnNoLoss, ours) == SpeedupOwnNoLoss(work="fft", n=1_000_000, with_overhead=False)
    assert found(SpeedupOwnPays, own()).begin == FromSmallest(100, unit_us=None)
    (fit,) = analyse(own()).fits
    assert is_own(fit)
    assert not any(map(is_own, analyse(synthetic(overhead_us=100.0)).fits))


def test_cores_that_pay_by_extrapolation_alone_do_not_pay() -> None:
    slow = own(overhead_us=100_000.0, loss=0.9, noise_us=5.0)  # T1 of 0.4 to 1.6 ms
    assert all(point.speedup.value < 1 for point in analyse(slow).points)
    never = found(SpeedupOwnDoesNotPay, slow)
    assert (never.mode, never.largest_n) == ("create", 400)
    assert never.largest_speedup.value < 1
    larger = found(SpeedupOwnDoesNotPay, own(overhead_us=1000.0, noise_us=1.0))
    assert larger.largest_speedup.value < 1
    assert larger.loss_percent is None
    assert larger.extrapolated is not None
    assert larger.extrapolated.n == pytest.approx(500, rel=0.1)


def test_cores_that_lose_more_than_they_add_never_pay() -> None:
    lost = found(SpeedupOwnDoesNotPay, own(overhead_us=100.0, loss=1.2))
    assert lost.extrapolated is None
    assert lost.loss_percent == pytest.approx(120, rel=0.01)


def test_a_loss_that_may_be_large_is_not_called_nothing() -> None:
    uncertain = found(SpeedupOwnUncertainLoss, own(noise_us=20.0))
    assert (uncertain.n, uncertain.with_overhead) == (400, False)
    assert uncertain.most_percent > 2


def test_a_loss_is_that_of_the_largest_work_in_which_causes_are_counted() -> None:
    """Whatever smaller work loses: 20 % here, which is not of starting and joining."""
    small, largest = own(loss=0.2, overhead_us=10.0)[1:-1], own(loss=0.05, overhead_us=10.0)[-1]
    told = found(SpeedupOwnLoss, [*small, largest])
    assert told.n == 1_000_000
    loss = told.loss_percent
    assert (loss.value, loss.low, loss.high) == (near(5), near(5), near(5))


def test_two_sizes_give_the_sum_of_overhead_and_loss_with_causes() -> None:
    two = own(loss=0.05, checks={"conflicts.sram1": share(4)})[-2:]
    assert found(SpeedupOwnFewSizes, two) == SpeedupOwnFewSizes(work="fft")
    told = found(SpeedupOwnLoss, two)
    assert told.with_overhead
    assert told.loss_percent.value == near(5)
    assert told.causes == (Cause("conflicts", near(4), {"sram1": near(4)}),)
    assert told.unexplained_percent == near(1)
    assert found(SpeedupOwnLoss, own(loss=0.05)[-2:]).causes is None


def test_overhead_within_its_interval_of_zero_stays_in_the_loss() -> None:
    ours = own(overhead_us=1.0, loss=0.05, noise_us=20.0)
    assert found(SpeedupOwnOverhead, ours) == SpeedupOwnOverhead(work="fft", overhead_us=None)
    told = found(SpeedupOwnLoss, ours)
    assert (told.n, told.with_overhead, told.causes) == (400, True, None)


def test_a_loss_has_no_cause_where_nobody_counted_one() -> None:
    told = found(SpeedupOwnLoss, own(loss=0.05))
    assert (told.causes, told.with_overhead, told.loss_percent.value) == (None, False, near(5))


def share(percent: float) -> int:
    """Return the cycles of both cores in all windows that are this share of their parts of the largest work."""
    part = 4.0 * 1_000_000 * 1e-6 / 2 * SYS_HZ
    return round(percent / 100 * part * 2 * SAMPLES)


@pytest.mark.parametrize(
    ("checks", "causes", "unexplained"),
    [
        (
            {"conflicts.sram1": share(4), "conflicts.sram2": share(1), "conflicts.rom": 0},
            (Cause("conflicts", near(5), {"sram1": near(4), "sram2": near(1)}),),
            None,
        ),
        (
            {"waits.xip": share(9), "alone.waits.xip": share(5), "conflicts.xip": share(1)},
            (Cause("cache", near(4), {"xip": near(4)}), Cause("conflicts", near(1), {"xip": near(1)})),
            None,
        ),
        (
            {"waits.apb": share(3), "conflicts.sram0": share(0.1)},
            (Cause("waits", near(3), {"apb": near(3)}),),
            near(1.9),
        ),
        ({"waits.xip": share(5), "alone.waits.xip": share(5)}, (), near(5)),
    ],
)
def test_a_loss_is_explained_by_what_the_chip_counted(
    checks: dict[str, int], causes: tuple[Cause, ...], unexplained: float | None
) -> None:
    told = found(SpeedupOwnLoss, own(loss=0.05, checks=checks))
    assert (told.causes, told.unexplained_percent) == (causes, unexplained)


def test_sleep_is_what_is_slept_more_than_in_small_work() -> None:
    """In that, cores sleep while a window begins and ends."""
    *small, largest = own(loss=0.05)
    small = [msgspec.structs.replace(one, checks={"asleep": share(1)}) for one in small]
    told = found(SpeedupOwnLoss, [*small, msgspec.structs.replace(largest, checks={"asleep": share(6)})])
    assert told.causes == (Cause("sleep", near(5), {}),)
    assert told.unexplained_percent is None


def test_what_was_counted_in_another_mode_explains_nothing() -> None:
    counted = msgspec.structs.replace(own()[-1], checks={"conflicts.sram1": share(5)})
    other = msgspec.structs.replace(counted, factors={**counted.factors, "mode": "pool"})
    told = found(SpeedupOwnLoss, [*own(loss=0.05), other])
    assert (told.causes, told.loss_percent.value) == (None, near(5))


def test_where_all_work_pays_a_unit_that_is_the_least_to_split_is_told() -> None:
    whole = own()
    assert found(SpeedupOwnPays, whole).begin == FromSmallest(100, unit_us=None), "a smaller n can be named"
    named = {100: 2, 1_000: 20}
    few = [
        msgspec.structs.replace(one, factors={**one.factors, "n": named[n]})
        for one in whole
        if isinstance(n := one.factors["n"], int) and n in named
    ]
    assert found(SpeedupOwnPays, few).begin == FromSmallest(2, unit_us=near(200))


def test_units_of_unequal_times_are_told_as_such_on_a_chip_where_nothing_else_runs() -> None:
    rng = np.random.default_rng(1)
    uneven = [
        msgspec.structs.replace(
            one,
            series=tuple(
                msgspec.structs.replace(each, ticks=(each.ticks * rng.choice([1.0, 1.5], len(each.ticks))).astype(int))
                for each in one.series
            ),
        )
        for one in own()
    ]
    (told,) = of_kind(SpeedupUnstable, caveats(analyse(uneven), uneven, "simulated"))
    assert told.cause == "unequal units", "which more samples do not change"
