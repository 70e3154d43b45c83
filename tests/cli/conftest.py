"""What every test of the command line starts from: the tool in an empty directory, a store, a board on a socket."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.built_once import host_program_once
from tests.cli.tool import QUICK, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

TWELVE = ("clock", "from=0", "to=0", "longest_us=1,2,3,4,5,6,7,8,9,10,11,12", "--repetitions", "1")
FAKE_BOARD = Path(__file__).with_name("fake_board.py")

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # the target host is Linux


class FakeBoard:
    """A board on a TCP port. Each connection starts its program anew, as opening a serial port resets many a board."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}
        """Of its program, from the next connection on."""
        self.program: list[str] = []
        """What runs at a connection instead of tests/cli/fake_board.py."""
        self.connections = 0
        self.last_connection: int | None = None
        """Number of the connection after which no other is accepted, until `reopen`."""
        self._others: list[subprocess.Popen[bytes]] = []
        self._port = 0
        self.reopen()
        self.url = f"socket://127.0.0.1:{self._port}"

    def reopen(self) -> None:
        """Accept connections, at first or again, as soon as the program is loaded: it answers at once, as a board's."""
        self.last_connection = None
        self._handed, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            self._starter = subprocess.Popen(
                [sys.executable, FAKE_BOARD, "--start-over", str(its_end.fileno())],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[its_end.fileno()],
                process_group=0,
            )
        assert self._handed.recv(100) == b"ready"
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, args=(self._listener, self._handed), daemon=True).start()

    def behave(self, fault: str = "none", **options: object) -> None:
        """Have the board commit a fault; `after` is the number of runs in which it does not yet."""
        self.options = {"fault": fault, **{name.replace("_", "-"): str(value) for name, value in options.items()}}

    def _serve(self, listener: socket.socket, handed: socket.socket) -> None:
        while self.last_connection is None or self.connections < self.last_connection:
            try:
                connection, _ = listener.accept()
            except OSError:  # closed
                return
            self.connections += 1
            if self.connections == self.last_connection:
                listener.close()
            with connection:
                if self.program:
                    own = {"stdin": connection.fileno(), "stdout": connection.fileno()}
                    self._others.append(subprocess.Popen(self.program, stderr=subprocess.DEVNULL, **own))
                else:
                    words = [word for name, value in self.options.items() for word in (f"--{name}", value)]
                    socket.send_fds(handed, [json.dumps(words).encode()], [connection.fileno()])

    def close(self) -> None:
        """Refuse connections and end the program of each. May be called twice."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        if self._starter.returncode is None:
            os.killpg(self._starter.pid, signal.SIGKILL)  # with all that it has started
            self._starter.wait()
        self._handed.close()
        for process in self._others:
            process.kill()
            process.wait()


@pytest.fixture(scope="session", autouse=True)
def host() -> Path:
    """The program of the target `host`, built before anything is timed out."""
    return host_program_once()


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[Tool]:
    """The tool in an empty directory. Whatever the test does, no target may be left behind."""
    directory = tmp_path / "desk"
    directory.mkdir()
    opened = Tool(directory, uuid.uuid4().hex)
    yield opened
    opened.wait_for_no_target()


@pytest.fixture
def for_everyone(tool: Tool) -> Iterator[Tool]:
    """The tool in a directory that an unprivileged user may enter and, if root gives it to him, write to.

    It is not among pytest's, which are for one user, and which each pytest that starts closes again.
    """
    with tempfile.TemporaryDirectory(prefix="intercore-test-") as public:
        Path(public).chmod(0o755)
        tool.directory = Path(public, "desk")
        tool.directory.mkdir()
        yield tool
        tool.directory.chmod(0o755)


@pytest.fixture(scope="session")
def measured_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store with one complete run of the target host (read it only; `measured` is a copy)."""
    directory = tmp_path_factory.mktemp("measured")
    tool = Tool(directory, uuid.uuid4().hex)
    tool("run", "host", *TWELVE, "samples=10", "dither_us=10").succeeded()
    assert [path.name for path in directory.iterdir()] == ["intercore.db"]
    return tool.store


@pytest.fixture(scope="session")
def speedup_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `measured_store`, of speed-ups: for tests of what is told of them."""
    tool = Tool(tmp_path_factory.mktemp("speedups"), uuid.uuid4().hex)
    tool(
        "run", "host", "speedup", "n=1000,3000,10000,30000", "samples=10", "dither_us=10", "--repetitions", "1"
    ).succeeded()
    return tool.store


@pytest.fixture
def measured(tool: Tool, measured_store: Path) -> Tool:
    """The tool beside a store with one complete run of twelve measurements."""
    shutil.copyfile(measured_store, tool.store)
    return tool


@pytest.fixture
def speedups(tool: Tool, speedup_store: Path) -> Tool:
    """The tool beside a store with one complete run of twelve speed-ups."""
    shutil.copyfile(speedup_store, tool.store)
    return tool


@pytest.fixture
def quick(tool: Tool) -> Tool:
    """The tool beside a store with one complete run of six measurements of five samples."""
    tool("run", "host", *QUICK).succeeded()
    return tool


@pytest.fixture
def board() -> Iterator[FakeBoard]:
    opened = FakeBoard()
    yield opened
    opened.close()
