"""What the shell completes: targets, benchmarks, factors, levels and runs, as each shell parts the line."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import pytest

from intercore.cli import main as command_line
from intercore.link.session import BenchmarkInfo, ParameterInfo
from intercore.record.measurement import Part, Plan
from intercore.record.store import Store
from intercore.target import offers
from intercore.target.targets import TARGETS
from tests.cli.test_start_up import loaded

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {target.name for target in TARGETS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a store, and a user's cache that is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("INTERCORE_STORE", raising=False)
    monkeypatch.setattr(sys, "argv", ["intercore"])
    return tmp_path


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    return Complete(monkeypatch, capsys)


class Complete:
    """What bash is offered for a line with the cursor at its end; bash parts words at `=`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, line: str) -> set[str]:
        words = f"intercore {line}".replace("=", " = ").split(" ")
        self._monkeypatch.setenv("_INTERCORE_COMPLETE", "complete_bash")
        self._monkeypatch.setenv("COMP_WORDS", " ".join(words))
        self._monkeypatch.setenv("COMP_CWORD", str(len([word for word in words[:-1] if word]) - line.endswith("=")))
        with contextlib.suppress(SystemExit):
            command_line.main()
        shown = self._capsys.readouterr()
        assert shown.err == ""
        return {*shown.out.split()}


def add_run(path: Path, *benchmarks: str) -> None:
    with Store(path) as store:
        store.create_run(Plan("host", None, "suite", tuple(Part(name, {"n": [1]}) for name in benchmarks)), 1)


@pytest.mark.parametrize("command", ["run", "trace", "list", "info", "shell", "doctor", "predict", "report", "compare"])
def test_targets_are_completed(complete: Complete, command: str) -> None:
    assert complete(f"{command} ") == NAMES
    assert complete(f"{command} ho") == {"host"}


def test_boards_are_completed(complete: Complete) -> None:
    assert complete("flash pico") == {"pico", "pico-amp", "pico2-riscv"}


def test_benchmarks_are_completed(complete: Complete) -> None:
    assert complete("run pico-sim s") == {"speedup", "switch", "suite"}
    assert complete("trace pico-sim s") == {"speedup", "switch"}
    assert complete("list host message lo") == {"lock"}
    assert complete("run host --seed 3 sw") == {"switch"}


def test_factors_and_their_levels_are_completed(complete: Complete) -> None:
    assert {"primitive=", "from=", "opt="} <= complete("run host switch ")
    assert "primitive=" not in complete("run host switch primitive=queue ")
    assert {"primitive=queue", "primitive=mutex"} <= complete("run host switch prim")
    assert {"queue", "mutex"} <= complete("run host switch primitive=")
    assert complete("run host switch primitive=qu") == {"queue"}
    assert complete("run host switch primitive=mutex,qu") == {"mutex,queue"}
    assert complete("run host switch primitive=mutex from=") == {"0", "1"}
    assert complete("run host switch opt=Of") == {"Ofast"}
    assert "mode=" in complete("run host speedup m")


def test_a_shell_that_does_not_part_words_gets_whole_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_INTERCORE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "intercore run host switch primitive=qu")
    with pytest.raises(SystemExit):
        command_line.main()
    assert '"primitive=queue"' in capsys.readouterr().out


def test_what_a_target_has_offered_is_completed_from_then_on(complete: Complete) -> None:
    parameter = ParameterInfo("how", "choice", "one", "", None, None, ("one", "two", "$(evil)"))
    offers.remember("serial", [BenchmarkInfo("new", "", (parameter,)), BenchmarkInfo("no", "", (), "refused")])
    assert complete("run serial ") == {"new", "suite"}
    assert complete("run serial new how=") == {"one", "two"}


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"a": 1}', b"\xff", b"[" * 100_000])
def test_offers_that_are_damaged_are_none(folder: Path, damage: bytes) -> None:
    path = folder / "cache" / "intercore" / "offers" / "host.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)
    assert offers.remembered("host") == {}


def test_a_cache_that_cannot_be_written_is_no_error(folder: Path) -> None:
    (folder / "cache").write_text("a file")
    offers.remember("host", [BenchmarkInfo("new", "", ())])
    assert offers.remembered("host") == {}


def test_runs_and_their_benchmarks_are_completed(complete: Complete, folder: Path) -> None:
    add_run(folder / "intercore.db", "speedup", "switch")
    add_run(folder / "intercore.db", "lock")
    assert complete("show ") == {"1", "2", "lock"}
    assert complete("show 1 ") == {"speedup", "switch"}
    assert complete("report ") == {"1", "2", *NAMES}
    assert complete("export ") == {"1", "2"}
    add_run(folder / "other.db", "clock")
    assert complete(f"show --store {folder / 'other.db'} ") == {"1", "clock"}


@pytest.mark.parametrize("line", ["show ", "run nonsense x ", "run host nonsense x", "run host clock =", "x"])
def test_what_cannot_be_completed_is_silent(complete: Complete, folder: Path, line: str) -> None:
    (folder / "intercore.db").write_bytes(b"no store" * 100)
    assert complete(line) <= {"opt=", "trace="}


def test_completing_a_target_loads_neither_numbers_nor_what_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_INTERCORE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "intercore run host speedup mode")
    monkeypatch.setenv("COMP_CWORD", "4")
    heavy = {"numpy", "scipy", "polars", "rich", "serial", "sqlite3", "intercore.cli.run", "intercore._native"}
    assert not loaded() & heavy
