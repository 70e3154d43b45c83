"""The command `new`: the beginning of something of the user's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from intercore.board.own_workload import NAME
from intercore.errors import UsageError
from intercore.terminal.console import results

app = typer.Typer(no_args_is_help=True, add_completion=False)

_WORKLOAD = """\
/* NAME: what a unit of it is.
 *
 * This is a placeholder, which computes nothing of that name: a unit mixes a number that prepare() has drawn, in ROUNDS
 * rounds. Put your work in its place. Units should take equal times, since each core gets as many of them. */
#include <intercore_workload.h>

/* How many units there are. A window of n units has as many at most; the largest that is measured has them all. */
#define UNITS 4096U

/* How long a unit is. For a smaller one, and so for less work: --flag=-DROUNDS=4U */
#ifndef ROUNDS
#define ROUNDS 16U
#endif

/* What tasks of both cores use is PORT_SHARED; constants need no word. */
static uint32_t numbers[UNITS] PORT_SHARED(NAME_numbers);

/* Before each measurement, untimed. */
static void fill(void) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < UNITS; i++) {
        state = state * 1664525U + 1013904223U;
        numbers[i] = state;
    }
}

/* The timed work: `count` units from `first` on. It runs on several cores at once, each with units of its own, and sums
 * over parts add up to the sum over all of them. */
uint32_t NAME(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        uint32_t mixed = numbers[unit % UNITS];
        for (uint32_t round = 0; round < ROUNDS; round++) {
            mixed ^= mixed >> 15U;
            mixed *= 0x2c1b3c6dU;
        }
        sum += mixed;
    }
    return sum;
}

INTERCORE_WORKLOAD(NAME, .units = UNITS, .prepare = fill)
"""


@app.callback()
def new() -> None:
    """Write the beginning of something of your own, which builds and runs as it is."""


@app.command(epilog="Example: intercore new workload fft")
def workload(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the function, and of the file.")],
    *,
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write the file to.")] = Path(),
) -> None:
    """Write a C file with a workload of your own, and say which command measures it."""
    if not NAME.fullmatch(name):
        raise UsageError(f"'{name}' is no name for a function: at most 16 lower-case letters, digits and underscores")
    path = folder / f"{name}.c"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(re.sub(r"\bNAME|NAME\b", name, _WORKLOAD))
    except FileExistsError:
        raise UsageError(f"{path} exists; name another, or remove it") from None
    shown = f"./{path}" if not path.is_absolute() else str(path)
    results().print(
        f"{path} holds a placeholder: put your work in its place. It builds and runs as it is; measure it by\n\n"
        f"    intercore run pico-sim speedup workload={shown}\n",
        markup=False,
        soft_wrap=True,
    )
