"""The parts of the documentation site that are made when it is built: from the help of commands, headers, other files.

docs/conf.py puts each behind the text of the page that it belongs to. Nothing that is made here is committed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercore.cli.main import COMMANDS, loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
HEADERS = ("port.h", "port_objects.h", "port_lock.h", "port_interrupt.h", "port_trace.h")
"""What a platform supplies, as the first of them says."""


def commands_page() -> str:
    """Return what each command is for and what it accepts, from the same objects as `--help`."""
    found = [_command(f"intercore {name}", _loaded(name)) for name in COMMANDS]
    run = "import sys; sys.argv[1:] = ['--help']; from intercore.cli.intercore_sim import main; main()"
    program = [sys.executable, "-c", run]
    shown = subprocess.run(program, capture_output=True, text=True, check=True).stdout.rstrip()
    return "\n".join([*found, "## intercore-sim", "", "```text", shown, "```", ""])


def _loaded(name: str) -> Any:  # noqa: ANN401 - typer's own kind of command
    module, _ = COMMANDS[name]
    return loaded(module)


def _command(name: str, command: Any, level: int = 2) -> str:  # noqa: ANN401
    inside = getattr(command, "commands", {})
    usage = " ".join([name, *command.collect_usage_pieces(command.context_class(command))])
    parts = [f"{'#' * level} {name}", "", _text(" ".join(command.help.split())), "", "```text", usage, "```", ""]
    told, *examples = re.split(r"\bExamples?: ", " ".join((command.epilog or "").split()))
    parts += [_text(told), ""]
    if examples:
        parts += ["For example:", "", "```text", *examples[0].split("; "), "```", ""]
    rows = [row for one in command.params for row in _row(one)]
    if rows:
        parts += ["| argument or option | values | |", "|---|---|---|", *rows, ""]
    parts += [_command(f"{name} {word}", one, level + 1) for word, one in inside.items()]
    return "\n".join(parts)


def _argument(parameter: Any) -> str:  # noqa: ANN401
    return (parameter.metavar or parameter.name.upper()).strip("[]")


def _row(parameter: Any) -> Iterator[str]:  # noqa: ANN401
    option = parameter.param_type_name == "option"
    if option and parameter.hidden:
        return
    names = [*parameter.opts, *parameter.secondary_opts] if option else [_argument(parameter)]
    values = ""
    if option and not parameter.is_flag:
        choices = getattr(parameter.type, "choices", None)
        values = "|".join(map(str, choices)) if choices else parameter.metavar or parameter.type.name
    said = [_text(" ".join((parameter.help or "").split()))]
    if parameter.required:
        said.append("Required.")
    if option and not parameter.is_flag and parameter.default not in (None, (), []):
        said.append(f"Usual: {_code(str(parameter.default))}.")
    if parameter.envvar:
        said.append(f"Environment: {_code(parameter.envvar)}.")
    cells = [", ".join(map(_code, names)), _code(values) if values else "", " ".join(said)]
    yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _code(text: str) -> str:
    return f"`{text}`"


def _text(help_text: str) -> str:
    """Return text of the terminal as Markdown that shows the same."""
    return re.sub(r"([*_<\[\]])", r"\\\1", help_text)


def header_page() -> str:
    """Return the headers of the port, with a heading for each of their sections."""
    return "\n".join(part for name in HEADERS for part in _header(name))


def _header(name: str) -> Iterator[str]:
    text = (ROOT / "firmware/port" / name).read_text("utf-8")
    yield f"## {name}\n"
    for index, part in enumerate(re.split(r"^/\* -{4} (.+?) -+ \*/\n", text, flags=re.MULTILINE)):
        yield f"### {part}\n" if index % 2 else f"```c\n{part.strip()}\n```\n"


def file_page(name: str) -> str:
    """Return a Markdown file from above docs/ without its title, with links as they are in docs/."""
    _, _, text = (ROOT / name).read_text("utf-8").partition("\n")
    return re.sub(
        r"\]\((?!https?:|mailto:|#)([^)\s]+)\)",
        lambda link: f"]({link[1].removeprefix('docs/') if link[1].startswith('docs/') else '../' + link[1]})",
        text,
    )
