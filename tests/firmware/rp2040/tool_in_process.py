"""Commands of the tool in this process, so that the chip that they measure can be watched meanwhile."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from intercore.cli.main import main


def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> Any:  # noqa: ANN401
    """Carry out a command of the tool and return the JSON document that it prints."""
    monkeypatch.setattr(sys, "argv", ["intercore", *words, "--format", "json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    return json.loads(capsys.readouterr().out)
