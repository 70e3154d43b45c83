"""What is said of settings that are ranked by a prediction, whatever is predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from intercore.record.measurement import Level


class _Basis(Protocol):
    @property
    def runs(self) -> tuple[int, ...]: ...
    @property
    def samples(self) -> int: ...


class _Predicted(Protocol):
    @property
    def setting(self) -> dict[str, Level]: ...
    @property
    def basis(self) -> _Basis: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class Ranked(Protocol):
    """A setting in its place among those under the same levels given."""

    @property
    def given(self) -> dict[str, Level]:
        """What nobody chooses by speed, of all it is compared with."""

    @property
    def told_from_first(self) -> bool:
        """Whether its interval and that of the first have nothing in common."""

    @property
    def prediction(self) -> _Predicted:
        """What it is ranked by."""


_R = TypeVar("_R", bound=Ranked)


def under(given: Mapping[str, Level], ranking: Iterable[_R]) -> list[_R]:
    """Return those that are compared with each other under what is given, the first one first."""
    return [one for one in ranking if one.given == given]


def telling(ranking: Sequence[Ranked], besides: Collection[str]) -> list[str]:
    """Return the factors that tell the settings apart, but for those in `besides`; all others if none does."""
    settings = [one.prediction.setting for one in ranking]
    names = [name for name in settings[0] if name not in besides]
    return [name for name in names if len({str(each.get(name)) for each in settings}) > 1] or names


def ties(
    ranking: Sequence[Ranked],
    given: Mapping[str, Level],
    told: Sequence[str],
    in_words: Callable[[Mapping[str, Level], Iterable[str]], str],
) -> Iterator[str]:
    """Name those that may be as fast as the first: by the factors `told`, and by what is given if that is not one."""
    first, *others = under(given, ranking)
    names = [*(given if any(one.given != given for one in ranking) else ()), *told]
    tied = [in_words(one.prediction.setting, names) for one in others if not one.told_from_first]
    if tied:
        yield f"These cannot be told from the first, {in_words(first.prediction.setting, names)}: {'; '.join(tied)}."


def basis_of(ranking: Sequence[Ranked], *, named_shows: str) -> str:
    """Say what a ranking rests on, and what one sees of a setting that is named."""
    runs = sorted({run for one in ranking for run in one.prediction.basis.runs}, reverse=True)
    samples = sum(one.prediction.basis.samples for one in ranking)
    told = ", ".join(map(str, runs))
    return f"It rests on run{'s' * (len(runs) > 1)} {told}: {samples:,} samples. Name a setting to see {named_shows}."


def common_notes(ranking: Sequence[Ranked]) -> list[str]:
    """Return the notes that hold for every setting, and so are worth saying of the ranking."""
    every = [one.prediction.notes for one in ranking]
    return [note for note in dict.fromkeys(note for notes in every for note in notes) if all(note in n for n in every)]
