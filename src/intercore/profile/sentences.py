"""What a profile says of each core: what it did, and what cost it most."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from intercore.profile.advice import FLASH, for_banks, for_flash
from intercore.text import capitalised, listed
from intercore.view.quantity import duration, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from intercore.profile.advice import Advice
    from intercore.profile.recorded import Loss
    from intercore.profile.summary import CoreSummary, ProfileAnalysis

WORTH_A_WORD = 0.01
"""Part of a core's time from which on a loss stands among the sentences."""
_NAMED = 3
_NEGLIGIBLE = 0.05
"""Part of a sum up to which what adds to it is not named."""
_BRIDGE = "APB"
_PORTS = {FLASH: "the flash cache (XIP)"}


class Told(NamedTuple):
    """A sentence, and how much it matters."""

    text: str
    weight: float
    """Part of a core's time that it tells of; infinite if it stands on the first screen whatever else is there."""
    moves: Sequence[str] = ()
    """Functions and data that it advises to move."""


def sentences(analysis: ProfileAnalysis) -> Iterator[Told]:
    """Yield for each core what it did, and then what cost it time; what cost it most is always shown, too."""
    for core in analysis.cores:
        yield Told(_summary(analysis, core), math.inf)
        if core.started and core.sums.asleep < core.cycles:
            costs = [one for one in _costs(analysis, core) if one.weight >= WORTH_A_WORD]
            most = max(costs, key=lambda one: one.weight, default=None)
            yield from (one._replace(weight=math.inf) if one is most else one for one in costs)


def _summary(analysis: ProfileAnalysis, core: CoreSummary) -> str:
    if not core.started:
        return f"Core {core.core} was never started: it {'is off' if core.off else 'waits in the boot ROM'}."
    if core.sums.asleep == core.cycles:
        return f"Core {core.core} slept all the time."
    return f"Core {core.core}: {listed(_classes(core))}.{_busiest(analysis, core)}"


def _classes(core: CoreSummary) -> list[str]:
    sums = core.sums
    flash = sums.waits.get(FLASH, 0)
    classes = [
        (sums.executing, "executing"),
        (sums.asleep, "asleep"),
        (sums.conflicted, "lost to other masters"),
        (flash, "waiting for flash"),
        (sums.waited - flash, "waiting for peripherals"),
        (sums.switching, "entering and leaving exceptions"),
        (core.off, "off"),
    ]
    found = [f"{_part(cycles, core)} {name}" for cycles, name in classes if cycles >= WORTH_A_WORD / 10 * core.cycles]
    return found or [f"{_part(sums.executing, core)} executing"]


def _busiest(analysis: ProfileAnalysis, core: CoreSummary) -> str:
    awake = Counter[str]()
    for one in analysis.functions:
        if one.core == core.core:
            awake[one.function] += one.own.cycles - one.own.asleep
    found = [name for name, cycles in awake.most_common(_NAMED) if cycles >= WORTH_A_WORD * core.cycles]
    return (
        f" Most of the time awake: {listed([f'{_part(awake[name], core)} in {name}' for name in found])}."
        if found
        else ""
    )


def _costs(analysis: ProfileAnalysis, core: CoreSummary) -> Iterator[Told]:
    """Yield all that cost the core time, however little."""

    def told(cycles: int, text: str, *advice: Advice) -> Told:
        said = "".join(one.text for one in advice)
        moves = [name for one in advice for name in one.moves]
        return Told(f"Core {core.core} {text}{said}", cycles / max(1, core.cycles), moves)

    handlers = [one for one in analysis.roots if one.core == core.core and one.entered]
    if handlers:
        yield told(sum(one.sums.cycles for one in handlers), _of_interrupts(analysis, core))
    other = 1 - core.core
    mine = [loss for loss in analysis.losses if loss.core == core.core]
    least = WORTH_A_WORD * core.cycles
    called = (one for one in analysis.functions if one.core == core.core and not analysis.begun)
    once = {one.function for one in called if one.calls <= 1}
    for culprit, who in ("core", f"core {other}"), ("DMA", "the DMA"), ("itself", "an earlier access of its own"):
        if found := [loss for loss in mine if loss.to == culprit]:
            text = _of_losses(analysis, core, found, who)
            yield told(_cycles(found), text, for_banks(found), for_flash(found, least, once))
    if misses := [loss for loss in mine if loss.to in {"eviction", "nobody"}]:
        yield told(_cycles(misses), _of_flash(core, misses), for_flash(misses, least, once))
    if bridge := core.sums.waits.get(_BRIDGE, 0):
        functions = Counter[str]()
        for one in analysis.functions:
            if one.core == core.core:
                functions[one.function] += one.own.waits.get(_BRIDGE, 0)
        where = _most(functions, core, "in ")
        yield told(bridge, f"waits {_part(bridge, core)} of its time for registers of peripherals: {where}.")
    yield from (told(cycles, text) for cycles, text in _of_locks(analysis, core))


def _of_interrupts(analysis: ProfileAnalysis, core: CoreSummary) -> str:
    handlers = [one for one in analysis.roots if one.core == core.core and one.entered]
    cycles = sum(one.sums.cycles for one in handlers)
    top = sorted(handlers, key=lambda one: -one.sums.cycles)[:_NAMED]
    found = [
        f"{_part(one.sums.cycles, core)} in {one.name} ({_count(one.entered)}, "
        f"{duration(one.sums.cycles * analysis.cycle_us / one.entered)}{' each' if one.entered > 1 else ''})"
        for one in top
        if one.sums.cycles > _NEGLIGIBLE * cycles
    ]
    return f"spends {_part(cycles, core)} of its time in interrupts: {listed(found)}."


def _count(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"


def _of_losses(analysis: ProfileAnalysis, core: CoreSummary, losses: Sequence[Loss], who: str) -> str:
    ports = _by(losses, core, lambda loss: f"at {_PORTS.get(loss.port, loss.port)}")
    return (
        f"loses {_part(_cycles(losses), core)} of its time to {who}: {ports}; {_by(losses, core, _sides)}."
        f"{_priority(analysis, core.core, losses[0].to)}"
    )


def _of_flash(core: CoreSummary, misses: Sequence[Loss]) -> str:
    evicted = [loss for loss in misses if loss.to == "eviction"]
    times = sum(loss.times for loss in misses)
    text = (
        f"waits {_part(_cycles(misses), core)} of its time for flash "
        f"({times:,} {'miss' if times == 1 else 'misses'} of its cache): "
        f"{_by(misses, core, lambda loss: f'in {loss.function}')}."
    )
    if _cycles(evicted) >= WORTH_A_WORD * core.cycles:
        pairs = _by(
            evicted, core, lambda loss: f"{loss.object} replaced by core {1 - core.core} in {loss.other_function}"
        )
        text += f" Core {1 - core.core} had replaced what was there for {_part(_cycles(evicted), core)}: {pairs}."
    return text


def _of_locks(analysis: ProfileAnalysis, core: CoreSummary) -> Iterator[tuple[int, str]]:
    waits: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for one in analysis.lock_waits:
        if one.core == core.core:
            holder = f"core {one.holder} holds it{one.holder_function and f' in {one.holder_function}'}"
            waits[one.lock].append((one.cycles, f"{one.function} while {holder}"))
    for lock, found in waits.items():
        cycles = sum(cycles for cycles, _ in found)
        parts = [f"{_part(one, core)} in {text}" for one, text in sorted(found, reverse=True)[:_NAMED]]
        yield cycles, f"waits {_part(cycles, core)} of its time for spinlock {lock}: {listed(parts)}."


def _sides(loss: Loss) -> str:
    mine = f"in {loss.function} for {'its code' if loss.object == loss.function else loss.object}"
    if loss.to != "core":
        return mine
    what = f" for {loss.other_object}" if loss.other_object not in {"", loss.other_function} else ""
    return f"{mine} while core {1 - loss.core} is in {loss.other_function or 'no function yet'}{what}"


def _priority(analysis: ProfileAnalysis, core: int, culprit: str) -> str:
    master = f"core {1 - core}" if culprit == "core" else culprit
    if master not in analysis.first_on_bus or f"core {core}" in analysis.first_on_bus:
        return ""
    return f" {capitalised('the DMA' if master == 'DMA' else master)} always comes first: BUS_PRIORITY says so."


def _by(losses: Iterable[Loss], core: CoreSummary, words: Callable[[Loss], str]) -> str:
    counted = Counter[str]()
    for loss in losses:
        counted[words(loss)] += loss.cycles
    return _most(counted, core)


def _most(counted: Mapping[str, int], core: CoreSummary, before: str = "") -> str:
    found = Counter(counted).most_common(_NAMED)
    least = _NEGLIGIBLE * sum(counted.values())
    return listed([f"{_part(cycles, core)} {before}{name}" for name, cycles in found if cycles > least])


def _cycles(losses: Iterable[Loss]) -> int:
    return sum(loss.cycles for loss in losses)


def _part(cycles: int, core: CoreSummary) -> str:
    return percent(cycles / core.cycles) if core.cycles else percent(0.0)
