"""Outputs: what they may replace, and what is left of them when their process is killed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError, UsageError
from intercore.files import replacement as outputs
from intercore.files.replacement import BASELINE, replacement

if TYPE_CHECKING:
    from pathlib import Path

OLD = b'{"kind":"intercore baseline"}\nof yesterday\n'
NEW = b'{"kind":"intercore baseline"}\nof today\n'


def put(path: Path, *, force: bool = False) -> None:
    with replacement(path, BASELINE, force=force) as file:
        file.write(NEW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "output.txt"


@pytest.mark.parametrize("before", [None, b"", OLD], ids=["nothing", "an empty file", "an older output"])
def test_an_output_takes_the_place_of(path: Path, before: bytes | None) -> None:
    if before is not None:
        path.write_bytes(before)
    put(path)
    assert path.read_bytes() == NEW
    assert list(path.parent.iterdir()) == [path]


KINDS = [kind for kind in vars(outputs).values() if isinstance(kind, outputs.Kind)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "other", [b"SQLite format 3\0" + bytes(100), b'runs = ["host"]\n', b"my thesis", b"PAR1 of another program"]
)
def test_no_kind_of_output_replaces_a_store_a_plan_or_a_persons_work(
    path: Path, kind: outputs.Kind, other: bytes
) -> None:
    path.write_bytes(other)
    with pytest.raises(UsageError, match=r"output\.txt .*--force"), replacement(path, kind):
        pytest.fail("it begins to write")
    assert path.read_bytes() == other
    with replacement(path, kind, force=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_what_comes_while_an_output_is_written_is_left_as_it_is(path: Path) -> None:
    with pytest.raises(UsageError), replacement(path, BASELINE):
        path.write_bytes(b"a store that another process has made")
    assert path.read_bytes() == b"a store that another process has made"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755], ids=oct)
def test_an_output_keeps_the_mode_of_what_it_replaces(path: Path, mode: int) -> None:
    path.write_bytes(OLD)
    path.chmod(mode)
    put(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_output_has_the_mode_that_the_user_gives_new_files(path: Path) -> None:
    before = os.umask(0o027)
    try:
        put(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root may give a file away")
def test_an_output_keeps_the_owner_of_what_it_replaces(path: Path) -> None:
    path.write_bytes(OLD)
    os.chown(path, 1234, 4321)
    put(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


def test_temporary_names_cannot_be_foretold_and_a_link_in_their_place_is_not_followed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = path.parent / "victim"
    victim.write_bytes(b"another's")
    seen = set()
    for _ in range(2):
        with replacement(path, BASELINE):
            seen |= {entry.name for entry in path.parent.iterdir()} - {"victim", path.name}
    assert len(seen) == 2
    assert not any(str(os.getpid()) in name.split(".") for name in seen)
    monkeypatch.setattr("secrets.token_hex", lambda _: "0")
    (path.parent / f".{path.name}.0.partial").symlink_to(victim)
    with pytest.raises(IntercoreError, match=r"cannot write .*output\.txt"):
        put(path)
    assert victim.read_bytes() == b"another's"


def test_a_link_at_an_outputs_path_is_replaced_and_not_followed(path: Path) -> None:
    other = path.parent / "other.txt"
    other.write_bytes(OLD)
    path.symlink_to(other)
    put(path)
    assert (other.read_bytes(), path.read_bytes(), path.is_symlink()) == (OLD, NEW, False)


def test_what_a_killed_process_left_is_cleared_and_what_a_living_one_writes_is_not(path: Path) -> None:
    script = f"""
        import sys
        from pathlib import Path
        from intercore.files.replacement import BASELINE, replacement
        with replacement(Path({str(path)!r}), BASELINE) as file:
            file.write(b"half")
            file.flush()
            print("writes", flush=True)
            sys.stdin.read()
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"writes\n"
        neighbour = path.parent / f".{path.name}.of-a-person.partial"
        neighbour.touch()
        put(path)
        assert len(list(path.parent.glob(".*.partial"))) == 2
        other.kill()
    assert len(list(path.parent.glob(".*.partial"))) == 2
    put(path)
    assert sorted(path.parent.iterdir()) == sorted([path, neighbour])


def test_a_pipe_at_an_outputs_path_is_left_as_it_is_even_by_force(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(IntercoreError, match="plain file"):
        put(path, force=True)
    assert path.is_fifo()
