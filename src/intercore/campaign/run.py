"""Carries out a run, or two by turns: one measurement after the other, each stored once it is complete."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Protocol

from intercore.campaign.by_turns import turns
from intercore.campaign.course import Course
from intercore.campaign.metering import attached, without_metering
from intercore.campaign.run_identity import RunIdentity
from intercore.record.factors import of_target
from intercore.record.plan import remaining, setting_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.metering import Metering
    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Measurement
    from intercore.record.plan import Setting
    from intercore.record.store import Store
    from intercore.statistics.precision import Precision


class Observer(Protocol):
    """Is told how far a run has come."""

    def begin(self, done: int, total: int) -> None:
        """Begin with this many measurements complete already, and this many in the whole plan."""

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:
        """Begin a measurement. `known`, as text, is what is shown beside it; None for nothing.

        It says how well its setting is known so far, where a stop rule asks for that, or which of two runs it is for.
        """

    def progress(self, done: int, of: int) -> None:
        """Note the repetitions of the measurement under way."""

    def told(self, text: str) -> None:
        """Pass on what the target wants a person to know."""

    def chip_time(self, seconds: float) -> None:
        """Note how long a simulated chip has been running, in its own time."""

    def stored(self, total: int, known: Precision | str | None) -> None:
        """Note that the measurement is complete and in the store, and what is known with it."""


class Side:
    """A run that is carried out, and the target that it is measured on."""

    def __init__(self, store: Store, run_id: int, target: KeptTarget) -> None:
        """Begin with what run `run_id` of the store has."""
        self.run = store.run(run_id)
        self.course = Course(self.run)
        self._store = store
        self._target = target
        self._identity = RunIdentity(self.run)
        self._identified: OpenTarget | None = None
        if self.course.total != self.run.total:
            # Another version may have known the stop rule's series otherwise.
            store.set_total(run_id, self.course.total)

    def opened(self, setting: Setting, observer: Observer) -> OpenTarget:
        """Return the target, open in the build of a setting.

        Raises OtherKernelError if the run has measurements of another kernel than that has. Another image is told.
        """
        build = of_target(setting.factors)
        target = self._target.opened(build, observer.told)
        if target is not self._identified:
            self._identity.check_kernel(target.conditions)
            if sentence := self._identity.changed_image(build, target.conditions):
                observer.told(sentence)
            self._identified = target
        return target

    def add(self, setting: Setting, measurement: Measurement) -> None:
        """Store a measurement."""
        self.course.add(setting, measurement)
        self._identity.add(measurement)
        self._store.add(self.run.id, setting, measurement, self.course.total)


def carry_out(
    store: Store, runs: Mapping[int, KeptTarget], observer: Observer, metering: Metering | None = None
) -> None:
    """Measure what runs of the store lack, and then the energy of what a meter was to see and did not.

    One run is measured on its target; two are measured by turns, each on a target that stays open all the while.
    `metering` has the run's meter, if it has one. Raises IntercoreError, or KeyboardInterrupt, with all complete
    measurements in the store; and OtherKernelError if a run has measurements of another kernel than its target has now.
    """
    sides = [Side(store, run_id, target) for run_id, target in runs.items()]
    around = without_metering if metering is None else metering.around
    observer.begin(sum(len(side.run.measurements) for side in sides), _total(sides))
    with contextlib.ExitStack() as stack:
        for kept in runs.values():
            stack.enter_context(kept.telling(observer.told))
        for side, setting, words in _alone(*sides) if len(sides) == 1 else _by_turns(sides, observer):
            target = side.opened(setting, observer)
            observer.measuring(setting, words or side.course.known(setting))
            measurement = around(partial(target.measure, setting, observer.progress, observer.chip_time))
            side.add(setting, measurement)
            observer.stored(_total(sides), words or side.course.known(setting))
        if metering is not None:
            for side in sides:
                _add_energy(store, side, metering, observer)


def _total(sides: Sequence[Side]) -> int:
    return sum(side.course.total for side in sides)


def _alone(side: Side) -> Iterator[tuple[Side, Setting, str]]:
    for setting in side.course.settings():
        yield side, setting, ""


def _by_turns(sides: Sequence[Side], observer: Observer) -> Iterator[tuple[Side, Setting, str]]:
    """Yield what two runs lack, by turns, with the words that say for which of them it is.

    Of a repetition at which both were interrupted, one may be stored and the other is measured when they are resumed:
    those two are not next to each other in time.
    """
    missing = [{(*one.key, one.repetition) for one in remaining(side.run)} for side in sides]
    order = turns(*(side.run.plan for side in sides))
    left = [(sides[at], one) for at, one in order if (*one.key, one.repetition) in missing[at]]
    for side, setting in dict(reversed(left)).items():
        side.opened(setting, observer)  # both before the first measurement: to build one takes minutes
    for side, setting in left:
        yield side, setting, f"run {side.run.id}"


def _add_energy(store: Store, side: Side, metering: Metering, observer: Observer) -> None:
    """Add the energy of measurements that lacked it before: by what was recorded of all, or by measuring them again.

    What was measured of time stays as it is.
    """
    run = side.run
    if metering.is_afterwards:
        for setting, recording in attached(store.run(run.id), metering):
            store.set_recording(run.id, setting, recording)
        return
    for setting in [setting_of(run.plan, one) for one in run.measurements if one.lacks_energy]:
        target = side.opened(setting, observer)
        observer.measuring(setting, "its energy")
        again = metering.around(partial(target.measure, setting, observer.progress, observer.chip_time))
        if again.recording is not None:
            store.set_recording(run.id, setting, again.recording)
