"""The command `intercore-sim`, as the package installs it: the one of the crate, in this process."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from intercore import _sim


def main() -> NoReturn:
    """Run what the command line asks for, and exit as it says."""
    # The command ends a run in good order by itself; Python would raise KeyboardInterrupt on top.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_sim.command(["intercore-sim", *sys.argv[1:]]))
