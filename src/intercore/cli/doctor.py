"""The command `doctor`: what this machine has for each target, and how to fix what is missing."""

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

    from intercore.target.readiness import ReadinessCheck
    from intercore.terminal.findings import Part, Row

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore doctor; intercore doctor pico; intercore doctor --format json")
def doctor(
    target: Annotated[
        str | None, typer.Argument(metavar="[TARGET]", help="Target to check for, e.g. pico. Default: all targets.")
    ] = None,
    *,
    output: Output = DEFAULT,
) -> None:
    """Check the tools for each target, look for anything that disturbs measurements, and suggest remedies."""
    chosen = None if target is None else find(target)
    with messages().status("searching"):
        found = tuple(findings(target=chosen))
    show(_DoctorReport(found), output, paged=True)


@dataclass(frozen=True)
class _DoctorReport:
    """The results of all checks."""

    found: Sequence[ReadinessCheck]

    def document(self) -> object:
        """Return the checks as a list."""
        return self.found

    def rows(self) -> Sequence[Row]:
        """Return the checks as rows."""
        return [msgspec.structs.asdict(one) for one in self.found]

    def text(self) -> Iterator[Part]:
        """Yield a table of all checks, and how to fix what is not ready."""
        columns: list[Column[ReadinessCheck]] = [
            Column("target", lambda one: one.target),
            Column("check", lambda one: one.what),
            Column("state", lambda one: one.state),
            Column("found", lambda one: one.details if one.state == "ready" else ""),
        ]
        yield Table("This machine", self.found, columns)
        lacking = [one for one in self.found if one.state != "ready"]
        yield from (Sentence(f"{one.what} (for {one.target}): {one.details}") for one in lacking)
        if lacking:
            yield Sentence(
                f"{len(lacking)} of {len(self.found)} checks need attention. Ignore targets that you do not use."
            )
