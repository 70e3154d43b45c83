"""The jobs of docs/ci.md, our own, the forms for issues and CITATION.cff have the shape that their readers want."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

BLOCKS = re.findall(
    r"^## ([\w ]+)\n\n```yaml\n(.*?)^```$", (ROOT / "docs/ci.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
SCHEMAS = {"GitHub Actions": "vendor.github-workflows", "GitLab": "vendor.gitlab-ci"}
OTHER_SCHEMAS = {
    "CITATION.cff": "vendor.citation-file-format",
    ".github/ISSUE_TEMPLATE/bug.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/board.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
}


def check(schema: str, path: Path) -> Result:
    """Hold a file against a schema that check-jsonschema carries: nothing is fetched."""
    return CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, str(path)])


def lint(server: str, job: str, folder: Path) -> Result:
    """Hold a job against the schema of its server."""
    path = folder / "job.yml"
    path.write_text(job, "utf-8")
    return check(SCHEMAS[server], path)


@pytest.mark.parametrize("name", OTHER_SCHEMAS)
def test_file_for_a_host_or_a_reader_matches_its_schema(name: str) -> None:
    done = check(OTHER_SCHEMAS[name], ROOT / name)
    assert done.exit_code == 0, done.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_our_own_workflow_is_as_its_server_wants_it(workflow: Path, tmp_path: Path) -> None:
    job = workflow.read_text("utf-8")
    done = lint("GitHub Actions", job, tmp_path)
    assert done.exit_code == 0, done.stdout
    assert lint("GitHub Actions", job.replace("runs-on:", "run-on:"), tmp_path).exit_code == 1
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", job)) <= targets


def test_there_is_a_job_for_each_server() -> None:
    assert [server for server, _ in BLOCKS] == list(SCHEMAS)
    for _, job in BLOCKS:
        assert "intercore check budgets.toml pico-sim --junit budgets.xml" in job


@pytest.mark.parametrize(("server", "job"), BLOCKS, ids=[server for server, _ in BLOCKS])
def test_a_job_is_as_its_server_wants_it(server: str, job: str, tmp_path: Path) -> None:
    done = lint(server, job, tmp_path)
    assert done.exit_code == 0, done.stdout
    broken = job.replace("runs-on:", "run-on:").replace("exit_codes: 3", "exit_code: 3")
    assert broken != job
    assert lint(server, broken, tmp_path).exit_code == 1
