"""What goes wrong between two kernels, each with a core: one is late, reset or stuck, a receiver is slow, buffers and
mailboxes are full, doorbells are lost. It ends well or with a sentence that says what happened; nothing is corrupted.

All of it is simulated, at cycles that are chosen: the same in every run.
"""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from intercore.benchmarks import registry
from intercore.errors import UsageError
from intercore.link.exchange import TargetRestartedError, TargetSilentError
from intercore.link.session import Session
from intercore.sim import CoreState, Reason, Simulator
from intercore.target.connection import Connection
from intercore.target.simulated_chip import WitnessedChip
from intercore.target.simulated_port import SimulatedPort
from tests.firmware.amp_console import Amp
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built_amp, series

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MS = CLK_SYS_HZ // 1000
"""Cycles of a millisecond, which is a tick."""
HELLO = 0.9
"""Seconds within which the program has said hello, and launched core 1 at the second attempt."""
PATIENCE = 5.0
"""Seconds for which core 0 waits for core 1 to come up (PORT_AMP_PATIENCE_MS)."""
SILENCE = 100 * MS
"""Cycles after which a core misses the other's ticks (PORT_AMP_SILENCE_TICKS)."""
ORDERS = 32
"""That a mailbox has room for (mailbox.c)."""
SENT = 4
"""An order for the other end of a message buffer (PORT_AMP_SENT)."""
LATE = 2 * MS + MS // 10
"""Cycles that a message may take at most if its doorbell is lost: it is found by the second tick."""
LATENCY = "run message measure=latency samples=60 dither_us=100"
SMALL = {"message-buffer": 256, "ring": 256, "ring-zero-copy": 256, "rpmsg": 4096, "rpmsg-zero-copy": 4096}
"""Bytes of a buffer, by transport, that holds some messages of a small size and is soon full."""


@cache
def _greeted(program: Path) -> Callable[[], Amp]:
    """Return what makes a console of a chip that has said hello and talks fast: booted once, restored each time."""
    first = Amp(Simulator(program), CLK_SYS_HZ)
    assert first.hear(HELLO).end["type"] == "end", "the unasked hello is not complete"
    assert first.ask("rate 3000000").end["type"] == "rate"
    first.run(0.01)
    assert first.ask("info").end["status"] == "ok", "or the rate would be taken back"
    snapshot = first.chip.snapshot()

    def again() -> Amp:
        console = Amp(Simulator(program), CLK_SYS_HZ)
        console.chip.restore(snapshot)
        return console

    return again


@cache
def built(opt: str) -> Path:
    return built_amp(opt) / "intercore-target"


@pytest.fixture
def program() -> Path:
    return built("O2")


@pytest.fixture
def fresh(program: Path) -> Amp:
    """Just switched on."""
    return Amp(Simulator(program), CLK_SYS_HZ)


@pytest.fixture
def ready(program: Path) -> Amp:
    """Has said hello."""
    return _greeted(program)()


def is_well(console: Amp) -> None:
    """Check that the program measures as if nothing had happened."""
    console.have()
    for transport in ("ring", "message-buffer"):
        checks = console.ask(f"run message transport={transport} samples=5 dither_us=0").checks()
        assert "rings_lost" not in checks
    assert console.chip.take_diagnostics() == []


# A core that starts late


def test_the_console_waits_for_a_core_1_that_is_late(fresh: Amp) -> None:
    fresh.have(f"off:core=1@0..{CLK_SYS_HZ}")
    assert fresh.run(1.0).lines == []
    heard = fresh.hear(HELLO)
    assert (heard.lines[0]["type"], heard.logs, heard.cut) == ("hello", [], 0)
    is_well(fresh)


def test_a_core_1_that_is_too_late_is_told_and_waited_for_again(fresh: Amp) -> None:
    fresh.have(f"off:core=1@0..{round((PATIENCE + 0.5) * CLK_SYS_HZ)}")
    heard = fresh.hear(PATIENCE + 0.5 + HELLO)
    assert heard.logs == ["core 1 has not come up in time"]
    assert fresh.chip.clocks.seconds < PATIENCE + 0.5 + HELLO
    is_well(fresh)


def test_the_desk_is_told_of_a_core_1_that_never_comes_up(program: Path) -> None:
    chip = WitnessedChip(program, 115200, ["off:core=1@0"])
    session = Connection(chip.port, chip).session()
    with pytest.raises(TargetSilentError, match=r"it last said: core 1 has not come up in time \(.*core 1 off"):
        session.info()


def launched(console: Amp) -> None:
    """Run to where core 1 begins with its image; core 0 has not met it."""
    stop = console.chip.run(CLK_SYS_HZ, address="core_1.port_amp_start_core_1", core=1)
    assert stop.reason is Reason.ADDRESS


@pytest.mark.parametrize(("core", "milliseconds"), [(1, 1000), (0, 50)])
def test_a_core_that_dawdles_between_launch_and_rendezvous_is_waited_for(
    fresh: Amp, core: int, milliseconds: int
) -> None:
    launched(fresh)
    fresh.have(f"stuck:core={core}@+1..+{milliseconds * MS}")
    assert fresh.hear(milliseconds / 1000 + HELLO).logs == []
    is_well(fresh)


def test_a_core_1_that_is_launched_and_does_not_come_up_is_started_again(fresh: Amp) -> None:
    launched(fresh)
    fresh.have("stuck:core=1@+1")
    assert fresh.hear(PATIENCE + HELLO).logs == ["core 1 has not come up in time"]
    is_well(fresh)


def test_a_core_0_that_stops_after_the_launch_is_started_again_by_core_1(fresh: Amp) -> None:
    launched(fresh)
    fresh.have("stuck:core=0@+1")
    heard = fresh.hear(0.2 + HELLO)
    assert heard.logs == ["core 0 has stopped"]
    is_well(fresh)


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("word", [1, 3, 6])
def test_a_launch_of_which_a_word_or_its_echo_is_lost_is_tried_again(fresh: Amp, to: int, word: int) -> None:
    fresh.have(f"fifo:to={to},word={word}")
    assert fresh.hear(HELLO).logs == []
    assert fresh.words_lost() == 1
    is_well(fresh)


# A core that stops in mid-run


FAULTS = {
    "reset": ("reset:core={core}@+{at}", {0: [], 1: ["core 1 has stopped"]}),
    "stuck": ("stuck:core={core}@+{at}", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
    "off": ("off:core={core}@+{at}..+50000000", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
}


@pytest.mark.parametrize("core", [0, 1])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_core_that_stops_in_mid_run_is_told_and_the_chip_starts_again(ready: Amp, kind: str, core: int) -> None:
    fault, logs = FAULTS[kind]
    began = ready.chip.now
    ready.have(fault.format(core=core, at=5 * MS))
    heard = ready.ask(LATENCY)
    assert heard.restarted
    assert "begin" not in {line["type"] for line in heard.lines[-40:]}, "the run is not gone on with"
    assert (heard.logs, heard.end["type"], heard.end["id"]) == (logs[core], "end", 0)
    assert ready.chip.now - began < 5 * MS + SILENCE + HELLO * CLK_SYS_HZ
    is_well(ready)


@pytest.mark.parametrize(("core", "transport"), [(0, "ring"), (1, "message-buffer")])
def test_the_desk_is_told_of_a_core_that_is_reset_and_measures_again(program: Path, core: int, transport: str) -> None:
    chip = Simulator(program)
    session = Session(SimulatedPort(chip, 115200))
    session.info()
    setting = {"transport": transport, "samples": 200, "dither_us": 100}
    undisturbed = session.measure("message", setting)
    chip.set_faults([f"reset:core={core}@{chip.now + 15 * MS}"])
    said = "; it last said: core 1 has stopped" if core == 1 else ""
    with pytest.raises(TargetRestartedError, match=f"restarted in the middle of `run`{said};"):
        session.measure("message", setting)
    answer = session.measure("message", setting)
    assert (answer.status, answer.checks) == ("ok", undisturbed.checks)
    before, after = (np.median(one.series[-1].ticks) for one in (undisturbed, answer))
    assert abs(before - after) <= 8, "cycles"


@pytest.mark.parametrize("core", [0, 1])
def test_a_core_that_is_stuck_for_less_than_is_noticed_makes_messages_late_and_no_more(ready: Amp, core: int) -> None:
    ready.have(f"stuck:core={core}@+{5 * MS}..+{55 * MS}")
    heard = ready.ask(LATENCY)
    assert "rings_lost" not in heard.checks()
    is_well(ready)


# A receiver that is slower than the sender


def slow(core: int, first: int, windows: int) -> list[str]:
    """Return faults in which a core stands still for 2 of every 3 ms, from so many cycles from now on."""
    return [f"stuck:core={core}@+{first + 3 * i * MS}..+{first + (3 * i + 2) * MS}" for i in range(windows)]


@pytest.mark.parametrize("transport", SMALL)
def test_a_sender_faster_than_its_receiver_waits_and_nothing_is_lost(ready: Amp, transport: str) -> None:
    command = (
        f"run message measure=throughput messages=100 samples=4 transport={transport} size=48 buffer={SMALL[transport]}"
    )
    ready.have(*slow(1, 3 * MS, 8))
    checks = ready.ask(command).checks()
    assert checks["checked"] >= 4 * 100, "each message is compared with what was sent"
    is_well(ready)


def mailbox(console: Amp, core: int) -> tuple[int, list[int]]:
    """Return how many orders a core was ever given, and what those in its mailbox are (`mail` in mailbox.c)."""
    box = 8 + 8 * ORDERS
    at = console.chip.address("mail") + box * core
    put, taken = struct.unpack("<II", console.chip.read(at, 8))
    return put, [console.chip.read_word(at + 8 + 8 * (order % ORDERS)) & 0xFF for order in range(taken, put)]


def fill_mailbox(console: Amp) -> None:
    """Have core 1 stop in the middle of a stream whose buffer has room for far more messages than its mailbox."""
    console.chip.send(b"run message measure=throughput messages=400 samples=8 transport=message-buffer size=8\n")
    begun = mailbox(console, 1)[0]
    for _ in range(4000):
        console.chip.run(MS // 50)
        if mailbox(console, 1)[0] > begun + 2 * ORDERS:
            break
    console.have("stuck:core=1@+1..+5000000")
    console.chip.run(MS * 20)
    assert console.chip.registers(1).state is CoreState.STUCK


def test_a_sender_waits_for_room_in_a_full_mailbox_and_nothing_is_lost(ready: Amp) -> None:
    fill_mailbox(ready)
    assert mailbox(ready, 1)[1] == [SENT] * ORDERS
    ready.hear(10.0).checks()
    is_well(ready)


def test_a_sender_at_a_full_mailbox_notices_that_the_other_core_has_stopped(ready: Amp) -> None:
    fill_mailbox(ready)
    ready.have()
    assert mailbox(ready, 1)[1] == [SENT] * ORDERS
    assert ready.hear(2.0).logs == ["core 1 has stopped"]
    is_well(ready)


# A message that does not fit


@pytest.mark.parametrize("transport", SMALL)
def test_a_message_that_the_buffer_cannot_hold_is_refused(ready: Amp, transport: str) -> None:
    buffer = SMALL[transport]
    setting = f"message transport={transport} buffer={buffer}"
    refused = ready.ask(f"run {setting} size={buffer}")
    assert (refused.end["type"], refused.end["code"]) == ("error", "out-of-range")
    largest = int(refused.end["text"].split(" has ")[1].split()[0])
    assert 0 < largest < buffer
    checked = ready.ask(f"check {setting} size={largest},{largest + 1},{buffer}")
    impossible = [line for line in checked.lines if line["type"] == "impossible"]
    assert len(impossible) == 2, "both that are too long, and not the one that just fits"
    assert ready.ask(f"run {setting} size={largest + 1}").end["type"] == "error"
    ready.ask(f"run {setting} size={largest} samples=5").checks()
    assert ready.ask("run message size=1000000").end["code"] == "out-of-range"
    is_well(ready)


def test_the_desk_refuses_a_message_that_the_buffer_cannot_hold(program: Path) -> None:
    session = Session(SimulatedPort(Simulator(program), 115200))
    with pytest.raises(UsageError, match="the largest message that fits this transport and its buffer has"):
        session.measure("message", {"transport": "message-buffer", "buffer": 256, "size": 256})


# Doorbells that are lost


def heard_with(console: Amp, command: str, *faults: str) -> tuple[dict[str, int], list[int]]:
    """Return the checks of a run with lost doorbells, and its latencies."""
    console.have(*faults)
    answer = console.ask(command)
    checks = answer.checks()
    latency = series(answer.lines, "latency")
    assert len(latency) == checks["repetitions"]
    assert min(latency) > MS // 200, "as long as it takes at least"
    return checks, latency


def late(latency: list[int]) -> list[int]:
    """Return those that lasted longer than they do with a doorbell, where they differ by some microseconds."""
    return [one for one in latency if one > min(latency) + MS // 20]


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("transport", SMALL)
def test_one_doorbell_in_a_hundred_is_lost(ready: Amp, transport: str, to: int) -> None:
    command = f"run message transport={transport} from={1 - to} to={to} samples=250 dither_us=10"
    checks, latency = heard_with(ready, command, "fifo:to=0,lose=0.01,seed=1@+1", "fifo:to=1,lose=0.01,seed=2@+1")
    assert 1 <= checks["rings_lost"] <= ready.words_lost()
    assert len(late(latency)) <= checks["rings_lost"]
    assert max(latency) <= LATE
    is_well(ready)


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("word", [1, 2, 7, 19])
def test_one_doorbell_is_lost_the_first_or_another(ready: Amp, word: int, to: int) -> None:
    checks, latency = heard_with(ready, LATENCY, f"fifo:to={to},word={word}@+1")
    assert ready.words_lost() == 1
    assert checks.get("rings_lost", 0) <= 1, "another one that follows soon may do for both"
    assert len(late(latency)) <= 1
    assert max(latency) <= LATE
    is_well(ready)


def test_without_a_single_doorbell_all_is_slow_and_right(ready: Amp) -> None:
    checks, latency = heard_with(ready, LATENCY, "fifo:to=0@+1", "fifo:to=1@+1")
    assert checks["rings_lost"] >= 60
    assert np.median(latency) > MS, "a tick or two, as the one before"
    assert max(latency) <= LATE
    is_well(ready)


# Anything, at any time


CORES = st.integers(0, 1)
AT = st.integers(MS, 60 * MS)
"""Cycles after a command was typed, which is on its way for less than a millisecond: to behind the end of the run."""


@st.composite
def faults(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["reset", "stuck", "stuck for a while", "off", "chip", "word", "words"]))
    core, at = draw(CORES), draw(AT)
    until = at + draw(st.integers(1, 300 * MS))
    return {
        "reset": f"reset:core={core}@+{at}",
        "stuck": f"stuck:core={core}@+{at}",
        "stuck for a while": f"stuck:core={core}@+{at}..+{until}",
        "off": f"off:core={core}@+{at}..+{until}",
        "chip": f"reset@+{at}",
        "word": f"fifo:to={core},word=1@+{at}",
        "words": f"fifo:to={core},lose=0.3,seed={at}@+{at}",
    }[kind]


COMMANDS = st.sampled_from(
    [
        command
        for command in (
            "run message transport=ring samples=40 dither_us=100",
            "run message transport=message-buffer samples=40 from=1 to=0 dither_us=100",
            "run message transport=ring-zero-copy measure=throughput messages=50 samples=10 buffer=512",
            "run message transport=message-buffer measure=throughput messages=50 samples=10 size=8",
            "run message transport=rpmsg measure=throughput messages=50 samples=10 size=8",
            "run switch primitive=notification from=1 to=0 samples=40 dither_us=100",
            "run irq samples=40 dither_us=100",
            "run speedup n=20 samples=4 mode=create",
        )
        if command.split()[1] in registry.names()
    ]
)


TOLD = {"core 0 has stopped", "core 1 has stopped", "core 1 has not come up in time"}
"""The last one where a launch is tried again and again, and of each some words are lost."""


def nothing_worse(opt: str, command: str, all_faults: list[str]) -> None:
    """Check that a run with faults ends well, or is told to be over; and that the next is well."""
    program = built(opt)
    console = _greeted(program)()
    console.have(*all_faults)
    heard = console.ask(f"{command} id=7", 10.0)  # as the desk does: a person gets a table besides
    if heard.restarted:
        assert set(heard.logs) <= TOLD, heard.logs
        assert heard.end == {"type": "end", "id": 0, "i": heard.end["i"], "status": "ok", "checks": {}}, "a greeting"
    elif heard.end["type"] != "error":
        heard.checks()
    console.run(HELLO)  # for what happens after the end
    console.have()
    console.run(HELLO)
    console.ask("run message transport=ring samples=5").checks()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(command=COMMANDS, fault=faults())
def test_a_fault_at_any_time_ends_well_or_is_told(command: str, fault: str) -> None:
    nothing_worse("O2", command, [fault])


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("opt", ["O0", "O3"])
def test_many_faults_at_any_time_end_well_or_are_told(opt: str) -> None:
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(command=COMMANDS, all_faults=st.lists(faults(), min_size=1, max_size=3))
    def check(command: str, all_faults: list[str]) -> None:
        # Nothing frees a core that is stuck for good in the boot ROM: the watchdog does not run yet.
        for_good = [fault for fault in all_faults if fault.startswith("stuck") and ".." not in fault]
        assume(not for_good or len(all_faults) == 1)
        nothing_worse(opt, command, all_faults)

    check()
