"""How several tasks and a main loop share the cores: towers done in a window, by competitor.

A count of towers is not comparable alone. So each competitor also has a part of a core: its towers × the time of a
tower of a task alone ÷ the length of the window. If competitors sleep to the next tick after each tower, so does that
task: both include the cost of the tick, as in a publication that counts the towers of one task and of several. Then two
tasks on one core reach more than one core in total, because each works while the other sleeps. How busy a core was goes
by the time of a tower without the sleep. Where the other core slows it down, as on a chip whose cores share memory, a
core that never rests is less than one.

A tower counts if it ends within its window. The one under way at the end is missing, so what a competitor did lies
between its towers and one tower more per window: `of_a_core` and `of_a_core_at_most`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.contention.caveats import contest_caveats, faster, too_few_turns, unsteady
from intercore.benchmarks.contention.contest import PINNED, Competitor, Contest, CoreUse, Does, PublishedTowers
from intercore.benchmarks.contention.findings import ContentionFailedCheck
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.grouping import varied_names
from intercore.benchmarks.own_work import without_own_wrong
from intercore.benchmarks.published import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement, Series

BENCHMARK = "contention"
PRESET = "qiita-table"

_QIITA_ROWS: Sequence[Mapping[str, Does]] = (
    {"task0": "work", "task1": "work", "main": "work"},
    {"task0": "work", "main": "work"},
    {"task0": "work", "task1": "work", "main": "spin"},
    {"task1": "work", "main": "work"},
    {"main": "work"},
    {"task0": "work", "main": "spin"},
    {"task1": "work", "main": "spin"},
)
"""The competitors in each window of the preset, as in the firmware's bench/contention/contention.c."""

_DIFFERS = 0.005
"""Of the time on the first core: what another one's differs by, from which on it does not read as the same."""

_ROLES = ("preset", *PINNED, "free")
_POOLED = ("seed", "samples", *_ROLES)  # factors that do not distinguish contests by themselves
_LATEST = np.iinfo(np.int64).max
_TOWERS = re.compile(r"(task0|task1|main|free\d+)\.(\d+)")
_RAN = re.compile(r"ran(\d+)\.(\d+)")


class CoreAlone(msgspec.Struct, frozen=True):
    """The time of the same work alone on one core."""

    core: Annotated[int, Meta(ge=0)]
    tower_us: Annotated[float, Meta(gt=0)]
    """Median over the contests, in µs."""
    times_first: Annotated[float, Meta(gt=0)]
    """That over what the core of the lowest number takes: above 1 for a slower core."""
    varied: Annotated[float, Meta(ge=1)]
    """The longest of the contests' times over the shortest."""

    def explains(self, first: CoreAlone) -> float:
        """Return by which part either core's own time varied, if it did so by no less than the two differ; else 0."""
        part = max(self.varied, first.varied) - 1
        differ = max(self.times_first, 1 / self.times_first) - 1
        return part if _DIFFERS <= differ <= part else 0.0


class ContentionAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about contention."""

    contests: tuple[Contest, ...]
    alone: tuple[CoreAlone, ...]
    """Each core that some contest used."""


def analyse(measurements: Iterable[Measurement]) -> ContentionAnalysis:
    """Analyse the measurements of `contention` among those given; windows of one setting are pooled."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    names = varied_names(ours, _POOLED)
    pools: dict[tuple[int | None, _Roles, tuple[tuple[str, Level], ...]], list[_Windows]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        for row, roles, windows in contests_of(one):
            pools[row, roles, varied].append(windows)
    literature = _literature()
    contests = tuple(
        _contest(row, roles, varied, windows, literature.get(_at_work(roles), ()) if row is not None else ())
        for (row, roles, varied), windows in pools.items()
    )
    return ContentionAnalysis(contests, tuple(_cores_alone(contests)))


def _cores_alone(contests: Sequence[Contest]) -> Iterator[CoreAlone]:
    taken: dict[int, list[float]] = {}
    for contest in contests:
        for use in contest.cores:
            taken.setdefault(use.core, []).append(use.tower_us)
    times = {core: float(np.median(each)) for core, each in sorted(taken.items())}
    for core, time in times.items():
        yield CoreAlone(core, time, time / next(iter(times.values())), max(taken[core]) / min(taken[core]))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats on the counts."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    contests = analyse(ours).contests
    yield from failed_checks(without_own_wrong(ours), BENCHMARK, "preset", ContentionFailedCheck)
    uneven = list(unsteady(core_times for one in ours for core_times in _alone([one], "tower").items()))
    yield from uneven or faster(contests)
    yield from contest_caveats(contests)
    yield from too_few_turns(ours)


# What was measured

_Roles: TypeAlias = tuple[tuple[str, Does], ...]


class _Windows(NamedTuple):
    """The windows of one contest in one measurement."""

    numbers: range
    """Which ones they are among those of the measurement, where contests take turns; at least one."""
    measurement: Measurement


def contests_of(measurement: Measurement) -> Iterator[tuple[int | None, _Roles, _Windows]]:
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


def window_ticks(measurement: Measurement, hz: int) -> int:
    """Return the length of a window: no less than a tick, however coarse the clock."""
    return max(int(measurement.factors["window_ms"]) * hz // 1000, 1)


def tower_series(one: Measurement) -> Iterator[Series]:
    """Return the series that say when towers ended."""
    return (series for series in one.series if _TOWERS.fullmatch(series.name))


def _towers(windows: _Windows) -> dict[str, dict[int, list[NDArray[np.int64]]]]:
    """Return when towers ended in each window, in ticks since its begin, by competitor and core."""
    one = windows.measurement
    found: dict[str, dict[int, list[NDArray[np.int64]]]] = defaultdict(dict)
    for series in one.series:
        match = _TOWERS.fullmatch(series.name)
        if match:
            length = window_ticks(one, series.hz)
            found[match[1]][int(match[2])] = list(_by_window(series.ticks, length, windows.numbers))
    return found


def _by_window(ticks: NDArray[np.int64], length: int, numbers: range) -> Iterator[NDArray[np.int64]]:
    """Give the ticks in each of some windows, since its begin; all are that long, and window 0 begins at 0."""
    if np.any(ticks[1:] < ticks[:-1]):  # the towers of a core end one after another, but a target may say anything
        ticks = ticks[np.argsort(ticks // length, kind="stable")]
    for number in numbers:
        begin, end = (min(edge * length, _LATEST) for edge in (number, number + 1))
        first, last = np.searchsorted(ticks, (begin, end))
        yield ticks[first:last] - begin


def _ran(windows: _Windows) -> dict[str, tuple[dict[int, int], int]]:
    """Return how many parts of towers each free task did on each core, and how many while it changed cores."""
    on: dict[str, dict[int, int]] = defaultdict(dict)
    moved: dict[str, int] = defaultdict(int)
    for series in windows.measurement.series:
        taken = series.ticks[[number for number in windows.numbers if number < len(series.ticks)]]
        if match := _RAN.fullmatch(series.name):
            on[f"free{match[1]}"][int(match[2])] = max(int(taken.sum()), 0)
        elif series.name.startswith("moved"):
            moved[f"free{series.name.removeprefix('moved')}"] = max(int(taken.sum()), 0)
    return {name: (cores, moved[name]) for name, cores in on.items()}


def _alone(pool: Iterable[Measurement], name: str = "alone") -> dict[int, NDArray[np.float64]]:
    """Return the times of towers alone in µs, by core; `tower`: without the sleep behind them, if there is one."""
    found: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    for one in pool:
        known = {series.name: series for series in one.series if len(series.ticks)}
        for series in known.values():
            kind, _, core = series.name.partition(".")
            if kind == "alone" and core.isdecimal():
                wanted = known.get(f"{name}.{core}", series)
                found[int(core)].append(_us(wanted, wanted.ticks))
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
    measurements = [windows.measurement for windows in pool]
    alone = {core: float(np.median(times)) for core, times in _alone(measurements).items()}
    window_us = 1000.0 * int(measurements[0].factors["window_ms"])
    count = sum(len(one.numbers) for one in pool)
    costs = {core: time / (count * window_us) for core, time in alone.items()}
    towers = [_towers(windows) for windows in pool]
    total = sum(
        len(ends)
        for by_name in towers
        for name in _at_work(roles)
        for windows in by_name[name].values()
        for ends in windows
    )
    done = [_Done(by_name, _ran(windows)) for by_name, windows in zip(towers, pool, strict=True)]
    ticks_us = 1e6 / measurements[0].series[0].hz
    competitors = tuple(_competitor(name, does, done, costs, total, ticks_us) for name, does in roles)
    sleeps = measurements[0].factors.get("yield") == "tick"
    return Contest(
        label=label_of(roles),
        row=row,
        varied=dict(varied),
        sleeps=sleeps,
        alone_sleeps=sleeps and all(_knows_towers(one) for one in measurements),
        windows=count,
        window_us=window_us,
        competitors=competitors,
        cores=tuple(_cores(measurements, competitors, count * window_us)),
        total=total / count,
        of_a_core=sum(one.of_a_core for one in competitors),
        published=was,
    )


def _knows_towers(one: Measurement) -> bool:
    """Whether towers alone were timed with the sleep behind them and without it."""
    return any(series.name.startswith("tower.") for series in one.series)


class _Done(NamedTuple):
    """The work of competitors in the windows of one measurement."""

    towers: Mapping[str, Mapping[int, Sequence[NDArray[np.int64]]]]
    """When towers ended in each window, by competitor and core."""
    ran: Mapping[str, tuple[Mapping[int, int], int]]
    """Parts of them by core, and those during which the core changed, by free task."""

    def placed(self, name: str) -> dict[int, float]:
        """Return the cores of a competitor's work, if known: towers by core."""
        ended = {core: sum(map(len, ends)) for core, ends in self.towers.get(name, {}).items()}
        if name in PINNED:
            return {core: float(count) for core, count in ended.items()}
        by_core, moved = self.ran.get(name, ({}, 0))
        parts = sum(by_core.values()) + moved
        return {core: sum(ended.values()) * count / parts for core, count in by_core.items()} if parts else {}


def _competitor(
    name: str, does: Does, pool: Sequence[_Done], costs: Mapping[int, float], total: int, tick_us: float
) -> Competitor:
    """Put together what a competitor did; `costs` is the part of all windows that a tower takes alone, by core."""
    core = PINNED.get(name)
    if does != "work":
        return Competitor(name, does, core, (), (), 0.0, 0.0, 0.0, 0.0, None)
    windows = [
        (np.sort(np.concatenate(ends)) if ends else np.zeros(0, np.int64))
        for one in pool
        for ends in zip(*one.towers[name].values(), strict=True)
    ]
    placed = [one.placed(name) for one in pool]
    cores = {on: sum(known.get(on, 0.0) for known in placed) for on in costs}
    done = sum(map(len, windows))
    unplaced = max(done - sum(cores.values()), 0.0)
    own = [costs[on] for on in costs if core in (None, on)]
    of_a_core = sum(towers * costs[on] for on, towers in cores.items()) + unplaced * (sum(own) / len(own) if own else 0)
    waits = [int(np.diff(ends, prepend=0).max()) for ends in windows if len(ends)]
    return Competitor(
        name=name,
        does=does,
        core=core,
        towers=tuple(len(ends) for ends in windows),
        by_core=tuple(cores.get(on, 0.0) for on in range(max(cores, default=-1) + 1)),
        unplaced=unplaced,
        share=done / total if total else 0.0,
        of_a_core=of_a_core,
        of_a_core_at_most=of_a_core + len(windows) * max(own, default=0.0),
        longest_wait_us=max(waits) * tick_us if waits else None,
    )


def _cores(
    measurements: Sequence[Measurement], competitors: Sequence[Competitor], windows_us: float
) -> Iterator[CoreUse]:
    """Return how busy each core was on which somebody worked, or may have."""
    towers = _alone(measurements, "tower")
    for core, times in _alone(measurements).items():
        done = sum(one.by_core[core] for one in competitors if core < len(one.by_core))
        free = sum(one.unplaced for one in competitors if one.core is None)
        tower_us = float(np.median(towers[core]))
        if done or free:
            yield CoreUse(
                core=core,
                alone_us=float(np.median(times)),
                tower_us=tower_us,
                alone=len(times),
                towers=done,
                used=min(done * tower_us / windows_us, 1.0),
                used_at_most=min((done + free) * tower_us / windows_us, 1.0),
            )


def label_of(roles: _Roles) -> str:
    """Name a contest by its active tasks, with the activity of those without work in parentheses."""
    free = sum(name not in PINNED for name, _ in roles)
    at_work = [name for name, does in roles if does == "work" and name in PINNED] + [f"{free} free"] * bool(free)
    idle = [f"{name} {does}s" for name, does in roles if does != "work"]
    return ", ".join(at_work) + (f" ({', '.join(idle)})" if idle else "")


def _at_work(roles: _Roles) -> tuple[str, ...]:
    return tuple(name for name, does in roles if does == "work")


def _literature() -> dict[tuple[str, ...], tuple[PublishedTowers, ...]]:
    """Return the published rows by their active tasks; the largest count on a core is its capacity."""
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
