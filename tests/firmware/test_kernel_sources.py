"""The digest of a FreeRTOS kernel's sources: the same wherever they are, another one for a changed kernel."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from intercore.board.kernel import KERNEL_VARIABLE, freertos_kernel
from intercore.board.sources import firmware_sources
from tests.firmware.rp2040.conftest import need_tools

SCRIPT = """
include({firmware}/port/freertos/kernel_sources.cmake)
ic_freertos_digest(digest "{folder}")
ic_freertos_sources(words {version} ${{digest}})
message("${{words}}")
"""
PORTS = ("portable/GCC", "portable/ThirdParty/GCC", "portable/MemMang", "portable/Common")


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The kernel that the firmware pins, as cargo keeps it."""
    need_tools()
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)
    return freertos_kernel(firmware_sources() / "port" / "freertos" / "kernel", lambda _: None).folder


@pytest.fixture
def mine(pinned: Path, tmp_path: Path) -> Path:
    """A copy of what counts of it, at another path and of another date."""
    folder = tmp_path / "a kernel of mine"
    for part in ("include", *PORTS):
        shutil.copytree(pinned / part, folder / part, copy_function=shutil.copyfile)
    for path in pinned.glob("*.c"):
        shutil.copyfile(path, folder / path.name)
    os.utime(folder / "tasks.c", (0, 0))
    return folder


def said_of(folder: Path, version: str = "V11.2.0") -> str:
    """What the program is told to say of the kernel there."""
    script = folder.with_name("said.cmake")
    script.write_text(SCRIPT.format(firmware=firmware_sources(), folder=folder, version=version))
    done = subprocess.run(["cmake", "-P", str(script)], capture_output=True, text=True, check=True)
    return done.stderr.strip()


def computed(folder: Path) -> str:
    """The same digest, computed otherwise: what `sha256sum` prints of each file, and SHA-256 of that."""
    files = [*folder.glob("*.c"), *(folder / "include").rglob("*.h")]
    files += [path for part in PORTS for path in (folder / part).rglob("*.[chsS]")]
    lines = sorted(
        (path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest())
        for path in files
    )
    return hashlib.sha256("".join(f"{sum_}  {name}\n" for name, sum_ in lines).encode()).hexdigest()[:16]


def test_digest_of_the_pinned_kernel_ignores_place_and_line_endings(mine: Path) -> None:
    assert said_of(mine) == f"{computed(mine)}, unmodified"
    for path in mine.rglob("*.c"):
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    assert said_of(mine) == f"{computed(mine)}, unmodified"


@pytest.mark.parametrize("name", ["queue.c", "include/task.h", "portable/ThirdParty/GCC/RP2040/port.c"])
def test_a_patched_kernel_is_called_modified_and_has_another_digest(mine: Path, name: str) -> None:
    released = computed(mine)
    with (mine / name).open("a") as file:
        file.write("/* a patch */\n")
    assert computed(mine) != released
    assert said_of(mine) == f"{computed(mine)}, modified"


def test_of_a_version_that_is_not_known_here_nobody_says_that_it_is_unmodified(mine: Path) -> None:
    assert said_of(mine, "V11.2.0+").endswith(", not known whether modified")


def test_what_is_not_compiled_makes_no_other_kernel(mine: Path) -> None:
    (mine / "README.md").write_text("of a checkout")
    (mine / ".git").mkdir()
    (mine / "portable" / "IAR").mkdir()
    (mine / "portable" / "IAR" / "port.c").write_text("for another compiler")
    assert said_of(mine).endswith(", unmodified")
