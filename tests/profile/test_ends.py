"""Programs that crash, never end or leave core 1 alone, and images that are damaged: a sentence, and what was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.profile.image import hidden_lines
from intercore.profile.recording import Recording
from intercore.profile.report import rows, section
from intercore.profile.summary import ProfileAnalysis, analysed
from intercore.sim import Simulator, SimulatorError
from tests.sim.firmware import FOREVER, LAST_WORDS, SLEEP, SRAM, example, raw, uf2

if TYPE_CHECKING:
    from pathlib import Path

CRASH = "../../tests/profile/crash"


def seen(image: str | Path | bytes, seconds: float = 0.003) -> ProfileAnalysis:
    """Return the profile of a program as the command makes it."""
    return analysed(Recording(Simulator(image), seconds, lambda _: None).record("image", None, None)[0])


def test_a_crash_of_core_1_is_told_with_what_both_cores_did_until_then() -> None:
    analysis = seen(example(CRASH, "sram", "-DON_CORE_1"))
    assert "core 1 is in its handler of a HardFault" in analysis.stop
    assert "undefined instruction 0xde00" in analysis.stop
    assert "(bad + " in analysis.stop
    calls = {(one.core, one.function): one.calls for one in analysis.functions}
    assert calls[1, "bad"] == calls[0, "work"] == 1


def test_a_handler_of_a_fault_that_runs_for_ever_is_told_with_the_fault() -> None:
    analysis = seen(example(CRASH, "sram", "-DHANDLED"))
    assert analysis.stop.startswith("the limit of 0.003 s is reached; core 0 is in its handler of a HardFault")
    assert "(bad + " in analysis.stop
    (handler,) = (root for root in analysis.roots if root.entered)
    assert handler.name == "HardFault"
    assert "in HardFault (once, " in " ".join(section(analysis).sentences)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (FOREVER, "the limit of 0.003 s is reached"),
        (SLEEP, "dead end: both cores sleep for good"),
        (LAST_WORDS, "core 0 locked up"),
    ],
)
def test_a_program_that_does_not_end_well_has_a_profile_up_to_there(code: tuple[int, ...], words: str) -> None:
    analysis = seen(uf2(raw(*code), SRAM))
    assert words in analysis.stop
    core = analysis.cores[0]
    assert core.sums.cycles + core.off == core.cycles > 40
    assert "Core 1 was never started: it waits in the boot ROM." in section(analysis).sentences


def test_lines_and_inlined_functions_are_told_from_any_version_of_debug_information() -> None:
    (first, *others) = (seen(example("both_cores", "sram", f"-gdwarf-{version}")).lines for version in (2, 3, 4, 5))
    assert {("put", "print_both"), ("work_in_sram4", "")} < {(one.function, one.inlined_into) for one in first}
    assert others == [first] * 3


def test_lines_without_functions_have_the_names_of_symbols() -> None:
    lines = seen(example("both_cores", "sram", "-gsplit-dwarf")).lines
    assert "work_in_sram4" in {one.function for one in lines}
    assert "" not in {one.function for one in lines}


@pytest.mark.parametrize("option", ["-gz=zlib", "-gz=zlib-gnu"])
def test_compressed_debug_information_is_told_not_to_be_read(option: str) -> None:
    image = example("both_cores", "sram", option)
    assert seen(image).lines == []
    assert "--decompress-debug-sections" in hidden_lines(image)
    assert hidden_lines(example("both_cores")) == ""


@settings(max_examples=50)
@given(
    places=st.lists(st.tuples(st.integers(0, 60_000), st.sampled_from([0, 1, 0x7F, 0x80, 0xFF])), max_size=30),
    size=st.integers(1, 120_000),
)
def test_no_damaged_elf_file_does_harm(places: list[tuple[int, int]], size: int) -> None:
    image = bytearray(example("both_cores").read_bytes())[:size]
    for at, byte in places:
        image[at % len(image)] = byte
    try:
        analysis = seen(bytes(image), 0.0002)
    except SimulatorError as error:
        assert str(error).startswith("the image: ")  # noqa: PT017
    else:
        assert section(analysis).sentences
        rows(analysis)
