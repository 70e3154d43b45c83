"""Makes the pictures in docs/images: what `run pico-sim suite` leaves on a terminal, and the top of the page it writes.

`make pictures` calls this. Debian's chromium takes the picture of the page.
"""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COMMAND = ("run", "pico-sim", "suite")
ROWS, COLUMNS = 40, 80
SIZE = (1280, 1080)
"""Pixels of the window that shows the page."""


def intercore(folder: Path, *words: str) -> str:
    """Run the tool in a folder, on a terminal of so many columns; return what it prints there, without its progress."""
    program = Path(sys.executable).with_name("intercore")
    environment = {**os.environ, "TERM": "xterm-256color", "INTERCORE_STORE": "intercore.db"}
    ours, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (ROWS, COLUMNS))
    with tempfile.TemporaryFile("w+") as errors, os.fdopen(ours, "rb", buffering=0) as screen:
        with subprocess.Popen([program, *words], cwd=folder, env=environment, stdout=terminal, stderr=errors) as tool:
            os.close(terminal)
            printed = b"".join(iter(lambda: read(screen), b""))
        if tool.returncode:
            errors.seek(0)
            raise SystemExit(f"intercore {' '.join(words)} ended with {tool.returncode}: {errors.read()}")
    return printed.decode().replace("\r\n", "\n")


def read(screen: io.FileIO) -> bytes:
    """Return what has been written to a terminal; nothing once nobody has it open any more."""
    try:
        return screen.read(65536) or b""
    except OSError:  # as Linux says that
        return b""


def draw_terminal(printed: str, to: Path) -> None:
    """Write a drawing of a terminal that shows a command and what it printed."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ intercore {' '.join(COMMAND)}\n{printed.rstrip()}"))
    console.save_svg(str(to), title="intercore", unique_id="terminal")


def draw_page(page: Path, to: Path) -> None:
    """Write a picture of the top of a page, as a browser shows it."""
    chromium = [
        *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--disable-background-networking", "--disable-component-update", "--no-first-run"),
        f"--user-data-dir={page.parent / 'profile'}",
        f"--window-size={SIZE[0]},{SIZE[1]}",
    ]
    subprocess.run([*chromium, f"--screenshot={to}", page.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Make both pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw_terminal(intercore(folder, *COMMAND), IMAGES / "terminal.svg")
        intercore(folder, "report", "pico-sim", "--output", "page.html")
        draw_page(folder / "page.html", IMAGES / "page.png")


if __name__ == "__main__":
    main()
