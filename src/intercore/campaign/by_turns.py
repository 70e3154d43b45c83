"""Carries out two runs by turns: each repetition of a setting in the one next to the same repetition in the other.

What a machine does to its measurements, getting warm or busy, changes over minutes. It is nearly the same for two that
follow each other, so their ratio is free of most of it, where that of two whole runs is not. Which of the two comes
first is swapped from one repetition of a setting to the next, and from one setting to the next: A B, B A, A B, …, so
that neither gains by its place.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

from intercore.campaign.open_target import opened
from intercore.campaign.run_identity import RunIdentity
from intercore.errors import IntercoreError
from intercore.record.factors import of_target
from intercore.record.measurement import Level
from intercore.record.plan import Setting, remaining, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.campaign.open_target import OpenTarget
    from intercore.campaign.run import Observer
    from intercore.record.measurement import Plan, Run
    from intercore.record.store import Store
    from intercore.target.connection import Connection


class Turn(NamedTuple):
    """One measurement of one of the two runs."""

    side: int
    """0 for the first run, 1 for the second one."""
    setting: Setting


def turns(plans: tuple[Plan, Plan]) -> list[Turn]:
    """Return all measurements of two plans in the order to take them.

    The plans are the same but for how their target is built. Settings are in the order of the first one, and all of
    them come once before any comes again. Raises IntercoreError if the two do not measure the same.
    """
    order, others = settings(plans[0]), {_shared(one): one for one in settings(plans[1])}
    if {_shared(one) for one in order} != others.keys():
        raise IntercoreError("two runs by turns measure the same settings, and these two plans do not")
    places = {key: place for place, key in enumerate(dict.fromkeys(_shared(one)[:2] for one in order))}
    found = []
    for one in order:
        both = [Turn(0, one), Turn(1, others[_shared(one)])]
        found += both[::-1] if (places[_shared(one)[:2]] + one.repetition) % 2 else both
    return found


def carry_out(
    store: Store,
    run_ids: tuple[int, int],
    connect: Callable[[Plan, Mapping[str, Level]], Connection],
    observer: Observer,
    timeout: float,
) -> None:
    """Measure what two runs of the store lack, by turns; each is the partner of the other.

    Both targets stay open all the while: the one that is not measured waits for a command. `connect` opens the target
    of a plan, built with these levels of its own factors; `timeout` is the longest silence in seconds that is taken for
    work. Raises as `campaign.run.carry_out` does. Of a repetition at which both were interrupted, one may be stored and
    the other is measured when they are resumed: those two are not next to each other in time.
    """
    runs = tuple(map(store.run, run_ids))
    missing = [_missing(run) for run in runs]
    left = [one for one in turns((runs[0].plan, runs[1].plan)) if _key(one.setting) in missing[one.side]]
    total = sum(run.total for run in runs)
    observer.begin(sum(len(run.measurements) for run in runs), total)
    if not left:
        return
    with contextlib.ExitStack() as stack:
        sides = [stack.enter_context(_opened(run, connect, observer, timeout)) for run in runs]
        for side, setting in left:
            of_run = f"run {run_ids[side]}"
            observer.measuring(setting, of_run)
            measurement = sides[side].measure(setting, observer.progress, observer.chip_time)
            store.add(run_ids[side], setting, measurement)
            observer.stored(total, of_run)


@contextlib.contextmanager
def _opened(
    run: Run, connect: Callable[[Plan, Mapping[str, Level]], Connection], observer: Observer, timeout: float
) -> Iterator[OpenTarget]:
    """Open the target of a run, in its one build, and see that it is the one that the run has measurements of."""
    build = _build(run.plan)
    so_far = RunIdentity(run)
    with opened(connect(run.plan, build), run.plan, timeout, told=observer.told) as target:
        so_far.check_kernel(target.conditions)
        if sentence := so_far.changed_image(build, target.conditions):
            observer.told(sentence)
        yield target


def _build(plan: Plan) -> dict[str, Level]:
    """Return how the target is built. Raises IntercoreError if a plan by turns has several builds."""
    builds: Sequence[dict[str, Level]] = [of_target(one.factors) for one in settings(plan)]
    if any(one != builds[0] for one in builds):
        raise IntercoreError("a run by turns has one build of its target, and this plan has several")
    return builds[0]


def _missing(run: Run) -> set[tuple[str, str, int]]:
    return {_key(one) for one in remaining(run)}


def _key(setting: Setting) -> tuple[str, str, int]:
    return (*setting.key, setting.repetition)


def _shared(setting: Setting) -> tuple[str, str, int]:
    """Return what a setting has in common with its counterpart: all but how the target is built."""
    build = of_target(setting.factors)
    factors = {name: level for name, level in setting.factors.items() if name not in build}
    return _key(Setting(setting.benchmark, factors, setting.repetition))
