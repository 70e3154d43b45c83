"""A run has one kernel: measurements with another kernel are not added to it. Another image causes a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.errors import UsageError
from intercore.record import identity
from intercore.record.findings import in_a_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level, Measurement, Run


class OtherKernelError(UsageError):
    """The target has another kernel than the run."""


class RunIdentity:
    """The kernel and the images of a run's measurements so far."""

    def __init__(self, run: Run) -> None:
        """Begin with the measurements of the run."""
        self._run = run.id
        self._target = run.plan.target
        self._kernels = identity.kernels(run.measurements)
        self._images = identity.images(run.measurements)

    def check_kernel(self, conditions: Mapping[str, str]) -> None:
        """Raise OtherKernelError if the run has measurements with another kernel than that of these conditions.

        If one of the two is unknown, they may be the same; the run's caveats report that.
        """
        for mine in self._kernels:
            if identity.is_other_kernel(mine, conditions):
                raise OtherKernelError(
                    f"run {self._run} was measured with another kernel ({identity.kernel_name(mine)}) than "
                    f"{self._target} has now ({identity.kernel_name(conditions)}), but all measurements of a run must "
                    "have the same kernel. Set FREERTOS_KERNEL_PATH to the folder of the run's kernel, or start a "
                    "new run"
                )

    def changed_image(self, build: Mapping[str, Level], conditions: Mapping[str, str]) -> str:
        """Return a warning if the run has no measurement with this image in this build; empty otherwise."""
        known, now = self._images.get(identity.build_of(build), ()), conditions.get(identity.IMAGE)
        if not known or now is None or now in known:
            return ""
        return (
            f"the image differs from that of run {self._run} so far: it is {now}, and not "
            f"{in_a_row(known)}; from here on the run measures another program"
        )

    def add(self, measurement: Measurement) -> None:
        """Note a measurement of the run."""
        self._kernels = identity.kernels([measurement], self._kernels)
        self._images = identity.images([measurement], self._images)
