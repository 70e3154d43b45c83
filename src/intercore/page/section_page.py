"""A section as one self-contained HTML page: what must be known first, sentences, and tables.

It loads nothing and runs nothing. Every string from a target or a file is escaped by jinja2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import intercore
from intercore.files.replacement import PAGE, replacement
from intercore.view.html import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.view.section import Section


def write_section_page(
    section: Section, warnings: Sequence[str], label: str, path: Path, *, force: bool = False
) -> None:
    """Write a page of a section to `path`, with the label of its numbers; empty if they were measured.

    An existing page is replaced only when the new one is complete, another file only by `force`. Raises IntercoreError
    if it cannot be written.
    """
    template = environment("intercore.page").get_template("section.html.j2")
    page = template.render(section=section, warnings=warnings, label=label, version=intercore.__version__)
    with replacement(path, PAGE, force=force) as file:
        file.write(page.encode("utf-8", "replace"))
