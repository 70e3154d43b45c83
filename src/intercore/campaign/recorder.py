"""Measures a setting twice: with the target's recorder off, as in any run, and with it on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Measurement
    from intercore.record.plan import Setting
    from intercore.record.trace_recording import Recording


class Recorder:
    """Measures settings for `this_thread.carry_out`, and keeps the recording of the last one."""

    recorded: Measurement
    """The measurement with the recorder on: like the stored one, except for the recorder's overhead."""
    recording: Recording
    """The target's recording of it."""

    def __call__(
        self,
        target: OpenTarget,
        setting: Setting,
        progress: Callable[[int, int], None],
        chip_time: Callable[[float], None],
    ) -> Measurement:
        """Return the measurement with the recorder off. UnknownCommandError if the target's program has no recorder."""
        plain = target.measure(setting, progress, chip_time)
        self.recorded = target.measure(setting, progress, chip_time, record=self._keep)
        return plain

    def _keep(self, recording: Recording) -> None:
        self.recording = recording
