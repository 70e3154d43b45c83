"""Builds the benchmark program for Espressif's chips by the user's ESP-IDF: idf.py in an activated shell.

Programs are built once per sources, levels and version of ESP-IDF, and cached (see `intercore.board.cmake`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

import msgspec
import platformdirs

from intercore.board import esp_image
from intercore.board.cmake import complaint
from intercore.board.image import Image, variant
from intercore.board.kernel import Kernel
from intercore.board.sources import digest_of, firmware_sources
from intercore.errors import IntercoreError
from intercore.operating_system import OWN_GROUP, end_group, wait_for_group
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO

    from intercore.board.boards import Board
    from intercore.board.esp_image import Chip
    from intercore.record.measurement import Level

LEAST = (5, 5)
"""Oldest supported version of ESP-IDF."""
BUILD_TIMEOUT_S = 1800.0
"""Timeout of a build: a slow machine takes ten minutes."""

_VERSION_TIMEOUT_S = 120.0
_ELF, _WHOLE = "intercore.elf", "flash.bin"
_MOST_ARGS = 1 << 16
_LINES_KEPT = 400
_STEP = re.compile(r"^\[(\d+)/(\d+)\]")
_VERSION = re.compile(r"ESP-IDF\s+(v(\d+)\.(\d+)\S*)")
_GET = (
    "Install ESP-IDF 5.5 or newer (docs.espressif.com, Get Started) and activate it in this shell: "
    ". ~/esp/esp-idf/export.sh (Windows: export.bat). With an existing image, ESP-IDF is "
    "not needed: --image FILE"
)

SDKCONFIG: Mapping[str, Callable[[Level], tuple[str, ...]]] = {
    "cpu_mhz": lambda level: (
        f"CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_{level}=y",
        *(("CONFIG_ESP32P4_SELECTS_REV_LESS_V3=y",) if level == 360 else ()),
    ),
    "code": lambda level: (f"CONFIG_INTERCORE_CODE_IRAM={'y' if level == 'iram' else 'n'}",),
    "psram": lambda level: (
        ("CONFIG_SPIRAM=y", "CONFIG_SPIRAM_IGNORE_NOTFOUND=y") if level == "on" else ("CONFIG_SPIRAM=n",)
    ),
    "flash_suspend": lambda level: (f"CONFIG_SPI_FLASH_AUTO_SUSPEND={'y' if level == 'auto' else 'n'}",),
    "trace": lambda level: ("CONFIG_INTERCORE_TRACE=y", f"CONFIG_INTERCORE_TRACE_EVENTS={level}") if level else (),
}
"""ESP-IDF's configuration for the level of a factor. `opt` is a CMake variable, for our code only."""


class Idf(msgspec.Struct, frozen=True):
    """An installed ESP-IDF."""

    command: tuple[str, ...]
    """The command that starts idf.py."""
    version: str
    """Its version, e.g. `v5.5.1`."""
    major: int


class _FlasherArgs(msgspec.Struct, frozen=True):
    """ESP-IDF's flasher_args.json, which describes the built files."""

    flash_files: dict[str, str]
    """Files in the build's folder, by their offset in flash."""


def find_idf() -> Idf:
    """Return the ESP-IDF of this shell. Raises IntercoreError, with advice, if it is missing or too old."""
    command = _command()
    try:
        completed = subprocess.run(
            [*command, "--version"],
            env=_environment(),
            capture_output=True,
            check=False,
            timeout=_VERSION_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise IntercoreError(f"ESP-IDF cannot be used: {command[-1]} does not start ({error}). {_GET}") from error
    said = completed.stdout.decode(errors="replace") + "\n" + completed.stderr.decode(errors="replace")
    found = _VERSION.search(said)
    if completed.returncode or found is None:
        last = complaint(printable(said).strip().splitlines())
        raise IntercoreError(
            f"ESP-IDF cannot be used: idf.py --version reports: {last}. Is ESP-IDF activated in this shell? {_GET}"
        )
    if (int(found[2]), int(found[3])) < LEAST:
        raise IntercoreError(
            f"ESP-IDF {LEAST[0]}.{LEAST[1]} or newer is needed, but the version in this shell is "
            f"{printable(found[1])}. {_GET}"
        )
    return Idf(command, printable(found[1]), int(found[2]))


def _command() -> tuple[str, ...]:
    """Return the command for idf.py, with ESP-IDF's Python if known, because another one may be first on the PATH."""
    folder = os.environ.get("IDF_PATH")
    programs = _idf_programs()
    if folder and programs is not None and (script := Path(folder, "tools", "idf.py")).is_file():
        python = shutil.which("python", path=str(programs))
        if python is not None:
            return (python, str(script))
    found = shutil.which("idf.py")
    if found is not None:
        return (found,)
    set_but = f" IDF_PATH is {folder}, but that ESP-IDF is not activated." if folder else ""
    raise IntercoreError(f"there is no ESP-IDF in this shell (idf.py was not found).{set_but} {_GET}")


def _idf_programs() -> Path | None:
    """Return the programs folder of the Python environment that export.sh has set; None if there is none."""
    environment = os.environ.get("IDF_PYTHON_ENV_PATH")
    return Path(environment, "Scripts" if sys.platform == "win32" else "bin") if environment else None


def _environment() -> dict[str, str]:
    """Return the environment for idf.py, which calls `python`: that of ESP-IDF comes first on the PATH."""
    programs = _idf_programs()
    path = os.environ.get("PATH", "")
    return {**os.environ, "PATH": path if programs is None else f"{programs}{os.pathsep}{path}"}


def idf_image(board: Board, build: Mapping[str, Level], say: Callable[[str], None]) -> Image:
    """Return the benchmark program for an Espressif board, built with these levels unless it is cached.

    `say` reports progress. Raises IntercoreError if ESP-IDF is missing or fails, or if its output is not an image.
    """
    elf, whole, idf = _built(board, build, say)
    version = f"ESP-IDF {idf.version}"
    kernel = Kernel(Path(os.environ.get("IDF_PATH", "")), f"of {version}", "IDF_PATH")
    return Image(board, (elf,), board.whole(build), version, kernel, whole)


def _built(board: Board, build: Mapping[str, Level], say: Callable[[str], None]) -> tuple[Path, Path, Idf]:
    """Return the ELF file and the whole flash image, built if they are not cached, and the ESP-IDF."""
    if board.chip is None:
        raise IntercoreError(f"{board.title} is not a chip of ESP-IDF: this is a bug of Intercore, please report it")
    idf = find_idf()
    levels = board.whole(build)
    sources = firmware_sources()
    key = digest_of(repr((idf, board.name, sorted(levels.items()))), [sources])
    folder = platformdirs.user_cache_path("intercore") / board.name / key
    what = f"the program for {board.title}"
    try:
        if not (folder / _WHOLE).exists() or not (folder / _ELF).exists():
            say(
                f"building {what} by ESP-IDF {idf.version} ({variant(board, levels)}): this takes some minutes, but "
                "only once"
            )
            _Build(idf, board.chip, levels, what, say).make(sources, folder)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise IntercoreError(f"{what} cannot be built: {where}{error.strerror or error}") from error
    return folder / _ELF, folder / _WHOLE, idf


class _Build:
    """A build in a scratch folder with a copy of the sources, because idf.py writes to the project's folder."""

    def __init__(
        self, idf: Idf, chip: Chip, levels: Mapping[str, Level], what: str, say: Callable[[str], None]
    ) -> None:
        self._idf = idf
        self._chip = chip
        self._levels = levels
        self._what = what
        self._say = say

    def make(self, sources: Path, folder: Path) -> None:
        """Build, and move the results to `folder` at the end, so that builds cannot mix."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
            scratch = Path(name)
            copy, build = scratch / "firmware", scratch / "build"
            shutil.copytree(sources, copy, ignore=shutil.ignore_patterns("build", "target", "__pycache__", "sdkconfig"))
            project = copy / "board" / "esp32"
            if not (project / "CMakeLists.txt").is_file():
                raise self._fails(f"the sources in {sources} have no project board/esp32: install Intercore again")
            wanted = self._wanted()
            (scratch / "levels").write_text("".join(f"{line}\n" for line in wanted))
            self._run(
                [
                    *self._idf.command,
                    *("-C", str(project), "-B", str(build)),
                    f"-DIDF_TARGET={self._chip.name}",
                    f"-DSDKCONFIG={scratch / 'sdkconfig'}",
                    f"-DSDKCONFIG_DEFAULTS={';'.join(map(str, [*self._defaults(project), scratch / 'levels']))}",
                    f"-DIC_OPT={self._levels['opt']}",
                    "build",
                ],
                scratch,
            )
            self._check_taken(scratch / "sdkconfig", wanted)
            whole, elf = self._merged(build)
            (scratch / _WHOLE).write_bytes(whole)
            folder.mkdir(exist_ok=True)
            elf.replace(folder / _ELF)
            (scratch / _WHOLE).replace(folder / _WHOLE)

    def _defaults(self, project: Path) -> list[Path]:
        """Return the project's default files: for all versions, and those for newer ESP-IDF."""
        newer = [project / f"sdkconfig.defaults.idf{major}" for major in range(LEAST[0] + 1, self._idf.major + 1)]
        return [project / "sdkconfig.defaults", *(path for path in newer if path.is_file())]

    def _wanted(self) -> list[str]:
        return [line for name, lines in SDKCONFIG.items() if name in self._levels for line in lines(self._levels[name])]

    def _fails(self, why: str) -> IntercoreError:
        return IntercoreError(f"{self._what} cannot be built: {why}")

    def _check_taken(self, sdkconfig: Path, wanted: list[str]) -> None:
        """Raise IntercoreError if ESP-IDF, which silently ignores unknown options, has not accepted one."""
        taken = set(sdkconfig.read_text(errors="replace").splitlines())
        for line in wanted:
            name, _, value = line.partition("=")
            off = value == "n" and not any(one.startswith(f"{name}=") for one in taken)
            if line not in taken and not off:
                raise self._fails(
                    f"ESP-IDF {self._idf.version} did not accept the setting {line} for {self._chip.title}"
                )

    def _merged(self, build: Path) -> tuple[bytes, Path]:
        """Return the validated whole flash image of a build, and its ELF file."""
        try:
            args = msgspec.json.decode(_limited(build / "flasher_args.json", _MOST_ARGS), type=_FlasherArgs)
            files = {_offset(text): _inside(build, name) for text, name in args.flash_files.items()}
            whole = esp_image.merge({offset: esp_image.read(path) for offset, path in files.items()})
            found = esp_image.check(whole, self._chip)
        except (msgspec.MsgspecError, ValueError) as error:
            raise self._fails(
                f"the parts of the flash image that ESP-IDF has built cannot be merged: {error}"
            ) from error
        elf = files[found.app].with_suffix(".elf") if found.app in files else None
        if elf is None or not elf.is_file():
            raise self._fails(f"ESP-IDF did not build an ELF file of the program at {found.app:#x}")
        return whole, elf

    def _run(self, command: list[str], scratch: Path) -> None:
        """Run a build and report its progress. Raises IntercoreError with its error message if it fails."""
        environment = {**_environment(), "IDF_TARGET": self._chip.name}
        process = subprocess.Popen(
            command,
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=OWN_GROUP,
        )
        lines: list[str] = []
        reader = threading.Thread(target=self._follow, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            status = wait_for_group(process, BUILD_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise self._fails(
                f"the build took more than {BUILD_TIMEOUT_S / 60:.0f} min: try again when this machine is less busy"
            ) from None
        finally:
            end_group(process)
            reader.join(1.0)
        if status:
            raise self._fails(f"idf.py reports: {complaint(lines)}")

    def _follow(self, output: IO[bytes], lines: list[str]) -> None:
        reported = -1
        for raw in output:
            line = printable(raw.decode(errors="replace").replace("\t", " ").rstrip())
            if line:
                # The first error is the relevant one, and it may be far up.
                del lines[_LINES_KEPT // 2 : -_LINES_KEPT // 2]
                lines.append(line)
            step = _STEP.match(line)
            if step is not None and int(step[2]) and (tenth := 10 * int(step[1]) // int(step[2])) != reported:
                reported = tenth
                self._say(f"building {self._what}: {step[1]} of {step[2]}")


def _limited(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path.name} is larger than {most:,} bytes")
    return data


def _offset(text: str) -> int:
    """Parse an offset of flasher_args.json. Raises ValueError if it is invalid."""
    if not re.fullmatch(r"0[xX][0-9A-Fa-f]{1,8}|[0-9]{1,8}", text):
        raise ValueError(f"{text!r} in flasher_args.json is not a valid flash offset")
    return int(text, 0) if text[:2].lower() == "0x" else int(text)


def _inside(folder: Path, name: str) -> Path:
    """Return the file of that name in a folder. Raises ValueError if it is outside of the folder."""
    parts = PurePosixPath(name)
    if (
        "\0" in name
        or parts.is_absolute()
        or PureWindowsPath(name).drive
        or ".." in re.split(r"[/\\]", name)
        or not name
    ):
        raise ValueError(f"the file {name!r} in flasher_args.json is outside of the build folder")
    return folder / parts
