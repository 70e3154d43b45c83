"""An image that was built: where it is, what it was built with, and what it takes of the chip's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.build import variant
from intercore.view.table import Column, Format, Table, print_csv, print_json, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from intercore.image import ImageFiles, Section


def print_image(files: ImageFiles, output: Format, console: Console) -> None:
    """Print the sections, and for people and as JSON also the files and the versions."""
    image = files.image
    rows = [
        {"section": part.name, "address": part.address, "bytes": part.size, "stored": part.stored}
        for part in files.sections
    ]
    if output is Format.CSV:
        print_csv(rows)
        return
    facts = {
        "elf": str(files.elf.absolute()),
        "uf2": str(files.uf2.absolute()),
        **image.build,
        "compiler": image.compiler,
        "kernel": image.kernel.version,
        "kernel_folder": str(image.kernel.folder),
    }
    if output is Format.JSON:
        print_json({**facts, "sections": rows})
        return
    print_table(_table(files), console)
    for name, fact in facts.items():
        console.print(f"{name.replace('_', ' '):14}{fact}", markup=False, highlight=False, soft_wrap=True)


def _table(files: ImageFiles) -> Table[Section]:
    stored = sum(part.size for part in files.sections if part.stored)
    total = sum(part.size for part in files.sections)
    return Table(
        title=f"Program for the Pico, {variant(files.image.build)}: {stored:,} bytes in the image, {total:,} in memory",
        rows=files.sections,
        columns=[
            Column("section", lambda part: part.name),
            Column("address", lambda part: f"{part.address:#010x}"),
            Column("bytes", lambda part: f"{part.size:,}", right=True),
            Column("in the image", lambda part: "yes" if part.stored else "no"),
        ],
    )
