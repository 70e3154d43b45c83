from __future__ import annotations

import os
import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.errors import IntercoreError, UsageError
from intercore.link.link import ChildPort, LineReader, Link, Port, ProtocolError, SerialPort, TargetLostError
from intercore.link.protocol import MAX_LINE, Log
from tests.fakes.target import Target, options, sealed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random


class Played(Port):
    """A port that plays what it was given, a chunk per read."""

    description = "played"

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = list(chunks)

    def read(self, timeout: float) -> bytes:  # noqa: ARG002 - it never has to wait
        return self.chunks.pop(0) if self.chunks else b""

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def read_until(port: Port, wanted: bytes, seconds: float = 5) -> bytes:
    data = b""
    deadline = time.monotonic() + seconds
    while wanted not in data and time.monotonic() < deadline:
        data += port.read(0.1)
    return data


def read_to_death(port: Port) -> TargetLostError:
    with pytest.raises(TargetLostError) as caught:
        read_until(port, b"never")
    return caught.value


@contextmanager
def child(code: str) -> Iterator[ChildPort]:
    port = ChildPort([sys.executable, "-c", f"import os, signal, sys, time\n{code}"], "the child")
    try:
        yield port
    finally:
        port.close()


# ---- lines ----


PIECES = st.lists(
    st.sampled_from([b"\r\n", b"\n", b"\r", b"x", b"y" * (MAX_LINE - 1), b"z" * MAX_LINE, b"w" * 5000]) | st.binary()
)


@given(PIECES, st.randoms(use_true_random=False))
def test_lines_are_the_same_however_the_bytes_are_chunked(pieces: list[bytes], cuts: Random) -> None:
    data = b"".join(pieces)
    whole = LineReader().feed(data)
    reader, lines, rest = LineReader(), [], data
    while rest:
        size = cuts.randint(1, 700)
        lines += reader.feed(rest[:size])
        rest = rest[size:]
    assert lines == whole
    assert all(0 < len(line) <= MAX_LINE + 1 for line in lines)


@given(PIECES)
def test_a_line_reader_keeps_no_more_than_a_line(pieces: list[bytes]) -> None:
    reader = LineReader()
    for piece in pieces:
        reader.feed(piece)
        assert len(reader._rest) <= MAX_LINE + 1


def test_a_line_that_is_too_long_costs_only_itself() -> None:
    good = sealed(b'{"type":"log","id":0,"text":"here"}')
    link = Link(Played(b"x" * 1000, b"y" * 1000 + b"\r\n" + good))
    assert link.receive(0) == []
    assert link.receive(0) == [Log(0, "here")]
    assert (link.statistics.lines, link.statistics.bad_lines, link.last_bad) == (1, 1, "longer than 480 characters")


def test_garbage_is_borne_for_a_while_and_then_called_a_flood() -> None:
    good = sealed(b'{"type":"log","id":0,"text":"here"}')
    chunk = (b"\x00garbage" * 20 + b"\n") * 400
    link = Link(Played(*[chunk] * 50, good, *[chunk] * 100))
    for _ in range(51):
        link.receive(0)
    with pytest.raises(ProtocolError, match="floods"):
        list(map(link.receive, [0] * 100))


def test_contents_are_forgiven_before_the_greeting_only() -> None:
    hello = (
        b'{"type":"hello","id":0,"i":0,"protocol":1,"firmware":"1","board":"b","chip":"c","cores":1,"clock":"k",'
        b'"hz":1,"tick_hz":0}'
    )
    link = Link(Played(sealed(b'{"type":"gift"}'), sealed(hello), sealed(b'{"type":"gift\\u001b"}')))
    assert link.receive(0) == []
    link.receive(0)
    with pytest.raises(ProtocolError, match=r"breaks the Intercore protocol.*gift") as caught:
        link.receive(0)
    assert "\x1b" not in str(caught.value)


# ---- child processes ----


def test_a_child_echoes() -> None:
    with child("sys.stdout.write(sys.stdin.readline()); sys.stdout.flush(); time.sleep(60)") as port:
        port.write(b"hello\n")
        assert read_until(port, b"\n") == b"hello\n"
        assert port.read(0) == b""


def test_the_death_of_a_child_is_noticed_after_its_last_words() -> None:
    with child("print('bye'); print('1\\n2\\n3\\n\\x1b[2Jfour', file=sys.stderr); sys.exit(7)") as port:
        assert read_until(port, b"\n").split() == [b"bye"]
        assert (
            str(read_to_death(port)) == "the child ended with exit status 7: 2 | 3 | \N{REPLACEMENT CHARACTER}[2Jfour"
        )
        assert "status 7" in str(read_to_death(port)), "who reads again is told again"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_child_killed_by_a_signal_is_said_to_be() -> None:
    with child("os.kill(os.getpid(), signal.SIGSEGV)") as port:
        assert str(read_to_death(port)) == "the child was killed by signal 11 (Segmentation fault)"


def test_writing_to_a_dead_child_leaves_its_last_output_readable() -> None:
    with child("print('last'); os.close(0); time.sleep(0.2)") as port:
        time.sleep(0.5)
        for _ in range(3):
            port.write(b"x" * 100_000)
        assert read_until(port, b"last").startswith(b"last")
        read_to_death(port)


def test_a_flooding_child_has_to_wait_and_is_killed_at_the_end() -> None:
    with child("while True: os.write(1, bytes(65536))") as port:
        time.sleep(0.2)
        assert port.read(1)
        waiting = port._chunks.qsize()
        start = time.monotonic()
    assert waiting <= 64
    assert time.monotonic() - start < 2
    assert port._process.returncode is not None


def test_closing_twice_does_no_harm() -> None:
    with child("sys.stdin.read()") as port:
        port.close()
    assert port._process.returncode == 0, "a child that ends when its input does is not killed"


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_child_and_what_it_started_die_together() -> None:
    with child("os.fork(); os.write(1, b'up'); signal.pause()") as port:
        assert read_until(port, b"upup")
    assert not any(thread.is_alive() for thread in port._threads), "nobody holds the pipes any more"


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_child_does_not_hear_the_ctrl_c_of_the_tool() -> None:
    with child("print(os.getpgid(0), flush=True); sys.stdin.read()") as port:
        assert int(read_until(port, b"\n")) == port._process.pid != os.getpgid(0)


@pytest.mark.parametrize("argv", [["/no/such/program"], ["/"], ["nul\0byte"]])
def test_a_program_that_cannot_be_started_is_named(argv: list[str]) -> None:
    with pytest.raises(IntercoreError, match=r"^cannot start "):
        ChildPort(argv)


# ---- pyserial ----


@contextmanager
def tcp_target() -> Iterator[str]:
    """A fake target behind a socket, as ser2net would put it there."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            connection = server.accept()[0]
            with connection.makefile("rb", 0) as receive, connection.makefile("wb") as send:
                Target(receive, send, options()).serve()  # type: ignore[arg-type]

    threading.Thread(target=serve, daemon=True).start()
    with server:
        yield f"socket://127.0.0.1:{server.getsockname()[1]}"


def test_a_socket_is_a_serial_port() -> None:
    with tcp_target() as url:
        port = SerialPort(url, 115200)
        port.write(b"list\n")  # its greeting may be lost: pyserial drops what comes while it opens the port
        assert b'"speedup"' in read_until(port, b'"speedup"')
        port.close()
        port.close()


def test_a_closed_socket_is_a_lost_target_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}", 115200)
        connection = server.accept()[0]
        connection.sendall(b"last words")
        connection.close()
        assert read_until(port, b"words") == b"last words"
        start = time.monotonic()
        assert str(read_to_death(port)) == f"lost {port.description}: socket disconnected"
        assert time.monotonic() - start < 1
        port.close()


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
class TestTerminal:
    @pytest.fixture
    def terminal(self) -> Iterator[tuple[int, str]]:
        master, slave = os.openpty()
        yield master, os.ttyname(slave)
        with suppress(OSError):
            os.close(master)
        os.close(slave)

    def test_bytes_pass_both_ways(self, terminal: tuple[int, str]) -> None:
        master, path = terminal
        port = SerialPort(path, 921600)
        os.write(master, bytes(range(256)))
        assert read_until(port, b"\xff") == bytes(range(256))
        port.write(b"info\r\n")
        assert os.read(master, 100) == b"info\r\n"
        port.close()

    def test_a_port_belongs_to_one_tool_at_a_time(self, terminal: tuple[int, str]) -> None:
        port = SerialPort(terminal[1], 115200)
        with pytest.raises(IntercoreError, match=r"^cannot open .*: Resource temporarily unavailable$"):
            SerialPort(terminal[1], 115200)
        port.close()

    def test_an_unplugged_port_is_a_lost_target_at_once(self, terminal: tuple[int, str]) -> None:
        port = SerialPort(terminal[1], 115200)
        start = time.monotonic()
        threading.Timer(0.1, os.close, [terminal[0]]).start()
        assert str(read_to_death(port)).startswith(f"lost {terminal[1]}: ")
        assert time.monotonic() - start < 1
        port.close()

    def test_a_target_that_takes_no_input_does_not_block_for_ever(
        self, terminal: tuple[int, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("intercore.link.link.WRITE_TIMEOUT", 0.1)
        port = SerialPort(terminal[1], 115200)
        with pytest.raises(TargetLostError, match="Write timeout"):
            port.write(bytes(1 << 20))
        port.close()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("/dev/no-such-port", "cannot open /dev/no-such-port: No such file or directory"),
        ("socket://127.0.0.1:1", "cannot open socket://127.0.0.1:1: Connection refused"),
        ("rfc2217://127.0.0.1:1", "cannot open rfc2217://127.0.0.1:1: Connection refused"),
        ("socket://", "cannot open socket://: "),
        ("loop://?nonsense=1", "cannot open loop://?nonsense=1: "),
        ("", "cannot open : "),
        ("nul\0", "cannot open "),
        ("gopher://board", "cannot open gopher://board: invalid URL, protocol 'gopher' not known"),
    ],
)
def test_a_port_that_cannot_be_opened_costs_one_sentence(url: str, says: str) -> None:
    with pytest.raises(IntercoreError) as caught:
        SerialPort(url, 115200)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_a_url_or_baud_rate_that_cannot_exist_is_the_users_mistake() -> None:
    with pytest.raises(UsageError):
        SerialPort("gopher://board", 115200)
    with pytest.raises(UsageError):
        SerialPort("loop://", -1)


def test_a_loop_returns_what_is_sent() -> None:
    port = SerialPort("loop://", 115200)
    port.write(b"echo\n")
    assert port.read(1) == b"echo\n"
    assert port.read(0.01) == b""
    port.close()
