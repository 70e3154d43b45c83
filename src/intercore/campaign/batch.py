"""A batch of a campaign: some settings that are measured one after the other on one target.

It is independent of the store, of progress bars and of other batches: a batch and its result can be sent to a thread, a
process or another machine. On a simulated chip, the result depends only on the batch, sample for sample.
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
"""Errors after which a target is opened again; others come from a working target."""


class Failure(msgspec.Struct, frozen=True):
    """Why a setting was not measured."""

    why: str
    kind: Literal["refused", "broken", "unreachable"]
    """The working target refused it, or failed at each attempt, or cannot be opened any more."""


class HaltedError(IntercoreError):
    """The measurement was cancelled."""


class Batch(msgspec.Struct, frozen=True):
    """Settings to measure, and how; it can be pickled."""

    plan: Plan
    """The plan of the campaign, with the target's address."""
    settings: tuple[Setting, ...]
    """Settings of one build: with equal levels of the target's factors."""
    timeout: float = DEFAULT_TIMEOUT
    """Longest permitted silence of the target, in seconds."""
    max_rate: int | None = None
    """Limit of the bit rate of a serial line."""
    pauses: tuple[float, ...] = ()
    """Seconds to wait before each retry of a setting on a newly opened target; empty for one attempt."""
    programs: tuple[Path, ...] = ()
    """Existing programs of a simulated chip, a file for each image; empty to build them here."""
    flashing: Flashing | None = None
    """How to flash a board for another build; None if it must not be flashed."""
    run: int = 0
    """Number of its run; 0 if there is none."""


class Result(msgspec.Struct, frozen=True, eq=False):
    """The result of a batch; it can be pickled."""

    outcomes: tuple[Measurement | Failure, ...]
    """The outcome of each setting, in their order."""
    seconds: float
    """Duration in seconds, without opening the target."""
    messages: tuple[str, ...] = ()
    """The target's messages for the user."""


def measure_batch(
    batch: Batch, halted: Callable[[], bool] = lambda: False, say: Callable[[str], None] = lambda _: None
) -> Result:
    """Measure the settings of a batch on its target, each on a fresh chip if it is simulated.

    The target stays open for this thread's next batch, until that needs another target or build, or until `close`.
    Failures are part of the result. `halted` returns whether to abort the measurement, which raises HaltedError. `say`
    immediately reports what takes time before a target is open: building its program, or flashing its board.
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
    """Pass an open target to this thread for its next batch; this thread closes it."""
    _thread_target.keep(target)


def close() -> None:
    """Close the target and the meter of this thread."""
    _thread_target.close()
    _thread_target.close_meter()


class _ThreadTarget(threading.local):
    """The open target of a thread, and its meter."""

    def __init__(self) -> None:
        self._what: Batch | None = None
        self._target: KeptTarget | None = None
        self._metering: Metering | None = None
        self._metered: tuple[object, ...] = ()

    def of(self, batch: Batch) -> KeptTarget:
        """Return the target of a batch; closes the previous one if it differs."""
        what = msgspec.structs.replace(batch, settings=(), pauses=())
        if self._target is None or self._what not in (None, what):
            self.close()
            given = Address(max_baud=batch.max_rate, flashing=batch.flashing, programs=batch.programs)
            self._target = KeptTarget(batch.plan, Opening(batch.plan, given), batch.timeout, batch.max_rate)
        self._what = what
        return self._target

    def keep(self, target: KeptTarget) -> None:
        """Use an open target for the next batch."""
        self.close()
        self._target, self._what = target, None

    def measure_with_meter(
        self, plan: Plan, measure: Callable[[], Measurement], say: Callable[[str], None]
    ) -> Measurement:
        """Measure with the plan's meter if it has one; the meter stays open as the target does."""
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
        """Close the target, if there is one."""
        target, self._target = self._target, None
        if target is not None:
            target.close()


_thread_target = _ThreadTarget()
