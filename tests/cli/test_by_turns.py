"""`intercore compare --alternate`: two builds measured by turns, stored as two runs, and compared."""

from __future__ import annotations

import importlib.resources
import json
from typing import TYPE_CHECKING

import jsonschema
import pytest

from intercore.board.sources import firmware_sources
from intercore.record.plan import setting_of
from intercore.record.store import Store
from tests.cli.tool import QUICK, how_to_go_on

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Run
    from tests.cli.tool import Tool

SAME = ("--build", "opt=O2", "--build", "opt=O2")
"""The program that other tests have built, twice."""
LEVELS = QUICK[: QUICK.index("--repetitions")]


def runs(path: Path) -> list[Run]:
    with Store(path) as store:
        return [store.run(summary.id) for summary in store.runs()]


def sides(both: list[Run]) -> list[int]:
    """The runs' numbers in the order in which their measurements began."""
    return [number for _, number in sorted((one.started, run.id) for run in both for one in run.measurements)]


def test_two_builds_are_measured_by_turns_and_stored_as_two_runs(tool: Tool) -> None:
    done = tool("compare", "--alternate", "host", *LEVELS, *SAME, "--repetitions", "2", "--format", "json").succeeded()
    first, second = runs(tool.store)
    assert [first.plan.partner, second.plan.partner] == [second.id, first.id]
    assert first.complete
    assert second.complete
    order = sides([first, second])
    assert all({one, other} == {1, 2} for one, other in zip(order[::2], order[1::2], strict=True))
    assert 1 < order[::2].count(1) < 11  # neither is always the first
    schema = importlib.resources.files("intercore.document.schema").joinpath("comparison.schema.json")
    jsonschema.Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(done.json)
    assert done.json["by_turns"]
    again = tool("compare", "1", "2", "--format", "json").succeeded().json
    assert again == done.json
    refused = tool("report", "host").failed(2).error
    assert "all runs of host in" in refused
    assert "two builds, so the target's name is ambiguous: name a run by its number, e.g. 2" in refused
    assert "24/24 clock " in done.err  # one progress for both
    assert done.err.count(", run 1\n") == done.err.count(", run 2\n") == 12


def cut(path: Path, kept: int) -> None:
    """Replace the store by one whose runs hold the first few measurements only, as if they had been interrupted."""
    first, second = runs(path)
    path.unlink()
    with Store(path) as store:
        pair = store.create_pair(first.plan, second.plan, (first.total, second.total))
        taken = sorted(
            ((one.started, run.id, one) for run in (first, second) for one in run.measurements), key=lambda one: one[:2]
        )
        for _, number, one in taken[:kept]:
            plan = first.plan if number == first.id else second.plan
            store.add(pair[number - 1], setting_of(plan, one), one)


def test_what_was_interrupted_goes_on_where_it_was(tool: Tool) -> None:
    tool("compare", "--alternate", "host", *LEVELS, *SAME, "--repetitions", "2").succeeded()
    cut(tool.store, 9)
    kept = [len(run.measurements) for run in runs(tool.store)]
    assert sorted(kept) == [4, 5]
    refused = tool("run", "--resume").failed(2)
    assert "To continue run 2: intercore compare --alternate --resume" in refused.error
    shown = " ".join(tool("show", "1").succeeded().out.split())
    assert f"{kept[0]} of 12 measurements so far; continue with: intercore compare --alternate --resume" in shown
    tool("compare", "--alternate", "--resume").succeeded()
    assert [(run.id, len(run.measurements), run.complete) for run in runs(tool.store)] == [(1, 12, True), (2, 12, True)]
    assert "no unfinished alternating runs" in tool("compare", "--alternate", "--resume").failed(2).error


def test_other_sources_of_the_firmware_are_named_and_kept_for_going_on(tool: Tool) -> None:
    sources = ("--firmware", str(firmware_sources()))
    words = ("compare", "--alternate", "host", *LEVELS, *sources, *SAME, "--repetitions", "1")
    shown = " ".join(tool(*words, "--all").succeeded().out.split())
    assert f"run 2 of host was built with the firmware {firmware_sources().absolute()}." in shown
    assert [run.plan.firmware for run in runs(tool.store)] == [str(firmware_sources().absolute())] * 2


def test_a_program_that_falls_silent_is_told_with_the_command_to_go_on(tool: Tool) -> None:
    """It rests for longer than it is waited for, which is so short that a busy machine may not even let it begin."""
    levels = ("from=0", "to=0", "longest_us=10", "samples=3", "rest_ms=2000")
    words = ("compare", "--alternate", "host", "clock", *levels, *SAME, "--timeout", "0.4")
    hung = next(tried for _ in range(20) if "answer to `check`" not in (tried := tool(*words).failed(1)).err)
    assert "runs 1 and 2 were interrupted: 0 of 12 measurements are in" in hung.err
    assert how_to_go_on(hung)[:3] == ["compare", "--alternate", "--resume"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--alternate",), "--alternate needs a target, a benchmark and two builds"),
        (("--alternate", "host"), "--alternate needs a target, a benchmark and two builds"),
        (("--alternate", "host", "clock"), "nothing differs between the two builds"),
        (("--alternate", "host", "clock", "--build", "opt=O2"), "nothing differs between the two builds"),
        (("--alternate", "host", "clock", *SAME, "--build", "opt=O3"), "--build was given 3 times"),
        (("--alternate", "host", "clock", "opt=O2", *SAME), "--build opt=…"),
        (("--alternate", "host", "clock", "--build", "n=3", "--build", "n=4"), "n is not a build factor"),
        (("--alternate", "host", "clock", "--build", "opt=O2,O3", *SAME[2:]), "a build has one level of each factor"),
        (("--alternate", "host", "clock", "--build", "opt=O9", *SAME[2:]), "the factor opt has no level 'O9'"),
        (("--alternate", "host", "clock", "--build", "code=sram", *SAME[2:]), "host has no build factor 'code'"),
        (("--alternate", "hosd", "clock", *SAME), "there is no target 'hosd'; did you mean 'host'?"),
        (("--alternate", "serial", "clock", *SAME), "serial cannot be measured"),
        (("--alternate", "esp32-qemu", "clock", *SAME), "esp32-qemu cannot be measured"),
        (
            ("--alternate", "pico", "clock", "--kernel", "a", "--kernel", "b"),
            "--kernel applies only to targets whose program",
        ),
        (
            ("--alternate", "host", "clock", "--kernel", "a", "--kernel", "b"),
            "--kernel names a FreeRTOS kernel, but host",
        ),
        (
            ("--alternate", "pico-sim", "clock", "--kernel", "a", "--kernel", "b"),
            "a (--kernel) is not a FreeRTOS kernel",
        ),
        (
            ("--alternate", "host", "clock", "--firmware", "a", "--firmware", "b"),
            "does not contain the sources of Intercore",
        ),
        (("--alternate", "--resume", "host", "clock"), "omit what to measure"),
        (("--alternate", "--resume", "--seed", "3"), "omit --seed"),
        (("1", "2", "--kernel", "a"), ": add --alternate"),
        (("1", "2", "--resume"), ": add --alternate"),
        ((), "nothing to compare: name two runs or targets, e.g. intercore compare 3 4"),
    ],
)
def test_what_cannot_be_measured_by_turns_is_refused_before_anything_is_built(
    tool: Tool, words: tuple[str, ...], says: str
) -> None:
    assert says in tool.here("compare", *words).failed(2).error
    assert not tool.store.exists()


def test_a_checkout_in_place_of_its_folder_of_firmware_is_understood(tool: Tool) -> None:
    checkout = str(firmware_sources().parent)
    words = ("compare", "--alternate", "host", "clock", "--firmware", checkout, "--firmware", checkout)
    refused = tool.here(*words).failed(2).error
    assert f"did you mean {firmware_sources()}?" in refused


def test_a_single_run_takes_the_same_sources_and_its_page_says_how_to_measure_it_again(tool: Tool) -> None:
    sources = str(firmware_sources())
    tool("run", "host", *QUICK, "--firmware", sources, "--report", "page.html").succeeded()
    (run,) = runs(tool.store)
    assert run.plan.firmware == str(firmware_sources().absolute())
    assert f"--firmware={sources}" in (tool.directory / "page.html").read_text("utf-8")
    assert "--kernel names a FreeRTOS kernel" in tool.here("run", "host", *QUICK, "--kernel", "a").failed(2).error
    refused = tool.here("run", "serial", "--port", "socket://a:1", *QUICK, "--firmware", sources).failed(2).error
    assert "--firmware applies only to targets whose program" in refused
    assert "omit --firmware" in tool.here("run", "--resume", "--firmware", sources).failed(2).error
