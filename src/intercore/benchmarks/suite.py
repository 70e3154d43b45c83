"""What is measured of each benchmark when the user names no levels: for the benchmark alone, and within the suite.

Each says so itself, in `levels.py` of its folder: `DEFAULT` is a grid, `suite(origin, amp=…)` returns one or more that
name the same factors. A factor that is not named has the target's own default, and so have all factors of a benchmark
without such a module. Of the levels that are named, those are measured that the target has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from intercore.benchmarks import registry
from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from intercore.record.origin import Origin


@dataclass(frozen=True)
class All:
    """All choices of a parameter that the target has, in its order."""

    besides: str | None = None
    """Those that begin with this are measured only where they are named."""

    def of(self, choices: Sequence[str]) -> list[str]:
        """Return those of the choices that are meant."""
        return [choice for choice in choices if self.besides is None or not choice.startswith(self.besides)]


ALL = All()
_TRACED_SAMPLES = 10

Levels: TypeAlias = Mapping[str, Sequence[str] | All]
"""By parameter. Values are written as a user types them."""


def default(benchmark: str, wanted: Mapping[str, Sequence[str]], *, interpreted: bool = False) -> Levels:
    """Return the levels of a benchmark that is measured alone, where the user wants these.

    For a workload of his own there may be others: `OWN` in the module, in place of those of `DEFAULT`. So there may be
    where every instruction is `interpreted` for what it does alone: `INTERPRETED`.
    """
    module = registry.module(benchmark, "levels")
    found: Levels = {} if module is None else module.DEFAULT
    if interpreted:
        found = {**found, **getattr(module, "INTERPRETED", {})}
    return {**found, **getattr(module, "OWN", {})} if _is_own(wanted) else found


def whole_of(benchmark: str, wanted: Mapping[str, Sequence[str]]) -> str | None:
    """Return the parameter whose largest level that the target takes is measured as well: `OWN_WHOLE` in the module.

    None where there is none, the user names its levels, or wants no workload of his own.
    """
    name: str | None = getattr(registry.module(benchmark, "levels"), "OWN_WHOLE", None)
    return name if name not in wanted and _is_own(wanted) else None


def _is_own(wanted: Mapping[str, Sequence[str]]) -> bool:
    return any(level.startswith(PREFIX) for levels in wanted.values() for level in levels)


def traced(benchmark: str) -> Mapping[str, str]:
    """Return the levels that are recorded where the user names none: few samples and short ones, since rings are small.

    `TRACED` in the module has those that are a benchmark's own.
    """
    module = registry.module(benchmark, "levels")
    own: Levels = getattr(module, "TRACED", {})
    return {
        "samples": str(_TRACED_SAMPLES),
        **{name: levels[0] for name, levels in own.items() if not isinstance(levels, All)},
    }


def suite(benchmark: str, origin: Origin, *, amp: bool) -> Sequence[Levels]:
    """Return the grids of a benchmark in the suite.

    The suite takes a minute. Where a program stands for the chip (`origin`), each second of a busy chip takes two, so
    there is less of it, and it takes two minutes. A kernel on each core (`amp`) leaves fewer benchmarks.
    """
    module = registry.module(benchmark, "levels")
    found: Sequence[Levels] = ({},) if module is None else module.suite(origin, amp=amp)
    return found
