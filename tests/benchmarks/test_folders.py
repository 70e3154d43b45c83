"""A benchmark is one folder: nothing else needs it, and it needs no other one."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import intercore
from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import Benchmark
from intercore.benchmarks.findings import UnknownBenchmark

PACKAGE = Path(intercore.__file__).parent
BENCHMARKS = PACKAGE / "benchmarks"
PARTS = ("benchmarks", "statistics", "comparison", "view")
IMPORT_ALL = f"""
import importlib, pkgutil, sys
for part in {PARTS}:
    package = importlib.import_module(f"intercore.{{part}}")
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith(".ground_truth"):
            importlib.import_module(found.name)
"""
"""A probe for the ground truth is on the simulator's side, and nothing but that loads it."""


def run(script: str, sources: Path) -> str:
    """Run it beside these sources, in an interpreter of its own, and return what it prints."""
    command = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    return subprocess.run(command, cwd=sources, env=environment, check=True, capture_output=True, text=True).stdout


def imported(path: Path) -> set[str]:
    """Return the names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return found


@pytest.mark.parametrize("benchmark", registry.names())
def test_a_benchmarks_folder_imports_no_other_one(benchmark: str) -> None:
    others = tuple(f"intercore.benchmarks.{other}" for other in registry.names() if other != benchmark)
    for path in (BENCHMARKS / benchmark).rglob("*.py"):
        assert not [name for name in imported(path) if name.startswith(tuple(f"{other}." for other in others))], path
        assert not imported(path) & {*others}, path


def test_what_analyses_loads_nothing_that_reaches_a_target() -> None:
    unwanted = ("serial", *(f"intercore.{part}" for part in ("board", "campaign", "link", "sim", "target")))
    loaded = run(IMPORT_ALL + "print(*sys.modules)", PACKAGE.parent).split()
    assert "intercore.benchmarks.message.prediction" in loaded
    assert [name for name in loaded if name in unwanted or name.startswith(tuple(f"{one}." for one in unwanted))] == []


def test_what_a_benchmark_measures_is_known_without_its_statistics() -> None:
    loaded = run(
        "import sys\nfrom intercore.benchmarks import registry\nregistry.known()\nprint(*sys.modules)", PACKAGE.parent
    )
    assert {f"intercore.benchmarks.{name}" for name in registry.names()} <= {*loaded.split()}
    assert not {"numpy", "scipy", "polars", "intercore.statistics", "intercore.view"} & {*loaded.split()}


@pytest.mark.parametrize("benchmark", registry.known(), ids=lambda one: one.name)
def test_a_benchmark_with_an_option_has_a_report_that_takes_it(benchmark: Benchmark) -> None:
    analysis = registry.analysis(benchmark.name)
    assert analysis is not None
    assert (analysis.report_with is None) == (benchmark.option is None)


GONE = ("jitter", "message", "speedup")
WITHOUT = f"""
from pathlib import Path
from intercore.benchmarks import registry, suite
from intercore.benchmarks.options import Options
from intercore.benchmarks.reports import reports
from intercore.document.run import run_document
from intercore.document.schema.generate import up_to_date
from intercore.page.page import write_page
from intercore.record.measurement import Part, Plan, Run
import intercore.cli
for command in pkgutil.iter_modules(intercore.cli.__path__):
    importlib.import_module(f"intercore.cli.{{command.name}}")
gone = {GONE}
assert not {{*gone}} & {{*registry.names()}}
assert all(list(suite.suite(name, "measured", amp=False)) == [{{}}] for name in gone)
parts = tuple(Part(name, {{}}) for name in (*registry.names(), *gone))
found = reports(Run(1, Plan("host", None, "suite", parts), "2026-01-01T00:00:00+00:00", "0", 0, ()), Options())
assert [report.benchmark for report in found.reports] == [part.benchmark for part in parts]
assert run_document(found)["analysis"]
write_page([found], Path("page.html"))
"""


def test_without_their_folders_all_others_work_as_before(tmp_path: Path) -> None:
    unread = shutil.ignore_patterns("firmware", "__pycache__", *GONE)
    shutil.copytree(PACKAGE, tmp_path / "intercore", ignore=unread)
    run(IMPORT_ALL + WITHOUT, tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(UnknownBenchmark(benchmark=benchmark).text in page for benchmark in GONE)
