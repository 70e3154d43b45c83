"""What each command does when all is well, on the real target `host`, and what it prints."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

import intercore
from intercore.benchmarks import registry
from intercore.cli.main import FIRST_COMMANDS
from intercore.record.store import Store
from tests.cli.tool import PATIENCE, PROGRAM, QUICK, Tool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.conftest import FakeBoard

COMMANDS = ("run", "list", "info", "doctor", "show", "runs", "report", "export", "shell", "build", "flash")
WIDTH = 100
ESCAPE = "\x1b"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


THREE = ("clock", "from=0", "to=0", "longest_us=1,2,3", "samples=5", "dither_us=10", "--repetitions", "1")
"""Three more measurements."""


# The program itself


def test_the_version_is_one_line(tool: Tool) -> None:
    assert tool.program("--version").succeeded().out == f"intercore {intercore.__version__}\n"


def test_what_a_command_loads_starts_no_threads(tool: Tool) -> None:
    program = """
import os, sys
from intercore.cli.main import main
try:
    main()
finally:
    print("numpy" in sys.modules, len(os.listdir("/proc/self/task")))
"""
    environment = tool.variables()
    environment.pop("OPENBLAS_NUM_THREADS", None)
    words = [sys.executable, "-c", program, "compare", "--help"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.splitlines()[-1] == "True 1"


def test_help_lists_every_command_and_where_to_start(tool: Tool) -> None:
    shown = tool.program("--help").succeeded().out
    for command in COMMANDS:
        assert re.search(rf"^\W*{command}\b", shown, re.MULTILINE), command
    assert f"Start with: {FIRST_COMMANDS[0]}" in shown


def test_without_a_command_it_says_what_to_type_first(tool: Tool) -> None:
    shown = tool()
    assert shown.status == 2
    assert shown.err == ""
    assert shown.out.count("\n") < 10
    first = re.findall(r"^ +(intercore .*?)  ", shown.out, re.MULTILINE)
    assert first == [*FIRST_COMMANDS]
    for command in first[:2]:
        assert "--seed" in tool(*command.split()[1:], "--seed", "-1").failed(2).error, "all else is right"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example_of_it(tool: Tool, command: str) -> None:
    shown = tool(command, "--help").succeeded().out
    assert re.search(rf"Examples?:\s+intercore {command}\b", shown)
    assert widest(shown) <= WIDTH


def test_the_examples_in_the_help_work(measured: Tool) -> None:
    """All but the one of `run`, whose default settings take their time, and of `shell`, which is typed."""
    with Store(measured.store) as store:  # the examples speak of run 3
        plan = store.run(1).plan
        for _ in range(2):
            store.create_run(plan, 12)
        measurement = store.run(1).measurements[0]
        factors = {name: measurement.factors[name] for name in plan.parts[0].levels}
        from intercore.record.plan import Setting  # noqa: PLC0415

        store.add(3, Setting(plan.parts[0].benchmark, factors, 0), measurement)
    for command in ("list", "info", "doctor", "show", "runs", "report", "export"):
        (example,) = re.findall(r"Examples?: (.*?)\n\s*\n", measured(command, "--help").out + "\n\n", re.DOTALL)
        for words in example.split(";"):
            program, *arguments = words.split()
            assert program == "intercore"
            measured(*arguments).succeeded()
    assert (measured.directory / "speedup.html").exists()
    assert (measured.directory / "samples.parquet").exists()


# list and info


def test_list_names_the_targets(tool: Tool) -> None:
    shown = tool.program("list").succeeded()
    assert "host" in shown.out
    assert "serial" in shown.out
    targets = [
        "host",
        "pico-sim",
        "pico-amp-sim",
        "pico2-riscv-sim",
        "stm32h745-sim",
        "pico",
        "pico-amp",
        "pico2-riscv",
        "stm32h745",
        "esp32",
        "esp32s3",
        "esp32p4",
        "esp32-qemu",
        "serial",
    ]
    assert [row["target"] for row in tool("list", "--format", "json").succeeded().json] == targets
    assert [row["target"] for row in rows(tool("list", "--format", "csv").succeeded().out)] == targets


@pytest.mark.measures("speedup")
def test_list_of_a_target_shows_every_parameter_with_its_values_and_default(tool: Tool) -> None:
    table = tool("list", "host").succeeded().out
    known = tool("list", "host", "--format", "json").succeeded().json
    assert {row["benchmark"] for row in known} >= {*registry.names()}
    listed = {row["name"]: row for row in known if row["benchmark"] == "speedup"}
    assert {"workload", "n", "cores", "mode", "join", "priority", "samples", "dither_us", "seed"} <= listed.keys()
    for row in known:
        assert row["name"] in table
        assert str(row["default"]) in table
    assert listed["mode"]["choices"] == ["create", "pool", "spin"]
    assert listed["cores"]["max"] == len(os.sched_getaffinity(0))
    assert (listed["n"]["min"], listed["mode"]["min"]) == (1, None)
    all_rows = rows(tool("list", "host", "--format", "csv").succeeded().out)
    spread = {row["name"]: row for row in all_rows if row["benchmark"] == "speedup"}
    assert spread.keys() == listed.keys()
    assert spread["mode"]["choices"] == "create pool spin"
    assert spread["mode"]["min"] == ""


def test_info_shows_the_conditions_of_what_is_measured(tool: Tool) -> None:
    facts = {row["condition"]: row["value"] for row in tool("info", "host", "--format", "json").succeeded().json}
    assert facts["target"] == "host"
    assert facts["cores"] == str(len(os.sched_getaffinity(0)))
    assert "-O2" in facts["compiler.flags"]
    assert {"chip", "clock", "scheduler.policy", "cpu.governor", "cpu.virtualisation", "os.kernel"} <= facts.keys()
    table = tool("info", "host").succeeded().out
    assert all(key in table for key in facts)
    assert {row["condition"] for row in rows(tool("info", "host", "--format", "csv").succeeded().out)} == facts.keys()


def test_looking_at_a_target_leaves_no_store_behind(tool: Tool) -> None:
    for words in (["list"], ["list", "host"], ["info", "host"]):
        tool(*words).succeeded()
    assert list(tool.directory.iterdir()) == []


# run, runs and show


@pytest.mark.measures("speedup")
def test_run_measures_stores_and_prints_the_table(tool: Tool) -> None:
    done = tool.program(
        "run", "host", "speedup", "n=1000,20000", "mode=create,pool", "samples=5", "--repetitions", "1", "-v"
    ).succeeded()
    assert "Speed-up on host: workload=fp" in done.out
    for word in ("T1", "TP", "95 %", "Karp–Flatt", "create", "pool", "1,000", "20,000", "break-even", "published"):
        assert word in done.out
    assert re.findall(r"^(\d)/4 ", done.err, re.MULTILINE) == ["1", "2", "3", "4"]
    assert [path.name for path in tool.directory.iterdir()] == ["intercore.db"]
    with Store(tool.store) as store:
        run = store.run()
    assert run.complete
    assert len(run.measurements) == 4
    assert all(len(measurement.samples("tp").ticks) == 5 for measurement in run.measurements)


def test_run_writes_the_page_it_is_asked_for_and_says_where_it_is(tool: Tool) -> None:
    page = tool.directory / "page.html"
    done = tool("run", "host", *QUICK, "--report", "page.html").succeeded()
    assert f"wrote {page}" in done.err
    assert page.read_text("utf-8").lstrip().lower().startswith("<!doctype html>")


def test_every_factor_level_and_repetition_is_measured_once(tool: Tool) -> None:
    levels = ("from=0", "to=0", "longest_us=10,20,30", "dither_us=0,1", "samples=2,3")
    tool("run", "host", "clock", *levels, "--repetitions", "2", "--seed", "7").succeeded()
    with Store(tool.store) as store:
        run = store.run()
    names = ("longest_us", "dither_us", "samples")
    taken = [(*(m.factors[name] for name in names), m.repetition) for m in run.measurements]
    assert len(taken) == len(set(taken)) == 3 * 2 * 2 * 2
    assert {m.factors["seed"] for m in run.measurements} == {7}


@pytest.mark.measures("speedup")
def test_factors_that_are_not_named_have_their_defaults(tool: Tool) -> None:
    tool("run", "host", "speedup", "n=10", "samples=1", "--repetitions", "1").succeeded()
    with Store(tool.store) as store:
        run = store.run()
    assert [m.factors["mode"] for m in sorted(run.measurements, key=lambda m: str(m.factors["mode"]))] == [
        "create",
        "pool",
        "spin",
    ]
    assert {(m.factors["workload"], m.factors["join"], m.factors["opt"]) for m in run.measurements} == {
        ("fp", "notify", "O2")
    }


def test_runs_lists_every_run_with_how_far_it_came(quick: Tool) -> None:
    quick("run", "host", *THREE).succeeded()
    assert [(row["run"], row["done"], row["of"]) for row in quick("runs", "--format", "json").json] == [
        (1, 6, 6),
        (2, 3, 3),
    ]
    assert [row["run"] for row in rows(quick("runs", "--format", "csv").succeeded().out)] == ["1", "2"]
    assert "clock" in quick("runs").succeeded().out


def test_show_prints_the_newest_run_or_the_one_asked_for(quick: Tool) -> None:
    quick("run", "host", *THREE).succeeded()
    assert quick("show", "--format", "json").succeeded().json["run"] == 2
    assert quick("show", "1", "--format", "json").succeeded().json["run"] == 1
    assert quick("show", "1").out != quick("show").out


@pytest.mark.measures("speedup")
def test_show_prints_the_points_as_csv(speedups: Tool) -> None:
    points = rows(speedups("show", "--format", "csv").succeeded().out)
    assert len(points) == 12
    assert {point["n"] for point in points} == {"1000", "3000", "10000", "30000"}
    for point in points:
        assert float(point["speedup"]) == pytest.approx(float(point["t1_us"]) / float(point["tp_us"]))


@pytest.mark.measures("speedup")
def test_the_wanted_efficiency_moves_the_break_even(speedups: Tool) -> None:
    def wanted(efficiency: str) -> set[float]:
        shown = speedups("show", "--efficiency", efficiency, "--format", "json").succeeded().json
        return {group["efficiency"] for group in shown["analysis"]["isoefficiency"].values()}

    assert wanted("0.5") == {0.5}
    assert wanted("0.95") == {0.95}
    assert "50%" in speedups("show", "--efficiency", "0.5").succeeded().out


def test_the_store_can_be_named_by_option_and_by_environment(tool: Tool) -> None:
    tool("run", "host", *QUICK, "--store", "mine.db").succeeded()
    assert [path.name for path in tool.directory.iterdir()] == ["mine.db"]
    by_option = tool("show", "--store", "mine.db").succeeded()
    assert tool("show", environment={"INTERCORE_STORE": "mine.db"}).succeeded() == by_option


def test_looking_at_runs_changes_nothing(measured: Tool) -> None:
    before = measured.store.read_bytes()
    for words in (["show"], ["show", "1", "--format", "json"], ["runs"], ["report"], ["export", "1", "--to", "x.csv"]):
        measured(*words).succeeded()
    assert measured.store.read_bytes() == before
    assert {path.name for path in measured.directory.iterdir()} == {"intercore.db", "intercore.html", "x.csv"}


# report and export


@pytest.mark.measures("speedup")
def test_report_writes_one_self_contained_page(speedups: Tool) -> None:
    done = speedups.program("report", "1", "-o", "page.html").succeeded()
    page = speedups.directory / "page.html"
    assert f"wrote {page}" in done.err
    text = page.read_text("utf-8")
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//""", text)
    assert "<svg" in text
    assert {path.name for path in speedups.directory.iterdir()} == {"intercore.db", "page.html"}


@pytest.mark.measures("speedup")
def test_a_report_draws_what_is_asked_for(speedups: Tool) -> None:
    """By size, a panel for each way of starting, of part of the run, after the figure of a paper."""
    words = ("report", "1", "-o", "page.html", "--axis", "n", "--panels", "mode", "--where", "n<=1000")
    speedups(*words, "--exhibit", "seed-000-figure-2").succeeded()
    text = (speedups.directory / "page.html").read_text("utf-8")
    assert text.count('id="seed-000-figure-2"') == 1
    assert text.index('id="seed-000-figure-2"') < text.index('id="answers"')
    assert "Speed-up over size" in text
    assert "mode=create" in text
    assert "10,000" not in text.split('aria-label="Speed-up by size"')[1].split('class="published"')[0]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_export_writes_every_sample(measured: Tool, suffix: str) -> None:
    path = measured.directory / f"samples.{suffix}"
    measured.program("export", "1", "--to", path).succeeded()
    table = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
    with Store(measured.store) as store:
        run = store.run(1)
    stored = [int(tick) for m in run.measurements for series in m.series for tick in series.ticks]
    assert table["ticks"].to_list() == stored
    assert {"longest_us", "time", "series", "index", "hz", "ns", "simulated", "failed"} <= set(table.columns)
    assert table.filter(pl.col("series") == "interval").height == 12 * 10


def test_export_without_polars_says_what_to_install(
    measured: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("polars", "polars.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "samples.csv"
    assert "pip install 'intercore[export]'" in measured.here("export", "1", "--to", str(path)).failed(1).error
    assert not path.exists()


# shell


def test_the_shell_carries_what_is_piped_to_the_target_and_shows_every_answer(tool: Tool) -> None:
    typed = "help\n\nrun clock to=zero\nrun clock to=0 longest_us=10 samples=3\n"
    shown = tool.program("shell", "host", typed=typed).succeeded()
    kinds = re.findall(r'^\{"type":"(\w+)"', shown.out, re.MULTILINE)
    assert kinds[0] == "hello"
    assert kinds.count("error") == kinds.count("begin") == 1
    assert kinds.index("error") < kinds.index("begin")
    assert kinds.count("series") >= 2
    assert kinds[-1] == "end"
    assert '"code":"bad-value"' in shown.out
    assert '"text":"run BENCHMARK name=value"' in shown.out
    assert " *" not in shown.out
    assert "damaged" not in shown.out


def test_a_script_of_several_runs_gets_an_answer_to_each(tool: Tool) -> None:
    typed = "run clock to=0 longest_us=5000 samples=20\nrun clock to=0 longest_us=100 samples=3\ninfo\n"
    shown = tool.program("shell", "host", typed=typed).succeeded()
    assert re.findall(r'"name":"longest_us","value":(\d+)', shown.out) == ["5000", "100"]
    assert '"code":"busy"' not in shown.out


def test_a_run_of_several_values_gets_an_answer_for_each(tool: Tool) -> None:
    run = "run clock to=0 longest_us=10,20000,30 samples=20\n"
    for typed in (run, f"{run}help\n"):
        shown = tool.program("shell", "host", typed=typed).succeeded()
        assert re.findall(r'"name":"longest_us","value":(\d+)', shown.out) == ["10", "20000", "30"]
        assert shown.out.count('"status":"ok"') == 1 + 3 + typed.count("help")


def test_a_line_that_no_target_can_read_does_not_end_the_shell(tool: Tool) -> None:
    shown = tool.program("shell", "host", typed="run clock to=\u00fc\nhelp *\nhelp\n").succeeded()
    assert '"text":"run BENCHMARK name=value"' in shown.out
    assert shown.out.count("cannot be sent to a target") == 2


def test_bytes_that_are_no_text_do_not_end_the_shell(tool: Tool) -> None:
    done = subprocess.run(
        [PROGRAM, "shell", "host"],
        cwd=tool.directory,
        env=tool.variables({"PYTHONIOENCODING": "utf-8:strict"}),
        input=b"run \xff\nhelp\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert b"Traceback" not in done.stderr
    assert b'"text":"run BENCHMARK name=value"' in done.stdout


def test_the_shell_says_that_nothing_can_be_typed(tool: Tool) -> None:
    closed = subprocess.run(
        ["sh", "-c", 'exec "$0" shell host <&-', PROGRAM],
        cwd=tool.directory,
        env=tool.variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert closed.returncode == 2
    assert closed.stderr.startswith("error: standard input is closed: ")
    assert "Traceback" not in closed.stderr


def test_the_shell_reaches_a_board(tool: Tool, board: FakeBoard) -> None:
    shown = tool.program("shell", "serial", "--port", board.url, typed="list\n").succeeded()
    assert '"benchmark"' in shown.out


# How it looks


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "host"],
        ["info", "host"],
        ["runs"],
        ["show"],
        pytest.param(["show", "2"], marks=pytest.mark.measures("speedup")),
        ["--help"],
        ["run", "--help"],
    ],
    ids=" ".join,
)
def test_tables_fit_100_columns_and_have_no_colour_in_a_pipe(measured: Tool, words: Sequence[str]) -> None:
    if words == ["show", "2"]:  # as wide as it gets
        levels = ("workload=integer,memory", "n=10000", "mode=create,spin", "join=notify,poll-tick", "priority=1,2")
        levels += ("cores=1,2", "dither_us=0,10", "samples=1", "--repetitions=1")
        measured("run", "host", "speedup", *levels).succeeded()
    shown = measured.program(*words).succeeded().out
    assert widest(shown) <= WIDTH
    assert ESCAPE not in shown
    for cut in ("…\n", "... "):
        assert cut not in shown or "--help" in words


def test_nothing_of_a_run_has_colour_in_a_pipe(tool: Tool) -> None:
    done = tool.program("run", "host", *QUICK).succeeded()
    assert ESCAPE not in done.out + done.err
    assert ESCAPE not in tool.program("run", "hots", "speedup").err


def on_terminal(tool: Tool, words: Sequence[str], environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Run the program on a terminal of its own; return its exit status and what was shown."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, *words],
        cwd=tool.directory,
        env=tool.variables(environment),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    shown = b""
    deadline = time.monotonic() + PATIENCE
    try:
        while select.select([master], [], [], deadline - time.monotonic())[0]:
            try:
                data = os.read(master, 65536)
            except OSError:  # Linux's way to say that nobody has the terminal open any more
                break
            if not data:
                break
            shown += data
        return process.wait(max(0.0, deadline - time.monotonic())), shown.decode()
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_a_terminal_gets_colour(tool: Tool) -> None:
    status, shown = on_terminal(tool, ["run", "host", *QUICK])
    assert status == 0
    assert ESCAPE + "[" in shown
    assert "Run 1 on host" in shown


def test_a_terminal_gets_no_colour_if_the_user_wants_none(tool: Tool) -> None:
    status, shown = on_terminal(tool, ["list"], {"NO_COLOR": "1"})
    assert status == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_an_error_on_a_terminal_is_a_sentence_too(tool: Tool) -> None:
    status, shown = on_terminal(tool, ["run", "hots", "speedup"])
    assert status == 2
    assert "did you mean 'host'?" in re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "Traceback" not in shown


def test_a_line_of_the_log_is_not_broken(tool: Tool, tmp_path: Path) -> None:
    """A log is read by programs, and a path that is broken in two cannot be copied."""
    long = tmp_path / ("a-rather-long-name-for-a-folder-" * 4)
    long.mkdir()
    done = tool("run", "host", *QUICK, "-v", "--report", long / "page.html").succeeded()
    assert all(re.fullmatch(r"\d/6 .* s|wrote .*page\.html", line) for line in done.err.splitlines())
    assert tool("export", "1", "--to", long / "x.csv").succeeded().err == f"wrote {long / 'x.csv'}\n"
