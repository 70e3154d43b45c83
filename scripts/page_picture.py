"""Take a picture of the top of a page: python scripts/page_picture.py PAGE.html FILE.png. It needs chromium."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = (1280, 1080)
"""Pixels, wide and high."""


def main() -> None:
    """Open the page in a browser that nobody sees, and save what a window of SIZE shows."""
    page, picture = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-sync", f"--user-data-dir={profile}"]
        command += [f"--screenshot={picture.absolute()}", f"--window-size={SIZE[0]},{SIZE[1]}"]
        done = subprocess.run([*command, page.absolute().as_uri()], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not picture.exists():
        sys.exit(f"chromium took no picture of {page}: {done.stderr.strip() or 'it said nothing'}")


main()
