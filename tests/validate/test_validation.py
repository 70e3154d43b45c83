"""The commands `validate` and `import`, and the file that goes from one to the other."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.cli import import_, validate
from intercore.errors import IntercoreError, UsageError
from intercore.target.targets import Address, find
from intercore.validate import campaign
from intercore.validate.costs import COSTS
from intercore.validate.quantities import BUILD, QUANTITIES
from intercore.validate.result import Validation, read, validation, write
from tests.firmware.rp2040.conftest import need_tools
from tests.firmware.rp2040.tool_in_process import command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from intercore.link.session import Session

MODEL = [np.array([100 + i]) for i in range(len(QUANTITIES))]
EFFECTS = [[2.0 * (i == j) for j in range(len(QUANTITIES))] for i in range(len(COSTS))]


def made(origin: Any = "simulated board", **conditions: str) -> Validation:  # noqa: ANN401
    return validation(origin, conditions, [time + 10 * (i == 1) for i, time in enumerate(MODEL)], MODEL, EFFECTS)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Measurements and simulations take no time."""
    need_tools()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(campaign.Model, "measure", lambda _, altered, __: [one + 10 * bool(altered) for one in MODEL])
    monkeypatch.setattr(campaign.Model, "effects", lambda *_: EFFECTS)
    monkeypatch.setattr(validate, "measure", lambda *_: MODEL)


@pytest.mark.usefixtures("quick")
def test_a_simulated_board_is_called_so_in_file_and_import(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    printed = command(monkeypatch, capsys, "validate", "pico", "--simulate-board", "3")
    assert printed["validation"]["origin"] == "simulated board"
    again = command(monkeypatch, capsys, "import", "pico-validation.json")
    assert again == printed
    with pytest.raises(SystemExit):
        validate.app(["pico", "--simulate-board", "3"])
    shown = capsys.readouterr().out
    assert "SIMULATED board" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.usefixtures("quick")
def test_a_page_has_the_numbers_of_a_file_and_nothing_of_it_as_markup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(made("simulated board", chip="<b>RP2040</b>"), tmp_path / "v.json")
    command(monkeypatch, capsys, "import", "v.json", "--page", "v.html")
    text = (tmp_path / "v.html").read_text("utf-8")
    assert "&lt;b&gt;RP2040" in text
    assert "+10.0" in text
    assert "needed" in text
    assert "SIMULATED board" in text
    assert not any(word in text for word in ("<script", "<b>", "http://", "https://"))
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.html"):
        import_.app(["v.json", "--page", "mine.html"], standalone_mode=False)
    assert (tmp_path / "mine.html").read_text() == "mine"


@contextlib.contextmanager
def stand_in(*_: object) -> Iterator[tuple[Session, None]]:
    """Open a simulated chip where a board would be."""
    target = find(campaign.SIMULATED)
    program = board_image(PICO, BUILD, lambda _: None).elf
    address = Address(programs=(program,))
    with contextlib.closing(target.open(address, lambda _: None)) as opened, opened.session(target.timeout) as session:
        yield session, None


@pytest.mark.usefixtures("quick")
def test_a_board_with_the_same_program_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(validate, "connected", stand_in)
    printed = command(monkeypatch, capsys, "validate", "pico", "--port", "board")["validation"]
    assert printed["origin"] == "board"
    assert printed["conditions"]["memory.code"] == "flash"


def test_a_board_with_another_program_is_refused() -> None:
    expected = {"compiler": "GNU 12", "chip.revision": "2"}
    campaign.check_same_program({"compiler": "GNU 12", "chip.revision": "1"}, expected)
    for other in ({"compiler": "GNU 13"}, {}, expected | {"more": "x"}):
        with pytest.raises(IntercoreError, match="another program"):
            campaign.check_same_program(other, expected)


@given(st.integers(0, 54), st.integers(-9, 9))
def test_a_shift_is_told_however_often_each_typical_time_occurs(shorter: int, shift: int) -> None:
    """As long as the shorter one is not the time of 31 samples more than before."""
    usual, moved = (np.repeat([1656, 1744], [count, 61 - count]) for count in (24, shorter))
    assert campaign.differences([moved + shift], [usual]) == [shift]


# Files of others


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    write(made(chip="RP2040"), path)
    write(made("board", chip="RP2040"), path)  # its own kind may be replaced
    assert read(path) == made("board", chip="RP2040")


WRONG: dict[str, Any] = {
    "kind": "baseline",
    "version": 1,
    "origin": "moon",
    "tool": "\x1b[2J",
    "conditions": {"chip": "\u202eevil"},
    "quantities": [],
    "effects": [],
    "more": 1,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_with_something_wrong_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "v.json"
    content = json.loads(msgspec.json.encode(made())) | {name: WRONG[name]}
    path.write_text(json.dumps(content))
    with pytest.raises(IntercoreError, match=r"v\.json is no file of intercore validate") as error:
        read(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("time", ["0", "-1", "1e13", "1e999", "NaN", "null", '"1"'])
def test_a_time_that_there_is_none_of_is_refused(tmp_path: Path, time: str) -> None:
    path = tmp_path / "v.json"
    path.write_bytes(msgspec.json.encode(made()).replace(b"110.0", b"111.0").replace(b"111.0", time.encode(), 1))
    with pytest.raises(IntercoreError):
        read(path)


@given(st.binary(max_size=300), st.integers(0, 3000), st.integers(0, 300))
def test_any_damage_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, patch: bytes, at: int, removed: int
) -> None:
    whole = msgspec.json.encode(made(chip="RP2040"))
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(whole[:at] + patch + whole[at + removed :])
    try:
        found = read(path)
    except IntercoreError as error:
        assert str(error).isprintable()  # noqa: PT017 - one of both must hold
    else:
        assert len(found.suspects()) == len(COSTS)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    path.write_bytes(b"[" * (1 << 20))
    with pytest.raises(IntercoreError, match="larger than 256 KiB"):
        read(path)
