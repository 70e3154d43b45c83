from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError, UsageError
from intercore.link.port import TargetLostError
from intercore.link.serial_port import SerialPort
from tests.link.reading import NEVER, read_until
from tests.link.tcp_target import tcp_target

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_a_socket_is_a_serial_port() -> None:
    with tcp_target() as url:
        port = SerialPort(url, 115200)
        port.write(b"list\n")  # its greeting may be lost: pyserial drops what comes while it opens the port
        assert b'"example"' in read_until(port, b'"example"')
        port.close()
        port.close()


def test_a_closed_socket_is_a_lost_target_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}", 115200)
        connection = server.accept()[0]
        connection.sendall(b"last words")
        connection.close()
        assert read_until(port, b"words") == b"last words"
        with pytest.raises(TargetLostError) as caught:
            port.read(NEVER)
        assert str(caught.value) == f"the connection to {port.description} was lost: socket disconnected"
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
        threading.Timer(0.1, os.close, [terminal[0]]).start()
        with pytest.raises(TargetLostError, match=f"^the connection to {terminal[1]} was lost: "):
            port.read(NEVER)
        port.close()

    def test_a_target_that_takes_no_input_does_not_block_for_ever(
        self, terminal: tuple[int, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("intercore.link.serial_port.WRITE_TIMEOUT", 0.1)
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
        ("socket://", "cannot open socket://: expected socket://HOST:PORT, with a port from 1 to 65535"),
        ("socket://h", "cannot open socket://h: expected socket://HOST:PORT"),
        ("socket://h:99999", "cannot open socket://h:99999: expected socket://HOST:PORT"),
        ("socket://h:१", "cannot open socket://h:१: expected socket://HOST:PORT"),
        ("socket://[::1:5", "cannot open socket://[::1:5: expected socket://HOST:PORT"),
        ("rfc2217://", "cannot open rfc2217://: expected rfc2217://HOST:PORT"),
        ("rfc2217://h:-1", "cannot open rfc2217://h:-1: expected rfc2217://HOST:PORT"),
        ("rfc2217://h:1?timeout=x", "cannot open rfc2217://h:1?timeout=x: expected rfc2217://<host>:<port>"),
        ("socket://h:1?x=1", "cannot open socket://h:1?x=1: pyserial"),
        ("loop://?nonsense=1", "cannot open loop://?nonsense=1: pyserial"),
        ("hwgrep://(", "cannot open hwgrep://(: pyserial"),
        ("hwgrep://x&n=a", "cannot open hwgrep://x&n=a: pyserial"),
        ("/dev/null", "cannot open /dev/null: it is not a serial port"),
        ("", "cannot open : "),
        ("nul\0", "cannot open "),
        ("gopher://board", "cannot open gopher://board: 'gopher://' is not a known kind of port"),
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
