"""The content of a plan file: targets, and experiments with the levels of their factors. docs/sweep.md describes it.

It may be measured on another target, or in part (`on_target`, `part_of`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from intercore.board.boards import Flashing
from intercore.campaign.toml_location import Location, line_of
from intercore.errors import UsageError
from intercore.record.measurement import Level, StopRule
from intercore.record.meter_recording import Besides, Currents
from intercore.target.targets import DEFAULT_BAUD, find


class TargetEntry(msgspec.Struct, frozen=True):
    """A target of a plan file."""

    name: str
    """As in `intercore list`."""
    port: str | None
    """Device or pyserial URL; None for targets on this machine."""
    baud: int
    max_baud: int | None
    location: Location
    """Its location in the file."""
    flashing: Flashing = Flashing()
    """How to flash it, if it is a board and experiments name its factors."""
    image: str | None = None
    """Existing image of an emulated chip; None to build its program."""
    emulated: bool = False
    """Whether the user declares the target at the port as an emulator."""
    meter: str | None = None
    """Its power meter, as for `--meter`."""
    besides: tuple[Besides, ...] = ()
    """The loads in the meter's path."""
    currents: Currents | None = None
    """Currents of a simulated chip, for an ESTIMATED energy."""

    def __str__(self) -> str:
        """Return it in words: `pico at /dev/ttyACM0`."""
        return self.name if self.port is None else f"{self.name} at {self.port}"


class Experiment(msgspec.Struct, frozen=True):
    """A benchmark with levels of its factors and of the target's, from a plan file or a command line."""

    benchmark: str
    """A benchmark, or `suite` with `fill`."""
    levels: Mapping[str, Sequence[Level]]
    """Levels as written, not yet resolved for a target."""
    targets: tuple[str, ...] | None = None
    """Names of its targets; None for all."""
    fraction: float = 1.0
    skip_impossible: bool = False
    """Whether settings that the target cannot measure are skipped instead of refused."""
    skip: tuple[dict[str, Level], ...] = ()
    """Combinations of levels to exclude."""
    location: Location = ()
    """Its location in the file."""
    fill: bool = False
    """Whether unnamed factors have the benchmark's default levels; else the target's default."""
    may_be_impossible: bool = False
    """Whether it may be entirely impossible on the target, because the user did not name its levels."""

    def is_for(self, entry: TargetEntry) -> bool:
        """Whether it applies to a target."""
        return self.targets is None or entry.name in self.targets


class PlanFile(msgspec.Struct, frozen=True):
    """The content of a plan file."""

    name: str
    """The file's name as the user gave it."""
    text: str
    targets: tuple[TargetEntry, ...]
    experiments: tuple[Experiment, ...]
    repetitions: int
    seed: int
    stop: StopRule | None
    budget: float | None
    """Seconds after which no further measurement begins."""
    exhibits: tuple[str, ...] = ()
    """The published tables and figures that it reproduces; reports begin with them."""
    options: tuple[str, ...] = ()
    """Options of `intercore sweep`, as typed, that modify the plan."""
    runs: int = 1
    """In how many runs real targets are measured, each with the repetitions."""
    every: float = 0.0
    """Seconds from the start of a run to that of the next, at least."""

    def refusal(self, location: Location, sentence: str) -> UsageError:
        """Return an error with the line of `location`."""
        return UsageError(f"{self.name}:{line_of(self.text, location)}: {sentence}")


def on_target(file: PlanFile, name: str) -> PlanFile:
    """Return the plan for one target only: one of the file, or another one that needs no port.

    The latter gets the experiments of all targets. Raises UsageError if there is no such target.
    """
    entry = next((one for one in file.targets if one.name == name), None)
    experiments = file.experiments
    if entry is None:
        if not find(name).built_here:
            raise UsageError(
                f"{name} needs a port, but {file.name} names no port: add {name} to the file as a [[target]] with a "
                "port"
            )
        entry = TargetEntry(name, None, DEFAULT_BAUD, None, file.targets[0].location)
        experiments = tuple(msgspec.structs.replace(one, targets=None) for one in experiments)
    return msgspec.structs.replace(
        file, targets=(entry,), experiments=experiments, options=(*file.options, "--target", name)
    )


def part_of(file: PlanFile, fraction: float) -> PlanFile:
    """Return the plan with this fraction of the settings of each experiment."""
    experiments = tuple(msgspec.structs.replace(one, fraction=one.fraction * fraction) for one in file.experiments)
    return msgspec.structs.replace(
        file, experiments=experiments, options=(*file.options, "--fraction", f"{100 * fraction:.12g}%")
    )
