"""Boards on other machines: RFC 2217, and places of a labgrid laboratory, whose coordinator and exporter run here."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from labgrid.remote.generated import labgrid_coordinator_pb2 as messages
from labgrid.remote.generated.labgrid_coordinator_pb2_grpc import CoordinatorStub

from intercore.board.build import host_program
from intercore.errors import IntercoreError, UsageError
from intercore.record.store import Store
from intercore.target.labgrid_port import DEFAULT_COORDINATOR, Address, LabgridPort
from tests.cli.interruption import press_ctrl_c, wait_until
from tests.cli.remote_board import DeviceBoard, Rfc2217Board
from tests.cli.tool import PATIENCE, QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.tool import Tool

LABGRID = [sys.executable, "-m", "labgrid.remote.{}"]
ME = "desk/ann"
OTHER = "bench/bob"
LONG = ("clock", "from=0", "to=0", "longest_us=999,1000,1001", "samples=1000", "dither_us=1000")
"""A run of some seconds."""
ENDLESS = (*LONG, "--repetitions", "1000")
slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes seconds; set INTERCORE_SLOW=1")

RESOURCES = """
first:
  NetworkSerialPort: {{host: 127.0.0.1, port: {port}, speed: 115200, protocol: rfc2217}}
second:
  RawSerialPort: {{port: {device}}}
third:
  NetworkPowerPort: {{model: gude, host: 127.0.0.1, index: '1'}}
fourth:
  left: {{cls: NetworkSerialPort, host: 127.0.0.1, port: {port}}}
  right: {{cls: NetworkSerialPort, host: 127.0.0.1, port: 1}}
"""
"""What the exporter offers."""
PLACES = {"board": "first", "device": "second", "socket": "third", "pair": "fourth", "empty": "fifth"}
"""Places and what they match of it."""


@dataclass
class Laboratory:
    """A labgrid coordinator, an exporter, and a board that the exporter offers in several ways."""

    coordinator: str
    board: Rfc2217Board
    directory: Path
    processes: list[subprocess.Popen[str]]

    @property
    def variables(self) -> dict[str, str]:
        host, user = ME.split("/")
        return {"LG_COORDINATOR": self.coordinator, "LG_HOSTNAME": host, "LG_USERNAME": user}

    def holder(self, place: str) -> str:
        """Who holds a place; empty if nobody does."""
        with grpc.insecure_channel(self.coordinator) as channel:
            places = CoordinatorStub(channel).GetPlaces(messages.GetPlacesRequest()).places
        return next(one.acquired for one in places if one.name == place)

    def wait_until_free(self, place: str) -> None:
        wait_until(lambda: self.holder(place) == "", self.processes[0])

    def client(self, *words: str, user: str = OTHER) -> None:
        """Run labgrid's own client."""
        host, name = user.split("/")
        subprocess.run(
            [*_labgrid("client"), *words],
            env={**os.environ, **self.variables, "LG_HOSTNAME": host, "LG_USERNAME": name},
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=PATIENCE,
        )

    @contextmanager
    def held(self, place: str, user: str) -> Iterator[None]:
        self.client("-p", place, "acquire", user=user)
        try:
            yield
        finally:
            self.client("-p", place, "release", user=user)


def _labgrid(part: str) -> list[str]:
    return [word.format(part) for word in LABGRID]


@contextmanager
def _started(part: str, *words: str, directory: Path, ready: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a part of labgrid; also return its line of output that says it is ready."""
    log = directory / f"{part}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*_labgrid(part), *words],
            cwd=directory,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        wait_until(lambda: ready in log.read_text(), process)
        yield process, next(line for line in log.read_text().splitlines() if ready in line)
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def _laboratory(directory: Path) -> Iterator[Laboratory]:
    program = host_program("O2", lambda _: None)
    match = "{{exporter: lab, group: {}, cls: '*', name: null, rename: null}}"
    places = [
        f"{name}:\n  aliases: [the-{name}]\n  matches: [{match.format(group)}]\n" for name, group in PLACES.items()
    ]
    (directory / "places.yaml").write_text("".join(places))
    with ExitStack() as stack:
        board = stack.enter_context(Rfc2217Board(program))
        device = stack.enter_context(DeviceBoard(program))
        (directory / "resources.yaml").write_text(RESOURCES.format(port=board.port, device=device.device))
        listening = "listening on "
        words = ["-l", "127.0.0.1:0"]
        coordinator, line = stack.enter_context(_started("coordinator", *words, directory=directory, ready=listening))
        address = line.partition(listening)[2]
        words = ["-c", address, "-n", "lab", "--hostname", "127.0.0.1", "resources.yaml"]
        exporter, _ = stack.enter_context(_started("exporter", *words, directory=directory, ready="fourth/right"))
        yield Laboratory(address, board, directory, [coordinator, exporter])


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    with _laboratory(tmp_path_factory.mktemp("laboratory")) as opened:
        yield opened


@pytest.fixture
def desk(tool: Tool, laboratory: Laboratory) -> Iterator[Tool]:
    """The tool with a laboratory, in which no place may stay held."""
    tool.environment.update(laboratory.variables)
    yield tool
    for place in PLACES:
        assert laboratory.holder(place) == ""


def complete_run(tool: Tool) -> dict[str, str]:
    """Return the conditions of the run in the store, which is whole."""
    with Store(tool.store) as store:
        run = store.run()
    assert run.complete
    return dict(run.measurements[-1].conditions)


# RFC 2217


def test_a_board_behind_a_server_for_rfc_2217_is_measured(tool: Tool) -> None:
    with Rfc2217Board(host_program("O2", lambda _: None)) as board:
        tool("run", "serial", "--port", board.url, "--baud", "57600", *QUICK).succeeded()
        assert board.rates[-1] == 57600
    conditions = complete_run(tool)
    assert (conditions["host.link"], conditions["host.rate"]) == (board.url, "57600")


@slow
def test_a_server_for_rfc_2217_that_goes_away_ends_the_run_which_can_go_on(tool: Tool) -> None:
    with Rfc2217Board(host_program("O2", lambda _: None)) as board:
        with tool.started("run", "serial", "--port", board.url, *LONG) as process:
            wait_until(lambda: board.runs == 2, process)
            board.hang_up()
            _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert f"error: the connection to {board.url} was lost" in " ".join(errors.split())
        tool("run", "--resume").succeeded()
    complete_run(tool)


# labgrid: what works


def test_a_board_of_a_place_is_measured_and_the_place_is_free_again(desk: Tool, laboratory: Laboratory) -> None:
    before = laboratory.board.connections
    desk("run", "serial", "--port", "labgrid://board", *QUICK).succeeded()
    assert laboratory.board.connections == before + 1, "the list of benchmarks and the run come through one"
    assert complete_run(desk)["host.link"] == "labgrid://board"
    assert laboratory.holder("board") == ""


def test_a_serial_device_of_an_exporter_is_reached_through_its_server(desk: Tool) -> None:
    if shutil.which("ser2net", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        assert "INTERCORE_NO_SKIP" not in os.environ, "there is no ser2net here"
        pytest.skip("no ser2net here: apt install ser2net")
    desk("info", "serial", "--port", "labgrid://device").succeeded()


@slow
def test_a_place_has_aliases_and_the_url_may_name_port_and_coordinator(desk: Tool, laboratory: Laboratory) -> None:
    url = f"labgrid://the-pair/left@{laboratory.coordinator}"
    shown = desk("info", "serial", "--port", url, "--format", "json", environment={"LG_COORDINATOR": "127.0.0.1:1"})
    conditions = {row["condition"]: row["value"] for row in shown.succeeded().json}
    assert conditions["host.link"] == url


@slow
def test_a_place_that_one_holds_already_is_used_and_kept(desk: Tool, laboratory: Laboratory) -> None:
    with laboratory.held("board", ME):
        desk("info", "serial", "--port", "labgrid://board").succeeded()
        assert laboratory.holder("board") == ME


# labgrid: what is refused


def test_a_place_that_somebody_else_holds_is_refused_by_their_name(desk: Tool, laboratory: Laboratory) -> None:
    with laboratory.held("board", OTHER):
        error = desk("run", "serial", "--port", "labgrid://board", *QUICK).failed(1).error
        assert error == (
            "error: cannot open labgrid://board: the place board is held by bench/bob: wait until that user releases "
            "the place"
        )
        assert laboratory.holder("board") == OTHER
    assert not desk.store.exists()


@slow
def test_a_place_that_somebody_else_shares_is_used_and_stays_theirs(desk: Tool, laboratory: Laboratory) -> None:
    with laboratory.held("board", OTHER):
        laboratory.client("-p", "board", "allow", ME)
        desk("info", "serial", "--port", "labgrid://board").succeeded()
        assert laboratory.holder("board") == OTHER


@pytest.mark.measures("contention")
def test_a_place_names_the_meter_beside_its_board(desk: Tool, laboratory: Laboratory) -> None:
    words = ("contention", "preset=none", "task0=work", "task1=off", "main=off", "discs=9", "window_ms=10")
    run = ("run", "serial", "--port", "labgrid://board", *words, "--repetitions", "1", "--meter", "place")
    assert "the place board" in desk(*run).failed(2).error
    laboratory.client("-p", "board", "set-tags", "meter=typed:47?step%3D1&volts%3D3.3")
    try:
        desk(*run).succeeded()
    finally:
        laboratory.client("-p", "board", "set-tags", "meter=")
    assert complete_run(desk)["host.meter"] == "read by eye, in steps of 1 mA at 3.3 V"


def test_a_misspelt_place_is_refused_with_the_right_name(desk: Tool) -> None:
    assert desk("info", "serial", "--port", "labgrid://bord").failed(2).error == (
        "error: cannot open labgrid://bord: there is no labgrid place 'bord'; did you mean 'board'?"
    )


def test_a_coordinator_that_does_not_answer_is_named() -> None:
    with pytest.raises(IntercoreError, match=r"the labgrid coordinator at 127\.0\.0\.1:1 does not answer"):
        LabgridPort("labgrid://board@127.0.0.1:1", 115200)


REFUSED = {
    "without serial port": (
        "socket",
        2,
        "the place socket has no serial port (NetworkSerialPort), only NetworkPowerPort",
    ),
    "with two": ("pair", 2, "the place pair has several serial ports (left, right): choose one by labgrid://pair/PORT"),
    "with another": ("pair/middle", 2, "the place pair has no serial port 'middle'; known: left, right"),
    "nobody listens": ("pair/right", 1, "cannot open rfc2217://127.0.0.1:1"),
    "without resources": (
        "empty",
        1,
        "no place empty: Match lab/fifth/* has no matching remote resource",
    ),
    "no name": ("", 2, "expected labgrid://PLACE or labgrid://PLACE@host:port"),
    "no coordinator": ("board@", 2, "expected labgrid://PLACE or labgrid://PLACE@host:port"),
    "nonsense for one": ("board@:x", 2, "':x' is not the address of a coordinator"),
}


@slow
@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(("place", "status", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_had_is_refused_in_a_sentence(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch, place: str, status: int, words: str
) -> None:
    for name, value in laboratory.variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(IntercoreError) as error:
        LabgridPort(f"labgrid://{place}", 115200)
    assert words in str(error.value)
    assert error.value.exit_status == status


def test_without_the_library_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(IntercoreError, match=r"pip install 'intercore\[lab\]'"):
        LabgridPort("labgrid://board", 115200)


def test_a_url_names_place_port_and_coordinator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LG_COORDINATOR", raising=False)
    assert Address.parse("labgrid://a") == Address("a", "", DEFAULT_COORDINATOR)
    assert Address.parse("labgrid://a%2Fb/c@[::1]:5") == Address("a/b", "c", "[::1]:5")
    monkeypatch.setenv("LG_COORDINATOR", "lab:1")
    assert Address.parse("labgrid://a/b") == Address("a", "b", "lab:1")
    with pytest.raises(UsageError):
        Address.parse("labgrid:///b")


# labgrid: abrupt ends


@contextmanager
def measuring(desk: Tool, laboratory: Laboratory) -> Iterator[subprocess.Popen[str]]:
    """A run on the place `board`, in the middle of its measurements."""
    before = laboratory.board.runs
    with desk.started("run", "serial", "--port", "labgrid://board", *ENDLESS) as process:
        wait_until(lambda: laboratory.board.runs > before, process)
        assert laboratory.holder("board") == ME
        yield process


@slow
def test_ctrl_c_releases_the_place(desk: Tool, laboratory: Laboratory) -> None:
    with measuring(desk, laboratory) as process:
        assert press_ctrl_c(process).status == 130
    assert laboratory.holder("board") == ""


def test_a_tool_that_is_killed_releases_the_place(desk: Tool, laboratory: Laboratory) -> None:
    with measuring(desk, laboratory) as process:
        process.kill()
        process.communicate(timeout=PATIENCE)
    laboratory.wait_until_free("board")


@slow
def test_a_lost_connection_releases_the_place(desk: Tool, laboratory: Laboratory) -> None:
    with measuring(desk, laboratory) as process:
        laboratory.board.hang_up()
        _, errors = process.communicate(timeout=PATIENCE)
    assert "error: the connection to labgrid://board was lost" in errors
    assert laboratory.holder("board") == ""


@slow
def test_a_place_that_is_taken_away_ends_the_run_and_stays_with_whom_has_it(desk: Tool, laboratory: Laboratory) -> None:
    with measuring(desk, laboratory) as process:
        laboratory.client("-p", "board", "release", "--kick")
        _, errors = process.communicate(timeout=PATIENCE)
    assert (
        "the connection to labgrid://board was lost: someone else released the place, and nobody holds it now"
        in " ".join(errors.split())
    )


@slow
def test_a_coordinator_that_goes_away_ends_the_run(tool: Tool, tmp_path: Path) -> None:
    with _laboratory(tmp_path) as laboratory:
        tool.environment.update(laboratory.variables)
        with measuring(tool, laboratory) as process:
            laboratory.processes[0].kill()
            _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "the connection to labgrid://board was lost: the labgrid coordinator" in " ".join(errors.split())
