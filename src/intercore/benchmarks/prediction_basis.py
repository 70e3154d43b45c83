"""The stored measurements that a prediction may use: of the question, of one kernel, under the same conditions.

Each benchmark computes its prediction (`prediction.py` of its folder); the selection is the same for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from intercore.benchmarks.failed import is_sound
from intercore.errors import UsageError, unknown
from intercore.record.conditions import disagreement
from intercore.record.findings import in_a_row
from intercore.record.identity import images_that_differ, kernel, kernel_name, kernels, kernels_that_differ
from intercore.record.level_words import parse_levels
from intercore.record.measurement import Measurement
from intercore.record.origin import LABELS, Origin
from intercore.statistics.factors import ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from intercore.record.measurement import Level
    from intercore.record.store import StoreReader

_SHOWN = 5  # conditions in a sentence


class StoredMeasurement(msgspec.Struct, frozen=True):
    """A measurement and the run that it is of."""

    run: int
    measurement: Measurement
    origin: Origin


def asked(words: Iterable[str], no_setting: Collection[str]) -> dict[str, str]:
    """Return the one level of each factor that was named.

    `no_setting` are factors that say how something is measured and not what. UsageError if one of them is named, or
    several levels of one factor.
    """
    levels = parse_levels(words)
    for name, values in levels.items():
        if len(values) > 1:
            raise UsageError(
                f"a prediction is for one setting, but {name} is given {len(values)} levels: give one level of {name}"
            )
        if name in no_setting:
            raise UsageError(
                f"{name} only controls how a benchmark measures and has no effect on a prediction: omit {name}"
            )
    return {name: values[0] for name, values in levels.items()}


def stored(
    store: StoreReader, target: str, benchmark: str, is_usable: Callable[[Measurement], bool]
) -> Iterator[StoredMeasurement]:
    """Return the measurements of a benchmark on a target that are sound and usable, those of the newest run first.

    Those of runs by turns are left out: one of the two builds is what somebody tries.
    """
    for summary in reversed(store.runs()):
        plan = summary.plan
        if plan.target == target and benchmark in plan.benchmarks and plan.partner is None:
            for one in store.run(summary.id).measurements:
                if one.benchmark == benchmark and is_usable(one) and is_sound(one):
                    yield StoredMeasurement(summary.id, one, summary.plan.origin)


KnownOne = TypeVar("KnownOne", bound=StoredMeasurement)


def runs(known: Iterable[StoredMeasurement]) -> tuple[int, ...]:
    """Return the numbers of the runs that measurements are of, each once."""
    return tuple(dict.fromkeys(one.run for one in known))


def period(known: Iterable[StoredMeasurement]) -> tuple[str, str]:
    """Return the UTC times of the first and of the last of the measurements, ISO 8601."""
    started = [one.measurement.started for one in known]
    return min(started), max(started)


def matches(one: Measurement, wanted: Mapping[str, str]) -> bool:
    """Whether a measurement has all levels that were asked for."""
    return all(str(one.factors.get(name)) == level for name, level in wanted.items())


def levels(known: Iterable[StoredMeasurement], name: str) -> list[Level]:
    """Return the levels that a factor was measured with, in order."""
    return ordered(one.measurement.factors[name] for one in known if name in one.measurement.factors)


def check_names(
    benchmark: str, wanted: Mapping[str, str], known: Sequence[StoredMeasurement], no_setting: Collection[str]
) -> None:
    """Raise UsageError for a factor that does not distinguish settings of the benchmark, or a level never measured."""
    names = sorted({name for one in known for name in one.measurement.factors} - set(no_setting))
    for name, level in wanted.items():
        if name not in names:
            raise UsageError(unknown("factor", name, names, f"{benchmark} has"))
        measured = sorted(str(each) for each in levels(known, name))
        if level not in measured:
            raise UsageError(f"{name}={level} was not measured; the levels measured are {name}={','.join(measured)}")


def by_setting(ours: Sequence[KnownOne], no_setting: Collection[str]) -> list[list[KnownOne]]:
    """Return the measurements by the factors of several levels, those of the newest run first."""
    names = sorted({name for one in ours for name in one.measurement.factors} - set(no_setting))
    several = [name for name in names if len(levels(ours, name)) > 1]
    found: dict[tuple[Level | None, ...], list[KnownOne]] = {}
    for one in ours:
        found.setdefault(tuple(one.measurement.factors.get(name) for name in several), []).append(one)
    return list(found.values())


def agreeing(
    ours: Sequence[KnownOne], is_enough: Callable[[Sequence[KnownOne]], bool] = lambda _: True
) -> tuple[list[KnownOne], list[str]]:
    """Return the measurements that a prediction uses, and sentences on those left out.

    They are those of the newest run that `is_enough` accepts, and of all others under its conditions and of its kernel.
    Raises UsageError if all runs mix kernels.
    """
    by_run: dict[int, list[KnownOne]] = {}
    for one in ours:
        by_run.setdefault(one.run, []).append(one)
    notes = _without_mixed(by_run)
    with_model = [run for run, found in by_run.items() if is_enough(found)]
    reference = by_run[with_model[0] if with_model else next(iter(by_run))][0].measurement.conditions
    chosen = []
    for run, found in by_run.items():
        other = [one for one in found if kernel(one.measurement.conditions) != kernel(reference)]
        if other:
            notes.append(_of_another_kernel(run, other[0].measurement.conditions, reference))
            continue
        differing = sorted({key for one in found for key in disagreement(reference, one.measurement.conditions)})
        if differing:
            more = ", …" if len(differing) > _SHOWN else ""
            notes.append(f"Run {run} is left out: it differs in {', '.join(differing[:_SHOWN])}{more}.")
        else:
            chosen += found
    if not chosen:  # the conditions changed within the newest run
        newest = next(iter(by_run.values()))
        return newest, [f"The conditions changed within run {newest[0].run}: see its warnings."]
    return chosen, [*notes, *_identity(chosen)]


def _without_mixed(by_run: dict[int, list[KnownOne]]) -> list[str]:
    """Take out runs that mix kernels, and say so. Raises UsageError if there is no other."""
    notes = []
    for run, found in list(by_run.items()):
        if several := kernels_that_differ(one.measurement for one in found):
            notes.append(f"Run {run} is left out: it mixes several kernels ({in_a_row(several)}).")
            del by_run[run]
    if not by_run:
        raise UsageError(f"nothing can be predicted: {' '.join(notes)} Measure each kernel in a separate run")
    return notes


def _identity(chosen: Sequence[StoredMeasurement]) -> Iterator[str]:
    """Return caveats on an unknown kernel, and on several images of a prediction."""
    measurements = [one.measurement for one in chosen]
    if any("freertos.version" in one.conditions and kernel(one.conditions) is None for one in measurements):
        yield ("The kernel's sources are unknown, because an earlier version of Intercore did not record them.")
    if images := images_that_differ(measurements):
        yield f"It uses several images ({in_a_row(images)}): the program was not always the same."


def _of_another_kernel(run: int, conditions: Mapping[str, str], reference: Mapping[str, str]) -> str:
    """Return why a run's measurements are not put together with those that the prediction rests on."""
    if kernel(conditions) is None or kernel(reference) is None:
        whose = "its kernel" if kernel(conditions) is None else "the kernel of the other runs"
        return f"Run {run} is left out: {whose} is unknown, so the two may differ."
    return (
        f"Run {run} is left out: it has another kernel ({kernel_name(conditions)}) than the other runs "
        f"({kernel_name(reference)})."
    )


def refuse_several_kernels(measured: Sequence[StoredMeasurement]) -> None:
    """Raise UsageError if effects would be taken from measurements of several or unknown kernels."""
    found = kernels(one.measurement for one in measured)
    if len(found) > 1:
        named = in_a_row(kernel_name(one) for one in found)
        raise UsageError(
            f"runs {', '.join(map(str, runs(measured)))} may have different kernels ({named}), and effects of factors "
            "can only be computed for one kernel: measure everything with one kernel, in a separate store (--store)"
        )


def never_measured(target: str, wanted: Mapping[str, str], known: Sequence[StoredMeasurement]) -> str:
    """Say that a setting was not measured, and which one comes nearest: a sentence without its full stop."""

    def differing(one: StoredMeasurement) -> list[str]:
        return [name for name, level in wanted.items() if str(one.measurement.factors.get(name)) != level]

    # The factor named first matters most.
    place = {name: index for index, name in enumerate(wanted)}
    nearest = min(known, key=lambda one: (len(differing(one)), [-place[name] for name in differing(one)]))
    instead = " ".join(f"{name}={nearest.measurement.factors.get(name)}" for name in differing(nearest))
    setting = " ".join(f"{name}={level}" for name, level in wanted.items())
    return (
        f"{setting} was never measured on {target}. The nearest measured setting differs by {instead} (run "
        f"{nearest.run})"
    )


BY_EFFECTS = "Measure the requested setting, or add --extrapolate to predict from the effect of each factor alone"
"""The remedy for a setting that was never measured, if main effects can replace it."""


def by_effects_note(settings: int) -> str:
    """Return the assumption of a prediction from the effects of factors; `settings` is their number."""
    return (
        "Extrapolated: this setting was never measured. The prediction assumes that each factor multiplies the time "
        f"by a constant ratio, independently of the others, as in the {settings} settings measured. Where factors "
        "interact, that is wrong."
    )


def in_words(setting: Mapping[str, Level], names: Iterable[str]) -> str:
    """Return levels of a setting as they are typed."""
    return " ".join(f"{name}={setting[name]}" for name in names if name in setting)


def label_notes(origin: Origin) -> tuple[str, ...]:
    """Say of numbers that were not measured on a chip that they were not: a sentence, or none."""
    return () if origin == "measured" else (f"{LABELS[origin]}, not measured on a chip.",)
