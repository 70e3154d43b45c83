"""A recorded measurement as one self-contained HTML page: the timeline of one repetition, then the numbers.

It loads nothing and runs nothing: the picture is SVG in the page. Every string from a target is escaped by jinja2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import intercore
from intercore.files.replacement import PAGE, replacement
from intercore.record.origin import LABELS
from intercore.trace.report import section
from intercore.trace.timeline import WIDTH
from intercore.view.html import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.trace.report import TraceAnalysis
    from intercore.trace.timeline import Timeline


def write_trace_page(
    analysis: TraceAnalysis, timelines: Sequence[Timeline], path: Path, *, force: bool = False
) -> None:
    """Write a page about a recorded measurement to `path`.

    An existing page is replaced only when the new one is complete, another file only by `force`. Raises IntercoreError
    if it cannot be written.
    """
    page = (
        environment("intercore.page")
        .get_template("trace.html.j2")
        .render(
            section=section(analysis),
            timelines=timelines,
            label=LABELS[analysis.origin],
            width=WIDTH,
            version=intercore.__version__,
        )
    )
    with replacement(path, PAGE, force=force) as file:
        file.write(page.encode("utf-8", "replace"))
