"""A piece of a campaign: some settings measured one after the other on one target, wherever this is called.

Nothing here knows the store, a progress bar or other pieces: what goes in and what comes out can be sent to a thread,
a process or another machine. On a simulated chip what comes back depends on what went in alone, sample for sample.
"""

from __future__ import annotations

import contextlib
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from intercore.campaign.kept_target import KeptTarget, Opening
from intercore.campaign.metering import Metering
from intercore.errors import IntercoreError, UsageError
from intercore.link.exchange import TargetRestartedError, TargetSilentError
from intercore.link.port import DEFAULT_TIMEOUT, ProtocolError, TargetLostError
from intercore.record.factors import of_target
from intercore.record.measurement import Measurement, Plan
from intercore.record.plan import Setting
from intercore.target.targets import Address

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.board.boards import Flashing

BROKEN = (TargetLostError, TargetRestartedError, TargetSilentError, ProtocolError)
"""Errors after which a target is opened anew; others are answers of a target that works."""


class Failure(msgspec.Struct, frozen=True):
    """Why a setting was not measured."""

    why: str
    kind: Literal["refused", "broken", "unreachable"]
    """The target works and refused it; it did not get through it, each time; or it cannot be opened any more."""


class HaltedError(IntercoreError):
    """Nobody wants the measurement any more."""


class Batch(msgspec.Struct, frozen=True):
    """What is to be measured, and how; it can be pickled."""

    plan: Plan
    """That of the whole campaign: it says where the target is, and whether it is simulated."""
    settings: tuple[Setting, ...]
    """Of one build: equal levels of the target's own factors."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds that the target may be silent."""
    max_rate: int | None = None
    """Most bits per second that a serial line is raised to."""
    pauses: tuple[float, ...] = ()
    """Seconds to wait before a setting is tried again on a target opened anew; none to try it once."""
    programs: tuple[Path, ...] = ()
    """What a simulated chip runs, a file for each image, if they are here already; none to build them here."""
    flashing: Flashing | None = None
    """How a board is flashed for another build; None if that is not to be."""
    run: int = 0
    """Number of the run that it is for; 0 if it is for none."""


class Result(msgspec.Struct, frozen=True, eq=False):
    """What came of a batch; it can be pickled."""

    outcomes: tuple[Measurement | Failure, ...]
    """One for each setting, in their order."""
    seconds: float
    """How long that took, the opening of the target not included."""
    messages: tuple[str, ...] = ()
    """What the target said for people."""


def measure_batch(
    batch: Batch, halted: Callable[[], bool] = lambda: False, say: Callable[[str], None] = lambda _: None
) -> Result:
    """Measure the settings of a batch on its target; for a simulated one, on a chip that begins afresh each time.

    The target stays open for the next batch of this thread, until that needs another one, another build, or `close`.
    What fails is in the result. `halted` says whether a measurement under way is to be aborted: HaltedError is raised.
    `say` is told at once what takes time before a target is open: its program is built, or its board is flashed.
    """
    messages: list[str] = []
    began = time.monotonic()
    opening = 0.0

    def attend(_done: int, _of: int) -> None:
        if halted():
            raise HaltedError("the measurement was aborted")

    def tried(setting: Setting) -> Measurement | Failure:
        nonlocal opening
        for pause in (*batch.pauses, None):
            try:
                start = time.monotonic()
                target = kept.opened(of_target(setting.factors), say)
                opening += time.monotonic() - start
            except UsageError as error:
                return Failure(str(error), "unreachable")
            except IntercoreError as error:
                failure = Failure(str(error), "unreachable")
            else:
                try:
                    return _thread_target.measure_with_meter(
                        batch.plan, partial(target.measure, setting, attend), messages.append
                    )
                except HaltedError:
                    with contextlib.suppress(IntercoreError):
                        target.session.abort()
                    close()
                    raise
                except BROKEN as error:
                    failure = Failure(str(error), "broken")
                except IntercoreError as error:
                    return Failure(str(error), "refused")
            kept.close()
            _thread_target.close_meter()
            if pause is None or halted():
                break
            time.sleep(pause)
        return failure

    kept = _thread_target.of(batch)
    with kept.showing_messages(messages.append):
        outcomes = tuple(tried(setting) for setting in batch.settings)
    return Result(outcomes, time.monotonic() - began - opening, tuple(dict.fromkeys(messages)))


def keep(target: KeptTarget) -> None:
    """Have this thread measure its next batch on a target that is open already; it is this thread's to close."""
    _thread_target.keep(target)


def close() -> None:
    """Let go of the target that this thread keeps open, and of its meter."""
    _thread_target.close()
    _thread_target.close_meter()


class _ThreadTarget(threading.local):
    """The target that a thread keeps open, and its meter."""

    def __init__(self) -> None:
        self._what: Batch | None = None
        self._target: KeptTarget | None = None
        self._metering: Metering | None = None
        self._metered: tuple[object, ...] = ()

    def of(self, batch: Batch) -> KeptTarget:
        """Return the target of a batch; the one that was kept before is closed if it is another."""
        what = msgspec.structs.replace(batch, settings=(), pauses=())
        if self._target is None or self._what not in (None, what):
            self.close()
            given = Address(max_baud=batch.max_rate, flashing=batch.flashing, programs=batch.programs)
            self._target = KeptTarget(batch.plan, Opening(batch.plan, given), batch.timeout, batch.max_rate)
        self._what = what
        return self._target

    def keep(self, target: KeptTarget) -> None:
        """Measure the next batch on a target that is open already."""
        self.close()
        self._target, self._what = target, None

    def measure_with_meter(
        self, plan: Plan, measure: Callable[[], Measurement], say: Callable[[str], None]
    ) -> Measurement:
        """Measure, with the plan's meter beside it if it has one; the meter stays open as the target does."""
        if plan.meter is None:
            return measure()
        if self._metering is None or self._metered != (plan.meter, plan.besides):
            self.close_meter()
            self._metering = Metering(plan.meter, plan.besides, say, required=False)
            self._metered = (plan.meter, plan.besides)
        return self._metering.measure_with_meter(measure)

    def close_meter(self) -> None:
        """Close the meter, if there is one."""
        metering, self._metering = self._metering, None
        if metering is not None:
            with contextlib.suppress(IntercoreError):
                metering.close()

    def close(self) -> None:
        """Let go of the target, if there is one."""
        target, self._target = self._target, None
        if target is not None:
            target.close()


_thread_target = _ThreadTarget()
