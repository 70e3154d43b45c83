"""The option `--explain-worst`: repeats the measurements with the longest samples, and says what their time went to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks import failed, registry
from intercore.cli.options import alternatives
from intercore.cli.profiled import Measurer
from intercore.errors import IntercoreError, UsageError
from intercore.profile.worst import MOST_CYCLES, explain
from intercore.record.factors import TRACE_NAME, of_target
from intercore.record.plan import SUITE, setting_of
from intercore.sim import Repetition, Simulator
from intercore.target.targets import TARGETS, FunctionOnlyTarget, SimulatedTarget
from intercore.terminal.console import messages, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from intercore.campaign.kept_target import KeptTarget
    from intercore.record.explanation import Explanation
    from intercore.record.measurement import Measurement, Run
    from intercore.record.store import Store
    from intercore.sim import Chip
    from intercore.sim.observation import Answers
    from intercore.target.targets import Target


def check_explainable(target: Target, benchmark: str) -> None:
    """Raise UsageError if the longest samples of a benchmark, or of the suite, cannot be explained on a target.

    Called before anything is measured.
    """
    able = [one.name for one in registry.known() if one.load_answers is not None]
    if benchmark not in (*able, SUITE):
        raise UsageError(f"--explain-worst cannot explain the samples of {benchmark}: choose {alternatives(able)}")
    if not _is_able(target):
        names = alternatives(one.name for one in TARGETS if _is_able(one))
        recorded = any(factor.name == TRACE_NAME for factor in target.factors)
        instead = (
            f". Where the time of the longest sample goes on {target.name}: intercore trace {target.name} {benchmark}"
        )
        raise UsageError(
            f"--explain-worst looks at each cycle of a measurement, which is possible on {names}{instead * recorded}"
        )


def _is_able(target: Target) -> bool:
    """Whether a target is simulated with its time, and the simulator tells which calls its cores are in."""
    return (
        isinstance(target, SimulatedTarget)
        and not isinstance(target, FunctionOnlyTarget)
        and target.board.cores != "RISC-V"
    )


def explain_worst(store: Store, run: Run, kept: KeptTarget) -> Run:
    """Explain the longest samples of a run, and return it with what was found out. Raises IntercoreError."""
    with messages().status("repeating the measurements with the longest samples") as status:
        for one, kind in longest(run):
            if (cycles := int(_samples(one, kind.series).max())) > MOST_CYCLES:
                say(f"the longest sample of {one.benchmark} is not explained: {cycles:,} cycles are too many")
                continue
            status.update(f"repeating {one.benchmark}, whose longest sample is to be explained")
            setting = setting_of(run.plan, one)
            repeater = _Repeater(kind)
            try:
                target = kept.opened(of_target(setting.factors))
                again = repeater(target, setting, lambda _done, _of: None, lambda _seconds: None)
                found = repeater.explanation(one, again)
            except IntercoreError as error:
                why = f"run {run.id} is in the store, but a sample of {one.benchmark} could not be explained: {error}"
                raise IntercoreError(why) from error
            store.set_explanation(run.id, setting, found)
    return store.run(run.id)


def longest(run: Run) -> Iterator[tuple[Measurement, type[Answers]]]:
    """Yield the measurements that hold the longest sample of each benchmark, apart by what is timed, with its probe."""
    found: dict[tuple[object, ...], tuple[int, Measurement, type[Answers]]] = {}
    for one in failed.analysable(run).measurements:
        load = registry.benchmark(one.benchmark).load_answers
        if load is None or one.factors.get("time", "common") != "common":
            continue
        kind = load()
        ticks = _samples(one, kind.series)
        key = (one.benchmark, *(one.factors[name] for name in kind.apart))
        if len(ticks) and (key not in found or int(ticks.max()) > found[key][0]):
            found[key] = int(ticks.max()), one, kind
    yield from ((one, kind) for _, one, kind in found.values())


def _samples(one: Measurement, series: str) -> npt.NDArray[np.int64]:
    return next((each.ticks for each in one.series if each.name == series), np.zeros(0, np.int64))


class _Repeater(Measurer):
    """Sees how the samples of a measurement come about, to explain the longest one."""

    def __init__(self, kind: type[Answers]) -> None:
        """See them by this kind of probe."""
        self._kind = kind
        self._seen: tuple[Repetition, Answers] | None = None

    def begin(self, simulator: Chip) -> None:
        """See Measurer."""
        if isinstance(simulator, Simulator):
            self._seen = Repetition(simulator), self._kind(simulator)

    def end(self, simulator: Chip) -> None:  # noqa: ARG002
        """See Measurer."""
        if self._seen is not None:
            self._seen[0].end()

    def explanation(self, stored: Measurement, again: Measurement) -> Explanation:
        """Return what the longest sample went to. Raises IntercoreError if the repetition has other samples."""
        name = self._kind.series
        series = again.samples(name)
        if self._seen is None or not np.array_equal(series.ticks, _samples(stored, name)):
            raise IntercoreError(
                f"the repetition of {stored.benchmark} has other samples than the store. The likely cause is another "
                "program, or a fault that occurs once: measure it anew, without --fault"
            )
        repetition, answers = self._seen
        at = int(np.argmax(series.ticks))
        return explain(repetition, series, at, answers.answered(again.series, again.factors)[at])
