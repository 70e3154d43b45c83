"""What documents name exists, every benchmark has all its parts, and no source file is too long. All of it is quick."""

from __future__ import annotations

import importlib
import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from intercore.benchmarks import registry
from intercore.cli.main import COMMANDS
from tests.built_once import ROOT
from tests.contributing_blocks import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


MOST_LINES = 700


@cache
def tracked() -> tuple[Path, ...]:
    """All files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(path for path in (ROOT / name for name in listed.splitlines()) if path.is_file())


def documents() -> list[Path]:
    """Return what people read, without the change log: it names what older versions had."""
    return [path for path in tracked() if path.suffix == ".md" and path.name != "CHANGELOG.md"]


def source() -> list[Path]:
    endings = {".c", ".h", ".py", ".rs", ".S", ".cpp", ".cmake", ".j2", ".sh"}
    return [path for path in tracked() if path.suffix in endings]


# What the documents name exists


@cache
def examples() -> set[str]:
    """Return the files that CONTRIBUTING.md adds."""
    sections = (
        "Add a benchmark",
        "Add a workload",
        "Add a transport",
        "Add an output format",
        "Add a peripheral of the RP2040",
    )
    return {name for section in sections for name in blocks(section)}


def named_paths(document: Path) -> Iterator[str]:
    """Return the paths of this repository that a document names in its text; `<name>` and * stand for any name."""
    rooms = {path.relative_to(ROOT).parts[0] for path in tracked()} - {".ci", ".gitignore"}
    for quoted in re.findall(r"`([^`\n]+)`", document.read_text("utf-8")):
        word = quoted.removeprefix("python ").removeprefix(".venv/bin/python ").split(" ")[0].rstrip("/")
        if "/" in word and word.split("/")[0] in rooms and not re.search(r"[()|=…{]", word) and word not in examples():
            yield re.sub(r"<[a-z]+>", "*", word)


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_a_document_names_exists(document: Path) -> None:
    folder = document.parent
    for named in named_paths(document):
        found = list(ROOT.glob(named)) or list(folder.glob(named))
        assert found, f"{document.name} names {named}"


def anchor(heading: str) -> str:
    """Return what a heading is linked by."""
    plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower())
    return plain.strip().replace(" ", "-")


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, place = target.partition("#")
        linked = (document.parent / name) if name else document
        assert linked.exists(), f"{document.name} links to {target}"
        if place:
            headings = re.findall(r"^#+ +(.*)$", linked.read_text("utf-8"), re.MULTILINE)
            assert place in map(anchor, headings), f"{document.name} links to {target}"


def command(name: str) -> Any:  # noqa: ANN401 - typer's own kind of command
    module, _ = COMMANDS[name]
    return get_command(importlib.import_module(f"intercore.cli.{module}").app)


def words_of(document: Path) -> Iterator[list[str]]:
    """Return the commands of ours in the code of a document, without what follows them."""
    text = document.read_text("utf-8")
    lines = re.findall(r"^ {4,}(?:\$ )?(intercore .*)$", text, re.MULTILINE) + re.findall(
        r"`(intercore [^`\n]+)`", text
    )
    for line in lines:
        yield re.split(r" #| \||;|,? …", line)[0].split()[1:]


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_and_option_that_a_document_names_exists(document: Path) -> None:
    for words in words_of(document):
        name, *rest = [word.strip("[].,)") for word in words] or [""]
        if name.startswith("-") or not name.islower():
            continue
        assert name in COMMANDS, f"{document.name}: intercore {' '.join(words)}"
        called = command(name)
        while rest and rest[0] in getattr(called, "commands", {}):
            called = called.commands[rest.pop(0)]
        options = {option for parameter in called.params for option in (*parameter.opts, *parameter.secondary_opts)}
        for word in rest:
            option = word.strip("[]`").partition("=")[0]
            if re.fullmatch(r"--[a-z-]+", option) and option != "--help":
                assert option in options, f"{document.name}: intercore {' '.join(words)}"


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_make_target_that_a_document_names_exists(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    code = re.findall(r"`make ([a-z-]+)`|^ {4}make ([a-z-]+)", document.read_text("utf-8"), re.MULTILINE)
    assert {first or second for first, second in code} <= targets


def assumptions() -> list[tuple[str, str]]:
    """Return a file below sim/src and a name in it for each assumption that docs/simulator.md lists."""
    text = (ROOT / "docs/simulator.md").read_text("utf-8")
    (section,) = re.findall(r"^## What is assumed\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    listed = re.findall(r"^\|[^|]+\| `([\w/]+\.rs)` `(\w+)` \|", section, re.MULTILINE)
    unnamed = re.findall(r"^\|[^|]+\| `([\w/]+\.rs)` \|", section, re.MULTILINE)
    assert len(rows) == len(listed) + len(unnamed), "a row has no place"
    return [*listed, *((file, "") for file in unnamed)]


def test_every_assumption_of_the_simulator_page_is_in_the_source() -> None:
    listed = assumptions()
    assert len(listed) >= 19
    missing = [(file, name) for file, name in listed if name not in (ROOT / "sim/src" / file).read_text("utf-8")]
    assert missing == []


def test_every_file_of_the_simulator_that_assumes_something_is_listed() -> None:
    """The STM32H745 and its Cortex-M7 are not: they run programs without the times of a chip."""
    simulator = ROOT / "sim/src"
    untimed = ("stm32h745", "isa/armv7em")
    assuming = {
        str(path.relative_to(simulator))
        for path in source()
        if path.is_relative_to(simulator) and re.search("assum", path.read_text("utf-8"), re.IGNORECASE)
    }
    of_rp2350 = set(re.findall(r"`(rp2350/[\w/]+\.rs)`", (ROOT / "docs/pico2.md").read_text("utf-8")))
    assert all((simulator / file).exists() for file in of_rp2350)
    listed = {file for file, _ in assumptions()} | of_rp2350
    assert {file for file in assuming if not file.startswith(untimed)} <= listed


ARMV6M = {
    "A2": 5, "A2.2": 1, "A2.3": 3, "A5": 3, "A5.2": 6, "A5.3": 1, "A6": 7, "A6.7": 77, "B1": 5, "B1.4": 7, "B1.5": 19,
    "B3": 5, "B3.1": 1, "B3.2": 12, "B3.3": 6, "B3.4": 7, "B4": 2, "B4.1": 1,
}  # fmt: skip
"""Numbered sections of a chapter or section of the ARMv6-M Architecture Reference Manual, DDI 0419E: those cited."""


def test_every_section_cited_of_the_arm_manual_exists_in_it() -> None:
    """An earlier issue has other chapters: special registers are in B4.1.1 and not in B5.1.1."""
    cited = {
        (number, str(path.relative_to(ROOT)))
        for path in (*source(), ROOT / "docs/simulator.md")
        if path.is_relative_to(ROOT / "sim") or path.name == "simulator.md"
        for number in re.findall(r"\b([AB][1-6](?:\.\d+)+)\b", path.read_text("utf-8"))
    }
    assert len(cited) > 30
    known = {number: number.rpartition(".") for number, _ in cited}
    missing = [
        (number, file) for number, file in sorted(cited) if int(known[number][2]) > ARMV6M.get(known[number][0], 0)
    ]
    assert missing == []


# Every benchmark has all its parts


def benchmarks() -> list[str]:
    """The benchmarks of the firmware: a C file, or a folder where it has grown."""
    listed = (ROOT / "firmware/bench/benchmarks.h").read_text()
    found = re.findall(r"^    SMP_(?:AND_AMP|ONLY)\((\w+)", listed, re.MULTILINE)
    assert len(found) > 10
    return found


@pytest.mark.parametrize("name", benchmarks())
def test_benchmark_has_all_its_files(name: str) -> None:
    assert (ROOT / f"firmware/bench/{name}.c").is_file() or (ROOT / f"firmware/bench/{name}/{name}.c").is_file()
    assert name in registry.names()
    assert (ROOT / f"docs/benchmarks/{name}.md").is_file()
    assert (ROOT / f"tests/benchmarks/test_{name}.py").is_file()
    assert (ROOT / f"tests/firmware/host/test_{name}.py").is_file()
    row = rf"^\| \[`{name}`\]\({name}\.md\) \|"
    assert re.search(row, (ROOT / "docs/benchmarks/README.md").read_text("utf-8"), re.MULTILINE)


def test_host_and_firmware_have_the_same_benchmarks() -> None:
    assert set(registry.names()) == set(benchmarks())


# Files


def test_no_source_file_is_too_long() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in source()}
    assert [str(path) for path, count in lines.items() if count > MOST_LINES] == []
