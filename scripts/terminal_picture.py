"""Draw what a command leaves on a terminal, as SVG: python scripts/terminal_picture.py FILE [COMMAND...].

Without a command, `intercore run pico-sim suite`. It runs in a pseudo-terminal of 80 columns, in an empty folder.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pyte
from rich import _export_format
from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

COLUMNS = 80
LINES = 200
COMMAND = ("intercore", "run", "pico-sim", "suite")
SVG = re.sub(r"@font-face \{\{.*?\n    \}\}\n", "", _export_format.CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""rich's own, which would fetch its font from another machine: whoever looks has another one."""


def left_behind(command: list[str]) -> pyte.Screen:
    """Run the command and return the screen of a terminal with enough lines for all that it prints."""
    ours, theirs = pty.openpty()
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "TERM": "xterm-256color", "PATH": path, "COLUMNS": str(COLUMNS), "LINES": "60"}
    output = b""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment)
        os.close(theirs)
        while True:
            try:
                said = os.read(ours, 65536)
            except OSError:  # Linux says so when nobody has the other end any more
                break
            if not said:
                break
            output += said
    # pyte knows no links, whose text stays; the folder is nobody's but ours.
    output = re.sub(rb"\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)", b"", output)
    stream.feed(output.replace(f"{folder}/".encode(), b""))
    if process.wait() != 0:
        sys.exit(f"{shlex.join(command)} has failed:\n" + "\n".join(screen.display).rstrip())
    return screen


def coloured(screen: pyte.Screen) -> Text:
    """Return the screen's text in its colours, up to the last line that has any."""
    text = Text()
    last = max(number for number, line in enumerate(screen.display) if line.strip())
    for number in range(last + 1):
        for column in range(COLUMNS):
            cell = screen.buffer[number][column]
            style = [word for word, on in (("bold", cell.bold), ("italic", cell.italics)) if on]
            if cell.fg != "default":
                style.append(cell.fg if not re.fullmatch(r"[0-9a-f]{6}", cell.fg) else f"#{cell.fg}")
            text.append(cell.data, " ".join(style).replace("brown", "yellow"))
        text.append("\n")
    return text


def main() -> None:
    """Draw the picture."""
    file, *command = sys.argv[1:]
    command = command or list(COMMAND)
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text(f"$ {shlex.join(command)}", "bold"))
        console.print(coloured(left_behind(command)), end="")
        drawn = console.export_svg(title="", theme=SVG_EXPORT_THEME, code_format=SVG, unique_id="terminal")
    Path(file).write_text(drawn.replace("font-family: Fira Code, monospace", "font-family: monospace"))


main()
