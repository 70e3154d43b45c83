"""The targets of the ESP32: how their port is opened, and what is said of an emulated one's numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.benchmarks.findings import ProgramFailed
from intercore.benchmarks.predictions import predict
from intercore.benchmarks.reports import reports
from intercore.board.boards import ESP32, ESP32P4, ESP32S3
from intercore.campaign import plan_file, plan_reader
from intercore.campaign.planning import drafts
from intercore.comparison.analysis import compare
from intercore.comparison.report import comparison_rows, comparison_section
from intercore.errors import IntercoreError, UsageError
from intercore.link.serial_port import SerialPort
from intercore.record import conditions
from intercore.record.findings import EmulatedTimes
from intercore.record.origin import CAUTION, LABELS, in_brackets, in_heading, weakest_origin
from intercore.record.plan import Setting
from intercore.record.store import Store
from intercore.target import opening
from intercore.target.connection import Connection
from intercore.target.targets import Address, find
from tests.benchmarks.message_data import campaign
from tests.benchmarks.message_data import plan_of as messages_plan
from tests.comparison.compared_runs import measured as compared
from tests.comparison.compared_runs import run as comparable
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from intercore.record.measurement import Run


class Line:
    """A serial port that remembers what its lines were told."""

    def __init__(self, *, lines: bool = True) -> None:
        self.told: list[tuple[str, bool]] = []
        self._has_lines = lines

    def __setattr__(self, name: str, value: object) -> None:
        if name in {"rts", "dtr"}:
            if not self._has_lines:
                raise OSError(25, "Inappropriate ioctl for device")
            self.told.append((name, bool(value)))
        else:
            super().__setattr__(name, value)


@pytest.mark.parametrize("target", ["esp32", "esp32s3", "esp32p4"])
def test_the_chip_is_neither_held_in_reset_nor_sent_to_its_boot_rom(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line()
    monkeypatch.setattr("serial.serial_for_url", lambda *_, **__: line)
    find(target).open(Address("/dev/ttyUSB0"), lambda _: None)
    assert line.told == [("rts", False), ("dtr", False)], "RTS first: DTR alone released would be a reset"


def test_lines_are_left_alone_where_nobody_asked_or_where_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    monkeypatch.setattr("serial.serial_for_url", lambda *_, **__: line)
    find("pico").open(Address("/dev/ttyUSB0"), lambda _: None)
    assert line.told == []
    monkeypatch.setattr("serial.serial_for_url", lambda *_, **__: Line(lines=False))
    SerialPort("/dev/pts/1", 115200, release=True)


def test_a_port_that_vanishes_with_a_reset_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def open_late(*, late: bool) -> Connection:
        tries.append(1)
        if late or len(tries) < 3:
            raise IntercoreError("cannot open /dev/ttyACM0: No such file")
        return Connection(SerialPort("loop://", 115200))

    assert opening._reopened(lambda: open_late(late=False)).port.description == "loop://"
    assert len(tries) == 3
    monkeypatch.setattr(opening, "REAPPEARING_S", 0.5)
    with pytest.raises(IntercoreError, match="No such file"):
        opening._reopened(lambda: open_late(late=True))


def test_the_largest_published_work_fits_the_patience_with_an_esp32_and_a_slow_clock() -> None:
    at_80_mhz = 3 * (40.76 + 20.43)  # seed 000, Table 1: N = 10,000,000 on one core and on two, at 240 MHz
    assert find("esp32").timeout == find("esp32s3").timeout == find("esp32p4").timeout > at_80_mhz
    assert find("host").timeout < at_80_mhz


# A plan file


def plan_of(text: str) -> plan_file.PlanFile:
    return plan_reader.parse(text + '[[experiment]]\nbenchmark = "speedup"\n[experiment.factors]\nn = [10]\n', "p.toml")


def test_a_plan_may_name_the_image_of_an_emulated_chip() -> None:
    (draft,) = drafts(plan_of('[[target]]\nname = "esp32-qemu"\nimage = "a.bin"\n'))
    assert (draft.plan.image, draft.plan.emulated, draft.plan.simulated) == ("a.bin", True, False)
    assert draft.builds == ({},), "an image was built with something already"
    (built,) = drafts(plan_of('[[target]]\nname = "esp32-qemu"\n'))
    assert built.builds == ({"opt": ["O2"]},)


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ('name = "pico"\nport = "loop://"\nimage = "a.bin"', r"p.toml:\d+: .*intercore flash pico --image FILE"),
        ('name = "esp32-qemu"\nimage = "a.bin"\nport = "loop://"', "Did you mean"),
        ('name = "esp32"', "the target esp32 needs a port"),
        ('name = "esp32"\nport = "loop://"\nprobe = "1"', "--probe does not apply"),
    ],
)
def test_what_a_plan_says_of_a_target_must_make_sense(target: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        plan_of(f"[[target]]\n{target}\n")


def test_factors_of_an_image_are_refused_with_their_line() -> None:
    file = plan_reader.parse(
        '[[target]]\nname = "esp32-qemu"\nimage = "a.bin"\n[[experiment]]\nbenchmark = "speedup"\n'
        '[experiment.factors]\nn = [10]\ncode = ["iram"]\n',
        "p.toml",
    )
    with pytest.raises(UsageError, match=r"p\.toml:8: code has no"):
        drafts(file)


# What is said of the numbers


def emulated(run: Run) -> Run:
    return msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, emulated=True))


def test_the_label_that_doubts_most_is_that_of_all() -> None:
    assert weakest_origin(["measured", "simulated", "emulated"]) == "emulated"
    assert weakest_origin(["measured", "simulated"]) == "simulated"
    assert weakest_origin([]) == "measured"
    assert in_brackets("x", "emulated") == f"x ({LABELS['emulated']})"
    assert in_heading("x", "measured") == in_brackets("x", "measured") == "x"


def test_nothing_is_compared_with_an_emulated_chip_but_how_it_was_built() -> None:
    found = compare([comparable("a", compared([10] * 6)), emulated(comparable("b", compared([20] * 6)))])
    assert found.answer == ("Settings carried out on both: 1. Their times are not compared.",)
    assert not any("times" in sentence for sentence in found.sentences)
    assert (found.pairs, found.overall, comparison_rows(found)) == ((), (), [])
    assert found.warnings[0] == CAUTION
    assert LABELS["emulated"] in comparison_section(found).title
    assert (found.first.origin, found.second.origin) == ("simulated", "emulated")


def test_nothing_is_predicted_from_an_emulated_chip(tmp_path: Path) -> None:
    measurements = campaign(lambda size: 10 + size / 100, [16, 64, 256, 1024], noise=0.01)
    plan = msgspec.structs.replace(messages_plan(measurements), target="esp32-qemu", emulated=True)
    with Store(tmp_path / "s.db") as store:
        number = store.create_run(plan, len(measurements))
        for one in measurements:
            store.add(number, Setting("message", dict(one.factors), 0), one, len(measurements))
        with pytest.raises(UsageError, match="nothing can be predicted from esp32-qemu, FUNCTION ONLY"):
            predict(store, "esp32-qemu", "message", ["size=300"], extrapolate=False)


@pytest.mark.parametrize("benchmark", fake_esp32.run().plan.benchmarks)
def test_report_of_an_emulated_chip_has_no_times(benchmark: str) -> None:
    sound = fake_esp32.run(emulated=True)
    wrong = msgspec.structs.replace(
        sound, measurements=tuple(msgspec.structs.replace(one, checks={"wrong": 3}) for one in sound.measurements)
    )
    for run in (sound, wrong):
        found = next(one for one in reports(run).reports if one.benchmark == benchmark)
        assert (found.json, found.section.figures, found.analysis) == ({}, (), None)
        (table,) = found.section.tables
        columns = ["setting", "repetitions", "done", "results checked", "wrong"]
        assert [column.title for column in table.columns] == columns
        text = " ".join([*found.section.sentences, *(one.text for one in found.caveats)])
        text += " ".join(column.text(row) for row in table.rows for column in table.columns)
        assert not re.search(r"\d\s(ns|µs|ms|s)\b|%|slower|overhead", text)
        failed = [one for one in found.findings if isinstance(one, ProgramFailed)]
        assert bool(failed) == (run is wrong)
        assert all("wrong" in one.checks for one in failed)


def test_an_emulated_run_is_warned_of_first() -> None:
    run = emulated(comparable("esp32-qemu", compared([1] * 6)))
    assert next(conditions.caveats(run)) == EmulatedTimes()


def test_the_boards_are_of_one_project_and_three_chips() -> None:
    assert ESP32.folder == ESP32S3.folder == ESP32P4.folder
    assert ESP32.chip is not None
    assert ESP32S3.chip is not None
    assert ESP32P4.chip is not None
    assert (ESP32.chip.bootloader, ESP32S3.chip.bootloader, ESP32P4.chip.bootloader) == (0x1000, 0, 0x2000)
