"""The interface of a benchmark: one frozen object, `BENCHMARK` in the folder of its name.

The object holds everything that a measurement needs: levels, series, windows of energy, the probe for the ground truth.
Parts that need the statistics have loaders, so that a command that only measures does not wait for them. A benchmark
has no part that is None or empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from importlib.resources.abc import Traversable

    import msgspec
    import numpy as np
    from numpy.typing import NDArray

    from intercore.accuracy.figures import Category
    from intercore.benchmarks.options import Options
    from intercore.benchmarks.published import Publication
    from intercore.benchmarks.series import Unit
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement, Run, Series
    from intercore.record.meter_recording import Window
    from intercore.record.origin import Origin
    from intercore.record.store import StoreReader
    from intercore.sim import Simulator
    from intercore.sim.observation import Answers, Witness
    from intercore.view.answer import Answer
    from intercore.view.section import CombinedReport, Report, Section


# What is measured


@dataclass(frozen=True)
class All:
    """All choices of a parameter that the target has, in its order."""

    besides: str | None = None
    """Those that begin with this are measured only where they are named."""

    def of(self, choices: Sequence[str]) -> list[str]:
        """Return those of the choices that are meant."""
        return [choice for choice in choices if self.besides is None or not choice.startswith(self.besides)]


ALL = All()

Levels: TypeAlias = Mapping[str, Sequence[str] | All]
"""By parameter. Values are written as a user types them. A parameter that is missing has the target's own default."""


class SuiteLevels(Protocol):
    """Returns the grids of a benchmark within the suite, all of which name the same parameters."""

    def __call__(self, origin: Origin, *, amp: bool) -> Sequence[Levels]:
        """Return less where a program stands for the chip (`origin`); `amp` is a kernel on each core.

        Return none for a benchmark that is no part of the suite.
        """


@dataclass(frozen=True)
class DefaultLevels:
    """The levels that are measured where the user names none, by occasion."""

    alone: Levels = field(default_factory=dict)
    """Where the user asks for this benchmark."""
    suite: SuiteLevels | None = None
    """Within the suite; None for the same as alone."""
    traced: Levels = field(default_factory=dict)
    """In place of those of `alone`, where execution is recorded; the first level of each is taken."""
    own_work: Levels = field(default_factory=dict)
    """In place of those of `alone`, for a user's workload."""
    own_work_whole: str | None = None
    """The parameter whose largest level that the target takes is measured as well, for a user's workload."""
    interpreted: Levels = field(default_factory=dict)
    """In place of those of `alone`, where every instruction is interpreted and no time means anything."""


# What comes back


class Role(Enum):
    """What a series is for."""

    RESULT = auto()
    """Its median is a result."""
    AUXILIARY = auto()
    """Results are made of it, or judged by it, in another way."""
    MOMENTS = auto()
    """When something happened; only differences mean something."""
    HISTOGRAM = auto()
    """How often each of many values was found."""


class Result(NamedTuple):
    """A quantity whose median is a result of a benchmark: what budgets, baselines and comparisons name."""

    unit: Unit
    called: str = ""
    """Its label; empty for its name."""
    only: Mapping[str, Collection[str]] = MappingProxyType({})
    """By factor, the levels of the settings that have it; those of a factor that is missing here all do."""
    never: Mapping[str, Collection[str]] = MappingProxyType({})
    """By factor, the levels of settings that do not have it."""

    def may_be_of(self, levels: Mapping[str, Collection[str]]) -> bool:
        """Whether some setting has it whose factors have one of these levels each, and those not named any."""
        return all(set(had) & set(levels.get(name, had)) for name, had in self.only.items()) and not any(
            levels[name] and set(levels[name]) <= set(lacking) for name, lacking in self.never.items() if name in levels
        )


class Quantity(NamedTuple):
    """The converted samples of a series."""

    name: str
    unit: Unit
    values: NDArray[np.float64]


@dataclass(frozen=True)
class SeriesMeaning:
    """Roles and bounds of a benchmark's series; the rest follows from a series' unit."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    """By pattern of a series' name (`fnmatch`), of which the first that matches counts."""
    results: Mapping[str, Result] | None = None
    """By name of the quantity, so that a budget is checked before anything is measured; None if unknown."""
    quantity: Callable[[Measurement, Series], Quantity | None] | None = None
    """Converts the samples of a series; returns None for a time in µs or a count."""
    derived: Callable[[Measurement], list[Quantity]] | None = None
    """A quantity of several series of a measurement, such as a speed-up."""
    speed: Mapping[str, str] = field(default_factory=dict)
    """By name, whose time a series is of a work that does nothing but compute: `one core` or `all cores`."""
    incomparable: Callable[[Measurement], str] | None = None
    """Why the samples of a measurement are not compared with others, as a clause; returns "" if they may be."""
    provoked: Callable[[Measurement], Collection[str]] | None = None
    """The checks of a measurement that count what the benchmark does on purpose."""
    is_signed: Callable[[Series], bool] | None = None
    """Whether the times of a series may be below 0."""
    events: Callable[[Measurement, Series], int] | None = None
    """Of how many things, one after another, a sample of a series is the time; 0 for a single one."""


@dataclass(frozen=True)
class EnergyWindows:
    """The windows of the energy mark in a measurement, and the operations in them."""

    operation: str = "repetition"
    """The operation of one repetition, in a word."""
    windows: Callable[[Measurement], tuple[Window, ...] | None] | None = None
    """The windows in the order of time; returns None where the mark is high for all repetitions together."""
    operations: Callable[[Measurement], int] | None = None
    """Number of operations in total; None for one per repetition."""
    in_labels: tuple[str, ...] = ()
    """The factors that the labels of the windows name."""


# What is shown


@dataclass(frozen=True)
class Option:
    """A number that a report depends on, and a measurement does not: a share from 0 to 1, a rate or a time."""

    name: str
    """As on the command line, without the dashes."""
    default: float
    help: str
    ends: bool = False
    """Whether it may be 0 or 1."""
    unit: Literal["", "Hz", "us"] = ""
    """Of a rate or a time, which may be 0, for none; empty for a share."""


@dataclass(frozen=True)
class View:
    """How curves are drawn, where a user chooses that; where nothing is chosen, the benchmark does."""

    lines: tuple[str, ...] = ()
    """Factors whose levels are a line each."""
    panels: tuple[str, ...] = ()
    """Factors whose levels are a panel each."""
    axis: str = ""
    """What is on the x axis."""


AS_USUAL = View()


@dataclass(frozen=True)
class Analysis:
    """The analysis of a benchmark's measurements."""

    document: type[msgspec.Struct] | Traversable
    """The type of its part of the JSON document, from which that schema is made. If the keys of a row depend on the
    run, the file of the schema: `properties` of the document's `analysis`, `$defs`, perhaps `dependentRequired`."""
    report: Callable[[Run], Report]
    """What people read of a run."""
    report_with: Callable[[Run, Options], Report] | None = None
    """The same with what the user chose; None where there is nothing to choose."""
    axes: Sequence[str] = ()
    """Choices for the x axis of its curves, the default first; empty without curves."""
    concerns: Callable[[Finding, Answer], bool] | None = None
    """Whether a caveat of the report may concern an answer; None if all may."""
    combined: Callable[[Sequence[tuple[Run, Report]]], CombinedReport] | None = None
    """One section of a page for all its runs, instead of one for each."""


@dataclass(frozen=True)
class PredictionDocument:
    """A prediction, for programs and for people."""

    prediction: msgspec.Struct
    rows: Sequence[Mapping[str, object]]
    """The same, flat."""
    section: Section


class Predict(Protocol):
    """Predicts from the runs of a store."""

    def __call__(
        self, store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
    ) -> PredictionDocument:
        """Predict; `words` name the setting. Raises UsageError for what was not measured, or does not exist."""


_Found = TypeVar("_Found", bound="msgspec.Struct")
_Found_co = TypeVar("_Found_co", bound="msgspec.Struct", covariant=True)


class _Model(Protocol[_Found_co]):
    """Returns a prediction: several, ranked, where the words leave open which setting."""

    def __call__(self, store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool) -> _Found_co:
        """Predict, as `Predict` does."""


@dataclass(frozen=True)
class Predictor(Generic[_Found]):
    """A model, and what programs and people read of what it returns; it is called as `Predict`."""

    model: _Model[_Found]
    rows: Callable[[_Found], Sequence[Mapping[str, object]]]
    section: Callable[[_Found], Section]

    def __call__(
        self, store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
    ) -> PredictionDocument:
        """Predict."""
        found = self.model(store, target, words, extrapolate=extrapolate)
        return PredictionDocument(found, self.rows(found), self.section(found))


@dataclass(frozen=True)
class Benchmark:
    """A benchmark. One of which only the name is known measures what the target does by default, and has no report."""

    name: str
    levels: DefaultLevels = field(default_factory=DefaultLevels)
    series: SeriesMeaning = field(default_factory=SeriesMeaning)
    energy: EnergyWindows = field(default_factory=EnergyWindows)
    option: Option | None = None
    """The user's options of the report."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """The names that its answers may hold, each with what it means in a few words."""
    made_of: tuple[Category, ...] = ()
    """What its times are made of: where these are simulated, how far each part of the model is known to be true."""
    witness: Callable[[Simulator], Witness] | None = None
    """Its probe on a simulated chip, which records the ground truth of each sample."""
    load_answers: Callable[[], type[Answers]] | None = None
    """Its probe there that tells how each sample came about, so that the longest one can be explained."""
    load_analysis: Callable[[], Analysis] | None = None
    load_prediction: Callable[[], Predict] | None = None
    """A model of what will take how long."""
    load_publication: Callable[[], type[Publication]] | None = None
    """The type of published tables of the same quantity; the tables are the files of the folder's `published/`."""
