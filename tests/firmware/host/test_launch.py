"""The benchmark `launch` of the real program: a thread is started on the other core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal


def test_a_task_executes_its_first_instruction_on_core_1_after_it_was_asked_for(terminal: Terminal) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("one core")
    answer = terminal.ask("run launch samples=20")
    checks = answer[-1]["checks"]
    assert [checks[name] for name in ("done", "checked", "wrong", "lost", "migrated")] == [20, 21, 0, 0, 0]
    assert all(0 < ticks < 1_000_000_000 for name in ("launch", "call") for ticks in series(answer)[name])


@pytest.mark.parametrize(("setting", "code"), [("what=core", "unsupported"), ("cache=cold", "bad-value")])
def test_a_system_keeps_its_cores_and_its_cache_to_itself(terminal: Terminal, setting: str, code: str) -> None:
    assert terminal.ask(f"run launch {setting}")[-1]["code"] == code
