"""Advice on what a core loses: which function or data to move, and how that is written in the source."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from intercore.profile.recorded import Loss

FLASH = "XIP"
"""The port of the flash cache."""
_ROM = "boot ROM"
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


def for_banks(losses: Sequence[Loss]) -> str:
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


def for_flash(losses: Sequence[Loss], least: float) -> str:
    """Return advice on what most cycles are lost for at the flash cache, if it is at least so many."""
    found = [loss for loss in losses if loss.port == FLASH and loss.function != _ROM]
    if _cycles(found) < least:
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


def _cycles(losses: Iterable[Loss]) -> int:
    return sum(loss.cycles for loss in losses)
