"""Child processes, each in its own process group together with its descendants.

So Ctrl-C reaches only the tool, which ends its children in order, and no descendant is left behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress

OWN_GROUP = 0 if os.name == "posix" else None
"""For `process_group` of subprocess.Popen(); required by the functions below."""

_GRACE_S = 5.0
"""For a killed process to end: one that waits for a device takes a moment."""
_POLL_S = 0.01
"""Interval at which the end of a process is polled."""


def wait_for_group(process: subprocess.Popen[bytes], timeout: float) -> int:
    """Wait until a process has ended, kill its remaining descendants, and return its exit status.

    Raises subprocess.TimeoutExpired after `timeout` s; then nothing has been killed.
    """
    if process.returncode is None and hasattr(os, "waitid"):
        deadline = time.monotonic() + timeout
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(process.args, timeout)
            time.sleep(_POLL_S)
        _kill(process)  # before its status is fetched: after that, its group's number may be reused
    return process.wait(timeout)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its descendants, unless it was waited for, and wait some seconds for its end."""
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
