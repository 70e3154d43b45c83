"""Works of a user's own that a program adds before it starts, on the simulated Pico: right ones and wrong ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from intercore.benchmarks.speedup.analysis import analyse
from intercore.benchmarks.speedup.findings import SpeedupOwnLoss, SpeedupOwnPays
from intercore.benchmarks.speedup.own import of_own_work
from intercore.board.boards import PICO
from intercore.board.image import Image
from intercore.cli.new import workload as new_workload
from intercore.record.store import Store
from intercore.target import opening
from tests.benchmarks.test_speedup import Kind, of_kind
from tests.built_once import ROOT, alone_in
from tests.firmware.rp2040.conftest import Board, need_tools
from tests.firmware.rp2040.tool_in_process import command

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.measures("speedup", "message", "contention", "memory")

EXAMPLES = ROOT / "examples" / "workloads"
OWN = ROOT / "tests" / "own_work"
RIGHT = {"crc": 64, "fft": 4, "matrix": 32, "begun": 512}
"""Units of each work that is right; `begun` is what `new workload` writes."""
COMPETE = "run contention workload=own:{} units={} {} yield=none window_ms=20 samples=1"
WRONG = ("ordered", "behind", "mixed", "expected", "beyond", "outside", "around", "fenced", "together")
SLOW = ("banks", "bridge", "uneven")
NAMES = [f"own:{name}" for name in (*RIGHT, *WRONG, *SLOW, "last")]
FINDINGS = {"beyond", "around", "differs", "depends", "unexpected"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program as somebody would build it elsewhere: with a main() and works of his own."""
    need_tools()
    folder = ROOT / "build" / "test-own-work"
    works = [OWN / "program.c", OWN / "wrong.c", OWN / "causes.c", *sorted(EXAMPLES.glob("*.c*")), folder / "begun.c"]
    with alone_in(folder):
        folder.mkdir(parents=True, exist_ok=True)
        written = tmp_path_factory.mktemp("new")
        new_workload("begun", folder=written)
        begun = (written / "begun.c").read_text()
        if not works[-1].is_file() or works[-1].read_text() != begun:  # else it would be compiled each time
            works[-1].write_text(begun)
        return built(ROOT / "firmware", folder, f"-DIC_ADDED={len(NAMES)}", f"-DIC_PROGRAM={';'.join(map(str, works))}")


def built(firmware: Path, folder: Path, *defines: str) -> Path:
    """Return the Pico's program, built from these sources."""
    for words in (
        ["cmake", "-S", str(firmware), "-B", str(folder), "-DIC_BOARD=rp2040", *defines],
        ["cmake", "--build", str(folder), "--parallel", "--target", "intercore-target"],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "intercore-target"


@pytest.fixture(scope="module")
def board(program: Path) -> Board:
    return started(program)


def started(program: Path) -> Board:
    board = Board(program)
    hello = board.run(0.65)[0]
    board.ask(f"rate {hello['rates'][-1]}", step=0.01)
    return board


def measured(board: Board, work: str, n: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the end of an answer, and the first sample of each series."""
    answer = board.ask(f"run speedup workload=own:{work} n={n} samples=2 mode=pool dither_us=0", step=0.05)
    return answer[-1], {line["series"]: line["values"][0] for line in answer if line["type"] == "samples"}


def text_at(board: Board, name: str) -> str:
    where = board.chip.read_word(name)
    return board.chip.read(where, 80).split(b"\0")[0].decode() if where else ""


def test_what_a_program_adds_is_listed_behind_what_is_there(board: Board) -> None:
    said = board.ask("list", step=0.05)
    choices = {(line["benchmark"], line["name"]): line["choices"] for line in said if "choices" in line}
    assert choices["speedup", "workload"][0] == "fp"
    for benchmark, parameter in (("speedup", "workload"), ("contention", "workload"), ("memory", "other")):
        assert choices[benchmark, parameter][-len(NAMES) :] == NAMES
    assert choices["message", "transport"][-1] == "mine"


def test_help_has_what_a_program_adds(board: Board) -> None:
    said = {line["text"]: line["detail"] for line in board.ask("help", step=0.05) if line["type"] == "log"}
    assert [name for name in said if name.startswith("own:")] == NAMES
    assert "speedup workload=" in said["own:crc"]


def test_what_cannot_be_added_is_refused_in_a_sentence(board: Board) -> None:
    assert text_at(board, "said") == ""
    assert text_at(board, "taken_transport") == "a transport of that name exists already"
    assert text_at(board, "unnamed_transport").startswith("the name of a transport has lower-case letters")
    assert text_at(board, "half_transport").startswith("the transport lacks summary, capacity, open")
    assert text_at(board, "bad_name").startswith("the name of a workload is at most 16")
    assert text_at(board, "taken_name") == "a workload of that name exists already"
    assert text_at(board, "no_room") == "there is no room for another workload"
    assert text_at(board, "no_units") == "the workload does not state its number of units"


@pytest.mark.parametrize("work", RIGHT)
def test_a_work_that_is_right_is_quicker_on_two_cores(board: Board, work: str) -> None:
    end, samples = measured(board, work, RIGHT[work])
    assert end["status"] == "ok"
    assert end["checks"]["checked"] == 3 * 3
    assert 1.5 < samples["t1"] / samples["tp"] < 2


def test_what_new_workload_writes_takes_the_same_time_in_each_window(board: Board) -> None:
    """Units of unequal times would be told as settings that vary, on a chip that repeats to the bit."""
    for n in (2, 8):
        answer = board.ask(f"run speedup workload=own:begun n={n} samples=25 mode=pool", step=0.05)
        assert answer[-1]["status"] == "ok"
        t1 = [value for line in answer if line.get("series") == "t1" for value in line["values"]]
        assert len(t1) == 25
        assert sorted(t1)[-2] <= 1.02 * min(t1), "the kernel's tick may fall in one of them"


@pytest.mark.parametrize(
    ("work", "series", "unit"),
    [("ordered", "depends", 0), ("behind", "depends", 5), ("expected", "unexpected", 10)],
)
def test_a_sum_that_is_wrong_fails_and_its_first_unit_is_told(board: Board, work: str, series: str, unit: int) -> None:
    end, samples = measured(board, work, 16)
    assert end["status"] == "failed"
    assert end["checks"]["wrong"] > 0
    told = FINDINGS & samples.keys()
    assert {name: samples[name] for name in told} == {series: unit}


def test_a_sum_that_is_wrong_on_two_cores_alone_is_looked_for_there(board: Board) -> None:
    end, samples = measured(board, "mixed", 16)
    assert end["status"] == "failed"
    assert 0 <= samples["differs"] < 16
    assert "depends" not in samples


@pytest.mark.parametrize("work", ["beyond", "outside"])
def test_work_that_writes_beyond_its_part_fails_and_its_first_unit_is_told(board: Board, work: str) -> None:
    """Also where what is written there is what belongs there."""
    end, samples = measured(board, work, 8)
    assert end["status"] == "failed"
    assert samples["beyond"] == 0


def test_work_that_writes_around_its_buffer_but_no_unit_by_itself_is_said_to_do_that(board: Board) -> None:
    end, samples = measured(board, "around", 8)
    assert end["status"] == "failed"
    assert {name: samples[name] for name in FINDINGS & samples.keys()} == {"around": 0}


def test_the_unit_that_hits_a_canary_is_told_also_where_the_file_says_what_is_right(board: Board) -> None:
    end, samples = measured(board, "fenced", 8)
    assert end["status"] == "failed"
    assert samples["beyond"] == 3


def test_work_that_is_right_on_one_core_alone_fails_and_its_first_unit_is_told(board: Board) -> None:
    end, samples = measured(board, "together", 16)
    assert end["status"] == "failed"
    assert 0 <= samples["differs"] < 16
    assert "beyond" not in samples


def test_a_window_has_no_more_units_than_the_work(board: Board) -> None:
    said = board.ask("check speedup workload=own:fft n=4,5", step=0.05)
    assert [line["text"] for line in said if line["type"] == "impossible"] == ["n is more units than own:fft has"]


def test_a_transport_that_a_program_adds_is_measured(board: Board) -> None:
    end = board.ask("run message transport=mine samples=2", step=0.05)[-1]
    assert end["status"] == "ok"
    assert end["checks"]["checked"] > 0


def test_a_core_is_timed_beside_a_work_on_the_other_one(board: Board) -> None:
    answer = board.ask("run memory other=own:crc bytes=4096 samples=3 dither_us=0", step=0.05)
    assert answer[-1]["status"] == "ok"
    assert answer[-1]["checks"]["checked"] > 0
    samples = {line["series"]: line["values"] for line in answer if line["type"] == "samples"}
    assert min(samples["contended"]) > max(samples["alone"])


def test_works_compete_in_place_of_towers(board: Board) -> None:
    ask = "run contention workload=own:crc units=16 task0=work task1=work main=off yield=none window_ms=20 samples=1"
    answer = board.ask(ask, step=0.05)
    assert answer[-1]["status"] == "ok"
    counts = {line["name"]: line["count"] for line in answer if line["type"] == "series"}
    assert min(counts["task0.0"], counts["task1.1"]) > 100, "a work of 130 µs, in 20 ms"


def test_competitors_write_units_of_a_buffer_of_their_own(board: Board) -> None:
    answer = board.ask(COMPETE.format("matrix", 1, "task0=work task1=work main=off free=2"), step=0.05)
    assert answer[-1]["status"] == "ok"
    assert answer[-1]["checks"]["checked"] > 100
    answer = board.ask(COMPETE.format("together", 8, "task0=work task1=work main=off"), step=0.05)
    assert answer[-1]["status"] == "failed"


def test_competitors_have_no_more_units_of_a_buffer_than_there_are(board: Board) -> None:
    said = board.ask("check contention workload=own:fft units=1,2", step=0.05)
    assert [line["text"] for line in said if line["type"] == "impossible"] == [
        "the competitors together need more units than own:fft has: take fewer units or competitors"
    ]


# What the desk says


@pytest.fixture
def by_desk(
    program: Path,
    desk: None,  # noqa: ARG001 - an empty folder
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Any]:
    """Return what carries out a command of the tool, where the target pico-sim has this program."""
    image = Image(PICO, (program,), PICO.whole({}), "", "")
    monkeypatch.setattr(opening, "board_image", lambda *_: image)
    return lambda *words: command(monkeypatch, capsys, *words)


def found_in_run(kind: type[Kind]) -> Kind:
    with Store(Path("intercore.db")) as store:
        run = store.run()
    (one,) = of_kind(kind, of_own_work(analyse(run.measurements), run.measurements))
    return one


def test_the_desk_lists_what_a_program_adds(by_desk: Callable[..., Any]) -> None:
    choices = {(row["benchmark"], row["name"]): row["choices"] for row in by_desk("list", "pico-sim")}
    assert choices["speedup", "workload"][-len(NAMES) :] == NAMES
    assert choices["message", "transport"][-1] == "mine"


@pytest.mark.parametrize("work", RIGHT)
def test_the_desk_measures_what_a_program_adds(by_desk: Callable[..., Any], work: str) -> None:
    document = by_desk("run", "pico-sim", "speedup", f"workload=own:{work}", "mode=pool", "samples=5")
    points = sorted(document["analysis"]["speedup"], key=lambda point: point["n"])
    assert points[0]["n"] == 2
    assert points[-1]["n"] >= RIGHT[work], "as many as it has"
    assert 1.5 < points[-1]["speedup_low"] <= points[-1]["speedup_high"] < 2
    assert found_in_run(SpeedupOwnPays).work == work


@pytest.mark.parametrize(("work", "kind", "slave"), [("banks", "conflicts", "sram0"), ("bridge", "waits", "apb")])
def test_what_a_work_is_known_to_lose_is_told_as_its_cause(
    by_desk: Callable[..., Any], work: str, kind: str, slave: str
) -> None:
    by_desk("run", "pico-sim", "speedup", f"workload=own:{work}", "n=4,16,64", "mode=pool", "samples=4")
    causes = found_in_run(SpeedupOwnLoss).causes
    assert causes is not None
    (cause,) = (one for one in causes if one.kind == kind)
    assert next(iter(cause.slaves_percent)) == slave


def test_a_core_that_waits_for_the_other_ones_longer_part_sleeps(by_desk: Callable[..., Any]) -> None:
    by_desk("run", "pico-sim", "speedup", "workload=own:uneven", "n=4,16,64", "mode=pool", "samples=4")
    told = found_in_run(SpeedupOwnLoss)
    assert told.causes is not None
    assert told.causes[0].kind == "sleep"
    assert 45 <= told.causes[0].share_percent < 50
    assert told.unexplained_percent is not None


def test_a_core_that_spins_until_the_other_one_is_done_has_no_cause(by_desk: Callable[..., Any]) -> None:
    by_desk("run", "pico-sim", "speedup", "workload=own:uneven", "n=4,16,64", "mode=spin", "samples=4")
    told = found_in_run(SpeedupOwnLoss)
    assert "sleep" not in {one.kind for one in told.causes or ()}
    assert not told.causes or told.unexplained_percent is not None


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two programs: INTERCORE_SLOW=1 runs it")
def test_a_work_costs_no_more_than_one_that_is_compiled_into_the_tree(tmp_path: Path) -> None:
    """To the cycle: the shortest of several T1, which the tick does not fall into."""
    tree = tmp_path / "firmware"
    shutil.copytree(ROOT / "firmware", tree)
    text = (EXAMPLES / "crc.c").read_text().partition("INTERCORE_WORKLOAD")[0]
    text = text.replace("<intercore_workload.h>", '"port.h"\n#include "workloads.h"').replace(
        "uint32_t crc(", "static uint32_t crc("
    )
    (tree / "workload" / "crc.c").write_text(
        f"{text}const struct ic_workload ic_workload_crc = {{.prepare = fill, .work = crc, .expected = crc}};\n"
    )
    listed = tree / "workload" / "workloads.h"
    listed.write_text(listed.read_text().replace("    X(aes)              \\\n", "    X(aes) \\\n    X(crc) \\\n"))
    own = ("-DIC_OWN=crc", f"-DIC_OWN_FILES={EXAMPLES / 'crc.c'}")
    shortest = []
    for sources, defines, name in ((tree, (), "crc"), (ROOT / "firmware", own, "own:crc")):
        board = started(built(sources, tmp_path / name.replace(":", "-"), *defines))
        ask = f"run speedup workload={name} n=16 samples=9 mode=pool dither_us=0"
        answer = board.ask(ask, step=0.05)
        assert answer[-1]["status"] == "ok"
        t1 = [value for line in answer if line.get("series") == "t1" for value in line["values"]]
        shortest.append(min(t1))
    assert abs(shortest[0] - shortest[1]) <= 1, shortest
