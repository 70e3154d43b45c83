"""A user's own work from the desk: files that are measured, and files that are not, with a sentence that says why."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from tests.cli.tool import Result, Tool

pytestmark = pytest.mark.measures("speedup")

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
        (("workload=./none.c",), "there is no file none.c; to begin one: intercore new workload none"),
        (("workload=./none.rs",), "none.rs is no file of a workload: it ends with .c, .cc, .cpp, .cxx and .a"),
        (("workload=./a.c,./b.c",), "one workload of your own at a time"),
        (("workload=fp", "--flag=-O3"), "--flag is for a workload of your own"),
        (("workload=./Big-Name.c",), "'Big-Name' is no name of a function"),
        (("workload=./crc.c", "--include", "nowhere"), "there is no folder nowhere"),
        (("workload=./crc.c", "--flag", "O3"), "--flag=O3 is no flag of a compiler"),
    ],
)
def test_what_is_no_file_of_a_work_is_refused(tool: Tool, words: tuple[str, ...], told: str) -> None:
    for name in ("crc.c", "a.c", "b.c", "Big-Name.c"):
        (tool.directory / name).write_text("")
    assert told in refused(tool, *words, status=2)


def test_a_board_that_is_flashed_is_told_how_it_gets_a_work_of_ones_own(tool: Tool) -> None:
    said = refused(tool, written(tool, "crc.c", ""), "--port", "/dev/null", status=2, target="pico")
    assert "a workload of your own is for targets whose program is built here" in said


def test_a_new_work_is_written_once_and_its_command_is_said(tool: Tool) -> None:
    result = tool("new", "workload", "fft").succeeded()
    assert "intercore run pico-sim speedup workload=./fft.c" in result.out
    text = (tool.directory / "fft.c").read_text()
    assert "uint32_t fft(uint32_t first, uint32_t count)" in text
    assert "NAME" not in text
    assert "fft.c exists" in tool("new", "workload", "fft").failed(2).error
    assert "no name for a function" in tool("new", "workload", "../fft").failed(2).error


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
    assert "the workload crc: Its files declare no workload crc: they declare other" in said


@SLOW
def test_what_a_library_lacks_is_named(tool: Tool) -> None:
    body = "return magic(first) + count;"
    said = refused(tool, written(tool, "crc.c", "uint32_t magic(uint32_t);\n" + SUM.format(name="crc", body=body)))
    assert "magic is not there: the library is missing" in said


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
def test_state_that_is_not_shared_is_refused_by_name_where_each_core_has_a_kernel(tool: Tool) -> None:
    need_tools()
    text = "static uint32_t seen;\n" + SUM.format(name="crc", body="return seen += count + first;")
    said = refused(tool, written(tool, "crc.c", text), target="pico-amp-sim")
    assert "It keeps seen in memory of which each core would have its own" in said
    assert "PORT_SHARED" in said
    cpp = "struct Made { Made(); uint32_t value; };\nMade::Made() : value(7) {}\nstatic Made made;\n"
    text = cpp + SUM.format(name="crc", body="return made.value * count + first * 0;")
    said = refused(tool, written(tool, "crc.cpp", text), target="pico-amp-sim")
    assert "static constructor" in said or "It keeps" in said


# What is measured


SAID = {
    "speedup": r"(Two|\d+) cores (pay|do not pay) for crc (from|at).*mall work",
    "contention": r"The work is crc; other work can gain more or less",
    "memory": r"\bcrc\b",
}
"""By each benchmark that takes a work, in its answer."""


def test_the_page_does_what_it_says(tool: Tool) -> None:
    """Its file is the example's, and its commands print sentences of that form; those for chips if there is time."""
    (block,) = re.findall(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert block == (EXAMPLES / "crc.c").read_text("utf-8")
    (tool.directory / "crc.c").write_text(block)
    commands = [shlex.split(line) for line in re.findall(r"^    intercore (run .*crc\.c.*)$", PAGE, re.MULTILINE)]
    assert len(commands) >= 3
    for command in commands:
        if command[1] != "host" and "INTERCORE_SLOW" not in os.environ:
            continue
        told = sentence(tool(*command).succeeded())
        assert re.search(SAID[command[2]], told), told
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
    assert f"pay for {file.partition('.')[0]} " in sentence(result)


@SLOW
def test_two_builds_of_a_work_are_compared_by_turns(tool: Tool) -> None:
    """The flags, a condition of both, differ."""
    builds = ("--build", "opt=O1", "--build", "opt=O2", "--repetitions", "2")
    crc = f"workload={EXAMPLES / 'crc.c'}"
    done = tool("compare", "--alternate", "host", "speedup", crc, "n=256", "mode=create", *builds).succeeded()
    assert "compiler.flags: -std=c11 -O1 -g and -std=c11 -O2 -g" in " ".join(done.out.split())
    assert "speedup time on one core (T1)" in done.out
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
    result = tool("run", "host", "speedup", "workload=./beyond.c", *FEW, "-v")
    assert result.status == 1
    assert "beyond with n=" in result.err + result.out
    assert "writes beyond its part: unit " in " ".join((result.err + result.out).split())
