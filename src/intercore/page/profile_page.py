"""A profile as one self-contained HTML page: sentences, a flame graph for each core, tables, and the source.

It loads nothing. Without its script, which zooms into the flame graphs, nothing is missing. Every string from an image
or a source file is escaped by jinja2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import intercore
from intercore.files.replacement import PAGE, replacement
from intercore.profile.flame import flame
from intercore.profile.listing import listings
from intercore.profile.report import loss_table, section
from intercore.record.origin import LABELS
from intercore.view.html import environment
from intercore.view.quantity import percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.profile.recorded import Profile
    from intercore.profile.summary import ProfileAnalysis

_ROWS = 25
"""Of each table."""
_LISTED = 4
"""Functions of each core whose source is shown."""
_WORTH_READING = 0.01
"""Part of a core's time from which on the source of a function is shown."""


def write_profile_page(
    profile: Profile, analysis: ProfileAnalysis, warnings: Sequence[str], path: Path, *, force: bool = False
) -> None:
    """Write a page about a profile to `path`.

    An existing page is replaced only when the new one is complete, another file only by `force`. Raises IntercoreError
    if it cannot be written.
    """
    found = section(analysis, _ROWS)
    functions, *others = found.tables
    page = (
        environment("intercore.page")
        .get_template("profile.html.j2")
        .render(
            section=found,
            warnings=warnings,
            flames=[flame(number, core) for number, core in enumerate(profile.cores) if core.cycles],
            tables=[functions, loss_table(analysis, _ROWS), *others],
            listings=list(listings(profile, _LISTED, _WORTH_READING)),
            part=lambda cycles, core: percent(cycles / profile.cores[core].cycles),
            label=LABELS[analysis.origin],
            version=intercore.__version__,
        )
    )
    with replacement(path, PAGE, force=force) as file:
        file.write(page.encode("utf-8", "replace"))
