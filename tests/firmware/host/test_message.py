"""The benchmark `message` of the real program: every transport delivers every message, and what does not is found."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from tests.firmware.host.conftest import SANITIZED, Terminal, series
from tests.firmware.host.program import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAULTS = ("missing", "repeated", "disordered", "corrupted")


def run(terminal: Terminal, words: str) -> list[dict[str, Any]]:
    answer = terminal.ask(f"run message {words} dither_us=50")
    assert answer[-1]["type"] == "end", answer[-1]
    return answer


def choices(terminal: Terminal, name: str) -> list[str]:
    found = next(
        line["choices"] for line in terminal.ask("list")
        if line["type"] == "parameter" and (line["benchmark"], line["name"]) == ("message", name)
    )  # fmt: skip
    return list(found)


def transports(terminal: Terminal) -> list[str]:
    """Return those that this system has."""
    answer = terminal.ask(f"check message transport={','.join(choices(terminal, 'transport'))}")
    missing = {line["setting"] for line in answer if line["type"] == "impossible"}
    return [name for number, name in enumerate(choices(terminal, "transport")) if number not in missing]


def pairs(terminal: Terminal) -> list[tuple[int, int]]:
    """Return the cores that messages go from and to."""
    cores = range(min(terminal.ask("info")[0]["cores"], 2))
    return [(0, core) for core in cores] if SANITIZED else [*itertools.product(cores, cores)]


def expect_well(answer: list[dict[str, Any]], checked: int) -> None:
    checks = answer[-1]["checks"]
    assert answer[-1]["status"] == "ok", checks
    assert [checks[name] for name in ("checked", "wrong", "migrated", "lost")] == [checked, 0, 0, 0]
    assert not set(FAULTS) & set(series(answer))


def test_every_transport_delivers_messages_of_every_size_between_all_cores(terminal: Terminal) -> None:
    found = transports(terminal)
    assert {"queue", "pipe", "unix-socket", "notification"} <= set(found)
    for name, (first, second) in itertools.product(found, pairs(terminal)):
        for size in (1, 7, 4096):
            answer = run(terminal, f"transport={name} from={first} to={second} size={size} samples=3")
            expect_well(answer, checked=5)
            taken = series(answer)
            assert len(taken["latency"]) == len(taken["send"]) == 3
            assert all(ticks > 0 for ticks in taken["latency"] + taken["send"])


def test_every_transport_carries_a_stream(terminal: Terminal) -> None:
    for name, (first, second) in itertools.product(transports(terminal), pairs(terminal)):
        for size in (3, 1021):
            words = f"transport={name} measure=throughput from={first} to={second} size={size} messages=300 samples=2"
            answer = run(terminal, words)
            expect_well(answer, checked=3 * 300 + 1)
            assert len(series(answer)["window"]) == 2
            assert "latency" not in series(answer)


def test_ends_that_poll_need_a_core_each(terminal: Terminal) -> None:
    refused = terminal.ask("run message receiver=polling from=0 to=0")[-1]
    assert (refused["code"], "receiver=blocked" in refused["text"]) == ("unsupported", True)
    if terminal.ask("info")[0]["cores"] < 2:
        return
    assert terminal.ask("run message receiver=polling load=to from=0 to=1")[-1]["code"] == "unsupported"
    for name, measure in itertools.product(transports(terminal), ("latency", "throughput")):
        words = f"transport={name} measure={measure} receiver=polling size=100 messages=50 samples=2"
        expect_well(run(terminal, words), checked=4 if measure == "latency" else 151)


@pytest.mark.parametrize("load", ["from", "to", "both"])
def test_loads_take_nothing_away(terminal: Terminal, load: str) -> None:
    for measure, (first, second) in itertools.product(("latency", "throughput"), pairs(terminal)):
        words = f"measure={measure} load={load} from={first} to={second} size=100 messages=50 samples=2"
        expect_well(run(terminal, words), checked=4 if measure == "latency" else 151)


def test_turns_of_a_load_are_counted_with_messages_and_without(terminal: Terminal) -> None:
    """Whatever the transport: as many windows of either kind, all messages checked, and one load where one core is."""
    for name, (first, second) in itertools.product(transports(terminal), pairs(terminal)):
        words = f"transport={name} measure=overhead from={first} to={second} size=100 messages=5 samples=1"
        answer = run(terminal, words)
        expect_well(answer, checked=2 * 6 + 2)
        found = series(answer)
        ends = ("from",) if first == second else ("from", "to")
        assert {each for each in found if "_" in each and not each.startswith("timestamp_overhead")} == {
            f"{what}_{end}" for what in ("turns", "idle_turns", "block") for end in ends
        }
        assert all(count > 0 for each in found.values() for count in each)
        assert all(len(found[f"turns_{end}"]) == len(found["length"]) == 1 for end in ends)


def test_a_core_is_kept_awake_where_it_would_idle(terminal: Terminal) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        return
    for measure in ("latency", "throughput"):
        words = f"measure={measure} idle=spin size=100 messages=50 samples=2"
        expect_well(run(terminal, words), checked=4 if measure == "latency" else 151)
    for words in ("receiver=polling", "load=to", "from=0 to=0", "measure=overhead"):
        refused = terminal.ask(f"run message idle=spin {words}")[-1]
        assert (refused["code"], "idle=sleep" in refused["text"]) == ("unsupported", True)


def test_messages_lie_in_the_region_that_is_asked_for(terminal: Terminal) -> None:
    for region in choices(terminal, "region"):
        expect_well(run(terminal, f"transport=queue region={region} size=1000 samples=3"), checked=5)


def test_a_pilot_of_65536_samples_fits(terminal: Terminal) -> None:
    found = {
        line["name"]: line for line in terminal.ask("list")
        if line["type"] == "parameter" and line["benchmark"] == "message"
    }  # fmt: skip
    assert found["samples"]["max"] >= 65536
    assert found["samples"]["default"] == 1024
    assert found["size"]["max"] == 65536


def test_a_message_that_does_not_fit_is_refused_before_anything_is_measured(terminal: Terminal) -> None:
    words = "message transport=queue buffer=1000 size=1000,1001"
    (impossible,) = [line for line in terminal.ask(f"check {words}") if line["type"] == "impossible"]
    assert impossible["setting"] == 1
    assert impossible["code"] == "out-of-range"
    assert "has 1000 bytes" in impossible["text"]
    assert terminal.ask("run message transport=queue buffer=1000 size=1001")[-1]["code"] == "out-of-range"


def test_values_that_make_no_sense_are_refused(terminal: Terminal) -> None:
    assert terminal.ask("run message transport=pigeon")[-1]["code"] == "bad-value"
    for words in ("size=0", "to=65", "messages=1", "buffer=1"):
        assert terminal.ask(f"run message {words}")[-1]["code"] == "out-of-range"


# Faults


@pytest.fixture(scope="module")
def faulty_program() -> Path:
    return build("intercore-faulty")


@pytest.fixture
def faulty(faulty_program: Path) -> Iterator[Terminal]:
    """A terminal on a program whose transports have faults, one in ten messages."""
    opened = Terminal(faulty_program)
    opened.answer()
    yield opened
    assert opened.close() == ""


def faults(answer: list[dict[str, Any]]) -> dict[str, int]:
    assert answer[-1]["status"] == "failed"
    found = {name: values[0] for name, values in series(answer).items() if name in FAULTS}
    assert answer[-1]["checks"]["wrong"] == sum(found.values())
    units = {line["name"]: line["unit"] for line in answer if line["type"] == "series"}
    assert {units[name] for name in found} == {"count"}
    return found


STREAM = "measure=throughput messages=64 samples=2"
"""Streams of 64 messages, one checked in full and two that are timed, and one message: 193, of which the 10th, … 190th
meet with a fault."""


@pytest.mark.parametrize("size", [1, 1023] if SANITIZED else [1, 3, 4, 6, 8, 1000, 1023])
@pytest.mark.parametrize(
    ("transport", "kind"), [("lose", "missing"), ("repeat", "repeated"), ("disorder", "disordered")]
)
def test_each_message_that_is_lost_repeated_or_out_of_order_is_found(
    faulty: Terminal, transport: str, kind: str, size: int
) -> None:
    assert faults(run(faulty, f"transport={transport} size={size} {STREAM}")) == {kind: 19}


@pytest.mark.parametrize("size", [5, 8, 1000, 1023])
def test_each_bit_that_changes_is_found_where_contents_are_checked(faulty: Terminal, size: int) -> None:
    """The last bit, the last but one, and so on: of numbers, of checksums, of what lies between them."""
    answer = run(faulty, f"transport=corrupt size={size} measure=latency samples=198")
    assert faults(answer) == {"corrupted": 20}
    assert answer[-1]["checks"]["checked"] == 200


def test_a_changed_stamp_is_found_in_a_timed_stream(faulty: Terminal) -> None:
    # The first six faults come in the stream that is checked in full; all others change a bit of the last word.
    assert faults(run(faulty, f"transport=corrupt size=8 {STREAM}")) == {"corrupted": 19}


@pytest.mark.parametrize("size", [1, 2, 4])
def test_of_a_message_that_is_nothing_but_its_number_most_changes_are_found(faulty: Terminal, size: int) -> None:
    """By a number that has not been sent yet, or one that has been received: what is wrong then is anybody's guess."""
    answer = run(faulty, f"transport=corrupt size={size} {STREAM}")
    assert faults(answer)
    assert answer[-1]["checks"]["wrong"] >= 19


def test_a_message_that_never_comes_ends_the_run(faulty: Terminal) -> None:
    """Measured one by one, a message that is kept back is lost: nobody sends the next one."""
    answer = run(faulty, "transport=disorder samples=30 size=100")
    assert faults(answer) == {"missing": 1}
    assert answer[-1]["checks"]["done"] == 9, "the first of ten is the warm-up"
    assert len(series(answer)["latency"]) == 8
    assert run(faulty, "transport=repeat samples=3 size=100")[-1]["status"] == "ok", "and the next run is well"


def test_what_is_left_over_behind_the_last_sample_is_found(faulty: Terminal) -> None:
    """The tenth message is the last one that is timed; its copy meets the one behind it."""
    assert faults(run(faulty, "transport=repeat samples=9 size=100")) == {"repeated": 1}
