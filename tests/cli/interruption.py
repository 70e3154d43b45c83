"""Interrupt a command that runs, at a moment that is known."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING

from tests.cli.tool import PATIENCE, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def wait_until(happened: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def press_ctrl_c(process: subprocess.Popen[str]) -> Result:
    """As a terminal does it: the signal goes to the foreground process group."""
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    return Result(process.returncode, out, err)


def has_runs(path: Path) -> bool:
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as database:
        try:
            return bool(database.execute("SELECT count(*) FROM campaigns").fetchone()[0])
        except sqlite3.OperationalError:
            return False
