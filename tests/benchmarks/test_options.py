"""What a user may choose of a report is declared by its benchmark, and carried without being understood."""

from __future__ import annotations

import math

import pytest

from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import Option
from intercore.benchmarks.options import IDLE, RATE, Options, known
from intercore.errors import UsageError


@pytest.mark.measures("speedup")
def test_a_benchmark_gets_what_was_chosen_of_its_own_option() -> None:
    option = registry.benchmark("speedup").option
    assert option is not None
    assert Options(efficiency=0.5, idle=1).of(option) == 0.5
    assert registry.benchmark("switch").option is registry.benchmark("novel").option is None


@pytest.mark.measures("speedup")
def test_what_was_not_chosen_has_its_default() -> None:
    option = registry.benchmark("speedup").option
    assert option is not None
    assert Options().of(option) == 0.9


@pytest.mark.measures("speedup")
@pytest.mark.parametrize("value", [0, 1, -0.5, 90, math.nan, math.inf])
def test_a_number_out_of_range_is_refused_by_name(value: float) -> None:
    with pytest.raises(UsageError, match=r"efficiency=.* is out of range: .*above 0 and below 1"):
        Options(efficiency=value)


def test_a_name_that_no_benchmark_declares_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="eficiency"):
        Options(eficiency=0.5)


def test_all_options_are_those_of_all_benchmarks_of_energy_and_a_rate() -> None:
    assert all(isinstance(option, Option) for option in known())
    assert {*known()} == {IDLE, RATE, *(one.option for one in registry.known() if one.option is not None)}
