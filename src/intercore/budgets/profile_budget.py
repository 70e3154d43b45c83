"""Budgets of a profile: `profile crc32 core=1: cycles <= 41000`, held against the file of one.

A function, or all of a core if none is named; a quantity, perhaps per call; a limit in cycles or in percent of the
core's time. A profile is of a simulated chip, so a number is kept or broken, and never undecided.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from intercore.budgets.budget import SENSES
from intercore.budgets.result import BudgetResult
from intercore.errors import UsageError, unknown
from intercore.statistics.intervals import Interval
from intercore.text import decimal_number, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.budgets.budget import Sense
    from intercore.profile.recorded import Sums
    from intercore.profile.summary import ProfileAnalysis
    from intercore.profile.sums import FunctionSummary

PROFILE = "profile"
"""The word with which such a budget begins."""
QUANTITIES = ("cycles", "awake", "total", "executing", "lost", "flash", "peripherals", "asleep", "calls")
_OF_FUNCTIONS = frozenset({"total", "calls"})
_BUDGET = re.compile(
    r"profile(?P<words>\s.*)?:\s+(?P<quantity>[^\s<>≤≥]+)(?P<per>\s+per\s+call)?\s*(?P<sense><=|>=|≤|≥)\s*"
    r"(?P<number>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<unit>cycles|%)?"
)
_FORM = "a budget of a profile is 'profile crc32 core=1: cycles <= 41000' or 'profile core=0: lost <= 5 %'"
_FLASH = "XIP"

ProfileUnit: TypeAlias = Literal["cycles", "percent", "count"]


class ProfileBudget(msgspec.Struct, frozen=True):
    """One line of a file of budgets that is for a profile."""

    text: str
    """As it stands there, with single blanks."""
    line: int
    function: str
    """Empty for all of a core."""
    core: int | None
    """None for each core that executed the function."""
    quantity: str
    """One of QUANTITIES."""
    per_call: bool
    sense: Sense
    limit: float
    unit: ProfileUnit

    @property
    def what(self) -> str:
        """The limited quantity, in short."""
        return f"{self.quantity}{' per call' if self.per_call else ''}"

    @property
    def bound(self) -> str:
        """The limit with its sense."""
        return f"{self.sense} {self.limit:.12g}{' %' if self.unit == 'percent' else ''}"


def is_of_profile(text: str) -> bool:
    """Whether a budget is for a profile."""
    return re.match(r"\s*profile(?:\s|:)", text) is not None


def parsed(text: str, line: int) -> ProfileBudget:
    """Parse a budget. UsageError, without file and line, for anything else."""
    found = _BUDGET.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{_FORM}, not '{text}'")
    quantity, per_call = found["quantity"], found["per"] is not None
    if quantity not in QUANTITIES:
        raise UsageError(unknown("quantity", quantity, QUANTITIES, "a profile has"))
    function, core = _function((found["words"] or "").split())
    if not function and (quantity in _OF_FUNCTIONS or per_call):
        raise UsageError(f"'{quantity}{' per call' * per_call}' is of a function: name it, e.g. 'profile crc32: …'")
    limit = decimal_number(found["number"])
    if limit is None or not 0 <= limit < float("inf"):
        raise UsageError(f"the limit {found['number']} is out of range: it must be at least 0 and finite")
    if found["unit"] and quantity == "calls":
        raise UsageError(f"calls have no unit: write {found['number']}, not '{found['number']} {found['unit']}'")
    if per_call and (found["unit"] == "%" or quantity == "calls"):
        raise UsageError("'per call' needs a quantity and a limit in cycles")
    unit: ProfileUnit = "percent" if found["unit"] == "%" else "count" if quantity == "calls" else "cycles"
    return ProfileBudget(
        " ".join(text.split()), line, function, core, quantity, per_call, SENSES[found["sense"]], limit, unit
    )


def _function(words: list[str]) -> tuple[str, int | None]:
    """Return function and core of the words of a budget; names in C++ have blanks and perhaps a `=`."""
    core = None
    if words and (found := re.fullmatch(r"core=(.*)", words[-1])):
        if found[1] not in {"0", "1"}:
            raise UsageError(f"there is no core {found[1]}: write core=0 or core=1")
        core = int(found[1])
        words = words[:-1]
    return " ".join(words), core


def held(budget: ProfileBudget, analysis: ProfileAnalysis) -> list[BudgetResult]:
    """Hold a budget against a profile: a result for each core that it is for."""
    if not budget.function:
        cores = [one for one in analysis.cores if budget.core in {None, one.core}]
        return [_held(budget, one.core, _quantities(one.sums), 0, analysis) for one in cores]
    found = [one for one in _named(budget.function, analysis) if budget.core in {None, one.core}]
    if not found:
        return [not_held(budget, _why_not(budget, analysis))]
    return [_held(budget, one.core, _of_function(one), one.calls, analysis) for one in found]


def not_held(budget: ProfileBudget, why: str) -> BudgetResult:
    """Return that a budget has nothing to be held against."""
    return _result(budget, {}, None, "not measured", why)


def _named(name: str, analysis: ProfileAnalysis) -> list[FunctionSummary]:
    """Return the functions of a name; of C++, also without the parameters."""
    exact = [one for one in analysis.functions if one.function == name]
    return exact or [one for one in analysis.functions if one.function.partition("(")[0] == name]


def _why_not(budget: ProfileBudget, analysis: ProfileAnalysis) -> str:
    cores = sorted({one.core for one in _named(budget.function, analysis)})
    if cores:
        return f"core {budget.core} did not execute {budget.function}, only core {cores[0]} did"
    close = difflib.get_close_matches(budget.function, sorted({one.function for one in analysis.functions}), 3)
    instead = f" (similar: {listed(close)})" if close else ", or it was inlined into another function"
    return f"{analysis.image} did not execute {budget.function}{instead}"


def _of_function(one: FunctionSummary) -> Mapping[str, int]:
    return {**_quantities(one.own), "total": one.inclusive, "calls": one.calls}


def _quantities(sums: Sums) -> Mapping[str, int]:
    flash = sums.waits.get(_FLASH, 0)
    return {
        "cycles": sums.cycles,
        "awake": sums.cycles - sums.asleep,
        "executing": sums.executing,
        "lost": sums.conflicted,
        "flash": flash,
        "peripherals": sums.waited - flash,
        "asleep": sums.asleep,
    }


def _held(
    budget: ProfileBudget, core: int, quantities: Mapping[str, int], calls: int, analysis: ProfileAnalysis
) -> BudgetResult:
    setting: dict[str, str | int] = {"function": budget.function} if budget.function else {}
    setting["core"] = core
    value: float = quantities[budget.quantity]
    if budget.per_call:
        if not calls:
            why = f"{budget.function} was not called: it was entered before the profile began, or by a branch"
            return _result(budget, setting, None, "not measured", why)
        value /= calls
    elif budget.unit == "percent":
        value *= 100 / max(1, analysis.cores[core].cycles)
    kept = value <= budget.limit if budget.sense == "<=" else value >= budget.limit
    return _result(budget, setting, value, "kept" if kept else "broken", "")


def _result(
    budget: ProfileBudget,
    setting: dict[str, str | int],
    value: float | None,
    outcome: Literal["kept", "broken", "not measured"],
    why: str,
) -> BudgetResult:
    return BudgetResult(
        budget=budget.text,
        line=budget.line,
        benchmark=PROFILE,
        setting=dict(setting),
        others={},
        what=budget.what,
        bound=budget.bound,
        unit=None if value is None else budget.unit,
        limit=None if value is None else budget.limit,
        found=None if value is None else Interval(value, value, value),
        baseline=None,
        outcome=outcome,
        more_repetitions=None,
        why=why,
    )
