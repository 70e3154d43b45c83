"""Runs the programs that repeat published figures; writes what they took, and docs/accuracy.md."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.accuracy.figures import Simulated, compare, left_out, published, simulated
from intercore.accuracy.page import markdown
from intercore.accuracy.programs import SOURCES, compiler_version, numbers_of, programs
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = SOURCES.parents[1] / "docs" / "accuracy.md"
NUMBERS = Path(__file__).with_name("simulated.toml")


def run(last: Simulated, folder: Path) -> Simulated:
    """Run every program that can be built here; the numbers of others are those of last time."""
    found = {
        name: numbers_of(name, program, folder) if program.available else last.programs.get(name, {})
        for name, program in programs().items()
    }
    return Simulated(compiler_version(), found)


def as_toml(found: Simulated) -> str:
    """Return the numbers as TOML."""
    return "\n".join(_lines(found)) + "\n"


def page(found: Simulated) -> str:
    """Return the page with such numbers."""
    return markdown(compare(published(), found.numbers), left_out(), found.compiler)


def main() -> int:
    """Write both files."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = run(simulated(), Path(folder))
        NUMBERS.write_text(as_toml(found), "utf-8")
        PAGE.write_text(page(found), "utf-8")
    except IntercoreError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _lines(found: Simulated) -> Iterator[str]:
    yield "# Written by `python -m intercore.accuracy`: what the programs of programs.toml printed."
    yield f'compiler = "{found.compiler}"'
    for program, numbers in found.programs.items():
        yield ""
        yield f"[programs.{program}]"
        yield from (f'"{name}" = {number}' for name, number in numbers.items())


if __name__ == "__main__":
    sys.exit(main())
