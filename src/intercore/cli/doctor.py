"""The command `doctor`: what this machine has for each target, and what mends what it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from intercore.cli.options import Output
from intercore.target.readiness import findings
from intercore.target.targets import find
from intercore.terminal.console import messages
from intercore.terminal.findings import Sentence
from intercore.terminal.formats import DEFAULT, show
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.target.readiness import Finding
    from intercore.terminal.findings import Part, Row

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore doctor; intercore doctor pico; intercore doctor --format json")
def doctor(
    target: Annotated[
        str | None, typer.Argument(metavar="[TARGET]", help="For which to look; all if left out.")
    ] = None,
    *,
    output: Output = DEFAULT,
) -> None:
    """Say what this machine has for each target, what would disturb a measurement, and which command mends it."""
    chosen = None if target is None else find(target)
    with messages().status("looking"):
        found = tuple(findings(target=chosen))
    show(_Examination(found), output, paged=True)


@dataclass(frozen=True)
class _Examination:
    """What was looked at."""

    found: Sequence[Finding]

    def document(self) -> object:
        """Return it as a list."""
        return self.found

    def rows(self) -> Sequence[Row]:
        """Return it as rows."""
        return [msgspec.structs.asdict(one) for one in self.found]

    def text(self) -> Iterator[Part]:
        """Yield a table of everything, and what to do about what is not ready."""
        columns: list[Column[Finding]] = [
            Column("for", lambda one: one.target),
            Column("what", lambda one: one.what),
            Column("", lambda one: one.state),
            Column("found", lambda one: one.says if one.state == "ready" else ""),
        ]
        yield Table("This machine", self.found, columns)
        lacking = [one for one in self.found if one.state != "ready"]
        yield from (Sentence(f"{one.what}, for {one.target}: {one.says}") for one in lacking)
        if lacking:
            yield Sentence(f"{len(lacking)} of {len(self.found)} need attention; ignore those that you do not use.")
