"""Intercore's own firmware has no fault of two cores: no finding while it measures, or bears its stress tests.

Every day that is one way to wait for each of a lock, a message and a doorbell. INTERCORE_SLOW=1 covers all settings of
the suite, on one kernel and on two, and every level of optimisation.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pytest

from intercore.benchmarks import registry
from intercore.benchmarks.suite import traced
from intercore.board.factors import OPT_LEVELS
from intercore.campaign.levels import suite
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import complete_plan, draft_plan, plan_without_parts
from intercore.campaign.this_thread import carry_out
from intercore.cli import profiled
from intercore.cli.measuring import kept_target, open_session
from intercore.cli.planned import resolve_user_workload, sources_of
from intercore.hunt.calls import Calls
from intercore.hunt.findings import findings
from intercore.hunt.hunting import Run
from intercore.hunt.races import races
from intercore.hunt.waits import snapshot
from intercore.record.store import Store
from intercore.sim import Reason, Simulator, Stop
from intercore.target.targets import Address, find
from intercore.terminal.console import messages
from intercore.terminal.progress import watch
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built
from tests.firmware.rp2040.test_stress import StressRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Level, Measurement
    from intercore.record.plan import Setting
    from intercore.sim import Chip

    Levels: TypeAlias = Mapping[str, Sequence[Level]]

SLOW = "INTERCORE_SLOW" in os.environ
slow = pytest.mark.skipif(not SLOW, reason="takes minutes: set INTERCORE_SLOW=1")
LONG = 10.0
"""Seconds that each wait is said to have lasted."""
TARGETS = ("pico-sim", "pico-amp-sim")
REAL = {"migrate=published": ("jitter", "blocker_task", "periodic_task"), "lock=atomic": ("ic_match",)}
"""What the text of a finding has that is real, by setting.

- As published, the periodic task says which blocker is to run, and does not look whether the one before, on the other
  core, is done: only a period between them keeps them apart.
- Atomic operations hold no lock: a core looks whether the bout is over, and ends it, while the other one does the same.
"""


def found_in(simulator: Simulator) -> list[str]:
    """Return what a first run has found, as if both cores had done for long what they do now."""
    calls = Calls(simulator)
    stop = Stop(Reason.LIMIT, simulator.now, "", None, None, None)
    run = Run(stop, "", True, False, False, snapshot(simulator, calls), (LONG, LONG), b"", {})
    return [one.text for one in findings(simulator, calls, run, {})]


def raced_in(simulator: Simulator) -> list[str]:
    """Return the data races of a second run."""
    found = simulator.races()
    assert found is not None
    return [one.text for one in races(simulator, Calls(simulator), found[0])]


class Hunter(profiled.Measurer):
    """Measures settings, and keeps what a hunt finds meanwhile."""

    def __init__(self) -> None:
        """Know none yet."""
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.shared: dict[str, list[int]] = {}
        self.setting = ""

    def __call__(
        self,
        target: OpenTarget,
        setting: Setting,
        progress: Callable[[int, int], None],
        chip_time: Callable[[float], None],
    ) -> Measurement:
        """Measure a setting."""
        self.setting = " ".join(f"{name}={level}" for name, level in setting.factors.items())
        return super().__call__(target, setting, progress, chip_time)

    def begin(self, simulator: Chip) -> None:
        """Hunt from here on."""
        assert isinstance(simulator, Simulator)
        simulator.start_hunt()

    def end(self, simulator: Chip) -> None:
        """Keep the findings."""
        assert isinstance(simulator, Simulator)
        self.texts[self.setting] = found_in(simulator)
        self.shared[self.setting] = simulator.shared_words()


class RaceHunter(Hunter):
    """Measures the same again, and keeps data races for words that were shared."""

    def __init__(self, before: Hunter) -> None:
        """Watch the words that were shared before."""
        super().__init__()
        self.before = before

    def begin(self, simulator: Chip) -> None:
        """Hunt from here on."""
        assert isinstance(simulator, Simulator)
        simulator.start_hunt_again([], self.before.shared[self.setting])

    def end(self, simulator: Chip) -> None:
        """Keep the findings."""
        assert isinstance(simulator, Simulator)
        self.texts[self.setting] = raced_in(simulator)


def _narrowed(levels: Levels, to: Levels) -> Levels:
    return {name: to.get(name, some) for name, some in levels.items()}


def measure(name: str, benchmark: str, levels: Levels, measurer: Hunter, *, of_suite: bool) -> None:
    """Measure a benchmark on a simulated target at some levels, or in all settings of the suite that have them."""
    _, own = resolve_user_workload({}, [], [], [])
    target, address = find(name), Address(sources=sources_of(kernel=None, firmware=None, own=own))
    plan = plan_without_parts(target, address, benchmark, repetitions=1)
    with (
        kept_target(plan, address, None) as kept,
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder, "hunt.db")) as store,
    ):
        session = open_session(kept, name, draft_plan(plan, [Experiment(benchmark, levels)]).first_build)
        benchmarks = session.benchmarks()
        for refused in (one.refused for one in benchmarks if one.name == benchmark and one.refused):
            pytest.skip(refused)
        experiments = [one for one in suite(benchmarks, 1, "simulated") if of_suite and one.benchmark == benchmark]
        wanted = [msgspec.structs.replace(one, levels=_narrowed(one.levels, levels)) for one in experiments]
        wanted = wanted or [Experiment(benchmark, levels, fill=of_suite)]
        run = store.create_run(complete_plan(draft_plan(plan, wanted), session, benchmarks), 1)
        with watch(messages()) as observer:
            carry_out(store, {run: kept}, observer, measure=measurer)


def unexplained(texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the findings by setting, without those that are real."""
    left = {}
    for setting, found in texts.items():
        real = [words for of, words in REAL.items() if of in setting]
        left[setting] = [text for text in found if not any(all(word in text for word in words) for words in real)]
    return {setting: found for setting, found in left.items() if found}


def assert_silent(name: str, benchmark: str, levels: Levels, *, of_suite: bool = False) -> None:
    """Hunt in all settings of some levels, or of the suite with these levels."""
    hunter = Hunter()
    measure(name, benchmark, levels, hunter, of_suite=of_suite)
    assert unexplained(hunter.texts) == {}
    assert all(len(shared) > 10 for shared in hunter.shared.values())
    again = RaceHunter(hunter)
    measure(name, benchmark, levels, again, of_suite=of_suite)
    assert unexplained(again.texts) == {}
    assert len(again.texts) == len(hunter.texts) > 0


@pytest.mark.parametrize(
    ("target", "benchmark", "levels"),
    [
        ("pico-sim", "lock", {}),
        # The kernel's words in the FIFO are 0, and those of a doorbell 1.
        ("pico-sim", "irq", {"path": ["doorbell"], "interrupted": ["busy", "kernel"], "samples": ["20"]}),
        ("pico-amp-sim", "message", {}),
        *(pytest.param(*others, {}, marks=slow) for others in (
            ("pico-sim", "switch"), ("pico-sim", "message"), ("pico-sim", "speedup"), ("pico-amp-sim", "irq"),
        )),
    ],
)  # fmt: skip
def test_our_own_firmware_has_no_finding(target: str, benchmark: str, levels: Levels) -> None:
    assert_silent(target, benchmark, {**traced(benchmark), **levels})


@pytest.mark.skipif(not SLOW, reason="takes an hour: set INTERCORE_SLOW=1")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("benchmark", registry.names())
def test_no_setting_of_the_suite_has_a_finding(target: str, benchmark: str) -> None:
    few = {name: levels for name, levels in traced(benchmark).items() if name != "period_us"}
    assert_silent(target, benchmark, few, of_suite=True)


@pytest.mark.skipif(not SLOW, reason="takes half an hour: set INTERCORE_SLOW=1")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("benchmark", ["switch", "lock", "message", "irq", "speedup"])
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_no_level_of_optimisation_has_a_finding(target: str, benchmark: str, opt: str) -> None:
    assert_silent(target, benchmark, {**traced(benchmark), "opt": [opt]})


def stressed(program: Path, seconds: float, begin: Callable[[Simulator], None]) -> Simulator:
    """Run a stress test for so long, from power-on, with what it needs at its console."""
    run = StressRun(program, begin)
    code = run.run(lambda: run.chip.now > seconds * CLK_SYS_HZ)
    assert code == 0
    return run.chip


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("opt", OPT_LEVELS if SLOW else ["O2"])
def test_the_stress_test_of_the_port_has_no_finding(opt: str) -> None:
    program, seconds = built(opt) / "intercore-stress", 2.0 if SLOW else 0.1
    first = stressed(program, seconds, Simulator.start_hunt)
    assert found_in(first) == []
    again = stressed(program, seconds, lambda chip: chip.start_hunt_again([], first.shared_words()))
    assert again.now == first.now
    assert raced_in(again) == []
