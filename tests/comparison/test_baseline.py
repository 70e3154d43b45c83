"""Baselines: what is kept of a run, that it is read as it was written, and what is said of a file that was edited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercore.comparison import baseline_file
from intercore.comparison.analysis import compare_sides
from intercore.comparison.baseline import of_runs
from intercore.comparison.quantities import KeptMeasurement
from intercore.errors import IntercoreError, UsageError
from intercore.record.findings import KernelsDiffer, KernelsOfOne
from intercore.record.identity import kernel_name
from tests.comparison.compared_runs import in_runs, measured, run

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Measurement, Run

CONDITIONS = {"compiler": "GNU 12.2", "freertos.sources": "a1, unmodified", "image.digest": "b2", "host.link": "here"}
SMALL = (
    '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
    '{"kind":"condition","name":"compiler","value":"GNU 12.2"}\n'
    '{"kind":"series","benchmark":"switch","factors":{"from":0,"to":1},"series":"switch","unit":"us",'
    '"n":10,"median":12.5,"min":12.0,"max":13.0}\n'
)


def repeated(median: float, repetitions: int = 5, **factors: int) -> list[Measurement]:
    rng = np.random.default_rng(5)
    return [
        measured([round(one) for one in rng.normal(median + at, 20, 300)], conditions=CONDITIONS, **factors)
        for at in range(repetitions)
    ]


def kept(made: Run) -> str:
    return baseline_file.text_of(of_runs([made]))


def test_what_is_compared_with_a_baseline_is_as_if_it_were_compared_with_its_run() -> None:
    before = in_runs(run("host", *repeated(1000, to=0), *repeated(2000, to=1), simulated=False))
    after = in_runs(run("host", *repeated(1100, to=0), *repeated(2000, to=1), simulated=False))
    read = baseline_file.parse(kept(before), "before.txt")
    of_file, of_run_ = compare_sides([read], [after]), compare_sides([before], [after])
    assert of_file.pairs == of_run_.pairs
    assert [pair.verdict for pair in of_file.pairs] == ["slower", "same"]
    assert (of_file.first.name, of_file.first.baseline, of_file.first.runs) == ("before.txt", "before.txt", ())
    assert of_file.answer == (of_run_.answer[0].replace(f"run {before.id} of host", "before.txt"),)


def test_a_run_of_nothing_but_differences_of_counters_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match=r"cannot be a baseline: switch .*time=common"):
        of_runs([run("pico-sim", measured([10] * 9, time="aligned", conditions=CONDITIONS))])


def test_a_file_is_the_same_whatever_the_order_of_measuring_and_after_it_was_read() -> None:
    one, other = measured([10] * 9, to=0, conditions=CONDITIONS), measured([12] * 9, to=1, conditions=CONDITIONS)
    text = kept(run("pico-sim", one, other))
    assert kept(run("pico-sim", other, one)) == text
    assert baseline_file.text_of(baseline_file.parse(text, "x.txt")) == text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["factors"], line["median"]) for line in lines if line["kind"] == "series"] == [
        ({"to": 0}, 10.0),
        ({"to": 1}, 12.0),
    ]
    names = {line["name"] for line in lines if line["kind"] == "condition"}
    assert "compiler" in names
    assert "host.link" not in names, "says where it was measured, and not how fast"


STREAM = {"measure": "throughput", "size": 1024, "messages": 100}
SAMPLES = st.lists(st.integers(1, 2**40) | st.integers(1, 3), min_size=1, max_size=300)


@given(st.lists(SAMPLES, min_size=1, max_size=4), st.booleans())
@example([[29, 29, 29]], True)  # 1 / (1 / x) is not x
@example([[1] * 90 + [2] * 10], True)
def test_any_run_can_be_saved_and_its_statistics_are_in_order(repetitions: list[list[int]], streams: bool) -> None:
    series, factors = ("window", STREAM) if streams else ("latency", {"measure": "latency", "size": 1024})
    made = run("pico-sim", *(measured(ticks, "message", series, CONDITIONS, **factors) for ticks in repetitions))
    read = baseline_file.parse(kept(made), "x.txt")
    assert baseline_file.text_of(read) == kept(made)
    (setting,) = read.measurements
    assert isinstance(setting, KeptMeasurement)
    for known in setting.quantities.values():
        assert known.least <= min(known.medians.each)
        assert max(known.medians.each) <= known.largest
        whole = known.medians.whole
        in_order = [known.least, whole.value, *(one.value for one in known.percentiles.values()), known.largest]
        assert in_order == sorted(in_order)
        assert whole.low is None or whole.low <= whole.value
        assert whole.high is None or whole.value <= whole.high


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = kept(run("host", *repeated(1000)))
    path = tmp_path / "x.txt"
    path.write_text(older)
    monkeypatch.setattr(baseline_file, "text_of", lambda _: SMALL.replace('"max":13.0', '"max":12.2'))
    with pytest.raises(IntercoreError, match=r"x\.txt was not written.*median=12\.5 is above max=12\.2"):
        baseline_file.write(baseline_file.parse(SMALL, "x.txt"), path)
    assert path.read_text() == older


def test_percentiles_that_can_be_told_are_kept_with_their_intervals() -> None:
    read = baseline_file.parse(kept(run("host", *repeated(1000), simulated=False)), "x.txt")
    (known,) = read.measurements[0].quantities.values()  # type: ignore[attr-defined]
    assert known.percentiles.keys() == {"p90"}, "of p99, 15 samples lie beyond, which know as much as fewer than 10"
    assert known.percentiles["p90"].low < known.percentiles["p90"].value < known.percentiles["p90"].high
    assert len(known.medians.each) == 5


def test_a_condition_that_follows_from_the_build_stands_by_its_build() -> None:
    both = [measured([9] * 9, opt=opt, conditions={"compiler.flags": f"-{opt}", "chip": "x"}) for opt in ("O2", "O3")]
    text = kept(run("pico-sim", *both))
    conditions = [json.loads(line) for line in text.splitlines()[1:4]]
    assert [(one["name"], one["value"], one.get("build")) for one in conditions] == [
        ("chip", "x", None),
        ("compiler.flags", "-O2", {"opt": "O2"}),
        ("compiler.flags", "-O3", {"opt": "O3"}),
    ]
    read = baseline_file.parse(text, "x.txt")
    assert [one.conditions["compiler.flags"] for one in read.measurements] == ["-O2", "-O3"]


@pytest.mark.parametrize("text", ["0", "two\nlines", '"', "\u2028", "rpmsg-char:/dev/rpmsg0"])
def test_a_text_is_read_as_it_was_whatever_it_holds(text: str) -> None:
    read = baseline_file.parse(kept(run("x", measured([1] * 6, conditions={"compiler": text}, core=text))), "x.txt")
    assert read.measurements[0].factors == {"core": text}
    assert read.measurements[0].conditions == {"compiler": text}


def test_another_kernel_compiler_or_clock_than_the_baselines_is_told_before_any_number() -> None:
    before = run("pico-sim", measured([10] * 9, conditions={**CONDITIONS, "clock.sys_hz": "125000000"}))
    other = {"compiler": "GNU 13", "freertos.sources": "c3, modified", "clock.sys_hz": "48000000"}
    after = run("pico-sim", measured([12] * 9, conditions=other))
    found = compare_sides([baseline_file.parse(kept(before), "b.txt")], [after])
    of_each = zip(("b.txt", after.title), (before, after), strict=True)
    kernels = (KernelsOfOne(name, (kernel_name(one.measurements[0].conditions),)) for name, one in of_each)
    assert found.identities[0] == KernelsDiffer(target="pico-sim", runs=tuple(kernels)).text
    (deciding,) = found.deciding
    assert "compiler: GNU 12.2 and GNU 13" in deciding
    assert "clock.sys_hz: 125000000 and 48000000" in deciding


def test_two_files_of_one_name_are_told_apart_by_their_folders() -> None:
    before, after = (baseline_file.parse(SMALL, f"{folder}/b.txt") for folder in ("old", "new"))
    assert [compare_sides([before], [after]).first.name, before.title] == ["old/b.txt", "b.txt"]


def test_an_unfinished_a_failed_or_an_emulated_run_is_no_baseline() -> None:
    whole = run("pico-sim", measured([10] * 9))
    with pytest.raises(IntercoreError, match=r"is unfinished \(1 of 2 measurements\)"):
        of_runs([msgspec.structs.replace(whole, total=2)])
    failed = msgspec.structs.replace(whole.measurements[0], checks={"wrong": 1})
    with pytest.raises(IntercoreError, match=r"of 1 measurements .* 1 failed"):
        of_runs([run("pico-sim", failed)])
    with pytest.raises(UsageError, match="emulated: its times mean nothing"):
        of_runs([msgspec.structs.replace(whole, plan=msgspec.structs.replace(whole.plan, emulated=True))])


def test_a_run_whose_conditions_changed_is_no_baseline() -> None:
    changed = [measured([10] * 9, to=to, conditions={"cpu.governor": value}) for to, value in ((0, "a"), (1, "b"))]
    with pytest.raises(IntercoreError, match=r"the condition cpu.governor changed within run \d+ \(a / b\)"):
        of_runs([run("host", *changed)])


def edited(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("intercore baseline 1\ntool = 0.1.0\n", 1, "version 1.*intercore baseline save x.txt"),
        (edited('"version":2', '"version":3'), 1, "version 3.*update Intercore"),
        (edited('"version":2', '"version":1'), 1, "version"),
        ("", 1, "not a baseline"),
        (edited("simulated", "simulation"), 1, "simulation"),
        (edited('"target":"pico-sim",', ""), 1, "target"),
        (edited("GNU 12.2", 'GNU "12'), 2, "malformed"),
        (SMALL + SMALL.splitlines()[1], 4, "the condition compiler appears twice"),
        (edited('"us"', '"ms"'), 3, "ms.*unit"),
        (edited('n":12.5', 'n":"12,5"'), 3, "float.*median"),
        (edited("12.5", "1e999"), 3, "out of range.*median"),
        (edited("12.5", '{"value":12.5,"low":13,"high":14}'), 3, "median=12.5 is not within its interval"),
        (edited("12.5", "125"), 3, "median=125 is above max=13"),
        (edited("median", "medain"), 3, "unknown field `medain`"),
        (edited('"n":10,', ""), 3, "missing required field `n`"),
        (edited('"n":10', '"n":0'), 3, "int.*n"),
        (edited('"n":10', '"n":2,"each":[1,2,3]'), 3, "each has 3 medians, but n is only 2 samples"),
        (SMALL + SMALL.splitlines()[-1], 4, "the series switch of this setting appears twice"),
        (SMALL + SMALL, 4, "intercore baseline.*kind"),
        (edited('{"kind":"series"', '<<<<<<< HEAD\n{"kind":"series"'), 3, "malformed"),
        (SMALL[: SMALL.index('{"kind":"series"')], 2, "no setting"),
    ],
)
def test_what_was_edited_so_that_it_says_nothing_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(UsageError, match=rf"^x\.txt:{line}: .*{what}"):
        baseline_file.parse(text, "x.txt")


def test_a_file_that_is_no_baseline_is_not_replaced_and_a_baseline_is(tmp_path: Path) -> None:
    made, path = of_runs([run("pico-sim", measured([10] * 9))]), tmp_path / "b.txt"
    path.write_text("my thesis\n")
    with pytest.raises(UsageError, match=r"b\.txt already exists and is not a baseline"):
        baseline_file.write(made, path)
    assert path.read_text() == "my thesis\n"
    for older in (SMALL, "intercore baseline 1\ntool = 0.1.0\n"):
        path.write_text(older)
        baseline_file.write(made, path)
        assert baseline_file.read(path).measurements[0].factors == {}
    path.write_bytes(SMALL.encode().replace(b"GNU", b"\xff"))
    with pytest.raises(UsageError, match=r"b\.txt:2: this line is not UTF-8 text"):
        baseline_file.read(path)
