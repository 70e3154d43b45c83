"""What makes a workload of the user's own: its files and name, and the digest that tells it from others."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board.cmake import complaint
from intercore.board.own_workload import NAME, conditions, digest, in_cpp, own_work
from intercore.board.sources import firmware_sources
from intercore.errors import IntercoreError, UsageError
from intercore.record.own_work import OwnWork, is_file

if TYPE_CHECKING:
    from pathlib import Path

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="a compiler says what a file includes")


def file(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def known_by(work: OwnWork) -> str:
    return digest(work, "cc", firmware_sources())


# Its files


def test_the_first_file_bears_its_name_and_paths_hold_wherever_the_build_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path / "fft.c")
    file(tmp_path / "libdsp.a")
    (tmp_path / "dsp").mkdir()
    monkeypatch.chdir(tmp_path)
    paths = [path.relative_to(tmp_path) for path in (tmp_path / "fft.c", tmp_path / "libdsp.a")]
    work = own_work(paths, [(tmp_path / "dsp").relative_to(tmp_path)], ["-O3"])
    assert work.files == (str(tmp_path / "fft.c"), str(tmp_path / "libdsp.a"))
    assert (work.folders, work.flags) == ((str(tmp_path / "dsp"),), ("-O3",))
    assert (work.name, work.level) == ("fft", "own:fft")
    assert not in_cpp(work)
    assert own_work([paths[1]], [], []).name == "dsp", "of a library, without lib"


@pytest.mark.parametrize("name", ["fft.cc", "fft.cpp", "fft.cxx"])
def test_a_file_in_cpp_takes_the_compiler_for_it(tmp_path: Path, name: str) -> None:
    assert in_cpp(own_work([file(tmp_path / name)], [], []))
    assert in_cpp(own_work([file(tmp_path / "fft.c"), tmp_path / name], [], []))


@pytest.mark.parametrize("name", ["Big.c", "2d.c", "a-b.c", "my fft.c", "fft.v2.c", "größe.c", "a" * 17 + ".c", ".c"])
def test_a_file_whose_name_is_none_of_a_function_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"at most 16 lower-case|cannot be a file of a workload"):
        own_work([file(tmp_path / name)], [], [])


def test_a_folder_is_no_file_whatever_it_is_called(tmp_path: Path) -> None:
    for name in ("fft.c", "fft"):
        (tmp_path / name).mkdir()
        with pytest.raises(UsageError, match=rf"{name} is a folder: name"):
            own_work([tmp_path / name], [], [])


@pytest.mark.parametrize("odd", [";", "|", '"', "\\", "$"])
def test_a_path_that_a_build_would_take_apart_is_refused(tmp_path: Path, odd: str) -> None:
    with pytest.raises(
        UsageError, match=rf"fft\.c contains the character {re.escape(odd)}, which the build does not support: rename"
    ):
        own_work([file(tmp_path / f"a{odd}b" / "fft.c")], [], [])


@pytest.mark.parametrize(
    ("flag", "says"),
    [
        ("O3", "=O3 is not a compiler flag"),
        ("", "= is not a compiler flag"),
        ("-O3;-g", "=-O3;-g contains the character ;, which the build does not support"),
        ("-DA=1|2", r"=-DA=1\|2 contains the character \|, which the build does not support"),
    ],
)
def test_what_is_no_flag_is_refused(tmp_path: Path, flag: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        own_work([file(tmp_path / "fft.c")], [], [flag])


@given(st.text(st.sampled_from("abz_09-:.A"), min_size=1, max_size=18))
def test_no_level_of_a_target_is_taken_for_a_file(name: str) -> None:
    """A workload's name, of the tree or added by a program, and a transport's with its device are none."""
    if "." not in name:
        assert not is_file(name)
        assert not is_file(f"own:{name}")
    assert not is_file(f"rpmsg-char:/dev/{name}")
    assert is_file(f"./{name.replace(':', '')}")
    assert is_file(f"{name.replace(':', '')}.c")


@given(st.from_regex(NAME, fullmatch=True))
def test_its_name_can_be_added_by_a_program_too(name: str) -> None:
    """intercore_add_workload() takes such names, and - besides (firmware/workload/own/own.c)."""
    assert len(name) <= 16
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")


# Its digest


@needs_compiler
@pytest.mark.parametrize("folder", ["plain", "with blanks", "größe", "a#b", "a%b", "a(b)'c", "a:b", "a=b&c"])
def test_the_digest_is_of_what_is_read_and_not_of_where_it_lies(tmp_path: Path, folder: str) -> None:
    texts = {"fft.c": '#include "twice.h"\n#include <intercore_workload.h>\n', "twice.h": "#include <stdint.h>\n"}
    known = []
    for place in (tmp_path / folder, tmp_path / "elsewhere"):
        for name, text in texts.items():
            file(place / name, text)
        known.append(known_by(own_work([place / "fft.c"], [], [])))
    assert known[0] == known[1]
    file(tmp_path / folder / "twice.h", "#include <stdint.h>\n#define TWICE 2\n")
    assert known_by(own_work([tmp_path / folder / "fft.c"], [], [])) != known[1], "a header is a part of it"


@needs_compiler
def test_the_digest_is_of_all_files_headers_and_libraries(tmp_path: Path) -> None:
    work = own_work(
        [
            file(tmp_path / "fft.c", '#ifdef WIDE\n#include "wide.h"\n#endif\n#include "dsp.h"\n'),
            file(tmp_path / "window.c", ""),
            file(tmp_path / "libdsp.a", "1"),
        ],
        [file(tmp_path / "include" / "dsp.h").parent],
        ["-DWIDE"],
    )
    file(tmp_path / "wide.h")
    known = {known_by(work)}
    for name in ("fft.c", "window.c", "libdsp.a", "include/dsp.h", "wide.h"):
        path = tmp_path / name
        path.write_text(f"{path.read_text()}/* changed */\n")
        known.add(known_by(work))
    assert len(known) == 1 + 5, "each of them tells"
    told = conditions(work, "cc", firmware_sources())
    assert (told["workload.name"], told["workload.flags"]) == ("fft", "-DWIDE")
    assert told["workload.digest"] in known


@needs_compiler
def test_what_a_digest_cannot_be_made_of_is_said(tmp_path: Path) -> None:
    work = own_work([file(tmp_path / "fft.c"), file(tmp_path / "libdsp.a")], [], [])
    (tmp_path / "libdsp.a").unlink()
    with pytest.raises(IntercoreError, match=r"libdsp\.a: No such file"):
        known_by(work)
    (tmp_path / "fft.c").write_text('#include "none.h"\n')
    with pytest.raises(IntercoreError, match=r"(?s)the workload fft does not compile:.*none.h: No such file"):
        known_by(work)


# What the linker says


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            [
                "ld: fft.o: in function `fft':",
                "fft.c:3: undefined reference to `sine'",
                "ld: x: undefined reference to `sine'",
            ],
            "sine is undefined",
        ),
        (
            [
                "ld: fft.o: in function `main':",
                "fft.c:3: multiple definition of `main'; main.o:main.c:9: first defined here",
            ],
            "main is defined twice",
        ),
        (
            ["ld: skipping incompatible /home/me/libdsp.a when searching", "undefined reference to `sine'"],
            "libdsp.a is not built for the target",
        ),
        (["ld: /my dsp/libdsp.a: file format not recognized"], "libdsp.a is not built for the target"),
        (
            ["/bin/ld: /home/me/libdsp.a(dsp.o): error adding symbols: file in wrong format", "ld returned 1"],
            "libdsp.a is not built for the target",
        ),
        (["ld: region `RAM' overflowed by 8 bytes", "ld: fft will not fit in region `RAM'"], "will not fit"),
    ],
)
def test_what_the_linker_cannot_do_is_a_sentence(lines: list[str], told: str) -> None:
    assert told in complaint(lines)
