"""Building by ESP-IDF: what it is told, what is made of what it leaves, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board import esp_idf
from intercore.board.boards import ESP32, ESP32P4, ESP32S3
from intercore.board.build import board_image
from intercore.board.esp_idf import SDKCONFIG, _inside, _offset
from intercore.board.image_files import write_image
from intercore.errors import IntercoreError
from tests.fakes.esp_images import elf, whole

if TYPE_CHECKING:
    from intercore.board.boards import Board
    from tests.fakes.esp_tools import Fakes


@pytest.fixture
def idf(here: Fakes) -> Fakes:
    here.install("idf.py")
    return here


@pytest.mark.parametrize(
    ("board", "levels", "wanted"),
    [
        (ESP32, {}, "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_240=y CONFIG_INTERCORE_CODE_IRAM=n CONFIG_SPIRAM=n"),
        (
            ESP32S3,
            {"opt": "Ofast", "cpu_mhz": 80, "code": "iram", "psram": "on", "flash_suspend": "auto"},
            "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_80=y CONFIG_INTERCORE_CODE_IRAM=y CONFIG_SPIRAM=y "
            "CONFIG_SPIRAM_IGNORE_NOTFOUND=y CONFIG_SPI_FLASH_AUTO_SUSPEND=y",
        ),
        (ESP32P4, {}, "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_400=y CONFIG_INTERCORE_CODE_IRAM=n CONFIG_SPIRAM=n"),
        (
            ESP32P4,
            {"cpu_mhz": 360},
            "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_360=y CONFIG_ESP32P4_SELECTS_REV_LESS_V3=y CONFIG_INTERCORE_CODE_IRAM=n "
            "CONFIG_SPIRAM=n",
        ),
        (
            ESP32,
            {"code": "iram", "trace": 512},
            "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_240=y CONFIG_INTERCORE_CODE_IRAM=y CONFIG_SPIRAM=n "
            "CONFIG_INTERCORE_TRACE=y CONFIG_INTERCORE_TRACE_EVENTS=512",
        ),
    ],
)
def test_the_levels_reach_esp_idf_and_one_file_with_the_whole_flash_comes_back(
    idf: Fakes, tmp_path: Path, board: Board, levels: dict[str, str | int], wanted: str
) -> None:
    said: list[str] = []
    image = board_image(board, levels, said.append)
    (call,) = idf.calls("idf.py")
    assert call["wanted"] == wanted.split()
    defines = call["defines"]
    assert (defines["IDF_TARGET"], defines["IC_OPT"]) == (board.name, levels.get("opt", "O2"))
    own, ours = defines["SDKCONFIG_DEFAULTS"].split(";")
    assert own.endswith("firmware/board/esp32/sdkconfig.defaults")
    assert Path(ours).parent == Path(defines["SDKCONFIG"]).parent
    assert call["words"][-1] == "build"
    assert image.kernel.version == "of ESP-IDF v5.5.1"
    write_image(image, tmp_path / "out")
    files = write_image(image, tmp_path / "out")  # which replaces the first
    assert files.whole_flash is not None
    assert files.whole_flash.read_bytes() == whole(
        board.name, program="".join(f"{one}\n" for one in call["wanted"]).encode()
    )
    assert files.elfs[0].read_bytes() == elf()
    assert [part.name for part in files.sections[0]] == [".bss", ".iram0.text"]
    assert said[-1].endswith("40 of 40")
    assert len(said) <= 12, "a line for each tenth"


def test_a_variant_is_built_once_and_each_by_itself(idf: Fakes) -> None:
    first = board_image(ESP32, {}, lambda _: None)
    again = board_image(ESP32, {"cpu_mhz": 240}, lambda _: None)
    other = board_image(ESP32, {"cpu_mhz": 160}, lambda _: None)
    assert first.elf == again.elf != other.elf
    assert len(idf.calls("idf.py")) == 2
    assert [path.name for path in first.elf.parents[1].iterdir() if path.name.startswith("tmp")] == []


@pytest.mark.parametrize(
    ("behaviour", "complaint"),
    [
        ("old", r"ESP-IDF 5\.5 or newer is needed, but the version in this shell is"),
        ("mute", ": no output. Is ESP-IDF activated in this shell"),
        ("odd", r"idf\.py --version reports"),
        ("inactive", "requirements are not satisfied. Is ESP-IDF activated in this shell"),
        ("fails", r": /x/run\.c:12:5: error: 'foo' undeclared"),
        ("forgets", "ESP-IDF v5.5.1 did not accept the setting CONFIG_INTERCORE_CODE_IRAM=y for ESP32"),
        ("escapes", r": the file '\.\./\.\./\.\./\.\./etc/passwd' in flasher_args.json is outside of the build folder"),
        ("scribbles", "cannot be built"),
        ("other", "the image is for ESP32-S3, not for ESP32"),
    ],
)
def test_what_goes_wrong_is_told_and_nothing_is_kept(
    idf: Fakes, monkeypatch: pytest.MonkeyPatch, behaviour: str, complaint: str
) -> None:
    monkeypatch.setenv("FAKE_IDF", behaviour)
    with pytest.raises(IntercoreError, match=complaint):
        board_image(ESP32, {"code": "iram"}, lambda _: None)
    assert not list(idf.cache.rglob("flash.bin"))


def test_a_build_that_hangs_is_ended(idf: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_IDF", "hangs")
    monkeypatch.setattr(esp_idf, "BUILD_TIMEOUT_S", 1.0)
    with pytest.raises(IntercoreError, match="more than 0 min"):
        board_image(ESP32, {}, lambda _: None)
    assert not list(idf.cache.rglob("flash.bin"))


@pytest.mark.usefixtures("here")
def test_without_esp_idf_there_is_a_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IntercoreError, match=r"no ESP-IDF in this shell \(idf.py was not found\). Install ESP-IDF 5.5"):
        board_image(ESP32, {}, lambda _: None)
    monkeypatch.setenv("IDF_PATH", "/opt/idf")
    with pytest.raises(IntercoreError, match="IDF_PATH is /opt/idf, but that"):
        board_image(ESP32, {}, lambda _: None)


def test_a_python_environment_ahead_of_esp_idfs_own_breaks_nothing(
    here: Fakes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a shell has activated ESP-IDF and then an environment of its own."""
    script = tmp_path / "esp-idf" / "tools" / "idf.py"
    script.parent.mkdir(parents=True)
    script.write_text(Path(here.install("idf.py")).read_text().replace("#!/bin/sh", ""))
    own = tmp_path / "idf-python" / "bin"
    own.mkdir(parents=True)
    for name in ("idf.py", "python"):
        (here.bin / name).write_text("#!/bin/sh\necho No module named 'esp_idf_monitor' >&2; exit 1\n")
        (here.bin / name).chmod(0o755)
    with pytest.raises(IntercoreError, match="esp_idf_monitor"):
        board_image(ESP32, {}, lambda _: None)
    (own / "python").write_text('#!/bin/sh\n[ "$(command -v python)" = "$0" ] || exit 3\nexec /bin/sh "$@"\n')
    (own / "python").chmod(0o755)
    monkeypatch.setenv("IDF_PATH", str(script.parents[1]))
    monkeypatch.setenv("IDF_PYTHON_ENV_PATH", str(own.parent))
    assert board_image(ESP32, {}, lambda _: None).compiler == "ESP-IDF v5.5.1"


def test_a_newer_esp_idf_will_do(idf: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_IDF", "next")
    assert board_image(ESP32, {}, lambda _: None).compiler == "ESP-IDF v6.0-beta1-12-gabcdef"
    (call,) = idf.calls("idf.py")
    names = [Path(one).name for one in call["defines"]["SDKCONFIG_DEFAULTS"].split(";")]
    assert names == ["sdkconfig.defaults", "sdkconfig.defaults.idf6", "levels"]


def test_every_level_of_every_factor_comes_to_something() -> None:
    for factor in ESP32.factors:
        if factor.name != "opt":
            made = [SDKCONFIG[factor.name](level) for level in factor.levels]
            assert len(set(made)) == len(factor.levels)


@given(st.text(max_size=20))
def test_an_offset_is_a_number_or_refused(text: str) -> None:
    try:
        assert 0 <= _offset(text) < 1 << 32
    except ValueError as error:
        refusal = str(error)
        assert refusal.endswith("in flasher_args.json is not a valid flash offset")


@given(st.text(alphabet="./\\abC:\0 é", max_size=12))
def test_no_name_leads_out_of_the_build(name: str) -> None:
    folder = Path("/build")
    try:
        found = _inside(folder, name)
    except ValueError:
        return
    assert found == folder or folder in found.parents
    assert ".." not in found.parts
