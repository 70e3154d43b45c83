"""Shell completion of arguments: targets, benchmarks, factors, levels and runs.

It runs at each key press, so it imports as little as possible, opens no target and builds nothing.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperArgument
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typer._click import Command, Context

_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Environment variables in which a shell passes the typed line."""
_HARMLESS = re.compile(r"[\w.,/+=-]+", re.ASCII)
"""Characters that a shell does not interpret: names may come from targets and stores."""


class _Request(NamedTuple):
    """The word to complete."""

    words: Sequence[str]
    """The arguments before it."""
    word: str
    """The typed beginning of the word."""
    store: Path


class _Completion(NamedTuple):
    """A completion and its description."""

    word: str
    help: str | None = None


def command(name: str, load: Callable[[], Command]) -> Command:
    """Return a command for completion: the command itself, or a stub that loads faster while no option is typed."""
    completing = load() if name not in ARGUMENTS or _typed_options() else _without_options(name)
    for parameter in completing.params:
        if isinstance(parameter, TyperArgument) and name in ARGUMENTS:
            parameter.shell_complete = partial(_complete, name)  # type: ignore[method-assign]
    return completing


def _typed_options() -> bool:
    """Whether an option is being typed, so that completion needs the command itself."""
    return any(word.startswith("-") for name in _LINES for word in os.environ.get(name, "").split())


def _without_options(name: str) -> Command:
    """Return a stub of the command of that name: it has arguments and no options."""
    app = typer.Typer(add_completion=False)

    @app.command(name)
    def words_of(words: Annotated[list[str] | None, typer.Argument()] = None) -> None:
        raise NotImplementedError(words)

    return get_command(app)


def _complete(name: str, context: Context, incomplete: str) -> list[CompletionItem]:
    words = [word for parameter in context.command.params for word in _typed_value(context, parameter.name)]
    if not incomplete and os.environ.get("COMP_WORDS", "").rstrip().endswith("="):
        words.append("=")  # click omits it
    *before, word = _rejoined([*words, incomplete])
    cut = len(word) - len(incomplete)  # the part that the shell has split off
    store = context.params.get("store_path") or os.environ.get("INTERCORE_STORE") or "intercore.db"
    try:
        found = list(ARGUMENTS[name](_Request(before, word, Path(store))))
    except Exception:  # e.g. a damaged store: an error must not appear in the shell's prompt
        return []
    return [
        CompletionItem(one.word[cut:], help=one.help)
        for one in found
        if one.word.startswith(word) and _HARMLESS.fullmatch(one.word)
    ]


def _typed_value(context: Context, name: str | None) -> Iterable[str]:
    value = context.params.get(name or "")
    is_argument = any(one.name == name and isinstance(one, TyperArgument) for one in context.command.params)
    if value is None or not is_argument:
        return ()
    return map(str, value) if isinstance(value, list | tuple) else (str(value),)


def _rejoined(words: Sequence[str]) -> Sequence[str]:
    """Return the words as they were typed: bash splits `mode=pool` into three."""
    whole: list[str] = []
    for word in words:
        if len(whole) > 1 and (word == "=" or whole[-1].endswith("=")):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


# ---- completions ----


def _targets(_: _Request) -> Iterable[_Completion]:
    from intercore.target.targets import TARGETS  # noqa: PLC0415 - see above; so are those below

    return [_Completion(one.name, one.summary) for one in TARGETS]


def _boards(_: _Request) -> Iterable[_Completion]:
    from intercore.board.boards import BOARDS  # noqa: PLC0415

    return [_Completion(name) for name in BOARDS]


def _benchmarks(request: _Request) -> Iterable[_Completion]:
    from intercore.benchmarks.registry import names  # noqa: PLC0415
    from intercore.target.offers import remembered  # noqa: PLC0415

    return [_Completion(name) for name in remembered(request.words[0]) or names()]


def _suite_or_benchmarks(request: _Request) -> Iterable[_Completion]:
    return [_Completion("suite", "all benchmarks"), *_benchmarks(request)]


def _levels(request: _Request) -> Iterable[_Completion]:
    """Return names of factors, or the levels of a factor once only one name matches."""
    target, benchmark, *given = request.words
    known = _factors(target, benchmark)
    name, equals, value = request.word.partition("=")
    if equals:
        listed, comma, _ = value.rpartition(",")
        first = f"{name}={listed}{comma}"
        return [_Completion(first + level) for level in known.get(name, ()) if level not in listed.split(",")]
    used = {word.partition("=")[0] for word in given}
    names = [one for one in known if one.startswith(name) and one not in used]
    if len(names) == 1:
        return [_Completion(f"{names[0]}={level}") for level in known[names[0]] or [""]]
    return [_Completion(f"{one}=") for one in names]


def _factors(target: str, benchmark: str) -> Mapping[str, Sequence[str]]:
    """Return the levels of each factor: those of the target if known, else the benchmark's default levels."""
    from intercore.benchmarks.benchmark import All  # noqa: PLC0415
    from intercore.benchmarks.suite import default  # noqa: PLC0415
    from intercore.target.offers import remembered  # noqa: PLC0415
    from intercore.target.targets import find  # noqa: PLC0415

    usual = {name: [] if isinstance(some, All) else list(some) for name, some in default(benchmark, {}).items()}
    offered = remembered(target).get(benchmark, {})
    merged = {name: some if len(some) > 1 else usual.get(name, some) for name, some in offered.items()} or usual
    own = find(target).factors
    return {**merged, **{one.name: [str(one.default)] if one.is_range else [*map(str, one.levels)] for one in own}}


def _runs(request: _Request) -> Iterable[_Completion]:
    from intercore.record.store import StoreReader  # noqa: PLC0415

    if not request.store.is_file():
        return []
    with StoreReader(request.store) as store:
        return [_Completion(str(one.id), f"{one.plan.name} on {one.plan.target}") for one in reversed(store.runs())]


def _benchmarks_of_run(request: _Request) -> Iterable[_Completion]:
    from intercore.record.store import StoreReader  # noqa: PLC0415

    with StoreReader(request.store) as store:
        runs = store.runs()
    named = next((one for one in runs if [str(one.id)] == list(request.words[:1])), runs[-1])
    return [_Completion(name) for name in named.plan.benchmarks if name not in request.words]


def _runs_or_their_benchmarks(request: _Request) -> Iterable[_Completion]:
    return [*_runs(request), *_benchmarks_of_run(request)] if request.store.is_file() else []


def _runs_or_targets(request: _Request) -> Iterable[_Completion]:
    return [*_targets(request), *_runs(request)]


def _in_order(*places: Callable[[_Request], Iterable[_Completion]]) -> Callable[[_Request], Iterable[_Completion]]:
    """Return a completion by position; the last one serves all further arguments."""
    return lambda request: places[min(len(request.words), len(places) - 1)](request)


def _nothing(_: _Request) -> Iterable[_Completion]:
    return []


ARGUMENTS: Mapping[str, Callable[[_Request], Iterable[_Completion]]] = {
    "run": _in_order(_targets, _suite_or_benchmarks, _levels),
    "trace": _in_order(_targets, _benchmarks, _levels),
    "predict": _in_order(_targets, _benchmarks, _levels),
    "list": _in_order(_targets, _benchmarks),
    "info": _in_order(_targets, _nothing),
    "shell": _in_order(_targets, _nothing),
    "doctor": _in_order(_targets, _nothing),
    "build": _in_order(_boards, _nothing),
    "flash": _in_order(_boards, _nothing),
    "show": _in_order(_runs_or_their_benchmarks, _benchmarks_of_run),
    "report": _runs_or_targets,
    "compare": _runs_or_targets,
    "export": _in_order(_runs, _nothing),
}
"""The completion of each command's arguments. All others are files, which shells complete by themselves."""
