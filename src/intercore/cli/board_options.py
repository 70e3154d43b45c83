"""Options of the commands that build the program of a board."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer
from typer.models import OptionInfo

from intercore.board.boards import BOARDS, FACTORS
from intercore.board.factors import Factor, resolve
from intercore.cli.options import alternatives
from intercore.errors import UsageError
from intercore.target.targets import option_of
from intercore.text import capitalised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.board.boards import Board
    from intercore.record.measurement import Level

P = ParamSpec("P")

BoardName = Annotated[str, typer.Argument(metavar="BOARD", help=f"One of {', '.join(BOARDS)}.")]


def boards_flashed_by(way: str) -> str:
    """Return the names of the boards that are flashed in this way, as a help text lists them."""
    return alternatives(board.name for board in BOARDS.values() if board.flashed_by == way)


def with_factors(command: Callable[P, None]) -> Callable[P, None]:
    """Replace the `**levels` of a command by an option for each factor of any board."""
    signature = inspect.signature(command, eval_str=True)
    own = [known for known in signature.parameters.values() if known.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(
            factors[0].name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, _option(factors)],
        )
        for factors in FACTORS.values()
    ]
    command.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return command


def _option(factors: Sequence[Factor]) -> OptionInfo:
    """Return the option that chooses a level of a factor at build time; its levels may differ between boards."""
    title = capitalised(factors[0].title)
    known = []
    for factor in factors:
        boards = [board.name for board in BOARDS.values() if factor in board.factors]
        whose = "" if len(boards) == len(BOARDS) else f"{', '.join(boards)}: "
        known.append(f"{whose}{factor.values}, default {factor.default}")
    return OptionInfo(
        default=...,
        param_decls=[option_of(factors[0].name)],
        help=f"{title}. {'; '.join(known)}.",
        show_default=False,
    )


def levels_of(board: Board, given: Mapping[str, str | None]) -> dict[str, Level]:
    """Return the levels to build a board's program with. Raises UsageError if a level is not possible."""
    known = [factor.name for factor in board.factors]
    wanted = {name: [text] for name, text in given.items() if text is not None}
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"{board.name} has no option {option_of(name)}; its options are "
                f"{', '.join(option_of(other) for other in known)}"
            )
    return {name: levels[0] for name, levels in resolve(board.factors, wanted).items()}
