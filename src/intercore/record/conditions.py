"""Caveats on a run from its conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.record import identity
from intercore.record.factors import TARGET_FACTORS
from intercore.record.findings import (
    ClockMayChange,
    ConditionChanged,
    CoreInterruptsLost,
    EmulatedTimes,
    MachineBusy,
    NoRealTimePriority,
    OnVirtualMachine,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from intercore.finding import Caveat
    from intercore.record.measurement import Level, Measurement, Run

_OF_THE_MOMENT = frozenset(
    {
        "os.load_at_start",
        "cpu.cycle_counter_hz",
        "cpu.cycle_counter_uncertainty",
        "clock.uncertainty",
        "clock.offset",
        "clock.esp_timer_ppm",
        "reset.reason",
        "host.link",
        "host.rate",
    }
)
"""Conditions that differ each time the target starts and say nothing about its speed."""

_OF_WHAT_ELSE_RAN = frozenset({"os.load_at_start"})
"""Conditions on other load, which hold when a target is opened; after a restart they would include our own
measurements."""

_OF_THE_SIMULATING_MACHINE = frozenset({"host.platform", "host.python"})
"""Conditions that say nothing about a simulated chip: it runs alike everywhere, and on a cluster in many places."""

_DECIDED_BY = {
    key: [name for name, following in TARGET_FACTORS.items() if key in following]
    for key in sorted({key for following in TARGET_FACTORS.values() for key in following})
}
"""Conditions that must be the same only between measurements at the same levels of these factors of the target."""

_CYCLE_HZ = "clock.sys_hz"
_TICK_HZ = "tick_hz"
_DIGITS = 12  # of a rate, at most: more is no rate

_BUSY_LOAD = 0.5
"""Load per core at start above which something else was running."""


def differing(run: Run) -> dict[str, list[str]]:
    """Return the conditions that changed within the run, although no factor of its plan did, with their values.

    Kernels and images have findings separate from these (`intercore.record.identity`).
    """
    values: dict[tuple[str, tuple[Level | None, ...]], list[str]] = {}
    ignored = (
        _OF_THE_MOMENT
        | {identity.IMAGE, *identity.KERNEL}
        | (_OF_THE_SIMULATING_MACHINE if run.plan.simulated else frozenset())
    )
    for measurement in run.measurements:
        for key in measurement.conditions.keys() - ignored:
            decided_by = _DECIDED_BY.get(key)
            build = tuple(map(measurement.factors.get, decided_by)) if decided_by else ()
            known = values.setdefault((key, build), [])
            if measurement.conditions[key] not in known:
                known.append(measurement.conditions[key])
    return {key: known for (key, _), known in sorted(values.items(), key=repr) if len(known) > 1}


def of_another_start(opened: Mapping[str, str], restarted: Mapping[str, str]) -> dict[str, str]:
    """Return the conditions of a target that was started again between measurements, from those that it names now.

    The conditions on other load are those from when it was opened, because its later load is our own.
    """
    return {**restarted, **{key: opened[key] for key in _OF_WHAT_ELSE_RAN if key in opened}}


def disagreement(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Return the conditions by which the samples of two measurements of one setting must not be pooled.

    Momentary conditions, those of the host, and the image do not count: relevant changes of an image appear in other
    conditions.
    """
    keys = (
        {key for key in first.keys() | second.keys() if not key.startswith("host.")} - _OF_THE_MOMENT - {identity.IMAGE}
    )
    return sorted(key for key in keys if first.get(key) != second.get(key))


def lasting(conditions: Mapping[str, str]) -> dict[str, str]:
    """Return the persistent target conditions, without those of the host and the target's name."""
    ignored = _OF_THE_MOMENT | {"target"}
    return {key: value for key, value in conditions.items() if key not in ignored and not _is_of_host(key)}


def differing_between(
    first: Iterable[Measurement], second: Iterable[Measurement]
) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return the persistent target conditions whose values differ between two targets."""
    known: list[dict[str, dict[str, None]]] = [{}, {}]
    for values, measurements in zip(known, (first, second), strict=True):
        for one in measurements:
            for key, value in one.conditions.items():
                values.setdefault(key, {})[value] = None
    ignored = _OF_THE_MOMENT | {"target"}
    keys = sorted(key for key in known[0].keys() | known[1].keys() if key not in ignored and not _is_of_host(key))
    both = ((key, tuple(known[0].get(key, ())), tuple(known[1].get(key, ()))) for key in keys)
    return [(key, mine, theirs) for key, mine, theirs in both if set(mine) != set(theirs)]


def _is_of_host(key: str) -> bool:
    return key.startswith("host.") and key != "host.faults"


def caveats(run: Run) -> Iterator[Caveat]:
    """Return the caveats by the conditions of a run."""
    if run.plan.emulated:
        yield EmulatedTimes()
    yield from identity.caveats(run)
    yield from (ConditionChanged(condition=key, seen=tuple(known)) for key, known in differing(run).items())
    if "SCHED_OTHER" in _values(run, "scheduler.policy"):
        yield NoRealTimePriority()
    if any("times do not hold" in value for value in _values(run, "clock.frequency")):
        yield ClockMayChange()
    if lost := sum(measurement.checks.get("recovered_doorbells", 0) for measurement in run.measurements):
        yield CoreInterruptsLost(count=lost)
    if any(is_busy(measurement.conditions) for measurement in run.measurements):
        yield MachineBusy()
    if "virtual machine" in _values(run, "cpu.virtualisation"):
        yield OnVirtualMachine()


def cycle_hz(run: Run) -> int | None:
    """Return the cycles per second of a core, if the target reports one rate throughout; else None."""
    return _rate(run, _CYCLE_HZ)


def tick_hz(run: Run) -> int | None:
    """Return the ticks per second of the kernel, if the target reports one rate throughout; else None."""
    return _rate(run, _TICK_HZ)


def _rate(run: Run, key: str) -> int | None:
    known = _values(run, key)
    (text,) = known if len(known) == 1 else ("",)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS and int(text) else None


def _values(run: Run, key: str) -> set[str]:
    return {measurement.conditions.get(key, "") for measurement in run.measurements}


def is_busy(conditions: Mapping[str, str]) -> bool:
    """Whether something else was running on a machine with these conditions when they were noted."""
    try:
        load = float(conditions["os.load_at_start"].split()[0])  # /proc/loadavg: the last minute's average comes first
        return load > _BUSY_LOAD * int(conditions["cores"])
    except (KeyError, IndexError, ValueError):
        return False  # a chip has no load
