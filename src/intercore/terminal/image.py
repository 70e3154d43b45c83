"""An image that was built: where it is, what it was built with, and what it takes of the chip's memory."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from intercore.board.image import variant
from intercore.view.table import Column, Format, Table, print_csv, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

    from intercore.board.elf import Section
    from intercore.board.image_files import ImageFiles


def print_image(files: ImageFiles, output: Format, console: Console) -> None:
    """Print the sections, and for people and as JSON also the files and the versions."""
    image = files.image
    rows = [
        {
            **({"core": core} if len(files.sections) > 1 else {}),
            "section": part.name,
            "address": part.address,
            "bytes": part.size,
            "stored": part.stored,
        }
        for core, parts in enumerate(files.sections)
        for part in parts
    ]
    if output is Format.CSV:
        print_csv(rows)
        return
    facts = {
        **{name: str(path.absolute()) for name, path in _named(files)},
        **image.build,
        "compiler": image.compiler,
        "kernel": image.kernel.version,
        "kernel_folder": str(image.kernel.folder),
    }
    if output is Format.JSON:
        print_json({**facts, "sections": rows})
        return
    for core in range(len(files.sections)):
        print_table(_table(files, core), console)
    for name, fact in facts.items():
        console.print(f"{name.replace('_', ' '):14}{fact}", markup=False, highlight=False, soft_wrap=True)
    if files.whole_flash is not None:
        flash = f"intercore flash {image.board.name} --port PORT --image {shlex.quote(str(files.whole_flash))}"
        tool = f"esptool --chip {image.board.name} write-flash 0x0 {shlex.quote(files.whole_flash.name)}"
        console.print(f"Flash it anywhere by: {flash}", markup=False, highlight=False, soft_wrap=True)
        console.print(f"                  or: {tool}", markup=False, highlight=False, soft_wrap=True)


def _named(files: ImageFiles) -> Iterator[tuple[str, Path]]:
    """Return the files with what they are: `elf`, further cores' as `elf_core1`, `uf2`."""
    for core, elf in enumerate(files.elfs):
        yield (f"elf_core{core}" if core else "elf"), elf
    if files.uf2 is not None:
        yield "uf2", files.uf2
    if files.whole_flash is not None:
        yield "whole_flash", files.whole_flash


def _table(files: ImageFiles, core: int) -> Table[Section]:
    parts = files.sections[core]
    stored = sum(part.size for part in parts if part.stored)
    total = sum(part.size for part in parts)
    whose = "" if len(files.sections) == 1 else f", core {core}"
    what = f"Program for {files.image.board.title}{whose}, {variant(files.image.board, files.image.build)}"
    return Table(
        title=f"{what}: {stored:,} bytes in the image, {total:,} in memory",
        rows=parts,
        columns=[
            Column("section", lambda part: part.name),
            Column("address", lambda part: f"{part.address:#010x}"),
            Column("bytes", lambda part: f"{part.size:,}", right=True),
            Column("in the image", lambda part: "yes" if part.stored else "no"),
        ],
    )
