"""The benchmark `rhealstone` of the real program: every component in both forms, right, and on the cores named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

COMPONENTS = (
    *("task-switching", "preemption", "interrupt-latency"),
    *("semaphore-shuffling", "deadlock-breaking", "message-latency"),
)


@pytest.mark.parametrize("form", ["same", "cross"])
def test_every_component_is_measured_and_right(terminal: Terminal, form: str) -> None:
    cores = terminal.ask("info")[0]["cores"]
    if cores < 2 and form == "cross":
        pytest.skip("there is no other core")
    if form == "same":
        terminal.need_realtime()
    has_realtime = terminal.has_realtime()
    for component in COMPONENTS:
        for core in sorted({0, cores - 1}):
            answer = terminal.ask(
                f"run rhealstone component={component} form={form} core={core} samples=20 dither_us=20"
            )
            checks = answer[-1]["checks"]
            assert (checks["done"], checks["checked"], checks["migrated"]) == (20, 21, 0)
            # That a task inherits a priority in time shows only where there are priorities.
            if component != "deadlock-breaking" or has_realtime:
                assert (answer[-1]["status"], checks["wrong"]) == ("ok", 0), (component, answer[-1])
            assert len(series(answer)["time"]) == 20


def test_bad_settings_are_refused(terminal: Terminal) -> None:
    assert terminal.ask("run rhealstone component=datagram-throughput")[-1]["code"] == "bad-value"
    assert terminal.ask("run rhealstone core=65")[-1]["code"] == "out-of-range"
