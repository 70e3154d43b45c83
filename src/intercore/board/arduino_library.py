"""The firmware as a library for the Arduino IDE, which compiles src/ and searches for headers only there.

So every source and header is in one folder under src/, where `#include "run.h"` finds its neighbour, and no header of
ours hides one of the system or of another library: only Intercore.h is visible from outside. The files are copies of
the firmware's. The manifest of the PlatformIO library lists them.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

import msgspec

from intercore.board.sources import firmware_sources
from intercore.errors import IntercoreError, UsageError
from intercore.files.replacement import ARDUINO_LIBRARY, replacement, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAME = "Intercore"
"""Name of the library, of its folder, and of the header that a sketch includes."""

_ARDUINO = PurePosixPath("board/esp32/arduino")
"""Folder of the Arduino library's own files."""
_INSIDE = PurePosixPath("src/intercore")
"""Folder in the library for files that a sketch does not use."""
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Date of every file in a zip file: the earliest possible. The same sources yield the same bytes."""


class _Build(msgspec.Struct):
    src_filter: list[str] = msgspec.field(name="srcFilter")
    flags: list[str]


class _Manifest(msgspec.Struct):
    """The required part of the PlatformIO library's manifest."""

    build: _Build


def arduino_library() -> dict[PurePosixPath, bytes]:
    """Return the library's files by their paths in it. Raises IntercoreError if the firmware's sources are damaged."""
    sources = firmware_sources()
    try:
        return dict(_files(sources))
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise IntercoreError(
            f"the firmware sources in {sources} are damaged ({error}): install Intercore again"
        ) from error


def write_arduino_library(output: Path, *, force: bool = False) -> Path:
    """Write the library as a folder, or, if `output` ends with .zip, as a file that the Arduino IDE can add.

    Replaces an earlier version of the library, another file only with `force`, and another folder never. Raises
    UsageError if something else exists there, and IntercoreError if it cannot be written.
    """
    files = arduino_library()
    try:
        if output.suffix == ".zip":
            with replacement(output, ARDUINO_LIBRARY, force=force) as file:
                _write_zip(files, file)
        else:
            _write_folder(files, output)
    except OSError as error:
        raise unwritable(output, error) from error
    return output


def _files(sources: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    own = sources / _ARDUINO
    for path in sorted(own.rglob("*")):
        if path.is_file():
            inside = PurePosixPath(path.relative_to(own).as_posix())
            yield (PurePosixPath("src") / inside if inside.suffix == ".h" else inside), path.read_bytes()
    for path in sorted((sources / "include").glob("*.h")):
        yield PurePosixPath("src") / "include" / path.name, path.read_bytes()
    yield PurePosixPath("LICENSE"), (sources / "LICENSE").read_bytes()
    manifest = msgspec.json.decode((sources / "library.json").read_bytes(), type=_Manifest)
    programs = _sources(sources, manifest.build.src_filter)
    for path in programs:
        yield _INSIDE / "_".join(path.relative_to(sources).parts), path.read_bytes()
    for name, path in _headers(sources, manifest.build.flags, programs).items():
        yield _INSIDE / name, path.read_bytes()


def _sources(sources: Path, filters: list[str]) -> list[Path]:
    """Return the files that a PlatformIO filter selects: `+<pattern>` adds, `-<pattern>` removes, in order."""
    found: set[Path] = set()
    for item in filters:
        sign, pattern = item[0], item[2:-1]
        matched = {path for path in sources.glob(pattern) if path.is_file()}
        found = found | matched if sign == "+" else found - matched
    return sorted(found)


def _headers(sources: Path, flags: list[str], programs: list[Path]) -> dict[str, Path]:
    """Return our headers that these programs include, by the name in the `#include`.

    Other headers are the system's or the platform's.
    """
    folders = [sources / flag.removeprefix("-I").strip() for flag in flags if flag.startswith("-I")]
    found: dict[str, Path] = {}
    waiting = list(programs)
    while waiting:
        path = waiting.pop()
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            header = next((one for one in (folder / name for folder in (path.parent, *folders)) if one.is_file()), None)
            if header is None or found.get(name) == header:
                continue
            if name in found or "/" in name:
                raise IntercoreError(
                    f'{path}: "{name}" is the name of two headers, but all headers of an Arduino library are in one '
                    "folder: rename one of the two headers"
                )
            found[name] = header
            waiting.append(header)
    return found


def _write_zip(files: Mapping[PurePosixPath, bytes], output: IO[bytes]) -> None:
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(str(NAME / path), _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _write_folder(files: Mapping[PurePosixPath, bytes], output: Path) -> None:
    """Write to a temporary folder and move it at the end, so that no partial library is ever visible."""
    if output.exists() and not _is_ours(output):
        what = f"is not an {NAME} library" if output.is_dir() else "is not a folder"
        raise UsageError(f"{output} already exists and {what}: remove it, or choose another name with --output")
    with tempfile.TemporaryDirectory(dir=output.absolute().parent, prefix=".intercore-") as scratch:
        made = Path(scratch, "new")
        for path, content in files.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(content)
        if output.exists():
            output.replace(Path(scratch, "old"))
        made.replace(output)


def _is_ours(folder: Path) -> bool:
    properties = folder / "library.properties"
    return properties.is_file() and f"name={NAME}\n" in properties.read_text(encoding="utf-8", errors="replace")
