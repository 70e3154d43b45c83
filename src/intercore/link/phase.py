"""The phases of an exchange, and what takes it from one to another: the whole of it in one table."""

from __future__ import annotations

import enum


class Phase(enum.Enum):
    """How far an exchange is. It decides what is said when it is time to speak: see `Exchange._send_next`."""

    ASKING = "asking"
    """Nothing of the answer was heard yet: the command is said."""
    RUNNING = "running"
    """The target computes and sends nothing but its progress: it is left alone as long as possible."""
    PROBED = "poked"
    """It does, as far as is known, and was asked for line 0 as a sign of life: it is busy, or done if it sends that."""
    RECEIVING = "receiving"
    """It has done its work: missing lines are asked for."""
    COMPLETE = "complete"
    """No line is missing."""


class Event(enum.Enum):
    """What may take an exchange from one phase to another."""

    STARTED = "started"
    """A line of the answer came that is sent before a run: it may have been sent before, or again."""
    PROGRESS = "progress"
    """The target said how far its run is."""
    RESULT = "result"
    """A line came that is sent only when the work is done."""
    LAST = "last"
    """The last missing line came."""
    BUSY = "busy"
    """The target is still at it, and its end is not known."""
    KEEPALIVE = "poke"
    """It is asked for a sign of life."""


TRANSITIONS = {
    (Phase.ASKING, Event.STARTED): Phase.RUNNING,
    (Phase.ASKING, Event.PROGRESS): Phase.RUNNING,
    (Phase.ASKING, Event.RESULT): Phase.RECEIVING,
    (Phase.RUNNING, Event.RESULT): Phase.RECEIVING,
    (Phase.RUNNING, Event.KEEPALIVE): Phase.PROBED,
    (Phase.PROBED, Event.STARTED): Phase.RECEIVING,  # no target sends lines again before it is done
    (Phase.PROBED, Event.RESULT): Phase.RECEIVING,
    (Phase.PROBED, Event.BUSY): Phase.RUNNING,
    (Phase.RECEIVING, Event.BUSY): Phase.RUNNING,  # what it sent was what came before the run, once more
    (Phase.RECEIVING, Event.LAST): Phase.COMPLETE,
}
"""All other events leave an exchange in its phase."""
