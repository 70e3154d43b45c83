"""Hold the series of an answer against the units that they must have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal


def check(terminal: Terminal, command: str, units: dict[str, str]) -> None:
    """Hold the units of all series that a command is answered by against these."""
    if terminal.ask("info")[0]["cores"] < 2 and not command.startswith(("speedup", "threadmetric")):
        pytest.skip("there is no other core")
    answer = terminal.ask(f"run {command}")
    assert answer[-1]["type"] == "end", answer[-1]
    heads = {line["name"]: line["unit"] for line in answer if line["type"] == "series"}
    kinds = {re.sub(r"\.\d+$", "", name): unit for name, unit in heads.items()}
    assert kinds == {"timestamp_overhead": "tick", **units}
    assert {(line["series"], line["unit"]) for line in answer if line["type"] == "samples"} <= heads.items()
