"""The figures of a page, as those who write it give them to what draws them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

from intercore.page import page
from intercore.view.svg import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.view.figure import Figure


@contextmanager
def figures_drawn() -> Iterator[list[Figure]]:
    """Collect the figures of a page that is written meanwhile, in their order."""
    figures: list[Figure] = []

    def collected(figure: Figure) -> list[list[str]]:
        figures.append(figure)
        return texts_of(figure)

    with mock.patch.object(page, "texts_of", collected):
        yield figures
