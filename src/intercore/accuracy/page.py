"""docs/accuracy.md: every published figure beside the simulated one, and what is known of the difference."""

from __future__ import annotations

from textwrap import TextWrapper
from typing import TYPE_CHECKING

from intercore.accuracy.figures import CATEGORIES
from intercore.accuracy.trust import agreements, in_percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.accuracy.figures import Compared, LeftOut, Unit

_UNITS: dict[Unit, str] = {
    "cycles": " cycles",
    "ns": " ns",
    "us": " µs",
    "ms": " ms",
    "MHz": " MHz",
    "1/s": " /s",
    "ratio": "",
}
_WIDTH = 120
_SHOWN_FROM = 0.0005
_EXPLAINED_FROM = 0.05
"""The difference from which on a cause has to be named."""

_HEAD = """# How true the simulated Pico is

This page has times that others measured on a board with an RP2040 and published, and beside each what the simulated
chip takes for the same. Nobody has run our own programs on a board yet, so the figures and their conditions are as good
as their sources. The simulated times are computed, not measured, and exact. Where a constant of the model was taken
from a figure, the figure's row says so, and the figure is not counted by category: it checks nothing.

Each figure is repeated by a program of ours in `sim/examples/accuracy`, which is equal work and not the published
program. It is built with GCC {compiler}, and the published one with another compiler, so that times of C code differ
for this reason alone. Figures in cycles, of instructions in assembler, do not. The simulator's boot ROM takes the times
of floating point that the datasheet states as averages: these figures check whether the averages hold.

    python -m intercore.accuracy                     # runs the programs, and writes this page and its numbers anew
    COREMARK=folder python -m intercore.accuracy     # with CoreMark, whose sources are not part of this project

A test runs the programs and fails if a number moves and this page does not. *Difference* is how much larger the
simulated value is. The [simulator's page](simulator.md#what-is-assumed) lists what the model assumes.

Do you know a figure that is not here? Add it to a file in `src/intercore/accuracy/published`, and a program that
repeats it to `programs.toml` beside that folder. A figure needs an address, a board, and a program that can be told
from it.
"""


def markdown(figures: Sequence[Compared], left_out: Sequence[LeftOut], compiler: str) -> str:
    """Return the page."""
    return "\n".join(_lines(figures, left_out, compiler)) + "\n"


def unexplained(figures: Sequence[Compared]) -> list[str]:
    """Return the figures that are off by more than 5 % and name no cause."""
    return [one.figure.id for one in figures if abs(one.difference) > _EXPLAINED_FROM and not one.figure.cause]


def _lines(figures: Sequence[Compared], left_out: Sequence[LeftOut], compiler: str) -> Iterator[str]:
    yield from _HEAD.format(compiler=compiler).splitlines()
    yield ""
    yield "## By category"
    yield ""
    yield "| what a time is made of | figures | median difference | worst |"
    yield "|---|--:|--:|--:|"
    known = agreements(figures)
    for one in known:
        yield f"| {one.category} | {one.figures} | {in_percent(one.typical)} | {in_percent(one.worst)} |"
    yield f"| all | {sum(one.figures for one in known)} | | |"
    yield ""
    unknown = [one for one in CATEGORIES if one not in {each.category for each in known}]
    yield f"Nothing is known of: {', '.join(unknown)}."
    yield ""
    yield "## What differs, and why"
    yield ""
    sources = list(dict.fromkeys(each.source for each in figures))
    for category in dict.fromkeys(each.figure.category for each in figures):
        yield f"### {category[0].upper()}{category[1:]}"
        yield ""
        yield "| figure | source | published | simulated | difference | cause, remark |"
        yield "|---|--:|--:|--:|--:|---|"
        for each in figures:
            if each.figure.category == category:
                yield _row(each, sources.index(each.source) + 1)
        yield ""
    yield "## Sources"
    yield ""
    for number, source in enumerate(sources, 1):
        address = ", ".join(f"<{part.strip()}>" for part in source.address.split(","))
        for text in (
            f"{number}. {source.who}: *{source.title}*, {source.date}. {address}",
            f"Conditions: {source.conditions}. Not said, or to be known: {source.unsaid}",
        ):
            yield from _wrapped(text)
            yield ""
    yield "## Not compared"
    yield ""
    yield "| published | where | why not |"
    yield "|---|---|---|"
    for out in left_out:
        where = f"<{out.where}>" if out.where.startswith("http") else out.where
        yield f"| {out.what} | {where} | {out.why} |"


def _wrapped(text: str) -> list[str]:
    """Return a paragraph of a numbered list: its first one has the number."""
    first = "" if text[:1].isdigit() else "   "
    lines = TextWrapper(_WIDTH, first, "   ", break_long_words=False, break_on_hyphens=False)
    return lines.wrap(text)


def _row(one: Compared, number: int) -> str:
    figure = one.figure
    difference = f"{100 * one.difference:+.1f} %" if abs(one.difference) >= _SHOWN_FROM else "0"
    program = figure.measured.partition(":")[0]
    words = (
        f"{figure.quantity} (`{program}`)",
        str(number),
        _value(figure.published, figure.unit),
        _value(one.simulated, figure.unit),
        difference,
        f"The model's `{figure.decided}` was taken from it. {figure.cause}".strip() if figure.decided else figure.cause,
    )
    return f"| {' | '.join(words)} |"


def _value(number: float, unit: Unit) -> str:
    digits = f"{number:,.0f}" if number >= 10000 else f"{number:.5g}"
    return digits + _UNITS[unit]
