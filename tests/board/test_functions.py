"""Which functions of two programs differ: what was changed, and nothing that was only moved."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from intercore.board.functions import Program, differing, differs_in_place, program
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from pathlib import Path

COMPILER = "arm-none-eabi-gcc"
SOURCE = r"""
#include <stdint.h>
extern volatile uint32_t sink, pad[PAD];
VARIABLES
static const char *const names[] = {"one", "two"};
__attribute__((noinline)) void first(void);
void first(void) { FIRST sink++; }
__attribute__((noinline)) static uint32_t add_value(uint32_t n) { return n + sink + 1000003U; }
uint32_t goes(uint32_t n);
uint32_t goes(uint32_t n) {
    switch (n) {
    case 0: return sink;
    case 1: sink = 7; return 3;
    case 2: return add_value(n) * 3;
    case 3: return add_value(n + GOES);
    case 4: sink = 11; first(); return 1;
    case 5: return 9 + sink;
    default: return (uint32_t)(uintptr_t)names[n & 1][0];
    }
}
__asm(".pushsection .text.loads, \"ax\", %progbits\n.thumb_func\n.type loads, %function\n.global loads\n"
      "loads: adr r1, 1f\nldm r1!, {r2, r3}\nbx lr\n.align 2\n1: .word sink\n.word goes\n.size loads, . - loads\n"
      ".popsection");
void loads(void);
void _start(void);
void _start(void) {
    loads();
    void (*volatile call)(void) = first;
    call();
    sink = goes(sink) + (uint32_t)(uintptr_t)"a text of its own";
}
"""


@pytest.fixture(autouse=True)
def need_compiler() -> None:
    if shutil.which(COMPILER) is None:
        if os.environ.get("INTERCORE_NO_SKIP"):
            pytest.fail(f"missing: {COMPILER}")
        pytest.skip(f"missing: {COMPILER}")


def built(
    folder: Path,
    first: str = "",
    goes: int = 3,
    at: int = 0x2000_0000,
    variables: tuple[str, str] = ("sink", "pad"),
    pad: int = 2,
) -> Program:
    source, elf = folder / "x.c", folder / "x.elf"
    defined = {"sink": "volatile uint32_t sink;", "pad": "__attribute__((used)) volatile uint32_t pad[PAD];"}
    text = SOURCE.replace("VARIABLES", " ".join(defined[name] for name in variables)).replace("PAD", str(pad))
    source.write_text(text.replace("FIRST", first).replace("GOES", str(goes)))
    options = ["-mcpu=cortex-m0plus", "-mthumb", "-Os", "-ffunction-sections", "-nostdlib", f"-Wl,-Ttext={at:#x}"]
    subprocess.run([COMPILER, *options, source, "-o", elf, "-lgcc"], check=True, capture_output=True)
    return program(elf)


def test_only_the_changed_function_differs_when_later_ones_move(tmp_path: Path) -> None:
    before, after = built(tmp_path), built(tmp_path, first='__asm volatile("nop\\n nop");')
    assert differing(before, after) == ["first"]
    assert before.functions["goes"].address != after.functions["goes"].address
    assert not differs_in_place(before, after)


def test_a_program_at_another_address_does_the_same(tmp_path: Path) -> None:
    before, after = built(tmp_path), built(tmp_path, at=0x2000_0204)
    assert differing(before, after) == []
    assert not differs_in_place(before, after)


def test_a_number_that_is_another_one_makes_a_function_differ_in_its_place(tmp_path: Path) -> None:
    before, after = built(tmp_path), built(tmp_path, goes=4)
    assert differing(before, after) == ["goes"]
    assert differs_in_place(before, after)


def test_functions_are_equal_when_only_variables_moved(tmp_path: Path) -> None:
    before, after = (built(tmp_path, variables=names) for names in (("sink", "pad"), ("pad", "sink")))
    assert differing(before, after) == []
    assert not differs_in_place(before, after)


def test_what_an_assembler_function_reads_behind_itself_is_known_by_what_it_points_to(tmp_path: Path) -> None:
    """As the kernel's port does: the address of a table by ADR, and its words, which are addresses, by LDM."""
    before, after = built(tmp_path), built(tmp_path, first='__asm volatile("nop");', pad=2000)
    assert differing(before, after) == ["first"]
    assert before.functions["loads"].meaning == after.functions["loads"].meaning


def test_a_function_that_only_one_program_has_differs(tmp_path: Path) -> None:
    before, after = built(tmp_path), built(tmp_path, first="sink = 5; } void more(void); void more(void) {")
    assert differing(before, after) == ["first", "more"]


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"no ELF file" * 100])
def test_what_is_no_program_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.elf"
    path.write_bytes(content)
    with pytest.raises(IntercoreError, match=r"x\.elf"):
        program(path)


def test_an_image_that_holds_a_second_program_is_refused(tmp_path: Path) -> None:
    built(tmp_path)
    other = tmp_path / "x.elf"
    command = ["arm-none-eabi-objcopy", "--add-section", f".core_1={other}", "--set-section-flags", ".core_1=alloc"]
    subprocess.run([*command, other], check=True)
    with pytest.raises(IntercoreError, match="second program"):
        program(other)


def test_a_program_without_symbols_is_refused(tmp_path: Path) -> None:
    built(tmp_path)
    subprocess.run(["arm-none-eabi-strip", tmp_path / "x.elf"], check=True)
    with pytest.raises(IntercoreError, match="no symbols"):
        program(tmp_path / "x.elf")
