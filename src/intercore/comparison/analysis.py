"""The same settings on two sides: medians, their ratio, which is the faster one, and by what else the two differ.

A side is a target, or a run where both are of one: before and after a change. A ratio is the second side's over the
first's, of times in µs or of bytes per second. Intervals are made of what differs between repetitions
(`intercore.statistics.repetitions`), and before and after a change on a simulated chip of what differs between its
phases (`intercore.statistics.phases`). Elsewhere medians of samples that are all equal are exact, and so is
their ratio.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.failed import analysable
from intercore.benchmarks.series import Unit, called, incomparable
from intercore.comparison.baseline import Baseline
from intercore.comparison.by_turns import are_by_turns
from intercore.comparison.causes import causes, trace_command, unknown_phases
from intercore.comparison.change import Change
from intercore.comparison.machine import MachineState, machine_state
from intercore.comparison.pairs import Compared, Key, Levels, Pair, levels_of, matched_by, pairs_of, pools_of
from intercore.comparison.quantities import quantities
from intercore.comparison.verdicts import WITHIN, summary
from intercore.errors import UsageError
from intercore.record import identity
from intercore.record.conditions import differing_between
from intercore.record.factors import TARGET_FACTORS
from intercore.record.findings import KernelsOfOne, OtherKernel, in_a_row
from intercore.record.measurement import Level
from intercore.record.origin import CAUTION
from intercore.record.plan import ENOUGH_RUNS
from intercore.view.quantity import multiple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.comparison.quantities import Quantities
    from intercore.finding import Caveat
    from intercore.record.measurement import Measurement, Run
    from intercore.record.origin import Origin

Measured: TypeAlias = "Sequence[Sequence[Measurement]]"
"""The measurements of both sides."""
UsualBuilds: TypeAlias = "Mapping[str, Mapping[str, Level]]"
"""The default levels of each target's own factors, by its name."""
_WORDS: Mapping[Unit, tuple[str, str]] = {
    "us": ("takes", "as long as"),
    "bytes_per_s": ("moves", "as much as"),
    "count": ("counts", "as many as"),
    "factor": ("reaches", "that of"),
}
_BESIDE = frozenset(
    {
        *("chip", "chip.revision", "clock_hz", "clock.sys_hz", "tick_hz", "compiler", "compiler.flags"),
        *("compiler.library", "memory.code", "memory.data", "flash.xip_cache", "firmware"),
        *("freertos.tick_hz", "host.faults"),
    }
)
"""Conditions that are none of what two ways to use a chip differ in by themselves: differing, they spoil a ratio."""


class Side(msgspec.Struct, frozen=True):
    """One of the two."""

    name: str
    """Its name: the target, or `run 3 of host` where both sides are of one."""
    target: str
    simulated: bool
    runs: tuple[int, ...]
    emulated: bool = False
    """Whether it is an emulated chip: then its times, and all ratios with them, mean nothing."""
    baseline: str | None = None
    """The file, where it is a baseline; it then has no runs."""

    @property
    def title(self) -> str:
        """The head of its column: `host`, or `run 3` where both sides are of one target."""
        return self.name.removesuffix(f" of {self.target}")

    @property
    def origin(self) -> Origin:
        """Where its numbers come from."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


class Overall(msgspec.Struct, frozen=True):
    """The ratios of one quantity over all its settings."""

    benchmark: str
    series: str
    settings: Annotated[int, Meta(ge=1)]
    typical: float
    """Their median."""
    least: float
    largest: float


class Difference(msgspec.Struct, frozen=True):
    """A condition that is not the same on both sides."""

    key: str
    first: tuple[str, ...]
    """Its values there; none if unknown."""
    second: tuple[str, ...]


class Unpaired(msgspec.Struct, frozen=True):
    """A setting that only one of the sides has."""

    target: str
    """The name of the side."""
    benchmark: str
    settings: Annotated[int, Meta(ge=1)]


class Comparison(msgspec.Struct, frozen=True):
    """Two sides, and what they differ in."""

    first: Side
    second: Side
    pairs: tuple[Pair, ...]
    overall: tuple[Overall, ...]
    differences: tuple[Difference, ...]
    """The differing conditions of the two sides, without those of the host."""
    unpaired: tuple[Unpaired, ...]
    answer: tuple[str, ...]
    """What it comes to, in short."""
    sentences: tuple[str, ...]
    identities: tuple[str, ...]
    """Of which kernels and images the targets are: what must be known before any number is read."""
    deciding: tuple[str, ...]
    """Other differences that may affect a ratio, such as the compiler, in the same form."""
    warnings: tuple[str, ...]
    by_turns: bool = False
    """Whether the sides are two runs that were measured by turns: ratios are then those of repetitions that were
    measured next to each other."""
    functions: tuple[str, ...] | None = None
    """Of two runs of one simulated target: the functions that differ between their programs; None if not known."""
    phases: int = 0
    """In how many other phases of one side's program what moved was measured again."""
    schema: int = 3
    """Version of this shape. 1: the first. 2: `functions`, `phases`, and the verdict `phase`."""


def compare(runs: Sequence[Run], usual: UsualBuilds = MappingProxyType({}), *, within: float = WITHIN) -> Comparison:
    """Compare the two targets that the runs are of, in the order in which they first come; see `compare_sides`.

    UsageError if they are not of two.
    """
    targets = list(dict.fromkeys(run.plan.target for run in runs))
    if len(targets) != 2:
        raise UsageError(
            f"only two targets can be compared, but these are runs of {len(targets)}: {', '.join(targets)}. To "
            "compare two runs of the same target, give their numbers: intercore runs"
        )
    first, second = ([run for run in runs if run.plan.target == target] for target in targets)
    return compare_sides(first, second, usual, within=within)


def compare_sides(
    first: Sequence[Run],
    second: Sequence[Run],
    usual: UsualBuilds = MappingProxyType({}),
    *,
    within: float = WITHIN,
) -> Comparison:
    """Compare two sides, each a baseline or runs of a target: two targets, or one before and after a change.

    A target that is built as usual is compared with one that has no such factor. `within` is the share up to which a
    difference does not matter. UsageError if both are the same runs, if the runs of one are of several kernels, or if
    no setting was measured on both.
    """
    return Sides(first, second, usual).compare(within=within)


class Sides:
    """Two sides that can be compared, matched by their settings."""

    def __init__(self, first: Sequence[Run], second: Sequence[Run], usual: UsualBuilds = MappingProxyType({})) -> None:
        """See `compare_sides`."""
        whole = (first, second)
        mine, theirs = (_side(runs, alone=first[0].plan.target != second[0].plan.target) for runs in whole)
        if mine.name == theirs.name and mine.baseline and theirs.baseline:  # files of one name, in two folders
            mine, theirs = (msgspec.structs.replace(one, name=str(one.baseline)) for one in (mine, theirs))
        if mine.target == theirs.target and set(mine.runs) & set(theirs.runs):
            raise UsageError(
                f"both sides are {mine.name}: name another run to compare with (intercore runs lists them)"
            )
        self.first, self.second = mine, theirs
        self._whole = whole
        self._names = [mine.name, theirs.name]
        self._sides = [[analysable(run) for run in runs] for runs in whole]
        for name, side in zip(self._names, self._sides, strict=True):
            _refuse_several_kernels(name, side)
        self._levels = [levels_of(side) for side in self._sides]
        self._matched = [matched_by(*known) for known in (self._levels, self._levels[::-1])]
        self._usual = [usual.get(of.target, {}) for of in (mine, theirs)]
        self._pools = [self._by_setting(side, place) for place, side in enumerate(self._sides)]
        self._both = [key for key in self._pools[0] if key in self._pools[1]]
        if not self._both:
            raise UsageError(
                f"no setting was measured on both {mine.name} and {theirs.name}: measure the same settings on both"
            )

    def _by_setting(self, runs: Sequence[Run], place: int) -> dict[Key, list[Measurement]]:
        return pools_of(runs, self._matched[place], self._usual[place])

    @property
    def are_before_and_after(self) -> bool:
        """Whether both are of one simulated target, so that what differs is held against phases of its program.

        Not where one program has measured other settings: that is no change, and its numbers differ on purpose.
        """
        both = self.first.target == self.second.target and self.first.simulated and self.second.simulated
        return both and (self.is_one_setting or not self._is_one_image)

    @property
    def are_of_one_program(self) -> bool:
        """Whether one image is known to have run on both sides, and with nothing changed but the seed."""
        return self._is_one_image and self.is_one_setting

    @property
    def is_one_setting(self) -> bool:
        """Whether every benchmark had the same parameters on both sides, without faults on one of them."""
        fixed = _fixed(self._levels[0], self._levels[1], dict.fromkeys(benchmark for benchmark, _ in self._both))
        faults = ({one.conditions.get("host.faults") for one in side} for side in self._on_both)
        first, second = faults
        return first == second and all(one.key.partition(" of ")[0] in TARGET_FACTORS for one in fixed)

    @property
    def _is_one_image(self) -> bool:
        first, second = (identity.images(side) for side in self._on_both)
        return bool(first) and first == second and all(len(digests) == 1 for digests in first.values())

    @property
    def _on_both(self) -> list[list[Measurement]]:
        return [[one for key in self._both for one in known[key]] for known in self._pools]

    def moved(self) -> list[tuple[Measurement, Measurement]]:
        """Return, of each setting with a median that differs, the first measurement on both sides."""
        return [
            (self._pools[0][key][0], self._pools[1][key][0])
            for key in self._both
            if _moved(*(quantities(pools[key]) for pools in self._pools))
        ]

    def compare(self, *, within: float = WITHIN, change: Change | None = None) -> Comparison:
        """Compare them; see `compare_sides`. With what is known of a change, where they are before and after it."""
        mine, theirs, names = self.first, self.second, self._names
        emulated = mine.emulated or theirs.emulated
        simulated = (mine.simulated, theirs.simulated)
        by_turns = are_by_turns(*self._whole)
        asked = change is not None
        change = (change or Change(is_one_program=self.are_of_one_program)) if self.are_before_and_after else None
        phases = [self._by_setting([analysable(run)], change.phased) for run in change.phases] if change else []
        pools, on_both = self._pools, self._on_both
        one_target = mine.target == theirs.target
        in_turn = by_turns or any(isinstance(run, Baseline) and run.by_turns for run in self._whole[0])
        machine = machine_state(*on_both) if one_target and not in_turn else MachineState()
        compared = Compared(pools[0], pools[1], self._both, simulated, one_target, machine, change, phases, by_turns)
        known = [] if emulated else pairs_of(compared, within=within)
        pairs = [pair for _, pair in known]
        overall = tuple(_overall(pairs))
        benchmarks = dict.fromkeys(benchmark for benchmark, _ in self._both)
        fixed = tuple(_fixed(self._levels[0], self._levels[1], benchmarks))
        differences = (*fixed, *(Difference(*values) for values in differing_between(*on_both)))
        unpaired = tuple(_unpaired(names, *self._pools))
        left_out = Counter(
            (one.benchmark, incomparable(one)) for runs in self._whole for run in runs for one in run.measurements
        )
        failed = {name: sum(map(_failed, runs)) for name, runs in zip(names, self._whole, strict=True)}
        return Comparison(
            mine,
            theirs,
            tuple(pairs),
            overall,
            differences,
            unpaired,
            (
                *(
                    [f"Settings carried out on both: {len(self._both)}. Their times are not compared."]
                    if emulated
                    else []
                ),
                *causes(pairs, change, is_one_setting=self.is_one_setting),
                *summary([pair.verdict for pair in pairs], mine.name, theirs.name, within, is_exact=all(simulated)),
                *trace_command(
                    [(pair, pools[1][key][0]) for key, pair in known], change, self._whole[1][0].plan, self._usual[1]
                ),
            ),
            (
                *_built_from(self._whole, names),
                *_turns(by_turns and not all(simulated)),
                *_sentences(mine, theirs, overall, pairs, unpaired, left_out),
            ),
            tuple(one.text for one in _identities(names, self._sides)),
            tuple(_deciding(mine, theirs, fixed, differences)),
            (
                *_left_out(failed),
                *_warnings(mine, theirs),
                *(unknown_phases(pairs, change) if asked else []),
                *filter(None, [machine.in_words(mine.name, theirs.name)]),
                *([] if in_turn else _one_after_the_other(mine, theirs, pairs, on_both)),
            ),
            by_turns,
            None if change is None else change.functions,
            0 if change is None else len(change.phases),
        )


def _moved(first: Quantities, second: Quantities) -> bool:
    return any(
        known.medians.whole.value != second[name].medians.whole.value for name, known in first.items() if name in second
    )


def _side(runs: Sequence[Run], *, alone: bool) -> Side:
    """Return the name of a side; `alone` is whether no other side has its target."""
    target = runs[0].plan.target
    if isinstance(runs[0], Baseline):
        simulated = runs[0].plan.simulated
        return Side(runs[0].title, target, simulated, (), baseline=runs[0].file)
    numbers = tuple(run.id for run in runs)
    named = f"run{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))} of {target}"
    return Side(
        target if alone else named,
        target,
        any(run.plan.simulated for run in runs),
        numbers,
        any(run.plan.emulated for run in runs),
    )


def _failed(run: Run) -> int:
    return len(run.measurements) - len(analysable(run).measurements)


def _left_out(failed: Mapping[str, int]) -> Iterator[str]:
    for target, count in failed.items():
        if count:
            yield (
                f"{count} measurement{'s' * (count != 1)} on {target} failed, and "
                f"{'are' if count != 1 else 'is'} not compared. See intercore show."
            )


def _refuse_several_kernels(target: str, side: Sequence[Run]) -> None:
    measurements = [one for run in side for one in run.measurements]
    several = identity.kernels_that_differ(measurements)
    if several and isinstance(side[0], Baseline):
        raise UsageError(
            f"{side[0].file} names several kernels ({in_a_row(several)}), so the file is not a valid baseline: save "
            "the baseline again"
        )
    if several:
        named = ", ".join(str(run.id) for run in side)
        raise UsageError(
            f"run{'s' * (len(side) > 1)} {named} of {target}: measured with several kernels ({in_a_row(several)}), "
            f"whose results cannot be combined. Name runs of one kernel, or measure {target} again"
        )


def _identities(targets: Sequence[str], sides: Sequence[Sequence[Run]]) -> Iterator[Caveat]:
    """Return the kernel of each target, unless both have the same, and caveats on unknown or changed kernels."""
    kernels = [identity.kernels(one for run in side for one in run.measurements) for side in sides]
    known = [{identity.kernel(one) for one in found} for found in kernels]
    runs = [run for side in sides for run in side]
    one_target = len({run.plan.target for run in runs}) == 1
    of_all = [one for run in runs for one in run.measurements]
    if known[0] != known[1] and not (one_target and identity.kernels_that_differ(of_all)):  # which is said below
        named = (tuple(map(identity.kernel_name, found)) for found in kernels)
        yield OtherKernel(sides=tuple(map(KernelsOfOne, targets, named)))
    yield from identity.combined_caveats(runs)
    yield from (caveat for run in runs for caveat in identity.caveats(run))


def _fixed(mine: Levels, theirs: Levels, benchmarks: Iterable[str]) -> Iterator[Difference]:
    """Return the factors that have one level on either side, but not the same, as conditions."""
    for benchmark in benchmarks:
        for name in sorted(mine[benchmark].keys() & theirs[benchmark].keys()):
            first, second = mine[benchmark][name], theirs[benchmark][name]
            if len(first) == len(second) == 1 and first != second:
                yield Difference(f"{name} of {benchmark}", tuple(map(str, first)), tuple(map(str, second)))


def _turns(by_turns: bool) -> Iterator[str]:
    if by_turns:
        yield "The two were measured alternately: each ratio compares repetitions measured next to each other."


def _built_from(sides: Iterable[Sequence[Run]], names: Iterable[str]) -> Iterator[str]:
    """Return which sources a side was built from, where the user named them."""
    for runs, name in zip(sides, names, strict=True):
        kinds = (("the firmware", "firmware"), ("the kernel", "kernel"))
        folders = [
            f"{what} {folder}"
            for what, field in kinds
            for folder in dict.fromkeys(getattr(run.plan, field) for run in runs)
            if folder is not None
        ]
        if folders:
            yield f"{name} was built with {' and '.join(folders)}."


def _overall(pairs: Iterable[Pair]) -> Iterator[Overall]:
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.ratio is not None:
            ratios[pair.benchmark, pair.series].append(pair.ratio.value)
    for (benchmark, series), values in ratios.items():
        yield Overall(benchmark, series, len(values), float(np.median(values)), min(values), max(values))


def _unpaired(targets: Sequence[str], first: Mapping[Key, object], second: Mapping[Key, object]) -> Iterator[Unpaired]:
    for target, mine, theirs in ((targets[0], first, second), (targets[1], second, first)):
        counts: dict[str, int] = defaultdict(int)
        for key in mine:
            if key not in theirs:
                counts[key[0]] += 1
        for benchmark, count in counts.items():
            yield Unpaired(target, benchmark, count)


def _sentences(
    first: Side,
    second: Side,
    overall: Sequence[Overall],
    pairs: Sequence[Pair],
    unpaired: Sequence[Unpaired],
    left_out: Mapping[tuple[str, str], int],
) -> Iterator[str]:
    units = {(pair.benchmark, pair.series): pair.unit for pair in pairs}
    for one in overall:
        more = one.settings > 1
        ends = f"{multiple(one.least)} to {multiple(one.largest)}"
        extent = f", from {ends} over {one.settings} settings" if more else ""
        does, what = _WORDS[units[one.benchmark, one.series]]
        times = f"{does} {multiple(one.typical)} times {what} {first.name}{extent}"
        yield f"{one.benchmark}, {called(one.benchmark, one.series)}: {second.name} {times}."
    if first.simulated and second.simulated:
        yield "Both are SIMULATED: one image with one seed gives the same numbers each time."
    for target in dict.fromkeys(one.target for one in unpaired):
        named = ", ".join(f"{one.settings} of {one.benchmark}" for one in unpaired if one.target == target)
        yield f"Measured on {target} only, and so not compared: {named}."
    for (benchmark, why), count in left_out.items():
        if why:
            yield f"Not compared either: {count} measurements of {benchmark} {why}."


def _deciding(
    first: Side, second: Side, fixed: Sequence[Difference], differences: Sequence[Difference]
) -> Iterator[str]:
    """Return which conditions differ that may decide a ratio."""
    spoiling = [*fixed, *(one for one in differences if one.key in _BESIDE)]
    if spoiling:
        named = "; ".join(f"{one.key}: {_values(one.first)} and {_values(one.second)}" for one in spoiling)
        if first.target == second.target:
            yield f"{first.name} and {second.name} differ in conditions that may affect a ratio ({named})."
        else:
            yield (
                f"{first.name} and {second.name} also differ in conditions that may affect a ratio ({named}), so a "
                "ratio is not due to the kernels only."
            )


def _warnings(first: Side, second: Side) -> Iterator[str]:
    if first.emulated or second.emulated:
        yield CAUTION
    elif first.simulated != second.simulated:
        simulated, measured = (first, second) if first.simulated else (second, first)
        yield f"{simulated.name} is SIMULATED and {measured.name} is measured: a ratio includes the simulator's error."


def _one_after_the_other(mine: Side, theirs: Side, pairs: Sequence[Pair], compared: Measured) -> Iterator[str]:
    """Return the caveats on runs of one real target that were not measured by turns."""
    if mine.target != theirs.target or mine.simulated or mine.emulated:
        return
    target = mine.target
    first, second = (identity.images(measurements) for measurements in compared)
    if first and first == second and all(len(digests) == 1 for digests in first.values()):
        yield f"Both ran the same program: differences come from {target}, not from a change of the program."
    if any(pair.more_runs is not None for pair in pairs):
        in_turn = f"by turns (intercore compare --alternate {target} …)"
        is_built = any(identity.runs_linux(one.conditions) for measurements in compared for one in measurements)
        yield (
            f"Two runs of one program on {target} differ, too, and too few runs do not show by how much. Measure "
            f"{in_turn + ', or ' if is_built else ''}several runs of each program (intercore run {target} … --runs "
            f"{ENOUGH_RUNS})."
        )


def _values(values: Sequence[str]) -> str:
    return " / ".join(values) or "unknown"
