"""What is read of files from elsewhere is bounded in size, depth and kind, each with a sentence that names the file."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board import elf, esp_image
from intercore.board.uf2 import uf2_of
from intercore.campaign import budget_reader, plan_reader
from intercore.campaign.toml_location import line_of, lines_of_list
from intercore.comparison import baseline_file
from intercore.energy import currents_file
from intercore.errors import IntercoreError, UsageError
from intercore.files import bounds
from intercore.meter.address import Address
from intercore.meter.drivers import csv
from intercore.meter.meter import MeterError

if TYPE_CHECKING:
    from collections.abc import Callable


def capture(path: Path) -> object:
    return csv.read(path, Address.parse(f"csv:{path}"), 3.3)


READERS: dict[str, tuple[Callable[[Path], object], bounds.Bound, type[IntercoreError]]] = {
    "a plan": (plan_reader.read, bounds.PLAN, UsageError),
    "budgets": (budget_reader.read, bounds.PLAN, UsageError),
    "a baseline": (baseline_file.read, bounds.BASELINE, UsageError),
    "currents": (currents_file.read, bounds.CURRENTS, UsageError),
    "a capture": (capture, bounds.CAPTURE, MeterError),
    "an ELF file": (elf.sections, bounds.ELF, IntercoreError),
    "an ELF file for UF2": (uf2_of, bounds.ELF, IntercoreError),
    "an image": (esp_image.read, bounds.WHOLE_FLASH, IntercoreError),
}


@pytest.mark.parametrize("what", READERS)
def test_a_file_that_is_too_large_is_refused_without_being_read_whole(tmp_path: Path, what: str) -> None:
    read, bound, error = READERS[what]
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(error, match=rf"large.* larger than {bound}"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", READERS)
def test_a_pipe_a_device_and_a_folder_are_refused_and_nobody_waits(tmp_path: Path, what: str) -> None:
    read, _, error = READERS[what]
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "pipe"), (Path("/dev/zero"), "device"), (tmp_path, "directory")):
        with pytest.raises(error, match=f"(?i){path}: .*{kind}"):
            read(path)


@pytest.mark.parametrize("read", [plan_reader.read, budget_reader.read, currents_file.read])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "than 100 levels"),
        ("a = " + "[" * 150 + "]" * 150, "than 100 levels"),
        (".".join("a" * 150) + " = 1", "than 100 levels"),
        ("a = " + "9" * 5000, "thousands of digits"),
    ],
    ids=["lists", "fewer lists", "tables", "digits"],
)
def test_deep_nesting_and_endless_numbers_have_a_sentence(
    tmp_path: Path, read: Callable[[Path], object], text: str, says: str
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"x\.toml is not .*{says}"):
        read(path)


def test_a_capture_of_too_many_samples_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "CAPTURE_SAMPLES", bounds.Bound("samples", 100, "samples"))
    path = tmp_path / "x.csv"
    path.write_text("time (s),current (A)\n" + "".join(f"{n},1\n" for n in range(200)))
    with pytest.raises(MeterError, match=r"x\.csv has more than 100 samples"):
        capture(path)


def test_the_line_of_an_error_is_found_in_a_file_that_a_program_made_long() -> None:
    """By reading again up to each line, this would take hours."""
    filler = "# a comment\n\n" * 4000 + "".join(f"k{n} = {n}\n" for n in range(300))
    assert line_of(f"{filler}budgets = 3\n", ("budgets",)) == 8301
    assert line_of(filler, ("nowhere",)) == 1
    assert lines_of_list("a = [\n" + "#\n" * 40_000 + "1,\n2]\n", ("a",)) == [40_002, 40_003]
