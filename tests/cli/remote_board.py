"""The program of the target `host` as a board elsewhere: behind an RFC 2217 server, or at a serial device."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import tty
from typing import TYPE_CHECKING, Self

import serial
from serial import rfc2217

if TYPE_CHECKING:
    from pathlib import Path


class Lines(serial.SerialBase):
    """The settings and modem lines of a serial device that has none, as pyserial's server side wants them."""

    cts = dsr = cd = True
    ri = False
    is_open = True

    def _reconfigure_port(self) -> None:
        pass

    _update_rts_state = _update_dtr_state = _update_break_state = _reconfigure_port

    def reset_input_buffer(self) -> None:
        pass

    reset_output_buffer = reset_input_buffer


class Rfc2217Board:
    """A board behind a server for RFC 2217 on a TCP port. It is one board: connections come and go, it stays."""

    def __init__(self, program: Path) -> None:
        self._board = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"rfc2217://127.0.0.1:{self.port}"
        self.rates: list[int] = []
        """Bits per second that clients have asked for."""
        self.connections = 0
        self.runs = 0
        """Measurements that the board was asked for."""
        self._client: socket.socket | None = None
        self._manager: rfc2217.PortManager | None = None
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._serve, self._speak)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._board.kill()
        self._board.wait()
        self.hang_up()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()
        for stream in (self._board.stdin, self._board.stdout):
            assert stream is not None
            stream.close()

    def hang_up(self) -> None:
        """Close the connection, as a server that goes away does."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.shutdown(socket.SHUT_RDWR)

    def write(self, data: bytes) -> None:
        """Send to the client as it is: for PortManager, which answers by itself."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.sendall(data)

    def _serve(self) -> None:
        assert self._board.stdin is not None
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            self.connections += 1
            lines = Lines()
            with client:
                self._client, self._manager = client, rfc2217.PortManager(lines, self)
                with contextlib.suppress(OSError):
                    while data := client.recv(4096):
                        said = b"".join(self._manager.filter(data))
                        self._board.stdin.write(said)
                        self.runs += b"run " in said
                        if self.rates[-1:] != [lines.baudrate]:
                            self.rates.append(lines.baudrate)
                self._client = self._manager = None

    def _speak(self) -> None:
        """Pass on what the board says; nobody hears what it says while nobody is connected."""
        assert self._board.stdout is not None
        while data := self._board.stdout.read(4096):
            if (manager := self._manager) is not None:
                self.write(b"".join(manager.escape(data)))


class DeviceBoard:
    """A board at a serial device of this machine: a pseudo-terminal."""

    def __init__(self, program: Path) -> None:
        # The board is at the side that has no settings. The other side stays open, or the board would lose its line.
        self._own, self._device = os.openpty()
        tty.setraw(self._device)
        self.device = os.ttyname(self._device)
        self._board = subprocess.Popen([program], stdin=self._own, stdout=self._own)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._board.kill()
        self._board.wait()
        os.close(self._own)
        os.close(self._device)
