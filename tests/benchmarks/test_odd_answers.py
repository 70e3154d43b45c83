"""Whatever a target answers, what is made of it is a document, tables and sentences: no analysis ends in a traceback.

A target may be newer than this tool and know other levels, may be faulty, or may have been stopped half way: series
that are empty, missing, of unequal lengths, negative or huge.
"""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks import registry
from intercore.benchmarks.reports import reports
from intercore.document import run as document
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level

CORES: Sequence[Level] = (0, 1)
KNOWN: Mapping[str, tuple[Mapping[str, Sequence[Level]], Sequence[str]]] = {
    "contention": (
        {
            "preset": ("none", "qiita-table"),
            "task0": ("off", "work"),
            "task1": ("work", "spin"),
            "main": ("block", "spin"),
            "free": (0, 2),
            "yield": ("none", "tick"),
            "discs": (14,),
            "window_ms": (0, 1, 400),
        },
        ("alone.0", "tower.0", "alone.1", "task0.0", "task1.1", "main.1", "free0.0", "free1.1", "ran0.0", "moved0"),
    ),
    "irq": (
        {
            "path": ("timer-handler", "timer-task", "doorbell"),
            "from": CORES,
            "to": CORES,
            "interrupted": ("idle", "kernel"),
        },
        ("latency",),
    ),
    "switch": (
        {
            "primitive": ("notification", "yield"),
            "from": (*CORES, -1, "x"),
            "to": (*CORES, -1, "x"),
            "target": ("idle", "busy"),
            "time": ("common", "aligned", "raw-counter"),
        },
        (
            *("switch", "call", "true", "moment"),
            *(f"{when}.{what}" for when in ("before", "after") for what in ("at", "there", "back")),
        ),
    ),
    "jitter": (
        {
            "core": ("0", "any"),
            "load": ("none", "both", "same-priority"),
            "migrate": ("none", "affinity", "unsynchronised", "published"),
            "wake": ("kept", "reset"),
            "time": ("common", "raw-counter"),
            "period_us": (1000, 10_000),
        },
        ("late", "core", "period", "raw", "begins", "late.counts", "longer.counts", "shorter.counts", "extremes"),
    ),
    "api": (
        {
            "call": ("give", "send", "nothing"),
            "size": (1, 64),
            "core": CORES,
            "other": ("none", "same", "spin"),
            "batch": (0, 1),
        },
        ("call",),
    ),
    "rhealstone": (
        {"component": ("preemption", "message-latency"), "form": ("same", "cross"), "core": CORES},
        ("time",),
    ),
    "threadmetric": (
        {"test": ("basic", "message"), "form": ("same", "cross"), "core": CORES, "window_ms": (50,)},
        ("count", "window", "least", "most"),
    ),
    "hartstone": (
        {"placement": ("one-core", "free"), "load": (50, 0, 2**32 - 1), "period_us": (10_000, 1)},
        ("alone", *(f"{of}.{task}" for of in ("response", "missed") for task in range(5))),
    ),
    "lock": (
        {
            "measure": ("hand-off", "contention", "ping-pong"),
            "lock": ("mutex", "atomic-add"),
            "from": CORES,
            "to": CORES,
            "cores": (1, 2, 2**32 - 1),
            "hold": (10,),
            "pause": (10,),
            "rounds": (32,),
            "batch": (0, 100),
        },
        ("there", "back", "bout", "taken.0", "taken.1", "round_trips"),
    ),
    "memory": (
        {
            "access": ("read", "copy"),
            "region": ("ram", "l1"),
            "core": CORES,
            "other": ("none", "read"),
            "other_region": ("ram", "l1"),
            "bytes": (0, 64, 65536),
        },
        ("alone", "contended"),
    ),
    "clock": ({"from": CORES, "to": CORES}, ("interval", "true")),
    "launch": ({"what": ("task", "core"), "cache": ("warm", "cold")}, ("launch", "call")),
    "outage": (
        {
            "op": ("both", "erase"),
            "safe": ("lockout", "unsafe"),
            "other": ("ram", "task"),
            "from": CORES,
            "pages": (1,),
        },
        ("longest", "missed", "own", "behind", "gave_up", "stuck", "prepare", "write", "restore", "entry", "wake"),
    ),
}
"""Levels and series of each benchmark; to each factor comes a level that this tool does not know."""
CHECKS = (
    "done",
    "checked",
    "wrong",
    "migrated",
    "lost",
    "preempted",
    "migrations_requested",
    "migrations_done",
    "interrupted",
)

COUNTS = st.sampled_from([0, 1, 7, 2**32 - 1])
TICKS = st.one_of(
    st.lists(st.integers(1, 10_000), max_size=40),
    st.lists(st.sampled_from([0, 1, -1, -(2**62), 2**62]), max_size=3),
)


@st.composite
def measurements(draw: st.DrawFn, benchmark: str) -> Measurement:
    levels, names = KNOWN[benchmark]
    factors = {
        name: draw(st.sampled_from([*some, *(["unheard-of"] if isinstance(some[0], str) else [])]))
        for name, some in {**levels, "samples": (1, 20), "opt": ("O2", "O3")}.items()
    }
    held = [name for name in (*names, "timestamp_overhead.0") if draw(st.integers(0, 9))]
    hz = draw(st.sampled_from([1_000_000_000, 125_000_000, 1]))
    return Measurement(
        benchmark=benchmark,
        factors=factors,
        repetition=0,
        series=tuple(Series(name, "common", hz, np.array(draw(TICKS), np.int64)) for name in held),
        conditions={
            "clock.sys_hz": draw(st.sampled_from(["125000000", "0", "²", "x"])),
            "clock.counter_bits": draw(st.sampled_from(["16", "64", "0", "65", "²", "x"])),
            "cores": draw(st.sampled_from(["1", "2", "x"])),
        },
        checks={name: draw(COUNTS) for name in CHECKS if draw(st.integers(0, 9))},
        started="2026-01-01T00:00:00+00:00",
    )


@pytest.mark.parametrize("benchmark", [name for name in KNOWN if name in registry.names()])
@given(data=st.data())
@settings(max_examples=30)
def test_odd_answers_make_a_document_and_tables(benchmark: str, data: st.DataObject) -> None:
    found = tuple(data.draw(st.lists(measurements(benchmark), max_size=3)))
    plan = Plan("host", None, benchmark, (Part(benchmark, {}),))
    run = Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(found), found)
    json.dumps(msgspec.to_builtins(document.run_document(reports(run))), allow_nan=False)
    (report,) = reports(run).reports
    for table in report.section.tables:
        print_table(table, Console(file=StringIO(), width=100))
