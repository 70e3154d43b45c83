"""Reads a budget file. Errors are UsageErrors that begin with the file and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from intercore.budgets.budget import Budget, contradiction, parsed
from intercore.budgets.check import BudgetFile, for_each
from intercore.budgets.profile_budget import ProfileBudget, is_of_profile
from intercore.budgets.profile_budget import parsed as parsed_of_profile
from intercore.budgets.series import limited
from intercore.campaign import toml_table
from intercore.campaign.plan_reader import text_of
from intercore.comparison import baseline_file
from intercore.errors import UsageError
from intercore.files.bounds import BUDGETS
from intercore.record.plan import MAX_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.campaign.toml_table import TomlTable
    from intercore.comparison.baseline import Baseline

AnyBudget: TypeAlias = Budget | ProfileBudget

_EXAMPLE = 'budgets = ["switch from=0 to=1: p99 <= 20 us"]'


def read(path: Path, *, against: bool = False) -> BudgetFile:
    """Read a budget file and its baseline; the error lists every invalid budget with its line.

    With `against`, ratios are to a revision that is measured, and the file's baseline is not read.
    """
    name = str(path)
    file = toml_table.parsed(text_of(path), name, "budget file")
    file.check_keys(("budgets", "baseline", "repetitions"))
    every = _budgets(file)
    budgets = tuple(one for one in every if isinstance(one, Budget))
    baseline = None if against else _baseline(file, path)

    def vet(one: Budget) -> None:
        if one.to_baseline and baseline is None and not against:
            raise UsageError(
                "this budget is a ratio to a baseline, but the budget file names no baseline: add a line such as "
                'baseline = "pico-sim.jsonl", or measure a revision: --against HEAD~1'
            )
        limited(one)

    for_each(name, budgets, vet)
    repetitions = file.whole("repetitions", 0, 1, MAX_SETTINGS) or None
    of_profile = tuple(one for one in every if isinstance(one, ProfileBudget))
    return BudgetFile(name, budgets, baseline, repetitions, of_profile)


def _budgets(file: TomlTable) -> tuple[AnyBudget, ...]:
    given = file.values.get("budgets")
    if not isinstance(given, list) or not given:
        file.refuse(f"budgets must be a list of at least one string, such as {_EXAMPLE}", "budgets")
    if len(given) > BUDGETS.most:
        file.refuse(
            f"budgets has {len(given)} entries, but at most {BUDGETS.most} are possible: split the file", "budgets"
        )
    lines = file.lines_of_list("budgets")
    found: dict[str, AnyBudget] = {}
    wrong: list[str] = []
    for text, line in zip(given, lines, strict=True):
        try:
            budget = _budget(text, line, found)
        except UsageError as error:
            wrong.append(f"{file.name}:{line}: {error}")
        else:
            found[budget.text] = budget
    if wrong:
        raise UsageError("\n".join(wrong))
    budgets = tuple(found.values())
    if (both := contradiction([one for one in budgets if isinstance(one, Budget)])) is not None:
        first, second = both
        raise UsageError(
            f"{file.name}:{second.line}: this budget ({second.what} {second.bound}) contradicts the budget in line "
            f"{first.line} ({first.what} {first.bound}): no measurement can keep both budgets, so change one of them"
        )
    return budgets


def _budget(text: object, line: int, known: Mapping[str, AnyBudget]) -> AnyBudget:
    if not isinstance(text, str) or not text.isprintable():
        raise UsageError(f"a budget must be a string in quotes, not {toml_table.shown(text)}")
    found = parsed_of_profile(text, line) if is_of_profile(text) else parsed(text, line)
    if found.text in known:
        raise UsageError(f"this budget repeats the budget in line {known[found.text].line}: remove one of them")
    return found


def _baseline(file: TomlTable, path: Path) -> Baseline | None:
    given = file.string("baseline")
    if given is None:
        return None
    try:
        return baseline_file.read(path.parent / given)
    except UsageError as error:
        if str(error).startswith("cannot read"):
            file.refuse(str(error), "baseline")
        raise
