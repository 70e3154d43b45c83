"""Runs a program with deviations, many times, and tells whether it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.hunt.calls import Calls
from intercore.hunt.finding import Finding
from intercore.hunt.findings import findings
from intercore.hunt.hunting import Wanted, hunt
from intercore.hunt.races import races
from intercore.hunt.variation.deviations import FlashCache, Hold, Phase, faults_of
from intercore.sim import Reason, Simulator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.hunt.finding import Code
    from intercore.hunt.variation.deviations import Deviation

POTENTIAL = frozenset({"data-race", "lost-update", "torn-read"})
"""Findings of what may go wrong, and need not have in this run."""
_LONGER = 3.0
"""How many times as long as undisturbed a run may take, beside its holds and `_ROOM`."""
_ROOM = 0.2
"""Seconds of the chip's time."""
_SLOWEST = 12_000_000
"""Hz: cycles of holds take no longer than at this clk_sys, that of the crystal."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended."""

    codes: Sequence[str]
    """Of its findings."""
    reason: Reason
    exit_code: int | None
    seconds: float
    cycles: int


class Setting(msgspec.Struct, frozen=True):
    """What runs with deviations are compared with, and how they begin."""

    image: str
    seconds: float
    symbol: int | None
    text: bytes
    undisturbed: Outcome
    start: int
    """The cycle up to which the undisturbed run serves all that deviate later."""
    shared: Sequence[int]
    """Words that are watched for lost updates and torn reads."""

    def wanted(self, seconds: float) -> Wanted:
        """Return what the program is to do within so many seconds."""
        return Wanted(seconds, self.symbol, self.text)

    def failure(self, outcome: Outcome) -> Code | None:
        """Return the code of what is wrong with a run and not with the undisturbed one."""
        for code in outcome.codes:
            if code not in self.undisturbed.codes:
                return code  # type: ignore[return-value] # a code of a finding
        difference = self.difference(outcome)
        return difference.code if difference else None

    def difference(self, outcome: Outcome) -> Finding | None:
        """Return how the end of a run differs from that of the undisturbed one, if that is a fault."""
        before = self.undisturbed
        if before.reason not in {Reason.EXIT, Reason.TEXT, Reason.ADDRESS}:
            return None
        if outcome.reason is Reason.EXIT and outcome.exit_code != before.exit_code:
            return Finding("outcome", f"The program ends with exit code {outcome.exit_code}, not {before.exit_code}.")
        if outcome.reason is Reason.LIMIT:
            text = f"The program has not ended after {outcome.seconds:.3g} s of the chip's time, undisturbed after "
            return Finding("outcome", f"{text}{before.seconds:.3g} s.")
        return None

    def limit(self, deviations: Sequence[Deviation]) -> float:
        """Return for how many seconds of the chip's time a run may take."""
        held = sum(one.cycles for one in deviations if isinstance(one, Hold | Phase))
        return min(self.seconds, self.undisturbed.seconds * _LONGER + _ROOM + held / _SLOWEST)


class Trial:
    """A simulated chip that runs a program again and again."""

    def __init__(self, setting: Setting) -> None:
        """Run it undisturbed up to where deviations begin."""
        self.setting = setting
        self._simulator = Simulator(setting.image)
        self._calls = Calls(self._simulator)
        self._simulator.start_hunt_again([], setting.shared)
        self._power_on = self._simulator.snapshot()
        self._simulator.run_to(setting.start)
        self._started = self._simulator.snapshot()

    def outcome(self, deviations: Sequence[Deviation]) -> Outcome:
        """Run it with deviations."""
        later = all(
            isinstance(one, Hold | Phase | FlashCache) and one.cycle >= self.setting.start for one in deviations
        )
        self._simulator.restore(self._started if later else self._power_on)
        self._simulator.set_faults(faults_of(deviations))
        return run(self._simulator, self._calls, self.setting.wanted(self.setting.limit(deviations)))

    def failure(self, deviations: Sequence[Deviation]) -> Code | None:
        """Return the code of what goes wrong with deviations; None if nothing does."""
        return self.setting.failure(self.outcome(deviations))

    @property
    def state_hash(self) -> int:
        """The hash of the chip at the end of the last run: equal for equal runs."""
        return self._simulator.state_hash()


def run(simulator: Simulator, calls: Calls, wanted: Wanted) -> Outcome:
    """Run a program to its end, and return how it ended; of data races, what has happened, and not what may happen."""
    ran = hunt(simulator, calls, wanted, lambda _: None)
    codes: list[str] = [one.code for one in findings(simulator, calls, ran, {})]
    raced, _ = simulator.races() or ([], True)
    codes += [one.code for one in races(simulator, calls, [race for race in raced if race[6]])]
    return Outcome(codes, ran.stop.reason, ran.stop.code, simulator.seconds, simulator.now)


def undisturbed(image: Path, wanted: Wanted) -> tuple[Setting, tuple[int, int] | None]:
    """Return what runs are compared with, and cycle and function with which core 1 begins, if it does."""
    simulator = Simulator(image)
    calls = Calls(simulator)
    simulator.start_hunt()
    run(simulator, calls, wanted)
    shared = simulator.shared_words()
    again = Simulator(image)
    again.start_hunt_again([], shared)
    outcome = run(again, calls, wanted)
    launch = again.hunted().launches[0]
    if launch is None:
        return Setting(str(image), *wanted, outcome, 0, shared), None
    entry = launch[1] & ~1
    stop = Simulator(image).run_to(outcome.cycles, address=entry, core=1)
    return Setting(str(image), *wanted, outcome, stop.cycle, shared), (stop.cycle, entry)
