"""A user's own work from the desk: files that are measured, and files that are not, with a sentence that says why."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from tests.cli.tool import Result, Tool

pytestmark = pytest.mark.measures("speedup", "contention", "memory")

SLOW = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds a program: INTERCORE_SLOW=1 runs it")
EXAMPLES = ROOT / "examples" / "workloads"
PAGE = (ROOT / "docs" / "own-work.md").read_text("utf-8")
FEW = ("n=2,4,8", "samples=2", "--repetitions", "1", "--opt", "O1")
SUM = "uint32_t {name}(uint32_t first, uint32_t count) {{ {body} }}\nINTERCORE_WORKLOAD({name}, .units = 64)\n"


def written(tool: Tool, name: str, text: str) -> str:
    (tool.directory / name).write_text(f"#include <intercore_workload.h>\n{text}")
    return f"workload=./{name}"


def refused(tool: Tool, *words: str, status: int = 1, target: str = "host") -> str:
    """Return what is said of a run that does not begin: nothing of it is stored."""
    result = tool("run", target, "speedup", *words, *FEW)
    assert result.status == status, result
    assert "Traceback" not in result.err
    assert result.out == ""
    assert not tool.store.exists()
    return result.err


def sentence(result: Result) -> str:
    return " ".join(result.out.split())


# What needs no build


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("workload=./none.c",), "there is no file none.c. To create it: intercore new workload none"),
        (("workload=./none.rs",), ".c, .cc, .cpp, .cxx and .a"),
        (("workload=./a.c,./b.c",), "are separate workloads"),
        (("workload=fp", "--flag=-O3"), "workload: name the"),
        (("workload=./Big-Name.c",), "'Big-Name' is not a valid name"),
        (("workload=./crc.c", "--include", "nowhere"), "there is no folder nowhere"),
        (("workload=./crc.c", "--flag", "O3"), "--flag=O3 is not a compiler"),
    ],
)
def test_what_is_no_file_of_a_work_is_refused(tool: Tool, words: tuple[str, ...], told: str) -> None:
    for name in ("crc.c", "a.c", "b.c", "Big-Name.c"):
        (tool.directory / name).write_text("")
    assert told in refused(tool, *words, status=2)


def test_a_board_that_is_flashed_is_told_how_it_gets_a_work_of_ones_own(tool: Tool) -> None:
    said = refused(tool, written(tool, "crc.c", ""), "--port", "/dev/null", status=2, target="pico")
    assert "targets whose program" in said
    assert "give workload=own:crc" in said


def test_a_new_work_is_written_once_and_its_command_is_said(tool: Tool) -> None:
    result = tool("new", "workload", "fft").succeeded()
    assert "intercore run pico-sim speedup workload=./fft.c" in result.out
    text = (tool.directory / "fft.c").read_text()
    assert "uint32_t fft(uint32_t first, uint32_t count)" in text
    assert "NAME" not in text
    assert "exists: choose another" in tool("new", "workload", "fft").failed(2).error
    assert "cannot be the name of a workload" in tool("new", "workload", "../fft").failed(2).error


# What the compiler says, and what its output lacks


def test_what_is_included_and_is_not_there_is_said_as_the_compiler_says_it(tool: Tool) -> None:
    said = refused(tool, written(tool, "crc.c", '#include "nowhere.h"\n'))
    assert "the workload crc does not compile:" in said
    assert re.search(r'crc\.c:2:10: fatal error: "?nowhere\.h', said)


def test_what_does_not_compile_is_shown_as_the_compiler_said_it(tool: Tool) -> None:
    said = refused(tool, written(tool, "crc.c", "uint32_t crc(void) { return 1 }\n"))
    assert re.search(r"crc\.c:2:\d+: error: ", said)
    assert "return 1 }" in said
    assert "make" not in said


def test_a_file_without_an_entry_says_what_it_declares(tool: Tool) -> None:
    said = refused(tool, written(tool, "crc.c", SUM.format(name="other", body="return count + first * 0;")))
    assert "the workload crc: its files do not contain INTERCORE_WORKLOAD(crc, .units = N): they declare other" in said


@SLOW
def test_what_a_library_lacks_is_named(tool: Tool) -> None:
    body = "return magic(first) + count;"
    said = refused(tool, written(tool, "crc.c", "uint32_t magic(uint32_t);\n" + SUM.format(name="crc", body=body)))
    assert "magic is undefined" in said


@SLOW
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("while (first == first) { } return count;", "hangs: silent for 3 s"),
        ("*(volatile int *)8 = 1; return count;", "was killed by signal 11"),
    ],
)
def test_work_that_never_returns_or_writes_anywhere_ends_with_a_sentence(tool: Tool, body: str, told: str) -> None:
    work = written(tool, "crc.c", SUM.format(name="crc", body=body))
    result = tool("run", "host", "speedup", work, *FEW, "--timeout", "3")
    assert result.status == 1
    assert told in " ".join(result.err.split())


@SLOW
def test_work_that_hangs_before_it_is_timed_ends_with_a_sentence(tool: Tool) -> None:
    text = "static void fill(void) { for (volatile int i = 0; i == 0;) { } }\n"
    text += SUM.format(name="crc", body="return count + first * 0;").replace("= 64", "= 64, .prepare = fill")
    result = tool("run", "host", "speedup", written(tool, "crc.c", text), *FEW, "--timeout", "3")
    assert result.status == 1
    assert "hangs: silent for 3 s during a run" in " ".join(result.err.split())


@SLOW
def test_what_was_measured_before_a_work_hangs_is_stored(tool: Tool) -> None:
    """Of that run, too: which of its settings come before the one that hangs, its seed says."""
    body = "while (count == 8) { } return count + first * 0;"
    work = written(tool, "crc.c", SUM.format(name="crc", body=body))
    few = ("mode=create", "samples=2", "--repetitions", "1", "--opt", "O1", "--timeout", "3")
    tool("run", "host", "speedup", work, "n=2,4", *few).succeeded()
    result = tool("run", "host", "speedup", work, "n=2,3,4,5,6,7,8", *few)
    assert result.status == 1
    told = re.search(r"run 2 was interrupted: (\d+) of 7 measurements are in", " ".join(result.err.split()))
    assert told, result.err
    runs = {run["run"]: (run["done"], run["of"]) for run in tool("runs", "--format", "json").succeeded().json}
    assert runs == {1: (2, 2), 2: (int(told[1]), 7)}
    assert "own:crc" in tool("show", "1", "--format", "json").succeeded().out


@SLOW
@pytest.mark.parametrize("target", ["pico-sim", "pico-amp-sim"])
def test_work_that_writes_where_no_memory_is_ends_with_a_sentence_on_a_chip(tool: Tool, target: str) -> None:
    need_tools()
    body = "*(volatile uint32_t *)0x30000000U = 1; return count + first * 0;"
    work = written(tool, "crc.c", SUM.format(name="crc", body=body))
    result = tool("run", target, "speedup", work, *FEW)
    assert result.status == 1
    assert re.search(
        r"The target.s last message: a fault of the instruction at 0x[0-9a-f]{8}", " ".join(result.err.split())
    )


@SLOW
def test_state_that_is_not_shared_is_refused_by_name_where_each_core_has_a_kernel(tool: Tool) -> None:
    need_tools()
    text = "static uint32_t seen;\n" + SUM.format(name="crc", body="return seen += count + first;")
    said = refused(tool, written(tool, "crc.c", text), target="pico-amp-sim")
    assert "it keeps seen in memory of which each core would have its own" in said
    assert "PORT_SHARED" in said
    cpp = "struct Made { Made(); uint32_t value; };\nMade::Made() : value(7) {}\nstatic Made made;\n"
    text = cpp + SUM.format(name="crc", body="return made.value * count + first * 0;")
    said = refused(tool, written(tool, "crc.cpp", text), target="pico-amp-sim")
    assert "it has a static constructor, of made, which would make an object for each core" in said


# What is measured


FINDINGS = {
    "speedup": {"speedup-own-pays", "speedup-own-does-not-pay"},
    "contention": {"contention-own-work"},
    "memory": set[str](),
}
"""What names the work, of each benchmark that takes one; an answer of memory does."""


def check_named(tool: Tool, benchmark: str, told: str, work: str = "crc") -> None:
    """Check that what the last run has told names the work."""
    found = tool("show", "--format", "json").succeeded().json["findings"]
    ours = [one for one in found if one["code"] in FINDINGS[benchmark]]
    assert {one["values"]["work"] for one in ours} == ({work} if FINDINGS[benchmark] else set())
    assert all(" ".join(one["text"].split()) in told for one in ours)
    assert re.search(rf"\b{work}\b", told), told


def test_the_page_does_what_it_says(tool: Tool) -> None:
    """Its file is the example's, and its commands print what was found of it; those for chips if there is time."""
    (block,) = re.findall(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert block == (EXAMPLES / "crc.c").read_text("utf-8")
    (tool.directory / "crc.c").write_text(block)
    commands = [shlex.split(line) for line in re.findall(r"^    intercore (run .*crc\.c.*)$", PAGE, re.MULTILINE)]
    assert len(commands) >= 3
    for command in commands:
        if command[1] != "host" and "INTERCORE_SLOW" not in os.environ:
            continue
        told = sentence(tool(*command).succeeded())
        check_named(tool, command[2], told)
    document = tool("show", "--format", "json").succeeded().json
    conditions = document["conditions"] if "conditions" in document else document["run"]["conditions"]
    text = str(conditions)
    assert "workload.name" in text
    assert "workload.digest" in text
    assert "workload.flags" in text


@SLOW
@pytest.mark.parametrize("target", ["host", "pico-sim", "pico-amp-sim"])
@pytest.mark.parametrize("file", sorted(path.name for path in EXAMPLES.glob("*.c*")))
def test_each_example_is_measured_by_one_command(tool: Tool, target: str, file: str) -> None:
    need_tools()
    result = tool("run", target, "speedup", f"workload={EXAMPLES / file}", "samples=5")
    assert result.status == 0, result
    check_named(tool, "speedup", sentence(result), work=file.partition(".")[0])


def test_a_work_competes_and_is_done_beside_another_core_here(tool: Tool) -> None:
    """With the program that the page's command has built."""
    shutil.copy2(EXAMPLES / "crc.c", tool.directory)
    few = ("--repetitions", "1")
    told = sentence(tool("run", "host", "contention", "workload=./crc.c", "window_ms=20", *few).succeeded())
    check_named(tool, "contention", told)
    told = sentence(tool("run", "host", "memory", "other=./crc.c", "bytes=4096", "samples=5", *few).succeeded())
    check_named(tool, "memory", told)


@SLOW
def test_own_work_on_amp_runs_in_memory_and_not_in_contention(tool: Tool) -> None:
    need_tools()
    crc = EXAMPLES / "crc.c"
    told = sentence(tool("run", "pico-amp-sim", "memory", f"other={crc}", "bytes=4096", "samples=5").succeeded())
    check_named(tool, "memory", told)
    failed = tool("run", "pico-amp-sim", "contention", f"workload={crc}").failed(2)
    assert "contention cannot be measured there: not applicable on AMP: no kernel schedules both cores" in failed.error


TABLE = """\
#define WORDS 3072U
static const uint32_t table[2U * WORDS] = {[0] = 1, [2U * WORDS - 1U] = 1};
uint32_t thrash(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        const volatile uint32_t *half = table + (unit % 16U < 8U ? 0 : WORDS);
        for (uint32_t i = 0; i < WORDS; i += 2U) {
            sum += half[i];
        }
    }
    return sum;
}
INTERCORE_WORKLOAD(thrash, .units = 16)
"""
"""Of its two tables of 12 kB in flash, one fits in the cache of 16 kB, and not both."""


@SLOW
def test_misses_of_the_flash_that_one_core_has_not_are_told_as_a_cause(tool: Tool) -> None:
    need_tools()
    work = written(tool, "thrash.c", TABLE)
    told = sentence(
        tool("run", "pico-sim", "speedup", work, "code=flash", "mode=pool", "n=4,8,16", "samples=3").succeeded()
    )
    assert re.search(r"waits for [\d.]+ % more than one core alone for misses of the flash's cache", told), told


@SLOW
@pytest.mark.parametrize("target", ["host", "pico-sim"])
def test_an_object_of_cpp_is_made_before_a_work_uses_it(tool: Tool, target: str) -> None:
    need_tools()
    text = """\
struct Made { Made(); uint32_t value; };
Made::Made() : value(7) {}
static Made made;
uint32_t made_work(uint32_t first, uint32_t count) { return made.value * count + first * 0; }
static uint32_t seven(uint32_t, uint32_t count) { return 7U * count; }
INTERCORE_WORKLOAD(made_work, .units = 64, .expected = seven)
"""
    tool("run", target, "speedup", written(tool, "made_work.cpp", text), *FEW).succeeded()


@SLOW
def test_own_work_links_the_targets_library_and_names_a_foreign_one(tool: Tool) -> None:
    need_tools()
    (tool.directory / "twice.c").write_text("unsigned twice(unsigned x) { return 2U * x; }\n")
    arm = ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb"]
    for compiler, archiver, name in (
        (["cc"], "ar", "libhost.a"),
        (arm, "arm-none-eabi-ar", "libchip.a"),
    ):
        subprocess.run([*compiler, "-c", "twice.c"], cwd=tool.directory, check=True)
        subprocess.run([archiver, "rcs", name, "twice.o"], cwd=tool.directory, check=True)
    body = "return twice(count) + first * 0;"
    text = "unsigned twice(unsigned);\n" + SUM.format(name="crc", body=body)
    work = written(tool, "crc.c", text)
    said = refused(tool, work, "--source", "libhost.a", target="pico-sim")
    assert "libhost.a is no library for the target's compiler" in said
    tool("run", "pico-sim", "speedup", work, "--source", "libchip.a", *FEW).succeeded()
    tool("run", "pico-amp-sim", "speedup", work, "--source", "libchip.a", *FEW).succeeded()


@SLOW
def test_a_name_that_the_c_library_has_is_refused_and_one_of_our_own_is_not(tool: Tool) -> None:
    text = SUM.format(name="write", body="return count + first * 0;")
    said = refused(tool, written(tool, "write.c", text))
    assert "the files of the workload write define write, and the program has that already or takes it from" in said
    text = SUM.format(name="fp", body="return count + first * 0;")
    tool("run", "host", "speedup", written(tool, "fp.c", text), *FEW).succeeded()


@SLOW
def test_a_new_work_builds_and_runs_and_so_does_one_in_a_folder_with_an_odd_name(tool: Tool) -> None:
    assert "placeholder" in tool("new", "workload", "fft").succeeded().out
    need_tools()
    tool("run", "pico-sim", "speedup", "workload=./fft.c", "samples=5").succeeded()
    found = tool("show", "--format", "json").succeeded().json
    assert found["warnings"] == []
    assert max(row["n"] for row in found["analysis"]["speedup"]) == 4096
    folder = tool.directory / "größe mit #1"
    folder.mkdir()
    (tool.directory / "fft.c").rename(folder / "fft.c")
    tool("run", "host", "speedup", f"workload=./{folder.name}/fft.c", *FEW).succeeded()


def test_a_run_of_a_work_is_shown_exported_compared_and_gone_on_with(tool: Tool) -> None:
    """Also when its file has gone: only to measure takes it. With the program that the page's command has built."""
    shutil.copy2(EXAMPLES / "crc.c", tool.directory)
    words = ("run", "host", "speedup", "workload=./crc.c", "n=64,256", "mode=create", "samples=2", "--repetitions", "1")
    tool(*words).succeeded()
    tool(*words).succeeded()
    with sqlite3.connect(tool.store) as store:
        for table, column in (("samples", "measurement"), ("measurements", "id")):
            store.execute(f"DELETE FROM {table} WHERE {column} = (SELECT max(id) FROM measurements)")  # noqa: S608
    tool("run", "--resume").succeeded()
    (tool.directory / "crc.c").unlink()
    shown = tool("show", "1", "--format", "json").succeeded().json
    assert shown["conditions"]["workload.name"] == "crc"
    assert {row["workload"] for row in shown["analysis"]["speedup"]} == {"own:crc"}
    pairs = tool("compare", "1", "2", "--format", "json").succeeded().json["pairs"]
    assert {pair["setting"]["n"] for pair in pairs} == {64, 256}
    tool("export", "1", "--to", "samples.csv").succeeded()
    assert "own:crc" in (tool.directory / "samples.csv").read_text()
    tool("report", "1", "--output", "page.html").succeeded()
    assert "own:crc" in (tool.directory / "page.html").read_text()


@SLOW
def test_two_builds_of_a_work_are_compared_by_turns(tool: Tool) -> None:
    """The flags, a condition of both, differ."""
    builds = ("--build", "opt=O1", "--build", "opt=O2", "--repetitions", "2")
    crc = f"workload={EXAMPLES / 'crc.c'}"
    done = tool("compare", "--alternate", "host", "speedup", crc, "n=256", "mode=create", *builds).succeeded()
    assert "compiler.flags: -std=c11 -O1 -g and -std=c11 -O2 -g" in " ".join(done.out.split())
    assert "speedup: time on one core (T1)" in done.out
    assert done.err.count("workload=own:crc") == 4


@SLOW
def test_several_files_folders_and_a_library_make_one_work(tool: Tool) -> None:
    folder = tool.directory / "headers"
    folder.mkdir()
    (folder / "twice.h").write_text("unsigned twice(unsigned x);\nunsigned thrice(unsigned x);\n")
    (tool.directory / "twice.c").write_text('#include "twice.h"\nunsigned twice(unsigned x) { return 2U * x; }\n')
    (tool.directory / "thrice.c").write_text("unsigned thrice(unsigned x) { return 3U * x; }\n")
    for command in (["cc", "-c", "thrice.c"], ["ar", "rcs", "libthrice.a", "thrice.o"]):
        subprocess.run(command, cwd=tool.directory, check=True)
    body = "uint32_t s = 0; while (count-- > 0) { s += twice(first) + thrice(first++); } return s * FACTOR;"
    work = written(tool, "crc.c", '#include "twice.h"\n' + SUM.format(name="crc", body=body))
    beside = ("--source", "twice.c", "--source", "libthrice.a", "--include", "headers", "--flag=-DFACTOR=3")
    tool("run", "host", "speedup", work, *beside, *FEW).succeeded()


@SLOW
def test_a_wrong_work_is_failed_and_its_first_unit_is_told(tool: Tool) -> None:
    text = (ROOT / "tests" / "own_work" / "wrong.c").read_text()
    (tool.directory / "beyond.c").write_text(text)
    result = tool("run", "host", "speedup", "workload=./beyond.c", *FEW)
    assert result.status == 1
    told = sentence(result)
    assert told.startswith("RESULTS WRONG: ")
    assert "Warning: beyond " in told
    findings = tool("show", "--format", "json").json["findings"]
    (found,) = (one for one in findings if one["severity"] == "error")
    assert found["code"] == "own-work-wrong-unit"
    assert (found["values"]["work"], found["values"]["mistake"]) == ("beyond", "beyond")
    assert found["values"]["split"]["cores"] == 2
    assert not any(one["values"].get("check") == "wrong" for one in findings), "causes in the target"
