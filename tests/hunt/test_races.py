"""Data races are found, with what they are for; the same programs mended are silent."""

from __future__ import annotations

import pytest

from intercore.hunt.analysis import HuntAnalysis, analysed
from intercore.hunt.hunting import Wanted
from intercore.hunt.variation.varied import Search, varied
from intercore.sim import Simulator
from tests.sim.firmware import example

SECONDS = 0.2
CHANGES = {"lost-update", "data-race"}
"""Which of them it is depends on how the cores meet."""
RACES = [
    ("COUNTER", "counter", CHANGES),
    ("TWO_LOCKS", "counter", CHANGES),
    ("ONE_SIDED_LOCK", "counter", CHANGES),
    ("TWO_PRODUCERS", "head", CHANGES),
    ("NEIGHBOURS", "led_bits", CHANGES),
    ("STRUCT", "settings", CHANGES),
    ("LIST", "list", CHANGES),
    ("LAZY", "object", CHANGES),
    ("TORN", "uptime", {"torn-read"}),
    ("SOFTWARE_LOCK", "taken", CHANGES),
    ("OWNER", "owner", CHANGES),
    ("LATE", "counter", CHANGES),
    ("SHARED_FLAG", "interrupted", CHANGES),
    ("CLEARED", "counter", CHANGES),
    ("PINS", "GPIO_OUT", CHANGES),
    ("EARLY", "buffer", {"data-race"}),
]


VARIED = "HANDLER"
"""Undisturbed, all interrupts come at the same place of the loop."""


def raced(*options: str) -> HuntAnalysis:
    """Return what is found in the example."""
    image = example("faults/races", "sram", *(f"-D{option}" for option in options))
    return analysed(image, image.name, Wanted(SECONDS, None, b""), lambda _: None)


@pytest.mark.parametrize(("which", "name", "codes"), RACES, ids=[one[0] for one in RACES])
def test_a_race_is_told_with_what_it_is_for(which: str, name: str, codes: set[str]) -> None:
    found = [one for one in raced(which).findings if one.code in codes and name in one.text]
    assert len(found) == 1
    assert len({place.core for place in found[0].places} | {place.handler for place in found[0].places}) > 1


@pytest.mark.parametrize(("which", "all_shared"), [("COUNTER", True), ("LATE", False)])
def test_of_very_many_accesses_some_are_looked_at(which: str, *, all_shared: bool) -> None:
    assert raced(which).all_shared is all_shared


def test_a_race_with_a_handler_that_comes_elsewhere_is_found_by_variation() -> None:
    image, wanted = example("faults/races", "sram", f"-D{VARIED}"), Wanted(SECONDS, None, b"")
    before = raced(VARIED)
    assert before.findings == []
    found = varied(image, before, wanted, Search(1000, 0, 1), lambda _: None)
    (lost,) = found.findings
    assert (lost.code, lost.places[0].function) == ("lost-update", "on_count")
    assert found.variation is not None
    assert found.variation.sentences


@pytest.mark.parametrize("which", [*(one[0] for one in RACES), VARIED])
def test_the_same_program_mended_is_silent(which: str) -> None:
    analysis = raced(which, "MENDED")
    assert analysis.findings == []
    assert "exit code 0" in analysis.stop


@pytest.mark.parametrize(
    ("options", "watched"),
    [(("COUNTER",), True), (("TWO_LOCKS",), True), (("ONE_SIDED_LOCK",), True), (("COUNTER", "MENDED"), False)],
)
def test_a_word_that_is_only_accessed_under_one_spinlock_is_not_watched(
    options: tuple[str, ...], *, watched: bool
) -> None:
    simulator = Simulator(example("faults/races", "sram", *(f"-D{option}" for option in options)))
    simulator.start_hunt()
    simulator.run(30_000)  # in the end, core 0 reads it without a lock
    assert (simulator.symbols["counter"].address in simulator.shared_words()) is watched
