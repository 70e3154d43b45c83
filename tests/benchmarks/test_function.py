"""What is said of a check that failed on an emulated chip."""

from __future__ import annotations

import msgspec
import pytest

from intercore.benchmarks.function import report
from intercore.record.measurement import Measurement, Part, Plan, Run

STARTED = "2026-01-01T00:00:00+00:00"
FACTORS = {"core": 0, "period_us": 1000, "load": "none", "migrate": "blockers"}


def warning(conditions: dict[str, str]) -> str:
    plan = Plan("esp32-qemu", None, "jitter", (Part("jitter", {name: [level] for name, level in FACTORS.items()}),))
    checks = {"done": 300, "checked": 300, "wrong": 285}
    one = Measurement("jitter", FACTORS, 0, (), conditions, checks, STARTED)
    run = Run(1, msgspec.structs.replace(plan, emulated=True), STARTED, "0.1.0", 1, (one,))
    (found,) = report(run, "jitter").warnings
    return found


def test_a_check_that_an_emulated_target_fails_is_not_said_to_be_a_fault_of_the_program() -> None:
    found = warning({"emulated": "QEMU"})
    assert "jitter core=0 period_us=1000 load=none migrate=blockers" in found
    assert "wrong: 285" in found
    assert all(word in found for word in ("emulator", "tick late", "idle machine", "docs/esp32.md"))


@pytest.mark.parametrize("mistake", ["it wrote out of bounds"])
def test_what_the_program_is_known_to_have_done_wrong_is_the_reason(mistake: str) -> None:
    found = warning({"desk.mistakes": mistake})
    assert mistake in found
    assert "emulator" not in found
