"""The line that tells how far a simulated run's times are known to be true."""

from __future__ import annotations

import re
from textwrap import wrap

import pytest

from intercore.accuracy.figures import CATEGORIES, compared
from intercore.accuracy.trust import agreements, in_percent, sentence, short_sentence
from intercore.benchmarks import registry
from intercore.benchmarks import suite as of_benchmarks


def test_a_category_is_as_true_as_the_worst_figure_that_decided_no_constant() -> None:
    assert any(each.figure.decided for each in compared())
    checks = [each for each in compared() if not each.figure.decided]
    for one in agreements(compared()):
        off = [abs(each.difference) for each in checks if each.figure.category == one.category]
        assert (one.figures, one.worst) == (len(off), max(off))
        assert one.typical <= one.worst


def test_the_sentence_has_a_number_for_what_is_known_and_names_the_rest() -> None:
    known = {one.category: one for one in agreements(compared())}
    for category in CATEGORIES:
        said = sentence([category])
        if category in known:
            assert f"{category} within {in_percent(known[category].worst)} of {known[category].figures} figure" in said
        else:
            assert said.endswith(f"nothing known of {category}")


def test_what_a_run_did_not_ask_is_not_told() -> None:
    said = sentence(["two cores at once", "the kernel (RTOS)"])
    assert re.findall("|".join(map(re.escape, CATEGORIES)), said) == ["two cores at once", "the kernel (RTOS)"]


@pytest.mark.parametrize("benchmark", registry.names())
def test_every_benchmark_says_what_its_times_are_made_of(benchmark: str) -> None:
    parts = registry.benchmark(benchmark).made_of
    assert parts
    assert set(parts) <= set(CATEGORIES)


def test_the_short_sentence_tells_the_same_in_two_lines() -> None:
    known = {one.category: one for one in agreements(compared())}
    for category in CATEGORIES:
        told = short_sentence([category])
        assert (in_percent(known[category].worst) in told) if category in known else "not known" in told
    suite = [name for name in registry.names() if of_benchmarks.suite(name, "simulated", amp=False)]
    everything = {part for name in suite for part in registry.benchmark(name).made_of}
    assert len(wrap(short_sentence(everything) + ".", 80)) <= 2
