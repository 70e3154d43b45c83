"""CONTRIBUTING.md is carried out: what it adds works, for as few edited files as it says; what it adds may go, too."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from scripts.checks import SAME_CASES, TOGETHER

from intercore.benchmarks import registry
from tests.built_once import ROOT
from tests.contributing_blocks import blocks
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from pathlib import Path

SLOW = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes; INTERCORE_SLOW=1 runs it")
TOOL = "from intercore.cli.main import main; main()"
PATIENCE = 900.0
HOUR = 3600
MANY = (*TOGETHER, *SAME_CASES)
OTHER_TESTS = {
    "python": (
        *MANY,
        "tests",
        "--ignore=tests/cli",
        "--ignore=tests/firmware",
        "--ignore=tests/test_contributing.py",
    ),
    "cli": (*MANY, "tests/cli"),
    "firmware": (*MANY, "tests/firmware", "--ignore=tests/firmware/host"),
    "host": ("tests/firmware/host", *SAME_CASES),
}
"""All but those of this file, in the parts that `make test` passes."""
TARGETS = ("host", "pico-amp-sim", *(["pico-sim"] if "INTERCORE_SLOW" in os.environ else []))
"""With one kernel and with two; a chip with one has the program of this machine, built by another compiler."""
EDITED_AT_MOST = {"Add a benchmark": 2, "Add a workload": 1, "Add a transport": 1, "Add an output format": 0}
"""Sections of CONTRIBUTING.md, and how many files that are there already each may edit."""


class Tree:
    """A copy of the repository, to be changed and used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            source, target = ROOT / name, folder / name
            if source.is_symlink() or source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)
        (module,) = (ROOT / "src/intercore").glob("_native.*.so")
        shutil.copy2(module, folder / "src/intercore")
        for words in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)

    def add(self, name: str, text: str) -> None:
        """Write a file that is not there yet."""
        path = self.folder / name
        assert not path.exists(), name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def insert(self, name: str, after: str, line: str) -> None:
        """Put a line into a file, behind the first one that matches."""
        lines = (self.folder / name).read_text().split("\n")
        at = next(number for number, known in enumerate(lines) if re.search(after, known))
        (self.folder / name).write_text("\n".join([*lines[: at + 1], line, *lines[at + 1 :]]))

    def remove(self, name: str) -> None:
        path = self.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def edited(self) -> set[str]:
        """The files that have been there before and are now other ones."""
        told = subprocess.run(
            ["git", "diff", "--name-only"], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return set(told.stdout.split())

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {**kept, "PYTHONPATH": f"{self.folder / 'src'}:{self.folder}"}

    def python(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Python on the copy, in a folder beside it."""
        desk = self.folder.parent / "desk"
        desk.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, *words],
            cwd=desk,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0 or not check, (words, done.stdout[-3000:], done.stderr[-3000:])
        return done

    def intercore(self, *words: str) -> str:
        return self.python("-c", TOOL, *words).stdout

    def json(self, *words: str) -> Any:  # noqa: ANN401 - whatever JSON has
        return json.loads(self.intercore(*words, "--format", "json"))

    def page(self) -> str:
        """The page about the newest run."""
        self.intercore("report", "-o", "page.html")
        return (self.folder.parent / "desk" / "page.html").read_text()

    def pytest(self, *words: str) -> None:
        """Pass tests of the copy, without those that are slow."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
            cwd=self.folder,
            env={name: value for name, value in self.environment.items() if name != "INTERCORE_SLOW"},
            capture_output=True,
            text=True,
            timeout=HOUR,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-5000:]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    need_tools()
    return Tree(tmp_path / "tree")


def carry_out(tree: Tree, section: str) -> None:
    """Do what a section says."""
    for name, text in blocks(section).items():
        if not (tree.folder / name).exists():
            tree.add(name, text)
        elif text.startswith("|"):
            tree.insert(name, r"^\| \[`clock`\]", text.rstrip("\n"))
        else:
            tree.insert(name, r"^    (X|SMP_AND_AMP)\(\w+\) +\\$", text.rstrip("\n"))


class Grown(NamedTuple):
    """A copy to which everything has been added, and which files each section has edited."""

    tree: Tree
    edited: dict[str, set[str]]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """One copy for those that build it: each finds it as the one before has left it, and builds what has changed."""
    need_tools()
    tree = Tree(tmp_path_factory.mktemp("grown") / "tree")
    edited: dict[str, set[str]] = {}
    before = tree.edited()
    for section in EDITED_AT_MOST:
        carry_out(tree, section)
        now = tree.edited()
        edited[section] = now - before
        before = now
    tree.python("-m", "intercore.document.schema")
    subprocess.run(["git", "add", "--all"], cwd=tree.folder, check=True, capture_output=True)
    return Grown(tree, edited)


@pytest.mark.timeout(1800)
def test_what_is_added_as_it_says_is_built_measured_and_shown(grown: Grown) -> None:
    tree, edited = grown
    for section, most in EDITED_AT_MOST.items():
        assert len(edited[section]) <= most, (section, edited[section])
    tree.pytest(
        "tests/test_repository.py", "tests/firmware/test_sources.py", "tests/document", "tests/benchmarks/test_turns.py"
    )

    for target in TARGETS:
        found = tree.json("run", target, "turns")
        assert [one["turns"] for one in found["analysis"]["turns"]["settings"]] == [10, 100, 1000]
        assert all(row["checks"]["wrong"] == 0 for row in found["measurements"])
        shown = " ".join(tree.intercore("show").split())
        assert f"Turns of an empty loop on {target}" in shown
        assert "How long an empty loop takes (turns)" in tree.page()
        speedup = tree.json("run", target, "speedup", "workload=bits", "n=100", "mode=create", "samples=3")
        assert all(row["checks"]["wrong"] == 0 for row in speedup["measurements"])
        message = tree.json(
            *("run", target, "message", "transport=mailbox", "from=0", "to=1", "size=16", "measure=latency"),
            *("receiver=blocked,polling", "samples=5", "--repetitions=1"),
        )
        assert [row["checks"]["wrong"] for row in message["measurements"] if row["series"] == "latency"] == [0, 0]
    header, *rows = tree.intercore("runs", "--format", "tsv").splitlines()
    assert header.split("\t")[0] == "run"
    assert len(rows) == 3 * len(TARGETS)


def without(tree: Tree, benchmark: str) -> None:
    """Delete a benchmark: its folder, its C file, its line, and what is its own in docs and tests."""
    tree.remove(f"firmware/bench/{benchmark}.c")
    tree.remove(f"src/intercore/benchmarks/{benchmark}")
    tree.remove(f"docs/benchmarks/{benchmark}.md")
    for form in (f"test_{benchmark}.py", f"test_{benchmark}_*.py", f"{benchmark}_data.py"):
        for path in (tree.folder / "tests").rglob(form):
            path.unlink()
    listed = tree.folder / "firmware/bench/benchmarks.h"
    line = rf"^    SMP_(?:AND_AMP\({benchmark}\)|ONLY\({benchmark},.*?\)) +\\\n(?=    SMP_)"
    left, count = re.subn(line, "", listed.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert count == 1
    listed.write_text(left)
    table = tree.folder / "docs/benchmarks/README.md"
    table.write_text(re.sub(rf"^\| \[`{benchmark}`\].*\n", "", table.read_text(), flags=re.MULTILINE))
    for document in (tree.folder / "CONTRIBUTING.md", tree.folder / "docs/how-it-works.md"):
        named = rf"^.*`firmware/bench/{benchmark}\.c`.*\n"
        document.write_text(re.sub(named, "", document.read_text(), flags=re.MULTILINE))
    for path in tree.folder.glob("docs/**/*.md"):
        path.write_text(re.sub(rf"\[([^]]*)\]\([^)]*\b{benchmark}\.md[^)]*\)", r"\1", path.read_text()))
    tree.python("-m", "intercore.document.schema")
    subprocess.run(["git", "add", "--all"], cwd=tree.folder, check=True, capture_output=True)


@SLOW
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("benchmark", ["jitter", "speedup"])
def test_what_is_left_when_a_benchmark_is_deleted_is_measured_and_shown(grown: Grown, benchmark: str) -> None:
    """That of `Add a benchmark` has its place in the suite, as all others have."""
    tree, _ = grown
    without(tree, benchmark)
    found = tree.json("run", "pico-sim", "suite", "--repetitions=1")
    assert found["complete"]
    measured = {row["benchmark"] for row in found["measurements"]}
    assert measured == {path.parent.name for path in tree.folder.glob("src/intercore/benchmarks/*/__init__.py")}
    assert benchmark not in measured
    assert "turns" in measured
    page = tree.page()
    assert all(f"({name})</span></a>" in page for name in measured - {"speedup"})


@SLOW
@pytest.mark.timeout(2 * HOUR)
@pytest.mark.parametrize("part", OTHER_TESTS)
@pytest.mark.parametrize("benchmark", ["jitter", "speedup"])
def test_every_other_test_passes_without_a_benchmark(tree: Tree, benchmark: str, part: str) -> None:
    """Those that take it for an example of something else are left out (`pytest.mark.measures`, tests/conftest.py)."""
    without(tree, benchmark)
    tree.pytest(*OTHER_TESTS[part])


@SLOW
@pytest.mark.timeout(1800)
def test_a_peripheral_is_a_file_its_tests_and_lines_in_two_others(tree: Tree) -> None:
    """Its own tests run programs that use its registers, its interrupt and its request signal."""
    for name, text in blocks("Add a peripheral of the RP2040").items():
        if not (tree.folder / name).exists():
            tree.add(name, text)
            continue
        module, *entry = text.splitlines()
        tree.insert(name, r"^(pub )?mod pwm;", module)
        for line in entry:
            tree.insert(name, r"^    dma: ", line)
    assert tree.edited() == {"sim/src/rp2040/peripherals.rs", "sim/tests/peripherals.rs"}

    def cargo(*words: str, **variables: str) -> str:
        """Share what is built of other crates, which are the same."""
        done = subprocess.run(
            ["cargo", *words],
            cwd=tree.folder / "sim",
            env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "sim/target"), **variables},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, (words, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout

    tests = ("--locked", "--package", "intercore-sim-tests")
    cargo("fmt", "--check", "--all")
    assert "3 passed" in cargo("test", *tests, "peripherals::ramp")
    cargo("test", *tests, "documented", UPDATE_EXPECT="1")
    assert tree.edited() == {"sim/src/rp2040/peripherals.rs", "sim/tests/peripherals.rs", "docs/simulator.md"}
    assert "| RAMP | all | |" in (tree.folder / "docs/simulator.md").read_text()


def test_what_tests_say_they_measure_is_there() -> None:
    """A name that is misspelt would leave its test out for ever."""
    marks = [
        match[1]
        for path in (ROOT / "tests").rglob("*.py")
        for match in re.finditer(r"\bmark\.measures\(([^)]*)\)", path.read_text("utf-8"))
    ]
    named = {name for mark in marks for name in re.findall(r'"(\w+)"', mark)}
    assert named
    assert named <= {*registry.names()}
