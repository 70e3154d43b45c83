"""Published results as data: reads the tables in `published/`, which are drawn beside the user's own points."""

from __future__ import annotations

import math
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
Towered = Annotated[int, Meta(ge=0)] | None


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the figures were published."""

    authors: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """In the order of the publication, names written as there."""
    title: Text
    """In the language of the publication."""
    venue: Text
    table: Text
    """Which table or figure of the publication, e.g. `Table 1`."""
    year: Annotated[int, Meta(ge=1950, le=2100)] | None = None
    """None if the publication does not state it."""
    doi: Annotated[str, Meta(pattern=r"^10\.\d{4,9}/\S+$")] | None = None
    """Without the resolver's address; None where the venue gives none."""
    title_en: Text | None = None
    """An English title if the publication's language is another: its own where it has one."""

    @property
    def citation(self) -> str:
        """Who published it, where and when, as one line without a full stop."""
        year = "" if self.year is None else f" ({self.year})"
        doi = "" if self.doi is None else f", doi:{self.doi}"
        return f"{' and '.join(self.authors)}, “{self.title_en or self.title}”, {self.venue}{year}, {self.table}{doi}"


class Publication(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="benchmark"):
    """What every published table has. Each benchmark of ours that measures the same quantity has a kind of its own."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    label: Text
    """Short name for tables and plots."""
    usage: Text
    """What of the publication was carried over."""
    source: Source
    conditions: dict[str, Text]
    """What the publication says of how it measured, by name."""
    notes: tuple[Text, ...] = ()
    """What a reader must know of the figures, a sentence each."""


# speedup


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `speedup` that all rows share."""

    workload: Text
    mode: Text
    join: Text
    """`unstated` if the publication does not say how completion is awaited."""
    cores: Count
    tick_hz: Count | None = None
    """Kernel ticks per second; None if neither stated nor known."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One size of the work, as printed."""

    n: Count
    t1_ms: Positive
    """Sequential duration, ms."""
    tp_ms: Positive
    """Duration on all cores of the setting, ms."""
    speedup: Positive | None = None
    """S as printed; the analysis computes its own from the durations."""
    efficiency: Positive | None = None
    """E as printed, as a fraction."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        _require_finite(t1_ms=self.t1_ms, tp_ms=self.tp_ms, speedup=self.speedup, efficiency=self.efficiency)


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of a table and how they were rounded."""

    rounding_ms: Positive
    """Unit of the last printed digit of the durations, ms."""
    rows: Annotated[tuple[Row, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse an infinite rounding and two rows for one size."""
        _require_finite(rounding_ms=self.rounding_ms)
        if len({row.n for row in self.rows}) < len(self.rows):
            raise ValueError("two rows have the same n")


class SpeedupPublication(Publication, frozen=True, kw_only=True, tag="speedup"):
    """Durations of the same work on one core and on several."""

    setting: Setting
    figures: Figures


# contention


class Towers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What each competitor that had work came to in one window; None for one that had none."""

    task0: Towered = None
    """By the task pinned to core 0."""
    task1: Towered = None
    """By the task pinned to core 1."""
    main: Towered = None
    """By the main loop, on core 1."""
    current_ma: Positive | None = None
    """Current that a meter in the supply of the whole board showed meanwhile, mA; None if it was not read."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        _require_finite(current_ma=self.current_ma)

    @property
    def by_competitor(self) -> dict[str, int]:
        """The counts of the competitors that had work, by name, in the order in which they are printed."""
        counts = {"task0": self.task0, "task1": self.task1, "main": self.main}
        return {name: count for name, count in counts.items() if count is not None}


class ContentionFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Completed towers of Hanoi in a window of time."""

    discs: Count
    window_ms: Count
    rows: Annotated[tuple[Towers, ...], Meta(min_length=1)]
    """In the order of the publication."""

    def __post_init__(self) -> None:
        """Refuse a row without competitors, and two rows with the same ones."""
        competitors = [tuple(row.by_competitor) for row in self.rows]
        if not all(competitors):
            raise ValueError("a row has no competitors")
        if len(set(competitors)) < len(competitors):
            raise ValueError("two rows have the same competitors")


class ContentionPublication(Publication, frozen=True, kw_only=True, tag="contention"):
    """Who gets the processor when tasks and a main loop compete."""

    figures: ContentionFigures


# switch


class SwitchRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time from a signal to the woken task, as printed, ms."""

    crosses: bool
    """Whether the woken task runs on another core than the one that signals."""
    average_ms: Positive
    minimum_ms: Positive
    maximum_ms: Positive
    is_of_two_counters: bool = False
    """Whether counters of two cores were subtracted that nobody had aligned: then it is no time of a task switch."""

    def __post_init__(self) -> None:
        """Refuse infinity, and an average outside of its range."""
        _require_finite(average_ms=self.average_ms, minimum_ms=self.minimum_ms, maximum_ms=self.maximum_ms)
        if not self.minimum_ms <= self.average_ms <= self.maximum_ms:
            raise ValueError("average_ms must lie between minimum_ms and maximum_ms")


class SwitchSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `switch` that all rows share."""

    primitive: Text
    """As a level of that factor; `semaphore` if the publication does not say of which kind."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class SwitchFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Durations of a task switch."""

    rounding_ms: Positive
    """Unit of the last printed digit, ms."""
    rows: Annotated[tuple[SwitchRow, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse an infinite rounding, and two rows for the same way."""
        _require_finite(rounding_ms=self.rounding_ms)
        if len({row.crosses for row in self.rows}) < len(self.rows):
            raise ValueError("two rows are for the same way")


class SwitchPublication(Publication, frozen=True, kw_only=True, tag="switch"):
    """What it takes to wake a task, on the same core and on another."""

    setting: SwitchSetting
    figures: SwitchFigures


# jitter


class Periods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times between neighbouring releases of a periodic task, as printed."""

    moved: bool
    """Whether other tasks moved the task from core to core."""
    average_ms: Positive
    minimum_ms: Positive
    maximum_ms: Positive

    def __post_init__(self) -> None:
        """Refuse an average that is not between the two others."""
        _require_finite(average=self.average_ms, minimum=self.minimum_ms, maximum=self.maximum_ms)
        if not self.minimum_ms <= self.average_ms <= self.maximum_ms:
            raise ValueError("the average is not between minimum and maximum")


class JitterFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the periods of a task came to, and what they should have been."""

    period_ms: Positive
    rounding_ms: Positive
    """Unit of the last printed digit, ms."""
    rows: Annotated[tuple[Periods, ...], Meta(min_length=1)]


class JitterPublication(Publication, frozen=True, kw_only=True, tag="jitter"):
    """How steady a periodic task is."""

    figures: JitterFigures


# lock


class OneWay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a word takes from one core of a processor to another."""

    cpu: Text
    """The processor, and the year in which it came."""
    one_way_ns: Annotated[tuple[Count, ...], Meta(min_length=1)]
    """In ns: one figure, or one for each kind of pair of its cores."""


class LockFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way of a ping-pong between two cores, by processor."""

    rows: Annotated[tuple[OneWay, ...], Meta(min_length=1)]


class LockPublication(Publication, frozen=True, kw_only=True, tag="lock"):
    """How long a word takes from core to core."""

    figures: LockFigures


# message


class MessageFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a publication says that a factor does."""

    factor: Text
    """As in the benchmark `message`."""
    measure: Literal["latency", "throughput"]
    best: tuple[Text, ...]
    """The levels that it names as best; none if it does not."""
    worst: tuple[Text, ...]
    text: Text
    """That as a clause, with a full stop."""


class MessageFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a publication on messages that are in its text, and its findings."""

    relative_error_below: Positive
    """By which fraction its linear model is off, at most."""
    samples: Count
    """For each setting."""
    pilot_samples: Count
    """From which that number was chosen."""
    findings: tuple[MessageFinding, ...]

    def __post_init__(self) -> None:
        """Refuse an infinite error."""
        _require_finite(relative_error_below=self.relative_error_below)


class MessagePublication(Publication, frozen=True, kw_only=True, tag="message"):
    """How long messages take between cores, and how well a line describes that."""

    figures: MessageFigures


# All

_AnyPublication = (
    SpeedupPublication
    | ContentionPublication
    | SwitchPublication
    | JitterPublication
    | LockPublication
    | MessagePublication
)
_Kind = TypeVar("_Kind", bound=Publication)


def published(kind: type[_Kind]) -> tuple[_Kind, ...]:
    """Return the published tables of a kind that the package carries, by file name; `Publication` stands for all."""
    folders = (entry / "published" for entry in files("intercore.benchmarks").iterdir() if entry.is_dir())
    found = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    paths = sorted((entry for entry in found if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(table for path in paths if isinstance(table := load(path), kind))


def load(path: Traversable) -> _AnyPublication:
    """Read one table; IntercoreError names the file and, where there is one, the field that is wrong."""
    try:
        table: _AnyPublication = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _AnyPublication)
    except OSError as error:
        raise IntercoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise IntercoreError(f"{path}: is not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise IntercoreError(f"{path}: is not a published table: {error}") from error
    return table


def _require_finite(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name} must be finite, not {value}")
