"""Profiles in the format of callgrind, which KCachegrind, QCachegrind and callgrind_annotate read.

The format is described in valgrind's manual, "Callgrind Format Specification". Each core is an object ("ob"), which
keeps the functions of the two apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeAlias

import intercore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.profile.recorded import CoreProfile, Costs, Kind, Line, Profile

    _Key: TypeAlias = tuple[Kind, int]

_EVENTS = "Cycles Instructions Conflicts Waits Asleep"
_UNKNOWN = "???"
"""What callgrind itself calls a file that it does not know."""


def callgrind(profile: Profile) -> str:
    """Return the text of the file."""
    totals = [0] * len(_EVENTS.split())
    body: list[str] = []
    for number, core in enumerate(profile.cores):
        for text, own in _functions(profile, core):
            body += [f"ob=core {number}", *text, ""]
            totals = [total + cost for total, cost in zip(totals, own, strict=True)]
    return "\n".join(
        [
            "# callgrind format",
            "version: 1",
            f"creator: intercore {intercore.__version__}",
            f"cmd: {profile.image} (SIMULATED)",
            f"desc: Trigger: {profile.stop}",
            "positions: instr line",
            f"events: {_EVENTS}",
            f"summary: {_words(totals)}",
            "",
            *body,
            f"totals: {_words(totals)}",
            "",
        ]
    )


def _functions(profile: Profile, core: CoreProfile) -> Iterator[tuple[list[str], Sequence[int]]]:
    """Yield what stands in the file of each function, task and handler of a core, and what it cost by itself."""
    names = {(node.kind, node.address): node.name for node in core.nodes}
    calls = _calls(core)
    lines = {address: found for address, _, found in core.functions()}
    for (kind, address), name in names.items():
        text = [f"fl={_file(profile, address) if kind == 'function' else _UNKNOWN}", f"fn={name}"]
        own = Counter[int]()
        if kind == "function":
            for line in lines.get(address, ()):
                costs = [line.cycles, line.executed, line.conflicts, line.waits, line.asleep]
                own.update(dict(enumerate(costs)))
                text += _cost_lines(profile, line, costs)
        else:
            roots = [node.costs for node in core.nodes if (node.kind, node.address) == (kind, address)]
            costs = [sum(them) for them in zip(*map(_costs, roots), strict=True)]
            if not any(costs) and (kind, address) not in calls:
                continue  # of an exception that was replaced by another one while it was entered
            own.update(dict(enumerate(costs)))
            text.append(f"0x0 0 {_words(costs)}")
        for callee, (times, inclusive) in calls.get((kind, address), {}).items():
            target = callee[1] if callee[0] == "function" else 0
            text += [
                f"cfi={_file(profile, target) if target else _UNKNOWN}",
                f"cfn={names[callee]}",
                f"calls={times} {target:#x} {_line(profile, target)}",
                f"{address if kind == 'function' else 0:#x} {_line(profile, address)} {_words(inclusive)}",
            ]
        yield text, [own[event] for event in range(len(_EVENTS.split()))]


def _costs(costs: Costs) -> tuple[int, ...]:
    sums = costs.sums
    return sums.cycles, costs.instructions, sums.conflicted, sums.waited, sums.asleep


def _calls(core: CoreProfile) -> dict[_Key, dict[_Key, tuple[int, list[int]]]]:
    """Return of each caller the functions that it called: how often, and what these cost with all that they called."""
    whole = [list(_costs(node.costs)) for node in core.nodes]
    found: defaultdict[_Key, dict[_Key, tuple[int, list[int]]]] = defaultdict(dict)
    for at in reversed(range(len(core.nodes))):
        node = core.nodes[at]
        if node.parent is None:
            continue
        parent = core.nodes[node.parent]
        whole[node.parent] = [mine + one for mine, one in zip(whole[node.parent], whole[at], strict=True)]
        callees = found[parent.kind, parent.address]
        times, costs = callees.get((node.kind, node.address), (0, [0] * len(whole[at])))
        costs = [sum_ + one for sum_, one in zip(costs, whole[at], strict=True)]
        callees[node.kind, node.address] = times + node.costs.calls, costs
    return found


def _cost_lines(profile: Profile, line: Line, costs: Sequence[int]) -> list[str]:
    frames = profile.sources.get(line.address, ())
    if not frames or frames[0].line is None:
        return [f"{line.address:#x} 0 {_words(costs)}"]
    cost = f"{line.address:#x} {frames[0].line} {_words(costs)}"
    if frames[0].file == frames[-1].file:
        return [cost]
    return [f"fi={_of_one_line(frames[0].file)}", cost, f"fe={_of_one_line(frames[-1].file)}"]


def _file(profile: Profile, address: int) -> str:
    frames = profile.sources.get(address, ())
    return _of_one_line(frames[-1].file) if frames else _UNKNOWN


def _line(profile: Profile, address: int) -> int:
    frames = profile.sources.get(address, ())
    return (frames[-1].line or 0) if frames else 0


def _of_one_line(file: str | None) -> str:
    return " ".join(file.splitlines()) if file else _UNKNOWN


def _words(costs: Sequence[int]) -> str:
    return " ".join(map(str, costs))
