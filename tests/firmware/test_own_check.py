"""What is said of a workload of the user's own before it is linked: its state on AMP, and names that are taken."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = ("cc", "c++", "ar", "nm", "objdump", "cmake")
pytestmark = pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason=f"needs {', '.join(TOOLS)}")

ALONE = ("-O1", "-fdata-sections", "-fno-pie")
"""As the firmware's objects are; a library of the user's may be compiled in any way."""
TOGETHER = ("-O1", "-fno-pie")
ENTRY = "const int intercore_workload_fft = 1;\n"
SHARED = '__attribute__((section(".shared.x")))'


def compiled(folder: Path, text: str, *flags: str, name: str = "fft.c") -> Path:
    source = folder / name
    source.write_text(text)
    target = source.with_suffix(".o")
    compiler = "cc" if source.suffix == ".c" else "c++"
    subprocess.run([compiler, *flags, "-c", source, "-o", target], check=True)
    return target


def library(folder: Path, name: str, *objects: Path) -> Path:
    subprocess.run(["ar", "rcs", folder / name, *objects], check=True)
    return folder / name


def said(script: str, *defines: str) -> str:
    """Return what the script says is wrong, in one line; nothing if nothing is."""
    words = [f"-D{define}" for define in ("NAME=fft", "NM=nm", "OBJDUMP=objdump", *defines)]
    command = ["cmake", *words, "-P", str(ROOT / "firmware" / script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return " ".join(done.stderr.split())


def on_amp(*files: Path) -> str:
    return said("own_check.cmake", "AMP=ON", f"FILES={'|'.join(map(str, files))}")


# State


@pytest.mark.parametrize("flags", [ALONE, TOGETHER])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("static int seen; int fft(void) { return seen++; }", "seen"),
        ("int seen = 3; int fft(void) { return seen++; }", "seen"),
        ("int fft(void) { static int calls; return calls++; }", "calls"),
        ("static int relay, release = 1; int fft(void) { return relay++ + release++; }", "relay, release"),
    ],
)
def test_state_that_is_not_shared_is_named(tmp_path: Path, flags: tuple[str, ...], text: str, names: str) -> None:
    told = on_amp(compiled(tmp_path, ENTRY + text, *flags))
    found = told.partition("it keeps ")[2].partition(" in memory")[0]
    assert sorted(found.split(", ")) == names.split(", "), told


def test_state_without_an_initial_value_is_named_where_the_linker_places_it(tmp_path: Path) -> None:
    assert "it keeps seen in memory" in on_amp(compiled(tmp_path, f"{ENTRY}int seen;", "-fcommon"))


@pytest.mark.parametrize("flags", [ALONE, TOGETHER])
def test_state_within_a_library_is_named(tmp_path: Path, flags: tuple[str, ...]) -> None:
    entry = compiled(tmp_path, ENTRY, *ALONE)
    beside = compiled(tmp_path, "static int seen; int twice(int x) { seen++; return 2 * x; }", *flags, name="twice.c")
    assert "it keeps seen in memory" in on_amp(entry, library(tmp_path, "libtwice.a", beside))


def test_state_has_the_name_that_its_source_has(tmp_path: Path) -> None:
    text = 'extern "C" { extern const int intercore_workload_fft = 1; } namespace dsp { int seen; }'
    assert "it keeps dsp::seen in memory" in on_amp(compiled(tmp_path, text, *ALONE, name="fft.cpp"))


def test_what_is_constant_or_shared_is_no_such_state(tmp_path: Path) -> None:
    text = (
        f"static const int table[] = {{1, 2}}; static int seen {SHARED}; int fft(int x) {{ return seen += table[x]; }}"
    )
    pointers = 'const char *const names[] = {"a", "b"};'
    for flags in (ALONE, TOGETHER, ("-O1", "-fPIC")):
        assert on_amp(compiled(tmp_path, f"{ENTRY}{text}{pointers}", *flags)) == ""


@pytest.mark.parametrize("flags", [ALONE, TOGETHER])
def test_a_static_constructor_is_refused_with_what_it_makes(tmp_path: Path, flags: tuple[str, ...]) -> None:
    text = 'extern "C" { extern const int intercore_workload_fft = 1; } int given(); static int made = given();'
    told = on_amp(compiled(tmp_path, f"{text} int fft() {{ return made++; }}", *flags, name="fft.cpp"))
    assert "it has a static constructor, of made, which would make an object for each core" in told


def test_of_one_kernel_any_state_is_right(tmp_path: Path) -> None:
    made = compiled(tmp_path, f"{ENTRY}static int seen; int fft(void) {{ return seen++; }}", *ALONE)
    assert said("own_check.cmake", "AMP=", f"FILES={made}") == ""


# Its entry, and what it is made of


def test_a_file_without_an_entry_is_told_what_it_lacks(tmp_path: Path) -> None:
    lacking = "do not contain INTERCORE_WORKLOAD(fft, .units = N): "
    assert f"{lacking}add that line, with the number of units" in on_amp(compiled(tmp_path, ""))
    other = compiled(tmp_path, "const int intercore_workload_crc = 1;")
    assert f"{lacking}they declare crc; the first file bears the name" in on_amp(other)


def test_what_is_no_library_is_named(tmp_path: Path) -> None:
    (tmp_path / "libjunk.a").write_text("no archive")
    told = on_amp(compiled(tmp_path, ENTRY), tmp_path / "libjunk.a")
    assert "libjunk.a is no library for the target's compiler" in told


# Names


def taken(tmp_path: Path, theirs: str, ours: str) -> str:
    made = compiled(tmp_path, ENTRY + theirs, *ALONE)
    program = library(tmp_path, "libours.a", compiled(tmp_path, ours, *ALONE, name="ours.c"))
    return said("own_names.cmake", f"FILES={made}", f"OURS={program}")


def test_a_name_of_the_program_or_of_what_it_calls_is_taken(tmp_path: Path) -> None:
    ours = "long write(int, const void *, unsigned long); int ring(void) { return (int)write(1, 0, 0); }"
    assert "define write, and the program has that already" in taken(tmp_path, "int write(void) { return 0; }", ours)
    assert "define ring, and" in taken(tmp_path, "int ring;", ours)
    assert "define main, and" in taken(tmp_path, "int main(void) { return 0; }", ours)


def test_a_name_of_ones_own_is_free(tmp_path: Path) -> None:
    ours = "extern const int intercore_workload_fft; static int twice(int x) { return 2 * x; }"
    theirs = "static int ring(void) { return 1; } int twice(void) { return ring(); } int fft(void) { return twice(); }"
    assert taken(tmp_path, theirs, f"{ours} int sum(void) {{ return twice(intercore_workload_fft); }}") == ""
