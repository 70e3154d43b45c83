"""This project's own gate: what the simulated Pico comes to is what baselines/pico-sim.jsonl says, to the cycle.

Numbers move together with that file, in one commit: `make baseline` measures and writes it anew. docs/ci.md says more.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from intercore.board.kernel import KERNEL_VARIABLE, freertos_kernel
from intercore.board.sources import firmware_sources
from intercore.comparison import baseline_file
from tests.built_once import ROOT, alone_in
from tests.cli.tool import Tool
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.comparison.baseline import Baseline

PLAN = ROOT / "baselines/pico-sim.toml"
KEPT = ROOT / "baselines/pico-sim.jsonl"
MEASURED = ("api", "irq", "jitter", "lock", "memory", "message", "speedup", "switch")
MOST_SETTINGS = 40
COMPILER = ("compiler", "compiler.library")
TURNS = 20

pytestmark = pytest.mark.measures(*MEASURED)


def sweep(tool: Tool) -> None:
    tool("sweep", str(PLAN), "--again", "--jobs", "1").succeeded()


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    """The tool beside a store with what the simulated Pico comes to now, with the kernel that is pinned."""
    need_tools()
    tool = Tool(tmp_path_factory.mktemp("gate"), uuid.uuid4().hex, {KERNEL_VARIABLE: ""})
    sweep(tool)
    return tool


@pytest.fixture(scope="module")
def kept(measured: Tool) -> Baseline:
    """The baseline that is committed, if it is of the compiler that is installed here."""
    return of_this_compiler(KEPT, conditions(measured))


def of_this_compiler(path: Path, known: dict[str, str]) -> Baseline:
    """Read a baseline; where the compiler is another one, say so and skip the test."""
    read = baseline_file.read(path)
    for key in COMPILER:
        theirs = {one.conditions[key] for one in read.measurements}
        if {known[key]} != theirs:
            said = f"{path.name} is of another {key} than is installed here: {theirs.pop()}, not {known[key]}"
            warnings.warn(f"{said}; nothing is compared", stacklevel=1)
            pytest.skip(said)
    return read


def conditions(tool: Tool) -> dict[str, str]:
    found: dict[str, str] = tool("show", "1", "--format", "json").succeeded().json["conditions"]
    return found


def compared(tool: Tool, *names: str) -> dict[str, Any]:
    found: dict[str, Any] = tool("compare", *names, "--format", "json").succeeded().json
    return found


def moved(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [pair for pair in found["pairs"] if pair["first"]["value"] != pair["second"]["value"]]


def settings(pairs: list[dict[str, Any]]) -> set[str]:
    return {" ".join((pair["benchmark"], *map(str, pair["setting"].values()))) for pair in pairs}


def test_a_baseline_is_short_enough_to_be_read() -> None:
    read = baseline_file.read(KEPT)
    assert 20 <= len(read.measurements) <= MOST_SETTINGS
    assert {one.benchmark for one in read.measurements} == set(MEASURED)
    assert baseline_file.text_of(read) == KEPT.read_text("utf-8"), "as `make baseline` writes it"


def test_what_is_measured_is_what_the_baseline_says(measured: Tool, kept: Baseline) -> None:
    found = compared(measured, str(KEPT), "1")
    largest = measured("compare", str(KEPT), "1").succeeded().out
    what_to_do = f"{len(moved(found))} series moved; if that is meant, `make baseline` and commit it\n\n{largest}"
    assert not moved(found), what_to_do
    assert not found["unpaired"], what_to_do
    assert not found["deciding"], what_to_do
    known, theirs = conditions(measured), kept.measurements[0].conditions
    assert known["freertos.sources"] == theirs["freertos.sources"], what_to_do
    assert len(found["pairs"]) >= len(kept.measurements)


def test_what_budgets_need_is_measured_as_the_baseline_was(measured: Tool, kept: Baseline) -> None:
    assert kept.measurements
    texts = [f"api call=give,take: median / baseline {sense} 1" for sense in ("<=", ">=")]
    path = measured.directory / "same.toml"
    path.write_text(f"baseline = {json.dumps(str(KEPT))}\nbudgets = {json.dumps(texts)}\n")
    shown = measured("check", str(path), "pico-sim", "--store", "same.db").succeeded().out
    assert "4 numbers with a budget: 4 kept." in shown
    runs = measured("runs", "--store", "same.db", "--format", "json").succeeded().json
    assert [run["of"] for run in runs] == [2], "the two settings, and nothing else"


# A deliberate delay


@pytest.fixture(scope="module")
def slower(measured: Tool, tmp_path_factory: pytest.TempPathFactory) -> Tool:
    """The tool beside a store that has another run, of a kernel whose xQueueSemaphoreTake takes TURNS turns longer."""
    tool = Tool(tmp_path_factory.mktemp("slower"), uuid.uuid4().hex)
    shutil.copyfile(measured.store, tool.store)
    folder = ROOT / "build" / "test-slower-kernel"  # the same one always: its program is then built once
    with alone_in(folder):
        loop = f"for( volatile UBaseType_t uxTurns = {TURNS}U; uxTurns > 0U; uxTurns-- ) {{ }}"
        queue = ("queue.c", "BaseType_t xQueueSemaphoreTake(")
        with_loop = patched(folder, *queue, "for( ; ; )\n    {", loop)
        tool.environment[KERNEL_VARIABLE] = str(with_loop)
    sweep(tool)
    return tool


def patched(folder: Path, file: str, function: str, at: str, statement: str) -> Path:
    """Return a copy of the pinned kernel with a statement behind the first `at` of a function."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(KERNEL_VARIABLE, raising=False)
        pinned = freertos_kernel(firmware_sources() / "port" / "freertos" / "kernel", lambda _: None).folder
    kernel = folder / "kernel"
    shutil.rmtree(kernel, ignore_errors=True)
    for part in ("include", "portable/GCC", "portable/ThirdParty/GCC", "portable/MemMang", "portable/Common"):
        shutil.copytree(pinned / part, kernel / part)
    for path in pinned.glob("*.c"):
        shutil.copyfile(path, kernel / path.name)
    source = kernel / file
    text = source.read_text("utf-8")
    begin = text.index(at, text.index(function)) + len(at)
    source.write_text(f"{text[:begin]} {statement}{text[begin:]}", "utf-8")
    return kernel


TAKING = {"api lock", "api take", "lock mutex", "switch binary-semaphore", "switch mutex"}
"""What calls xQueueSemaphoreTake within its timed window."""


def test_a_delay_in_the_kernel_turns_the_gate_red_and_the_slowed_settings_come_first(
    slower: Tool, kept: Baseline
) -> None:
    found = compared(slower, str(KEPT), "2")
    changed = moved(found)
    much = [pair for pair in changed if pair["ratio"]["value"] > 1.05]
    assert {" ".join(name.split()[:2]) for name in settings(much)} == TAKING
    across = [pair["ratio"]["value"] for pair in much if pair["setting"].get("to") == 1]
    assert across
    assert all(1.1 < ratio < 1.2 for ratio in across), "some 15 %"
    shown = slower("compare", str(KEPT), "2").succeeded().out
    head, table = shown.split("Largest differences: ")
    said = " ".join(head.split())
    assert said.startswith(f"Warning: {found['identities'][0]}")
    assert "pico-sim.jsonl: FreeRTOS V11.2.0 SMP" in found["identities"][0]
    assert "unmodified; run 2: FreeRTOS" in said
    rows = [line.split() for line in table.splitlines() if " slower" in line]
    assert [" ".join(row[:2]) for row in rows[:2]] == ["api: call", "api: call"]
    assert any(row[0] == "switch:" and any("primitive=" in word for word in row) for row in rows)
    assert len(kept.measurements) <= MOST_SETTINGS


def test_the_function_that_was_slowed_is_the_first_that_is_told(slower: Tool, kept: Baseline) -> None:
    assert kept.measurements
    found = compared(slower, "1", "2")
    assert found["functions"] == ["xQueueSemaphoreTake"]
    assert found["phases"] > 0
    assert found["answer"][0].startswith("xQueueSemaphoreTake differs: ")
    told = [pair for pair in found["pairs"] if pair["verdict"] in ("faster", "slower")]
    assert {pair["verdict"] for pair in told} == {"slower"}
    assert {" ".join(name.split()[:2]) for name in settings(told)} == TAKING
    assert any(pair["verdict"] == "phase" for pair in found["pairs"]), "what moved besides"
    assert "intercore trace pico-sim api" in found["answer"][-1]


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="a third sweep: set INTERCORE_SLOW=1")
def test_two_nops_in_a_function_that_runs_once_change_nothing(
    measured: Tool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """They move code, and with it the banks that the cores meet in: the numbers move, too."""
    tool = Tool(tmp_path_factory.mktemp("nops"), uuid.uuid4().hex)
    shutil.copyfile(measured.store, tool.store)
    folder = ROOT / "build" / "test-nops-kernel"
    with alone_in(folder):
        tool.environment[KERNEL_VARIABLE] = str(
            patched(folder, "list.c", "void vListInitialise( List_t", "{", '__asm volatile("nop\\n nop");')
        )
    sweep(tool)
    found = compared(tool, "1", "2")
    assert found["functions"] == ["vListInitialise"]
    assert moved(found)
    assert {pair["verdict"] for pair in found["pairs"]} == {"same", "phase"}
    again = tool("compare", "1", "2", "--format", "json").succeeded()
    assert again.json["pairs"] == found["pairs"], "of what was kept"
    unmeasured = compared(tool, "1", "2", "--phases", "0")
    assert {pair["verdict"] for pair in unmeasured["pairs"]} == {"same", "cannot tell"}


def test_budgets_are_broken_by_it_and_say_that_it_is_another_kernel(slower: Tool, kept: Baseline) -> None:
    assert kept.measurements
    shutil.copyfile(KEPT, slower.directory / KEPT.name)
    texts = [f"{name} median / baseline <= 1.05" for name in ("api: call", "switch: switch", "lock: there")]
    (slower.directory / "budgets.toml").write_text(f'baseline = "{KEPT.name}"\nbudgets = {json.dumps(texts)}\n')
    assert slower("check", "budgets.toml", "1").succeeded()
    broken = slower("check", "budgets.toml", "2")
    assert broken.status == 1
    found = json.loads(slower("check", "budgets.toml", "2", "--format", "json").out)
    assert " ".join(broken.out.split()).startswith(f"Warning: {found['first'][0]}")
    assert "pico-sim.jsonl: FreeRTOS V11.2.0 SMP" in found["first"][0]
    failing = [one for one in found["budgets"] if one["outcome"] == "broken"]
    named = {f"{one['benchmark']} {next(iter(one['setting'].values()))}" for one in failing}
    assert named >= {"api lock", "api take", "lock mutex"}
    assert all(one["found"]["value"] > 1.05 for one in failing)


def test_a_prediction_does_not_put_the_two_kernels_together(slower: Tool) -> None:
    shown = slower("predict", "pico-sim", "message", "size=300").succeeded().out
    assert "Run 1 is left out: it has another kernel (FreeRTOS" in " ".join(shown.split())


def test_a_baseline_of_another_compiler_is_compared_with_nothing_and_that_is_said() -> None:
    read = baseline_file.read(KEPT)
    known = read.measurements[0].conditions
    assert of_this_compiler(KEPT, dict(known)).measurements
    with (
        pytest.warns(UserWarning, match=r"is of another compiler than is installed here: .*, not GNU 1\.0; nothing is"),
        pytest.raises(pytest.skip.Exception, match="is of another compiler"),
    ):
        of_this_compiler(KEPT, {**known, "compiler": "GNU 1.0"})
