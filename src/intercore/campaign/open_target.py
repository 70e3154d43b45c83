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
from intercore.errors import IntercoreError
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import Measurement, Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from intercore.link.session import Session
    from intercore.record.measurement import Level, Plan
    from intercore.record.plan import Setting
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness
    from intercore.target.connection import Connection
    from intercore.target.simulated_chip import SimulatedChip


@contextlib.contextmanager
def opened(
    connection: Connection,
    plan: Plan,
    timeout: float,
    max_rate: int | None = None,
    told: Callable[[str], None] | None = None,
) -> Iterator[OpenTarget]:
    """Get an open target ready to measure settings of the plan; it is closed in the end."""
    with contextlib.closing(connection), connection.session(timeout, told) as session:
        session.raise_rate(max_rate)
        yield OpenTarget(session, connection, target_conditions(session, connection, plan.target))


class OpenTarget:
    """A target that is ready to measure.

    On a simulated chip every measurement begins from the same state, so that what comes of it depends on the program
    and the setting alone: neither on what was measured before nor on where and when.
    """

    def __init__(self, session: Session, connection: Connection, conditions: Mapping[str, str]) -> None:
        """Begin each measurement from how target and session are now, where there is a way back."""
        self.session = session
        self._connection = connection
        self._chip = connection.chip
        self._conditions = conditions
        self._chip_time = session.now
        self._rewind = _way_back(session, connection.chip)

    def measure(
        self,
        setting: Setting,
        progress: Callable[[int, int], None] | None = None,
        chip_time: Callable[[float], None] | None = None,
    ) -> Measurement:
        """Measure a setting. `progress` is told repetitions done and asked for, `chip_time` a simulated chip's time."""

        def tell(done: int, of: int) -> None:
            if progress is not None:
                progress(done, of)
            tell_time()

        def tell_time() -> None:
            if self._chip is not None and chip_time is not None:
                chip_time(self._chip_time + self.session.now - begin)

        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        asked = _asked(setting)
        self._rewind()
        begin = self.session.now
        bad_lines = self.session.statistics.bad_lines
        if self._chip is not None:
            self._chip.watch(_witness_of(setting.benchmark))
        answer = self.session.measure(setting.benchmark, asked, tell)
        tell_time()
        took = self.session.now - begin
        self._chip_time += took
        if answer.status == "aborted":
            raise IntercoreError(f"the target aborted the measurement though nobody asked; it was not stored: {asked}")
        truth = Truth() if self._chip is None else self._chip.truth(answer.series, answer.factors)
        measurement = Measurement(
            benchmark=setting.benchmark,
            factors={**answer.factors, **setting.factors},
            repetition=setting.repetition,
            series=(*answer.series, *truth.series),
            conditions={**self._conditions, **line_conditions(self._connection)},
            checks={**answer.checks, **truth.checks, "bad_lines": self.session.statistics.bad_lines - bad_lines},
            started=started,
        )
        too_long = longer_than(measurement, took)
        checks = {**measurement.checks, **({TOO_LONG: too_long} if too_long else {})}
        return msgspec.structs.replace(measurement, checks=checks)


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
        **({"emulated": f"by {connection.emulator}: times mean nothing"} if connection.emulator else {}),
        "desk.platform": platform.platform(),
        "desk.python": platform.python_version(),
        "desk.tool": intercore.__version__,
    }


def line_conditions(connection: Connection) -> dict[str, str]:
    """Return what is to be said of the line to the target now, and of faults that it has on purpose."""
    port, chip = connection.port, connection.chip
    rate = {} if port.rate is None else {"desk.rate": str(port.rate)}
    faults = {} if chip is None or not chip.faults else {"desk.faults": " ".join(chip.faults)}
    return {"desk.link": port.description, **rate, **faults}


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
    """Return what sees measurements of a benchmark on a simulated chip; None if its folder has no `witness`."""
    module = registry.module(benchmark, "witness")
    make_witness: Callable[[Simulator], Witness] | None = None if module is None else module.witness
    return make_witness


def _asked(setting: Setting) -> dict[str, Level]:
    """Return what the target is told: all factors but the target's own, and for each repetition another seed.

    The seed chooses phases and delays, so two repetitions with one seed would be the same experiment: on the simulated
    chip, to the cycle.
    """
    asked = {name: level for name, level in setting.factors.items() if name not in TARGET_FACTORS}
    if isinstance(seed := asked.get("seed"), int):
        asked["seed"] = (seed + setting.repetition) % 2**32
    return asked
