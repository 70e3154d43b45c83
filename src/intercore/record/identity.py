"""The kernel and the image of measurements: numbers of different ones are not comparable.

A target with FreeRTOS reports the digest of its kernel's sources, and one with Linux its kernel. The host computes the
digest of the image if it starts or flashes the program itself. Older runs have none.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.record.factors import of_target
from intercore.record.findings import (
    ImagesDiffer,
    KernelsDiffer,
    KernelsOfOne,
    SeveralImages,
    SeveralKernels,
    UnknownIdentity,
)
from intercore.record.plan import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.finding import Caveat
    from intercore.record.measurement import Level, Measurement, Run

IMAGE = "image.digest"
"""The condition that identifies the image."""
SOURCES = "freertos.sources"
"""The condition that identifies a FreeRTOS kernel: a digest, and whether it is that of a FreeRTOS release."""

_LINUX = "os.kernel"
KERNEL = (SOURCES, _LINUX)
"""The conditions that distinguish kernels; a target has one of them."""

_VERSION = "freertos.version"
_TOOL = "host.tool"


def kernel(conditions: Mapping[str, str]) -> str | None:
    """Return the identity of the kernel; None if unknown."""
    return conditions.get(SOURCES) or conditions.get(_LINUX)


def runs_linux(conditions: Mapping[str, str]) -> bool:
    """Whether a measurement shared its machine with Linux."""
    return _LINUX in conditions


def kernel_name(conditions: Mapping[str, str]) -> str:
    """Return what people call the kernel: `FreeRTOS V11.2.0 SMP, sources 0123456789abcdef, unmodified`."""
    if _VERSION in conditions:
        return f"FreeRTOS {conditions[_VERSION]}, sources {conditions.get(SOURCES, 'unknown')}"
    return conditions.get(_LINUX, "an unknown kernel")


def is_other_kernel(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether two measurements are known to be of different kernels: an unknown one may be any of its version."""
    mine, theirs = kernel(first), kernel(second)
    if mine is not None and theirs is not None:
        return mine != theirs
    return _VERSION in first and _VERSION in second and first[_VERSION] != second[_VERSION]


def kernels(measurements: Iterable[Measurement], before: Iterable[Mapping[str, str]] = ()) -> list[Mapping[str, str]]:
    """Return the conditions of a measurement of each kernel, known or not, in the order in which they first come.

    Those that were found `before` come first.
    """
    found: dict[tuple[str | None, str | None], Mapping[str, str]] = {}
    for conditions in (*before, *(one.conditions for one in measurements)):
        known = kernel(conditions)
        found.setdefault((known, None if known else conditions.get(_VERSION)), conditions)
    return list(found.values())


def kernels_that_differ(measurements: Iterable[Measurement]) -> list[str]:
    """Return the names of the kernels, if some of them are known to be others; none if all may be the same."""
    found = kernels(measurements)
    differ = any(is_other_kernel(one, other) for one in found for other in found)
    return [kernel_name(one) for one in found] if differ else []


Images: TypeAlias = "Mapping[str, tuple[str, ...]]"
"""Digests of images by `build_of` what they were built with, each once."""


def build_of(levels: Mapping[str, Level]) -> str:
    """Return the levels of the target's own factors in canonical form: each build has its own image."""
    return canonical(of_target(levels))


def images(measurements: Iterable[Measurement], before: Images = MappingProxyType({})) -> Images:
    """Return the images that are known of the measurements, and those that were found `before`."""
    found = dict(before)
    for one in measurements:
        build, image = build_of(one.factors), one.conditions.get(IMAGE)
        if image is not None and image not in found.get(build, ()):
            found[build] = (*found.get(build, ()), image)
    return found


def images_that_differ(measurements: Iterable[Measurement]) -> Sequence[str]:
    """Return the digests of all images of a build of which there are several; none if each build has one."""
    return next((found for found in images(measurements).values() if len(found) > 1), ())


def caveats(run: Run) -> Iterator[Caveat]:
    """Return the findings on a run with several or unknown kernels or images."""
    if differing := kernels_that_differ(run.measurements):
        yield SeveralKernels(run=run.id, kernels=tuple(differing))
    if several := images_that_differ(run.measurements):
        yield SeveralImages(run=run.id, images=tuple(several))
    if unknown := tuple(_unknown(run)):
        yield UnknownIdentity(run=run.id, unknown=unknown)


def combined_caveats(runs: Sequence[Run]) -> Iterator[Caveat]:
    """Return which runs that are shown side by side are of other kernels or, of one target, other images."""
    for target in dict.fromkeys(run.plan.target for run in runs):
        yield from _between(target, [run for run in runs if run.plan.target == target])


def _between(target: str, runs: Sequence[Run]) -> Iterator[Caveat]:
    if len(runs) == 1:
        return
    together = [one for run in runs for one in run.measurements]
    if kernels_that_differ(together):
        of_each = (
            KernelsOfOne(run.title, tuple(map(kernel_name, kernels(run.measurements))))
            for run in runs
            if run.measurements
        )
        yield KernelsDiffer(target=target, runs=tuple(of_each))
    elif several := images_that_differ(together):
        yield ImagesDiffer(target=target, runs=tuple(run.title for run in runs), images=tuple(several))


def _unknown(run: Run) -> Iterator[Literal["kernel", "image"]]:
    """Return the findings on unknown identities of a target's measurements."""
    taken = [one.conditions for one in run.measurements if _TOOL in one.conditions]
    if any(kernel(one) is None for one in taken):
        yield "kernel"
    if run.plan.url is None and any(IMAGE not in one for one in taken):  # the host knows the programs that it started
        yield "image"
