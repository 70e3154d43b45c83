"""What `validate` and `import` have in common: a validation on the terminal, and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from intercore.record.origin import LABELS
from intercore.terminal.console import say
from intercore.terminal.formats import show

if TYPE_CHECKING:
    from intercore.validate.report import ValidationFindings

ValidationPage: TypeAlias = Annotated[
    Path | None, typer.Option("--page", metavar="FILE", help="Also write it as an HTML page, e.g. pico.html.")
]


def show_validation(findings: ValidationFindings, page: Path | None, output: str, *, force: bool) -> None:
    """Print a validation, and write its page if one is wanted. Raises IntercoreError if it cannot be written."""
    show(findings, output)
    if page is None:
        return
    from intercore.page.section_page import write_section_page  # noqa: PLC0415 - jinja takes a moment to load

    label = "" if findings.found.origin == "board" else LABELS["simulated"]
    write_section_page(findings.section(), [findings.first] if findings.first else [], label, page, force=force)
    say(f"written: {page}")
