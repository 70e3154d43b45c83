"""The command `new`: writes templates for users' own code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from intercore.board.own_workload import NAME, NAME_RULE
from intercore.cli.group import Group
from intercore.errors import UsageError
from intercore.files.replacement import unwritable
from intercore.terminal.console import results

app = typer.Typer(cls=Group, no_args_is_help=True, add_completion=False)

_WORKLOAD = """\
/* NAME: describe one unit of its work here.
 *
 * This is a placeholder: each unit mixes a random number in ROUNDS rounds. Replace it by your work. Units should take
 * equal times, because each core gets the same number of them. */
#include <intercore_workload.h>

/* Number of units. A measurement computes n of them, at most all. */
#define UNITS 4096U

/* Length of a unit. For shorter units, and so for less work: --flag=-DROUNDS=4U */
#ifndef ROUNDS
#define ROUNDS 16U
#endif

/* Variables used by both cores are PORT_SHARED; constants need no attribute. */
static uint32_t numbers[UNITS] PORT_SHARED(NAME_numbers);

/* Runs before each measurement, outside of the timed part. */
static void fill(void) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < UNITS; i++) {
        state = state * 1664525U + 1013904223U;
        numbers[i] = state;
    }
}

/* The timed work: `count` units from `first` on. Cores call it at the same time, each for its own units. The results of
 * all parts must add up to the result for the whole. */
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


@app.callback(epilog="Example: intercore new workload fft")
def new() -> None:
    """Write a template, such as a workload, that builds and runs unchanged."""


@app.command(epilog="Example: intercore new workload fft")
def workload(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the function and of the file, e.g. fft.")],
    *,
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder for the file, e.g. workloads.")] = Path(),
) -> None:
    """Write a C file that is a template for a workload, and print the command that measures it."""
    if not NAME.fullmatch(name):
        raise UsageError(f"'{name}' cannot be the name of a workload: {NAME_RULE}, e.g. fft")
    path = folder / f"{name}.c"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(re.sub(r"\bNAME|NAME\b", name, _WORKLOAD))
    except FileExistsError:
        raise UsageError(f"{path} already exists: choose another name, or remove it") from None
    except OSError as error:
        raise unwritable(path, error) from error
    shown = f"./{path}" if not path.is_absolute() else str(path)
    results().print(
        f"{path} contains a placeholder that builds and runs: replace it with your own code. To measure it:\n\n"
        f"    intercore run pico-sim speedup workload={shown}\n",
        markup=False,
        soft_wrap=True,
    )
