"""Programs that measure on this machine take turns: one command at a time, whoever started them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from intercore.link import host_port
from intercore.link.host_port import HostPort

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = [sys.executable, "-c", "import sys; sys.stdin.read()"]
OF_ANOTHER_PROCESS = f"""
from intercore.link.host_port import HostPort
with HostPort({PROGRAM!r}).turn():
    print("begun", flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests take turns under the real name meanwhile."""
    monkeypatch.setattr(host_port, "_NAME", b"\0intercore-test-of-turns")


@contextmanager
def another_process_has_its_turn() -> Iterator[subprocess.Popen[str]]:
    code = f"from intercore.link import host_port\nhost_port._NAME = {host_port._NAME!r}\n{OF_ANOTHER_PROCESS}"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "begun\n"
        try:
            yield process
        finally:
            process.kill()


def test_one_waits_until_the_other_has_ended_its_turn() -> None:
    order: list[str] = []
    with closing(HostPort(PROGRAM)) as first, closing(HostPort(PROGRAM)) as second:

        def take_turn() -> None:
            with second.turn():
                order.append("second")

        with first.turn():
            other = threading.Thread(target=take_turn)
            other.start()
            other.join(0.1)
            order.append("first")
        other.join()
    assert order == ["first", "second"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_turn_ends_with_the_process_that_has_it(number: signal.Signals) -> None:
    with another_process_has_its_turn() as process, closing(HostPort(PROGRAM)) as port:
        process.send_signal(number)
        with port.turn():
            pass


def test_a_person_is_told_once_what_takes_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_port, "_ANNOUNCE_AFTER_S", 0.0)
    said: list[str] = []
    with another_process_has_its_turn() as process, closing(HostPort(PROGRAM)) as port:

        def say(sentence: str) -> None:
            said.append(sentence)
            process.kill()

        with port.turn(say):
            pass
    assert len(said) == 1


def test_a_failure_in_a_turn_ends_it() -> None:
    with closing(HostPort(PROGRAM)) as port:
        with pytest.raises(ZeroDivisionError), port.turn():
            raise ZeroDivisionError
        with port.turn():
            pass
