"""Programs that this one starts, each in a group of its own with all that it starts itself.

So Ctrl-C reaches this program alone, which ends the others in good order, and nothing of them is left behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress

OWN_GROUP = 0 if os.name == "posix" else None
"""For `process_group` of subprocess.Popen(), from which what is here needs it."""

_GRACE_S = 5.0
"""For a killed program to be gone: one that waits for a device takes a moment."""
_POLL_S = 0.01
"""Seconds between looks at whether it has ended."""


def wait_for_group(process: subprocess.Popen[bytes], timeout: float) -> int:
    """Wait until a program has ended, kill what it has started and left behind, and return its exit status.

    Raises subprocess.TimeoutExpired after `timeout` s; then nothing has been killed.
    """
    if process.returncode is None and hasattr(os, "waitid"):
        deadline = time.monotonic() + timeout
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(process.args, timeout)
            time.sleep(_POLL_S)
        _kill(process)  # before its status is fetched: from then on, the number of its group may be another's
    return process.wait(timeout)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all that it has started, unless it was waited for, and wait some seconds until it is gone."""
    if process.returncode is not None:
        return
    _kill(process)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):  # it has just ended
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
