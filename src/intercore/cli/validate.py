"""The command `validate`: a board against its model, with the same program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.cli.connection import connected
from intercore.cli.number_options import whole_option
from intercore.cli.options import Baud, Force, Output, PortUrl
from intercore.cli.outcome import check_page
from intercore.cli.validation import ValidationPage, show_validation
from intercore.errors import UsageError, unknown
from intercore.files.replacement import VALIDATION, check_replaceable
from intercore.target.targets import DEFAULT_BAUD, Address, find
from intercore.terminal.console import messages, say
from intercore.terminal.formats import DEFAULT
from intercore.validate import costs
from intercore.validate.campaign import Model, check_same_program, measure
from intercore.validate.quantities import BUILD
from intercore.validate.report import ValidationFindings
from intercore.validate.result import validation, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from intercore.validate.result import Origin

app = typer.Typer(add_completion=False)
FILE = Path("pico-validation.json")


@app.command(epilog="Examples: intercore validate pico --port /dev/ttyACM0; intercore validate pico --simulate-board 3")
def validate(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="The board: pico.")],
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    simulate_board: Annotated[
        int | None,
        whole_option(
            "--simulate-board", 0, 2**32 - 1, "Seed of a simulated chip with hidden costs, in place of a board."
        ),
    ] = None,
    file: Annotated[Path, typer.Option("-o", "--output", help="File to pass on.")] = FILE,
    page: ValidationPage = None,
    force: Force = False,
    output: Output = DEFAULT,
) -> None:
    """Measure a board and its model with the same program, and rank the assumptions that explain the differences."""
    if board != PICO.name:
        raise UsageError(unknown("board that can be validated", board, [PICO.name]))
    if (port is None) == (simulate_board is None):
        raise UsageError(
            "give --port, e.g. --port /dev/ttyACM0, after intercore flash pico --code flash; or --simulate-board SEED"
        )
    check_replaceable(file, VALIDATION, force=force)
    check_page(page, force=force)
    with messages().status("building the program") as status:
        model = Model(board_image(PICO, BUILD, status.update).elf, status.update)
        origin: Origin = "board"
        if simulate_board is None:
            said, compared = _on_board(model, Address(port, baud), status.update)
        else:
            origin, said = "simulated board", model.conditions
            compared = model.measure(costs.hidden(simulate_board), status.update)
        simulated = model.measure({}, status.update)
        found = validation(origin, said, compared, simulated, model.effects(simulated, status.update))
    write(found, file, force=force)
    show_validation(ValidationFindings(found), page, output, force=force)
    say(f"written: {file}" + (", to attach to an issue: I have a board" if port is not None else ""))


def _on_board(
    model: Model, address: Address, update: Callable[[str], None]
) -> tuple[Mapping[str, str], list[NDArray[np.int64]]]:
    """Return what a board says of itself, and what it takes, if it runs the program of the model."""
    with connected(find(PICO.name), address, None) as (session, _):
        said = session.info().conditions
        check_same_program(said, model.conditions)
        session.raise_rate()
        return said, measure(session, update)
