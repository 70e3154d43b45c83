"""What people read of two profiles compared: the answer first, then a table of the functions that changed most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from intercore.profile.comparison import Kind
from intercore.profile.report import TOP
from intercore.text import listed
from intercore.view.quantity import duration, percent
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.comparison import Change, ProfileComparison, Reason, Side

_NEGLIGIBLE = 0.05
"""Part of the largest reason up to which another one is not named."""
_NAMED = 2
_ONE_RUN = (
    "One run of each was compared, with one input. Its cycles are exact, but other inputs, or code and data at other "
    "addresses, would change other functions."
)
_OF_A_TIME = (
    "Both are of the same time, and not of the same work: compare the calls, too, or profile up to a place (--to)."
)


def section(found: ProfileComparison, *, in_full: bool) -> Section:
    """Return sentences and the table; all functions that changed if `in_full`."""
    shown = found.functions if in_full else found.functions[:TOP]
    return Section(_title(found), list(_sentences(found)), [_table(found, shown)] if shown else [])


def rows(found: ProfileComparison) -> list[dict[str, object]]:
    """Return a row for each function that changed, for CSV."""
    return [
        {
            "core": one.core,
            "function": one.function,
            "calls_before": one.before.calls,
            "calls_after": one.after.calls,
            "awake_before": one.before.awake,
            "awake_after": one.after.awake,
            "change": one.cycles,
            **{
                f"{kind.replace(' ', '_')}_change": one.after.kinds.get(kind, 0) - one.before.kinds.get(kind, 0)
                for kind in get_args(Kind)
            },
        }
        for one in found.functions
    ]


def warnings(found: ProfileComparison) -> Iterator[str]:
    """Yield what makes the comparison one of different work."""
    if found.first.stop != found.second.stop:
        yield (
            f"The runs did not end alike ({found.first.name}: {found.first.stop}; {found.second.name}: "
            f"{found.second.stop}), so they may not have done the same work."
        )


def _title(found: ProfileComparison) -> str:
    return f"Profiles compared: {found.first.name} and {found.second.name}, SIMULATED"


def _sentences(found: ProfileComparison) -> Iterator[str]:
    if not found.functions:
        yield f"No function changed: {found.first.name} and {found.second.name} have the same cycles everywhere."
        return
    for core in found.cores:
        yield _core(core)
    for word, sign in ("Slower", 1), ("Faster", -1):
        largest = [one for one in found.functions if one.cycles * sign > 0]
        if largest:
            yield f"{word} by most: {_function(largest[0])}."
    yield f"{_whole(found.first)}; {_whole(found.second)}, {_relative(found.first.cycles, found.second.cycles)}."
    if found.first.stop == found.second.stop and found.first.stop.startswith("the limit"):
        yield _OF_A_TIME
    yield _ONE_RUN


def _whole(side: Side) -> str:
    return f"{side.name} has {duration(side.seconds * 1e6)} of {side.image} ({side.cycles:,} cycles)"


def _core(one: Change) -> str:
    if not one.cycles:
        return f"Core {one.core} was awake for the same time."
    more = "longer" if one.cycles > 0 else "less"
    share = f", {percent(abs(one.cycles) / one.before.awake)}" if one.before.awake else ""
    return f"Core {one.core} was awake {more} by {abs(one.cycles):,} cycles{share}: {_reasons(one)}."


def _function(one: Change) -> str:
    text = f"{one.function} on core {one.core}, by {abs(one.cycles):,} cycles"
    if one.before.awake:
        text += f" ({_change(one)})"
    if one.before.calls != one.after.calls:
        text += f", called {one.after.calls:,} times and not {one.before.calls:,}"
        if one.before.calls and one.after.calls:
            before, after = (_per_call(cost.awake / cost.calls) for cost in (one.before, one.after))
            text += f" ({after} cycles each and not {before})"
    elif one.before.calls > 1:
        text += f", {_per_call(abs(one.cycles) / one.before.calls)} in each of its {one.before.calls:,} calls"
    return f"{text}: {_reasons(one)}"


def _per_call(cycles: float) -> str:
    return f"{cycles:,.1f}" if cycles < 100 else f"{cycles:,.0f}"


def _reasons(one: Change) -> str:
    found = [_reason(reason, one.core) for reason in _named(one)]
    return listed(found) if found else "nothing else changed"


def _reason(one: Reason, core: int) -> str:
    kind = one.kind.replace("the other core", f"core {1 - core}")
    return f"{one.cycles:+,} {kind}{f', most {one.most}' if one.most else ''}"


def _named(one: Change) -> list[Reason]:
    """Return the parts of a change that matter."""
    least = _NEGLIGIBLE * max((abs(reason.cycles) for reason in one.reasons), default=0)
    return [reason for reason in one.reasons if abs(reason.cycles) > least][: _NAMED + 1]


def _relative(before: int, after: int) -> str:
    if before == after or not before:
        return "as many"
    return f"{percent(abs(after - before) / before)} {'more' if after > before else 'fewer'}"


def _change(one: Change) -> str:
    if not one.before.awake:
        return "new"
    if not one.after.awake:
        return "gone"
    part = 100 * one.cycles / one.before.awake
    if abs(part) < 1:
        return f"{part:+.1g} %"
    return f"{part:+.1f} %" if abs(part) < 1000 else f"× {one.after.awake / one.before.awake:,.0f}"


def _why(one: Change) -> str:
    calls = [f"calls {one.before.calls:,} → {one.after.calls:,}"] if one.before.calls != one.after.calls else []
    kinds = [
        f"{reason.cycles:+,} {reason.kind.replace('the other core', f'core {1 - one.core}')}"
        for reason in _named(one)[:_NAMED]
    ]
    return "\n".join([*calls, *kinds])


def _table(found: ProfileComparison, shown: tuple[Change, ...]) -> Table[Any]:
    left = len(found.functions) - len(shown)
    more = f"; {left} more with --all" if left else ""
    same = f"; {found.unchanged} did not change" if found.unchanged else ""
    return Table(
        f"Functions by change of the cycles awake{more}{same}: SIMULATED",
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("function", lambda one: one.function),
            Column("before", lambda one: f"{one.before.awake:,}", right=True),
            Column("after", lambda one: f"{one.after.awake:,}", right=True),
            Column("change", _change, right=True),
            Column("why", _why),
        ],
    )
