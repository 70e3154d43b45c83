"""A folder as it was in an earlier revision of its git repository."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import platformdirs

from intercore.errors import IntercoreError, UsageError
from intercore.text import printable

_TIMEOUT_S = 120.0


def is_in_git(folder: Path) -> bool:
    """Whether a folder is in the work tree of a git repository."""
    try:
        return _text(folder, "rev-parse", "--is-inside-work-tree") == "true"
    except UsageError:
        return False


def at_revision(folder: Path, revision: str) -> Path:
    """Return a copy of a folder as a revision has it (`HEAD~1`, `v1.2`), made once for each content.

    Raises UsageError if the folder is in no repository, or the repository has no such revision of it.
    """
    top, prefix = (_text(folder, "rev-parse", option) for option in ("--show-toplevel", "--show-prefix"))
    named = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    commit = _text(folder, *named, f"{revision}^{{commit}}", otherwise=f"there is no revision {revision}")
    tree = _text(folder, *named, f"{commit}:{prefix}", otherwise=f"revision {revision} does not have this folder")
    known = platformdirs.user_cache_path("intercore") / "revisions" / tree
    if known.is_dir():
        return known
    known.parent.mkdir(parents=True, exist_ok=True)
    made = tempfile.mkdtemp(dir=known.parent)
    try:
        with tarfile.open(fileobj=io.BytesIO(_git(Path(top), "archive", "--format=tar", tree))) as archive:
            archive.extractall(made, filter="data")
        Path(made).rename(known)
    except (OSError, tarfile.TarError) as error:
        if known.is_dir():  # another process was faster
            return known
        raise IntercoreError(f"cannot copy {folder} as of {revision} to {known}: {error}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return known


def _text(folder: Path, *words: str, otherwise: str = "") -> str:
    return _git(folder, *words, otherwise=otherwise).decode().rstrip("\n")


def _git(folder: Path, *words: str, otherwise: str = "") -> bytes:
    """Return what git prints in a folder. UsageError if it fails, with `otherwise` where git itself says nothing."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],  # noqa: S607 - the user's git
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed: install it, or compare two folders (--firmware twice)") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git failed in {folder}: {error}") from None
    if done.returncode:
        raise UsageError(f"git in {folder}: {printable(done.stderr.decode(errors='replace').strip()) or otherwise}")
    return done.stdout
