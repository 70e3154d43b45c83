"""What the documentation prints of a command beside it is what that command prints today.

With INTERCORE_SLOW=1, since it measures on the simulated chip, where a number is the same each time.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.built_once import ROOT
from tests.cli.tool import Tool
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")

_PRINTED = re.compile(
    r"from\s`intercore run (pico-sim [^`]+)`\s[^:]*SIMULATED[^:]*:\n((?:\n? {5,}\S.*\n)+)", re.IGNORECASE
)
"""A command, and the tables indented below it, which may have only some lines and columns of what it prints."""
_COMMAND = re.compile(
    r"^    intercore (run|trace|profile|validate) (pico(?:-(?:amp-)?sim| --simulate-board) (?:[^\\\n]|\\\n)+)\n\n",
    re.MULTILINE,
)
"""A command on a line of its own. It prints what is indented below, or between ```, up to the next one or a heading."""
_NEXT = re.compile(r"^ {4,}(?:\$ )?intercore |^#+ ", re.MULTILINE)


_KEPT = {"run": ("--store", "store.db"), "trace": ("--perfetto", "x.perfetto-trace"), "profile": (), "validate": ()}


class Printed(NamedTuple):
    """Part of a document."""

    document: str
    verb: str
    """`run`, `trace`, `profile` or `validate`."""
    command: str
    block: str


def printed() -> list[Printed]:
    """Return every command that is named with what it prints, and all that it prints."""
    documents = sorted((ROOT / "docs").rglob("*.md"))
    return [
        Printed(document.name, verb, command, block)
        for document in documents
        for verb, command, block in _blocks(document.read_text("utf-8"))
    ]


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    yield from (("run", command, block) for command, block in _PRINTED.findall(text))
    for found in _COMMAND.finditer(text):
        rest = text[found.end() :]
        end = _NEXT.search(rest)
        block = "".join(f"{line}\n" for line in _set_apart(rest[: end.start()] if end else rest))
        if re.search(r"\d", block):
            yield found[1], found[2].replace("\\\n", " "), block


def _set_apart(text: str) -> Iterator[str]:
    """Yield the lines that are indented, or between ``` without a language."""
    fence = ""
    for line in text.splitlines():
        if line.startswith("```"):
            fence = "" if fence else line
        elif fence == "```" or (not fence and re.match(r" {4,}\S", line)):
            yield line


def cells(line: str) -> list[str]:
    """Return the cells of a line of a table, which stand two blanks or more apart. A no-break space is a blank."""
    return re.split(r"\s{2,}", line.strip().replace("\N{NO-BREAK SPACE}", " "))


def is_part(few: list[str], many: list[str]) -> bool:
    """Whether all cells are among those of another line, in the same order."""
    rest = iter(many)
    return all(cell in rest for cell in few)


def test_each_of_these_documents_prints_what_a_command_does() -> None:
    """A page whose form changed would otherwise drop out of the test below."""
    assert {one.document for one in printed()} >= {
        *("api.md", "clock.md", "contention.md", "hartstone.md", "irq.md", "jitter.md", "lock.md", "memory.md"),
        *(
            "message.md",
            "own-work.md",
            "profile.md",
            "rhealstone.md",
            "speedup.md",
            "switch.md",
            "threadmetric.md",
            "trace.md",
            "validate.md",
        ),
    }


@pytest.mark.parametrize("one", printed(), ids=lambda one: f"{one.document}-{one.command.split(' ', 2)[1]}")
def test_a_document_prints_what_its_command_does(one: Printed, tmp_path: Path) -> None:
    need_tools()
    shutil.copytree(ROOT / "examples" / "workloads", tmp_path, dirs_exist_ok=True)  # what commands call ./crc.c
    tool, wide = Tool(tmp_path, "printed"), {"COLUMNS": "100"}
    asked = tool(one.verb, *shlex.split(one.command), *_KEPT[one.verb], environment=wide, kill_after=600).succeeded()
    shown = (
        asked.out
        if one.verb != "run"
        else tool("show", "1", "--published", *_KEPT["run"], environment=wide).succeeded().out
    )
    known = [cells(line) for line in shown.splitlines()]
    sentences = " ".join(shown.split())
    lines = [line for line in one.block.splitlines() if any(character.isdigit() for character in line)]
    assert lines
    missing = [
        line
        for line in lines
        if line.strip() not in sentences and not any(is_part(cells(line), each) for each in known)
    ]
    assert missing == [], shown
