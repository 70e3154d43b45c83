"""What the tool loads before it does anything: a start that only lists commands waits for nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from typer.main import get_command

from intercore.cli.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAVY = {"asyncio", "importlib.metadata", "jinja2", "msgspec", "numpy", "polars", "scipy", "serial"} | {
    "sqlite3",
    "statsmodels",
}
"""What takes a twentieth of a second or more each, or is loaded by what does."""

MAIN = """
import sys
from intercore.cli.main import main
sys.argv = ["intercore", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def loaded(*words: str, environment: Mapping[str, str] | None = None) -> set[str]:
    """Modules that a command has loaded in an interpreter of its own."""
    command = [sys.executable, "-c", MAIN, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert done.stdout
    return set(done.stderr.split())


def test_the_list_of_commands_loads_nothing_heavy() -> None:
    modules = loaded("--help")
    assert "rich" in modules  # draws it
    assert not modules & HEAVY
    assert {name for name in modules if name.startswith("intercore.cli.")} == {"intercore.cli.main"}


def test_no_module_needs_scipy() -> None:
    """Only the tests have it."""
    program = """
import importlib, pkgutil, sys, intercore
for module in pkgutil.walk_packages(intercore.__path__, "intercore."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        assert "scipy" not in sys.modules, module.name
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_version_loads_neither_what_is_heavy_nor_what_draws() -> None:
    assert not loaded("--version") & (HEAVY - {"importlib.metadata"} | {"rich"})


def test_completing_a_command_loads_neither_what_is_heavy_nor_what_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_INTERCORE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "intercore re")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert not loaded() & (HEAVY | {"rich"})


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_help_that_it_has(name: str) -> None:
    module, text = COMMANDS[name]
    assert get_command(import_module(f"intercore.cli.{module}").app).help == text


def test_every_help_has_an_example() -> None:
    for name, (module, _) in COMMANDS.items():
        command = get_command(import_module(f"intercore.cli.{module}").app)
        for one in (getattr(command, "commands", None) or {name: command}).values():
            assert one.epilog is not None
            assert "intercore " in one.epilog
