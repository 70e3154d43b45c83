"""Build what is released into dist/: the sdist, the wheel, the Arduino library, and the Pico's programs.

python scripts/dist.py

The wheel is made from the sdist, so that the sdist is known to be whole. It is for Linux with the C library of
manylinux_2_17 or newer, and for Python 3.11 and all later ones. It carries the simulator, the firmware's sources, and
images of the usual builds, with the licences of what is linked into them. All is for this machine's architecture.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist"
WORK = ROOT / "build" / "dist"
os.environ["XDG_CACHE_HOME"] = str(WORK / "cache")  # before it is looked at: everything is built anew

from intercore.board.arduino_library import write_arduino_library  # noqa: E402
from intercore.board.boards import PICO, PICO_AMP  # noqa: E402
from intercore.board.build import board_image  # noqa: E402
from intercore.board.image_files import write_image  # noqa: E402
from intercore.board.kernel import freertos_kernel  # noqa: E402
from intercore.board.prebuilt import USUAL, write_prebuilt  # noqa: E402
from intercore.board.sources import Sources, digest_of  # noqa: E402
from intercore.errors import IntercoreError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.board.boards import Board

PROGRAMS: tuple[tuple[Board, dict[str, str]], ...] = ((PICO, {}), (PICO, {"code": "flash"}), (PICO_AMP, {}))
"""Of which ELF and UF2 files are released."""
C_LIBRARY = "manylinux_2_17"
DEBIAN = Path("/usr/share/doc")
MODULE = "intercore-sim-python"
"""The crate of the module in the wheel."""


def main() -> None:
    """Build everything, and say what was made."""
    for folder in (OUT, WORK):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tree = unpacked(sdist())
    firmware = tree / "src" / "intercore" / "firmware"
    sources = Sources(firmware=firmware)
    kernel = freertos_kernel(firmware / "port" / "freertos" / "kernel", print)
    without_paths({firmware: "firmware", kernel.folder: "FreeRTOS-Kernel", WORK / "cache": "build"})
    carried = tree / "src" / "intercore" / "prebuilt"
    write_prebuilt([board_image(board, {}, print, sources) for board in USUAL], carried, firmware)
    write_licences(carried / "licences", kernel.folder, tree)
    check_wheel(wheel(tree), digest_of("", [firmware]))
    for board, build in PROGRAMS:
        write_image(board_image(board, build, print, sources), OUT / "firmware")
    shutil.copytree(carried / "licences", OUT / "firmware" / "licences")
    write_arduino_library(OUT / "Intercore.zip")
    for path in sorted(path for path in OUT.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size:>12,}  {path.relative_to(ROOT)}")


def maturin(command: str, folder: Path, *words: str) -> None:
    """Run the build back end in a folder; what it makes goes to dist/."""
    program = Path(sys.executable).with_name("maturin")
    # The compiler of zig, a module of the same environment, knows the symbols of older C libraries.
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    target = {"CARGO_TARGET_DIR": str(ROOT / "sim" / "target")}
    whole: list[str | Path] = [program, command, "--out", OUT, *words]
    subprocess.run(whole, cwd=folder, env={**os.environ, **target, "PATH": path}, check=True)


def sdist() -> Path:
    """Return the source distribution."""
    print("building the sdist")
    maturin("sdist", ROOT)
    return next(OUT.glob("*.tar.gz"))


def unpacked(archive: Path) -> Path:
    """Return the folder with what is in an sdist."""
    with tarfile.open(archive) as packed:
        packed.extractall(WORK, filter="data")
    return WORK / archive.name.removesuffix(".tar.gz")


def wheel(tree: Path) -> Path:
    """Return the wheel that is built from an unpacked sdist."""
    print("building the wheel")
    triple = f"{platform.machine()}-unknown-linux-gnu"
    maturin("build", tree, "--quiet", "--zig", "--target", triple, "--compatibility", C_LIBRARY)
    return next(OUT.glob("*.whl"))


def check_wheel(path: Path, firmware: str) -> None:
    """End with an error if the wheel's images are not of the very sources that it carries."""
    inside = WORK / "wheel"
    shutil.unpack_archive(path, inside, "zip")
    package = inside / "intercore"
    if digest_of("", [package / "firmware"]) != firmware:
        sys.exit(f"{path.name}: its firmware is not that of the sdist: see [tool.maturin] of pyproject.toml")
    if not (package / "prebuilt" / "licences").is_dir():
        sys.exit(f"{path.name} has no prebuilt images: see [tool.maturin] of pyproject.toml")


def without_paths(names: dict[Path, str]) -> None:
    """Have compilers write names instead of this machine's paths into what debuggers read."""
    flags = " ".join(f"-fdebug-prefix-map={path}={name}" for path, name in names.items())
    os.environ |= {"CFLAGS": flags, "ASMFLAGS": flags}


def write_licences(folder: Path, kernel: Path, tree: Path) -> None:
    """Write the licences of what is linked into the images and into the simulator."""
    folder.mkdir()
    shutil.copyfile(kernel / "LICENSE.md", folder / "FreeRTOS.txt")
    shutil.copyfile(DEBIAN / "libnewlib-arm-none-eabi" / "copyright", folder / "newlib.txt")
    shutil.copyfile(next(DEBIAN.glob("gcc-*-base/copyright")), folder / "libgcc.txt")
    (folder / "crates.txt").write_text("".join(crate_licences(tree / "sim" / "python" / "Cargo.toml")), "utf-8")


def crate_licences(manifest: Path) -> Iterator[str]:
    """Yield each licence of the crates that are linked into the simulator, under the crates that come with it."""
    cargo: list[str | Path] = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", manifest]
    target = f"{platform.machine()}-unknown-linux-gnu"
    told = json.loads(subprocess.run([*cargo, "--filter-platform", target], stdout=subprocess.PIPE, check=True).stdout)
    texts: dict[str, list[str]] = {}
    yield "The Rust standard library: MIT OR Apache-2.0\n"
    for package in sorted(linked(told), key=lambda package: str(package["name"])):
        if package["source"] is None:
            continue  # our own
        yield f"{package['name']} {package['version']}: {package['license']}\n"
        for path in sorted(Path(package["manifest_path"]).parent.glob("[Ll][Ii][Cc][Ee][Nn][Ss]*")):
            if path.is_file():
                texts.setdefault(path.read_text("utf-8", errors="replace").strip(), []).append(package["name"])
    for text, names in texts.items():
        yield f"\n{'-' * 80}\n{', '.join(names)}\n\n{text}\n"


def linked(told: Any) -> list[Any]:  # noqa: ANN401 - what cargo says
    """Return the crates that the module is made of, itself included, without what only builds or tests it."""
    packages = {package["id"]: package for package in told["packages"]}
    needs = {
        node["id"]: [one["pkg"] for one in node["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]
        for node in told["resolve"]["nodes"]
    }
    found: dict[str, Any] = {}
    waiting = [identity for identity, package in packages.items() if package["name"] == MODULE]
    while waiting:
        one = waiting.pop()
        runs_in_compiler = any("proc-macro" in target["kind"] for target in packages[one]["targets"])
        if one not in found and not runs_in_compiler:
            found[one] = packages[one]
            waiting += needs[one]
    return list(found.values())


if __name__ == "__main__":
    try:
        main()
    except (IntercoreError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
