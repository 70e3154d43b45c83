"""Predictions for people and programs: of one setting, or of several in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from intercore.record.origin import in_heading
from intercore.view.quantity import duration_bounds
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.prediction import Basis, NextMeasurement, OfTarget, Prediction, Rank, Ranking
    from intercore.record.measurement import Level
    from intercore.statistics.intervals import Interval

    InWords: TypeAlias = Callable[[Mapping[str, Level], Iterable[str]], str]
    """Describes a setting by some of its factors."""

_SHOWN = 20  # settings of a ranking; --format json has all


P = TypeVar("P", bound="Prediction")


# Of one setting


def setting_section(
    found: Prediction, title: str, in_words: InWords, lines: Iterable[tuple[str, str, str]], sentences: Iterable[str]
) -> Section:
    """Return the section for people on the prediction of one setting.

    A line has the quantity, its value, and its interval; `sentences` precede its notes.
    """
    columns = [
        Column[tuple[str, str, str]]("", lambda row: row[0]),
        Column[tuple[str, str, str]]("predicted", lambda row: row[1], right=True),
        Column[tuple[str, str, str]]("95 %", lambda row: row[2], right=True),
    ]
    where = f"{in_words(found.setting, found.setting)} on {in_heading(found.target, found.origin)}"
    lines_shown = (
        f"Setting: {where}.",
        *_no_answer(found.to_measure, "This is inconclusive"),
        *sentences,
        *found.notes,
    )
    return Section(title, lines_shown, (Table(title, list(lines), columns),))


def basis_sentence(basis: Basis, samples_of: str) -> str:
    """Return the basis of a prediction; `samples_of` describes its samples, ` of 3 sizes`."""
    when = basis.first[:10] if basis.first[:10] == basis.last[:10] else f"{basis.first[:10]} to {basis.last[:10]}"
    return f"Basis: {_runs(basis.runs)}, {basis.samples:,} samples {samples_of}, measured on {when}."


def _no_answer(to_measure: NextMeasurement | None, what: str) -> Iterator[str]:
    """Report that a prediction is inconclusive, and the measurement that decides it."""
    if to_measure is not None:
        yield f"{what}: the interval is wider than ±50 %. To measure it: {to_measure.command}"


def _runs(numbers: Collection[int]) -> str:
    return f"run{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


# Of several settings


def ranking_section(
    found: Ranking[P],
    title: Callable[[P], str],
    in_words: InWords,
    names: Sequence[str],
    columns: Sequence[Column[Rank[P]]],
    *,
    named_shows: str,
) -> Section:
    """Return the section for people on several settings in their order.

    `title` names the prediction, `names` are the factors that distinguish settings, `columns` follow rank and setting,
    and `named_shows` is the additional output for a named setting.
    """
    first = found.ranking[0].prediction
    given = list({str(one.given): one.given for one in found.ranking}.values())
    without = [one for one in found.ranking if not one.prediction.conclusive]
    what = f"{len(without)} of {len(found.ranking)} {'is' if len(without) == 1 else 'are'} inconclusive"
    sentences = [
        *_no_answer(found.to_measure, what),
        *(sentence for each in given for sentence in _ties(found.ranking, each, names, in_words)),
        f"{_basis(found.ranking)} To see {named_shows}, give one level of each factor.",
        *_common_notes(found.ranking),
        *(f"Left out: {sentence}." for sentence in found.left_out),
    ]
    shown: list[Column[Rank[P]]] = [
        Column("", lambda row: f"{row.rank}", right=True),
        Column("setting", lambda row: in_words(row.prediction.setting, names)),
        *columns,
    ]

    def table(given: Mapping[str, Level]) -> Table[Rank[P]]:
        rows = _under(given, found.ranking)
        more = f", the first {_SHOWN} of {len(rows)}" if len(rows) > _SHOWN else ""
        where = f"{in_words(given, given)}, " if given else ""
        heading = f"{title(rows[0].prediction)}: {where}on {in_heading(found.target, found.origin)}{more}"
        return Table(heading, rows[:_SHOWN], shown)

    return Section(title(first), sentences, [table(each) for each in given])


def distinguishing_factors(
    ranking: Sequence[Rank[P]], besides: Collection[str], otherwise: Sequence[str] = ()
) -> Sequence[str]:
    """Return the factors that distinguish the settings, except those in `besides`.

    If there are none, return `otherwise`, or all factors except those in `besides`.
    """
    settings = [one.prediction.setting for one in ranking]
    names = [name for name in settings[0] if name not in besides]
    return [name for name in names if len({str(each.get(name)) for each in settings}) > 1] or otherwise or names


def interval_column(interval: Callable[[P], Interval]) -> Column[Rank[P]]:
    """Return the column of the interval that settings are ranked by."""

    def cell(row: Rank[P]) -> str:
        text = duration_bounds(interval(row.prediction)) or "–"
        return text if row.prediction.conclusive else f"{text}, inconclusive"

    return Column("95 %", cell, right=True)


def _under(given: Mapping[str, Level], ranking: Iterable[Rank[P]]) -> list[Rank[P]]:
    """Return those that are compared with each other under what is given, the first one first."""
    return [one for one in ranking if one.given == given]


def _ties(
    ranking: Sequence[Rank[P]], given: Mapping[str, Level], varied: Sequence[str], in_words: InWords
) -> Iterator[str]:
    """Name the settings that may be as fast as the first, by the factors `varied` and differing given levels."""
    first, *others = _under(given, ranking)
    names = [*(given if any(one.given != given for one in ranking) else ()), *varied]
    tied = [in_words(one.prediction.setting, names) for one in others if not one.told_from_first]
    if tied:
        yield (
            f"Not significantly different from the first, {in_words(first.prediction.setting, names)}: "
            f"{'; '.join(tied)}."
        )


def _basis(ranking: Sequence[Rank[P]]) -> str:
    runs = sorted({run for one in ranking for run in one.prediction.basis.runs}, reverse=True)
    samples = sum(one.prediction.basis.samples for one in ranking)
    return f"Basis: {_runs(runs)}, {samples:,} samples."


def _common_notes(ranking: Sequence[Rank[P]]) -> list[str]:
    """Return the notes that hold for every setting, and so are worth saying of the ranking."""
    every = [one.prediction.notes for one in ranking]
    return [note for note in dict.fromkeys(note for notes in every for note in notes) if all(note in n for n in every)]


# For programs


def ranked_rows(ranking: Iterable[Rank[P]], row: Callable[[P], dict[str, object]]) -> list[dict[str, object]]:
    """Return a row for each setting, with its rank in front."""
    return [{"rank": one.rank, **row(one.prediction)} for one in ranking]


def target_cells(found: OfTarget) -> dict[str, object]:
    """Return the first cells of a row: the target, and whether its numbers are measured."""
    return {"target": found.target, "simulated": found.simulated, "emulated": found.emulated}
