"""A folder as an earlier revision of its repository has it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from intercore.board.revision import at_revision, is_in_git
from intercore.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two revisions of a folder, in one below which it is edited again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "repo with blanks"
    (root / "in" / "firmware").mkdir(parents=True)
    git(root, "init", "--quiet")
    for text in ("one", "two"):
        (root / "in" / "firmware" / "a.c").write_text(text)
        git(root, "add", "--all")
        git(root, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--message", text)
    (root / "in" / "firmware" / "a.c").write_text("three")
    return root


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def test_a_folder_is_as_the_revision_has_it_and_the_work_tree_stays(repository: Path) -> None:
    folder = repository / "in" / "firmware"
    assert [(at_revision(folder, name) / "a.c").read_text() for name in ("HEAD", "HEAD~1")] == ["two", "one"]
    assert (folder / "a.c").read_text() == "three"
    assert at_revision(folder, "HEAD") == at_revision(folder, "HEAD"), "made once"
    assert (at_revision(repository, "HEAD") / "in" / "firmware" / "a.c").read_text() == "two"


def test_what_is_not_there_is_said(repository: Path, tmp_path: Path) -> None:
    new = repository / "new"
    new.mkdir()
    for folder, revision, says in (
        (repository / "in", "v9", "there is no revision v9"),
        (repository / "in", "--exec=x", "there is no revision --exec=x"),
        (new, "HEAD", "revision HEAD does not have this folder"),
    ):
        with pytest.raises(UsageError, match=says):
            at_revision(folder, revision)
    assert is_in_git(repository / "in")
    assert not is_in_git(tmp_path / "missing")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert not is_in_git(elsewhere)
