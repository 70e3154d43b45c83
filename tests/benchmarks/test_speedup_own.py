"""What is said of a workload of the user's own: from which size on cores pay, what limits them, and what was wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.speedup.analysis import analyse
from intercore.benchmarks.speedup.doubts import warnings
from intercore.benchmarks.speedup.own import is_own, sentences
from tests.benchmarks.test_speedup import SIZES, synthetic

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


def said(measurements: list[Measurement]) -> str:
    (sentence,) = sentences(analyse(measurements), measurements)
    return sentence


def test_it_is_said_from_which_work_on_cores_pay_and_what_starting_takes() -> None:
    told = said(own(overhead_us=1000.0))
    assert told.startswith("Two cores pay for fft from n=501, 2.00 ms"), told  # with 500 units it is all the same
    assert "of one core (mode=create), and at n=1000000 S is 2.00 (2.00 – 2.00)." in told
    assert "Small work is limited by starting and joining, 1.00 ms" in told
    assert told.endswith("fft with n=1000000 loses next to nothing beyond that.")
    assert said(own()).startswith("Two cores pay for fft from the smallest size measured, n=100 (mode=create), ")
    (fit,) = analyse(own()).fits
    assert is_own(fit)
    assert not any(map(is_own, analyse(synthetic(overhead_us=100.0)).fits))


def test_cores_that_pay_by_extrapolation_alone_are_not_said_to_pay() -> None:
    slow = own(overhead_us=100_000.0, loss=0.9, noise_us=5.0)  # T1 of 0.4 to 1.6 ms
    assert all(point.speedup.value < 1 for point in analyse(slow).points)
    assert said(slow).startswith("Two cores do not pay for fft at any size measured (mode=create)")
    told = said(own(overhead_us=1000.0, noise_us=1.0))
    assert told.startswith("Two cores do not pay for fft at any size measured (mode=create), and at n=400 S is 0."), (
        told
    )
    assert "; extrapolated, they pay from n=5" in told


def test_a_loss_that_may_be_large_is_not_called_nothing() -> None:
    told = said(own(noise_us=20.0))
    found = re.search(
        r" What fft with n=400 loses beyond that cannot be told from 0: at most ([\d.]+) % per core\.$", told
    )
    assert found, told
    assert float(found[1]) > 2


def test_a_loss_is_that_of_the_largest_work_in_which_causes_are_counted() -> None:
    """Whatever smaller work loses: 20 % here, which is not of starting and joining."""
    small, largest = own(loss=0.2, overhead_us=10.0)[1:-1], own(loss=0.05, overhead_us=10.0)[-1]
    assert "fft with n=1000000 loses 5.0 % (5.0 % – 5.0 %) per core" in said([*small, largest])


def test_two_sizes_do_not_tell_starting_from_losing_and_their_sum_has_causes_all_the_same() -> None:
    two = own(loss=0.05, checks={"conflicts.sram1": share(4)})[-2:]
    told = "loses 5.0 % (5.0 % – 5.0 %) per core, starting and joining among it"
    assert said(two).endswith(
        "Fewer than three sizes do not tell what starting and joining takes from what large work loses. "
        f"fft with n=1000000 {told}: each waits for 4.0 % because the other one holds SRAM1 4.0 %; the rest, 1.0 %, is "
        "starting and joining, or unknown (shares of its part, as the chip counts cycles)."
    )
    assert said(own(loss=0.05)[-2:]).endswith(f"{told}; what limits it is unknown.")


def test_what_starting_takes_is_not_left_out_of_a_loss_if_it_cannot_be_told_from_nothing() -> None:
    told = said(own(overhead_us=1.0, loss=0.05, noise_us=20.0))
    assert "what starting and joining takes cannot be told from 0. " in told
    assert re.search(
        r"fft with n=400 loses .* per core, starting and joining among it; what limits it is unknown\.$", told
    )


def test_a_loss_has_no_cause_where_nobody_counted_one() -> None:
    assert said(own(loss=0.05)).endswith("loses 5.0 % (5.0 % – 5.0 %) per core beyond that; what limits it is unknown.")


def share(percent: float) -> int:
    """Return the cycles of both cores in all windows that are this share of their parts of the largest work."""
    part = 4.0 * 1_000_000 * 1e-6 / 2 * SYS_HZ
    return round(percent / 100 * part * 2 * SAMPLES)


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        (
            {"conflicts.sram1": share(4), "conflicts.sram2": share(1), "conflicts.rom": 0},
            "each waits for 5.0 % because the other one holds SRAM1 4.0 %, SRAM2 1.0 % (",
        ),
        (
            {"waits.xip": share(9), "alone.waits.xip": share(5), "conflicts.xip": share(1)},
            "each waits for 4.0 % more than one core alone for misses of the flash's cache 4.0 % and waits for 1.0 % "
            "because the other one holds XIP 1.0 % (",
        ),
        (
            {"waits.apb": share(3), "conflicts.sram0": share(0.1)},
            "each waits for 3.0 % more than one core alone for wait states of APB 3.0 %; the rest, 1.9 %, is unknown (",
        ),
        (
            {"waits.xip": share(5), "alone.waits.xip": share(5)},
            "and next to none of it is waiting or sleep: what limits it is unknown.",
        ),
    ],
)
def test_a_loss_is_explained_by_what_the_chip_counted(checks: dict[str, int], told: str) -> None:
    assert told in said(own(loss=0.05, checks=checks))


def test_sleep_is_what_is_slept_more_than_in_small_work() -> None:
    """In that, cores sleep while a window begins and ends."""
    *small, largest = own(loss=0.05)
    small = [msgspec.structs.replace(one, checks={"asleep": share(1)}) for one in small]
    told = said([*small, msgspec.structs.replace(largest, checks={"asleep": share(6)})])
    assert told.endswith(
        "each sleeps for 5.0 %, until the other one is done (shares of its part, as the chip counts cycles)."
    ), told


def test_what_was_counted_in_another_mode_explains_nothing() -> None:
    counted = msgspec.structs.replace(own()[-1], checks={"conflicts.sram1": share(5)})
    other = msgspec.structs.replace(counted, factors={**counted.factors, "mode": "pool"})
    assert said([*own(loss=0.05), other]).endswith(
        "loses 5.0 % (5.0 % – 5.0 %) per core beyond that; what limits it is unknown."
    )


def test_where_all_work_pays_it_is_said_how_to_try_less() -> None:
    whole = own()
    assert "For less work, name a smaller n: from 2 on." in said(whole)
    named = {100: 2, 1_000: 20}
    few = [
        msgspec.structs.replace(one, factors={**one.factors, "n": named[n]})
        for one in whole
        if isinstance(n := one.factors["n"], int) and n in named
    ]
    assert "--flag=-D" in said(few)
    assert "200 µs" in said(few), "what a unit takes"
    assert "For less work" not in said(own(overhead_us=1000.0))


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
    (told,) = (text for text in warnings(analyse(uneven), uneven, "simulated") if "unstable" in text)
    assert "unequal" in told
    assert "more samples" not in told, "which would not help"
