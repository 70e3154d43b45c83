"""Flame graphs and listings: every box is where its caller is, and as wide as its time."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from intercore.profile.flame import LEAST, Box, flame
from intercore.profile.listing import listings
from intercore.profile.recorded import Profile
from tests.profile.programs import profiled
from tests.sim.firmware import example

ROUNDED = 1e-9


def boxes_by_depth(boxes: list[Box]) -> dict[int, list[Box]]:
    rows = defaultdict(list)
    for box in boxes:
        rows[box.depth].append(box)
    return rows


@pytest.mark.parametrize("name", ["both_cores", "fifo_interrupt", "alarm", "mix"])
def test_boxes_lie_within_their_callers_and_not_on_each_other(name: str) -> None:
    profile, _ = profiled(example(name))
    for number, core in enumerate(profile.cores):
        found = flame(number, core)
        rows = boxes_by_depth(list(found.boxes))
        assert set(rows) == set(range(found.depth))
        assert sum(box.width for box in rows[0]) == pytest.approx(1, abs=LEAST * 20)
        for depth, row in rows.items():
            row.sort(key=lambda box: box.left)
            for before, box in itertools.pairwise(row):
                assert before.left + before.width <= box.left + ROUNDED
            for box in row if depth else ():
                assert any(
                    above.left <= box.left + ROUNDED and box.left + box.width <= above.left + above.width + ROUNDED
                    for above in rows[depth - 1]
                )


def test_what_a_core_lost_is_as_wide_as_the_cycles_that_it_lost() -> None:
    profile, _ = profiled(example("bank_conflict"), 200_000)
    for number, core in enumerate(profile.cores):
        lost = sum(node.costs.sums.conflicted for node in core.nodes)
        drawn = sum(box.width for box in flame(number, core).boxes if box.look == "lost")
        assert drawn * core.cycles <= lost
        assert drawn * core.cycles >= lost - LEAST * core.cycles * len(core.nodes)


def test_a_listing_has_all_cycles_of_a_function_on_its_lines() -> None:
    profile, _ = profiled(example("both_cores"))
    found = [one for one in listings(profile, 10, 0.001) if one.function == "print_number"]
    (listing,) = found
    assert Path(listing.file).name == "chip.c"
    text = Path(listing.file).read_text().split("\n")
    assert sum(row.cycles for row in listing.rows) == listing.cycles
    for row in listing.rows:
        if row.number is not None:
            assert row.text == text[row.number - 1].expandtabs(4)


@pytest.mark.parametrize("file", ["/etc/passwd", "/no/such/file.c", "/dev/zero.c", ""])
def test_a_file_that_is_no_source_or_is_not_there_is_not_listed(file: str) -> None:
    profile, _ = profiled(example("both_cores"))
    found = msgspec.to_builtins(profile)
    for frames in found["sources"].values():
        for frame in frames:
            frame["file"] = file
    other = msgspec.convert(found, Profile, strict=False)
    assert all(not one.rows for one in listings(other, 10, 0.001))
