"""What would change the clock or stop a counter is kept from it while Intercore runs, and goes on afterwards."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

BOARD = Path(__file__).parents[3] / "firmware" / "board" / "esp32"
STANDIN = Path(__file__).parent / "power"
KINDS = range(3)
"""CPU frequency, APB frequency, light sleep."""


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., ctypes.CDLL]:
    """Return what builds the board's file with a configuration, on locks that are counted."""

    def built(*defines: str) -> ctypes.CDLL:
        library = tmp_path / "frequency.so"
        words = ["-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC", *defines]
        words += [f"-I{folder}" for folder in (BOARD, BOARD / "include", STANDIN)]
        sources = [BOARD / "clock" / "frequency.c", STANDIN / "pm.c", STANDIN / "hooks.c"]
        subprocess.run(["cc", *words, *sources, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))
        loaded.esp32_frequency_text.restype = ctypes.c_char_p
        return loaded

    return built


def test_each_lock_is_held_from_start_to_stop_and_given_back(build: Callable[..., ctypes.CDLL]) -> None:
    board = build("-DCONFIG_PM_ENABLE=1")
    for _ in range(2):
        assert board.existing() == 0
        board.esp32_frequency_hold()
        assert all(board.taken(kind) for kind in KINDS)
        assert b"do not hold" not in board.esp32_frequency_text()
        board.esp32_frequency_release()
        assert not any(board.taken(kind) for kind in KINDS)
    assert board.existing() == 0
    assert ctypes.c_int.in_dll(board, "mistakes").value == 0


@pytest.mark.parametrize("locks", range(3))
def test_where_a_lock_cannot_be_had_the_desk_is_told_that_times_do_not_hold(
    build: Callable[..., ctypes.CDLL], locks: int
) -> None:
    board = build("-DCONFIG_PM_ENABLE=1")
    ctypes.c_int.in_dll(board, "left").value = locks
    board.esp32_frequency_hold()
    assert board.esp32_frequency_text().endswith(b": times do not hold"), "which record/conditions.py warns of"
    board.esp32_frequency_release()
    assert board.existing() == 0
    assert ctypes.c_int.in_dll(board, "mistakes").value == 0


def test_without_power_management_there_is_nothing_to_hold(build: Callable[..., ctypes.CDLL]) -> None:
    board = build()
    board.esp32_frequency_hold()
    assert (board.existing(), board.esp32_frequency_text()) == (0, b"fixed")
    board.esp32_frequency_release()


def test_cores_whose_counters_stop_in_sleep_are_kept_awake_from_start_to_stop(
    build: Callable[..., ctypes.CDLL],
) -> None:
    board = build("-D__riscv=1")
    for _ in range(2):
        assert [board.may_sleep(core) for core in (0, 1)] == [1, 1]
        board.esp32_frequency_hold()
        assert [board.may_sleep(core) for core in (0, 1)] == [0, 0]
        assert board.esp32_frequency_text() == b"fixed"
        board.esp32_frequency_release()
    assert board.registered() == 0


@pytest.mark.parametrize("hooks", range(2))
def test_where_a_core_cannot_be_kept_awake_the_desk_is_told_that_times_do_not_hold(
    build: Callable[..., ctypes.CDLL], hooks: int
) -> None:
    board = build("-D__riscv=1")
    ctypes.c_int.in_dll(board, "hooks_left").value = hooks
    board.esp32_frequency_hold()
    assert board.esp32_frequency_text().endswith(b": times do not hold"), "which record/conditions.py warns of"
    board.esp32_frequency_release()
    assert board.registered() == 0


def test_xtensa_cores_sleep_on(build: Callable[..., ctypes.CDLL]) -> None:
    board = build()
    board.esp32_frequency_hold()
    assert [board.may_sleep(core) for core in (0, 1)] == [1, 1]
    board.esp32_frequency_release()
