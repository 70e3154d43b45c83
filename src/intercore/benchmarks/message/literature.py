"""What publications say of a factor, beside what that factor does here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.message.curve import MEASURES, Measure, observations
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.published import published
from intercore.record.measurement import Level
from intercore.statistics.factors import analyse_factors
from intercore.view.quantity import percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.message.curve import Curve
    from intercore.benchmarks.message.publication import Meaning, MessageFinding
    from intercore.statistics.factors import FactorAnalysis, FactorEffect

NAMES: Mapping[Meaning, tuple[str, ...]] = {
    "optimisation": ("opt",),
    "shared-memory": ("region", "shared"),
    "slower-clock": ("m4_mhz", "clock_mhz"),
    "faster-clock": ("m7_mhz", "clock_mhz"),
    "instruction-cache": ("icache",),
    "data-cache": ("dcache",),
}
"""What targets call a factor. Where both cores have one clock it is that of either."""

_CHIP = "chip"  # condition


class MessageFindingLevel(msgspec.Struct, frozen=True):
    """What a level does here."""

    level: Level
    times: Annotated[float, Meta(gt=0)]
    """The time of a message as a multiple of its geometric mean over the levels: less is better."""


class MessageFindingHere(msgspec.Struct, frozen=True):
    """What a publication says of a factor, and what that factor does in this run."""

    publication: str
    """Its `id`."""
    place: str
    """Where it stands there."""
    text: str
    """What it says."""
    measure: Measure
    factor: str
    """As it is called here; of several that always change together, all of them."""
    explains: Annotated[float, Meta(ge=0, le=1)]
    """Its share of all variation here."""
    levels: tuple[MessageFindingLevel, ...]
    """From the best to the worst."""

    @property
    def words(self) -> str:
        """What the factor does here, as a clause."""
        levels = ", ".join(f"{level.level} {significant(level.times)}" for level in self.levels)
        what = "the latency" if self.measure == "latency" else "the time per message of a stream"
        share = percent(self.explains)
        return f"{self.factor} explains {share} of the variation in {what}; relative to the mean: {levels}"


def findings_here(
    found: Sequence[Curve], effects: Mapping[Measure, FactorAnalysis | None]
) -> tuple[MessageFindingHere, ...]:
    """Return what is published of each factor that has several levels here, as far as it can be held against this."""
    return tuple(
        here
        for table in published(MessagePublication)
        for finding in table.figures.findings
        for measure in MEASURES
        if measure in finding.measures
        for here in _here(table, finding, measure, _effects(table, finding, measure, found, effects))
    )


def _effects(
    table: MessagePublication,
    finding: MessageFinding,
    measure: Measure,
    found: Sequence[Curve],
    effects: Mapping[Measure, FactorAnalysis | None],
) -> FactorAnalysis | None:
    """Return what factors explain of a measure; in one direction only, if the finding speaks of that."""
    if finding.direction is None:
        return effects[measure]
    if not is_its_chip(table, found):
        return None
    to_slower = finding.direction == "to-slower"
    ours = [
        one
        for one in found
        if one.measure == measure and (one.setting["to"] == table.figures.slower_core) == to_slower
        if one.setting["from"] != one.setting["to"]
    ]
    return analyse_factors(observations(ours))


def is_its_chip(table: MessagePublication, found: Sequence[Curve]) -> bool:
    """Tell whether all was measured on the chip of a publication: on another one, no core is the slower one."""
    chips = {
        one.conditions.get(_CHIP, "") for curve in found for pool in curve.measurements.values() for one in pool
    }  # fmt: skip
    return bool(chips) and all(chip.upper().startswith(table.conditions["chip"].upper()) for chip in chips)


def _here(
    table: MessagePublication, finding: MessageFinding, measure: Measure, known: FactorAnalysis | None
) -> Iterator[MessageFindingHere]:
    told = set()
    claim = table.claim(finding)
    for meaning in finding.about:
        effect = _effect_of(meaning, known)
        if effect is not None and effect.factors not in told:
            told.add(effect.factors)
            levels = sorted(effect.levels, key=lambda one: one.times.value)
            yield MessageFindingHere(
                table.id,
                claim.place,
                claim.text,
                measure,
                effect.factors[0],
                effect.eta_squared,
                tuple(MessageFindingLevel(_once(one.level), one.times.value) for one in levels),
            )


def _effect_of(meaning: Meaning, known: FactorAnalysis | None) -> FactorEffect | None:
    """Return the effect of the factor with this meaning, alone or with those that always change with it."""
    single = [one for one in known.effects if len(one.factors) == 1] if known else []
    return next((one for one in single if set(one.factors[0].split(", ")) & set(NAMES[meaning])), None)


def _once(level: Level) -> Level:
    """Return a level of several factors as one if it is the same of all: `d2, d2` as `d2`."""
    parts = str(level).split(", ")
    return parts[0] if len(parts) > 1 and len(set(parts)) == 1 else level
