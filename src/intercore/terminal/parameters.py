"""The benchmarks of a target with their parameters, and what the target itself can be built with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.terminal.findings import PlainRows, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.board.factors import Factor
    from intercore.link.session import BenchmarkInfo
    from intercore.terminal.findings import Part, Row

_TOLD = ("name", "kind", "default", "min", "max", "choices", "help")
"""The target's description of a parameter."""


@dataclass(frozen=True)
class ParametersFindings:
    """The description of a target's benchmarks."""

    target: str
    benchmarks: Sequence[BenchmarkInfo]
    factors: Sequence[Factor]
    """Of the target, given like parameters; for all its benchmarks."""

    def document(self) -> object:
        """Return the rows."""
        return self.rows()

    def rows(self) -> Sequence[Row]:
        """Return all parameters of all benchmarks, then the factors."""
        rows: list[Row] = [
            {"benchmark": benchmark.name, **{name: getattr(parameter, name) for name in _TOLD}}
            for benchmark in self.benchmarks
            for parameter in benchmark.parameters
        ]
        return rows + [_factor_row(factor) for factor in self.factors]

    def text(self) -> Iterator[Part]:
        """Yield a table for each benchmark, or why the target refuses it, then one of the factors."""
        for benchmark in self.benchmarks:
            if benchmark.refused:
                yield Sentence(f"{benchmark.name}: {benchmark.refused}")
                continue
            parameters = [
                {
                    "factor": parameter.name,
                    "values": "|".join(parameter.choices) or f"{parameter.min} to {parameter.max}",
                    "default": parameter.default,
                    "meaning": parameter.help,
                }
                for parameter in benchmark.parameters
            ]
            yield from PlainRows(f"{benchmark.name}: {benchmark.summary}", parameters).text()
        if self.factors:
            known = [
                {"factor": factor.name, "values": factor.values, "default": factor.default, "meaning": factor.title}
                for factor in self.factors
            ]
            title = f"{self.target}: for all its benchmarks, given like their parameters"
            yield from PlainRows(title, known).text()


def _factor_row(factor: Factor) -> Row:
    """Return a factor as a row of a parameter; `benchmark` is None: it is for all."""
    numbers = isinstance(factor.default, int)
    return {
        "benchmark": None,
        "name": factor.name,
        "kind": "integer" if numbers else "choice",
        "default": factor.default,
        "min": factor.levels[0] if numbers else None,
        "max": factor.levels[-1] if numbers else None,
        "choices": [] if factor.is_range else list(factor.levels),
        "help": factor.title,
    }
