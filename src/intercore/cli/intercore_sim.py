"""The command `intercore-sim` of the package: runs the crate's command in this process."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from intercore import _native


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    # The command handles Ctrl-C itself; without this, Python would raise KeyboardInterrupt as well.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["intercore-sim", *sys.argv[1:]]))
