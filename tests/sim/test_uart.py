"""Bytes go to the firmware and come back, when they should and damaged as they should be."""

from __future__ import annotations

import numpy as np

from intercore.sim import Reason, Simulator
from tests.sim.firmware import example

BYTE = 10850
"""Cycles of a byte: 10 bits of 1085."""


def test_what_is_sent_comes_back_at_the_rate_of_the_line(echo: Simulator) -> None:
    echo.run(text="ready\n")
    echo.take_uart()
    echo.send(b"hello\n")
    assert echo.run(text="hello\n").reason is Reason.TEXT
    sent = echo.take_uart_timed()
    assert sent.data == b"hello\n"
    assert np.diff(sent.cycles).tolist() == [BYTE] * 5
    assert echo.run().reason is Reason.EXIT
    assert echo.take_uart() == b"bytes: 6\ncycles from the first to the last: 54250\n"


def test_input_may_wait_for_a_cycle(echo: Simulator) -> None:
    echo.run(text="ready\n")
    echo.take_uart()
    later = echo.now + 1_000_000
    echo.send(b"x\n", not_before=later)
    echo.run(text="x\n")
    sent = echo.take_uart_timed()
    # Half a bit before the receiver has seen the stop bit; then some cycles until the core has sent it back.
    assert later + 2 * BYTE - 1085 < sent.cycles[0] < later + 2 * BYTE + 1085


def test_flipped_bits_arrive_inverted(echo: Simulator) -> None:
    echo.run(text="ready\n")
    echo.take_uart()
    echo.send(b"aaa\n", flipped=[0, 0b10, 0b110])
    echo.run(text="\n")
    assert echo.take_uart() == b"a`b\n"


def test_input_wakes_both_cores_from_a_dead_end(echo: Simulator) -> None:
    assert echo.run().reason is Reason.DEAD_END
    assert echo.run().reason is Reason.DEAD_END
    echo.send(b"\n")
    assert echo.run().reason is Reason.EXIT


def test_output_is_given_once() -> None:
    simulator = Simulator(example("fifo_polled"))
    simulator.run()
    assert simulator.take_uart(1) == b""
    assert simulator.take_uart() != b""
    assert simulator.take_uart() == b""
    timed = simulator.take_uart_timed()
    assert (timed.data, timed.cycles.tolist(), timed.cycles.dtype) == (b"", [], np.dtype(np.int64))


def test_semihosting_output_is_apart() -> None:
    simulator = Simulator(example("fifo_polled"))
    simulator.run()
    assert simulator.take_host_output() == b""
