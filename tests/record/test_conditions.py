"""Conditions of a run: what may differ with a factor of the target, and what may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.record import conditions
from intercore.record.findings import ClockMayChange
from intercore.record.measurement import Measurement, Part, Plan, Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.finding import Caveat
    from intercore.record.measurement import Level


def measured(factors: Mapping[str, Level], **found: str) -> Measurement:
    return Measurement("speedup", factors, 0, (), found, {}, "2026-01-01T00:00:00Z")


def differing(*measurements: Measurement) -> set[str]:
    plan = Plan("pico-sim", None, "speedup", (Part("speedup", {"n": [1]}),))
    return set(conditions.differing(Run(1, plan, "2026-01-01T00:00:00+00:00", "0", 1, measurements)))


def test_conditions_may_differ_with_the_factor_that_decides_them() -> None:
    slow = {"clock.sys_hz": "48000000", "clock_hz": "48000000", "flash.xip_cache": "on"}
    fast = {"clock.sys_hz": "133000000", "clock_hz": "133000000", "flash.xip_cache": "on"}
    assert differing(measured({"clock_mhz": 48}, **slow), measured({"clock_mhz": 133}, **fast)) == set()
    assert differing(measured({}, **slow), measured({}, **fast)) == {"clock.sys_hz", "clock_hz"}
    assert differing(measured({"opt": "O0"}, **slow), measured({"opt": "O2"}, **fast)) == {"clock.sys_hz", "clock_hz"}
    other = {**slow, "flash.xip_cache": "off"}
    assert differing(measured({"clock_mhz": 48}, **slow), measured({"clock_mhz": 48}, **other)) == {"flash.xip_cache"}


def test_after_a_target_was_started_anew_what_else_ran_is_known_from_before() -> None:
    opened = {"os.load_at_start": "0.02 0.01 0.00 1/99 1", "cpu.cycle_counter_hz": "1000"}
    restarted = {"os.load_at_start": "1.90 0.40 0.10 1/99 2", "cpu.cycle_counter_hz": "1001"}
    assert conditions.of_another_start(opened, restarted) == {
        **restarted,
        "os.load_at_start": opened["os.load_at_start"],
    }
    assert conditions.of_another_start({}, {"chip": "one"}) == {"chip": "one"}


def test_clocks_that_power_management_changes_are_warned_of() -> None:
    def warned(frequency: str) -> list[Caveat]:
        plan = Plan("esp32", "/dev/ttyUSB0", "switch", (Part("switch", {}),))
        one = measured({}, **{"clock.frequency": frequency})
        return list(conditions.caveats(Run(1, plan, "2026-01-01T00:00:00+00:00", "0", 1, (one,))))

    assert not warned("fixed")
    assert warned("power management may change it: times do not hold") == [ClockMayChange()]
