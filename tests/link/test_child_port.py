from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError
from intercore.link import child_port
from intercore.link.child_port import CHUNKS_AHEAD, ChildPort
from tests.link.reading import NEVER, read_to_death, read_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def child(code: str) -> Iterator[ChildPort]:
    port = ChildPort([sys.executable, "-c", f"import os, signal, sys, time\n{code}"], "the child")
    try:
        yield port
    finally:
        port.close()


def test_a_child_echoes() -> None:
    with child("sys.stdout.write(sys.stdin.readline()); sys.stdout.flush(); time.sleep(60)") as port:
        port.write(b"hello\n")
        assert read_until(port, b"\n") == b"hello\n"
        assert port.read(0) == b""


def test_the_death_of_a_child_is_noticed_after_its_last_words() -> None:
    last_words = "print('1\\n2\\n3\\n\\x1b[2Jfour', file=sys.stderr); sys.exit(7)"
    with child(f"print('bye', flush=True); sys.stdin.readline(); {last_words}") as port:
        assert read_until(port, b"\n").split() == [b"bye"]
        port.write(b"\n")  # what it says before its output is read counts as its greeting
        assert (
            str(read_to_death(port)) == "the child ended with exit status 7: 2 | 3 | \N{REPLACEMENT CHARACTER}[2Jfour"
        )
        assert "status 7" in str(read_to_death(port)), "who reads again is told again"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_child_killed_by_a_signal_is_said_to_be() -> None:
    with child("os.kill(os.getpid(), signal.SIGSEGV)") as port:
        assert str(read_to_death(port)) == "the child was killed by signal 11 (Segmentation fault)"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_a_child_said_before_it_was_killed_from_outside_is_no_reason() -> None:
    with child("print('Adding SPI flash device', file=sys.stderr); os.kill(os.getpid(), signal.SIGKILL)") as port:
        assert str(read_to_death(port)) == "the child was killed by signal 9 (Killed)"


@pytest.mark.parametrize(("last", "said"), [("", ""), ("out of memory", ": out of memory")])
def test_the_greeting_of_a_child_is_no_reason_for_its_death(last: str, said: str) -> None:
    code = "print('Adding SPI flash device', file=sys.stderr); sys.stdin.readline(); print('hello', flush=True)\n"
    code += f"sys.stdin.readline(); print({last!r}, file=sys.stderr); sys.exit(1)"
    with child(code) as port:
        while not port._last_words.endswith(b"\n"):
            time.sleep(0.001)
        port.write(b"\n")
        read_until(port, b"\n")
        port.write(b"\n")
        assert str(read_to_death(port)) == f"the child ended with exit status 1{said}"


def test_writing_to_a_dead_child_leaves_its_last_output_readable() -> None:
    with child("print('last')") as port:
        port._process.wait()
        for _ in range(3):
            port.write(b"x" * 100_000)
        assert read_until(port, b"last").startswith(b"last")
        read_to_death(port)


def test_a_flooding_child_has_to_wait_and_is_killed_at_the_end() -> None:
    with child("while True: os.write(1, bytes(65536))") as port:
        while not port._chunks.full():
            time.sleep(0.01)
        time.sleep(0.2)  # in which it would send megabytes
        assert port._chunks.qsize() == CHUNKS_AHEAD
        assert port.read(NEVER)
    assert port._process.returncode is not None


def test_closing_twice_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_port, "CHILD_GRACE", NEVER)
    with child("sys.stdin.read()") as port:
        port.close()
    assert port._process.returncode == 0, "a child that ends when its input does is not killed"


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_child_and_what_it_started_die_together() -> None:
    with child("os.fork(); os.write(1, b'up'); signal.pause()") as port:
        assert read_until(port, b"upup")
    for thread in port._threads:
        thread.join(NEVER)
        assert not thread.is_alive(), "nobody holds the pipes any more"


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="process groups")
@pytest.mark.parametrize("end", ["sys.stdin.read()", "pass"], ids=["when it is to", "by itself"])
def test_a_child_that_ends_leaves_nothing_behind_that_it_started(end: str) -> None:
    with child(f"if not os.fork():\n    os.write(1, b'up')\n    signal.pause()\n{end}") as port:
        assert read_until(port, b"up")
        if end == "pass":
            port._process.stdin.close()  # type: ignore[union-attr]
    for thread in port._threads:
        thread.join(NEVER)
        assert not thread.is_alive(), "nobody holds the pipes any more"
    assert port._process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_child_does_not_hear_the_ctrl_c_of_the_tool() -> None:
    with child("print(os.getpgid(0), flush=True); sys.stdin.read()") as port:
        assert int(read_until(port, b"\n")) == port._process.pid != os.getpgid(0)


@pytest.mark.parametrize("argv", [["/no/such/program"], ["/"], ["nul\0byte"]])
def test_a_program_that_cannot_be_started_is_named(argv: list[str]) -> None:
    with pytest.raises(IntercoreError, match=r"^cannot start "):
        ChildPort(argv)
