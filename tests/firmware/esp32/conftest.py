"""What several files test of the component."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.built_once import alone_in
from tests.firmware.esp32.standin import SANITIZED, session_program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The program idf/session.c, with sanitizers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "esp32-session"
    with alone_in(folder):
        program = folder / "session"
        return (
            program if program.exists() else session_program(folder, ["cc", "-O0", "-g1", "-D_GNU_SOURCE", *SANITIZED])
        )
