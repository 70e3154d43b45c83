"""What `make dist` builds, on a bare Debian that has Python and nothing else: INTERCORE_SLOW=1, root, and dist/."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from tests.built_once import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DIST = ROOT / "dist"
MOST_S = 120.0
"""Of processor time, from the wheel to the first page."""

pytestmark = [
    pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes; set INTERCORE_SLOW=1"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may enter another root folder"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def wheel() -> Path:
    (found,) = DIST.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def debian(
    tmp_path_factory: pytest.TempPathFactory, wheel: Path
) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """A bare Debian with Python: runs a command there, in /home."""
    folder = tmp_path_factory.mktemp("debian") / "root"
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    only = ["--variant=minbase", "--include=python3,python3-venv", "--quiet"]
    subprocess.run(["mmdebstrap", *only, suite, folder], check=True)
    # Its packages come to it by file: whether a network is there is not the question.
    shutil.copy(wheel, folder / "home")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", folder / "wheels"]
    versions = folder / "constraints.txt"  # without hashes: with them, pip would have one for our wheel, too
    versions.write_text(re.sub(r" \\\n +--hash=\S+", "", (ROOT / "constraints.txt").read_text("utf-8")), "utf-8")
    subprocess.run([*fetch, "--constraint", versions, wheel], check=True)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        inside = 'mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -c "cd /home && exec \\"\\$@\\"" sh "$@"'
        environment = {"PATH": "/intercore/bin:/usr/bin:/usr/sbin:/bin", "HOME": "/home", "PIP_NO_INDEX": "1"}
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", inside, folder, *words],
            env={**environment, "PIP_FIND_LINKS": "/wheels", "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run("python3", "-m", "venv", "/intercore").returncode == 0
    yield run
    shutil.rmtree(folder)


def processor_s() -> float:
    """Seconds that commands have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_two_commands_go_from_the_wheel_to_the_first_page(
    debian: Callable[..., subprocess.CompletedProcess[str]], wheel: Path
) -> None:
    before = processor_s()
    installed = debian("pip", "install", "--quiet", wheel.name)
    assert installed.returncode == 0, installed
    measured = debian("intercore", "run", "pico-sim", "suite")
    took = processor_s() - before
    assert measured.returncode == 0, measured
    assert (measured.stdout + measured.stderr).rstrip().endswith("wrote /home/pico-sim-suite.html")
    assert took < MOST_S, f"{took:.0f} s of processor time"
    assert debian("test", "-s", "pico-sim-suite.html").returncode == 0


def test_the_image_that_it_brings_is_what_a_checkout_builds(
    debian: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    told = debian("intercore", "show", "1", "--format", "json")
    known = json.loads(told.stdout)["conditions"]
    assert known["image.digest"] == board_image(PICO, {}, lambda _: None).digest
    assert "/" not in known["compiler.flags"]  # no folder of whoever built it


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        (("run", "host", "suite"), "apt install gcc cmake make"),
        (
            ("run", "pico-sim", "clock", "--opt", "O3"),
            "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi cmake make",
        ),
        (("run", "pico-sim", "clock", "clock_mhz=48"), "only its build with -O2 needs none of them"),
    ],
)
def test_what_has_to_be_built_says_in_a_sentence_what_that_needs(
    debian: Callable[..., subprocess.CompletedProcess[str]], words: tuple[str, ...], needs: str
) -> None:
    refused = debian("intercore", *words)
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert needs in line


def test_the_doctor_names_the_image(debian: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    found = json.loads(debian("intercore", "doctor", "--format", "json").stdout)
    images = {one["target"]: one["state"] for one in found if one["what"] == "prebuilt image"}
    assert images == {"pico-sim": "ready", "pico-amp-sim": "ready"}


def test_licences_travel_with_what_they_are_of(wheel: Path) -> None:
    folder = "intercore/prebuilt/licences"
    with zipfile.ZipFile(wheel) as packed:
        texts = {
            name: packed.read(f"{folder}/{name}.txt").decode() for name in ("FreeRTOS", "newlib", "libgcc", "crates")
        }
    assert "Permission is hereby granted" in texts["FreeRTOS"]
    assert "newlib" in texts["newlib"].lower()
    assert "GCC Runtime Library Exception" in texts["libgcc"]
    assert "pyo3" in texts["crates"]
    assert (DIST / "firmware" / "licences" / "FreeRTOS.txt").read_text("utf-8") == texts["FreeRTOS"]


def test_no_file_has_a_path_of_the_machine_that_made_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            assert str(ROOT).encode() not in packed.read(name), name
    for path in (DIST / "firmware").rglob("*.elf"):
        assert str(ROOT).encode() not in path.read_bytes(), path


def test_the_sdist_has_all_sources_of_the_package() -> None:
    (path,) = DIST.glob("*.tar.gz")
    with tarfile.open(path) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    needed = {name for name in listed if name.startswith(("src/", "sim/src/", "sim/python/"))}
    firmware = {f"src/intercore/{name}" for name in listed if name.startswith("firmware/")}
    assert (needed | firmware) - {"src/intercore/firmware"} <= names  # which is a link in the checkout
    assert {"README.md", "LICENSE", "pyproject.toml"} <= names
