"""The benchmark `outage` of the real program: a file is written and synchronised beside what another core does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal


@pytest.mark.parametrize("op", ["erase", "program", "both"])
def test_what_is_written_is_found_again_whatever_the_other_core_does(terminal: Terminal, op: str) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("one core")
    for other in ("ram", "interrupt", "task", "lock"):
        answer = terminal.ask(f"run outage op={op} other={other} pages=16 samples=3")
        checks = answer[-1]["checks"]
        assert answer[-1]["status"] == "ok", answer[-1]
        assert [checks[name] for name in ("done", "checked", "wrong", "lost")] == [3, 3, 0, 0]
        found = series(answer)
        assert all(0 < ticks < 10_000_000_000 for ticks in found["write"])
        assert found["gave_up"] == found["stuck"] == [0] * 3


def test_parking_the_other_core_is_refused_where_it_is_not_needed(terminal: Terminal) -> None:
    assert terminal.ask("run outage safe=lockout")[-1]["code"] == "bad-value"
