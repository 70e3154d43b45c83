"""A run as one JSON document: docs/json.md describes it, schema/run.schema.json defines it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks import failed, registry, stop_rule
from intercore.benchmarks.published import published
from intercore.benchmarks.reports import benchmark_answers, run_caveats
from intercore.statistics.intervals import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.published import Publication
    from intercore.benchmarks.reports import ReportedRun
    from intercore.record.measurement import Measurement, Run, Series
    from intercore.view.section import Report

SCHEMA = 3
"""Version of the shape. 1: the first. 2: `ratios` of `switch` and `comparisons` of `irq` are of one direction each.
3: keys have the names of docs/glossary.md; docs/json.md lists the renamed ones."""


def run_document(reported: ReportedRun) -> dict[str, object]:
    """Return the document: the run's conditions, a summary of each series, and the analysis of each benchmark."""
    run, found = reported.run, reported.reports
    of_run, failure = run_caveats(run), failed.headline(run)
    return {
        "schema": SCHEMA,
        "run": run.id,
        "target": run.plan.target,
        "simulated": run.plan.simulated,
        "emulated": run.plan.emulated,
        "started": run.started,
        "tool": run.tool,
        "complete": run.complete,
        "failed": None if failure is None else failure.text,
        "stop": stop_rule.to_json(run),
        "conditions": _shared_conditions(run),
        "measurements": [
            row
            for measurement, faults in zip(run.measurements, failed.faults(run), strict=True)
            for row in _measurement_rows(run, measurement, faults)
        ],
        "analysis": {
            **({"answers": msgspec.to_builtins(known)} if (known := benchmark_answers(found)) else {}),
            **{key: value for report in found for key, value in report.json.items()},
        },
        "findings": [
            *({"benchmark": None, **one.to_json()} for one in (failure, *of_run) if one is not None),
            *({"benchmark": report.benchmark, **one.to_json()} for report in found for one in report.findings),
        ],
        "publications": [_publication(table, found) for table in _publications(run)],
        "warnings": [one.text for one in (*of_run, *(one for report in found for one in report.caveats))],
    }


def _publications(run: Run) -> list[Publication]:
    """Return the publications on what the run's benchmarks measure."""
    kinds = [registry.benchmark(name).load_publication for name in run.plan.benchmarks if name in registry.names()]
    return [table for kind in kinds if kind is not None for table in published(kind())]


def _publication(table: Publication, found: Sequence[Report]) -> dict[str, object]:
    """Return a publication's numbers, and the run's verdicts on its findings."""
    known = msgspec.to_builtins(table)
    verdicts = {
        verdict: None
        for report in found
        for exhibit in report.exhibits
        for verdict in exhibit.verdicts
        if verdict.publication == table.id
    }
    return {
        **{name: known[name] for name in ("id", "label", "benchmark", "source", "conditions", "figures")},
        "verdicts": msgspec.to_builtins(list(verdicts)),
    }


def _shared_conditions(run: Run) -> dict[str, object]:
    """Each condition's value, or the list of its values where the measurements of the run differ in it."""
    values: dict[str, list[str]] = {}
    for measurement in run.measurements:
        for key, value in measurement.conditions.items():
            known = values.setdefault(key, [])
            if value not in known:
                known.append(value)
    return {key: known[0] if len(known) == 1 else known for key, known in sorted(values.items())}


def _measurement_rows(run: Run, measurement: Measurement, faults: list[str]) -> list[dict[str, object]]:
    without = bool(faults) or run.plan.emulated
    return [
        {
            "benchmark": measurement.benchmark,
            "factors": dict(measurement.factors),
            "repetition": measurement.repetition,
            "series": series.name,
            "unit": "ns" if series.unit == "tick" else series.unit,
            "n": len(series.ticks),
            "summary": None if without else _summary(series),
            "timestamp_overhead_ns": {}
            if without
            else {str(core): cost for core, cost in measurement.timestamp_overhead_ns.items()},
            "checks": dict(measurement.checks),
            "failed": faults,
        }
        for series in measurement.series
        if not series.is_beside and len(series.ticks)
    ]


def _summary(series: Series) -> dict[str, object] | None:
    """Summarise a series in the unit of its row; None for moments, whose origin is arbitrary."""
    if series.unit == "moment":
        return None
    found = summary(series.ns if series.unit == "tick" else series.ticks)
    return {name: value for name, value in msgspec.to_builtins(found).items() if name != "n"}
