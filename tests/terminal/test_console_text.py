from __future__ import annotations

import pytest

from intercore.link.protocol import (
    Begin,
    Benchmark,
    Condition,
    End,
    Error,
    Hello,
    Impossible,
    Log,
    Message,
    Parameter,
    Progress,
    Samples,
)
from intercore.terminal.console_text import in_words

OF = {"id": 0, "i": 1}
CHIP = {"firmware": "0.1.0", "board": "rp2040", "chip": "RP2040", "cores": 2, "clock": "timer", "hz": 125, "tick_hz": 1}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            Hello(
                **OF,
                protocol=1,
                firmware="0.1.0",
                board="rp2040",
                chip="RP2040",
                cores=2,
                clock="timer",
                hz=125,
                tick_hz=1,
            ),
            ["Intercore 0.1.0 on rp2040: RP2040, 2 cores, timer"],
        ),
        (Condition(**OF, key="mark", part=0, value="GP2"), ["  mark: GP2"]),
        (Condition(**OF, key="mark", part=1, value="and so on"), ["    and so on"]),
        (Benchmark(**OF, name="clock", summary="intervals"), ["clock: intervals"]),
        (Benchmark(**OF, name="api", summary="calls", refused="not on AMP"), ["api: calls (not on AMP)"]),
        (
            Parameter(**OF, benchmark="x", name="n", kind="integer", default=3, help="size", min=1, max=9),
            ["    n=3  size (1 to 9)"],
        ),
        (
            Parameter(**OF, benchmark="x", name="m", kind="choice", default="a", help="", choices=tuple("abcdefghij")),
            ["    m=a   (a, b, c, d, e, f, g, h, …)"],
        ),
        (
            Parameter(
                **OF, benchmark="x", name="w", kind="choice", default="a", help="", choices=(*"abcdefghij", "own:crc")
            ),
            ["    w=a   (a, b, c, d, e, f, g, h, …, own:crc)"],
        ),
        (Log(0, text="series  samples"), ["series  samples"]),
        (Log(0, text="own:crc", detail="work of your own"), ["own:crc: work of your own"]),
        (
            Log(0, text="a fault of the instruction at", number=0x1000_0200),
            ["a fault of the instruction at 0x10000200"],
        ),
        (Log(0, text="the clocks do not start", where="PLL", number=0), ["the clocks do not start (PLL)"]),
        (
            Impossible(**OF, setting=0, code="no-core", text="one core"),
            ["cannot be measured here: one core (no-core)"],
        ),
        (Error(0, code="unknown-command", text="type help"), ["error: type help (unknown-command)"]),
        (End(**OF), []),
        (End(**OF, checks={"done": 3, "wrong": 0}), ["  ok: done 3, wrong 0"]),
        (End(**OF, status="aborted"), ["  aborted"]),
        (Begin(**OF, benchmark="clock"), []),
        (Progress(0, done=1, of=2), []),
        (Samples(**OF, series="t", unit="tick", index=0, values=(1, 2)), []),
    ],
)
def test_a_message_in_words(message: Message, words: list[str]) -> None:
    assert list(in_words(message)) == words
