"""The FreeRTOS kernel comes from where the user says, or by cargo; if it cannot be had, one sentence says why."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from intercore.board.kernel import KERNEL_VARIABLE, freertos_kernel
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shell scripts stand for cargo")


@pytest.fixture(autouse=True)
def no_cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def kernel(folder: Path, version: str = "V11.2.0") -> Path:
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "task.h").write_text(f'#define tskKERNEL_VERSION_NUMBER                     "{version}"\n')
    return folder


def cargo(tmp_path: Path, text: str) -> None:
    (tmp_path / "bin" / "cargo").write_text(f"#!/bin/sh\necho $1 >> {tmp_path}/said\n{text}\n")
    (tmp_path / "bin" / "cargo").chmod(0o755)


def metadata(tmp_path: Path, name: str = "freertos-next") -> str:
    package = {"name": name, "manifest_path": str(tmp_path / "crate" / "Cargo.toml"), "version": "0.12.0"}
    return f"if [ $1 = metadata ]; then echo '{json.dumps({'packages': [package], 'version': 1})}'; fi"


def said(tmp_path: Path) -> list[str]:
    return (tmp_path / "said").read_text().split()


def test_the_folder_of_the_variable_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KERNEL_VARIABLE, str(kernel(tmp_path / "mine", "V11.3.1+")))
    found = freertos_kernel(tmp_path, pytest.fail)
    assert (found.folder, found.version) == (tmp_path / "mine", "V11.3.1+")
    assert str(found) == f"FreeRTOS V11.3.1+ in {tmp_path / 'mine'} ({KERNEL_VARIABLE})"


def test_the_folder_that_is_named_is_taken_before_that_of_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KERNEL_VARIABLE, str(kernel(tmp_path / "mine")))
    other = kernel(tmp_path / "other", "V11.3.0")
    assert freertos_kernel(tmp_path, pytest.fail, other).folder == other
    with pytest.raises(UsageError, match=r"none \(--kernel\) is not a FreeRTOS kernel: --kernel must name the folder"):
        freertos_kernel(tmp_path, pytest.fail, tmp_path / "none")


@pytest.mark.parametrize("make", [lambda folder: folder.mkdir(), lambda _: None])
def test_a_folder_that_is_no_kernel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    make(tmp_path / "mine")  # type: ignore[operator]
    monkeypatch.setenv(KERNEL_VARIABLE, str(tmp_path / "mine"))
    with pytest.raises(IntercoreError, match=r"mine \(FREERTOS_KERNEL_PATH\) is not a FreeRTOS kernel"):
        freertos_kernel(tmp_path, pytest.fail)


@pytest.mark.parametrize("version", ["V10.6.2", "V11.1.0", "V9.0.0"])
def test_an_older_kernel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setenv(KERNEL_VARIABLE, str(kernel(tmp_path / "mine", version)))
    with pytest.raises(IntercoreError, match=f"V11.2 or later is needed, but .* is {version}"):
        freertos_kernel(tmp_path, pytest.fail)


def test_without_the_variable_cargo_says_where_it_is(tmp_path: Path) -> None:
    kernel(tmp_path / "crate" / "FreeRTOS-Kernel")
    cargo(tmp_path, metadata(tmp_path))
    assert freertos_kernel(tmp_path, pytest.fail).folder == tmp_path / "crate" / "FreeRTOS-Kernel"
    assert said(tmp_path) == ["metadata"], "what is there is not fetched"


def test_it_is_fetched_when_it_is_not_there(tmp_path: Path) -> None:
    kernel(tmp_path / "crate" / "FreeRTOS-Kernel")
    fetch = f"[ $1 = fetch ] && {{ echo > {tmp_path}/got; exit 0; }}; [ -e {tmp_path}/got ] || exit 101"
    cargo(tmp_path, f"{fetch}\n{metadata(tmp_path)}")
    told: list[str] = []
    assert freertos_kernel(tmp_path, told.append).version == "V11.2.0"
    assert said(tmp_path) == ["metadata", "fetch", "metadata"]
    assert told == ["fetching the FreeRTOS kernel (crate freertos-next)"]


def test_without_cargo_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IntercoreError, match=r"cargo was not found. Install Rust's cargo.*or set FREERTOS_KERNEL_PATH"):
        freertos_kernel(tmp_path, pytest.fail)


def test_a_cargo_that_fails_is_quoted(tmp_path: Path) -> None:
    cargo(tmp_path, "echo 'error: failed to download' >&2; echo 'Caused by:' >&2; echo '  no network' >&2; exit 101")
    with pytest.raises(IntercoreError, match=r": error: failed to download \(no network\)"):
        freertos_kernel(tmp_path, lambda _: None)


@pytest.mark.parametrize(("text", "says"), [("echo hello", "cannot be read"), ("@other", "does not name the crate")])
def test_a_cargo_that_talks_nonsense_is_an_error(tmp_path: Path, text: str, says: str) -> None:
    cargo(tmp_path, metadata(tmp_path, "other") if text == "@other" else text)
    with pytest.raises(IntercoreError, match=says):
        freertos_kernel(tmp_path, lambda _: None)
