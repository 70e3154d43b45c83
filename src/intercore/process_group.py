"""Programs that this one starts, each in a group of its own with all that it starts itself.

So Ctrl-C reaches this program alone, which ends the others in good order, and nothing of them is left behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

OWN_GROUP = 0 if os.name == "posix" else None
"""For `process_group` of subprocess.Popen(), from which `end_group` needs it."""

_GRACE_S = 5.0
"""For a killed program to be gone: one that waits for a device takes a moment."""


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all that it has started, if it is still running, and wait some seconds until it is gone."""
    if process.poll() is not None:
        return
    with suppress(OSError):  # it has just ended
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
