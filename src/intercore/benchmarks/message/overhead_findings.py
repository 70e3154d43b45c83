"""What `message measure=overhead` may find, and how that is worded."""

from __future__ import annotations

import msgspec

from intercore.benchmarks.message.curve import in_words
from intercore.finding import Caveat, Finding
from intercore.record.measurement import Level
from intercore.view.quantity import duration


class CoreTimes(msgspec.Struct, frozen=True):
    """The processor time of a message on both cores."""

    setting: dict[str, Level]
    sender_us: float
    receiver_us: float

    def __str__(self) -> str:
        """Return it in words."""
        return (
            f"{in_words(self.setting, self.setting)} takes {duration(self.sender_us)} of the sender's core and "
            f"{duration(self.receiver_us)} of the receiver's"
        )


class MessageCpuTime(Finding, frozen=True):
    """The processor time of a message, by the transports with the lowest and the highest sum."""

    bytes: int
    least: CoreTimes
    most: CoreTimes | None
    """None if one setting was measured."""

    @property
    def sentence(self) -> str:
        found = f"A message of {self.bytes:,} bytes by {self.least}"
        if self.most is not None:
            found += f", the lowest sum. A message by {self.most}, the highest"
        return f"{found}."


class MessageCpuTimeExactness(Finding, frozen=True):
    """How far what messages take is off what the simulator saw."""

    cycles: float

    @property
    def sentence(self) -> str:
        return (
            "Checked against the simulator: the time that a message takes of a core differs by at most "
            f"{self.cycles:.1f} cycles from the time that the load really lost."
        )


class MessageNoPriorities(Caveat, frozen=True):
    """The load was not of lower priority."""

    policy: str

    @property
    def sentence(self) -> str:
        return (
            f"message measure=overhead: the system gave no real-time priority ({self.policy}), so the load competed "
            "with the messages at equal priority, and its loss is not the time of the messages. Permit real-time "
            "priorities."
        )
