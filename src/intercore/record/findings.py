"""What the conditions of a run say about how far its numbers can be trusted, and how that is worded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.finding import Caveat
from intercore.record.origin import CAUTION

if TYPE_CHECKING:
    from collections.abc import Iterable


Several: TypeAlias = Annotated[tuple[str, ...], Meta(min_length=2)]


def in_a_row(names: Iterable[str]) -> str:
    """Return names that may hold commas in one phrase."""
    return " / ".join(names)


# Kernels and images


class KernelsOfOne(msgspec.Struct, frozen=True):
    """The kernels of one of several runs, or of one of two sides."""

    name: str
    """What it is called: `run 3`."""
    kernels: Annotated[tuple[str, ...], Meta(min_length=1)]


def _each(known: Iterable[KernelsOfOne]) -> str:
    return "; ".join(f"{one.name}: {in_a_row(one.kernels)}" for one in known)


class SeveralKernels(Caveat, frozen=True):
    """A run mixes measurements of several kernels."""

    run: int
    kernels: Several

    @property
    def sentence(self) -> str:
        return (
            f"Run {self.run} mixes {len(self.kernels)} kernels ({in_a_row(self.kernels)}): results from all its "
            "measurements hold for none of them. Measure each kernel in a separate run."
        )


class SeveralImages(Caveat, frozen=True):
    """The program changed within a run, though nothing that it was built with did."""

    run: int
    images: Several
    """Their digests."""

    @property
    def sentence(self) -> str:
        return (
            f"The image changed within run {self.run} ({in_a_row(self.images)}), so not all measurements are of the "
            "same program. Measure again."
        )


class UnknownIdentity(Caveat, frozen=True):
    """The kernel or the image of a run is unknown."""

    wording: ClassVar[dict[str, str]] = {"kernel": "kernel's sources", "image": "image"}

    run: int
    unknown: Annotated[tuple[Literal["kernel", "image"], ...], Meta(min_length=1)]

    @property
    def sentence(self) -> str:
        which = " and the ".join(self.wording[one] for one in self.unknown)
        return (
            f"The {which} of run {self.run} cannot be compared with those of another run, because this run does not "
            "state them. Earlier versions of Intercore did not record them, and programs that Intercore did not build "
            "do not report them."
        )


class KernelsDiffer(Caveat, frozen=True):
    """Runs of one target that are shown side by side are of several kernels."""

    target: str
    runs: Annotated[tuple[KernelsOfOne, ...], Meta(min_length=2)]

    @property
    def sentence(self) -> str:
        return (
            f"Several kernels were measured on {self.target}: {_each(self.runs)}. Differences between these runs may "
            "come from the kernels."
        )


class OtherKernel(Caveat, frozen=True):
    """Two compared sides may have different kernels."""

    sides: Annotated[tuple[KernelsOfOne, ...], Meta(min_length=2)]

    @property
    def sentence(self) -> str:
        return f"The two sides likely have different kernels ({_each(self.sides)})."


class ImagesDiffer(Caveat, frozen=True):
    """Runs of one target that are shown side by side are of one kernel and several images."""

    target: str
    runs: Several
    """What they are called: `run 3`."""
    images: Several
    """Their digests."""

    @property
    def sentence(self) -> str:
        return (
            f"On {self.target}, {' and '.join(self.runs)} have different images ({in_a_row(self.images)}): they ran "
            "different programs."
        )


# Other conditions


class EmulatedTimes(Caveat, frozen=True):
    """The chip is emulated, so that its times mean nothing."""

    @property
    def sentence(self) -> str:
        return CAUTION


class ConditionChanged(Caveat, frozen=True):
    """A condition changed within a run, although no factor of its plan did."""

    condition: str
    seen: Several
    """Its values, in the order in which they first come."""

    @property
    def sentence(self) -> str:
        return (
            f"The condition {self.condition} changed within this run ({in_a_row(self.seen)}): its measurements are "
            "not comparable. Measure again in one session."
        )


class NoRealTimePriority(Caveat, frozen=True):
    """The operating system did not permit real-time scheduling."""

    @property
    def sentence(self) -> str:
        return (
            "The system did not permit real-time scheduling (SCHED_FIFO), so other programs could use the cores: "
            "expect wider intervals. Run as root or permit real-time priorities (ulimit -r)."
        )


class ClockMayChange(Caveat, frozen=True):
    """Power management may change the frequencies of the target's clocks."""

    @property
    def sentence(self) -> str:
        return (
            "The target's power management may change its clocks' frequencies while it measures, so its times are not "
            "reliable: build it without (CONFIG_PM_ENABLE=n)."
        )


class CoreInterruptsLost(Caveat, frozen=True):
    """Interrupts from core to core were lost."""

    count: int

    @property
    def sentence(self) -> str:
        one = self.count == 1
        return (
            f"{self.count} doorbell{'' if one else 's'} between cores {'was' if one else 'were'} lost, and the kernel "
            f"recovered {'it at its next tick' if one else 'them at its next ticks'}. Samples with a lost doorbell "
            "are a millisecond or two too long. On real hardware this should not happen."
        )


class MachineBusy(Caveat, frozen=True):
    """Something else was running when the run started."""

    @property
    def sentence(self) -> str:
        return (
            "Other programs were running when this run started (load average above 0.5 per core). Close them and "
            "measure again."
        )


class OnVirtualMachine(Caveat, frozen=True):
    """The target is a virtual machine."""

    @property
    def sentence(self) -> str:
        return (
            "This is a virtual machine: its hypervisor can pause a core unnoticed, which causes rare, very long "
            "samples."
        )
