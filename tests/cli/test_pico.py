"""The targets pico and pico-sim, and what is built for them: what a user does, without a board."""

from __future__ import annotations

import os
import re
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import PICO
from intercore.board.build import CROSS_COMPILERS, board_image
from intercore.board.kernel import freertos_kernel
from intercore.board.sources import firmware_sources
from intercore.record.store import Store
from intercore.sim import Simulator
from tests.cli.interruption import has_runs, press_ctrl_c, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Run
    from tests.cli.tool import Tool

QUICK = ("clock", "from=0,1", "to=0", "longest_us=100,300", "samples=10", "dither_us=10")
SPEEDUPS = ("speedup", "n=100,300", "mode=create,spin", "samples=10", "dither_us=10")
of_speedups = pytest.mark.measures("speedup")


@pytest.fixture(scope="module", autouse=True)
def built() -> Path:
    """The image, built before anything is timed out."""
    if shutil.which(CROSS_COMPILERS["Arm"].program) is None:
        assert "INTERCORE_NO_SKIP" not in os.environ, f"there is no {CROSS_COMPILERS['Arm'].program} here"
        pytest.skip(f"no {CROSS_COMPILERS['Arm'].program} here: apt install gcc-arm-none-eabi")
    return board_image(PICO, {}, lambda _: None).elf


def stored(tool: Tool) -> Run:
    with Store(tool.store) as store:
        return store.run()


def samples(run: Run) -> dict[str, list[list[int]]]:
    return {
        f"{sorted(one.factors.items())} {one.repetition}": [series.ticks.tolist() for series in one.series]
        for one in run.measurements
    }


def alike(run: Run, other: Run) -> int:
    """Return how many measurements have the same samples, to the cycle."""
    theirs = samples(other)
    return sum(theirs[key] == values for key, values in samples(run).items())


# why the longest one took so long


@pytest.mark.measures("jitter", "irq")
def test_what_the_longest_samples_went_to_is_stored_and_shown(tool: Tool) -> None:
    words = ("jitter", "samples=20", "load=both", "load_work=queue", "period_us=1000")
    said = " ".join(tool("run", "pico-sim", *words, "--explain-worst").succeeded().out.split())
    assert "The longest lateness of an activation took" in said
    again = tool("show", "--format", "json").succeeded().json
    assert "SIMULATED" in said
    (found,) = again["analysis"]["jitter"]["explained"]
    worst, (setting,) = found["worst"], again["analysis"]["jitter"]["settings"]
    assert worst["cycles"] == setting["lateness_max_ticks"] == sum(part["cycles"] for part in worst["parts"])
    assert {"lock", "masked", "way"} <= {part["cause"] for part in worst["parts"]}
    assert [one["code"] for one in again["findings"]].count("worst-explained") == 1
    shown = " ".join(tool("show", "1").succeeded().out.split())
    assert "Where the longest lateness of an activation went" in shown
    assert "core 1 held the kernel's spinlock" in shown
    page = tool.directory / "page.html"
    tool("report", "1", "--output", str(page)).succeeded()
    assert "spinlock 15 in" in page.read_text("utf-8")


def test_of_interrupts_each_path_is_explained_and_those_measured_without_are_not(tool: Tool) -> None:
    words = ("irq", "path=timer-handler,doorbell", "from=0", "to=1", "interrupted=busy,kernel", "samples=10")
    tool("run", "pico-sim", *words).succeeded()
    assert not tool("show", "--format", "json").succeeded().json["analysis"]["irq"]["explained"]
    tool("run", "pico-sim", *words, "--explain-worst", "--max-baud", "115200").succeeded()
    found = tool("show", "2", "--format", "json").succeeded().json["analysis"]["irq"]
    largest = {one["path"]: round(one["largest_us"] * 125) for one in found["budgets"]}
    assert {one["factors"]["path"]: one["worst"]["cycles"] for one in found["explained"]} == largest


def test_a_measurement_that_cannot_be_repeated_stays_in_the_store_unexplained(tool: Tool) -> None:
    words = ("irq", "path=timer-handler", "from=0", "interrupted=kernel", "samples=20", "--fault", "reset@9e9")
    assert "has other samples than the store" in tool("run", "pico-sim", *words, "--explain-worst").failed(1).error
    assert len(stored(tool).measurements) == 2


# which kernel


def test_commands_that_build_print_which_kernel_folder_they_used(tool: Tool) -> None:
    kernel = freertos_kernel(firmware_sources() / "port" / "freertos" / "kernel", lambda _: None)
    assert kernel.folder is not None
    assert f"kernel: {kernel}" in tool("info", "pico-sim").succeeded().err.splitlines()
    (tool.directory / "b.toml").write_text('budgets = ["clock from=0 to=0: median <= 1 us"]')
    assert "clock cannot have a budget" in tool.here("check", "b.toml", "pico-sim").failed(2).error
    (tool.directory / "b.toml").write_text('budgets = ["irq path=timer-handler from=0 interrupted=idle: max <= 1 s"]')
    held = tool("check", "b.toml", "pico-sim", "--kernel", str(kernel.folder))
    assert held.status == 0, held
    assert f"kernel: FreeRTOS {kernel.version} in {kernel.folder} (--kernel)" in held.err.splitlines()
    plan = '[[target]]\nname = "pico-sim"\n[[experiment]]\nbenchmark = "irq"\nfactors = { samples = 1 }'
    (tool.directory / "p.toml").write_text(plan)
    assert f"kernel: {kernel}" in tool("sweep", "p.toml", "--dry-run", "--no-estimate").succeeded().err.splitlines()
    with Store(tool.store) as store:
        assert store.run().plan.kernel == str(kernel.folder)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "b.toml", "pico-sim", "--kernel", "none"), "none (--kernel) is not a FreeRTOS kernel"),
        (("trace", "pico-sim", "switch", "--kernel", "none"), "none (--kernel) is not a FreeRTOS kernel"),
        (("check", "b.toml", "host", "--kernel", "none"), "--kernel names a FreeRTOS kernel, but host"),
        (("trace", "host", "switch", "--kernel", "none"), "--kernel names a FreeRTOS kernel, but host"),
        (("check", "b.toml", "1", "--kernel", "none"), "a target is measured"),
    ],
)
def test_a_kernel_that_is_none_or_has_no_meaning_is_refused(tool: Tool, words: tuple[str, ...], says: str) -> None:
    (tool.directory / "b.toml").write_text('budgets = ["irq: max <= 1 s"]')
    assert says in tool.here(*words).failed(2).error


# build and flash


def test_build_makes_an_elf_and_a_uf2_file_that_run_alike(tool: Tool) -> None:
    shown = tool("build", "pico", "-o", "images", "--format", "json").succeeded().json
    elf, uf2 = tool.directory / "images" / "intercore-pico-O2.elf", tool.directory / "images" / "intercore-pico-O2.uf2"
    assert (shown["elf"], shown["uf2"]) == (str(elf), str(uf2))
    assert re.fullmatch(r"V11\.\d+\.\d+.*", shown["kernel"])
    assert {section["section"] for section in shown["sections"]} >= {".text", ".data", ".bss"}
    greetings = []
    for image in (elf, uf2):
        chip = Simulator(image)
        chip.run(60_000_000)
        greetings.append(chip.take_uart())
    assert greetings[0] == greetings[1]
    assert b'"type":"hello"' in greetings[0]


def test_build_shows_people_where_things_are_and_what_they_take(tool: Tool) -> None:
    shown = tool("build", "pico", "--opt", "O2").succeeded().out
    assert re.search(r"\.text +0x2\w{7} +[\d,]+ +yes", shown)
    assert "kernel        V11." in shown
    assert "intercore-pico-O2.uf2" in shown


def test_an_image_for_flash_is_named_and_shown_as_such(tool: Tool) -> None:
    shown = tool("build", "pico", "--code", "flash", "--clock-mhz", "48", "-o", "here", "--format", "json")
    made = shown.succeeded().json
    assert (made["opt"], made["clock_mhz"], made["code"], made["xip_cache"]) == ("O2", 48, "flash", "on")
    assert made["uf2"].endswith("here/intercore-pico-O2-clock-mhz-48-code-flash.uf2")
    assert next(part["address"] for part in made["sections"] if part["section"] == ".text") == 0x1000_0100


@of_speedups
def test_targets_factors_are_levels_like_others(tool: Tool) -> None:
    words = ("speedup", "n=20", "mode=pool", "samples=3", "clock_mhz=48,125", "code=flash")
    shown = tool("run", "pico-sim", *words, "--format", "json").succeeded().json
    taken = {point["clock_mhz"]: point["t1_us"] for point in shown["analysis"]["speedup"]}
    assert taken[48] / taken[125] == pytest.approx(125 / 48, rel=0.1)
    assert "condition-changed" not in {one["code"] for one in shown["findings"]}
    factors = [row["factors"] for row in shown["measurements"]]
    assert {(known["clock_mhz"], known["code"]) for known in factors} == {(48, "flash"), (125, "flash")}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("build", "picco"), "there is no board 'picco'; did you mean 'pico'?"),
        (("build", "pico", "--opt", "O9"), "the factor opt has no level 'O9'"),
        (("build", "pico-sim"), "there is no board 'pico-sim'; did you mean 'pico'?"),
        (("flash", "pico-amp-sim"), "there is no board 'pico-amp-sim'; did you mean 'pico-amp'?"),
        (("flash", "avr"), "there is no board 'avr'"),
        (("flash", "pico", "--drive", "nowhere"), "nowhere is not the boot drive of a Pico"),
        (("run", "pico", "clock", "--port", "loop://", "--opt", "O3"), "intercore flash pico --opt O3"),
        (("run", "pico", "clock", "--port", "loop://", "code=flash"), "intercore flash pico --code flash"),
        (("run", "pico-sim", "clock", "clock_mhz=200"), ": the nearest is 133 (whole numbers from 48 to"),
        (
            ("run", "pico-sim", "clock", "code=sram,flash", "xip_cache=off"),
            "xip_cache=off has no effect with code=sram",
        ),
        (("run", "serial", "clock", "--port", "loop://", "clock_mhz=48"), "the target serial, because the tool"),
        (("build", "pico", "--clock-mhz", "47.5"), ": the nearest is 48 (whole numbers from 48 to"),
        (("flash", "pico", "--xip-cache", "off"), "xip_cache=off has no effect with code=sram"),
        (("run", "pico", "clock"), "a port is needed"),
        (("run", "pico-amp", "clock"), "the Pico's console is on GP0 (TX) and GP1 (RX)"),
        (("run", "pico-sim", "clock", "--port", "COM3"), "Did you mean the target 'pico'?"),
        (("run", "host", "clock", "--fault", "reset@1e6"), "--fault applies only to simulated targets"),
        (("run", "pico-sim", "clock", "--fault", "flood"), "--fault: unknown fault 'flood': expected uart-in"),
    ],
)
def test_a_wrong_word_gets_a_sentence_that_helps(tool: Tool, words: tuple[str, ...], says: str) -> None:
    failed = tool(*words)
    assert failed.status == 2, failed
    assert says in failed.err


def test_flash_copies_the_image_to_the_boot_drive(tool: Tool) -> None:
    drive = tool.directory / "RPI-RP2"
    drive.mkdir()
    (drive / "INFO_UF2.TXT").write_text("UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n")
    shown = tool("flash", "pico", "--drive", "RPI-RP2").succeeded()
    assert any(line.startswith("kernel: FreeRTOS V11.") for line in shown.err.splitlines())
    assert "copied to RPI-RP2; the program starts immediately" in shown.err
    assert "GP0" in shown.err
    assert (drive / "intercore-pico-O2.uf2").read_bytes()[:4] == b"UF2\n"


def test_all_that_is_missing_to_build_with_is_named_at_once(tool: Tool) -> None:
    failed = tool("build", "pico", environment={"PATH": "/nowhere", "CMAKE_GENERATOR": ""}).failed(1)
    assert "on Debian or Ubuntu: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi cmake make cargo" in failed.error


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"FREERTOS_KERNEL_PATH": "/nowhere"}, "/nowhere (FREERTOS_KERNEL_PATH) is not a FreeRTOS kernel"),
        (
            {"CARGO_HOME": "empty", "CARGO_NET_OFFLINE": "true"},
            "the FreeRTOS kernel is not available: cargo fetch reports:",
        ),
    ],
)
def test_a_kernel_that_cannot_be_had_is_told_in_a_sentence(tool: Tool, environment: dict[str, str], says: str) -> None:
    failed = tool("build", "pico", environment=environment).failed(1)
    assert says in failed.error
    assert "FREERTOS_KERNEL_PATH" in failed.error


# run


@pytest.mark.parametrize(
    ("words", "measurements"),
    [
        pytest.param(
            ("speedup", "n=100,300", "mode=create,pool,spin", "samples=10", "dither_us=10"),
            6,
            marks=of_speedups,
            id="fork and join",
        ),
        pytest.param(
            ("speedup", "workload=hanoi", "n=100", "mode=pool", "join=poll-tick", "samples=5"),
            1,
            marks=of_speedups,
            id="other work",
        ),
        pytest.param(("clock", "samples=20", "dither_us=100"), 4, id="clock"),
    ],
)
def test_two_runs_in_two_processes_store_the_same_samples(
    tool: Tool, words: tuple[str, ...], measurements: int
) -> None:
    runs = []
    for _ in range(2):
        tool.program("run", "pico-sim", *words, "--seed", "5").succeeded()
        runs.append(stored(tool))
    assert runs[0].id != runs[1].id
    assert len(samples(runs[0])) == measurements
    assert all(len(series) > 1 for one in samples(runs[0]).values() for series in one)
    assert samples(runs[0]) == samples(runs[1])
    assert [one.checks for one in runs[0].measurements] == [one.checks for one in runs[1].measurements]


def test_another_seed_gives_other_samples(tool: Tool) -> None:
    runs = []
    for seed in ("1", "2"):
        tool("run", "pico-sim", "clock", "to=0", "samples=10", "--seed", seed).succeeded()
        runs.append(next(iter(samples(stored(tool)).values())))
    assert runs[0] != runs[1]


def test_a_repetition_is_another_experiment(tool: Tool) -> None:
    tool("run", "pico-sim", "clock", "from=0", "to=0", "samples=10", "--repetitions", "3").succeeded()
    run = stored(tool)
    assert {measurement.factors["seed"] for measurement in run.measurements} == {1}
    assert len({str(values) for values in samples(run).values()}) == 3


@of_speedups
def test_everything_simulated_says_so(tool: Tool) -> None:
    shown = tool("run", "pico-sim", *SPEEDUPS, "-v", "--report", "page.html").succeeded()
    assert "Speed-up on pico-sim, SIMULATED" in shown.out
    assert "simulated time" in shown.err
    assert "SIMULATED" in (tool.directory / "page.html").read_text()
    assert tool("show", "--format", "json").succeeded().json["simulated"] is True
    header, *lines = tool("show", "--format", "csv").out.splitlines()
    column = header.split(",").index("simulated")
    assert {line.split(",")[column] for line in lines} == {"True"}
    assert tool("runs", "--format", "json").json[0]["target"] == "pico-sim (SIMULATED)"
    tool("run", "pico-sim", "clock", "samples=20", "dither_us=100").succeeded()
    tool("report", "pico-sim", "-o", "both.html").succeeded()
    page = (tool.directory / "both.html").read_text()
    assert "pico-sim, run 2 (SIMULATED)" in page
    assert "Checked against the simulator: " in page
    assert "starting and joining" in page
    assert "SIMULATED" in tool("info", "pico-sim").succeeded().out
    tool("export", "1", "--to", "samples.csv").succeeded()
    header, *lines = (tool.directory / "samples.csv").read_text().splitlines()
    column = header.split(",").index("simulated")
    assert {line.split(",")[column] for line in lines} == {"true"}


def test_the_rate_is_raised_and_recorded(tool: Tool) -> None:
    tool("run", "pico-sim", "clock", "to=0", "samples=10").succeeded()
    rate = int(stored(tool).measurements[0].conditions["host.rate"])
    assert rate >= 921600
    tool("run", "pico-sim", "clock", "to=0", "samples=10", "--max-baud", "921600").succeeded()
    assert stored(tool).measurements[0].conditions["host.rate"] == "921600"


def test_samples_are_the_same_at_every_rate(tool: Tool) -> None:
    """Also those behind a report: tests/firmware/rp2040/test_line_faults.py."""
    found = []
    for rate in ("115200", "3000000"):
        tool("run", "pico-sim", "clock", "from=0,1", "to=0", "samples=10", "--max-baud", rate).succeeded()
        found.append(samples(stored(tool)))
    assert found[0] == found[1]


@of_speedups
def test_costs_are_shown_in_cycles(tool: Tool) -> None:
    shown = tool("run", "pico-sim", "speedup", "n=100,300,1000", "mode=create", "samples=10", "-v").succeeded().out
    row = shown[shown.index("Overhead of fork and join") : shown.index("published:")]
    us = float(re.search(r"([\d.]+)\s+µs", row)[1])  # type: ignore[index]
    cycles = int(re.search(r"([\d,]+)\s+cycles", row)[1].replace(",", ""))  # type: ignore[index]
    assert cycles == pytest.approx(125 * us, rel=0.01)


# faults on purpose


def test_damage_on_the_line_spoils_no_measurement(tool: Tool) -> None:
    """The samples are those of a good line (tests/firmware/rp2040/test_line_faults.py says with which exception)."""
    tool("run", "pico-sim", *QUICK).succeeded()
    clean = stored(tool)
    noise = ("--fault", "uart-out:flip=1e-4,lose=1e-4,seed=7", "--fault", "uart-in:flip=1e-4,seed=4")
    tool("run", "pico-sim", *QUICK, *noise).succeeded()
    noisy = stored(tool)
    assert noisy.complete
    assert sum(one.checks["bad_lines"] for one in noisy.measurements) > 0
    assert "uart-out" in noisy.measurements[0].conditions["host.faults"]
    assert samples(noisy).keys() == samples(clean).keys()
    assert alike(noisy, clean) >= 3


@of_speedups
def test_a_reset_in_mid_run_is_told_and_the_run_resumes(tool: Tool) -> None:
    shown = tool("run", "pico-sim", *SPEEDUPS, "-v").succeeded()
    undisturbed = stored(tool)
    _, second, third, _ = (float(seconds) for seconds in re.findall(r"simulated time ([\d.]+) s", shown.err))
    while_the_third_is_taken = int((second + third) / 2 * 125e6)
    failed = tool("run", "pico-sim", *SPEEDUPS, "--fault", f"reset@{while_the_third_is_taken}")
    assert failed.status == 1, failed
    assert "restarted during" in failed.err
    assert "continue with: intercore run --resume" in failed.err
    before = samples(stored(tool))
    assert len(before) < 4
    tool("run", "--resume").succeeded()
    after = samples(stored(tool))
    assert len(after) == 4
    assert before.items() <= after.items()
    # All begin from the same state, but for those behind the first one of a session that has such a fault.
    assert alike(stored(tool), undisturbed) >= 4 - max(len(before) - 1, 0)


def test_a_core_that_stops_is_told_with_where_it_stands(tool: Tool) -> None:
    failed = tool("run", "pico-sim", *QUICK, "--fault", "stuck:core=0@1.2e8", "--timeout", "2")
    assert failed.status == 1, failed
    # It may have stopped while it sent an answer.
    assert re.search(
        r"(?:hangs: |did not get line).*\(at cycle \d+: core 0 .*pc 0x\w+|ended: cycle \d+: .*pc 0x\w+|restarted",
        failed.err,
    )


def test_ctrl_c_is_prompt(tool: Tool) -> None:
    with tool.started("run", "pico-sim", "clock", "from=0", "to=0", "longest_us=100000", "samples=8000") as process:
        wait_until(lambda: has_runs(tool.store), process)
        time.sleep(2)  # so that it is in the measurement, which takes seven minutes
        pressed = press_ctrl_c(process)
    assert pressed.status == 130
    assert "continue with: intercore run --resume" in pressed.err


@of_speedups
def test_a_page_shows_two_targets_side_by_side(tool: Tool) -> None:
    tool("run", "host", "speedup", "n=1000,10000", "mode=create", "samples=5", "dither_us=10").succeeded()
    tool("run", "pico-sim", *SPEEDUPS).succeeded()
    tool("report", "host", "pico-sim", "-o", "both.html").succeeded()
    page = (tool.directory / "both.html").read_text()
    assert "host: create" in page
    assert "pico-sim: created tasks (SIMULATED)" in page
    assert "published: Quách" in page
    assert re.search(r"[\d,]+\N{NO-BREAK SPACE}cycles", page)
    assert "no run of the target pico" in tool("report", "pico").failed(2).error
