"""What the command `profile` records: a program from its file, or a benchmark on a simulated target."""

from __future__ import annotations

import re
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.suite import traced
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import draft_plan, plan_without_parts
from intercore.campaign.this_thread import carry_out
from intercore.cli.measuring import kept_target
from intercore.cli.options import alternatives
from intercore.cli.planned import complete_plan_on, resolve_user_workload, sources_of
from intercore.errors import IntercoreError, UsageError
from intercore.profile.alone import Alone, compared
from intercore.profile.image import hidden_lines, named
from intercore.profile.names import readable, short
from intercore.profile.recorded import Profile, take
from intercore.profile.recording import Recording, Timed
from intercore.profile.tried import tried
from intercore.record.level_words import parse_levels
from intercore.record.measurement import SPOILING_CHECKS
from intercore.record.store import Store
from intercore.sim import Reason, Simulator, SimulatorError
from intercore.target.targets import TARGETS, Address, FunctionOnlyTarget, SimulatedTarget, find
from intercore.terminal.console import messages
from intercore.terminal.progress import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.campaign.open_target import OpenTarget
    from intercore.profile.tried import Tried
    from intercore.record.measurement import Measurement
    from intercore.record.plan import Setting
    from intercore.sim import Chip, Snapshot

_ADDRESSES = re.compile("(0x[0-9a-f]{1,8})-(0x[0-9a-f]{1,8})", re.IGNORECASE)
_MISTAKES = 3
"""Mistakes of a program that are told in words."""


class Window(NamedTuple):
    """The part of a program's run that is recorded, as the user gave it."""

    seconds: float
    begin: str | None
    end: str | None
    alone: int | None
    moves: Sequence[str]
    """Functions and data of which is tried what it would bring to move them."""


class Profiled(NamedTuple):
    """A profile, and what there is to say of it."""

    profile: Profile
    alone: Alone | None
    tried: Tried | None
    names: str
    warnings: Sequence[str]
    start: tuple[Simulator, Snapshot] | None
    """The chip, and its state when the profile began; None of a benchmark."""


def of_image(image: Path, window: Window, calls: str | None) -> Profiled:
    """Run a program, and record the part of it that the user asked for."""
    program = named(image)
    simulator = Simulator(program.image)
    timed = None if calls is None else Timed(calls, place(simulator, calls, "--calls"))
    end = None if window.end is None else place(simulator, window.end, "--to")
    moved = [addresses(simulator, name) for name in window.moves]
    try:
        simulator.set_apart(moved)
    except ValueError as error:
        raise UsageError(f"--try: {error}") from None
    simulator.set_apart([])
    alone = apart = None
    with messages().status("the chip is switched on") as status:
        recording = Recording(simulator, window.seconds, status.update)
        if window.begin is not None:
            recording.reach(place(simulator, window.begin, "--from"), window.begin)
        elif window.alone is not None:
            recording.reach_start(1)
        start = simulator.snapshot()
        found, stop = recording.record(image.name, end, timed)
        warnings = _mistakes(simulator)
        if window.alone is not None:
            by_itself = recording.record_alone(window.alone, start, image.name, end)
            alone = compared(window.alone, found, by_itself)
        if moved:
            apart = tried(window.moves, found, recording.record_apart(moved, start, image.name, end))
    if window.end is not None and stop.reason is not Reason.ADDRESS:
        warnings.insert(0, f"No core executed {window.end}: the profile goes up to the end of the run.")
    if program.doubt:
        warnings.append(program.doubt)
    if not found.sources and (hidden := hidden_lines(program.image)):
        warnings.append(hidden)
    if next(simulator.all_symbols(), None) is None:
        warnings.append(
            f"{image.name} has no symbols, so functions are told by the addresses at which they were called."
        )
    return Profiled(found, alone, apart, program.names, warnings, (simulator, start))


def is_target(name: Path) -> bool:
    """Return whether this is the name of a target, and not of a file."""
    return not name.exists() and any(target.name == str(name) for target in TARGETS)


def has_time(name: Path) -> bool:
    """Return whether what is recorded has a time: it has, unless this is a target that is simulated without it."""
    return not is_target(name) or not isinstance(find(str(name)), FunctionOnlyTarget)


def of_benchmark(name: str, benchmark: str, levels: Sequence[str], calls: str | None) -> Profiled:
    """Measure one setting of a benchmark on a simulated target, and record what its program does meanwhile."""
    target = find(name)
    if not isinstance(target, SimulatedTarget):
        able = alternatives(one.name for one in TARGETS if isinstance(one, SimulatedTarget))
        raise UsageError(f"what {name} executes cannot be recorded: profile a benchmark on {able}")
    if calls is not None and isinstance(target, FunctionOnlyTarget):
        raise UsageError(f"--calls: {name} has no time that calls could take: omit it")
    profiler = _Profiler(" ".join([f"{name} {benchmark}", *levels]), calls)
    measured(name, benchmark, levels, profiler)
    return Profiled(profiler.profile, None, None, "", profiler.mistakes, None)


def measured(name: str, benchmark: str, levels: Sequence[str], measurer: Measurer) -> None:
    """Measure one setting of a benchmark on a simulated target."""
    target = find(name)
    wanted, own = resolve_user_workload(parse_levels(levels), [], [], [])
    if several := [f"{factor}={','.join(texts)}" for factor, texts in wanted.items() if len(texts) != 1]:
        raise UsageError(f"profile can only measure one setting: give one level instead of {several[0]}")
    address = Address(sources=sources_of(kernel=None, firmware=None, own=own))
    experiment = Experiment(benchmark, {**traced(benchmark), **wanted})
    draft = draft_plan(plan_without_parts(target, address, benchmark, repetitions=1), [experiment])
    with (
        kept_target(draft.plan, address, None) as kept,
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder, "profile.db")) as store,
    ):
        run = store.create_run(complete_plan_on(kept, draft), 1)
        with watch(messages()) as observer:
            carry_out(store, {run: kept}, observer, measure=measurer)


class Measurer(ABC):
    """Measures settings for `this_thread.carry_out`, and looks at what the program does meanwhile."""

    def __call__(
        self,
        target: OpenTarget,
        setting: Setting,
        progress: Callable[[int, int], None],
        chip_time: Callable[[float], None],
    ) -> Measurement:
        """Measure a setting."""
        measurement = target.measure(setting, progress, chip_time, observe=self)
        counts = {name: measurement.checks.get(name, 0) for name in SPOILING_CHECKS}
        if failed := ", ".join(f"{name}: {count}" for name, count in counts.items() if count):
            raise IntercoreError(f"RESULTS WRONG: the measurement failed its checks ({failed}), so nothing is shown")
        return measurement

    @abstractmethod
    def begin(self, simulator: Chip) -> None:
        """Look from here on."""

    @abstractmethod
    def end(self, simulator: Chip) -> None:
        """Keep what was seen."""


class _Profiler(Measurer):
    """Keeps the profile of the last setting."""

    profile: Profile
    mistakes: Sequence[str] = ()
    """What the simulator noted against the program up to the end of the measurement."""

    def __init__(self, title: str, calls: str | None) -> None:
        """Call the profile so, and time the calls of a function."""
        self._title = title
        self._calls = calls
        self._timed: Timed | None = None
        self._begun = 0.0

    def begin(self, simulator: Chip) -> None:
        """Record from here on."""
        if self._calls is not None:
            self._timed = Timed(self._calls, place(simulator, self._calls, "--calls"))
        self._begun = simulator.seconds
        simulator.start_profile(self._timed.address if self._timed else None)

    def end(self, simulator: Chip) -> None:
        """Keep what was recorded."""
        seconds = simulator.seconds - self._begun
        timed = self._timed.name if self._timed else None
        self.profile = take(simulator, self._title, "the measurement has ended", seconds, timed)
        self.mistakes = _mistakes(simulator)


def _mistakes(simulator: Chip) -> list[str]:
    found = simulator.take_diagnostics()
    more = [f"{len(found) - _MISTAKES} more of these were noted."] if len(found) > _MISTAKES else []
    return [*(f"The program did what is not modelled or not allowed: {one}" for one in found[:_MISTAKES]), *more]


def addresses(simulator: Chip, text: str) -> tuple[int, int]:
    """Return the addresses of a function or of data by its name, or as the profile shows what has no name."""
    if found := _ADDRESSES.fullmatch(text):
        begin, last = (int(part, 16) for part in found.groups())
        return begin, last + 1
    for name, symbol in simulator.all_symbols():
        if text in {name, readable(name), short(readable(name))} and symbol.size:
            return symbol.address & ~1, (symbol.address & ~1) + symbol.size
    raise UsageError(
        f"--try {text}: the program has no function and no data with this name and a size: give a name as the profile "
        "shows it, or addresses such as 0x20000100-0x200001ff"
    )


def place(simulator: Chip, text: str, option: str) -> int:
    """Return the address of a function by its name, or of an address as text."""
    try:
        return simulator.address(int(text, 0) if text[:1].isdigit() else text)
    except (SimulatorError, ValueError) as error:
        for name, symbol in simulator.all_symbols():
            if symbol.is_function and text in {readable(name), readable(name).partition("(")[0]}:
                return symbol.address  # of C++, as the profile shows it, also without parameters
        raise UsageError(f"{option} {text}: {error}") from None
