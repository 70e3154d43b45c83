"""Who gets the processor when several tasks and a main loop want it: towers done in a window of time, by competitor.

A count of towers says little by itself. What a competitor did is therefore also told as a part of what its core does
alone: its towers × the time of a tower alone ÷ the length of the window. That is its use of the core where nothing but
turns takes it from there. Where the other core slows it down, as on a chip whose cores share memory, a core that never
rests comes to less than one.

A tower counts if it ends within its window. The one under way at the end is missing, so what a competitor did lies
between its towers and one tower more per window: `of_a_core` and `of_a_core_at_most`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.contention.sentences import sentences
from intercore.benchmarks.grouping import varied_names
from intercore.benchmarks.published import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Level, Measurement, Series

BENCHMARK = "contention"
PRESET = "qiita-table"
PINNED: Mapping[str, int] = {"task0": 0, "task1": 1, "main": 1}
"""The competitors with a core of their own, and that core."""

Does: TypeAlias = Literal["work", "spin", "delay", "block"]
"""Work: tower after tower. Without work: spin never waits, delay sleeps to each next tick, block all the time."""

Count = Annotated[int, Meta(ge=0)]
Part = Annotated[float, Meta(ge=0)]

_QIITA_ROWS: Sequence[Mapping[str, Does]] = (
    {"task0": "work", "task1": "work", "main": "work"},
    {"task0": "work", "main": "work"},
    {"task0": "work", "task1": "work", "main": "spin"},
    {"task1": "work", "main": "work"},
    {"main": "work"},
    {"task0": "work", "main": "spin"},
    {"task1": "work", "main": "spin"},
)
"""What competes in each window of the preset, as in the firmware's bench/contention/contention.c."""

_ROLES = ("preset", *PINNED, "free")
_POOLED = ("seed", "samples", *_ROLES)  # factors that do not tell contests apart by themselves
_TOWERS = re.compile(r"(task0|task1|main|free\d+)\.(\d+)")
_ALONE = re.compile(r"alone\.(\d+)")
_UNSTEADY = 1.1  # median over shortest time of a tower alone from which on it is no measure of a core
_FEW = 10  # towers per window, below which the one under way is more than a tenth
_TURNS = 4  # of the scheduler that a window should hold at least


class Competitor(msgspec.Struct, frozen=True):
    """What one competitor came to."""

    name: str
    """`task0`, `task1`, `main`, or `free0` and so on for tasks without a core of their own."""
    does: Does
    core: int | None
    """The core it is pinned to; null for a task without one."""
    towers: tuple[Count, ...]
    """Towers done in each window, in their order; none for a competitor without work."""
    by_core: tuple[Count, ...]
    """Towers done in all windows together while on core 0, 1, …; none for a competitor without work."""
    share: Part
    """Of all towers of the contest, 0 to 1."""
    of_a_core: Part
    """Part of what a core does alone, counting whole towers."""
    of_a_core_at_most: Part
    """The same with one tower more per window, the one that was under way at its end."""
    longest_wait_us: Part | None
    """Longest time from the end of a tower, or the begin of the window, to the end of the next, in µs; null if there is
    no tower."""

    @property
    def per_window(self) -> float:
        """Mean number of towers in a window."""
        return sum(self.towers) / len(self.towers) if self.towers else 0.0


class CoreUse(msgspec.Struct, frozen=True):
    """What one core was used for."""

    core: Count
    alone_us: Annotated[float, Meta(gt=0)]
    """Median time of a tower in a task that has the core to itself, in µs."""
    alone: Annotated[int, Meta(ge=1)]
    """How many towers that is the median of."""
    towers: Count
    """Towers done on it in all windows together."""
    used: Part
    """Part of the windows for which those towers would keep the core busy if they were done alone."""


class PublishedTowers(msgspec.Struct, frozen=True):
    """What a competitor came to in the published row."""

    name: str
    towers: Count
    of_a_core: Part
    """Over the largest published count on the same core."""


class Contest(msgspec.Struct, frozen=True):
    """What competed, and how it ended."""

    label: str
    """The competitors at work, and in brackets what those without work do: `task1 (main spins)`."""
    row: Annotated[int, Meta(ge=1)] | None
    """Number of the row of the published table; null for a contest of one's own."""
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    windows: Annotated[int, Meta(ge=1)]
    window_us: Annotated[float, Meta(gt=0)]
    """Length of each, in µs."""
    competitors: tuple[Competitor, ...]
    cores: tuple[CoreUse, ...]
    """Those on which somebody worked."""
    total: Part
    """Mean number of towers in a window, of all competitors together."""
    of_a_core: Part
    """All that was done, in parts of what one core does alone."""
    published: tuple[PublishedTowers, ...]
    """What the published row has for each of its competitors at work; none for a contest of one's own."""

    def competitor(self, name: str) -> Competitor | None:
        """Return the competitor of that name, if it took part."""
        return next((one for one in self.competitors if one.name == name), None)

    @property
    def workers(self) -> list[Competitor]:
        """The competitors at work."""
        return [one for one in self.competitors if one.does == "work"]

    @property
    def busy(self) -> list[int | None]:
        """The cores of those who work or spin, one entry each."""
        return [one.core for one in self.competitors if one.does in ("work", "spin")]

    @property
    def does(self) -> dict[str, Does]:
        """What each competitor does, by name."""
        return {one.name: one.does for one in self.competitors}


class ContentionAnalysis(msgspec.Struct, frozen=True):
    """All that a run says about contention."""

    contests: tuple[Contest, ...]
    sentences: tuple[str, ...]
    """What was found and what it means for a design, what matters most first."""


ANALYSIS = ContentionAnalysis
"""What the document's schema has of it."""


def analyse(measurements: Iterable[Measurement]) -> ContentionAnalysis:
    """Analyse the measurements of `contention` among those given; windows of one setting are pooled."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    names = varied_names(ours, _POOLED)
    pools: dict[tuple[int | None, _Roles, tuple[tuple[str, Level], ...]], list[_Windows]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        for row, roles, windows in _rows(one):
            pools[row, roles, varied].append(windows)
    literature = _literature()
    contests = tuple(
        _contest(row, roles, varied, windows, literature.get(_at_work(roles), ()) if row is not None else ())
        for (row, roles, varied), windows in pools.items()
    )
    return ContentionAnalysis(contests, tuple(sentences(contests)))


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the counts doubtful, and the likely cause."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    return [
        *_disturbances(ours),
        *_unsteady(ours),
        *(sentence for one in analyse(ours).contests for sentence in _too_few(one)),
        *_too_few_turns(ours),
    ]


# What was measured

_Roles: TypeAlias = tuple[tuple[str, Does], ...]


class _Windows(NamedTuple):
    """The windows of one contest in one measurement."""

    numbers: range
    """Which ones they are among those of the measurement, where contests take turns; at least one."""
    measurement: Measurement


def _rows(measurement: Measurement) -> Iterator[tuple[int | None, _Roles, _Windows]]:
    """Return the contests that a measurement holds, if it got to them."""
    if int(measurement.factors["window_ms"]) < 1:
        return
    rows: Sequence[tuple[int | None, _Roles]] = (
        [(number, tuple(roles.items())) for number, roles in enumerate(_QIITA_ROWS, 1)]
        if measurement.factors.get("preset") == PRESET
        else [(None, tuple(_own_roles(measurement.factors)))]
    )
    done = min(measurement.checks.get("done", 0), int(measurement.factors["samples"]) * len(rows))
    for index, (number, roles) in enumerate(rows[:done]):
        yield number, roles, _Windows(range(index, done, len(rows)), measurement)


def _own_roles(factors: Mapping[str, Level]) -> Iterator[tuple[str, Does]]:
    for name in PINNED:
        for does in ("work", "spin", "delay", "block"):
            if factors.get(name) == does:
                yield name, does
    for index in range(int(factors.get("free", 0))):
        yield f"free{index}", "work"


def _window_ticks(measurement: Measurement, hz: int) -> int:
    """Return the length of a window: no less than a tick, however coarse the clock."""
    return max(int(measurement.factors["window_ms"]) * hz // 1000, 1)


def _towers(windows: _Windows) -> dict[str, dict[int, list[NDArray[np.int64]]]]:
    """Return when towers ended in each window, in ticks since its begin, by competitor and core."""
    one = windows.measurement
    found: dict[str, dict[int, list[NDArray[np.int64]]]] = defaultdict(dict)
    for series in one.series:
        match = _TOWERS.fullmatch(series.name)
        if match:
            length = _window_ticks(one, series.hz)
            number, since = np.divmod(series.ticks, length)
            found[match[1]][int(match[2])] = [since[number == wanted] for wanted in windows.numbers]
    return found


def _alone(pool: Iterable[Measurement]) -> dict[int, NDArray[np.float64]]:
    """Return the times of towers alone in µs, by core."""
    found: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    for one in pool:
        for series in one.series:
            match = _ALONE.fullmatch(series.name)
            if match and len(series.ticks):
                found[int(match[1])].append(_us(series, series.ticks))
    return {core: np.concatenate(parts) for core, parts in sorted(found.items())}


def _us(series: Series, ticks: NDArray[np.int64]) -> NDArray[np.float64]:
    """No time is shorter than a tick."""
    return np.maximum(ticks, 1) * (1e6 / series.hz)


# Contests


def _contest(
    row: int | None,
    roles: _Roles,
    varied: tuple[tuple[str, Level], ...],
    pool: Sequence[_Windows],
    was: tuple[PublishedTowers, ...],
) -> Contest:
    towers = [_towers(windows) for windows in pool]
    measurements = [windows.measurement for windows in pool]
    alone = _alone(measurements)
    window_us = 1000.0 * int(measurements[0].factors["window_ms"])
    count = sum(len(one.numbers) for one in pool)
    costs = {core: float(np.median(times)) / (count * window_us) for core, times in alone.items()}
    ticks_us = 1e6 / measurements[0].series[0].hz
    total = sum(
        len(ends)
        for by_name in towers
        for name in _at_work(roles)
        for windows in by_name[name].values()
        for ends in windows
    )
    competitors = tuple(
        _competitor(name, does, [one[name] for one in towers], costs, total, ticks_us) for name, does in roles
    )
    cores = tuple(
        CoreUse(core, float(np.median(times)), len(times), done, done * costs[core])
        for core, times in alone.items()
        if (done := sum(one.by_core[core] for one in competitors if core < len(one.by_core)))
    )
    return Contest(
        label=_label(roles),
        row=row,
        varied=dict(varied),
        windows=count,
        window_us=window_us,
        competitors=competitors,
        cores=cores,
        total=total / count,
        of_a_core=sum(one.used for one in cores),
        published=was,
    )


def _competitor(
    name: str,
    does: Does,
    pool: Sequence[Mapping[int, Sequence[NDArray[np.int64]]]],
    costs: Mapping[int, float],
    total: int,
    tick_us: float,
) -> Competitor:
    """Put together what a competitor did; `costs` is the part of all windows that a tower takes alone, by core."""
    core = PINNED.get(name)
    if does != "work":
        return Competitor(name, does, core, (), (), 0.0, 0.0, 0.0, None)
    windows = [
        (np.sort(np.concatenate(ends)) if ends else np.zeros(0, np.int64))
        for by_core in pool
        for ends in zip(*by_core.values(), strict=True)
    ]
    cores = {on: sum(len(ends) for by_core in pool for ends in by_core.get(on, ())) for on in costs}
    done = sum(cores.values())
    of_a_core = sum(towers * costs[on] for on, towers in cores.items())
    own = [costs[on] for on in costs if core in (None, on)]
    waits = [int(np.diff(ends, prepend=0).max()) for ends in windows if len(ends)]
    return Competitor(
        name=name,
        does=does,
        core=core,
        towers=tuple(len(ends) for ends in windows),
        by_core=tuple(cores.get(on, 0) for on in range(max(cores, default=-1) + 1)),
        share=done / total if total else 0.0,
        of_a_core=of_a_core,
        of_a_core_at_most=of_a_core + len(windows) * max(own, default=0.0),
        longest_wait_us=max(waits) * tick_us if waits else None,
    )


def _label(roles: _Roles) -> str:
    free = sum(name not in PINNED for name, _ in roles)
    at_work = [name for name, does in roles if does == "work" and name in PINNED] + [f"{free} free"] * bool(free)
    idle = [f"{name} {does}s" for name, does in roles if does != "work"]
    return ", ".join(at_work) + (f" ({', '.join(idle)})" if idle else "")


def _at_work(roles: _Roles) -> tuple[str, ...]:
    return tuple(name for name, does in roles if does == "work")


def _literature() -> dict[tuple[str, ...], tuple[PublishedTowers, ...]]:
    """Return the published rows by who is at work; the largest count on a core is what that core can do."""
    found = {}
    for table in published(ContentionPublication):
        rows = [row.by_competitor for row in table.figures.rows]
        whole = dict.fromkeys(PINNED.values(), 1)
        for name, count in (item for row in rows for item in row.items()):
            whole[PINNED[name]] = max(whole[PINNED[name]], count)
        for row in rows:
            found[tuple(row)] = tuple(
                PublishedTowers(name, count, count / whole[PINNED[name]]) for name, count in row.items()
            )
    return found


def _disturbances(measurements: Sequence[Measurement]) -> Iterator[str]:
    counts = {
        name: sum(one.checks.get(name, 0) for one in measurements)
        for name in ("wrong", "migrated", "lost", "preempted")
    }
    if counts["wrong"]:
        yield f"{counts['wrong']} towers had a wrong checksum: the target computes wrongly or its stacks are too small."
    if counts["migrated"]:
        yield f"{counts['migrated']} towers ended on another core than their task is pinned to: allow the affinity."
    if counts["lost"]:
        yield (
            f"{counts['lost']} towers found no room in the target's memory and are not counted: take more discs or a "
            "shorter window."
        )
    if counts["preempted"]:
        yield (
            f"A tower alone was interrupted, or a competitor began late, {counts['preempted']} times because of other "
            "programs, so parts of a core are wrong: close them and measure again."
        )


def _unsteady(measurements: Sequence[Measurement]) -> Iterator[str]:
    times = [(core, *np.percentile(each, (0, 50))) for one in measurements for core, each in _alone([one]).items()]
    if not times:
        return
    core, shortest, median = max(times, key=lambda found: found[2] / found[1])
    if median > _UNSTEADY * shortest:
        yield (
            f"On core {core} a tower alone took from {shortest:.4g} µs to {median:.4g} µs in the median: parts of this "
            "core are no more exact than that. Frequency scaling and other programs are likely causes."
        )


def _too_few(contest: Contest) -> Iterator[str]:
    few = [one for one in contest.workers if one.per_window < _FEW]
    if few:
        least = min(few, key=lambda one: one.per_window)
        yield (
            f"{contest.label}: {least.name} did {least.per_window:.3g} towers in a window, so the one under way at its "
            "end weighs much: take fewer discs or a longer window."
        )


def _too_few_turns(measurements: Sequence[Measurement]) -> Iterator[str]:
    for one in measurements:
        turn = one.conditions.get("scheduler.rr_timeslice_ms", "")
        window = int(one.factors.get("window_ms", 0))
        if one.conditions.get("scheduler.policy") == "SCHED_FIFO" and turn.isdecimal() and window < _TURNS * int(turn):
            yield (
                f"A window of {window} ms holds less than {_TURNS} of the {turn} ms that this system lets a real-time "
                "task run before it is another one's turn: shares are too coarse. Take a longer window."
            )
            return
