"""On macOS and Windows, a command that needs Linux ends with a sentence, and the rest does without it.

The name of the system is made up here; `make lint` checks the types of both.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import TYPE_CHECKING

import pytest
import serial.tools.list_ports  # noqa: F401 - it chooses the system when it is loaded

from intercore import operating_system
from intercore.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = {"win32": "Windows", "darwin": "macOS"}
"""By the name that Python has for it."""


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of another system, which this process takes for its own."""
    monkeypatch.setattr(sys, "platform", request.param)
    return SYSTEMS[request.param]


def status_of(*words: str) -> int:
    """Run a command in this process, and return its exit status."""
    before, sys.argv = sys.argv, ["intercore", *words]
    try:
        main.main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.argv = before
    return 0


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        (("run", "host", "speedup", "n=1"), "the target 'host'"),
        (("info", "host"), "the target 'host'"),
        (("trace", "host", "switch"), "the target 'host'"),
        (("run", "host", "speedup", "n=1", "--meter", "rapl:"), ""),
    ],
)
def test_command_for_linux_ends_with_a_sentence(
    words: tuple[str, ...], needs: str, system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.chdir(tmp_path):
        assert status_of(*words) == 1
    error = capsys.readouterr().err
    assert f"error: {needs}" in error
    assert f"needs Linux, but this is {system}; " in error
    assert "Traceback" not in error


def test_doctor_states_that_host_needs_linux(system: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of("doctor", "host", "--format", "json") == 0
    (one,) = [each for each in json.loads(capsys.readouterr().out) if each["target"] == "host"]
    assert (one["what"], one["state"]) == ("operating system", "missing")
    assert one["details"].startswith(f"the target 'host' needs Linux, but this is {system}; ")


def test_place_of_a_laboratory_needs_posix(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert status_of("info", "pico", "--port", "labgrid://bench") == 1
    assert "error: labgrid://bench needs Linux or macOS, but this machine has Windows: " in capsys.readouterr().err


def test_windows_does_without_locks_owners_and_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    path = tmp_path / "file"
    with path.open("wb") as file:
        assert not operating_system.lock(file.fileno())
        operating_system.try_record_lock(file)
        operating_system.keep_owner_and_mode(file.fileno(), tmp_path.stat())
    assert not path.stat().st_mode & 0o100
    assert operating_system.load_averages() == (0.0, 0.0, 0.0)
    assert not operating_system.may_have_real_time()
    assert operating_system.may_open("COM3")
