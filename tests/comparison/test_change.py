"""Before and after a change on a simulated chip: what is of the change, and what other phases do as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.comparison import baseline_file
from intercore.comparison.analysis import Sides
from intercore.comparison.baseline import of_runs
from intercore.comparison.change import Change
from intercore.comparison.picture import picture
from intercore.comparison.report import comparison_section
from tests.comparison.compared_runs import measured, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.comparison.analysis import Comparison
    from intercore.comparison.pairs import Pair
    from intercore.record.measurement import Measurement, Run

AT_125_MHZ = {"clock.sys_hz": "125000000"}
SIZES = (1, 2, 3)


def side(image: str, *medians: Sequence[int], seed: int = 1) -> list[Measurement]:
    """Measurements of a setting each, all of one image."""
    conditions = {**AT_125_MHZ, "image.digest": image}
    return [
        measured(ticks, conditions=conditions, size=size, seed=seed)
        for size, ticks in zip(SIZES, medians, strict=False)
    ]


def before_and_after(
    before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], seed: int = 1, images: tuple[str, str] = ("a", "b")
) -> tuple[Run, Run]:
    return run("pico-sim", *side(images[0], *before)), run("pico-sim", *side(images[1], *after, seed=seed))


def in_phases(*phases: Sequence[Sequence[int]], image: str = "b") -> tuple[Run, ...]:
    """Runs of one program in other phases, with the samples of each setting."""
    return tuple(run("pico-sim", *side(f"{image}{at}", *one, seed=10 + at)) for at, one in enumerate(phases))


def compared(sides: tuple[Run, Run], change: Change | None = None) -> Comparison:
    return Sides([sides[0]], [sides[1]]).compare(change=change)


def verdicts(found: Comparison) -> list[str]:
    return [pair.verdict for pair in found.pairs]


STEADY = [1000] * 8
MOVED = [[996] * 8, [1003] * 8, [1001] * 8, [998] * 8]


def test_move_within_the_phases_spread_is_not_of_the_change() -> None:
    sides = before_and_after([STEADY, STEADY, STEADY], [[1004] * 8, [1111] * 8, STEADY])
    phases = in_phases(*([median, [one + 111 for one in median], STEADY] for median in MOVED))
    found = compared(sides, Change(("xTaskGenericNotify",), phases=phases, phased=1))
    assert verdicts(found) == ["phase", "slower", "same"]
    assert found.pairs[1].ratio is not None
    assert found.pairs[1].ratio.low is not None
    assert found.pairs[1].ratio.low > 1
    assert found.pairs[0].ratio is not None
    low, high = found.pairs[0].ratio.low, found.pairs[0].ratio.high
    assert low is not None
    assert high is not None
    assert low < 1 < high
    assert found.phases == 4
    assert "xTaskGenericNotify" in found.answer[0]
    assert f"{111 * 125:+,}" in found.answer[0], "the cycles of what changed alone"
    assert "1 setting" in found.answer[0]


def test_either_side_can_be_the_one_that_is_measured_again() -> None:
    sides = before_and_after([STEADY, STEADY], [[1004] * 8, [1111] * 8])
    phases = in_phases(*([median, median] for median in MOVED), image="a")
    assert verdicts(compared(sides, Change(phases=phases, phased=0))) == ["phase", "slower"]
    back = compared(sides[::-1], Change(phases=phases, phased=1))
    assert verdicts(back) == ["phase", "faster"]


def test_nothing_is_said_to_have_changed_where_only_the_seed_is_another_one() -> None:
    found = compared(before_and_after([STEADY, STEADY], [[1500] * 8, STEADY], seed=2, images=("a", "a")))
    assert verdicts(found) == ["phase", "same"]
    assert found.pairs[0].ratio is not None
    assert (found.pairs[0].ratio.value, found.pairs[0].ratio.low) == (1.5, None)


def test_where_phases_are_not_known_a_difference_is_no_verdict_and_a_warning_says_why() -> None:
    found = compared(before_and_after([STEADY], [[1500] * 8]), Change(why_unknown="no compiler"))
    assert verdicts(found) == ["cannot tell"]
    assert any("no compiler" in warning for warning in found.warnings)
    unasked = compared(before_and_after([STEADY], [[1500] * 8]))
    assert verdicts(unasked) == ["cannot tell"]
    assert not any("phases" in warning for warning in unasked.warnings), "who asks for no phases is not warned"


def test_a_number_of_which_too_few_phases_are_known_is_warned_of() -> None:
    phases = in_phases([[1500] * 8])
    found = compared(before_and_after([STEADY], [[1500] * 8]), Change(phases=phases, phased=1))
    assert verdicts(found) == ["cannot tell"]
    assert any("phases" in warning for warning in found.warnings)


def test_other_settings_of_one_program_are_no_phases_of_each_other() -> None:
    first, second = (
        run("pico-sim", measured([ticks] * 8, conditions={"image.digest": "a"}, primitive=primitive, seed=1))
        for ticks, primitive in ((1000, "queue"), (1500, "mutex"))
    )
    sides = Sides([first], [second])
    assert not sides.are_before_and_after
    assert verdicts(sides.compare()) == ["slower"]


def test_functions_are_not_given_the_cycles_of_other_settings() -> None:
    first, second = (
        run("pico-sim", measured([ticks] * 8, conditions={**AT_125_MHZ, "image.digest": image}, primitive=name, seed=1))
        for ticks, image, name in ((1000, "a", "queue"), (1500, "b", "mutex"))
    )
    phases = tuple(
        run("pico-sim", measured([1500 + at] * 8, conditions={"image.digest": f"b{at}"}, primitive="mutex", seed=at))
        for at in range(3)
    )
    found = compared((first, second), Change(("f",), phases=phases, phased=1))
    assert verdicts(found) == ["slower"]
    assert found.answer[0] == "f differs."


def test_functions_are_not_said_to_change_nothing_where_that_is_not_known() -> None:
    found = compared(before_and_after([STEADY], [[1500] * 8]), Change(("f", "g"), why_unknown="--phases 0"))
    assert found.answer[0] == "f and g differ."


@pytest.mark.parametrize(
    ("seed", "is_in_place", "after", "verdict"),
    [
        (1, True, [1001, 1003, 1005, 1006, 1009, 1011], "slower"),
        (1, True, [1001, 1003, 1005, 1006, 1009, 1012], "cannot tell"),  # one sample has moved by more than the others
        (2, True, [1001, 1003, 1005, 1006, 1009, 1011], "cannot tell"),  # samples of other delays
        (1, False, [1001, 1003, 1005, 1006, 1009, 1011], "cannot tell"),  # code lies elsewhere
    ],
)
def test_a_tick_is_of_the_change_where_all_code_is_in_its_place_and_every_sample_has_it(
    seed: int, is_in_place: bool, after: list[int], verdict: str
) -> None:
    before = [1000, 1002, 1004, 1005, 1008, 1010]
    found = compared(before_and_after([before], [after], seed), Change(is_in_place=is_in_place))
    assert verdicts(found) == [verdict]


def test_a_sample_in_which_the_tick_falls_does_not_hide_the_shift_of_all_others() -> None:
    before, after = [1000 + at for at in range(20)], [1001 + at for at in range(19)] + [1300]
    found = compared(before_and_after([before], [after]), Change(is_in_place=True))
    assert verdicts(found) == ["slower"]


def test_a_baseline_is_held_against_phases_of_the_run_that_is_compared_with_it() -> None:
    before, after = before_and_after([STEADY, STEADY], [[1004] * 8, [1111] * 8])
    read = baseline_file.parse(baseline_file.text_of(of_runs([before])), "x.txt")
    phases = in_phases(*([median, [one + 111 for one in median]] for median in MOVED))
    found = Sides([read], [after]).compare(change=Change(phases=phases, phased=1))
    assert verdicts(found) == ["phase", "slower"]


def test_only_what_moved_is_to_be_measured_again() -> None:
    before, after = before_and_after([STEADY, STEADY], [[1004] * 8, STEADY])
    sides = Sides([before], [after])
    assert sides.are_before_and_after
    ((mine, theirs),) = sides.moved()
    assert (mine.factors["size"], theirs.conditions["image.digest"]) == (1, "b")
    boards = (
        msgspec.structs.replace(one, plan=msgspec.structs.replace(one.plan, simulated=False)) for one in (before, after)
    )
    assert not Sides(*([one] for one in boards)).are_before_and_after


def rows(found: Comparison) -> list[Pair]:
    return [row for table in comparison_section(found, in_full=False).tables for row in table.rows]


def test_the_first_screen_has_no_row_for_what_phases_moved() -> None:
    sides = before_and_after([STEADY, STEADY, STEADY], [[1004] * 8, [1111] * 8, STEADY])
    phases = in_phases(*([median, [one + 111 for one in median], STEADY] for median in MOVED))
    found = compared(sides, Change((), phases=phases, phased=1))
    assert [row.verdict for row in rows(found)] == ["slower"]
    assert "1 within the effect of the phase" in " ".join(found.answer)
    assert not any(pair.exact for pair in found.pairs if pair.verdict != "same")
    nothing = compared(before_and_after([STEADY], [STEADY]))
    assert not rows(nothing)


def test_the_largest_change_comes_with_the_command_that_shows_what_it_consists_of() -> None:
    before, after = before_and_after([STEADY, STEADY], [[1111] * 8, [1400] * 8])
    before, after = (with_factor(one, target="busy") for one in (before, after))
    after = msgspec.structs.replace(after, plan=msgspec.structs.replace(after.plan, kernel="/k"))
    phases = tuple(with_factor(one, target="busy") for one in in_phases(*([[1111] * 8, [1400] * 8] for _ in range(3))))
    found = compared((before, after), Change(phases=phases, phased=1))
    assert verdicts(found) == ["slower", "slower"]
    command = found.answer[-1].partition("intercore trace ")[2].split()
    assert command[:2] == ["pico-sim", "switch"]
    assert {"size=2", "target=busy"} < {*command[2:]}, "also what is the same in all settings"
    assert command[-2:] == ["--kernel", "/k"]


def with_factor(of: Run, **factors: str) -> Run:
    """The run with another factor in all of its settings."""
    measurements = tuple(msgspec.structs.replace(one, factors={**one.factors, **factors}) for one in of.measurements)
    return msgspec.structs.replace(of, measurements=measurements)


def test_the_picture_shows_what_phases_moved_with_its_interval() -> None:
    sides = before_and_after([STEADY, STEADY], [[1004] * 8, [1111] * 8])
    phases = in_phases(*([median, [one + 111 for one in median]] for median in MOVED))
    drawn = picture(compared(sides, Change(phases=phases, phased=1)))
    assert drawn is not None
    marks = {mark.verdict: mark for mark in drawn.marks}
    assert marks["phase"].low < marks["phase"].at < marks["phase"].high
    assert "exact" not in marks["phase"].interval
