"""A target that is open: it measures settings, and says under which conditions."""

from __future__ import annotations

import contextlib
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.benchmarks import registry
from intercore.benchmarks.possible import TOO_LONG, longer_than
from intercore.campaign.metering import with_estimate
from intercore.errors import IntercoreError
from intercore.record.conditions import of_another_start
from intercore.record.factors import TARGET_FACTORS
from intercore.record.identity import IMAGE
from intercore.record.measurement import Measurement, Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from intercore.link.session import Session
    from intercore.record.measurement import Level, Plan
    from intercore.record.meter_recording import Currents
    from intercore.record.plan import Setting
    from intercore.record.trace_recording import Recording
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness
    from intercore.target.connection import Connection
    from intercore.target.simulated_chip import SimulatedChip

_MISTAKES = 3
"""Mistakes of a program that are kept in words."""


@contextlib.contextmanager
def opened(
    connection: Connection,
    plan: Plan,
    timeout: float,
    max_rate: int | None = None,
    on_log: Callable[[str], None] | None = None,
) -> Iterator[OpenTarget]:
    """Get an open target ready to measure settings of the plan; it is closed in the end."""

    @contextlib.contextmanager
    def meet(connection: Connection) -> Iterator[Session]:
        with contextlib.closing(connection), connection.session(timeout, on_log) as session:
            session.raise_rate(max_rate)
            yield session

    with contextlib.ExitStack() as stack:
        yield OpenTarget(connection, plan.target, meet, stack, plan.currents)


class OpenTarget:
    """A target that is ready to measure.

    The program on this machine is started anew for each repetition: where its memory lies, and whatever else differs
    from one start to the next, differs between repetitions as it does between runs. A simulated chip goes back to one
    and the same state before each measurement, so that what comes of it depends on the program and the setting alone:
    neither on what was measured before nor on where and when. All others stay as they are.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        meet: Callable[[Connection], AbstractContextManager[Session]],
        stack: contextlib.ExitStack,
        currents: Currents | None = None,
    ) -> None:
        """Meet the target called `name`; `stack`, which is the caller's to close, keeps what is to be left at last.

        With `currents`, the energy of a simulated chip is estimated.
        """
        self._connection = connection
        self.kernel = connection.kernel
        """Which kernel its program was built with here, and where that comes from; empty if it was not."""
        self._name = name
        self._meet = meet
        self._stack = stack
        self.session = stack.enter_context(meet(connection))
        self.conditions = target_conditions(self.session, connection, name)
        """Those that do not change while its program runs."""
        self._chip = connection.chip
        self._chip_time = self.session.now
        self._restore = _way_back(self.session, connection.chip)
        self._repetition: int | None = None
        self._currents = currents

    def measure(
        self,
        setting: Setting,
        progress: Callable[[int, int], None] | None = None,
        chip_time: Callable[[float], None] | None = None,
        record: Callable[[Recording], None] | None = None,
    ) -> Measurement:
        """Measure a setting.

        `progress` is called with the repetitions done and asked for, `chip_time` with a simulated chip's time. If
        `record` is there, the target's recorder is on, and `record` is called with what it recorded; raises
        UnknownCommandError if the target's program has no recorder.
        """

        def tell(done: int, of: int) -> None:
            if progress is not None:
                progress(done, of)
            tell_time()

        def tell_time() -> None:
            if self._chip is not None and chip_time is not None:
                chip_time(self._chip_time + self.session.now - begin)

        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        parameters = requested_parameters(setting)
        self._restart(setting.repetition)
        begin = self.session.now
        bad_lines = self.session.statistics.bad_lines
        if self._chip is not None:
            self._chip.watch(_witness_of(setting.benchmark))
            if self._currents is not None:
                self._chip.watch_mark()
        if record is None:
            answer = self.session.measure(setting.benchmark, parameters, tell)
        else:
            answer, recording = self.session.record(setting.benchmark, parameters, tell)
            record(recording)
        tell_time()
        took = self.session.now - begin
        self._chip_time += took
        if answer.status == "aborted":
            raise IntercoreError(
                f"the target aborted the measurement though nobody asked; it was not stored: {parameters}"
            )
        truth = Truth() if self._chip is None else self._chip.truth(answer.series, answer.factors)
        measurement = Measurement(
            benchmark=setting.benchmark,
            factors={**answer.factors, **setting.factors},
            repetition=setting.repetition,
            series=(*answer.series, *truth.series),
            conditions={**self.conditions, **line_conditions(self._connection)},
            checks={**answer.checks, **truth.checks, "bad_lines": self.session.statistics.bad_lines - bad_lines},
            started=started,
        )
        too_long = longer_than(measurement, took)
        checks = {**measurement.checks, **({TOO_LONG: too_long} if too_long else {})}
        measurement = msgspec.structs.replace(measurement, checks=checks)
        if self._chip is not None and self._currents is not None:
            return with_estimate(measurement, self._chip.activity(), self._currents)
        return measurement

    def _restart(self, repetition: int) -> None:
        """Bring a simulated chip back to where it was; start the program on this machine anew for each repetition."""
        self._restore()
        before, self._repetition = self._repetition, repetition
        if before in (None, repetition) or self._connection.start is None:
            return
        self._stack.close()
        self._connection = self._connection.restarted()
        self.session = self._stack.enter_context(self._meet(self._connection))
        now = target_conditions(self.session, self._connection, self._name)
        self.conditions = of_another_start(self.conditions, now)


def target_conditions(session: Session, connection: Connection, target: str) -> dict[str, str]:
    """Return the conditions of whatever is measured now: what the target says, and what this side of the link adds."""
    info = session.info()
    return {
        **info.conditions,
        "target": target,
        "firmware": info.hello.firmware,
        "board": info.hello.board,
        "chip": info.hello.chip,
        "cores": str(info.hello.cores),
        "clock": info.hello.clock,
        "clock_hz": str(info.hello.hz),
        "tick_hz": str(info.hello.tick_hz),
        **line_conditions(connection),
        **connection.conditions,
        **({IMAGE: connection.image} if connection.image else {}),
        **({"emulated": f"by {connection.emulator}: times mean nothing"} if connection.emulator else {}),
        "host.platform": platform.platform(),
        "host.python": platform.python_version(),
        "host.tool": intercore.__version__,
    }


def line_conditions(connection: Connection) -> dict[str, str]:
    """Return what is to be said of the line to the target now, and of faults and mistakes of a simulated chip."""
    port, chip = connection.port, connection.chip
    rate = {} if port.rate is None else {"host.rate": str(port.rate)}
    faults = {} if chip is None or not chip.faults else {"host.faults": " ".join(chip.faults)}
    mistakes = {} if chip is None or not chip.mistakes else {"host.mistakes": "; ".join(chip.mistakes[:_MISTAKES])}
    return {"host.link": port.description, **rate, **faults, **mistakes}


def _way_back(session: Session, chip: SimulatedChip | None) -> Callable[[], None]:
    """Return what brings chip and session back to how they are now; only a simulated chip can be brought back."""
    restore_chip = None if chip is None else chip.snapshot()
    if restore_chip is None:
        return lambda: None
    restore_session = session.snapshot()

    def restore() -> None:
        restore_chip()
        restore_session()

    return restore


def _witness_of(benchmark: str) -> Callable[[Simulator], Witness] | None:
    """Return what sees measurements of a benchmark on a simulated chip; None if nothing does."""
    return registry.benchmark(benchmark).witness


def requested_parameters(setting: Setting) -> dict[str, Level]:
    """Return what the target is told: all factors but the target's own, and for each repetition another seed.

    The seed chooses phases and delays, so two repetitions with one seed would be the same experiment: on the simulated
    chip, to the cycle.
    """
    parameters = {name: level for name, level in setting.factors.items() if name not in TARGET_FACTORS}
    if isinstance(seed := parameters.get("seed"), int):
        parameters["seed"] = (seed + setting.repetition) % 2**32
    return parameters
