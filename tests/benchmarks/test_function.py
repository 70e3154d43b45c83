"""What is said of a check that failed on an emulated chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.findings import ProgramFailed
from intercore.benchmarks.function import report
from intercore.record.measurement import Measurement, Part, Plan, Run

if TYPE_CHECKING:
    from intercore.finding import Finding
    from intercore.record.measurement import Level

STARTED = "2026-01-01T00:00:00+00:00"
FACTORS: dict[str, Level] = {"core": 0, "period_us": 1000, "load": "none", "migrate": "blockers"}


def failure(conditions: dict[str, str]) -> Finding:
    plan = Plan("esp32-qemu", None, "jitter", (Part("jitter", {name: [level] for name, level in FACTORS.items()}),))
    checks = {"done": 300, "checked": 300, "wrong": 285}
    one = Measurement("jitter", FACTORS, 0, (), conditions, checks, STARTED)
    run = Run(1, msgspec.structs.replace(plan, emulated=True), STARTED, "0.1.0", 1, (one,))
    (found,) = report(run, "jitter").findings
    return found


def failed(mistakes: str | None) -> ProgramFailed:
    return ProgramFailed(setting=FACTORS, benchmark="jitter", checks={"wrong": 285}, mistakes=mistakes)


def test_a_check_that_an_emulated_target_fails_is_not_said_to_be_a_fault_of_the_program() -> None:
    found = failure({"emulated": "QEMU"})
    assert found == failed(None)
    assert found.severity == "error"


def test_what_the_program_is_known_to_have_done_wrong_is_the_reason() -> None:
    assert failure({"host.mistakes": "it wrote out of bounds"}) == failed("it wrote out of bounds")
