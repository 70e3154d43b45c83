"""The phases of an exchange and the table of its transitions."""

from __future__ import annotations

import enum


class Phase(enum.Enum):
    """The phase of an exchange, which decides what is sent next: see `Exchange._send_next`."""

    ASKING = "asking"
    """No line of the answer has arrived: the command is sent."""
    RUNNING = "running"
    """The target computes and sends only its progress: it is left undisturbed as long as possible."""
    PROBED = "poked"
    """As RUNNING, but line 0 was requested as a keep-alive: the target answers that it is busy, or sends it if it is
    done."""
    RECEIVING = "receiving"
    """The target has finished: missing lines are requested."""
    COMPLETE = "complete"
    """No line is missing."""


class Event(enum.Enum):
    """The events that may change the phase."""

    STARTED = "started"
    """A line arrived that is sent before a run; perhaps again."""
    PROGRESS = "progress"
    """The target reported the progress of its run."""
    RESULT = "result"
    """A line arrived that is sent only after the run."""
    LAST = "last"
    """The last missing line arrived."""
    BUSY = "busy"
    """The target is still busy."""
    KEEPALIVE = "poke"
    """It is probed by a keep-alive."""


TRANSITIONS = {
    (Phase.ASKING, Event.STARTED): Phase.RUNNING,
    (Phase.ASKING, Event.PROGRESS): Phase.RUNNING,
    (Phase.ASKING, Event.RESULT): Phase.RECEIVING,
    (Phase.RUNNING, Event.RESULT): Phase.RECEIVING,
    (Phase.RUNNING, Event.KEEPALIVE): Phase.PROBED,
    (Phase.PROBED, Event.STARTED): Phase.RECEIVING,  # a target repeats lines only after the run
    (Phase.PROBED, Event.RESULT): Phase.RECEIVING,
    (Phase.PROBED, Event.BUSY): Phase.RUNNING,
    (Phase.RECEIVING, Event.BUSY): Phase.RUNNING,  # the repeated line came from before the run
    (Phase.RECEIVING, Event.LAST): Phase.COMPLETE,
}
"""All other events leave an exchange in its phase."""
