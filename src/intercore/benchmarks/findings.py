"""What may be found of a run as a whole, or of any benchmark, and how that is worded."""

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
from intercore.view.quantity import multiple

Cause: TypeAlias = Literal["wrong", "migrated", "lost", "mistakes", "impossible"]
"""Why a measurement fails: a check, or samples that cannot be."""

CAUSES: dict[Cause, str] = {
    "wrong": "wrong results",
    "migrated": "a task on a core that it was not pinned to",
    "lost": "lost samples",
    "mistakes": "what the chip would not forgive",
    "impossible": "impossible samples",
}
"""What each cause is called."""
ESTIMATED = "ESTIMATED"
"""What energy is called that no meter saw."""


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
            f"{self.failed} of {self.measurements} measurements failed ({causes}). Nothing is answered from "
            f"{'it' if self.failed == 1 else 'them'}; see the warnings."
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
    "short in all",
]
"""What cannot be of samples: see `intercore.benchmarks.possible`."""


class Impossible(msgspec.Struct, frozen=True):
    """Samples of a series that cannot be."""

    series: str
    """Empty where it is not known any more; then nor is `of`."""
    number: int
    """How many."""
    of: int | None
    """Of how many of the series."""
    fault: Fault
    least: int = 0
    """Of `below` what none may be below, and of `short in all` what their sum may not be below."""
    worst: int = 0
    """Of `below` the smallest of them."""
    unit: Literal["ticks", "times"] = "ticks"
    """Of `least` and `worst`."""

    def __str__(self) -> str:
        """Return it in words."""
        still = "the clock stands still"
        why = {
            "below": f"below {self.least} (at worst {self.worst:,} {self.unit})",
            "longer than the measurement": "longer than the measurement took",
            "longer than 30 years": "longer than 30 years",
            "no such core": "of cores that there are not",
            "counted too often": "that count more than there can have been",
            "at one moment": f"at the same moment: {still}",
            "zero": f"that are 0: {still}",
            "short in all": f"that are less than {plural(self.least, 'tick')} in all: {still}",
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
            f"{self.benchmark} failed: {which} cannot be right and {verb} not analysed. {self.worst}{more}. The clock "
            "that the target reads, or its program, is wrong."
        )


class MoreImpossibleSamples(Finding, frozen=True):
    """More settings failed than `ImpossibleSamples` are reported."""

    settings: int

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return f"{plural(self.settings, 'more setting')} failed in the same way: intercore show --format json."


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


class Imprecise(msgspec.Struct, frozen=True):
    """A setting whose medians are not known as well as asked."""

    benchmark: str
    factors: dict[str, Level]
    series: Precision
    """The one that is known least well."""

    def __str__(self) -> str:
        """Return it in words."""
        levels = (f"{name}={level}" for name, level in self.factors.items() if name != "seed")
        return f"{' '.join((self.benchmark, *levels))} ({self.series})"


class PrecisionNotReached(Caveat, frozen=True):
    """Settings have all the repetitions that a stop rule allows, and are not known as well as it asks."""

    named: ClassVar[int] = 3
    """Settings in the sentence."""

    until: float
    """How well medians were to be known, as a fraction of them."""
    cap: int
    """The most repetitions that are allowed."""
    settings: Annotated[tuple[Imprecise, ...], Meta(min_length=1)]
    """The one that is known least well first."""

    @property
    def sentence(self) -> str:
        rest = len(self.settings) - self.named
        named = "; ".join([*map(str, self.settings[: self.named]), *([f"and {rest} more"] if rest > 0 else [])])
        return (
            f"Medians were to be known to ±{percent(self.until, 10)} %. After {plural(self.cap, 'repetition')}, the "
            f"most allowed, {plural(len(self.settings), 'setting')} {'is' if len(self.settings) == 1 else 'are'} not: "
            f"{named}. Take more samples, raise --cap, or measure on a quieter machine."
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
        settings = "the one setting" if self.settings == 1 else f"all {self.settings:,} settings"
        return f"It ran at {settings}, and none of the {self.checked:,} results that were checked is wrong."


class ProgramFailed(Finding, frozen=True):
    """On an emulated chip, checks of a benchmark's program failed."""

    benchmark: str
    checks: dict[SpoilingCheck, int]
    """How often each failed."""
    mistakes: str | None
    """What the chip would not forgive of what the program did, as its emulator describes it; None if nothing."""

    @property
    def severity(self) -> Severity:
        return "error" if "wrong" in self.checks else "warning"

    @property
    def sentence(self) -> str:
        counts = ", ".join(f"{check}: {count}" for check, count in self.checks.items())
        why = self.mistakes or (
            "either the program is wrong, or the emulator is: where a busy machine keeps it waiting, it counts a tick "
            "late, and some checks need time (docs/esp32.md, Limits). To distinguish the two, measure this setting "
            "alone on an idle machine: a fault of the program comes again"
        )
        return f"{self.benchmark} failed its checks ({counts}): {why}."


# Energy


class EnergyOfCores(Finding, frozen=True):
    """What several cores take in energy beside one, at the same work."""

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
            "unknown": "whether a second core saves energy cannot be told",
        }[self.second_core]
        estimated = f" ({ESTIMATED})" if self.estimated else ""
        ratio = (self.with_rest or self.at_work).value
        rest = "" if self.with_rest is None else " and then rest until one would have been done"
        alone = "" if self.with_rest is None else f" Without that rest it is {multiple(self.at_work.value)} times."
        return (
            f"{self.benchmark}: the same work takes {multiple(ratio)} times the energy on one core "
            f"({self.one}) that it takes on {self.cores} ({self.several}), which do it {multiple(self.speed_up)} times "
            f"as fast{rest}: {verdict}{estimated}.{alone}"
        )


class EnergyPath(Finding, frozen=True):
    """What the energy is of."""

    of: Literal["estimate", "chip", "not stated", "more than the chip"]
    path: str
    """What the meter's path holds, as the user says; of an estimate, whose currents it takes."""

    @property
    def sentence(self) -> str:
        return {
            "estimate": (
                f"{ESTIMATED}: a simulated chip has no current. This is the activity of its cores times the currents "
                f"of {self.path}, and no better than they are."
            ),
            "chip": "This is the energy of the chip alone, as the user says of the meter's path (--path chip).",
            "not stated": (
                "What the meter feeds besides the chip was not stated (--path), so none of this is the chip's energy: "
                "it is that of all that the meter feeds."
            ),
            "more than the chip": (
                f"This is the energy of {self.path}, as the user says of the meter's path, and not of the chip alone."
            ),
        }[self.of]


class EnergyMissing(Caveat, frozen=True):
    """The energy of measurements is missing that a meter was to see."""

    missing: int
    """How many measurements lack their energy, for this reason or another."""
    measurements: int
    """Of how many."""
    why: str
    """As the meter or the search for the windows says it."""

    @property
    def sentence(self) -> str:
        return f"The energy of {self.missing} of {self.measurements} measurements is missing: {self.why}."
