"""The jobs of docs/ci.md, and our own, are such as their build servers take, and their commands are ours."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = re.findall(
    r"^## ([\w ]+)\n\n```yaml\n(.*?)^```$", (ROOT / "docs/ci.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
SCHEMAS = {"GitHub Actions": "vendor.github-workflows", "GitLab": "vendor.gitlab-ci"}


def lint(server: str, job: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold a job against the schema of its server that check-jsonschema carries: nothing is fetched."""
    path = folder / "job.yml"
    path.write_text(job, "utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMAS[server], str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_our_own_workflow_is_as_its_server_wants_it(workflow: Path, tmp_path: Path) -> None:
    job = workflow.read_text("utf-8")
    done = lint("GitHub Actions", job, tmp_path)
    assert done.returncode == 0, done.stdout
    assert lint("GitHub Actions", job.replace("runs-on:", "run-on:"), tmp_path).returncode == 1
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", job)) <= targets


def test_there_is_a_job_for_each_server() -> None:
    assert [server for server, _ in BLOCKS] == list(SCHEMAS)
    for _, job in BLOCKS:
        assert "intercore check budgets.toml pico-sim --junit budgets.xml" in job


@pytest.mark.parametrize(("server", "job"), BLOCKS, ids=[server for server, _ in BLOCKS])
def test_a_job_is_as_its_server_wants_it(server: str, job: str, tmp_path: Path) -> None:
    done = lint(server, job, tmp_path)
    assert done.returncode == 0, done.stdout
    broken = job.replace("runs-on:", "run-on:").replace("exit_codes: 3", "exit_code: 3")
    assert broken != job
    assert lint(server, broken, tmp_path).returncode == 1
