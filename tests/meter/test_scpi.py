"""Bench instruments: one that is a socket server and speaks SCPI, and one of PyVISA-sim's."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from intercore.errors import UsageError
from intercore.meter.meter import MeterError
from intercore.meter.registry import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("pyvisa")

IDENTITY = "Keysight Technologies,34465A,MY5900,A.02.17"
SIMULATED = """\
spec: "1.1"
devices:
  supply:
    eom:
      TCPIP SOCKET: {q: "\\n", r: "\\n"}
    error: ERROR
    dialogues:
      - {q: "*IDN?", r: "Rigol Technologies,DP832,DP8,1"}
      - {q: "MEAS:CURR?", r: "0.0473"}
      - {q: "MEAS:VOLT?", r: "3.301"}
resources:
  TCPIP0::supply.local::5025::SOCKET:
    device: supply
"""


class Multimeter:
    """Answers as a multimeter does at TCP port 5025: lines, numbers as NR3 (SCPI-1999, 7.2; IEEE 488.2, 8.7.4)."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.heard: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.resource = f"TCPIP0::127.0.0.1::{self._server.getsockname()[1]}::SOCKET"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _serve(self) -> None:
        try:
            connection, _ = self._server.accept()
        except OSError:
            return
        with suppress(ConnectionError), connection, connection.makefile("rw", newline="\n") as lines:
            for line in lines:
                self.heard.append(line.strip())
                if line.strip() == "*IDN?":
                    lines.write(f"{IDENTITY}\n")
                elif line.strip().endswith("?"):
                    while self.answer == "flood":  # until the other end has enough
                        connection.sendall(b"1" * 65536)
                    if self.answer == "hangs up":
                        return
                    lines.write(f"{self.answer}\n")
                lines.flush()


@pytest.fixture
def multimeter() -> Iterator[Callable[[str], Multimeter]]:
    made: list[Multimeter] = []

    def make(answer: str) -> Multimeter:
        made.append(Multimeter(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_multimeter_is_asked_for_its_current(multimeter: Callable[[str], Multimeter]) -> None:
    device = multimeter("+4.73100000E-02")
    meter = opened(f"scpi:{device.resource}?volts=3.3&hz=100&setup=CONF:CURR:DC;CURR:NPLC%200.2&read=READ?")
    assert meter.description == IDENTITY
    meter.begin()
    time.sleep(0.15)
    seen = meter.end(())
    meter.close()
    assert seen.trace is not None
    assert seen.trace.amps == pytest.approx(0.04731)
    assert device.heard[1:3] == ["CONF:CURR:DC", "CURR:NPLC 0.2"]
    assert set(device.heard[3:]) == {"READ?"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("+9.90000000E+37", "overloaded"),
        ("+9.91000000E+37", "not overloaded"),
        ('-113,"Undefined header"', "number"),
        ("*#!", "number"),
        ("hangs up", "did not answer"),
        ("flood", r"answers MEAS:CURR\? with more than 64 KiB"),
    ],
)
def test_an_instrument_that_has_no_current_is_told_of(
    multimeter: Callable[[str], Multimeter], answer: str, said: str
) -> None:
    meter = opened(f"scpi:{multimeter(answer).resource}?volts=3.3&hz=100")
    with pytest.raises(MeterError, match=said):
        meter.begin()
    meter.close()


def test_a_supply_of_pyvisa_sim_measures_its_voltage_as_well(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(SIMULATED)
    backend = f"{tmp_path / 'bench.yaml'}@sim"
    meter = opened(f"scpi:TCPIP0::supply.local::5025::SOCKET?volts=measured&hz=100&backend={backend}")
    meter.begin()
    time.sleep(0.1)
    seen = meter.end(())
    meter.close()
    assert seen.trace is not None
    assert seen.trace.power == pytest.approx(0.0473 * 3.301)


def test_an_instrument_that_is_not_there_is_told_of() -> None:
    with pytest.raises(MeterError, match="refused"):
        opened("scpi:TCPIP0::127.0.0.1::1::SOCKET?volts=3.3")
    with pytest.raises(UsageError, match="the instrument is missing"):
        opened("scpi:?volts=3.3")


def test_without_the_library_a_sentence_has_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MeterError, match=r"pip install 'intercore\[scpi\]'"):
        opened("scpi:TCPIP0::127.0.0.1::1::SOCKET?volts=3.3")
