"""Checks of a publication's findings against a run, within the scope of the run's chip and kernel.

A time of another chip does not confirm or contradict a printed one. A finding about a kernel can be checked wherever
that kernel runs, but another chip never contradicts it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from intercore.record.conditions import cycle_hz
from intercore.statistics.intervals import Interval
from intercore.view.quantity import bounds, duration, duration_bounds
from intercore.view.section import whose

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.benchmarks.published import Scope
    from intercore.record.measurement import Run
    from intercore.view.exhibit import Outcome

_KERNEL = "freertos."
"""Prefix of the conditions of this kernel."""


ENOUGH = 59
"""Values, of which none is beyond a bound: at most 5 % are, with 95 % confidence."""


class ClaimResult(NamedTuple):
    """The verdict of a run on a finding."""

    outcome: Outcome
    because: str
    """The evidence, or why the run is inconclusive: a sentence."""


def cannot_tell(why: str) -> ClaimResult:
    """Return that a run is inconclusive about a finding."""
    return ClaimResult("cannot tell", why)


def within_scope(scope: Scope, said: tuple[Outcome, str], chip: str, kernel: str = "") -> ClaimResult:
    """Return the verdict of a run on a finding within the finding's scope.

    `chip` names a chip that is not the publication's, and `kernel` has the reason why the run has no verdict on its
    kernel; both are empty otherwise. A finding about a kernel is not checked without it. Another chip contradicts no
    finding. It may agree, but not with a finding about the publication's chip alone. Its numbers are still shown.
    """
    known = ClaimResult(*said)
    if scope == "kernel" and kernel:
        return cannot_tell(kernel)
    if not chip or known.outcome == "cannot tell":
        return known
    if scope == "chip":
        return cannot_tell(
            f"{known.because} The finding is about the publication's chip: another one, {chip}, cannot tell."
        )
    if known.outcome == "contradicts":
        return cannot_tell(f"{known.because} But {chip} is not the publication's chip, so this is no contradiction.")
    return known


def of_its_kernel(said: ClaimResult, kernel: str) -> ClaimResult:
    """Return the verdict on a finding about a kernel: inconclusive, with the reason, if the run has another one."""
    return cannot_tell(f"{said.because} {kernel}") if kernel else said


def outcome(known: Interval, *, least: float = -math.inf, most: float = math.inf) -> Outcome:
    """Return whether a number is within the bounds of a publication's finding.

    Its interval decides: all of it within the bounds agrees, all of it beyond one of them contradicts. An interval
    that contains a bound is inconclusive, and so is a number without an interval.
    """
    if known.low is None or known.high is None:
        return "cannot tell"
    if known.high < least or known.low > most:
        return "contradicts"
    return "agrees" if least <= known.low and known.high <= most else "cannot tell"


def quotient(first: Interval, second: Interval) -> Interval:
    """Return one number above 0 over another one, as far as their intervals tell: no narrower than it is known."""
    if first.low is None or first.high is None or not second.low or second.high is None:
        return Interval(first.value / second.value)
    return Interval(first.value / second.value, first.low / second.high, first.high / second.low)


def difference(first: Interval, second: Interval) -> Interval:
    """Return one number less another one, likewise."""
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Interval(value)
    return Interval(value, first.low - second.high, first.high - second.low)


def in_words(known: Interval, text: Callable[[float], str], unit: str = "") -> str:
    """Return a number with its interval: `1.90 (1.85 – 1.95)`; bounds that read as the value are left out."""
    value = text(known.value)
    span = bounds(known, text)
    return f"{value}{unit}" + ("" if span in ("", f"{value} – {value}") else f" ({span})")


def time_in_words(known: Interval) -> str:
    """Return a time given in µs likewise: `1.23 ms (1.20 – 1.31)`."""
    text, span = duration(known.value), duration_bounds(known)
    number = text.partition(" ")[0]
    return text if span in ("", f"{number} – {number}") else f"{text} ({span})"


def to_a_tick(us: float) -> str:
    """Return a time given in µs as a bound: `8.00 ns`, or `a tick of the clock` where the clock has seen none."""
    return duration(us) if us else "a tick of the clock"


def inference(printed_ms: float, likely: str, benchmark: str) -> str:
    """Return the note that a printed time is likely something else, and where a page of ours shows that."""
    return (
        f"Our inference, which the paper does not print: {printed_ms:,.3f} ms is likely {likely}. docs/benchmarks/"
        f"{benchmark}.md of Intercore says from what that follows, and docs/esp32.md what to run on a board."
    )


# Whether a run is of what was measured


def no_times(run: Run) -> str:
    """Return why a run's times say nothing at all: a sentence, or empty if they do."""
    return "The times of an emulated chip are no measurement." if run.plan.emulated else ""


def another_chip(run: Run, chip: str, hz: int) -> str:
    """Return why a run's times are not to be held against those of a chip at a rate: a sentence, or empty if they are.

    `chip` is a name as `ESP32`, which `ESP32-S3` and `ESP32S3` are not.
    """
    if no_times(run):
        return no_times(run)
    named = _named(run)
    if run.plan.origin == "measured" and is_chip(run, chip) and cycle_hz(run) == hz:
        return ""
    rate = cycle_hz(run)
    at = f" at {rate / 1e6:g} MHz" if rate else ""
    return (
        f"{whose(run)} has another chip than the paper: {' and '.join(sorted(named))}{at}, not {chip} at "
        f"{hz / 1e6:g} MHz. So its times are not held against the printed ones."
    )


def other_chip(run: Run, chip: str, hz: int) -> str:
    """Return the name of a run's chip if its times are not to be held against those of a chip at a rate; else empty."""
    return " and ".join(sorted(_named(run))) if another_chip(run, chip, hz) else ""


def is_chip(run: Run, chip: str) -> bool:
    """Whether all was measured on such a chip: `ESP32`, which `ESP32-S3` and `ESP32S3` are not."""
    named, like = _named(run), re.compile(rf"\b{re.escape(chip)}\b(?!-[A-Z]\d\b)")
    return bool(named) and all(map(like.search, named))


def chip_name(run: Run) -> str:
    """Return what a run's chip is called: of a computer its processor, of a target that tells neither its own name."""
    conditions = run.measurements[0].conditions if run.measurements else {}
    return conditions.get("chip") or conditions.get("cpu.model") or run.plan.target


def _named(run: Run) -> set[str]:
    return {one.conditions.get("chip", "a chip without a name") for one in run.measurements}


def another_kernel(run: Run) -> str:
    """Return why a run says nothing of FreeRTOS: a sentence, or empty if it does."""
    if no_times(run):
        return no_times(run)
    if all(any(key.startswith(_KERNEL) for key in one.conditions) for one in run.measurements):
        return ""
    return f"{whose(run)} does not run FreeRTOS."
