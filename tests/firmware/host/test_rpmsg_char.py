"""The transport rpmsg-char of the real program, on a stand-in for Linux' device: there is none on this machine.

The stand-in (rpmsg_standin.c) is a socket whose other end is a thread of this test: an echo, or one that errs. Beside
it stands a terminal, which is a character device of the kernel's own.
"""

from __future__ import annotations

import errno
import os
import pty
import select
import socket
import subprocess
import tempfile
import threading
import tty
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.firmware.host.conftest import Terminal, series

if TYPE_CHECKING:
    from collections.abc import Iterator

Answer = tuple[bytes, ...] | None
"""What is sent back for a message; None: the other end is gone from then on."""
Begin = Callable[..., tuple[str, "Terminal"]]
"""Starts the program beside a device whose other end answers so; returns the transport's name and a terminal."""

MOST = 496
"""Bytes of a message in Linux' usual buffers of 512."""


class Device:
    """A device whose other end answers each message as it is told, and counts them."""

    def __init__(self, shim: Path, folder: Path, answer: Callable[[int, bytes], Answer], first: bytes = b"") -> None:
        self.path = folder / "rpmsg0"
        self.path.symlink_to("/dev/null")  # a character device, for who looks before he opens
        self.name = f"rpmsg-char:{self.path}"
        self.environment = {
            "INTERCORE_RPMSG": str(self.path),
            "LD_PRELOAD": str(shim),
            "ASAN_OPTIONS": "verify_asan_link_order=0",
            "STANDIN_PATH": str(self.path),
            "STANDIN_SOCKET": str(folder / "socket"),
            "STANDIN_MOST": str(MOST),
        }
        self._answer, self._first = answer, first
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(self.environment["STANDIN_SOCKET"])
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                opened, _ = self._listener.accept()
            except OSError:
                return
            with opened:
                if self._first:
                    opened.send(self._first)
                self._talk(opened)

    def _talk(self, opened: socket.socket) -> None:
        count = 0
        while message := self._next(opened):
            count += 1
            answers = self._answer(count, message)
            if answers is None:
                return
            for answer in answers:
                opened.send(answer)

    @staticmethod
    def _next(opened: socket.socket) -> bytes:
        """Return the next message; empty when the program has closed, perhaps with something left to read."""
        try:
            return opened.recv(65536)
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        self._listener.close()


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("standin") / "standin.so"
    source = Path(__file__).with_name("rpmsg_standin.c")
    subprocess.run(
        ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", str(source), "-o", made], check=True
    )
    return made


@pytest.fixture
def begin(program: Path, shim: Path) -> Iterator[Begin]:
    """A function that starts the program beside a device; it returns the transport's name and a terminal."""
    begun: list[tuple[Device, Terminal]] = []
    with tempfile.TemporaryDirectory(prefix="rpmsg", dir="/tmp") as folder:  # a path of few characters

        def start(answer: Callable[[int, bytes], Answer], first: bytes = b"", **more: str) -> tuple[str, Terminal]:
            device = Device(shim, Path(folder), answer, first)
            begun.append((device, Terminal(program, {**device.environment, **more})))
            begun[-1][1].answer()
            return device.name, begun[-1][1]

        yield start
        for device, terminal in begun:
            assert terminal.close() == ""
            device.close()


def echo(_: int, message: bytes) -> Answer:
    return (message,)


def run(terminal: Terminal, name: str, words: str = "") -> list[dict[str, Any]]:
    return terminal.ask(f"run message transport={name} dither_us=50 samples=5 {words}")


def test_a_round_trip_is_measured_and_called_so(begin: Begin) -> None:
    name, terminal = begin(echo)
    for size in (1, 7, 64, MOST):
        answer = run(terminal, name, f"size={size}")
        assert answer[-1]["status"] == "ok", answer[-1]
        assert answer[-1]["checks"]["checked"] == 7
        taken = series(answer)
        assert "latency" not in taken
        assert len(taken["round_trip"]) == len(taken["send"]) == 5
        assert min(taken["round_trip"]) > 0
    told = {line["name"]: line["value"] for line in answer if line["type"] == "factor"}
    assert told["transport"] == name, "the device travels with the numbers"


@pytest.mark.skipif(
    "INTERCORE_SLOW" not in os.environ, reason="keeps an echo of this machine off its cores: a second each"
)
def test_ends_that_poll_measure_it_too(begin: Begin) -> None:
    name, terminal = begin(echo)
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("ends that poll need a core each")
    answer = run(terminal, name, "size=64 receiver=polling")
    assert (answer[-1]["status"], len(series(answer)["round_trip"])) == ("ok", 5)


def test_list_and_check_name_the_device(begin: Begin) -> None:
    name, terminal = begin(echo)
    transports = next(
        line["choices"] for line in terminal.ask("list")
        if line["type"] == "parameter" and (line["benchmark"], line["name"]) == ("message", "transport")
    )  # fmt: skip
    assert transports[-1] == name
    answer = terminal.ask(f"check message transport={name} measure=latency,throughput")
    (impossible,) = [line for line in answer if line["type"] == "impossible"]
    assert (impossible["setting"], "measure=latency" in impossible["text"]) == (1, True)


def test_what_was_left_over_in_the_device_is_not_taken_for_an_answer(begin: Begin) -> None:
    name, terminal = begin(echo, first=b"left over", STANDIN_STALE="1")
    for _ in range(2):
        assert run(terminal, name)[-1]["status"] == "ok"


def sentence(answer: list[dict[str, Any]]) -> str:
    assert (answer[-1]["type"], answer[-1]["code"]) == ("error", "failed"), answer[-1]
    return str(answer[-1]["text"])


def test_a_message_larger_than_the_device_takes_is_told(begin: Begin) -> None:
    name, terminal = begin(echo)
    told = sentence(run(terminal, name, f"size={MOST + 1}"))
    assert told.startswith(f"{name}: the message is larger than the device takes")
    assert str(errno.EMSGSIZE) in told
    assert run(terminal, name)[-1]["status"] == "ok", "and the next run is well"


def test_an_end_that_goes_is_told(begin: Begin) -> None:
    name, terminal = begin(lambda count, message: (message,) if count < 4 else None)
    assert "the other end is gone" in sentence(run(terminal, name))


def test_an_answer_that_never_comes_is_told(begin: Begin) -> None:
    name, terminal = begin(lambda count, message: (message,) if count < 4 else ())
    assert "no answer came" in sentence(run(terminal, name))


def test_an_answer_that_is_longer_is_none(begin: Begin) -> None:
    name, terminal = begin(lambda _, message: (message + b"!",))
    assert "longer" in sentence(run(terminal, name))


def flip(count: int, message: bytes) -> Answer:
    return (bytes([message[0], message[1] ^ 4, *message[2:]]),) if count == 3 else (message,)


def shorten(count: int, message: bytes) -> Answer:
    return (message[:-1],) if count == 3 else (message,)


def twice(count: int, message: bytes) -> Answer:
    return (message, message) if count == 3 else (message,)


@pytest.mark.parametrize(("answer", "fault"), [(flip, "corrupted"), (shorten, "corrupted"), (twice, "repeated")])
def test_an_answer_that_is_not_what_was_sent_is_counted(
    begin: Begin, answer: Callable[[int, bytes], Answer], fault: str
) -> None:
    name, terminal = begin(answer)
    told = run(terminal, name, "size=100")
    assert told[-1]["status"] == "failed"
    assert series(told)[fault] == [1]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EBUSY, "another program has the device open"),
        (errno.EACCES, "this user may not"),
        (errno.ENXIO, "the device has no other end"),
        (errno.EINVAL, "cannot be opened"),
    ],
)
def test_a_device_that_cannot_be_opened_says_why(begin: Begin, number: int, said: str) -> None:
    name, terminal = begin(echo, STANDIN_ERRNO=str(number))
    told = sentence(run(terminal, name))
    assert said in told
    assert f"(errno {number})" in told


@pytest.mark.parametrize(("path", "said"), [("/nowhere/rpmsg0", "no such device"), ("/", "not a character device")])
def test_a_path_that_is_no_device_is_refused_before_anything_is_measured(program: Path, path: str, said: str) -> None:
    terminal = Terminal(program, {"INTERCORE_RPMSG": path})
    terminal.answer()
    (impossible, _) = terminal.ask(f"check message transport=rpmsg-char:{path}")
    assert (impossible["code"], said in impossible["text"]) == ("unsupported", True)
    assert terminal.close() == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("rpmsg0", "begins with /"),
        ("/dev/a,b", "letters, digits"),
        ("/dev/a b", "letters, digits"),
        ("/dev/r1:", "begins with /"),
        ("/dev/" + "x" * 60, "63 characters"),
        (":".join(["/dev/r"] * 5), "at most four"),
        (":".join(["/dev/" + "x" * 40] * 3), "100 in total"),
    ],
)
def test_paths_that_could_not_be_typed_end_the_program(program: Path, value: str, said: str) -> None:
    done = subprocess.run(
        [program], env={**os.environ, "INTERCORE_RPMSG": value}, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("intercore-target: INTERCORE_RPMSG: ")
    assert said in done.stderr


def test_as_many_names_as_are_allowed_fit_the_line_that_lists_them(program: Path) -> None:
    paths = ["/dev/" + letter * 20 for letter in "abcd"]
    terminal = Terminal(program, {"INTERCORE_RPMSG": ":".join(paths)})
    terminal.answer()
    listed = next(line for line in terminal.ask("list") if line.get("name") == "transport")
    assert listed["choices"][-4:] == [f"rpmsg-char:{path}" for path in paths]
    assert terminal.close() == ""


def test_a_character_device_of_the_kernels_carries_messages(program: Path) -> None:
    """A terminal without line discipline: no borders between messages, but one at a time needs none."""
    ours, theirs = pty.openpty()
    tty.setraw(ours)
    path = os.ttyname(theirs)
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            if select.select([ours], [], [], 0.1)[0]:
                os.write(ours, os.read(ours, 4096))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        terminal = Terminal(program, {"INTERCORE_RPMSG": path})
        terminal.answer()
        answer = run(terminal, f"rpmsg-char:{path}", "size=8")
        assert answer[-1]["status"] == "ok", answer[-1]
        assert len(series(answer)["round_trip"]) == 5
        assert terminal.close() == ""
    finally:
        stop.set()
        thread.join()
        os.close(ours)
        os.close(theirs)
