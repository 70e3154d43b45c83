"""The largest differences of two sides: a few quantities of each kind, worse and better ones."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from intercore.benchmarks.series import called
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.comparison.pairs import Pair
    from intercore.record.measurement import Level

_RANKS = {"cannot tell": 1, "phase": 2, "same": 3}
_BETTER = frozenset({"faster", "more"})
_FEW = 2  # of one kind that are shown at least, if there are so many
_ALIKE = 2.0  # how far the times of one setting are apart at most, for a speed-up at it to be one of the same work
_WORDS = {
    ("other", "none"): "other core asleep",
    ("other", "same"): "other core: the same calls",
    ("load", "none"): "no load",
    ("interrupted", "idle"): "cores asleep",
    ("target", "idle"): "core asleep",
    ("migrate", "affinity"): "moved by affinity",
    ("migrate", "blockers"): "moved by blockers",
    ("path", "timer-handler"): "timer to handler",
    ("path", "handler-task"): "handler to task",
    ("path", "timer-task"): "timer to task",
    ("path", "gpio-handler"): "pin to handler",
    ("path", "gpio-task"): "pin to task",
    ("form", "cross"): "across cores",
    ("form", "same"): "on one core",
    ("form", "both"): "on both cores",
    ("mode", "create"): "created tasks",
    ("mode", "pool"): "woken tasks",
    ("mode", "spin"): "polling tasks",
}
"""Levels that mean nothing by themselves, or are called otherwise where people read of them."""
_SAY_NOTHING = frozenset({"none", "any", "both", "same", "on", "off", "yes", "no"})


def largest_first(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that surely differ, then those that may, then those that do not; of each the largest first."""
    return sorted(pairs, key=_rank)


def differing_most(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Return the most important pairs for a few rows, in the order of `largest_first`.

    Half of the rows are for quantities that are worse on the second side, and half for better ones; each quantity of
    each benchmark has at most its share of them, as long as there are others. A speed-up is not among them if the time
    of its work differs much between the sides: then it is one of shorter work.
    """
    known = [pair for pair in largest_first(pairs) if _is_of_like_work(pair, pairs)]
    kinds = len({(pair.benchmark, pair.series) for pair in known})
    share = max(_FEW, -(-most // (2 * max(kinds, 1))))
    taken: Counter[tuple[str, str, bool]] = Counter()
    halves: Counter[bool] = Counter()
    chosen, others = [], []
    for pair in known:
        better = pair.verdict in _BETTER
        kind = (pair.benchmark, pair.series, better)
        if pair.verdict not in _RANKS and taken[kind] < share and halves[better] < most - most // 2:
            taken[kind] += 1
            halves[better] += 1
            chosen.append(pair)
        else:
            others.append(pair)
    return largest_first([*chosen, *others][:most])


def _rank(pair: Pair) -> tuple[int, float]:
    size = 0.0 if pair.ratio is None or pair.ratio.value <= 0 else abs(math.log(pair.ratio.value))
    return _RANKS.get(pair.verdict, 0), -size


def _is_of_like_work(pair: Pair, pairs: Iterable[Pair]) -> bool:
    """Whether a speed-up is of work that takes both sides about the same time; true for other quantities."""
    if pair.unit != "factor":
        return True
    ratios = [
        other.ratio.value
        for other in pairs
        if (other.benchmark, other.setting, other.unit) == (pair.benchmark, pair.setting, "us")
        and other.ratio is not None
    ]
    return all(1 / _ALIKE <= ratio <= _ALIKE for ratio in ratios)


# What they are called


def setting_in_words(pair: Pair) -> str:
    """Return the factors of a pair that take several levels, as people say them: `ring, core 0 → core 1, 64 bytes`."""
    parts = [_in_words(name, level) for name, level in pair.setting.items() if name not in {"from", "to"}]
    if {"from", "to"} <= pair.setting.keys():
        parts.insert(-1 if "size" in pair.setting else len(parts), _between(pair.setting["from"], pair.setting["to"]))
    else:
        parts += [f"{name} core {pair.setting[name]}" for name in ("from", "to") if name in pair.setting]
    return ", ".join(parts)


def _between(first: Level, second: Level) -> str:
    return f"on core {first}" if first == second else f"core {first} → core {second}"


def _in_words(name: str, level: Level) -> str:
    if (name, str(level)) in _WORDS:
        return _WORDS[name, str(level)]
    if name.endswith("_us") and isinstance(level, int):
        return f"{name.removesuffix('_us').replace('_', ' ')} {duration(level)}"
    if name == "size" and isinstance(level, int):
        return f"{level:,} bytes"
    if isinstance(level, str) and not level[:1].isdigit() and level not in _SAY_NOTHING:
        return f"other core: {level}" if name == "other" else level
    words = name.replace("_", " ")
    return f"{words} = {level:,}" if isinstance(level, int) else f"{words}: {level}"


def quantity_name(pair: Pair) -> str:
    """Return the name of a quantity, with its benchmark: `irq: time to react`."""
    return f"{pair.benchmark}: {called(pair.benchmark, pair.series)}"
