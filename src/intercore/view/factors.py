"""How an analysis of variance is shown: a table, what each level does, and which two factors depend on one another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from intercore.statistics.factors import FactorEffect, cell_means, ordered
from intercore.view.axes import Axis
from intercore.view.curve import PlottedCurve, curve_figure
from intercore.view.figure import Figure, Panel, Points, ReferenceLine, colour_of
from intercore.view.quantity import percent, significant, tenths
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.record.measurement import Level
    from intercore.statistics.factors import FactorAnalysis, Observation

MOST_LEVELS = 40
"""In one plot of main effects."""
_INTERACTIONS = 2  # drawn at most
_WORTH = 0.01  # share of all variation from which on an interaction is drawn
_ROW = 20  # pixels


def factor_table(title: str, analysis: FactorAnalysis, *, exact: bool = False) -> Table[FactorEffect]:
    """Return a table with a row for each factor, and for each two; without F and p where numbers repeat themselves."""
    tested = [
        Column[FactorEffect]("F", lambda one: _known(one.f, significant), right=True),
        Column[FactorEffect]("p", lambda one: _known(one.p_value, _probability), right=True),
    ]
    return Table(
        title,
        analysis.effects,
        [
            Column("factor", lambda one: " × ".join(one.factors)),
            Column("levels", lambda one: str(len(one.levels)) if one.levels else "", right=True),
            Column("of variation", lambda one: f"{tenths(100 * one.eta_squared)} %", right=True),
            Column("partial η²", lambda one: f"{one.partial_eta_squared:.3f}", right=True),
            Column(
                "partial ω²", lambda one: _known(one.partial_omega_squared, lambda value: f"{value:.3f}"), right=True
            ),
            *([] if exact else tested),
        ],
    )


def _known(value: float | None, text: Callable[[float], str]) -> str:
    return "–" if value is None else text(value)


def _probability(p_value: float) -> str:
    return "< 0.001" if p_value < 1e-3 else f"{p_value:.3f}"


def main_effects_figure(name: str, title: str, analysis: FactorAnalysis) -> Figure | None:
    """Return a plot of the effect of each level of each factor, other factors equal; None if there is no factor.

    The factor that explains most is on top. Levels beyond the first forty are left out.
    """
    single = [one for one in analysis.effects if len(one.factors) == 1]
    rows = [(one, place, level) for place, one in enumerate(single) for level in one.levels][:MOST_LEVELS]
    if not rows:
        return None
    names = [f"{one.factors[0]} = {level.level}" for one, _, level in rows]
    series = []
    for place, one in enumerate(single):
        ours = [(at, level) for at, (each, _, level) in enumerate(rows) if each is one]
        times = [level.times for _, level in ours]
        series.append(
            Points(
                f"{one.factors[0]}: {percent(one.eta_squared)}",
                colour_of(place),
                [known.value for known in times],
                [at for at, _ in ours],
                [
                    f"{names[at]}\n{significant(level.times.value)} times the mean\n{level.observations} observations"
                    for at, level in ours
                ],
                x_bounds=[(known.low or known.value, known.high or known.value) for known in times],
            )
        )
    x = Axis("times the mean of the levels", log=True).around(end for one in series for end in one.values("x"))
    y = Axis().of_names(names, down=True)
    caption = (
        "Effect of each level, other factors equal, with 95 % intervals; the legend has the share of the total "
        "variation of the logarithm that the factor explains."
    )
    if len(rows) == MOST_LEVELS:
        caption += f" The first {MOST_LEVELS} levels are drawn."
    references = [ReferenceLine(1.0, dash="dotted", upright=True)]
    return Figure(name, title, caption, [Panel(x, y, series, _ROW * len(rows), references=references)])


def interaction_figures(
    name: str,
    title: str,
    response: str,
    suffix: str,
    analysis: FactorAnalysis,
    observations: Sequence[Observation],
    scale: float,
) -> Iterator[Figure]:
    """Return plots of the pairs of factors that depend most on one another; lines that are parallel do not.

    `scale` makes the unit of the axis, whose `suffix` is given, of the response.
    """
    pairs = [one for one in analysis.effects if len(one.factors) == 2 and one.eta_squared >= _WORTH]
    for one in pairs[:_INTERACTIONS]:
        across, lines = sorted(one.factors, key=lambda factor: (factor != "size", -_count(analysis, factor)))
        means = cell_means(observations, across, lines)
        levels = ordered(level for level, _ in means)
        numbers = all(isinstance(level, int) and level > 0 for level in levels)
        curves = [
            _curve(lines, line, levels, means, scale, numbers=numbers) for line in ordered(each for _, each in means)
        ]
        figure = curve_figure(
            f"{name}-{across}-{lines}".replace(", ", "-"),
            f"{title}: {across} and {lines}",
            (across, response),
            ("", suffix),
            {"": curves},
            f"The effect of {lines} depends on {across} where the lines are not parallel; their interaction explains "
            f"{percent(one.eta_squared)} of the total variation. Geometric means, other factors' main effects removed.",
        )
        if not numbers:
            (panel,) = figure.panels
            x = replace(panel.x.of_names([str(level) for level in levels]), log=False, grid=True)
            figure = replace(figure, panels=[replace(panel, x=x)])
        yield figure


def _count(analysis: FactorAnalysis, factor: str) -> int:
    return next(len(one.levels) for one in analysis.effects if one.factors == (factor,))


def _curve(
    factor: str,
    line: Level,
    levels: Sequence[Level],
    means: dict[tuple[Level, Level], float],
    scale: float,
    *,
    numbers: bool,
) -> PlottedCurve:
    known = [(place, level) for place, level in enumerate(levels) if (level, line) in means]
    y = [means[level, line] * scale for _, level in known]
    x = [float(level) if numbers else float(place) for place, level in known]
    text = [f"{level}: {significant(value)}" for (_, level), value in zip(known, y, strict=True)]
    return PlottedCurve(f"{factor} = {line}", x, y, y, y, text, (), joined=True)
