"""Ranges in a figure: whose each is, and whether it is a time at all, can be seen without its name."""

from __future__ import annotations

from intercore.view.figure import Line, Points
from intercore.view.ranges import Range, ranges_figure

ROWS = [
    Range("theirs", 1.0, 2.0, 4.0, is_published=True),
    Range("ours", 1.0, 2.0, 4.0, is_published=False),
    Range("made", -4.0, -2.0, -1.0, is_published=False, is_false=True),
]


def test_published_false_and_own_ranges_look_unlike() -> None:
    (panel,) = ranges_figure("a", "b", "c", ROWS, axis="time").panels
    lines = [one for one in panel.series if isinstance(one, Line)]
    assert [(one.colour, one.dash) for one in lines] == [
        ("published", "dashed"),
        ("series0", "solid"),
        ("series1", "solid"),
    ]
    averages = [one for one in panel.series if isinstance(one, Points) and len(one.x) == 1]
    assert [one.hollow for one in averages] == [True, False, False]


def test_each_range_is_drawn_from_its_least_to_its_largest_value_with_both_in_its_words() -> None:
    (panel,) = ranges_figure("a", "b", "c", ROWS, axis="time", ends=("shortest", "longest")).panels
    line, ends, average = panel.series[-3:]
    assert isinstance(line, Line)
    assert isinstance(ends, Points)
    assert isinstance(average, Points)
    assert (list(line.x), list(average.x)) == ([4e-6, 1e-6], [2e-6]), "a logarithmic axis has no sign"
    assert list(ends.texts) == ["made\nshortest -4.00 µs", "made\nlongest -1.00 µs"]
