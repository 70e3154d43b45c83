"""A program in C++: a method of a template, with a function inlined into it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.sim.firmware import SIM

CPP = """
namespace radio {
static inline __attribute__((always_inline)) unsigned clamped(unsigned x) {
    for (volatile int i = 0; i < 500; i = i + 1) x ^= x << 1;
    return x;
}
struct Filter {
    template <typename T> __attribute__((noinline)) T apply(T x) { return clamped(x) + 1; }
};
}
unsigned last;
extern "C" void example(void) { for (int i = 0; i < 9; ++i) last = radio::Filter().apply(last); }
extern "C" const char *const name = "cpp";
"""


def cpp(folder: Path) -> Path:
    """Return an ELF image with functions in C++."""
    compiler = shutil.which("arm-none-eabi-g++")
    assert compiler is not None
    (source := folder / "radio.cpp").write_text(CPP)
    flags = ("-mcpu=cortex-m0plus", "-mthumb", "-O2", "-g", "-ffreestanding", "-fno-exceptions")
    subprocess.run([compiler, *flags, "-c", source, "-o", folder / "radio.o"], check=True)
    made = (folder / "radio.o", "-lgcc", "-o", folder / "radio.elf")
    linking = ("-nostartfiles", "-static", "-Wl,--no-warn-rwx-segments", "-L.", "-T", "sram.ld")
    subprocess.run(
        [compiler.replace("g++", "gcc"), *flags, "-std=c11", *linking, "chip.c", *made],
        cwd=SIM / "examples",
        check=True,
    )
    return folder / "radio.elf"
