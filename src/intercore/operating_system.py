"""The differences between operating systems: process groups, locks, signals, priorities, names of this machine.

Nothing else calls a function that only Linux or only POSIX has. Where one is missing, a function here does without it,
or an error states what needs Linux.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from intercore.errors import IntercoreError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    import socket

OWN_GROUP = None if sys.platform == "win32" else 0
"""For `process_group` of subprocess.Popen(). Ctrl-C does not reach a program in its own group, but this program, which
then ends the other one with everything that it has started (`end_group`)."""

_NAMES = {"win32": "Windows", "darwin": "macOS"}
_GRACE_S = 5.0
"""For a killed program to be gone: one that waits for a device takes a moment."""
_LOOK_S = 0.01
"""Seconds between looks at whether it has ended."""


# What needs Linux


def why_not_here(what: str, otherwise: str) -> str | None:
    """Return a sentence if this is not Linux, which `what` needs; it ends with what a user may do in place of it."""
    if sys.platform == "linux":
        return None
    return f"{what} needs Linux, but this is {_NAMES.get(sys.platform, sys.platform)}; {otherwise}"


def need_linux(what: str, otherwise: str) -> None:
    """Raise IntercoreError with that sentence if this is not Linux."""
    if (why := why_not_here(what, otherwise)) is not None:
        raise IntercoreError(why)


def need_posix(what: str, otherwise: str) -> None:
    """Raise IntercoreError if this is Windows."""
    if sys.platform == "win32":
        raise IntercoreError(f"{what} needs Linux or macOS, but this machine has Windows: {otherwise}")


# Processes


def wait_for_group(process: subprocess.Popen[bytes], timeout: float) -> int:
    """Wait until a program has ended, kill what it has started and left behind, and return its exit status.

    Raises subprocess.TimeoutExpired after `timeout` s; then nothing has been killed.
    """
    if sys.platform != "win32" and hasattr(os, "waitid") and process.returncode is None:
        deadline = time.monotonic() + timeout
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(process.args, timeout)
            time.sleep(_LOOK_S)
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
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that ask a program to end."""
    if sys.platform == "win32":
        return signal.SIGTERM, signal.SIGINT
    return signal.SIGTERM, signal.SIGHUP, signal.SIGINT


# The machine


def usable_cores() -> int:
    """Return how many cores of this machine this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_have_real_time() -> bool:
    """Whether this process may have a real-time priority; it has none afterwards."""
    if sys.platform != "linux":
        return False
    before, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return False
    os.sched_setscheduler(0, before, parameters)
    return True


def load_averages() -> tuple[float, float, float]:
    """Return the mean number of programs that wanted a core in the last 1, 5 and 15 minutes; 0 on Windows."""
    if sys.platform == "win32":
        return 0.0, 0.0, 0.0
    return os.getloadavg()


def may_open(device: str) -> bool:
    """Whether this user may open a device. Windows shows that only when it is opened."""
    return sys.platform == "win32" or os.access(device, os.R_OK | os.W_OK)


def local_socket() -> socket.socket:
    """Return a socket that can take a name on this machine."""
    import socket  # noqa: PLC0415 - few commands need it

    if sys.platform == "win32":
        raise IntercoreError("a named socket on this machine needs Linux, but this machine has Windows")
    return socket.socket(socket.AF_UNIX)


# Files


def lock(descriptor: int) -> bool:
    """Lock an open file, and return whether that was possible: nobody else holds it, and its file system has locks."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def try_record_lock(file: IO[bytes]) -> None:
    """Lock an open file as SQLite does. Raises OSError if its file system has no locks, which all have on Windows."""
    if sys.platform != "win32":
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def keep_owner_and_mode(descriptor: int, kept: os.stat_result) -> None:
    """Give an open file the owner, if that is allowed, and the mode of another. Windows has neither."""
    if sys.platform != "win32":
        with suppress(OSError):  # only root may give a file away
            os.fchown(descriptor, kept.st_uid, kept.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(kept.st_mode))
