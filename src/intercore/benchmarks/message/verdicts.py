"""The verdicts of a run on the findings of publications on messages.

Medians are compared with all other factors equal. One is called shorter only beyond three standard errors and one per
cent, so that of many comparisons hardly any is so by chance.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from intercore.view.quantity import percent, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.benchmarks.message.literature import MessageFindingHere
    from intercore.benchmarks.message.publication import MessagePublication
    from intercore.benchmarks.message.rows import Model
    from intercore.view.exhibit import Outcome, Verdict

    ClaimResult: TypeAlias = tuple[Outcome, str]

_SURE = 3.0
"""Standard errors."""
_RELEVANT = 0.01
_ALIKE = 0.05
"""The paper's variability of its measurements: smaller differences count as about the same, or marginal."""
_MUCH = 0.2
"""From which on a difference is neither. The paper gives no bound; between the two it cannot be told."""
_ABOVE_ALL = 2.0
"""Times as much variation as the other clock explains: what determines a time above all."""
_ON_OFF = ("on", "off")


class _Median(NamedTuple):
    """Time per message of one setting and size."""

    us: float
    error: float
    """Relative standard error."""


Cell: TypeAlias = "dict[str, _Median]"
"""By the level of one factor, with other factors equal."""


@dataclass(frozen=True)
class Evidence:
    """The data of a run for the claims of a publication."""

    table: MessagePublication
    curves: Sequence[Curve]
    """Of messages from one core to the other."""
    here: Sequence[MessageFindingHere]
    rows: Sequence[Model]
    """The models of the same."""
    other_chip: str
    """The chip of the run if it is not the publication's; else empty."""

    def cells(self, measure: Measure, names: Sequence[str], to: Callable[[int], bool] = lambda _: True) -> list[Cell]:
        """Return the medians by the levels of these factors; `to` chooses the receiving cores."""
        found: dict[object, Cell] = defaultdict(dict)
        for curve in self.curves:
            if curve.measure != measure or not to(int(curve.setting["to"])) or not set(names) <= set(curve.setting):
                continue
            level = "/".join(str(curve.setting[name]) for name in names)
            rest = tuple((name, each) for name, each in curve.setting.items() if name not in names)
            points = curve.points
            for size, us, error in zip(points.x, points.y, points.error, strict=True):
                if us > 0:
                    found[rest, int(size)][level] = _Median(float(us), float(error / us))
        return list(found.values())

    def varies(self, name: str) -> bool:
        """Whether a factor has several levels in the run."""
        return len({curve.setting.get(name) for curve in self.curves}) > 1

    def words(self, claim: str) -> str:
        """Return the effects of a claim's factors in this run, as a clause; empty if none of them varies."""
        texts = [one.words for one in self.here if one.text == self.text(claim)]
        return "; ".join(texts)

    def text(self, claim: str) -> str:
        """Return the words of a claim."""
        return next(one.text for one in self.table.claims if one.id == claim)


def verdicts(evidence: Evidence) -> list[Verdict]:
    """Return the verdict of a run on each claim, in the order of the publication."""
    return [
        evidence.table.held(one.id, _JUDGES[one.id](evidence), evidence.other_chip) for one in evidence.table.claims
    ]


# Comparing


def _shorter(first: _Median, second: _Median) -> bool:
    """Whether one is surely shorter, by enough to matter."""
    behind = math.log(second.us / first.us)
    return behind > max(_RELEVANT, _SURE * math.hypot(first.error, second.error))


class _Tally(NamedTuple):
    """Number of cells in which something holds, does not, or is undecided."""

    holds: int
    fails: int
    unclear: int

    @property
    def outcome(self) -> Outcome:
        """Whether a claim on all cells holds: in most of them, and fails in none."""
        return "contradicts" if self.fails else "agrees" if self.holds > self.unclear else "cannot tell"

    def words(self, what: str) -> str:
        """Return it in words."""
        unclear = f", with {self.unclear} too close to call" if self.unclear else ""
        return f"{what} in {self.holds} of {sum(self)} comparisons{unclear}"


def _tally(cells: Sequence[Cell], test: Callable[[Cell], bool | None]) -> _Tally:
    found = [test(cell) for cell in cells]
    return _Tally(found.count(True), found.count(False), found.count(None))


def _extreme(cell: Cell, chosen: Collection[str], *, longest: bool) -> tuple[_Median, _Median]:
    """Return the extreme one of the chosen levels, and of the others."""
    pick = max if longest else min
    return (
        pick((each for level, each in cell.items() if level in chosen), key=lambda each: each.us),
        pick((each for level, each in cell.items() if level not in chosen), key=lambda each: each.us),
    )


def _lowest(cell: Cell, chosen: Collection[str]) -> bool | None:
    """Whether one of the chosen levels is about as short as the shortest of all; None if unknown."""
    shortest = min(cell.values(), key=lambda each: each.us)
    ours = min((cell[level] for level in chosen if level in cell), key=lambda each: each.us)
    behind, unsure = math.log(ours.us / shortest.us), _SURE * math.hypot(ours.error, shortest.error)
    return False if behind - unsure > _ALIKE else True if behind + unsure <= _ALIKE else None


def _shortest(cell: Cell, chosen: Collection[str]) -> bool | None:
    """Whether one of the chosen levels is shorter than all others; None if unknown."""
    ours, others = _extreme(cell, chosen, longest=False)
    return True if _shorter(ours, others) else False if _shorter(others, ours) else None


def _longest(cell: Cell, chosen: Collection[str]) -> bool | None:
    """Whether one of the chosen levels is longer than all others; None if unknown."""
    ours, others = _extreme(cell, chosen, longest=True)
    return True if _shorter(others, ours) else False if _shorter(ours, others) else None


def _both(cells: Sequence[Cell], chosen: Collection[str]) -> list[Cell]:
    """Return the cells that have chosen levels and others."""
    return [cell for cell in cells if set(chosen) & set(cell) and set(cell) - set(chosen)]


def _worst_of(outcomes: Collection[Outcome]) -> Outcome:
    return next((one for one in ("contradicts", "cannot tell") if one in outcomes), "agrees")


class _Behind(NamedTuple):
    """By which logarithm of a ratio one level is behind another one, over all cells that have both."""

    log: float
    error: float
    """Standard error."""

    @property
    def surely(self) -> bool:
        """Whether it is behind, by however little."""
        return self.log > _SURE * self.error

    def surely_more_than(self, part: float) -> bool:
        """Whether it is behind by more than a part."""
        return self.log - _SURE * self.error > math.log1p(part)


def _behind(cells: Sequence[Cell], first: str, second: str) -> _Behind:
    both = [(cell[first], cell[second]) for cell in cells if first in cell and second in cell]
    logs = [math.log(one.us / other.us) for one, other in both]
    errors = [math.hypot(one.error, other.error) for one, other in both]
    return _Behind(sum(logs) / len(logs), math.hypot(*errors) / len(errors))


def _means(cells: Sequence[Cell], levels: Collection[str]) -> dict[str, float]:
    """Return the geometric mean of each level over the cells that have all of them; empty if there is none."""
    whole = [cell for cell in cells if set(levels) <= set(cell)]
    return {level: geometric_mean(cell[level].us for cell in whole) for level in levels} if whole else {}


# The claims


def _optimisation_latency(evidence: Evidence) -> ClaimResult:
    best, worst = ("O3", "Os"), ("O0",)
    cells = evidence.cells("latency", ("opt",))
    quickest, slowest = _both(cells, best), _both(cells, worst)
    if not quickest or not slowest:
        return "cannot tell", "This run does not compare O3 or Os with other levels, O0 among them."
    first = _tally(quickest, lambda cell: _lowest(cell, best))
    last = _tally(slowest, lambda cell: _longest(cell, worst))
    because = f"{first.words(f'O3 or Os is within {percent(_ALIKE)} of the lowest')}; {last.words('O0 is slowest')}"
    return _worst_of([first.outcome, last.outcome]), f"{because}: {evidence.words('optimisation-latency')}."


def _optimisation_rate(evidence: Evidence) -> ClaimResult:
    cells = _both(evidence.cells("throughput", ("opt",)), ("Ofast",))
    if not cells:
        return "cannot tell", "This run does not compare Ofast with other levels."
    last = _tally(cells, lambda cell: _longest(cell, ("Ofast",)))
    others = [[each.us for level, each in cell.items() if level != "Ofast"] for cell in cells]
    spread = median(max(times) / min(times) for times in others) - 1
    alike: Outcome = "cannot tell" if len(others[0]) < 2 else _little(spread)
    because = (
        f"{last.words('Ofast has the lowest rate')}; the others differ by {percent(spread)} in median, where up to "
        f"{percent(_ALIKE)} counts as about the same, and {percent(_MUCH)} or more does not"
    )
    return _worst_of([last.outcome, alike]), f"{because}: {evidence.words('optimisation-rate')}."


def _shared_memory(evidence: Evidence) -> ClaimResult:
    names, (d1, d2, d3) = _places(evidence)
    known = [cells for measure in _MEASURES if (cells := _with_all(evidence.cells(measure, names), (d1, d2, d3)))]
    if not names or not known:
        here = evidence.words("shared-memory")
        return "cannot tell", "D1, D2 and D3 are not compared here" + (f". What is: {here}." if here else ".")
    outcomes = [_place(cells, d1, d2, d3) for cells in known]
    return _worst_of(outcomes), (
        f"{evidence.words('shared-memory')}. Up to {percent(_ALIKE)} counts as marginal; that D2 is ahead by more does "
        "not contradict."
    )


_MEASURES: tuple[Measure, ...] = ("latency", "throughput")


def _places(evidence: Evidence) -> tuple[list[str], list[str]]:
    """Return the factors that say which memory is shared, and their levels for D1, D2 and D3."""
    names = [name for name in ("region", "shared") if evidence.varies(name)]
    return names, ["/".join([domain] * len(names)) for domain in ("d1", "d2", "d3")]


def _with_all(cells: Sequence[Cell], levels: Collection[str]) -> list[Cell]:
    return [cell for cell in cells if set(levels) <= set(cell)]


def _place(cells: Sequence[Cell], d1: str, d2: str, d3: str) -> Outcome:
    """Say whether D2 is marginally ahead of D3, and both of D1."""
    of_d1 = [(_behind(cells, d1, each), _behind(cells, each, d1)) for each in (d2, d3)]
    ahead = _behind(cells, d3, d2)
    if _behind(cells, d2, d3).surely_more_than(_RELEVANT) or any(less.surely_more_than(_RELEVANT) for _, less in of_d1):
        return "contradicts"
    marginal = ahead.surely and not ahead.surely_more_than(_ALIKE)
    return "agrees" if marginal and all(more.surely_more_than(_RELEVANT) for more, _ in of_d1) else "cannot tell"


def _clocks(evidence: Evidence) -> ClaimResult:
    here = [one for one in evidence.here if one.text == evidence.text("clocks")]
    shares = {name: [one.explains for one in here if one.factor == name] for name in ("m4_mhz", "m7_mhz")}
    if not all(shares.values()):
        one_clock = any(one.factor == "clock_mhz" for one in here)
        why = "Both cores have one clock here" if one_clock else "This run does not vary the clocks of both cores"
        return "cannot tell", f"{why}."
    pairs = list(zip(shares["m4_mhz"], shares["m7_mhz"], strict=True))
    outcome: Outcome = (
        "agrees"
        if all(slower > _ABOVE_ALL * faster for slower, faster in pairs)
        else "contradicts"
        if any(faster >= slower for slower, faster in pairs)
        else "cannot tell"
    )
    return outcome, f"{evidence.words('clocks')}. More than {_ABOVE_ALL:g} times the share counts as above all."


def _line(evidence: Evidence) -> ClaimResult:
    errors = [one.relative_error_max for one in evidence.rows if one.relative_error_max is not None]
    if not errors:
        return "cannot tell", "This run has too few sizes for a line."
    limit = evidence.table.figures.relative_error_below
    off = sum(error >= limit for error in errors)
    because = f"A line is off by up to {percent(max(errors))}; by {percent(limit)} or more in {off} of {len(errors)}"
    return "contradicts" if off else "agrees", f"{because} settings."


_EACH_CACHE = ("on/off", "off/on")


def _caches_latency(evidence: Evidence) -> ClaimResult:
    cells = _with_all_caches(evidence, "latency")
    if not cells:
        return _no_caches(evidence, "caches-latency")
    one = _tally(
        [{"off/off": cell["off/off"], name: cell[name]} for cell in cells for name in _EACH_CACHE],
        lambda cell: _shortest(cell, _EACH_CACHE),
    )
    both = _tally(cells, lambda cell: _shortest(cell, ("on/on",)))
    because = f"{one.words('One cache is better than none')}; {both.words('both are best')}"
    return _worst_of([one.outcome, both.outcome]), f"{because}: {evidence.words('caches-latency')}."


def _caches_rate_to_faster(evidence: Evidence) -> ClaimResult:
    slower = evidence.table.figures.slower_core
    cells = _with_all_caches(evidence, "throughput", lambda to: to != slower)
    if not cells:
        return _no_caches(evidence, "caches-rate-to-faster")
    gain = median(cell["off/off"].us / cell["on/on"].us for cell in cells) - 1
    return _little(gain), (
        f"Both caches change the rate by {percent(gain)} in median; up to {percent(_ALIKE)} counts as marginal, and "
        f"{percent(_MUCH)} or more does not."
    )


def _little(change: float) -> Outcome:
    """Say whether a change is little: what the paper calls similar, or marginal."""
    return "agrees" if abs(change) <= _ALIKE else "contradicts" if abs(change) >= _MUCH else "cannot tell"


def _caches_rate_to_slower(evidence: Evidence) -> ClaimResult:
    slower = evidence.table.figures.slower_core
    cells = _with_all_caches(evidence, "throughput", lambda to: to == slower)
    if not cells:
        return _no_caches(evidence, "caches-rate-to-slower")
    data = median(cell["off/off"].us / cell["off/on"].us for cell in cells) - 1
    code = median(cell["off/off"].us / cell["on/off"].us for cell in cells) - 1
    because = (
        f"The data cache changes the rate by {percent(data)}, the instruction cache by {percent(code)}, in median; up "
        f"to {percent(_ALIKE)} counts as very little, and {percent(_MUCH)} or more does not."
    )
    if code > data + _RELEVANT or data < -_RELEVANT or _little(code) == "contradicts":
        return "contradicts", because
    return "agrees" if data > max(_RELEVANT, code) and _little(code) == "agrees" else "cannot tell", because


def _with_all_caches(evidence: Evidence, measure: Measure, to: Callable[[int], bool] = lambda _: True) -> list[Cell]:
    """Return the cells with both caches on and off; none on another chip, where no core is the slower one."""
    every = {f"{code}/{data}" for code in _ON_OFF for data in _ON_OFF}
    known = evidence.cells(measure, ("icache", "dcache"), to) if not evidence.other_chip else []
    return [cell for cell in known if every <= set(cell)]


def _no_caches(evidence: Evidence, claim: str) -> ClaimResult:
    outcomes = ["The caches of one core are not compared here"]
    if here := evidence.words(claim):
        outcomes.append(f"What is: {here}")
    measure: Measure = "latency" if claim == "caches-latency" else "throughput"
    shared = _means(evidence.cells(measure, ("xip_cache",)), _ON_OFF)
    if shared:
        times = significant(shared["off"] / shared["on"])
        what = "the latency is" if measure == "latency" else "a message of a stream takes"
        outcomes.append(
            f"Without the cache of flash, which both cores share, {what} {times} times as long, as the geometric mean "
            "over sizes and directions"
        )
    return "cannot tell", ". ".join([*outcomes, ""]).rstrip()


def _access(_evidence: Evidence) -> ClaimResult:
    return "cannot tell", "What a core takes to reach each memory is measured by the benchmark memory, not by this one."


def _power(_evidence: Evidence) -> ClaimResult:
    return "cannot tell", "No part of the chip is powered down here, and no power is measured by part."


def _overall(evidence: Evidence) -> ClaimResult:
    """Judge by factor whether the level that the conclusion names is the best one."""
    places, levels = _places(evidence)
    rates = {int(rate) for curve in evidence.curves if (rate := curve.setting.get("m4_mhz")) is not None}
    parts = {
        "O3 or Os": _best(evidence, ["opt"], ("O3", "Os")),
        "the highest clock of the Cortex-M4": _best(evidence, ["m4_mhz"], (str(max(rates, default=0)),)),
        "both caches": _best(evidence, ["icache", "dcache"], ("on/on",)),
        "D2": _best(evidence, places, (levels[1],), levels),
    }
    words = ", ".join(f"{name} {outcome}" for name, outcome in parts.items())
    return _worst_of(list(parts.values())), (
        f"By what it names: {words}. A level within {percent(_RELEVANT)} of the best agrees, and one that is more than "
        f"{percent(_ALIKE)} behind contradicts."
    )


def _best(evidence: Evidence, names: Sequence[str], chosen: Collection[str], needed: Collection[str] = ()) -> Outcome:
    """Say whether one of the chosen levels is the best one on average, of latency and of rate as far as measured."""
    outcomes: list[Outcome] = []
    for measure in _MEASURES if names else ():
        cells = evidence.cells(measure, names)
        levels = {level for cell in cells for level in cell}
        times = _means(cells, levels)
        ours, others = (
            [us for level, us in times.items() if (level in chosen) == is_ours] for is_ours in (True, False)
        )
        if ours and others and set(needed) <= levels:
            behind = min(ours) / min(others) - 1
            outcomes.append("agrees" if behind <= _RELEVANT else "contradicts" if behind > _ALIKE else "cannot tell")
    return _worst_of(outcomes) if outcomes else "cannot tell"


_JUDGES: Mapping[str, Callable[[Evidence], ClaimResult]] = {
    "optimisation-latency": _optimisation_latency,
    "optimisation-rate": _optimisation_rate,
    "shared-memory": _shared_memory,
    "clocks": _clocks,
    "line": _line,
    "caches-latency": _caches_latency,
    "caches-rate-to-faster": _caches_rate_to_faster,
    "caches-rate-to-slower": _caches_rate_to_slower,
    "access": _access,
    "power": _power,
    "best-overall": _overall,
}
"""By the `id` of each claim of seed 003."""
