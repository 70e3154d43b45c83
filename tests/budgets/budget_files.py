"""Files of budgets, made up for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.budgets.budget import parsed
from intercore.budgets.check import BudgetFile

if TYPE_CHECKING:
    from intercore.comparison.baseline import Baseline


def budgets(*texts: str, baseline: Baseline | None = None) -> BudgetFile:
    """Return a file with one budget a line, the first of which has number 2."""
    return BudgetFile("b.toml", tuple(parsed(text, line) for line, text in enumerate(texts, 2)), baseline, None)
