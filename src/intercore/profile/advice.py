"""Advice on what a core loses: which function or data to move, and how that is written in the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from intercore.profile.recorded import Loss

FLASH = "XIP"
"""The port of the flash cache."""
_STARTUP = {"boot ROM", "_reset_handler", "_entry_point"}
"""Code that runs before there is any in SRAM."""
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


class Advice(NamedTuple):
    """What to move, and where."""

    text: str
    """A sentence behind another one."""
    moves: Sequence[str]
    """Functions or data, each of which can be moved."""


NONE = Advice("", ())


def for_banks(losses: Sequence[Loss]) -> Advice:
    """Return advice on the object that most cycles are lost for: data, or code that shares its banks with data."""
    data, code = Counter[str](), Counter[str]()
    for loss in losses:
        if loss.object != loss.function and loss.port.startswith("SRAM"):
            data[loss.object] += loss.cycles
        elif loss.port in _STRIPED:
            code[loss.object] += loss.cycles
    for found in data, code:
        if 2 * found.total() >= _cycles(losses):
            name = found.most_common(1)[0][0]
            return Advice(_ADVICE_FOR_BANKS.format(object=name), [name])
    return NONE


def for_flash(losses: Sequence[Loss], least: float, once: Collection[str]) -> Advice:
    """Return advice on what most cycles are lost for at the flash cache, if it is at least so many.

    `once` are functions that were called once since power-on: they are read from flash once, wherever they are.
    """
    found = [
        loss
        for loss in losses
        if loss.port == FLASH and loss.function not in _STARTUP and (loss.to != "nobody" or loss.function not in once)
    ]
    if _cycles(found) < least:
        return NONE
    data = [loss for loss in found if loss.object != loss.function]
    if 2 * _cycles(data) > _cycles(found):
        name = _top(data, lambda loss: loss.object)
        return Advice(_ADVICE_FOR_DATA_IN_FLASH.format(object=name), [name])
    function = _top(found, lambda loss: loss.function)
    # Which of the two moves is the same to both, if what the other core does there is to fetch its code.
    met = [
        loss
        for loss in found
        if loss.function == function and loss.other_object == loss.other_function and loss.other_object not in _STARTUP
    ]
    other = _top(met, lambda loss: loss.other_function) if 2 * _cycles(met) > _cycles(found) else ""
    names = [function] if other in {"", function} else [function, other]
    in_c = all(_in_source(name).isidentifier() for name in names)
    if len(names) == 1:
        how = (_HOW_IN_C if in_c else _HOW_IN_CPP).format(function=_in_source(function))
        return Advice(_ADVICE_FOR_FLASH.format(function=function, how=how), names)
    how = _HOW_OF_TWO_IN_C if in_c else _HOW_IN_CPP
    return Advice(_ADVICE_FOR_ONE_OF_TWO.format(function=function, other=other, how=how), names)


def _in_source(function: str) -> str:
    """Return the name without what a compiler adds to that of a part or a variant: `.part.0`, `.isra.0`."""
    name = function.partition(".")[0]
    return name if name.isidentifier() else function


def _top(losses: Iterable[Loss], name: Callable[[Loss], str]) -> str:
    counted = Counter[str]()
    for loss in losses:
        counted[name(loss)] += loss.cycles
    return counted.most_common(1)[0][0]


def _cycles(losses: Iterable[Loss]) -> int:
    return sum(loss.cycles for loss in losses)
