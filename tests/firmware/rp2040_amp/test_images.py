"""The two images of rp2040_amp: they share what they must, and nothing else; and say what has no sense there."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from intercore.board.factors import OPT_LEVELS
from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import Board, built_amp, every_day

if TYPE_CHECKING:
    from pathlib import Path


class Image:
    """What an ELF file has."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.sections = {
                section.name: (section["sh_addr"], section["sh_addr"] + section["sh_size"])
                for section in elf.iter_sections()
                if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
            }
            named = [
                (symbol.name, symbol["st_value"])
                for symbol in elf.get_section_by_name(".symtab").iter_symbols()
                if symbol.name and not symbol.name.startswith(("core_1.", "$"))
            ]
            self.symbols = dict(named)
            begin, end = self.sections[".shared"]
            self.shared = {(name, value) for name, value in named if begin <= value < end}
            entries = (self.symbols["port_amp_entries"], self.symbols["port_amp_entries_end"])
            self.entries = sorted(
                (value, name) for name, value in self.symbols.items()
                if name.startswith("entry_") and entries[0] <= value < entries[1]
            )  # fmt: skip
            self.entry_count = (entries[1] - entries[0]) // 4


@pytest.fixture(scope="module", params=OPT_LEVELS)
def images(request: pytest.FixtureRequest) -> tuple[Image, Image]:
    """Of core 0 and of core 1."""
    folder = built_amp(every_day(request.param))
    return Image(folder / "intercore-target"), Image(folder / "intercore-target-core1")


def test_what_is_shared_is_at_one_place(images: tuple[Image, Image]) -> None:
    first, second = images
    assert first.shared == second.shared
    assert len(first.shared) > 15
    assert first.sections[".shared"] == second.sections[".shared"]
    for region in (".region", ".region4", ".region5"):
        assert first.sections[region] == second.sections[region]


def test_functions_for_the_other_core_have_one_order(images: tuple[Image, Image]) -> None:
    first, second = ([name for _, name in image.entries] for image in images)
    assert first == second
    assert len(first) == len(set(first)) == images[0].entry_count == images[1].entry_count > 20


def test_neither_image_is_in_the_others_memory(images: tuple[Image, Image]) -> None:
    first, second = (
        sorted(span for name, span in image.sections.items() if not re.match(r"\.(shared|region)", name))
        for image in images
    )
    part = images[0].sections[".core_1"]
    first.remove(part)
    first.remove(images[0].sections[".core_1_clock"])
    assert images[0].sections[".core_1_clock"] == images[1].sections[".clock"]
    common = [images[0].sections[name] for name in (".shared", ".region", ".region4", ".region5")]
    everything = sorted([*first, *second, *common])
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(everything))
    loaded = [images[1].sections[name] for name in (".text", ".rodata", ".data")]
    assert part[0] == loaded[0][0]
    assert part[1] - loaded[-1][1] in range(4), "core 0's image holds core 1's, up to its initialised variables"


def test_neither_kernel_is_named_in_the_other(images: tuple[Image, Image]) -> None:
    """What looks alike is there twice, each in its own image."""
    for name in ("pxCurrentTCB", "ucHeap", "xTaskIncrementTick", "port_notify", "vector_tables"):
        assert images[0].symbols[name] != images[1].symbols[name]


def test_what_has_no_sense_is_refused(board: Board) -> None:
    refused = {line["name"]: line["refused"] for line in board.ask("list") if "refused" in line}
    listed = (ROOT / "firmware/bench/benchmarks.h").read_text()
    assert set(refused) == set(re.findall(r"^    SMP_ONLY\((\w+)", listed, re.MULTILINE)) != set()
    for name, why in refused.items():
        assert why.startswith("not applicable on AMP: ")
        for command in ("run", "check"):
            (answer,) = board.ask(f"{command} {name} samples=3", step=0.01)
            assert (answer["type"], answer["code"], answer["text"]) == ("error", "unsupported", f"{name}: {why}")
    for primitive in ("mutex", "queue", "event-group", "stream-buffer"):
        error = board.ask(f"run switch primitive={primitive} from=0 to=1", step=0.01)[-1]
        assert (error["code"], "not applicable on AMP" in error["text"]) == ("unsupported", True)
        assert board.ask(f"run switch primitive={primitive} from=0 to=0 samples=3")[-1]["status"] == "ok"


def test_conditions_tell_of_two_kernels(board: Board) -> None:
    lines = board.ask("info")
    assert lines[0]["board"] == "rp2040_amp"
    facts = {line["key"]: line["value"] for line in lines if line["type"] == "condition"}
    assert "AMP" in facts["freertos.version"]
    assert facts["freertos.cores"] == "1"
    assert "mailbox" in facts["interrupt.doorbell"]
