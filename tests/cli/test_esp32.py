"""The targets esp32 and esp32-qemu: what a user does, with programs that stand for Espressif's."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import ESP32
from intercore.record.origin import CAUTION, LABELS
from intercore.record.store import Store
from tests.cli.interruption import press_ctrl_c, wait_until
from tests.cli.tool import PATIENCE
from tests.fakes.esp_images import whole
from tests.fakes.esp_tools import Fakes

if TYPE_CHECKING:
    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Tool

QUICK = ("n=10,100", "workload=fp", "cores=2", "mode=create", "join=notify")
LABEL = LABELS["emulated"]
A_TIME = re.compile(r"\d\s(ns|µs|ms|s)\b|\d\s?%|\bmedian")
"""What is read as a result of one: a number with its unit, or a share."""


@pytest.fixture
def esp(tool: Tool, fakes: Fakes) -> Fakes:
    """The tool, which finds the fakes and nothing of what this machine may have."""
    tool.environment.update(fakes.environment)
    return fakes


@pytest.fixture
def qemu(esp: Fakes, tool: Tool) -> Fakes:
    """QEMU beside them, and an image in the folder."""
    esp.install("qemu-system-xtensa")
    (tool.directory / "esp32.bin").write_bytes(whole("esp32"))
    return esp


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


# build and flash


def test_build_writes_elf_and_whole_flash_and_says_how_to_flash_it(tool: Tool, esp: Fakes) -> None:
    esp.install("idf.py")
    shown = tool("build", "esp32", "--cpu-mhz", "160", "-o", "out").succeeded().out
    path = tool.directory / "out" / "intercore-esp32-O2-cpu-mhz-160.bin"
    assert path.read_bytes()[:0x1000] == b"\xff" * 0x1000
    assert path.with_suffix(".elf").exists()
    assert f"Flash it anywhere by: intercore flash esp32 --port PORT --image out/{path.name}" in shown
    assert f"esptool --chip esp32 write-flash 0x0 {path.name}" in shown
    assert ".iram0.text" in shown
    found = tool("build", "esp32", "--cpu-mhz", "160", "--format", "json").succeeded().json
    assert (found["cpu_mhz"], found["kernel"]) == (160, "FreeRTOS of ESP-IDF v5.5.1")


def test_flash_builds_writes_and_verifies(tool: Tool, esp: Fakes) -> None:
    esp.install("idf.py")
    result = tool.program("flash", "esp32s3", "--port", "/dev/ttyACM9", "--code", "iram").succeeded()
    assert "building the program for the ESP32-S3 by ESP-IDF v5.5.1 (-O2, code=iram)" in result.err
    assert "written to /dev/ttyACM9 and verified; the program starts immediately" in result.err
    assert b"CONFIG_INTERCORE_CODE_IRAM=y" in esp.flash.read_bytes()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("flash", "esp32"), "a port is needed"),
        (("flash", "esp32", "--port", "X", "--code", "sram"), "did you mean 'iram'?"),
        (("flash", "esp32", "--port", "X", "--cpu-mhz", "100"), "the nearest are 80 and 160"),
        (("flash", "esp32", "--port", "X", "--trace", "512"), "must not wait for flash: add code=iram"),
        (("flash", "esp32", "--port", "X", "--image", "a.bin", "--opt", "O3"), "omit that option, or omit --image"),
        (("flash", "esp32", "--port", "X", "--drive", "."), "--drive does not apply"),
        (("flash", "pico", "--image", "a.bin"), "--image does not apply"),
        (
            ("build", "esp32", "--clock-mhz", "100"),
            "its options are --opt, --cpu-mhz, --code, --psram, --trace",
        ),
        (("run", "esp32", "speedup", "--port", "X", "cpu_mhz=80"), "intercore flash esp32 --cpu-mhz 80"),
        (("run", "esp32", "speedup", "--port", "X", "--image", "a.bin"), "intercore flash esp32 --image FILE"),
        (("run", "host", "speedup", "--image", "a.bin"), "--image does not apply to host"),
        (
            ("run", "esp32-qemu", "speedup", "--port", "X"),
            "the target 'esp32'?",
        ),
        (("run", "esp32-qemu", "speedup", "--image", "a.bin", "opt=O3"), "omit opt, or omit --image"),
        (("run", "esp32-qemu", "speedup", "--fault", "x"), "--fault applies only to simulated targets"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_does(
    tool: Tool, esp: Fakes, words: tuple[str, ...], complaint: str
) -> None:
    result = tool(*words)
    assert (result.status, complaint in " ".join(result.error.split())) == (2, True), result
    assert esp.calls("esptool") == []


# the board


def test_a_board_is_measured_and_flashed_for_each_build_of_a_plan(tool: Tool, esp: Fakes, board: FakeBoard) -> None:
    esp.install("idf.py")
    (tool.directory / "plan.toml").write_text(
        f'[[target]]\nname = "esp32"\nport = "{board.url}"\n[[experiment]]\nbenchmark = "example"\n'
        "[experiment.factors]\nn = [10, 20]\ncpu_mhz = [80, 240]\n"
    )
    result = tool.program("sweep", "plan.toml", "--no-estimate").succeeded()
    with Store(tool.store) as store:
        measured = [one.factors["cpu_mhz"] for one in store.run().measurements]
    assert sorted(measured) == [80, 80, 240, 240]
    assert measured == sorted(measured, reverse=measured[0] == 240), "one build after the other"
    ports = [call["words"][call["words"].index("--port") + 1] for call in esp.calls("esptool")]
    assert set(ports) == {board.url}
    assert 2 <= len(ports) <= 3, "once to ask it, and once for each build"
    assert "and verified" in result.err
    assert len(esp.calls("idf.py")) == 2


# QEMU


@pytest.mark.measures("speedup")
def test_qemu_runs_an_image_and_everything_says_that_times_mean_nothing(tool: Tool, qemu: Fakes) -> None:
    tool.environment["FAKE_BENCHMARK"] = "speedup"
    result = tool("run", "esp32-qemu", "speedup", *QUICK, "--image", "esp32.bin", "--report", "page.html").succeeded()
    shown = " ".join(result.out.split())
    assert LABEL in shown.partition("create")[0], "in the title of the table"
    assert not A_TIME.search(shown)
    assert CAUTION in shown
    assert "overhead" not in shown.lower()
    (call,) = qemu.calls("qemu")
    assert call["flash"] == 4 << 20
    words = " ".join(call["words"])
    assert "-machine esp32" in words
    assert ",if=mtd,format=raw" in words
    page = (tool.directory / "page.html").read_text()
    body = page[page.index("<body>") :]
    assert LABEL in page[: page.index("</title>")]
    assert body.count(f'<span class="label simulated">{LABEL}</span>') >= 2
    assert not A_TIME.search(body.partition('<section id="method">')[0])
    assert "Timestamp overhead" not in body
    assert 'id="plot-' not in body
    assert "times</strong> as fast" not in body
    assert "simulated, not measured" not in body
    tool.environment["COLUMNS"] = "200"
    assert (
        f"esp32-qemu ({LABEL})" in tool("runs").succeeded().out.replace("\n", "")
        or LABEL.split(":")[0] in tool("runs").out
    )
    document = tool("show", "--format", "json").succeeded().json
    assert (document["simulated"], document["emulated"], document["warnings"][0]) == (False, True, CAUTION)
    assert document["analysis"] == {}
    assert {(row["summary"], len(row["timestamp_overhead_ns"])) for row in document["measurements"]} == {(None, 0)}
    assert document["conditions"]["emulated"].startswith("by QEMU emulator version 9.2.2 (esp_develop")
    rows = tool("show", "--format", "csv").succeeded().out
    assert "emulated" in rows.splitlines()[0]
    assert not {"t1_us", "tp_us", "speedup"} & set(rows.splitlines()[0].split(","))
    tool("export", "1", "--to", "a.csv").succeeded()
    assert "emulated" in (tool.directory / "a.csv").read_text().splitlines()[0]


def test_qemu_is_gone_with_the_command_that_started_it(tool: Tool, qemu: Fakes) -> None:
    tool("info", "esp32-qemu", "--image", "esp32.bin").succeeded()
    assert not alive(qemu.calls("qemu")[-1]["pid"])
    flash = re.search(r"file=([^,]+)", " ".join(qemu.calls("qemu")[-1]["words"]))
    assert flash is not None
    assert not Path(flash[1]).exists()


@pytest.mark.parametrize("signal", ["INT", "KILL"])
def test_a_deaf_qemu_is_killed_with_the_tool(tool: Tool, qemu: Fakes, signal: str) -> None:
    with tool.started("info", "esp32-qemu", "--image", "esp32.bin", environment={"FAKE_QEMU": "deaf"}) as process:
        wait_until(lambda: bool(qemu.calls("qemu")), process)
        pid = qemu.calls("qemu")[-1]["pid"]
        if signal == "INT":
            press_ctrl_c(process)
        else:
            process.kill()
        process.wait(PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while alive(pid):
        assert time.monotonic() < deadline, "QEMU is left behind"
        time.sleep(0.02)


def test_a_run_on_qemu_goes_on_with_its_image(tool: Tool, qemu: Fakes) -> None:
    words = ("run", "esp32-qemu", "example", *QUICK, "--image", "esp32.bin")
    broken = tool(*words, environment={"FAKE_QEMU": "crashes"})
    assert broken.status == 1
    assert "ended with exit status" in broken.error
    assert "continue with: intercore run --resume" in broken.err
    tool("run", "--resume").succeeded()
    with Store(tool.store) as store:
        run = store.run()
        assert (run.complete, run.plan.emulated, run.plan.image) == (True, True, str(tool.directory / "esp32.bin"))
    assert qemu.calls("qemu")


def test_qemu_builds_what_it_runs_and_a_sweep_varies_it(tool: Tool, qemu: Fakes) -> None:
    qemu.install("idf.py")
    (tool.directory / "plan.toml").write_text(
        '[[target]]\nname = "esp32-qemu"\n[[experiment]]\nbenchmark = "example"\n'
        '[experiment.factors]\nn = [10]\ncode = ["flash", "iram"]\n'
    )
    result = tool("sweep", "plan.toml", "--no-estimate").succeeded()
    assert LABEL in " ".join(result.out.split())
    with Store(tool.store) as store:
        assert sorted(str(one.factors["code"]) for one in store.run().measurements) == ["flash", "iram"]
    assert len(qemu.calls("idf.py")) == 2
    dry = tool("sweep", "plan.toml", "--dry-run", "--again", "--no-estimate", "--format", "json").succeeded().json
    assert dry[0]["target"] == f"esp32-qemu ({LABEL})"


@pytest.mark.measures("speedup")
@pytest.mark.usefixtures("qemu")
def test_in_a_sweep_what_takes_this_machines_time_is_measured_one_target_at_a_time(tool: Tool, host: Path) -> None:
    (tool.directory / "plan.toml").write_text(
        'repetitions = 3\n[[target]]\nname = "host"\n[[target]]\nname = "esp32-qemu"\nimage = "esp32.bin"\n'
        '[[experiment]]\nbenchmark = "speedup"\nfactors = { n = [10, 100] }\n'
    )
    tool.environment["FAKE_BENCHMARK"] = "speedup"
    with_host = {"XDG_CACHE_HOME": str(host.parents[3])}  # so that it is not built again
    tool("sweep", "plan.toml", "--no-estimate", environment=with_host).succeeded()
    with Store(tool.store) as store:
        runs = [store.run(summary.id) for summary in store.runs()]
    moments = {run.plan.target: [one.started for one in run.measurements] for run in runs}
    assert (len(moments["host"]), len(moments["esp32-qemu"])) == (6, 6)
    assert max(moments["esp32-qemu"]) < min(moments["host"]), "the host comes last"


@pytest.mark.parametrize(
    ("behaviour", "image", "complaint"),
    [
        ("distribution", "esp32.bin", "has no machine 'esp32'"),
        ("none", "esp32.bin", "the target esp32-qemu needs qemu-system-xtensa, which was not found"),
        ("dies", "esp32.bin", "only 2, 4, 8, 16 MB images are supported"),
        ("", "s3.bin", "the image is for ESP32-S3, not for ESP32"),
        ("", "none.bin", "cannot read none.bin: No such file or directory"),
    ],
)
def test_a_qemu_that_cannot_run_it_is_told(tool: Tool, qemu: Fakes, behaviour: str, image: str, complaint: str) -> None:
    (tool.directory / "s3.bin").write_bytes(whole("esp32s3"))
    environment = {"FAKE_QEMU": behaviour}
    if behaviour == "none":
        (qemu.bin / "qemu-system-xtensa").unlink()
        environment["PATH"] = str(qemu.bin)  # the distribution may have one
    result = tool("info", "esp32-qemu", "--image", image, environment=environment)
    assert (result.status, complaint in " ".join(result.error.split())) == (1, True), result


def test_all_factors_of_the_emulated_chip_are_listed(tool: Tool, qemu: Fakes) -> None:
    qemu.install("idf.py")
    rows = tool("list", "esp32-qemu", "--format", "json").succeeded().json
    assert {row["name"] for row in rows if row["benchmark"] is None} == {factor.name for factor in ESP32.factors}
    shown = tool("list").succeeded().out
    assert "FUNCTION ONLY" in shown
