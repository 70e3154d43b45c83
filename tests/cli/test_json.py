"""`--format json` prints one document, of the shape that docs/json.md describes and the package's schema defines."""

from __future__ import annotations

import copy
import math
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import numpy as np
import pytest

from intercore.record.measurement import Measurement, Part, Plan, Series, Unit
from intercore.record.plan import Setting
from intercore.record.store import Store
from tests.cli.tool import QUICK, Tool, strict_json
from tests.document.validity import SCHEMA, check, is_valid

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import FakeBoard

of_speedups = pytest.mark.measures("speedup")
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "json.md"


@pytest.fixture(scope="session")
def measured_store(speedup_store: Path) -> Path:
    """A run that fills most of a document."""
    return speedup_store


@pytest.fixture(scope="session")
def document(measured_store: Path) -> dict[str, Any]:
    shown: dict[str, Any] = Tool(measured_store.parent, "").program("show", "--format", "json").succeeded().json
    return shown


@pytest.fixture
def small(document: dict[str, Any]) -> dict[str, Any]:
    """A document with one of everything, for breaking it."""
    shown = copy.deepcopy(document)
    del shown["measurements"][1:], shown["analysis"]["speedup"][1:]
    del shown["analysis"]["answers"]  # whose shape is made from its type
    for name in ("overhead_us", "break_even", "isoefficiency", "quantised"):
        group, value = next(iter(shown["analysis"][name].items()))
        shown["analysis"][name] = {group: value}
    shown["analysis"]["quantised"][group] = {
        "tick_us": 1000.0,
        "sizes": 4,
        "resultant": 0.9,
        "p_value": 0.001,
        "phase_us": -3.5,
        "t1_p_value": 0.5,
        "quantised": True,
    }
    shown["warnings"] = ["This is a test."]
    check(shown)
    return shown


# What the tool prints is valid


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@of_speedups
def test_a_run_of_the_host_is_valid(document: dict[str, Any]) -> None:
    check(document)
    assert document["schema"] == 3
    assert document["target"] == "host"
    assert document["simulated"] is False
    assert document["complete"] is True
    assert len(document["measurements"]) == 12 * 2
    assert {row["series"] for row in document["measurements"]} == {"t1", "tp"}
    assert len(document["analysis"]["speedup"]) == 12
    assert len(document["analysis"]["overhead_us"]) == len(document["analysis"]["isoefficiency"]) == 3


def test_run_prints_the_same_document_as_show(tool: Tool) -> None:
    printed = tool("run", "host", *QUICK, "--format", "json").succeeded()
    check(printed.json)
    assert tool("show", "--format", "json").out == printed.out


@of_speedups
def test_its_numbers_agree_with_each_other(document: dict[str, Any]) -> None:
    for row in document["measurements"]:
        summary = row["summary"]
        assert summary["min"] <= summary["median"] <= summary["p90"] <= summary["p99"] <= summary["max"]
        assert summary["min"] <= summary["mean"] <= summary["max"]
        assert row["n"] == row["factors"]["samples"] == row["checks"]["done"] == 10
    for point in document["analysis"]["speedup"]:
        assert point["speedup"] == pytest.approx(point["t1_us"] / point["tp_us"])
        assert point["efficiency"] == pytest.approx(point["speedup"] / point["cores"])
        for name in ("t1_us", "tp_us", "speedup", "efficiency", "karp_flatt"):
            assert point[f"{name}_low"] <= point[name] <= point[f"{name}_high"]


@of_speedups
@pytest.mark.parametrize(
    "levels",
    [
        ("n=100", "samples=1"),
        ("n=100", "cores=1", "samples=3"),
        ("n=10,20,30,40,50,60", "mode=spin", "samples=3"),
        ("n=100,200", "samples=3", "dither_us=0,10", "mode=pool"),
    ],
    ids=["one sample", "one core", "many sizes", "an extra factor"],
)
def test_odd_runs_are_valid_too(tool: Tool, levels: tuple[str, ...]) -> None:
    check(tool("run", "host", "speedup", *levels, "--format", "json").succeeded().json)


def test_a_run_of_the_clock_is_valid(tool: Tool) -> None:
    words = ("samples=5", "longest_us=10,20", "dither_us=10", "--format", "json")
    shown = tool("run", "host", "clock", *words).succeeded().json
    check(shown)
    rows = shown["analysis"]["clock"]["intervals"]
    assert {(row["from"], row["to"]) for row in rows} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {row["longest_us"] for row in rows} == {10, 20}
    assert all(row["difference"] is None for row in rows), "nobody knows the truth of a real machine"
    (bounds,) = (one for one in shown["findings"] if one["code"] == "clock-offset-bounds")
    assert bounds["text"] in " ".join(tool("show").succeeded().out.split())
    assert tool("show", "--format", "csv").out.count("\n") == 1 + 8
    tool("report", "-o", "clock.html").succeeded()
    assert "Accuracy of the clock" in (tool.directory / "clock.html").read_text()


@of_speedups
def test_a_verdict_on_quantisation_is_valid(tool: Tool) -> None:
    levels = ("n=123456,200001,345678,456789,567890", "join=poll-tick", "samples=3", "mode=pool", "dither_us=10")
    shown = tool("run", "host", "speedup", *levels, "--format", "json").succeeded().json
    check(shown)
    (verdict,) = shown["analysis"]["quantised"].values()
    assert verdict["sizes"] == 5


@of_speedups
def test_an_optimisation_level_is_a_factor_of_the_points(tool: Tool) -> None:
    words = ("n=100", "mode=spin", "samples=3", "--opt", "O2,O0", "--format", "json")
    shown = tool("run", "host", "speedup", *words).succeeded().json
    check(shown)
    assert [point["opt"] for point in shown["analysis"]["speedup"]] == ["O0", "O2"]
    assert {flags for flags in shown["conditions"]["compiler.flags"] if "-O0" in flags or "-O2" in flags}


def test_a_run_without_measurements_is_valid(tool: Tool) -> None:
    with Store(tool.store) as store:
        store.create_run(Plan("host", None, "example", (Part("example", {"n": [10], "opt": ["O2"]}),)), 1)
    shown = tool("show", "--format", "json").succeeded().json
    check(shown)
    assert shown["complete"] is False
    assert shown["measurements"] == []


def test_every_series_is_told_in_its_unit(tool: Tool) -> None:
    units: dict[str, Unit] = {"duration": "tick", "when": "moment", "done": "count", "where": "core"}
    series = tuple(Series(name, "common", 10**8, np.array([1, 3]), unit) for name, unit in units.items())
    with Store(tool.store) as store:
        run_id = store.create_run(Plan("host", None, "tomorrow", (Part("tomorrow", {}),)), 1)
        store.add(run_id, Setting("tomorrow", {}, 0), Measurement("tomorrow", {}, 0, series, {}, {}, ""))
    shown = tool("show", "--format", "json").succeeded().json
    check(shown)
    medians = {
        row["series"]: (row["unit"], row["n"], row["summary"] and row["summary"]["median"])
        for row in shown["measurements"]
    }
    assert medians == {
        "duration": ("ns", 2, 20.0),
        "when": ("moment", 2, None),
        "done": ("count", 2, 2.0),
        "where": ("core", 2, 2.0),
    }
    table = tool("show").succeeded().out
    assert "20.0 ns" in table
    assert re.search(r"done +2 +2 +", table)
    assert "when" not in table
    for number, unit in enumerate(["moment", "ns", "moment", "moment"]):
        broken = copy.deepcopy(shown)
        broken["measurements"][number]["unit"] = unit
        assert not is_valid(broken), "moments have no summary, and what has none are moments"


@of_speedups
def test_a_duration_that_is_a_count_is_an_error_and_no_number(tool: Tool) -> None:
    series = tuple(Series(name, "common", 10**9, np.array([5]), "count") for name in ("t1", "tp"))
    factors: dict[str, int | str] = {"workload": "fp", "n": 10, "mode": "pool", "join": "notify", "cores": 2}
    with Store(tool.store) as store:
        run_id = store.create_run(Plan("host", None, "speedup", (Part("speedup", {}),)), 1)
        store.add(run_id, Setting("speedup", {}, 0), Measurement("speedup", factors, 0, series, {}, {}, ""))
    assert "t1 is needed in ns, but its unit is count" in tool("show").failed(1).error


def test_a_run_of_a_board_is_valid(tool: Tool, board: FakeBoard) -> None:
    words = ("--port", board.url, "n=10,100", "mode=pool", "--repetitions", "1", "--format", "json")
    shown = tool("run", "serial", "example", *words).succeeded().json
    check(shown)
    assert shown["target"] == "serial"


def test_what_a_user_says_is_an_emulator_is_labelled_so_in_all_that_is_told(tool: Tool, board: FakeBoard) -> None:
    words = ("--port", board.url, "n=10,100", "mode=pool", "--emulated")
    done = tool("run", "serial", "example", *words, "--format", "json").succeeded()
    check(done.json)
    assert done.json["emulated"]
    assert done.json["conditions"]["emulated"] == "by an emulator (declared by the user): times mean nothing"
    assert {row["repetition"] for row in done.json["measurements"]} == {0}, "as of any emulated chip"
    assert "FUNCTION ONLY" in tool("show").succeeded().out
    tool("report", "-o", "page.html").succeeded()
    assert "FUNCTION ONLY" in (tool.directory / "page.html").read_text()


@of_speedups
def test_a_wrong_result_is_kept_and_marked(tool: Tool, board: FakeBoard) -> None:
    board.behave("wrong", after=1, benchmark="speedup")
    words = ("--port", board.url, "n=10,100", "mode=pool", "--repetitions", "1", "--format", "json")
    result = tool("run", "serial", "speedup", *words)
    assert (result.status, result.error) == (
        1,
        "error: some of the 2 measurements failed: 1 because of checks on the target. See the warnings above",
    )
    shown = result.json
    check(shown)
    assert sorted(row["checks"]["wrong"] for row in shown["measurements"]) == [0, 0, 3, 3]
    assert any("wrong" in sentence for sentence in shown["warnings"])
    assert "wrong" in tool("show").succeeded().out


@of_speedups
def test_the_warnings_are_those_under_the_table(measured: Tool, document: dict[str, Any]) -> None:
    lines = " ".join(measured("show").succeeded().out.split())
    under_the_table = {sentence.strip() for sentence in lines.split("Warning:")[1:]}
    assert {" ".join(sentence.split()) for sentence in document["warnings"]} == under_the_table


@of_speedups
def test_every_key_is_in_the_documentation(document: dict[str, Any]) -> None:
    text = DOCUMENTATION.read_text("utf-8")
    documented = set(re.findall(r"`([a-z][a-z0-9_]*)`", text)) | set(re.findall(r'"([a-z][a-z0-9_]*)":', text))
    definitions = SCHEMA["$defs"]
    keys = set(document) | set(document["analysis"]) | set(definitions["measurement"]["properties"])
    for name in ("speedup", "overhead", "break_even", "isoefficiency", "quantised", "clock", "intervals", "offset"):
        keys |= set(definitions[name]["properties"])
    keys |= set(definitions["measurement"]["properties"]["summary"]["properties"])
    missing = {key for key in keys if re.sub(r"_(low|high)$", "", key) not in documented}
    assert not missing


# What is broken is not valid


def paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all keys and numbers in a document. Of a list only the first element: the rest is like it."""
    found: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [(*path, key), *paths(inner, (*path, key))]
    elif isinstance(value, list) and value:
        found += [(*path, 0), *paths(value[0], (*path, 0))]
    return found


def at(document: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 - whatever JSON has
    for key in path:
        document = document[key]
    return document


def changed(document: dict[str, Any], path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> dict[str, Any]:
    copied = copy.deepcopy(document)
    change(at(copied, path[:-1]), path[-1])
    return copied


OPEN = (
    *(
        "conditions",
        "factors",
        "timestamp_overhead_ns",
        "checks",
        "overhead_us",
        "break_even",
        "isoefficiency",
        "quantised",
    ),
    *("thresholds", "values", "setting"),
)
"""Objects whose keys are names that depend on the run."""


def fixed(path: tuple[Any, ...]) -> bool:
    """Whether the key at the end of the path belongs to the shape."""
    return isinstance(path[-1], str) and (len(path) == 1 or path[-2] not in OPEN)


@of_speedups
def test_a_missing_key_is_not_valid(small: dict[str, Any]) -> None:
    removable = [path for path in paths(small) if fixed(path)]
    assert len(removable) > 60
    for path in removable:
        assert not is_valid(changed(small, path, lambda parent, key: parent.pop(key))), path


@of_speedups
def test_an_unknown_key_is_not_valid(small: dict[str, Any]) -> None:
    objects = [path for path in paths(small) if isinstance(at(small, path), dict) and path[-1] not in OPEN]
    for path in [("schema",), *((*path, "x") for path in objects if path != ("analysis",))]:
        broken = changed(small, (*path[:-1], "surprise"), lambda parent, key: parent.__setitem__(key, [1.5]))
        assert not is_valid(broken), path


@of_speedups
def test_a_value_of_another_type_is_not_valid(small: dict[str, Any]) -> None:
    for path in paths(small):
        if "values" in path[:-1]:  # of a finding: they are as its code has them
            continue
        value = at(small, path)
        strangers: list[Any] = [[[1.5]]]
        if path[-1] in {"reason", "likely", "benchmark", "doi", "title_en"}:  # a text, or null
            strangers.append(1)
        elif isinstance(value, bool | None):
            strangers.append("yes")
        elif isinstance(value, int | float) and "factors" not in path:
            strangers += [str(value), True]
        elif isinstance(value, str):
            strangers.append(None)
        for stranger in strangers:
            broken = changed(small, path, lambda parent, key, it=stranger: parent.__setitem__(key, it))  # type: ignore[misc]
            assert not is_valid(broken), (path, stranger)


@of_speedups
def test_no_number_may_be_nan_or_infinite(small: dict[str, Any]) -> None:
    numbers = [
        path
        for path in paths(small)
        if isinstance(at(small, path), int | float) and at(small, path) is not True
        if path[0] != "publications"  # constants: their files are refused when they are read
    ]
    assert len(numbers) > 50
    for path in numbers:
        for number in (math.nan, math.inf, -math.inf):
            broken = changed(small, path, lambda parent, key, it=number: parent.__setitem__(key, it))  # type: ignore[misc]
            assert not is_valid(broken), (path, number)
    with pytest.raises(ValueError, match="NaN is not JSON"):
        strict_json('{"x": NaN}')


@of_speedups
def test_a_summary_is_never_null(small: dict[str, Any]) -> None:
    for name in small["measurements"][0]["summary"]:
        path = ("measurements", 0, "summary", name)
        assert not is_valid(changed(small, path, lambda parent, key: parent.__setitem__(key, None)))


@of_speedups
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 1),
        (("run",), 0),
        (("started",), "yesterday"),
        (("conditions", "cores"), ["2"]),
        (("conditions", "cores"), ["2", "2"]),
        (("measurements", 0, "unit"), "us"),
        (("measurements", 0, "n"), 0),
        (("measurements", 0, "n"), 2.5),
        (("measurements", 0, "checks", "wrong"), -1),
        (("measurements", 0, "timestamp_overhead_ns", "core"), 1.0),
        (("measurements", 0, "summary", "stdev"), -1.0),
        (("analysis", "speedup", 0, "cores"), 0),
        (("analysis", "speedup", 0, "speedup"), -1.0),
    ],
)
def test_a_value_out_of_range_is_not_valid(small: dict[str, Any], path: tuple[Any, ...], value: object) -> None:
    assert not is_valid(changed(small, path, lambda parent, key: parent.__setitem__(key, value)))


@of_speedups
def test_the_analysis_is_open_to_other_benchmarks(document: dict[str, Any]) -> None:
    other = copy.deepcopy(document)
    other["analysis"]["tomorrow"] = {"slowdown": 1.5}
    check(other)
    for measurement in other["measurements"]:
        measurement["benchmark"] = "tomorrow"
    other["analysis"] = {"tomorrow": {"slowdown": 1.5}}
    check(other)


# A number that JSON does not have never gets that far


@of_speedups
def test_damaged_samples_give_an_error_and_no_document(measured: Tool) -> None:
    with closing(sqlite3.connect(measured.store)) as database, database:
        database.execute("UPDATE samples SET data = zeroblob(length(data)) WHERE measurement = 3 AND position = 0")
    result = measured("show", "--format", "json").failed(1)
    assert "damaged" in result.error
    assert "measurement 3" in result.error
