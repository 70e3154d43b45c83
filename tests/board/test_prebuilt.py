"""A package that brings an image runs it without compilers, and only where it is what would have been built."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.board import prebuilt
from intercore.board.boards import PICO, PICO_AMP
from intercore.board.build import board_image, host_program
from intercore.board.image import Image
from intercore.board.kernel import KERNEL_VARIABLE, Kernel
from intercore.board.prebuilt import INDEX, prebuilt_image, write_prebuilt
from intercore.board.sources import USUAL_SOURCES, Sources
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from pathlib import Path

USUAL = PICO.whole({})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package's images, on a machine without any program that builds one."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path / "prebuilt")
    return tmp_path / "prebuilt"


@pytest.fixture
def carried(folder: Path, tmp_path: Path) -> Path:
    """The same with an image of the Pico."""
    write_prebuilt([image(tmp_path)], folder, USUAL_SOURCES.folder())
    return folder


def image(tmp_path: Path) -> Image:
    elf = tmp_path / "built.elf"
    elf.write_bytes(b"what was built")
    return Image(PICO, (elf,), USUAL, "gcc 12.2.1", Kernel(None, "V11.2.0", "prebuilt image"))


def changed(folder: Path, **changes: object) -> None:
    path = folder / INDEX
    (entry,) = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode([{**entry, **changes}]))


@pytest.mark.usefixtures("carried")
def test_the_usual_build_needs_no_compiler_and_says_what_made_it() -> None:
    found = board_image(PICO, {}, pytest.fail)
    assert found.elf.read_bytes() == b"what was built"
    assert (found.build, found.compiler) == (USUAL, "gcc 12.2.1")
    assert found.kernel == Kernel(None, "V11.2.0", "prebuilt image")
    assert board_image(PICO, {"opt": "O2"}, pytest.fail) == found


@pytest.mark.usefixtures("carried")
def test_another_build_says_in_one_sentence_all_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CMAKE_GENERATOR", raising=False)
    with pytest.raises(IntercoreError) as refused:
        board_image(PICO, {"opt": "O3"}, pytest.fail)
    assert str(refused.value) == (
        "the program for the Pico cannot be built: the cross compiler (arm-none-eabi-gcc), CMake (cmake), make "
        "(make) and Rust's cargo (cargo) were not found. To install on Debian or Ubuntu: apt install gcc-arm-none-eabi "
        "libnewlib-arm-none-eabi cmake make cargo; only its build with -O2 needs none of them; your own "
        "workloads, the recorder and other levels, such as --opt, do"
    )


@pytest.mark.usefixtures("carried")
def test_without_a_compiler_the_host_names_what_the_package_alone_can_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(IntercoreError, match=r"; pico-sim needs none of them$"):
        host_program("O2", pytest.fail)


@pytest.mark.usefixtures("folder")
def test_a_package_without_images_builds_them() -> None:
    with pytest.raises(IntercoreError, match=r"apt install [a-z -]+ cargo$"):
        board_image(PICO, {}, pytest.fail)


@pytest.mark.usefixtures("carried")
def test_an_image_of_other_sources_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert prebuilt_image(PICO, USUAL, Sources(kernel=tmp_path)) is None
    firmware = tmp_path / "firmware"
    shutil.copytree(USUAL_SOURCES.folder(), firmware)
    assert prebuilt_image(PICO, USUAL, Sources(firmware=firmware)) is None
    monkeypatch.setenv(KERNEL_VARIABLE, str(tmp_path))
    assert prebuilt_image(PICO, USUAL, USUAL_SOURCES) is None


def test_firmware_that_was_changed_where_it_is_installed_is_built(carried: Path) -> None:
    changed(carried, firmware="0123456789abcdef")
    assert prebuilt_image(PICO, USUAL, USUAL_SOURCES) is None


@pytest.mark.usefixtures("carried")
def test_an_image_of_one_board_is_none_of_another() -> None:
    assert prebuilt_image(PICO_AMP, PICO_AMP.whole({}), USUAL_SOURCES) is None


def test_a_board_that_this_version_does_not_know_is_left_out(carried: Path) -> None:
    changed(carried, board="pico9")
    assert prebuilt_image(PICO, USUAL, USUAL_SOURCES) is None


@pytest.mark.parametrize("text", ["", "[", "{}", "[{}]", '[{"board": 5}]', "null"])
def test_an_index_that_is_damaged_is_named(carried: Path, text: str) -> None:
    (carried / INDEX).write_text(text)
    with pytest.raises(IntercoreError, match=r"cannot be used \(.*install"):
        board_image(PICO, {}, pytest.fail)


def test_an_image_that_is_gone_is_named(carried: Path) -> None:
    (carried / "pico-core0.elf").unlink()
    with pytest.raises(IntercoreError, match=r"pico-core0\.elf.* \(the file is missing\): install Intercore again"):
        board_image(PICO, {}, pytest.fail)
