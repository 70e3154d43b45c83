"""The findings on a whole run, or on any benchmark."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.finding import Caveat, Finding, Severity
from intercore.record.measurement import Level, SpoilingCheck
from intercore.record.plan import ENOUGH_REPETITIONS
from intercore.statistics.intervals import Interval
from intercore.statistics.precision import Precision, percent
from intercore.text import plural
from intercore.view.quantity import hertz, multiple
from intercore.view.quantity import percent as part_of

Cause: TypeAlias = Literal["wrong", "migrated", "lost", "mistakes", "impossible"]
"""Why a measurement fails: a check, or samples that cannot be."""

CAUSES: dict[Cause, str] = {
    "wrong": "wrong results",
    "migrated": "pinned tasks on other cores",
    "lost": "lost samples",
    "mistakes": "accesses that the chip does not allow",
    "impossible": "impossible samples",
}
"""What each cause is called."""
ESTIMATED = "ESTIMATED"
"""The label of estimated energy."""


# What failed


class MeasurementsFailed(Finding, frozen=True):
    """Measurements of a run failed, so nothing is answered from them."""

    failed: int
    measurements: int
    """Of how many."""
    causes: dict[Cause, int]
    """In how many measurements."""

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def verdict(self) -> str:
        """The word that stands first."""
        return "RESULTS WRONG" if {"wrong", "impossible"} & self.causes.keys() else "MEASUREMENTS FAILED"

    @property
    def how(self) -> str:
        """What stands behind it."""
        causes = "; ".join(f"{CAUSES[cause]}: {count}" for cause, count in self.causes.items())
        return (
            f"{self.failed} of {self.measurements} measurements failed ({causes}). "
            f"{'It is' if self.failed == 1 else 'They are'} in no answer; see the warnings."
        )

    @property
    def sentence(self) -> str:
        return f"{self.verdict}: {self.how}"


Fault: TypeAlias = Literal[
    "below",
    "longer than the measurement",
    "longer than 30 years",
    "no such core",
    "counted too often",
    "at one moment",
    "zero",
    "too short in total",
]
"""Kinds of impossible samples: see `intercore.benchmarks.plausibility`."""


class Impossible(msgspec.Struct, frozen=True):
    """Samples of a series that cannot be."""

    series: str
    """Empty if it is not stored; then `of` is unknown, too."""
    number: int
    """How many."""
    of: int | None
    """Of how many of the series."""
    fault: Fault
    least: int = 0
    """For `below` the minimum of each sample, and for `short in all` that of their sum."""
    worst: int = 0
    """Of `below` the smallest of them."""
    unit: Literal["ticks", "times"] = "ticks"
    """Of `least` and `worst`."""

    def __str__(self) -> str:
        """Return it in words."""
        still = "the clock stands still"
        why = {
            "below": f"below {self.least} (at worst {self.worst:,} {self.unit})",
            "longer than the measurement": "longer than the measurement",
            "longer than 30 years": "longer than 30 years",
            "no such core": "of cores that do not exist",
            "counted too often": "that count more than is possible",
            "at one moment": f"at the same moment: {still}",
            "zero": f"that are 0: {still}",
            "too short in total": f"that are less than {plural(self.least, 'tick')} in total: {still}",
        }[self.fault]
        if self.of is None:
            return f"{plural(self.number, 'sample')} {'is' if self.number == 1 else 'are'} {why}"
        return f"{self.series} has {self.number} of {self.of} samples {why}"


class ImpossibleSamples(Finding, frozen=True):
    """A setting failed, because samples of it cannot be."""

    benchmark: str
    failed: int
    """How many of its repetitions."""
    repetitions: int
    worst: Impossible
    """The series with the most such samples."""
    others: int
    """How many more series there are like that."""

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        which = "its samples" if self.repetitions == 1 else f"{self.failed} of {self.repetitions} repetitions"
        verb = "is" if self.repetitions > 1 and self.failed == 1 else "are"
        more = f", and {self.others} more like that" if self.others else ""
        return (
            f"{self.benchmark} failed: {which} cannot be right and {verb} not analysed. {self.worst}{more}. The "
            "target's clock or its program is wrong."
        )


class MoreImpossibleSamples(Finding, frozen=True):
    """More settings failed than `ImpossibleSamples` are reported."""

    settings: int

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        more = plural(self.settings, "more setting")
        return f"{more} failed for the same reason: intercore show --format json lists them."


# How well numbers are known


class FewRepetitions(Caveat, frozen=True):
    """Settings were measured so few times that intervals do not hold what differs between repetitions."""

    repetitions: int

    @property
    def sentence(self) -> str:
        advice = f"Measure with --repetitions {ENOUGH_REPETITIONS} or more."
        if self.repetitions == 1:
            return (
                "Settings were measured once: their intervals describe this run only, and do not include the "
                f"differences between two runs. {advice}"
            )
        return f"Settings were measured only {self.repetitions} times: their intervals are rough. {advice}"


class ImpreciseSetting(msgspec.Struct, frozen=True):
    """A setting whose medians miss the requested precision."""

    benchmark: str
    factors: dict[str, Level]
    series: Precision
    """The one that is known least well."""

    def __str__(self) -> str:
        """Return it in words."""
        levels = (f"{name}={level}" for name, level in self.factors.items() if name != "seed")
        return f"{' '.join((self.benchmark, *levels))} ({self.series})"


class PrecisionNotReached(Caveat, frozen=True):
    """Settings have all the repetitions that a stop rule allows, and miss its precision."""

    named: ClassVar[int] = 3
    """Settings in the sentence."""

    until: float
    """How well medians were to be known, as a fraction of them."""
    cap: int
    """The most repetitions that are allowed."""
    settings: Annotated[tuple[ImpreciseSetting, ...], Meta(min_length=1)]
    """The one that is known least well first."""

    @property
    def sentence(self) -> str:
        rest = len(self.settings) - self.named
        named = "; ".join([*map(str, self.settings[: self.named]), *([f"and {rest} more"] if rest > 0 else [])])
        return (
            f"The aim was medians to ±{percent(self.until, 10)} %. After {plural(self.cap, 'repetition')}, the "
            f"maximum, {plural(len(self.settings), 'setting')} {'does' if len(self.settings) == 1 else 'do'} not "
            f"reach it: {named}. Take more samples, raise --cap, or measure on a quieter machine."
        )


# Where a benchmark has no analysis


class UnknownBenchmark(Caveat, frozen=True):
    """A run has measurements of a benchmark that this version of Intercore does not know."""

    benchmark: str

    @property
    def sentence(self) -> str:
        return f"This version of Intercore has no analysis of the benchmark {self.benchmark}."


class ProgramRan(Finding, frozen=True):
    """On an emulated chip, a benchmark's program ran, and its checks are right."""

    settings: int
    checked: int
    """Results that were held against the value that they must have."""

    @property
    def sentence(self) -> str:
        settings = "the only setting" if self.settings == 1 else f"all {self.settings:,} settings"
        return f"It ran at {settings}, and all {self.checked:,} checked results are right."


class ProgramFailed(Finding, frozen=True):
    """On an emulated chip, checks of a benchmark's program failed."""

    benchmark: str
    checks: dict[SpoilingCheck, int]
    """How often each failed."""
    mistakes: str | None
    """Accesses of the program that the chip does not allow, as its emulator describes them; None if there are none."""

    @property
    def severity(self) -> Severity:
        return "error" if "wrong" in self.checks else "warning"

    @property
    def sentence(self) -> str:
        counts = ", ".join(f"{check}: {count}" for check, count in self.checks.items())
        why = self.mistakes or (
            "either the program is wrong, or the emulator is: on a busy host it counts ticks late, and some checks "
            "need time (docs/esp32.md, Limits). To distinguish the two, measure this setting alone on an idle host: a "
            "fault of the program appears again"
        )
        return f"{self.benchmark} failed its checks ({counts}): {why}."


# Energy


class EnergyOfCores(Finding, frozen=True):
    """The energy of several cores against one, for the same work."""

    benchmark: str
    one: str
    """What was at work on one core."""
    several: str
    cores: int
    """How many those are."""
    speed_up: float
    at_work: Interval
    """Energy on one core over that on several, for the work alone."""
    with_rest: Interval | None
    """The same where several cores rest until one would have been done; None if power at rest is not known."""
    second_core: Literal["saves", "costs", "unknown"]
    """Whether it saves energy or costs some, by the interval with the rest, or else of the work alone."""
    estimated: bool

    @property
    def sentence(self) -> str:
        verdict = {
            "saves": "a second core saves energy",
            "costs": "a second core costs energy",
            "unknown": "it is not known whether a second core saves energy",
        }[self.second_core]
        estimated = f" ({ESTIMATED})" if self.estimated else ""
        ratio = (self.with_rest or self.at_work).value
        rest = "" if self.with_rest is None else " and then rest until one would have finished"
        alone = "" if self.with_rest is None else f" Without that rest it is {multiple(self.at_work.value)} times."
        return (
            f"{self.benchmark}: the same work takes {multiple(ratio)} times the energy on one core ({self.one}) "
            f"compared with {self.cores} ({self.several}), which do it {multiple(self.speed_up)} times as fast{rest}: "
            f"{verdict}{estimated}.{alone}"
        )


class EnergyPath(Finding, frozen=True):
    """What the energy is of."""

    of: Literal["estimate", "chip", "not stated", "more than the chip"]
    path: str
    """The meter's path, as the user states it; for an estimate, the source of the currents."""

    @property
    def sentence(self) -> str:
        return {
            "estimate": (
                f"{ESTIMATED}: a simulated chip has no current. This is the activity of its cores times the currents "
                f"of {self.path}, and no more accurate than these."
            ),
            "chip": "This is the energy of the chip alone, according to --path chip.",
            "not stated": (
                "The run does not state what the meter feeds in addition to the chip (--path), so this is the energy "
                "of everything that the meter feeds, and not that of the chip."
            ),
            "more than the chip": (
                f"This is the energy of {self.path}, according to --path, and not of the chip alone."
            ),
        }[self.of]


class EnergyMissing(Caveat, frozen=True):
    """The energy of measurements is missing that a meter was to see."""

    missing: int
    """How many measurements lack their energy, for this reason or another."""
    measurements: int
    """Of how many."""
    why: str
    """As the meter or the search for the windows reports it."""

    @property
    def sentence(self) -> str:
        return f"The energy of {self.missing} of {self.measurements} measurements is missing: {self.why}."


# At a rate


class RatePart(Finding, frozen=True):
    """Which part of each core an operation takes."""

    rate_hz: float
    what: str
    parts: dict[str, float]
    """By core, as a fraction."""

    @property
    def sentence(self) -> str:
        parts = " and ".join(f"{part_of(part)} of core {core}" for core, part in self.parts.items())
        more = " It cannot happen so often." if any(part > 1 for part in self.parts.values()) else ""
        return f"What happens at {hertz(self.rate_hz)} takes {parts} if it is a {self.what}.{more}"


class RateOfNothing(Finding, frozen=True):
    """The run has nothing whose time of a core is known."""

    rate_hz: float

    @property
    def severity(self) -> Severity:
        return "warning"

    @property
    def sentence(self) -> str:
        return (
            f"Nothing that was measured has a part of a core at {hertz(self.rate_hz)}: measure message with "
            "measure=overhead, or api."
        )
