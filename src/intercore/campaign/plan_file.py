"""What a plan file says: targets, and experiments with the levels of their factors. docs/sweep.md describes it.

It may be carried out on another target, or in part (`on_target`, `part_of`).
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
    """Device or pyserial URL; None for what runs on this machine."""
    baud: int
    max_baud: int | None
    location: Location
    """Where it stands in the file."""
    flashing: Flashing = Flashing()
    """How it is flashed, if it is a board and experiments name its factors."""
    image: str | None = None
    """The prebuilt image that an emulated chip runs; None if its program is built here."""
    emulated: bool = False
    """Whether the user says that what is behind the port is an emulator."""
    meter: str | None = None
    """The power meter beside it, as `--meter` has it."""
    besides: tuple[Besides, ...] = ()
    """What is in that meter's path."""
    currents: Currents | None = None
    """Of a simulated chip, for an ESTIMATED energy."""

    def __str__(self) -> str:
        """Return it in words: `pico at /dev/ttyACM0`."""
        return self.name if self.port is None else f"{self.name} at {self.port}"


class Experiment(msgspec.Struct, frozen=True):
    """A benchmark to measure, with the levels of its factors and of the target's: of a plan file or a command line."""

    benchmark: str
    """Or `suite`, with `fill`."""
    levels: Mapping[str, Sequence[Level]]
    """As they stand there: what a target makes of them is not known yet."""
    targets: tuple[str, ...] | None = None
    """Names of the targets that it is for; None for all."""
    fraction: float = 1.0
    skip_impossible: bool = False
    """Whether settings that the target cannot measure are left out, and not refused."""
    skip: tuple[dict[str, Level], ...] = ()
    """Levels of some factors, of which no setting is to have all."""
    location: Location = ()
    """Where it stands in its file."""
    fill: bool = False
    """Whether factors that it does not name have the benchmark's usual levels; if not, the target's default."""
    may_be_impossible: bool = False
    """Whether it is no error if the target can measure none of it: the user did not name its levels."""

    def is_for(self, entry: TargetEntry) -> bool:
        """Whether it is to be measured there."""
        return self.targets is None or entry.name in self.targets


class PlanFile(msgspec.Struct, frozen=True):
    """What a plan file says."""

    name: str
    """As the user named it."""
    text: str
    targets: tuple[TargetEntry, ...]
    experiments: tuple[Experiment, ...]
    repetitions: int
    seed: int
    stop: StopRule | None
    budget: float | None
    """Seconds after which nothing more is begun."""
    exhibits: tuple[str, ...] = ()
    """The tables and figures of publications that it repeats: reports begin with them."""
    options: tuple[str, ...] = ()
    """Options of `intercore sweep`, as typed, that have changed what the text says."""

    def refusal(self, location: Location, sentence: str) -> UsageError:
        """Return the error that names the line of what stands at `location`."""
        return UsageError(f"{self.name}:{line_of(self.text, location)}: {sentence}")


def on_target(file: PlanFile, name: str) -> PlanFile:
    """Return what the file says, of one target alone: one of its own or, in place of all of them, one without a port.

    That one gets the experiments of all. Raises UsageError if there is no such target.
    """
    entry = next((one for one in file.targets if one.name == name), None)
    experiments = file.experiments
    if entry is None:
        if not find(name).built_here:
            raise UsageError(f"{name} needs a port, and {file.name} names none for it: write it there as a target")
        entry = TargetEntry(name, None, DEFAULT_BAUD, None, file.targets[0].location)
        experiments = tuple(msgspec.structs.replace(one, targets=None) for one in experiments)
    return msgspec.structs.replace(
        file, targets=(entry,), experiments=experiments, options=(*file.options, "--target", name)
    )


def part_of(file: PlanFile, fraction: float) -> PlanFile:
    """Return what the file says, of this fraction of the settings: of each experiment so much of what it measures."""
    experiments = tuple(msgspec.structs.replace(one, fraction=one.fraction * fraction) for one in file.experiments)
    return msgspec.structs.replace(
        file, experiments=experiments, options=(*file.options, "--fraction", f"{100 * fraction:.12g}%")
    )
