"""An open target: measures settings, and records their conditions."""

from __future__ import annotations

import contextlib
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.benchmarks import registry
from intercore.benchmarks.plausibility import TOO_LONG, longer_than
from intercore.campaign.calibration import calibrated, series_of
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
    from intercore.target.simulated_chip import ChipObserver, SimulatedChip

_MISTAKES = 3
"""Number of a program's mistakes that are stored in words."""


@contextlib.contextmanager
def opened(
    connection: Connection,
    plan: Plan,
    timeout: float,
    max_rate: int | None = None,
    on_log: Callable[[str], None] | None = None,
) -> Iterator[OpenTarget]:
    """Prepare an open target to measure settings of the plan; closes it in the end."""

    @contextlib.contextmanager
    def meet(connection: Connection) -> Iterator[Session]:
        with contextlib.closing(connection), connection.session(timeout, on_log) as session:
            session.raise_rate(max_rate)
            yield session

    with contextlib.ExitStack() as stack:
        yield OpenTarget(connection, plan.target, meet, stack, plan.currents)


class OpenTarget:
    """A target that is ready to measure.

    The program on this machine restarts for each repetition, so that memory addresses, and anything else that varies
    between starts, vary between repetitions as between runs. A simulated chip returns to the same state before each
    measurement, so that its result depends only on the program and the setting. Other targets are left unchanged.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        meet: Callable[[Connection], AbstractContextManager[Session]],
        stack: contextlib.ExitStack,
        currents: Currents | None = None,
    ) -> None:
        """Contact the target called `name`; `stack`, which the caller closes, has the cleanup.

        With `currents`, the energy of a simulated chip is estimated.
        """
        self._connection = connection
        self.kernel = connection.kernel
        """The kernel that its program was built with here, and its origin; empty if it was not."""
        self._name = name
        self._meet = meet
        self._stack = stack
        self.session = stack.enter_context(meet(connection))
        self.conditions = target_conditions(self.session, connection, name)
        """The conditions that are constant while its program runs."""
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
        observe: ChipObserver | None = None,
    ) -> Measurement:
        """Measure a setting.

        `progress` gets the repetitions done and requested, `chip_time` the time of a simulated chip. With `record`, the
        target's recorder is on, and `record` gets the recording; raises UnknownCommandError if the target's program has
        no recorder. `observe` sees a simulated chip before and after, instead of the probes of the benchmark.
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
        is_here = self._connection.start is not None and not self._connection.emulator
        before = calibrated() if is_here else {}
        begin = self.session.now
        bad_lines = self.session.statistics.bad_lines
        if self._chip is not None:
            self._chip.watch(_witness_of(setting.benchmark) if observe is None else None, observe)
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
        after = calibrated() if is_here else {}
        if answer.status == "aborted":
            raise IntercoreError(
                f"the target itself aborted a measurement, which is not stored. Its setting: {parameters}"
            )
        truth = Truth() if self._chip is None else self._chip.truth(answer.series, answer.factors)
        measurement = Measurement(
            benchmark=setting.benchmark,
            factors={**answer.factors, **setting.factors},
            repetition=setting.repetition,
            series=(*answer.series, *truth.series, *series_of(before, after)),
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
        """Restore the state of a simulated chip; restart the program on this machine for each repetition."""
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
    """Return the present conditions: those of the target, and those that the host adds."""
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
    """Return the present conditions of the link, and the faults and mistakes of a simulated chip."""
    port, chip = connection.port, connection.chip
    rate = {} if port.rate is None else {"host.rate": str(port.rate)}
    faults = {} if chip is None or not chip.faults else {"host.faults": " ".join(chip.faults)}
    mistakes = {} if chip is None or not chip.mistakes else {"host.mistakes": "; ".join(chip.mistakes[:_MISTAKES])}
    return {"host.link": port.description, **rate, **faults, **mistakes}


def _way_back(session: Session, chip: SimulatedChip | None) -> Callable[[], None]:
    """Return a function that restores the present state of chip and session; only a simulated chip has one."""
    restore_chip = None if chip is None else chip.snapshot()
    if restore_chip is None:
        return lambda: None
    restore_session = session.snapshot()

    def restore() -> None:
        restore_chip()
        restore_session()

    return restore


def _witness_of(benchmark: str) -> Callable[[Simulator], Witness] | None:
    """Return the source of a benchmark's ground truth on a simulated chip; None if it has none."""
    return registry.benchmark(benchmark).witness


def requested_parameters(setting: Setting) -> dict[str, Level]:
    """Return the parameters of a setting: all factors but the target's, and another seed for each repetition.

    The seed determines phases and delays, so two repetitions with the same seed would be the same experiment; on the
    simulated chip, to the cycle.
    """
    parameters = {name: level for name, level in setting.factors.items() if name not in TARGET_FACTORS}
    if isinstance(seed := parameters.get("seed"), int):
        parameters["seed"] = (seed + setting.repetition) % 2**32
    return parameters
