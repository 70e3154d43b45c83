from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.errors import IntercoreError, UsageError
from intercore.link import exchange, link
from intercore.link.child_port import ChildPort
from intercore.link.exchange import TargetRestartedError, TargetSilentError
from intercore.link.incoming import MAX_RANGES, Incoming
from intercore.link.port import CONTACT_TIMEOUT, ProtocolError, TargetLostError
from intercore.link.protocol import Begin, End
from intercore.link.serial_port import SerialPort
from intercore.link.session import Answer, Session
from tests.fakes.faulty_port import FaultyPort, SlowPort
from tests.fakes.target import CONDITIONS, PARAMETERS, SERIES, Target, options
from tests.link.reading import NEVER
from tests.link.tcp_target import tcp_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FAKE = [sys.executable, str(Path(__file__).parents[1] / "fakes" / "target.py")]


def fake(*arguments: str) -> ChildPort:
    return ChildPort([*FAKE, *arguments], "fake")


@contextmanager
def talking(*arguments: str, timeout: float = 30) -> Iterator[Session]:
    """A session with a fake target that has already been greeted."""
    port = fake(*arguments)
    try:
        session = Session(port, NEVER, contact_timeout=NEVER)  # a busy machine is slow to start the target
        session.info()
        session._timeout = timeout
        session._contact_timeout = CONTACT_TIMEOUT
        yield session
    finally:
        port.close()


def samples(answer: Answer) -> dict[str, list[int]]:
    return {series.name: series.ticks.tolist() for series in answer.series}


@pytest.fixture(scope="module")
def clean() -> Answer:
    with talking() as session:
        return session.measure("example", {"n": 10})


# ---- a target that works ----


def test_a_target_says_what_it_is() -> None:
    with talking() as session:
        info = session.info()
    assert (info.hello.board, info.hello.cores, info.hello.hz) == ("desk", 2, 10**9)
    assert info.conditions == CONDITIONS, "values that came in parts are whole"


def test_a_target_says_what_it_offers() -> None:
    with talking() as session:
        (benchmark,) = session.benchmarks()
    assert benchmark.name == "example"
    assert [parameter.name for parameter in benchmark.parameters] == list(PARAMETERS)
    workload, n = benchmark.parameters
    assert (workload.kind, workload.default, workload.choices) == ("choice", "fp", ("fp", "integer"))
    assert (n.kind, n.default, n.min, n.max) == ("integer", "1000", 1, 1000000)


def test_a_measurement_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for wait in ("QUIET_TIME", "MIN_QUIET_TIME", "FIRST_REPEAT", "LAST_REPEAT"):
        monkeypatch.setattr(exchange, wait, NEVER)  # a busy machine is slow to start the target, and stops now and then
    progress: list[tuple[int, int]] = []
    with talking("--samples", "1000", "--fault", "extremes") as session:
        answer = session.measure("example", {"n": 10, "workload": "integer"}, lambda *done: progress.append(done))
        assert session.statistics.bad_lines == session.statistics.repeats == session.statistics.resends == 0
    assert answer.status == "ok"
    assert answer.factors == {"workload": "integer", "n": 10}
    assert answer.checks["done"] == 10
    assert [series.name for series in answer.series] == list(SERIES)
    for series in answer.series:
        assert (series.clock, series.hz) == ("common", 10**9)
        assert series.ticks.dtype == np.int64
        assert series.ticks.shape == (1000,)
    assert answer.series[2].ticks[:2].tolist() == [-(2**63), 2**63 - 1]
    assert progress == [(done, 10) for done in range(1, 11)]


def test_a_measurement_may_have_no_samples() -> None:
    with talking("--samples", "0") as session:
        assert [len(series.ticks) for series in session.measure("example", {}).series] == [0, 0, 0, 0]


def test_one_measurement_follows_another(clean: Answer) -> None:
    with talking() as session:
        for n in (10, 11, 10):
            answer = session.measure("example", {"n": n})
            assert (samples(answer) == samples(clean)) == (n == 10)


def test_what_a_target_tells_the_person_is_passed_on() -> None:
    port = fake()
    told: list[str] = []
    Session(port, on_log=told.append).measure("example", {})
    port.close()
    assert told == ["scheduler policy: other"]


def test_the_tool_is_quiet_while_a_run_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", NEVER)
    with talking("--repetitions", "2", "--repetition-time", "0.6", "--no-progress") as session:
        assert session.measure("example", {}).checks["heard_in_run"] == 0


def test_a_run_that_shows_no_progress_is_asked_for_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", 0.5)
    # The run takes longer than the target may be silent for.
    with talking("--repetitions", "6", "--repetition-time", "1", "--no-progress", timeout=5) as session:
        begin = time.monotonic()
        answer = session.measure("example", {})
        took = time.monotonic() - begin
    assert answer.status == "ok"
    assert 1 <= answer.checks["heard_in_run"] <= took / exchange.KEEPALIVE_AFTER + 1


def test_a_socket_and_a_pipe_carry_the_same_session(clean: Answer) -> None:
    with tcp_target() as url:
        port = SerialPort(url, 115200)
        session = Session(port)
        assert session.info().conditions == CONDITIONS
        assert samples(session.measure("example", {"n": 10})) == samples(clean)
        port.close()


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_terminal_and_a_pipe_carry_the_same_session(clean: Answer) -> None:
    import tty  # noqa: PLC0415 - not there on Windows

    master, slave = os.openpty()
    tty.setraw(slave)
    receive, send = os.fdopen(master, "rb", 0, closefd=False), os.fdopen(master, "wb", closefd=False)
    threading.Thread(target=Target(receive, send, options()).serve, daemon=True).start()
    port = SerialPort(os.ttyname(slave), 115200)
    session = Session(port)
    session.info()
    assert samples(session.measure("example", {"n": 10})) == samples(clean)
    port.close()


def test_a_million_samples_arrive() -> None:
    with talking("--samples", "250000") as session:
        answer = session.measure("example", {})
    assert sum(len(series.ticks) for series in answer.series) == 1_000_000


# ---- Ctrl-C ----


def test_ctrl_c_aborts_the_run_and_is_passed_on(clean: Answer) -> None:
    def interrupt(_done: int, _of: int) -> None:
        raise KeyboardInterrupt

    with talking("--repetitions", "100000", "--repetition-time", "0.02") as session:  # half an hour
        with pytest.raises(KeyboardInterrupt):
            session.measure("example", {"n": 10}, interrupt)
        assert samples(session.measure("example", {"n": 10}, lambda _done, _of: session.abort())) == samples(clean)


def test_an_aborted_run_says_so() -> None:
    with talking("--repetitions", "1000", "--repetition-time", "0.02") as session:
        assert session.measure("example", {}, lambda _done, _of: session.abort()).status == "aborted"


# ---- a bad link ----


@pytest.mark.parametrize("seed", range(4))
def test_one_damaged_byte_in_a_hundred_changes_no_sample(seed: int, clean: Answer) -> None:
    port = fake("--seed", str(seed))
    session = Session(FaultyPort(port, 0.01, seed))
    assert session.info().conditions == CONDITIONS
    assert len(session.benchmarks()[0].parameters) == len(PARAMETERS)
    answer = session.measure("example", {"n": 10})
    port.close()
    assert samples(answer) == samples(clean)
    assert answer.factors == clean.factors
    assert session.statistics.bad_lines > 0


@pytest.mark.parametrize("fault", ["noise", "wrong-crc", "lose-begin", "lose-tail"])
def test_what_is_lost_is_asked_for_again(fault: str, clean: Answer) -> None:
    with talking("--fault", fault) as session:
        assert samples(session.measure("example", {"n": 10})) == samples(clean)
        # Lines of it, or all of it if the noise has left nothing.
        assert session.statistics.resends + session.statistics.repeats > 0


def test_only_what_is_missing_is_asked_for() -> None:
    answer = Incoming()
    for i in [*range(10), *range(12, 40), 45]:
        answer.add(Begin(1, i, "example"))
    assert answer.missing() == [(10, 11), (40, 44), (46, None)]
    answer.add(End(1, 50))
    assert answer.missing() == [(10, 11), (40, 49)], "one good line in between may come again"
    assert not answer.complete


def test_a_question_for_missing_lines_stays_short() -> None:
    answer = Incoming()
    for i in range(0, 40_000, 10):
        answer.add(Begin(1, i, "example"))
    ranges = answer.missing()
    assert len(ranges) <= MAX_RANGES + 1
    assert ranges[-1] == (39_991, None)


# ---- targets that fail ----


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("die", "fake ended with exit status 3: assertion failed: the moon is full"),
        ("killed", "fake was killed by signal 9"),
        ("close", "fake closed its output"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_death_in_mid_run_is_noticed_though_nothing_is_asked(
    fault: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", NEVER)
    with talking("--fault", fault, timeout=NEVER) as session, pytest.raises(TargetLostError) as caught:
        session.measure("example", {})
    assert str(caught.value).startswith(says)


def test_a_restart_in_mid_run_is_noticed_though_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", NEVER)
    with talking("--fault", "restart", timeout=NEVER) as session:
        with pytest.raises(TargetRestartedError, match="restarted during `run`"):
            session.measure("example", {})
        assert session.info().conditions == CONDITIONS, "the session goes on"


def test_a_restart_whose_greeting_was_lost_is_noticed_at_the_next_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", 0.2)
    with talking("--fault", "silent-restart") as session, pytest.raises(TargetRestartedError):
        session.measure("example", {})


def test_the_run_of_a_tool_that_was_killed_is_aborted() -> None:
    half_an_hour = ("--repetitions", "100000", "--repetition-time", "0.02")
    with talking("--fault", "left-over", *half_an_hour) as session:
        assert session.benchmarks()


def measure_until(session: Session, last: int) -> None:
    """Ask for a run of which so many repetitions are done and no other; until then, the clock of the link stands."""
    port = session._link.port
    begin, done = port.now(), 0

    def note(number: int, _: int) -> None:
        nonlocal done
        done = number

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(port, "now", lambda: begin if done < last else time.monotonic())
        session.measure("example", {}, note)


@pytest.mark.parametrize(
    ("fault", "ask", "says"),
    [
        ("mute", Session.info, "fake has sent nothing for 0.5 s"),
        ("dead-end", Session.benchmarks, "fake hangs: no answer to `list` for 0.5 s"),
        ("hang", lambda session: measure_until(session, 5), "fake hangs: silent for 0.5 s during a run"),
    ],
)
def test_silence_ends_with_advice(fault: str, ask: Callable[[Session], object], says: str) -> None:
    port = fake("--fault", fault)
    try:
        session = Session(port)
        if fault != "mute":
            session.info()
        session._timeout = 0.5
        with pytest.raises(TargetSilentError) as caught:
            ask(session)
    finally:
        port.close()
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (
            "wrong-line",
            r"sends line 9 of its answer to `run` wrongly: the line's CRC is 00000000 .* \d+ times",
        ),
        ("long-line", "sends line 9 of its answer to `run`.*longer than 480 characters"),
        ("leave-out", r"omits line 9 of its answer to `run`: .* \d+ requests"),
    ],
)
def test_a_line_that_the_program_sends_wrong_is_not_blamed_on_the_cable(fault: str, says: str) -> None:
    with (
        talking("--fault", fault, "--repetitions", "1", timeout=3) as session,
        pytest.raises(ProtocolError, match=says) as caught,
    ):
        session.measure("example", {"n": 10})
    assert "cable" not in str(caught.value)
    assert "connection" not in str(caught.value)


def test_damage_on_the_way_says_how_many_lines_it_hit() -> None:
    port = FaultyPort(fake(), 0, seed=1)
    session = Session(port, NEVER, contact_timeout=NEVER)
    session.info()
    session._timeout = 3.0
    port._fraction = 0.1
    with pytest.raises(
        TargetSilentError, match=r"\d+ of \d+ lines were damaged \(the last one: .*\); check the connection"
    ):
        session.measure("example", {"n": 10})
    port.close()


def test_a_slow_line_does_not_hang() -> None:
    """Bytes still come: to reset the target would only lose them."""
    slow = "is slow but does not hang: [0-9]+ bytes .* 3 s, .*`{}`.*--timeout"
    port = SlowPort(fake(), 20)
    port.wait_until_it_speaks()
    with pytest.raises(TargetSilentError, match=slow.format("info")) as caught:
        Session(port, 3.0).info()
    assert "reset it" not in str(caught.value)
    port.bytes_per_s = 1e9
    session = Session(port, NEVER)
    session.info()
    port.bytes_per_s, session._timeout = 20, 3.0
    with pytest.raises(TargetSilentError, match=slow.format("list")):
        session.benchmarks()
    port.close()


@pytest.mark.parametrize("fault", ["flood-valid", "flood-progress", "flood-garbage", "flood-endless"])
def test_a_flood_ends_with_an_error(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_STALE", 20_000)
    with talking("--fault", fault) as session, pytest.raises(ProtocolError, match="floods"):
        session.measure("example", {})


@pytest.mark.parametrize("fault", ["flood-valid", "flood-garbage", "flood-endless", "flood-line"])
def test_a_flood_that_ends_with_the_patience_is_called_one_and_no_slow_line(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a target whose flood is slower than a pipe."""
    monkeypatch.setattr(exchange, "MAX_STALE", 10**9)
    monkeypatch.setattr(link, "GARBAGE_BUDGET", 10**12)
    with (
        talking("--fault", fault, timeout=0.3) as session,
        pytest.raises(ProtocolError, match="floods the link") as caught,
    ):
        session.measure("example", {})
    for advice in ("--timeout", "slow", "cable", "connection"):
        assert advice not in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "ask", "says"),
    [
        ("many-conditions", lambda session: session.info(), "the target answers with more than 1,000 conditions"),
        ("many-benchmarks", lambda session: session.benchmarks(), "more than 20,000 benchmarks"),
        ("many-series", lambda session: session.measure("example", {}), "more than 5,000 factors and series"),
    ],
)
def test_what_a_target_says_beside_samples_is_bounded_and_the_target_is_to_blame(
    fault: str, ask: Callable[[Session], object], says: str
) -> None:
    port = fake("--fault", fault)
    try:
        session = Session(port, NEVER, contact_timeout=NEVER)
        with pytest.raises(ProtocolError, match=says):
            ask(session)
        assert session.statistics.lines < 20_900, "it does not read on"
    finally:
        port.close()


def test_progress_that_never_comes_to_an_end_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_REST_TIME", 0.3)
    monkeypatch.setattr(exchange, "MAX_WINDOWS", 1)
    with talking("--fault", "endless-progress", timeout=3) as session:
        says = r"at repetition 5 of 10 for 3\.3 s"
        with pytest.raises(TargetSilentError, match=says):
            session.measure("example", {})


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("endless-repetitions", "11 of 10 repetitions done"),
        ("endless-plan", "0 of 1 repetitions done"),
    ],
)
def test_more_repetitions_than_there_are_end_with_an_error(fault: str, says: str) -> None:
    with talking("--fault", fault) as session, pytest.raises(ProtocolError, match=says):
        session.measure("example", {})


def test_a_target_that_is_busy_for_ever_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_BUSY_TIME", 1.0)
    monkeypatch.setattr(exchange, "KEEPALIVE_AFTER", 0.1)
    says = "for 1 s. The target's last message"
    for_ever = talking("--repetitions", "100000", "--no-progress", "--repetition-time", "0.01")
    with for_ever as session, pytest.raises(TargetSilentError, match=says):
        session.measure("example", {})


def test_a_run_may_take_longer_than_a_standstill_as_long_as_it_gets_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_REST_TIME", 0.0)
    monkeypatch.setattr(exchange, "MAX_WINDOWS", 1)
    with talking("--repetitions", "30", "--repetition-time", "0.15", timeout=3) as session:
        assert session.measure("example", {}).status == "ok"


def test_another_protocol_version_is_named() -> None:
    port = fake("--fault", "version-3")
    with pytest.raises(
        ProtocolError, match="speaks version 3 of the Intercore protocol, but this tool speaks version 2"
    ):
        Session(port).info()
    port.close()


def test_what_does_not_speak_the_protocol_is_told_so() -> None:
    port = SerialPort("loop://", 115200)
    with pytest.raises(ProtocolError, match=r"does not speak the Intercore protocol: .*baud"):
        Session(port, timeout=0.7).info()
    port.close()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("lie-count", "series t1 has 100 of"),
        ("lie-huge-count", "4611686018427387904 announced samples"),
        ("lie-index", "samples from 32 of series 't1' after 16 others"),
        ("lie-end", "line 10 of an answer that ends with line 9"),
        ("lie-number", r"docs/protocol\.md"),
        ("lie-factor", "n=10 was requested, but the target ran with n=11"),
        ("lie-status", "`ok` although checks failed .*'wrong': 1"),
        ("lie-overhead", "series timestamp_overhead.zero names no core"),
        ("lie-unit", "samples in tick of series t1, which is in count"),
        ("lie-overhead-unit", "series timestamp_overhead.0 .* but the unit of the series is core"),
        ("unknown-unit", r"docs/protocol\.md"),
        ("lie-twice", "a `series`, is out of place"),
        ("wrong-type", r"`values\[.*docs/protocol\.md"),
        ("huge-number", r"`values\[.*docs/protocol\.md"),
        ("float", r"`values\[.*docs/protocol\.md"),
        ("deep", r"`values\[.*docs/protocol\.md"),
        ("not-json", "the message is not JSON"),
        ("not-utf8", "the message is not UTF-8"),
        ("control", r"docs/protocol\.md"),
        ("bidi", r"docs/protocol\.md"),
        ("unknown-type", r"docs/protocol\.md.*gift"),
    ],
)
def test_a_target_that_lies_is_not_believed(fault: str, says: str) -> None:
    with talking("--fault", fault) as session, pytest.raises(ProtocolError, match=says) as caught:
        session.measure("example", {"n": 10})
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("fault", "benchmark", "parameters", "error", "says"),
    [
        ("none", "speed", {}, UsageError, "fake: there is no such benchmark"),
        ("none", "example", {"m": 1}, UsageError, "unknown-parameter"),
        ("none", "example", {"n": "many"}, UsageError, "bad-value"),
        ("refuse", "example", {}, UsageError, "measures nothing"),
        ("fail", "example", {}, IntercoreError, "no memory for a second task"),
    ],
)
def test_a_refusal_is_passed_on_though_the_target_may_be_silent_for_long(
    fault: str, benchmark: str, parameters: dict[str, int | str], error: type[IntercoreError], says: str
) -> None:
    with talking("--fault", fault, timeout=NEVER) as session:
        with pytest.raises(error, match=says):
            session.measure(benchmark, parameters)
        assert session.benchmarks()


def test_a_parameter_that_a_target_could_misread_is_not_sent() -> None:
    with talking() as session:
        with pytest.raises(UsageError):
            session.measure("example", {"n": "1 n=2"})
        assert session.benchmarks()


# ---- which settings are impossible ----


def check(impossible: str, ns: list[int], *arguments: str) -> list[int | str]:
    """Return the values of n that the target calls impossible with workload=integer; it does so with fp as well."""
    with talking("--impossible", impossible, *arguments) as session:
        (benchmark,) = session.benchmarks()
        found = session.check(benchmark, {"opt": ["O2"], "n": ns, "workload": ["fp", "integer"]})
    assert {one.why for one in found} <= {f"n is above {impossible}"}
    pairs = [(one.factors["workload"], one.factors["n"]) for one in found]
    assert len(pairs) == len(set(pairs))
    assert {n for workload, n in pairs if workload == "fp"} == {n for workload, n in pairs if workload == "integer"}
    return [n for workload, n in pairs if workload == "integer"]


def test_a_target_says_which_settings_are_impossible() -> None:
    assert check("40", [10, 50, 40, 41]) == [50, 41]


def test_a_grid_that_fits_in_no_command_is_asked_about_in_several() -> None:
    assert sorted(map(int, check("777300", list(range(777000, 777400))))) == list(range(777301, 777400))


def test_a_target_that_does_not_know_the_question_is_taken_to_measure_everything() -> None:
    with talking() as session:
        (benchmark,) = session.benchmarks()
        assert session.check(benchmark, {"n": [10**6]}) == []
        assert session.measure("example", {"n": 10}).status == "ok"


def test_a_target_that_calls_impossible_what_it_was_not_asked_about_is_found_out() -> None:
    with pytest.raises(ProtocolError, match="a `impossible`, is out of place"):
        check("40", [10], "--fault", "lie-impossible")
