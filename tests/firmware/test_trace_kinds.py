"""The numbers of the recorder's events: the same in the firmware, at the desk and in the protocol's description."""

from __future__ import annotations

import re
from enum import IntEnum

import pytest

from intercore.board.sources import firmware_sources
from intercore.record.trace_recording import Cause, Class, Kind
from tests.built_once import ROOT

HEADER = (firmware_sources() / "core" / "trace.h").read_text()
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text()


def enumerated(name: str) -> dict[str, int]:
    body = re.search(rf"enum ic_trace_{name} {{(.*?)}};", HEADER, re.DOTALL)
    assert body is not None
    return {word: int(number) for word, number in re.findall(r"IC_TRACE_(\w+) = (\d+)", body[1])}


@pytest.mark.parametrize(
    ("name", "known", "prefix"), [("kind", Kind, ""), ("class", Class, ""), ("cause", Cause, "OF_")]
)
def test_firmware_and_desk_have_the_same_numbers(name: str, known: type[IntEnum], prefix: str) -> None:
    assert {word.removeprefix(prefix): number for word, number in enumerated(name).items()} == {
        one.name: one.value for one in known
    }


def test_the_protocol_describes_every_kind() -> None:
    described = re.findall(r"^\| (\d+) \| `(\w+)` \|", PROTOCOL, re.MULTILINE)
    assert [(int(number), word) for number, word in described] == [(kind.value, kind.name.lower()) for kind in Kind]
