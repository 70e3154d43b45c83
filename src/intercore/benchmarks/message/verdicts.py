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

    Said: TypeAlias = tuple[Outcome, str]

_SURE = 3.0
"""Standard errors."""
_RELEVANT = 0.01
_ALIKE = 0.05
"""What the paper calls the variability of its measurements: what differs by less is about the same, or marginal."""
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
    """What a run has to say of a publication."""

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
        """Return what the factors of a claim do here, as a clause; empty if none of them varies."""
        texts = [one.words for one in self.here if one.text == self.text(claim)]
        return "; ".join(texts)

    def text(self, claim: str) -> str:
        """Return the words of a claim."""
        return next(one.text for one in self.table.claims if one.id == claim)


def verdicts(evidence: Evidence) -> list[Verdict]:
    """Return the verdict of a run on each claim, in the order of the publication."""
    outcomes = {claim: judge(evidence) for claim, judge in _JUDGES.items()}
    parts = {claim: evidence.table.held(claim, each, evidence.other_chip) for claim, each in outcomes.items()}
    outcomes["best-overall"] = _overall({claim: one.outcome for claim, one in parts.items()})
    whole = evidence.table.held("best-overall", outcomes["best-overall"], evidence.other_chip)
    return [{**parts, "best-overall": whole}[one.id] for one in evidence.table.claims]


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


def _means(cells: Sequence[Cell], levels: Collection[str]) -> dict[str, float]:
    """Return the geometric mean of each level over the cells that have all of them; empty if there is none."""
    whole = [cell for cell in cells if set(levels) <= set(cell)]
    return {level: geometric_mean(cell[level].us for cell in whole) for level in levels} if whole else {}


# The claims


def _optimisation_latency(evidence: Evidence) -> Said:
    best, worst = ("O3", "Os"), ("O0",)
    cells = evidence.cells("latency", ("opt",))
    quickest, slowest = _both(cells, best), _both(cells, worst)
    if not quickest or not slowest:
        return "cannot tell", "This run does not compare O3 or Os with other levels, O0 among them."
    first = _tally(quickest, lambda cell: _lowest(cell, best))
    last = _tally(slowest, lambda cell: _longest(cell, worst))
    because = f"{first.words(f'O3 or Os is within {percent(_ALIKE)} of the lowest')}; {last.words('O0 is slowest')}"
    return _worst_of([first.outcome, last.outcome]), f"{because}: {evidence.words('optimisation-latency')}."


def _optimisation_rate(evidence: Evidence) -> Said:
    cells = _both(evidence.cells("throughput", ("opt",)), ("Ofast",))
    if not cells:
        return "cannot tell", "This run does not compare Ofast with other levels."
    last = _tally(cells, lambda cell: _longest(cell, ("Ofast",)))
    others = [[each.us for level, each in cell.items() if level != "Ofast"] for cell in cells]
    spread = median(max(times) / min(times) for times in others) - 1
    alike: Outcome = "cannot tell" if len(others[0]) < 2 else "agrees" if spread <= _ALIKE else "contradicts"
    because = f"{last.words('Ofast has the lowest rate')}; the others differ by {percent(spread)} in median"
    return _worst_of([last.outcome, alike]), f"{because}: {evidence.words('optimisation-rate')}."


def _shared_memory(evidence: Evidence) -> Said:
    names = [name for name in ("region", "shared") if evidence.varies(name)]
    d1, d2, d3 = levels = ["/".join([domain] * len(names)) for domain in ("d1", "d2", "d3")]
    times = [_means(evidence.cells(measure, names), levels) for measure in ("latency", "throughput")] if names else []
    known = [one for one in times if one]
    if not known:
        here = evidence.words("shared-memory")
        return "cannot tell", "D1, D2 and D3 are not compared here" + (f". What is: {here}." if here else ".")
    holds = all(one[d2] <= one[d3] <= min(one[d1], (1 + _ALIKE) * one[d2]) for one in known)
    return "agrees" if holds else "contradicts", f"{evidence.words('shared-memory')}."


def _clocks(evidence: Evidence) -> Said:
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
    return outcome, f"{evidence.words('clocks')}."


def _line(evidence: Evidence) -> Said:
    errors = [one.relative_error_max for one in evidence.rows if one.relative_error_max is not None]
    if not errors:
        return "cannot tell", "This run has too few sizes for a line."
    limit = evidence.table.figures.relative_error_below
    off = sum(error >= limit for error in errors)
    because = f"A line is off by up to {percent(max(errors))}; by {percent(limit)} or more in {off} of {len(errors)}"
    return "contradicts" if off else "agrees", f"{because} settings."


_EACH_CACHE = ("on/off", "off/on")


def _caches_latency(evidence: Evidence) -> Said:
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


def _caches_rate_to_faster(evidence: Evidence) -> Said:
    slower = evidence.table.figures.slower_core
    cells = _with_all_caches(evidence, "throughput", lambda to: to != slower)
    if not cells:
        return _no_caches(evidence, "caches-rate-to-faster")
    gain = median(cell["off/off"].us / cell["on/on"].us for cell in cells) - 1
    return (
        "agrees" if abs(gain) <= _ALIKE else "contradicts",
        f"Both caches change the rate by {percent(gain)} in median; up to {percent(_ALIKE)} counts as marginal.",
    )


def _caches_rate_to_slower(evidence: Evidence) -> Said:
    slower = evidence.table.figures.slower_core
    cells = _with_all_caches(evidence, "throughput", lambda to: to == slower)
    if not cells:
        return _no_caches(evidence, "caches-rate-to-slower")
    data = median(cell["off/off"].us / cell["off/on"].us for cell in cells) - 1
    code = median(cell["off/off"].us / cell["on/off"].us for cell in cells) - 1
    holds = data > max(_RELEVANT, code) and abs(code) <= _ALIKE
    because = (
        f"The data cache changes the rate by {percent(data)}, the instruction cache by {percent(code)}, in median."
    )
    return "agrees" if holds else "contradicts", because


def _with_all_caches(evidence: Evidence, measure: Measure, to: Callable[[int], bool] = lambda _: True) -> list[Cell]:
    """Return the cells with both caches on and off; none on another chip, where no core is the slower one."""
    every = {f"{code}/{data}" for code in _ON_OFF for data in _ON_OFF}
    known = evidence.cells(measure, ("icache", "dcache"), to) if not evidence.other_chip else []
    return [cell for cell in known if every <= set(cell)]


def _no_caches(evidence: Evidence, claim: str) -> Said:
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


def _access(_evidence: Evidence) -> Said:
    return "cannot tell", "What a core takes to reach each memory is measured by the benchmark memory, not by this one."


def _power(_evidence: Evidence) -> Said:
    return "cannot tell", "No part of the chip is powered down here, and no power is measured by part."


def _overall(outcomes: Mapping[str, Outcome]) -> Said:
    """Judge the conclusion by the claims that it sums up."""
    parts = {claim: outcomes[claim] for claim in ("optimisation-latency", "clocks", "caches-latency", "shared-memory")}
    words = ", ".join(f"{claim.replace('-', ' ')}: {outcome}" for claim, outcome in parts.items())
    return _worst_of(list(parts.values())), f"By its parts: {words}."


_JUDGES: Mapping[str, Callable[[Evidence], Said]] = {
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
}
"""By the `id` of each claim of seed 003; `best-overall` follows from these."""
