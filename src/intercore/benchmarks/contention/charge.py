"""Charge of a tower, published and measured: seed 001 compares an ESP32 with a Raspberry Pi by it.

It finds the ESP32's number good in relation to its power, and assumes a constant voltage without stating it. So it
compares charge, current times window over towers, and not energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.claims import quotient
from intercore.benchmarks.contention.contest import PINNED
from intercore.benchmarks.energy import analyse
from intercore.statistics.intervals import Interval, scaled
from intercore.view.quantity import significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.benchmarks.contention.contest import Contest
    from intercore.benchmarks.contention.publication import ContentionFigures
    from intercore.energy.pooled import Pooled
    from intercore.record.measurement import Run


class ChargeRow(NamedTuple):
    """What one combination took."""

    names: tuple[str, ...]
    """The competitors at work; none for another machine."""
    label: str
    is_published: bool
    amps: Interval
    volts: float | None
    """None where it is not stated."""
    window_s: float
    towers: float
    """In a window."""
    discs: int
    coulombs: Interval
    """Of a tower."""
    joules: Interval | None
    """Of a tower; None if the voltage is unknown."""
    cores: tuple[int, ...] = ()
    """Those that somebody works on."""

    def of_discs(self, known: Interval, discs: int) -> Interval:
        """Return the time of a tower of that many discs, at the same time per move: 2^discs - 1 moves."""
        return scaled(known, (2**discs - 1) / (2**self.discs - 1))


def published_charges(figures: ContentionFigures) -> Iterator[ChargeRow]:
    """Return the rows of a publication whose currents were read, and the other machines below them."""
    for row in figures.rows:
        if row.current_ma is not None:
            names = tuple(row.by_competitor)
            cores = tuple(sorted({PINNED[name] for name in names}))
            yield _published(figures, names, cores, ", ".join(names), row.current_ma, sum(row.by_competitor.values()))
    for other in figures.references:
        for one in other.currents:
            cores = () if other.core is None else (other.core,)
            yield _published(figures, (), cores, other.label, one.current_ma, other.towers)


def _published(
    figures: ContentionFigures, names: tuple[str, ...], cores: tuple[int, ...], label: str, ma: float, towers: int
) -> ChargeRow:
    amps, window_s = Interval(ma / 1e3), figures.window_ms / 1e3
    each = scaled(amps, window_s / towers)
    return ChargeRow(names, label, True, amps, None, window_s, towers, figures.discs, each, None, cores)


def own_charges(run: Run, contests: Iterable[Contest]) -> Iterator[ChargeRow]:
    """Return the contests whose currents a meter saw, or an estimate knows, and that finished a tower."""
    for contest in contests:
        took, discs = _took(run, contest), discs_of(run, contest)
        if took is None or took.amps is None or discs is None or not contest.total:
            continue
        each = scaled(took.amps, took.seconds / contest.total)
        names = tuple(one.name for one in contest.workers)
        volts = took.watts.value / took.amps.value if took.amps.value else None
        joules = scaled(took.joules, 1 / contest.total)
        window_s = contest.window_us / 1e6
        cores = tuple(sorted({one.core for one in contest.workers if one.core is not None}))
        yield ChargeRow(
            names, contest.label, False, took.amps, volts, window_s, contest.total, discs, each, joules, cores
        )


def above(known: Iterable[ChargeRow], names: tuple[str, ...], more: tuple[str, ...]) -> Interval | None:
    """Return how many times as much current one combination takes as another; None where either is missing."""
    found = {one.names: one.amps for one in known if one.names}
    return quotient(found[more], found[names]) if names in found and more in found else None


def milli(value: float, digits: int = 3) -> str:
    """Write amperes in mA, or coulombs in mA·s. Published currents are known to a digit or two."""
    return significant(1e3 * value, digits)


def _took(run: Run, contest: Contest) -> Pooled | None:
    """Return the energy of a contest's windows: of its label, at its levels of the factors that vary."""
    known = analyse(run)
    for row in () if known is None else known.rows:
        same = all(contest.varied.get(name, level) == level for name, level in row.varied.items())
        if row.benchmark == "contention" and row.took.label == contest.label and same:
            return row.took
    return None


def discs_of(run: Run, contest: Contest) -> int | None:
    """Return the number of discs of a contest's towers; None if the run has several."""
    known = {int(one.factors["discs"]) for one in run.measurements if "discs" in one.factors}
    discs = contest.varied.get("discs")
    return int(discs) if discs is not None else next(iter(known)) if len(known) == 1 else None
