"""Prebuilt images: the default builds of some boards, which a released package contains.

So a simulated chip runs on a machine without compilers, with the same image on every machine. An image is used only for
the sources and levels that it was built from; everything else is built here.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.board.boards import BOARDS, PICO, PICO_AMP, Board
from intercore.board.image import Image, variant
from intercore.board.kernel import KERNEL_VARIABLE, Kernel
from intercore.board.sources import USUAL_SOURCES, Sources, digest_of
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from intercore.record.measurement import Level

USUAL: tuple[Board, ...] = (PICO, PICO_AMP)
"""Boards whose program a released package contains, each with the defaults of its factors."""
FOLDER = Path(intercore.__file__).parent / "prebuilt"
"""Folder of the images, if this package is a released one."""
INDEX = "index.json"


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An image in the index."""

    board: str
    build: dict[str, int | str]
    """A level of each factor of the board."""
    firmware: str
    """Digest of its firmware sources."""
    compiler: str
    kernel: str
    """Version of the FreeRTOS kernel."""
    elfs: tuple[str, ...]
    """Names of its files, one for each separate program."""


def prebuilt_image(board: Board, levels: Mapping[str, Level], sources: Sources) -> Image | None:
    """Return the package's image for these levels of all factors of the board; None if there is none.

    There is none for sources or a kernel that a user names, including FREERTOS_KERNEL_PATH, and none for firmware that
    was changed in the installed package. Raises IntercoreError if the package is damaged.
    """
    if sources != USUAL_SOURCES or os.environ.get(KERNEL_VARIABLE):
        return None
    for entry in _of(board):
        if entry.build == dict(levels) and entry.firmware == digest_of("", [sources.folder()]):
            elfs = tuple(FOLDER / name for name in entry.elfs)
            if missing := [elf for elf in elfs if not elf.is_file()]:
                raise _damaged(missing[0], "the file is missing")
            return Image(board, elfs, levels, entry.compiler, Kernel(None, entry.kernel, "prebuilt image"))
    return None


def prebuilt_variants(board: Board) -> list[str]:
    """Return the variants of a board in the package, each in a few words, as `-O2`."""
    return [variant(board, entry.build) for entry in _of(board)]


def prebuilt_boards() -> list[Board]:
    """Return the boards whose program the package contains."""
    return [board for board in USUAL if _of(board)]


def write_prebuilt(images: Iterable[Image], folder: Path, firmware: Path) -> None:
    """Write images, built from the sources in `firmware`, into a folder for `prebuilt_image`."""
    folder.mkdir(parents=True)
    entries = []
    for image in images:
        names = tuple(f"{image.board.name}-core{core}.elf" for core in range(len(image.elfs)))
        for name, elf in zip(names, image.elfs, strict=True):
            shutil.copyfile(elf, folder / name)
        digest = digest_of("", [firmware])
        build = dict(image.build)
        entries.append(_Entry(image.board.name, build, digest, image.compiler, image.kernel.version, names))
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(entries)) + b"\n")


def _of(board: Board) -> list[_Entry]:
    path = FOLDER / INDEX
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=list[_Entry])
    except FileNotFoundError:
        return []  # a checkout, or a package that the user built
    except (OSError, msgspec.MsgspecError) as error:
        raise _damaged(path, error) from error
    return [entry for entry in entries if BOARDS.get(entry.board) is board]


def _damaged(path: Path, why: object) -> IntercoreError:
    return IntercoreError(f"{path}, a file of Intercore, cannot be used ({why}): install Intercore again")
