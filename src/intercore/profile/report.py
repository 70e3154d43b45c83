"""What people read of a profile: the answer first, then tables of functions, lines, tasks, handlers, spinlocks."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from intercore.profile import alone, timed
from intercore.profile.source_lines import short_names
from intercore.record.origin import in_heading
from intercore.text import capitalised, listed
from intercore.view.quantity import duration, percent
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from intercore.profile.recorded import LockUse, Loss, Sums
    from intercore.profile.source_lines import LineSummary
    from intercore.profile.summary import CoreSummary, ProfileAnalysis
    from intercore.profile.sums import FunctionSummary, RootSummary

TOP = 10
"""Functions that are shown unless the user asks for more."""
TOP_LINES = 5
"""Source lines, likewise."""
WORTH_A_WORD = 0.01
"""Part of a core's time from which on a loss stands among the sentences."""
_LEAST_LINE = 0.001
"""Part of a core's time from which on a source line is shown, unless all are."""
_NAMED = 3
_NEGLIGIBLE = 0.05
"""Part of a sum up to which what adds to it is not named."""
_ROM = "boot ROM"
_LEAST_CELL = 0.1
"""Percent."""
_FLASH, _BRIDGE = "XIP", "APB"
_STRIPED = {"SRAM0", "SRAM1", "SRAM2", "SRAM3"}
"""Banks that share what is in main memory word by word."""
_ADVICE_FOR_FLASH = " In SRAM, {function} would not need flash: define it {how}."
_HOW_IN_C = "as __no_inline_not_in_flash_func({function})"
_ADVICE_FOR_ONE_OF_TWO = " In SRAM, {function} or {other} would not need flash: define one of them {how}."
_HOW_OF_TWO_IN_C = "with __no_inline_not_in_flash_func"
_HOW_IN_CPP = 'with __attribute__((noinline, section(".time_critical")))'
_ADVICE_FOR_DATA_IN_FLASH = ' In SRAM, {object} would not need flash: define it with __not_in_flash("").'
_ADVICE_FOR_BANKS = (
    ' {object} would have a bank of its own in SRAM4 or SRAM5: define it with __scratch_x("") or __scratch_y("").'
)


def section(analysis: ProfileAnalysis, top: int = TOP, lines: int = TOP_LINES) -> Section:
    """Return sentences and tables; `top` and `lines` are the numbers of functions and source lines, 0 for all."""
    shown = analysis.functions[: top or None]
    us = 1e6 * analysis.seconds / max(1, analysis.ended - analysis.begun)
    tables: list[Table[Any]] = [_function_table(analysis, shown)]
    worth = [one for one in analysis.lines if one.awake >= _LEAST_LINE * analysis.cores[one.core].cycles]
    shown_lines = worth[:lines] if lines else analysis.lines
    if shown_lines:
        tables.append(_line_table(analysis, shown_lines))
    tables.append(_root_table(analysis))
    if analysis.locks:
        tables.append(_lock_table(analysis))
    names = f", with the names of {analysis.names}," if analysis.names else ""
    ran = (
        f"{analysis.image}{names} ran for {duration(analysis.seconds * 1e6)} of the chip's time "
        f"({analysis.ended - analysis.begun:,} cycles): {analysis.stop}."
    )
    sentences = [sentence for core in analysis.cores for sentence in _core_sentences(analysis, core)]
    if analysis.alone is not None:
        sentences = [*alone.sentences(analysis.alone), *sentences]
        tables.insert(0, alone.table(analysis.alone, analysis.image))
    if analysis.calls is not None:
        sentences = [*timed.sentences(analysis.calls, us), *sentences]
        if analysis.calls.parts:
            tables.insert(0, timed.table(analysis.calls, analysis.image, us))
    return Section(_heading("Profile", analysis), [ran, *sentences], tables)


def rows(analysis: ProfileAnalysis) -> list[dict[str, object]]:
    """Return a row for each function on each core, for CSV."""
    return [
        {
            "core": one.core,
            "function": one.function,
            "calls": one.calls,
            "instructions": one.instructions,
            "cycles": one.own.cycles,
            "inclusive_cycles": one.inclusive,
            "executing_cycles": one.own.executing,
            "asleep_cycles": one.own.asleep,
            "switching_cycles": one.own.switching,
            "conflict_cycles": one.own.conflicted,
            "flash_wait_cycles": one.own.waits.get(_FLASH, 0),
            "other_wait_cycles": one.own.waited - one.own.waits.get(_FLASH, 0),
        }
        for one in analysis.functions
    ]


def _heading(title: str, analysis: ProfileAnalysis) -> str:
    return f"{title}: {in_heading(analysis.image, analysis.origin)}"


def _core_sentences(analysis: ProfileAnalysis, core: CoreSummary) -> Iterable[str]:
    if not core.started:
        yield f"Core {core.core} was never started: it {'is off' if core.off else 'waits in the boot ROM'}."
        return
    if core.sums.asleep == core.cycles:
        yield f"Core {core.core} slept all the time."
        return
    yield f"Core {core.core}: {listed(_classes(core))}.{_busiest(analysis, core)}"
    yield from _interrupt_sentences(analysis, core)
    other = 1 - core.core
    mine = [loss for loss in analysis.losses if loss.core == core.core]
    for culprit, who in ("core", f"core {other}"), ("DMA", "the DMA"), ("itself", "an earlier access of its own"):
        found = [loss for loss in mine if loss.to == culprit]
        if _is_worth(found, core):
            ports = _by(found, core, lambda loss: f"at {loss.port}")
            yield (
                f"Core {core.core} loses {_part(_cycles(found), core)} of its time to {who}: "
                f"{ports}; {_by(found, core, _sides)}.{_priority(analysis, core.core, culprit)}"
                f"{_cure_for_banks(found)}{_cure_for_flash(found, core)}"
            )
    misses = [loss for loss in mine if loss.to in {"eviction", "nobody"}]
    if _is_worth(misses, core):
        yield _flash_sentence(core, misses)
    bridge = core.sums.waits.get(_BRIDGE, 0)
    if bridge >= WORTH_A_WORD * core.cycles:
        functions = Counter[str]()
        for one in analysis.functions:
            if one.core == core.core:
                functions[one.function] += one.own.waits.get(_BRIDGE, 0)
        yield (
            f"Core {core.core} waits {_part(bridge, core)} of its time for registers of peripherals: "
            f"{_most(functions, core, 'in ')}."
        )
    yield from _lock_sentences(analysis, core)


def _classes(core: CoreSummary) -> list[str]:
    sums = core.sums
    flash = sums.waits.get(_FLASH, 0)
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


def _interrupt_sentences(analysis: ProfileAnalysis, core: CoreSummary) -> Iterable[str]:
    handlers = [one for one in analysis.roots if one.core == core.core and one.entered]
    cycles = sum(one.sums.cycles for one in handlers)
    if cycles < WORTH_A_WORD * core.cycles:
        return
    us = 1e6 * analysis.seconds / max(1, analysis.ended - analysis.begun)
    top = sorted(handlers, key=lambda one: -one.sums.cycles)[:_NAMED]
    found = [
        f"{_part(one.sums.cycles, core)} in {one.name} ({_count(one.entered)}, "
        f"{duration(one.sums.cycles * us / one.entered)}{' each' if one.entered > 1 else ''})"
        for one in top
        if one.sums.cycles > _NEGLIGIBLE * cycles
    ]
    yield f"Core {core.core} spends {_part(cycles, core)} of its time in interrupts: {listed(found)}."


def _count(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"


def _flash_sentence(core: CoreSummary, misses: Sequence[Loss]) -> str:
    evicted = [loss for loss in misses if loss.to == "eviction"]
    times = sum(loss.times for loss in misses)
    sentence = (
        f"Core {core.core} waits {_part(_cycles(misses), core)} of its time for flash "
        f"({times:,} {'miss' if times == 1 else 'misses'} of its cache): "
        f"{_by(misses, core, lambda loss: f'in {loss.function}')}."
    )
    if _is_worth(evicted, core):
        pairs = _by(
            evicted, core, lambda loss: f"{loss.object} replaced by core {1 - core.core} in {loss.other_function}"
        )
        sentence += f" Core {1 - core.core} had replaced what was there for {_part(_cycles(evicted), core)}: {pairs}."
    return sentence + _cure_for_flash(misses, core)


def _lock_sentences(analysis: ProfileAnalysis, core: CoreSummary) -> Iterable[str]:
    waits: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for one in analysis.lock_waits:
        if one.core == core.core:
            holder = f"core {one.holder} holds it{one.holder_function and f' in {one.holder_function}'}"
            waits[one.lock].append((one.cycles, f"{one.function} while {holder}"))
    for lock, found in waits.items():
        cycles = sum(cycles for cycles, _ in found)
        if cycles >= WORTH_A_WORD * core.cycles:
            yield (
                f"Core {core.core} waits {_part(cycles, core)} of its time for spinlock {lock}: "
                f"{listed([f'{_part(one, core)} in {text}' for one, text in sorted(found, reverse=True)[:_NAMED]])}."
            )


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


def _cure_for_banks(losses: Sequence[Loss]) -> str:
    """Return advice on the object that most cycles are lost for: data, or code that shares its banks with data."""
    data, code = Counter[str](), Counter[str]()
    for loss in losses:
        if loss.object != loss.function and loss.port.startswith("SRAM"):
            data[loss.object] += loss.cycles
        elif loss.port in _STRIPED:
            code[loss.object] += loss.cycles
    for found in data, code:
        if 2 * found.total() >= _cycles(losses):
            return _ADVICE_FOR_BANKS.format(object=found.most_common(1)[0][0])
    return ""


def _cure_for_flash(losses: Sequence[Loss], core: CoreSummary) -> str:
    """Return advice on the function or the data that most cycles are lost for at the flash cache, if it is worth it."""
    found = [loss for loss in losses if loss.port == _FLASH and loss.function != _ROM]
    if not _is_worth(found, core):
        return ""
    data = [loss for loss in found if loss.object != loss.function]
    if 2 * _cycles(data) > _cycles(found):
        return _ADVICE_FOR_DATA_IN_FLASH.format(object=_top(data, lambda loss: loss.object))
    function = _top(found, lambda loss: loss.function)
    # Which of the two moves is the same to both, if what the other core does there is to fetch its code.
    met = [loss for loss in found if loss.function == function and loss.other_object == loss.other_function != _ROM]
    other = _top(met, lambda loss: loss.other_function) if 2 * _cycles(met) > _cycles(found) else ""
    if other in {"", function}:
        how = (_HOW_IN_C if function.isidentifier() else _HOW_IN_CPP).format(function=function)
        return _ADVICE_FOR_FLASH.format(function=function, how=how)
    how = _HOW_OF_TWO_IN_C if function.isidentifier() and other.isidentifier() else _HOW_IN_CPP
    return _ADVICE_FOR_ONE_OF_TWO.format(function=function, other=other, how=how)


def _top(losses: Iterable[Loss], name: Callable[[Loss], str]) -> str:
    counted = Counter[str]()
    for loss in losses:
        counted[name(loss)] += loss.cycles
    return counted.most_common(1)[0][0]


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


def _is_worth(losses: Sequence[Loss], core: CoreSummary) -> bool:
    return _cycles(losses) >= WORTH_A_WORD * core.cycles


def _cell(cycles: int, core: CoreSummary) -> str:
    if not cycles or not core.cycles:
        return ""
    part = 100 * cycles / core.cycles
    return f"{part:.1f} %" if part >= _LEAST_CELL else f"< {_LEAST_CELL:g} %"


def _part(cycles: int, core: CoreSummary) -> str:
    return percent(cycles / core.cycles) if core.cycles else percent(0.0)


def _function_table(analysis: ProfileAnalysis, shown: Sequence[FunctionSummary]) -> Table[FunctionSummary]:
    def part(one: FunctionSummary, cycles: int) -> str:
        return _cell(cycles, analysis.cores[one.core])

    left = len(analysis.functions) - len(shown)
    more = f"; {left} more with --top 0" if left else ""
    return Table(
        _heading(f"Functions by time awake{more}", analysis),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("function", lambda one: one.function),
            Column("own", lambda one: part(one, one.own.cycles), right=True),
            Column("total", lambda one: part(one, one.inclusive), right=True),
            Column("calls", lambda one: f"{one.calls:,}", right=True),
            Column("lost", lambda one: part(one, one.own.conflicted), right=True),
            Column("flash", lambda one: part(one, one.own.waits.get(_FLASH, 0)), right=True),
            Column("asleep", lambda one: part(one, one.own.asleep), right=True),
        ],
    )


def _line_table(analysis: ProfileAnalysis, shown: Sequence[LineSummary]) -> Table[LineSummary]:
    names = short_names(one.file for one in analysis.lines)

    def part(one: LineSummary, cycles: int) -> str:
        return _cell(cycles, analysis.cores[one.core])

    left = len(analysis.lines) - len(shown)
    more = f"; {left} more with --lines 0" if left else ""
    return Table(
        _heading(f"Source lines by time awake{more}", analysis),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("line", lambda one: f"{names[one.file]}:{one.line}"),
            Column("in", _function_of_line),
            Column("time", lambda one: part(one, one.cycles), right=True),
            Column("lost", lambda one: part(one, one.conflicts), right=True),
            Column("waits", lambda one: part(one, one.waits), right=True),
            Column("asleep", lambda one: part(one, one.asleep), right=True),
        ],
    )


def _function_of_line(line: LineSummary) -> str:
    return f"{line.function} in {line.inlined_into}" if line.inlined_into else line.function


def _root_table(analysis: ProfileAnalysis) -> Table[RootSummary]:
    def busy(sums: Sums) -> int:
        return sums.cycles - sums.asleep

    return Table(
        _heading("Tasks and interrupts", analysis),
        sorted(analysis.roots, key=lambda one: (one.core, -busy(one.sums))),
        [
            Column("core", lambda one: str(one.core)),
            Column("task or interrupt", lambda one: one.name),
            Column("awake", lambda one: _cell(busy(one.sums), analysis.cores[one.core]), right=True),
            Column("asleep", lambda one: _cell(one.sums.asleep, analysis.cores[one.core]), right=True),
            Column("entered", lambda one: f"{one.entered:,}" if one.entered else "", right=True),
        ],
    )


def loss_table(analysis: ProfileAnalysis, most: int = 2 * TOP) -> Table[Loss]:
    """Return the table of the largest losses: what each core lost to whom."""
    culprits = {"DMA": "the DMA", "itself": "an earlier access of its own", "nobody": "nobody: a miss of the cache"}

    def culprit(loss: Loss) -> str:
        if loss.to not in {"core", "eviction"}:
            return culprits[loss.to]
        what = f" for {loss.other_object}" if loss.other_object not in {"", loss.other_function} else ""
        how = "replaced by " if loss.to == "eviction" else ""
        return f"{how}core {1 - loss.core} in {loss.other_function}{what}"

    return Table(
        _heading("Largest losses", analysis),
        analysis.losses[:most],
        [
            Column("core", lambda one: str(one.core)),
            Column("at", lambda one: one.port),
            Column("in", lambda one: one.function),
            Column("for", lambda one: one.object if one.object != one.function else "its code"),
            Column("to", culprit),
            Column("times", lambda one: f"{one.times:,}", right=True),
            Column("cycles", lambda one: f"{one.cycles:,}", right=True),
            Column("time", lambda one: _cell(one.cycles, analysis.cores[one.core]), right=True),
        ],
    )


def _lock_table(analysis: ProfileAnalysis) -> Table[LockUse]:
    us = 1e6 * analysis.seconds / max(1, analysis.ended - analysis.begun)

    def time(cycles: int) -> str:
        return duration(cycles * us) if cycles else ""

    return Table(
        _heading("Spinlocks", analysis),
        analysis.locks[:TOP],
        [
            Column("lock", lambda one: str(one.lock), right=True),
            Column("core", lambda one: str(one.core)),
            Column("claimed in", lambda one: one.function),
            Column("claims", lambda one: f"{one.claims:,}", right=True),
            Column("held", lambda one: _cell(one.held, analysis.cores[one.core]), right=True),
            Column("longest", lambda one: time(one.longest_held), right=True),
            Column("waited", lambda one: _cell(one.waited, analysis.cores[one.core]), right=True),
            Column("longest wait", lambda one: time(one.longest_wait), right=True),
        ],
    )
