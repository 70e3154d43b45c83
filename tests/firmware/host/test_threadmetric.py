"""The benchmark `threadmetric` of the real program: every count in both forms, with its results checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

TESTS = (
    *("basic", "cooperative", "preemptive", "interrupt"),
    *("interrupt-preemption", "message", "synchronisation", "memory"),
)
FIVE = ("cooperative", "preemptive")


@pytest.mark.parametrize("form", ["same", "cross"])
def test_every_count_is_taken_and_right(terminal: Terminal, form: str) -> None:
    info = terminal.ask("info")[0]
    if info["cores"] < 2 and form == "cross":
        pytest.skip("there is no other core")
    for test in TESTS:
        answer = terminal.ask(
            f"run threadmetric test={test} form={form} core={info['cores'] - 1} window_ms=100 samples=2"
        )
        assert answer[-1].get("status") == "ok", (test, answer[-1])
        checks = answer[-1]["checks"]
        assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"]) == (2, 2, 0, 0)
        taken = series(answer)
        assert all(count > 0 for count in taken["count"]), test
        assert all(length >= info["hz"] // 10 for length in taken["window"]), "a window is not shorter than asked"
        assert ("least" in taken) == (test in FIVE)


def test_a_longer_window_holds_more(terminal: Terminal) -> None:
    short, long = (
        max(series(terminal.ask(f"run threadmetric test=message window_ms={window} samples=3"))["count"])
        for window in (10, 60)
    )
    assert long > 2 * short, "a loaded machine is slow, but not as slow as that three times"


def test_bad_settings_are_refused(terminal: Terminal) -> None:
    assert terminal.ask("run threadmetric test=dhrystone")[-1]["code"] == "bad-value"
    assert terminal.ask("run threadmetric window_ms=4")[-1]["code"] == "out-of-range"
