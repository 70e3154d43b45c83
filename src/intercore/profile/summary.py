"""The analysis of a profile, as JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.alone import Alone
from intercore.profile.names import short
from intercore.profile.recorded import LockUse, LockWait, Loss, Master, Sums, total
from intercore.profile.source_lines import LineSummary, source_lines
from intercore.profile.sums import FunctionSummary, RootSummary, functions, roots
from intercore.profile.timed import CallsOf, calls_of
from intercore.profile.tried import Tried
from intercore.record.origin import Origin

if TYPE_CHECKING:
    from intercore.profile.recorded import Profile


SCHEMA = 1


class CoreSummary(msgspec.Struct, frozen=True):
    """The time of a core."""

    core: int
    cycles: int
    """All cycles of the run."""
    off: int
    """Cycles in which it was in reset, locked up, or stuck."""
    started: bool
    """Whether it has left the boot ROM, in which core 1 waits to be started, by the end."""
    sums: Sums


class ProfileAnalysis(msgspec.Struct, frozen=True, tag_field="kind", tag="intercore profile"):
    """The analysis of a profile, as `intercore profile --format json` prints it. Cycles are those of clk_sys."""

    image: str
    names: str
    """The file that the names of functions are from, if that is another one; else empty."""
    origin: Origin
    begun: int
    ended: int
    seconds: float
    """Of the chip's time."""
    stop: str
    """Why the run ended."""
    cores: Sequence[CoreSummary]
    roots: Sequence[RootSummary]
    functions: Sequence[FunctionSummary]
    """Those with the most cycles awake first."""
    losses: Sequence[Loss]
    """The largest first."""
    locks: Sequence[LockUse]
    """Those that were waited for longest first."""
    lock_waits: Sequence[LockWait]
    calls: CallsOf | None
    """Of the function that was timed, if one was."""
    alone: Alone | None
    """A core beside the other one and alone, if that was asked for."""
    lines: Sequence[LineSummary]
    """Source lines, as far as the debug information tells them: those with the most cycles awake first."""
    first_on_bus: Sequence[Master] = ()
    """Masters that come before the others where they ask for the same bank or port (BUS_PRIORITY)."""
    tried: Tried | None = None
    """The run again after functions or data were moved, if that was asked for."""
    hz: int = 0
    """Cycles per second in the end; 0 in a file of an earlier version, which does not say it."""
    schema: int = SCHEMA
    """Version of this shape. 1: the first."""

    @property
    def cycle_us(self) -> float:
        """Duration of a cycle in µs: in the end, for at the beginning the chip may be slow for some milliseconds."""
        return 1e6 / self.hz if self.hz else 1e6 * self.seconds / max(1, self.ended - self.begun)


def analysed(
    profile: Profile, names: str = "", alone: Alone | None = None, tried: Tried | None = None
) -> ProfileAnalysis:
    """Sum a profile up; `names` is the file that the names of functions are from, if that is not the image."""
    all_functions = [one for number, core in enumerate(profile.cores) for one in functions(number, core)]
    return ProfileAnalysis(
        profile.image,
        names,
        "simulated",
        profile.begun,
        profile.ended,
        profile.seconds,
        profile.stop,
        [
            CoreSummary(number, core.cycles, core.off, core.started, total(node.costs.sums for node in core.nodes))
            for number, core in enumerate(profile.cores)
        ],
        [one for number, core in enumerate(profile.cores) for one in roots(number, core)],
        sorted(all_functions, key=lambda one: (one.own.asleep - one.own.cycles, one.core, one.function)),
        sorted(profile.losses, key=lambda one: -one.cycles),
        sorted(profile.locks, key=lambda one: (-one.waited, -one.held)),
        sorted(profile.lock_waits, key=lambda one: -one.cycles),
        calls_of(profile),
        alone,
        source_lines(profile),
        profile.first,
        tried,
        profile.hz,
    )


def abridged(analysis: ProfileAnalysis) -> ProfileAnalysis:
    """Return an analysis with short names, for one screen."""
    parts = ("functions", "losses", "locks", "lock_waits", "lines")
    return msgspec.structs.replace(
        analysis, **{part: [_abridged(one) for one in getattr(analysis, part)] for part in parts}
    )


def _abridged(one: msgspec.Struct) -> msgspec.Struct:
    names = ("function", "object", "other_function", "other_object", "holder_function", "inlined_into")
    return msgspec.structs.replace(one, **{name: short(getattr(one, name)) for name in names if hasattr(one, name)})
