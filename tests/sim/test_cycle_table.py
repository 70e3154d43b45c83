"""A new fact about time is one edit: INTERCORE_SLOW=1 pytest tests/sim/test_cycle_table.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="compiles for minutes: set INTERCORE_SLOW=1"),
    pytest.mark.timeout(1800),
]
CASES = "20000"
"""Random programs that both engines execute."""


@pytest.fixture
def simulator(tmp_path: Path) -> Path:
    """A copy of the simulator's sources."""
    copy = tmp_path / "sim"
    shutil.copytree(ROOT / "sim", copy, ignore=shutil.ignore_patterns("target", "python", "fuzz"))
    manifest = copy / "Cargo.toml"
    text = manifest.read_text("utf-8").replace('members = ["python"]', "members = []")
    manifest.write_text(text.replace('exclude = ["fuzz"]', "exclude = []"), "utf-8")
    return copy


def cargo_test(simulator: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "sim/target"),  # what was built of other crates counts
        "PROPTEST_CASES": CASES,
        "PROPTEST_RNG_ALGORITHM": "xs",
    }
    words = ["cargo", "test", "--quiet", "--release", "--test", "all", "--", *tests]
    return subprocess.run(words, cwd=simulator, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("instruction", "test"),
    [
        ("LOAD_MULTIPLE", "loads_and_stores_of_n_registers_take_one_and_n_cycles"),
        ("STORE", "a_load_or_store_takes_two_cycles_on_the_bus"),
    ],
)
def test_one_edit_of_the_cycle_table_changes_every_engine(simulator: Path, instruction: str, test: str) -> None:
    table = simulator / "src/isa/armv6m/cycles.rs"
    pattern = rf"(const {instruction}: Cycles = Cycles {{ idle: )0"
    changed, count = re.subn(pattern, r"\g<1>1", table.read_text("utf-8"))
    assert count == 1
    table.write_text(changed, "utf-8")
    slower = cargo_test(simulator, test)
    assert slower.returncode != 0, "the instruction takes no cycle more"
    assert f"{test} ... FAILED" in slower.stdout or f"cycles::{test}" in slower.stdout, slower.stdout[-2000:]
    equal = cargo_test(simulator, "engines::two_cores_run_apart", "engines::programs_in_c")
    assert equal.returncode == 0, (equal.stdout[-3000:], equal.stderr[-3000:])
