"""What Intercore takes of a chip that is somebody else's program's: static memory, and the heap from start to stop.

The component's own files, for the ESP32, but with stand-ins for ESP-IDF (the folder idf): compiled for another chip
with pointers of 32 bits, whose linker says how much is static; and with sanitizers for this machine, where a program
with Intercore in it (idf/session.c) starts and stops it with as much heap as a test gives it.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.firmware.esp32.standin import FIRMWARE, WARNINGS, compile_component

STATIC_BUDGET = 12 * 1024
"""Bytes of Intercore's own, half of 24 KiB; the rest is ESP-IDF's."""
PRESET_HEAP = 8192 * 8 + 40960 + 16384 + 6144
"""Bytes that a session takes with the sizes that are preset: samples, both regions and the console task's stack."""
PLENTY = "heap 180000 110000"
"""An ESP32's heap in a program that has little else."""


# What is static


@pytest.fixture(scope="module")
def chip_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that does nothing but start and stop Intercore, for a processor of 32 bits."""
    folder = tmp_path_factory.mktemp("chip")
    cc = ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"]
    # Debian's newlib has no PRIu64 with the <stdint.h> of its compiler, unless it is told that the type is there.
    flags = ["-Os", "-ffunction-sections", "-fdata-sections", "-D__int64_t_defined=1", "-Wconversion", *WARNINGS]
    objects = compile_component(folder, [*cc, *flags])
    main = folder / "main.c"
    main.write_text(
        '#include "intercore.h"\n'
        "const char *app_main(void);\n"
        "const char *app_main(void) { const char *wrong = intercore_start(0); intercore_stop(); return wrong; }\n"
    )
    program = folder / "program.elf"
    include = f"-I{FIRMWARE / 'board' / 'esp32' / 'include'}"
    # What is ESP-IDF's or the C library's is not there, and is not counted.
    link = ["-nostdlib", "-Wl,--gc-sections", "-Wl,-e,app_main", "-Wl,--unresolved-symbols=ignore-all"]
    subprocess.run([*cc, include, main, *objects, *link, "-o", program], check=True)
    return program


def test_static_memory_is_within_its_budget(chip_program: Path) -> None:
    """Samples, regions and stacks are not among it."""
    sizes = subprocess.run(["arm-none-eabi-size", "-A", chip_program], check=True, capture_output=True, text=True)
    sections = dict(re.findall(r"^(\.\S+)\s+(\d+)", sizes.stdout, re.MULTILINE))
    largest = subprocess.run(
        ["arm-none-eabi-nm", "--print-size", "--size-sort", "--radix=d", chip_program],
        check=True,
        capture_output=True,
        text=True,
    )
    variables = [line for line in largest.stdout.splitlines() if re.search(r" [bBdD] ", line)]
    assert len(variables) > 50, "the program has Intercore in it"
    static = int(sections[".data"]) + int(sections[".bss"])
    assert static <= STATIC_BUDGET, "\n".join(variables[-12:])


# What comes from the heap


class State(NamedTuple):
    """What is taken, as the program says it."""

    heap: int
    hooks: int
    watchdog: int
    allocations: int
    running: int
    locks: int


class Said(NamedTuple):
    """What a program has said."""

    lines: list[str]

    @property
    def states(self) -> list[State]:
        """What it said of itself at each line `state`."""
        found = (re.findall(r"\d+", line) for line in self.lines if line.startswith("heap "))
        return [State(*map(int, numbers)) for numbers in found]

    @property
    def starts(self) -> list[str]:
        """What came of each start: "" or the sentence."""
        found = [line for line in self.lines if line.startswith(("started", "refused: "))]
        return [line.removeprefix("started").removeprefix("refused: ") for line in found]

    @property
    def messages(self) -> list[dict[str, object]]:
        """What came over the console."""
        return [json.loads(line.rsplit(" *", 1)[0]) for line in self.lines if line.startswith("{")]

    def last(self, kind: str) -> dict[str, object]:
        """Return the last message of a type."""
        return next(message for message in reversed(self.messages) if message["type"] == kind)

    def condition(self, key: str) -> str:
        """Return what a condition was last said to be."""
        return str(next(one["value"] for one in reversed(self.messages) if one.get("key") == key))


def run(program: Path, *lines: str) -> Said:
    """Have the program do these; it ends well, and no sanitizer has anything to say."""
    said = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout[-2000:] + said.stderr
    return Said([line.strip() for line in said.stdout.splitlines()])


def test_a_session_takes_its_memory_from_the_heap_and_gives_it_back(program: Path) -> None:
    said = run(
        program, PLENTY, "state", "start", "state", "stop", "state", "start samples=512", "state", "stop", "state"
    )
    before, during, after, smaller, last = said.states
    assert said.starts == ["", ""]
    assert before.heap == after.heap == last.heap == 0
    assert during.heap in range(PRESET_HEAP, PRESET_HEAP + 1024), "and the console task's control block"
    assert during.heap - smaller.heap == (8192 - 512) * 8
    assert [one.watchdog for one in said.states] == [5000, 60000, 5000, 60000, 5000]
    assert [one.hooks for one in said.states] == [0, 2, 0, 2, 0]


def test_the_counters_are_aligned_to_a_microsecond_however_long_others_wait_for_it(program: Path) -> None:
    """A stand-in in which ticks go by while two cores compare their counters puts them half a tick apart."""
    many = [line for _ in range(6) for line in ("start", "ask info", "stop")]
    said = run(program, PLENTY, *many)
    found = [one["value"] for one in said.messages if one.get("key") == "clock.uncertainty"]
    assert len(found) >= 6
    assert all(int(str(one).split(" ")[0]) <= 240 for one in found), found


def test_power_management_is_locked_for_the_whole_session(program: Path) -> None:
    """The stand-in ends the program where the rate is asked for, or an answer comes, without the locks."""
    session = ["start", "state", "ask info", "stop", "state"]
    said = run(program, PLENTY, *session, *session)
    assert [one.locks for one in said.states] == [3, 0, 3, 0]
    assert said.condition("clock.frequency") == "power management is on, and held at the highest it was given"


@pytest.mark.measures("clock")
def test_what_was_measured_before_a_new_start_is_forgotten(program: Path) -> None:
    first = ["start", "ask run clock samples=3 id=7", "stop"]
    said = run(program, PLENTY, *first, "start samples=600", "ask resend 7 0-", "stop", "state")
    assert said.last("error")["code"] == "nothing-to-resend"
    assert said.states[-1].heap == 0


SENTENCE = re.compile(
    r"too little memory for (the samples|the memory region|the console's task): \d+ bytes in one piece are needed"
    r"|there is no memory for the tasks that align the cores' counters"
)
REQUIRED = 8
"""Allocations of a session without a second region: samples, region, and three tasks' stacks and control blocks."""


@pytest.mark.parametrize("last", ["one", "all"])
@pytest.mark.parametrize("first", range(1, REQUIRED + 1))
def test_whatever_allocation_fails_it_is_refused_without_a_leak_and_starts_later(
    program: Path, first: int, last: str
) -> None:
    """The first that fails, and none or all of those after it."""
    fail = f"fail {first} {first if last == 'one' else 999999}"
    said = run(program, PLENTY, fail, "start second_region=none", "state", "fail 0 0", "start", "stop", "state")
    refused, ended = said.states
    if (first, last) == (2, "one"):
        assert said.starts == ["", "Intercore is running already"], "region 0 has another place"
    else:
        assert SENTENCE.match(said.starts[0])
        assert (refused.heap, refused.hooks, refused.locks) == (0, 0, 0)
        assert (refused.running, refused.watchdog) == (0, 5000)
        assert said.starts[1] == ""
    assert (ended.heap, ended.hooks, ended.locks, ended.watchdog) == (0, 0, 0, 5000)


def test_there_are_no_other_allocations(program: Path) -> None:
    said = run(program, PLENTY, "fail 0 0", "start second_region=none", "state", "stop")
    assert said.states[0].allocations == REQUIRED


@pytest.mark.parametrize(
    ("heap", "sentence"),
    [
        ("heap 40000 20000", r"too little memory for the samples: 65536 bytes .* largest free one has 39\d\d\d;"),
        ("heap 70000 20000", r"too little memory for the memory region: 40960 bytes"),
        ("heap 70000 42000", r"too little memory for the console's task: 6144 bytes"),
    ],
)  # fmt: skip
def test_too_little_heap_is_said_with_what_there_is_and_smaller_sizes_fit(
    program: Path, heap: str, sentence: str
) -> None:
    small = "start samples=512 region=4096 second_region=none"
    said = run(program, heap, "start", "state", small, "state", "stop", "state")
    assert re.match(sentence, said.starts[0])
    assert "set smaller sizes in intercore_config or in menuconfig" in said.starts[0]
    assert said.starts[1] == ""
    assert [state.heap > 0 for state in said.states] == [False, True, False]


OUT_OF_RANGE = {
    "samples=511": "samples is 512 to 32768, and not 511: ",
    "samples=32769": "samples is 512 to 32768, and not 32769: ",
    "samples=none": "samples is 512 to 32768, and not 4294967295: ",
    "region=4095": "region_bytes is 4096 to 131072, and not 4095: ",
    "region=131073": "region_bytes is 4096 to 131072, and not 131073: ",
    "second_region=131073": "second_region_bytes is 0 to 131072, and not 131073: ",
    "console_stack=5119": "console_stack_bytes is 5120 to 32768, and not 5119: ",
    "task_stack=3071": "task_stack_bytes is 3072 to 32768, and not 3071: ",
    "task_stack=32769": "task_stack_bytes is 3072 to 32768, and not 32769: ",
}


def test_a_size_out_of_its_range_is_refused_before_anything_is_taken(program: Path) -> None:
    said = run(program, PLENTY, "fail 0 0", *(f"start {size}" for size in OUT_OF_RANGE), "state", "start", "stop")
    *refused, started = said.starts
    assert len(refused) == len(OUT_OF_RANGE)
    for sentence, wanted in zip(refused, OUT_OF_RANGE.values(), strict=True):
        assert sentence.startswith(wanted)
    assert (said.states[0].allocations, said.states[0].running, started) == (0, 0, "")


def test_ranges_and_presets_of_kconfig_are_those_of_the_code() -> None:
    board = FIRMWARE / "board" / "esp32"
    kconfig = "".join(path.read_text() for path in (FIRMWARE / "Kconfig", board / "Kconfig") if path.is_file())
    options = re.findall(
        r"config INTERCORE_(\w+)\n\s+int .*\n\s+range (\d+) (\d+)\n\s+default (\d+)", kconfig
    )  # the energy mark's begins with -1
    header = (board / "include" / "intercore.h").read_text()
    limits = {name: int(value) for name, value in re.findall(r"#define INTERCORE_(\w+) (\d+)U", header)}
    assert {name: (int(low), int(high)) for name, low, high, _ in options} == {
        "SAMPLES": (limits["SAMPLES_LEAST"], limits["SAMPLES_MOST"]),
        "REGION_BYTES": (limits["REGION_LEAST"], limits["REGION_MOST"]),
        "SECOND_REGION_BYTES": (0, limits["REGION_MOST"]),
        "CONSOLE_STACK_BYTES": (limits["CONSOLE_STACK_LEAST"], limits["STACK_MOST"]),
        "TASK_STACK_BYTES": (limits["TASK_STACK_LEAST"], limits["STACK_MOST"]),
    }
    presets = re.findall(r"#define CONFIG_INTERCORE_(\w+) (\d+)", (board / "esp32_memory.c").read_text())
    assert dict(presets) == {name: preset for name, _, _, preset in options}
    assert all(re.search(rf"\bdefault {preset}\b", header, re.IGNORECASE) for _, preset in presets)


def test_what_else_is_missing_is_said_and_all_is_given_back(program: Path) -> None:
    said = run(
        program,
        PLENTY,
        "start deaf",
        "state",
        "hooks 1",
        "start",
        "state",
        "hooks 8",
        "start",
        "start",
        "stop",
        "state",
    )
    deaf, no_hook, after = said.states
    assert said.starts[0] == "the console cannot be had: somebody else has its driver, or there is no memory for it"
    assert said.starts[1].startswith("no hook of the tick is left for the clock")
    assert said.starts[2:] == ["", "Intercore is running already"]
    assert [(state.heap, state.hooks, state.locks) for state in (deaf, no_hook, after)] == [(0, 0, 0)] * 3


# Regions


def test_two_regions_lie_in_two_banks(program: Path) -> None:
    said = run(program, PLENTY, "start region=5000", "ask info", "stop")
    assert said.condition("memory.regions").startswith("sram2 5056, sram1 16384, rtc-slow 4096, ")


def test_where_the_bank_of_region_0_is_full_the_other_one_has_it(program: Path) -> None:
    said = run(program, "heap 36000 120000", "start samples=4096 second_region=8192", "ask info", "stop", "state")
    assert said.condition("memory.regions").startswith("sram1 40960, rtc-slow")
    assert said.states[-1].heap == 0


def test_a_second_region_that_would_leave_little_for_others_is_left_out(program: Path) -> None:
    for start in ("heap 120000 25000", "start"), (PLENTY, "start second_region=none"):
        said = run(program, *start, "ask info", "stop", "state")
        assert said.condition("memory.regions").startswith("sram2 40960, rtc-slow 4096, flash 131072")
        assert said.states[-1].heap == 0


# What a measurement asks for


@pytest.mark.measures("clock")
def test_a_measurement_that_asks_for_more_samples_than_there_are_is_refused(program: Path) -> None:
    said = run(program, PLENTY, "start samples=512", "ask run clock samples=449", "ask run clock samples=448", "stop")
    assert said.last("error")["code"] == "out-of-range"
    assert "samples is outside the range that list shows: 449" in str(said.last("error")["text"])
    assert said.last("end")["status"] == "ok"


@pytest.mark.measures("rhealstone")
def test_a_deadlock_that_this_kernel_does_not_break_is_refused_and_the_others_are_not(program: Path) -> None:
    """ESP-IDF's kernel raises the owner of a mutex, and tells its core nothing of that."""
    levels = ["deadlock-breaking", "semaphore-shuffling"], ["same", "cross"], ["0", "1"]
    asked = " ".join(f"{name}={','.join(of)}" for name, of in zip(("component", "form", "core"), levels, strict=True))
    said = run(program, PLENTY, "start", f"ask check rhealstone {asked}", "stop")
    refused = {int(str(one["setting"])): str(one["text"]) for one in said.messages if one["type"] == "impossible"}
    settings = list(itertools.product(*reversed(levels)))  # the first parameter changes fastest
    assert [settings[number] for number in refused] == [(core, "cross", "deadlock-breaking") for core in ("0", "1")]
    assert set(refused.values()) == {
        "component=deadlock-breaking: a task does not get its core by inheriting a priority in this kernel, with "
        "form=cross"
    }


def test_every_default_is_within_what_there_is_memory_for(program: Path) -> None:
    said = run(program, PLENTY, "start samples=512 region=4096", "ask list", "stop")
    numbers = [one for one in said.messages if one["type"] == "parameter" and one["kind"] == "integer"]
    assert len(numbers) > 50
    for one in numbers:
        values = [one[name] for name in ("min", "default", "max")]
        assert values == sorted(values, key=lambda value: int(str(value))), one


def test_the_sizes_of_the_docs_have_room_for_every_preset_of_samples(program: Path) -> None:
    docs = (Path(__file__).parents[3] / "docs" / "esp32.md").read_text()
    sizes = re.search(r"`\{\.samples = (\d+), \.region_bytes = (\d+), \.second_region_bytes = INTERCORE_NONE\}`", docs)
    assert sizes is not None
    small = f"start samples={sizes[1]} region={sizes[2]} second_region=none"
    said = run(program, PLENTY, "start", "ask list", "state", "stop", small, "ask list", "state", "stop")
    presets = [one["default"] for one in said.messages if one.get("name") == "samples"]
    assert len(presets) >= 10
    assert presets[: len(presets) // 2] == presets[len(presets) // 2 :]
    assert f"{round((said.states[1].heap - 352) / 1000)} kB" in docs


@pytest.mark.measures("message")
def test_a_message_that_does_not_fit_the_region_is_refused(program: Path) -> None:
    said = run(program, PLENTY, "start region=4096", "ask check message size=4096", "stop")
    assert "size is outside the range that list shows: 4096" in str(said.last("error")["text"])


@pytest.mark.measures("threadmetric")
def test_a_benchmark_whose_array_does_not_fit_the_region_is_refused(program: Path) -> None:
    said = run(program, PLENTY, "start region=4096", "ask run threadmetric test=basic samples=1 window_ms=5", "stop")
    assert "no memory or interrupt for test=basic" in str(said.last("error")["text"])


@pytest.mark.measures("speedup")
def test_tasks_for_which_there_is_no_heap_are_refused_and_leak_nothing(program: Path) -> None:
    lines = []
    for number in range(1, 9):
        lines += ["state", f"fail {number} 999999", "ask run speedup n=10 samples=1 dither_us=0", "fail 0 0", "state"]
    said = run(program, PLENTY, "start", *lines, "ask run speedup n=10 samples=1", "stop", "state")
    errors = [str(one["text"]) for one in said.messages if one["type"] == "error"]
    assert len(errors) == 8
    assert all(re.fullmatch(r"a task could not be .*|the platform could not start a task .*", text) for text in errors)
    assert len({state.heap for state in said.states[:-1]}) == 1
    assert said.states[-1].heap == 0
    assert said.last("end")["status"] == "ok"
