"""The benchmark `lock` of the real program: every lock keeps cores apart, and one that does not is found out."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.board.build import SANITIZE_VARIABLE
from tests.firmware.host.conftest import Terminal, series

if TYPE_CHECKING:
    from pathlib import Path

LOCKS = ("mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap")
NO_SPINLOCK = """
int pthread_spin_lock(void *lock) { (void)lock; return 0; }
int pthread_spin_unlock(void *lock) { (void)lock; return 0; }
"""


@pytest.fixture(autouse=True)
def _two_cores(terminal: Terminal) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("a lock is between two cores")


def ok(answer: list[dict[str, Any]]) -> dict[str, int]:
    end = answer[-1]
    assert end.get("status") == "ok", end
    checks: dict[str, int] = end["checks"]
    assert checks["checked"] == checks["done"] + 1, "the warm-up is checked, too"
    assert (checks["wrong"], checks["migrated"], checks["lost"]) == (0, 0, 0)
    return checks


@pytest.mark.parametrize("lock", LOCKS)
def test_every_lock_is_handed_over_there_and_back(terminal: Terminal, lock: str) -> None:
    answer = terminal.ask(f"run lock measure=hand-off lock={lock} from=0 to=1 samples=20 dither_us=20")
    ok(answer)
    for name in ("there", "back"):
        taken = series(answer)[name]
        assert len(taken) == 20
        assert all(ticks > 0 for ticks in taken), "nobody has it before it was released"


@pytest.mark.parametrize("lock", LOCKS)
def test_bouts_end_when_one_core_has_had_it_often_enough(terminal: Terminal, lock: str) -> None:
    answer = terminal.ask(f"run lock measure=contention lock={lock} cores=2 rounds=40 samples=10 dither_us=20")
    ok(answer)
    found = series(answer)
    ends = np.cumsum(found["bout"])
    assert len(ends) == 10
    counts = np.array([np.bincount(np.searchsorted(ends, found[f"taken.{core}"]), minlength=10) for core in (0, 1)])
    assert counts.shape == (2, 10), "nothing happens behind the last bout"
    assert np.all(counts.max(axis=0) == 40)
    assert all(np.all(np.diff(found[f"taken.{core}"]) > 0) for core in (0, 1))


@pytest.mark.parametrize("lock", ["atomic-add", "atomic-swap"])
def test_a_word_goes_to_and_fro_as_often_as_asked(terminal: Terminal, lock: str) -> None:
    short, long = (
        series(terminal.ask(f"run lock measure=ping-pong lock={lock} batch={batch} samples=15 dither_us=0"))
        for batch in (20, 2000)
    )
    assert len(short["round_trips"]) == len(long["round_trips"]) == 15
    assert 10 * min(short["round_trips"]) < min(long["round_trips"]), "100 times as many take longer"


@pytest.mark.skipif(bool(os.environ.get(SANITIZE_VARIABLE)), reason="a sanitizer has functions of its own in between")
def test_a_spinlock_that_is_none_is_found_out(program: Path, tmp_path: Path) -> None:
    source, library = tmp_path / "none.c", tmp_path / "none.so"
    source.write_text(NO_SPINLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    broken = Terminal(program, {"LD_PRELOAD": str(library)})
    broken.answer()
    end = broken.ask("run lock measure=contention lock=spinlock cores=2 rounds=2000 hold=100 samples=5 dither_us=20")[
        -1
    ]
    broken.close()
    assert end["status"] == "failed"
    assert end["checks"]["wrong"] > 0


def test_what_cannot_be_measured_is_refused(terminal: Terminal) -> None:
    for words in ("measure=ping-pong lock=spinlock", "measure=hand-off from=1 to=1", "measure=contention cores=1"):
        assert [line["type"] for line in terminal.ask(f"check lock {words}")] == ["impossible", "end"]
        assert terminal.ask(f"run lock {words} samples=3")[-1]["type"] == "error"


def test_bad_values_are_refused(terminal: Terminal) -> None:
    for word, code in (
        ("lock=padlock", "bad-value"),
        ("measure=speed", "bad-value"),
        ("to=65", "out-of-range"),
        ("batch=0", "out-of-range"),
        ("measure=contention rounds=100000 samples=1000", "out-of-range"),
    ):
        assert terminal.ask(f"run lock {word}")[-1]["code"] == code
