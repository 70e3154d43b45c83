"""What is fetched is what was tested: each package by its hash, each action by its commit, with no index in a file."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.built_once import ROOT
from tests.test_repository import tracked

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = sorted((ROOT / "scripts/constraints").iterdir())
CONSTRAINTS = [ROOT / "constraints.txt", ROOT / "docs/constraints.txt", *GROUPS]
JOBS = [*sorted((ROOT / ".github/workflows").iterdir()), ROOT / "docs/ci.md"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
MAKE_VENV = (ROOT / "scripts/make-venv").read_text("utf-8")


def entries(constraints: Path) -> dict[str, list[str]]:
    """Return the words of each requirement by its name: what it pins, then its options."""
    lines = constraints.read_text("utf-8").replace("\\\n", " ").splitlines()
    found = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(words[0].partition("==")[0]): words for words in found}


def asked_for(constraints: Path) -> list[str]:
    """Return the requirements that a file of constraints is made from."""
    extras = PROJECT["project"]["optional-dependencies"]
    if constraints == ROOT / "docs/constraints.txt":
        return extras["docs"]
    if constraints == ROOT / "constraints.txt":
        tested = [one for name, some in extras.items() if name != "docs" for one in some]
        return [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], *tested]
    return PROJECT["dependency-groups"][constraints.stem]


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_requirement_has_one_version_and_its_hashes_and_nothing_else(constraints: Path) -> None:
    found = entries(constraints)
    assert found
    for pinned, *options in found.values():
        assert re.fullmatch(r"[\w.-]+==[\w.+!]+", pinned), pinned
        assert options, f"{pinned} has no hash"
        assert [option for option in options if not re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", option)] == []


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_constraints_name_all_that_the_project_asks_for_in_a_version_that_it_allows(constraints: Path) -> None:
    found = entries(constraints)
    for requirement in map(Requirement, asked_for(constraints)):
        name = canonicalize_name(requirement.name)
        if name != "intercore":
            assert name in found, f"{name}: make constraints"
            assert requirement.specifier.contains(found[name][0].partition("==")[2]), f"{name}: make constraints"


def test_each_group_of_the_project_has_its_constraints() -> None:
    assert {path.stem for path in GROUPS} == set(PROJECT["dependency-groups"])


def test_make_installs_nothing_without_its_hash() -> None:
    installs = re.findall(r"^\t.*(?:pip install|\$\(INSTALL\)).*$", MAKEFILE, re.MULTILINE)
    assert len(installs) >= 6
    fetching = [line for line in installs if "--no-deps --no-build-isolation --editable ." not in line]
    assert [line for line in fetching if "$(HASHED)" not in line] == []
    assert re.search(r"^HASHED := --require-hashes --no-deps --requirement$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"/pip\" install (.*) \\$", MAKE_VENV, re.MULTILINE) == [
        "$quiet --disable-pip-version-check --require-hashes --no-deps --requirement"
    ]


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.name)
def test_every_action_is_named_by_its_commit_and_says_which_version_that_is(job: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses: (.*)$", job.read_text("utf-8"), re.MULTILINE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_one_version_of_an_action_is_used_everywhere() -> None:
    used = {one for job in JOBS for one in re.findall(r"uses: (.*)$", job.read_text("utf-8"), re.MULTILINE)}
    assert len({one.partition("@")[0] for one in used}) == len(used)


def test_a_hosted_job_audits_all_that_is_fetched() -> None:
    job = (ROOT / ".github/workflows/audit.yml").read_text("utf-8")
    listed = re.search(r"for file in (.*); do", job)
    assert listed is not None
    assert {path for glob in listed[1].split() for path in ROOT.glob(glob)} == set(CONSTRAINTS)
    folders = re.search(r"for folder in (.*); do", job)
    assert folders is not None
    assert set(folders[1].split()) == {
        str(path.parent.relative_to(ROOT)) for path in tracked() if path.name == "Cargo.lock"
    }
