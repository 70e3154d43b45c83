"""A comparison as one self-contained HTML page: all its ratios as one picture, then the numbers.

It loads nothing and runs nothing: the picture is SVG in the page. Every string from a target or a store is escaped by
jinja2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import intercore
from intercore.comparison.picture import picture
from intercore.comparison.report import comparison_section
from intercore.files.replacement import PAGE, replacement
from intercore.record.origin import LABELS, weakest_origin
from intercore.view.html import environment

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.comparison.analysis import Comparison


def write_comparison_page(found: Comparison, path: Path, *, force: bool = False) -> None:
    """Write a page about a comparison to `path`.

    An existing page is replaced only when the new one is complete, another file only by `force`. Raises IntercoreError
    if it cannot be written.
    """
    section = comparison_section(found, with_most=False)  # which is the picture's first rows
    page = (
        environment("intercore.page")
        .get_template("comparison.html.j2")
        .render(
            found=found,
            section=section,
            tables=section.tables,
            picture=picture(found),
            label=LABELS[weakest_origin([found.first.origin, found.second.origin])],
            version=intercore.__version__,
        )
    )
    with replacement(path, PAGE, force=force) as file:
        file.write(page.encode("utf-8", "replace"))
