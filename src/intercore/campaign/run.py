"""Carries out a run: what it still lacks, one measurement after the other, each stored once complete."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from intercore.campaign.course import Course
from intercore.campaign.metering import attached, without_metering
from intercore.campaign.open_target import opened
from intercore.campaign.run_identity import RunIdentity
from intercore.record.factors import of_target
from intercore.record.plan import setting_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.campaign.metering import Metering
    from intercore.record.measurement import Level, Run
    from intercore.record.plan import Setting
    from intercore.record.store import Store
    from intercore.statistics.precision import Precision
    from intercore.target.connection import Connection

_MOST_TOLD = 100
"""Texts of a target that a person gets to see in one run."""


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


def carry_out(
    store: Store,
    run_id: int,
    connect: Callable[[Mapping[str, Level]], Connection],
    observer: Observer,
    timeout: float,
    max_rate: int | None = None,
    metering: Metering | None = None,
) -> None:
    """Measure what run `run_id` of the store lacks, and then the energy of what a meter was to see and did not.

    `connect` opens the target, built with these levels of its own factors (`intercore.record.factors`); `timeout` is
    the longest silence in seconds that is taken for work, and `max_rate` the most bits per second that a serial line
    is raised to. `metering` has the run's meter, if it has one. Raises IntercoreError, or KeyboardInterrupt, with all
    complete measurements in the store; and OtherKernelError if the run has measurements of another kernel than the
    target has now.
    """
    run = store.run(run_id)
    around = without_metering if metering is None else metering.around
    course = Course(run)
    so_far = RunIdentity(run)
    if course.total != run.total:
        store.set_total(run_id, course.total)  # another version may have known the stop rule's series otherwise
    observer.begin(len(run.measurements), course.total)
    told = _each_once(observer.told)
    for build, settings in groupby(course.settings(), lambda setting: of_target(setting.factors)):
        with opened(connect(build), run.plan, timeout, max_rate, told) as target:
            so_far.check_kernel(target.conditions)
            if sentence := so_far.changed_image(build, target.conditions):
                observer.told(sentence)
            for setting in settings:
                observer.measuring(setting, course.known(setting))
                measurement = around(partial(target.measure, setting, observer.progress, observer.chip_time))
                course.add(setting, measurement)
                so_far.add(measurement)
                store.add(run_id, setting, measurement, course.total)
                observer.stored(course.total, course.known(setting))
    if metering is not None:
        _add_energy(store, run, metering, connect, observer, timeout, max_rate)


def _add_energy(
    store: Store,
    run: Run,
    metering: Metering,
    connect: Callable[[Mapping[str, Level]], Connection],
    observer: Observer,
    timeout: float,
    max_rate: int | None,
) -> None:
    """Add the energy of measurements that lacked it before: by what was recorded of all, or by measuring them again.

    What was measured of time stays as it is.
    """
    if metering.is_afterwards:
        for setting, recording in attached(store.run(run.id), metering):
            store.set_recording(run.id, setting, recording)
        return
    lacking = [setting_of(run.plan, one) for one in run.measurements if one.lacks_energy]
    for build, settings in groupby(lacking, lambda setting: of_target(setting.factors)):
        with opened(connect(build), run.plan, timeout, max_rate, _each_once(observer.told)) as target:
            RunIdentity(run).check_kernel(target.conditions)
            for setting in settings:
                observer.measuring(setting, "its energy")
                again = metering.around(partial(target.measure, setting, observer.progress, observer.chip_time))
                if again.recording is not None:
                    store.set_recording(run.id, setting, again.recording)


def _each_once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Pass on every text once, and only so many: a target may say anything, and as often as it likes."""
    told: set[str] = set()

    def tell_once(text: str) -> None:
        if text not in told and len(told) < _MOST_TOLD:
            told.add(text)
            tell(text)

    return tell_once
