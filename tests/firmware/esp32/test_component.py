"""The component `intercore` as its users get it: packed, by path, by git, from a registry, by the steps in the docs.

The component manager is Espressif's own. In the place of ESP-IDF there is tests/fakes/esp_idf, which builds what
needs no chip for this machine; with INTERCORE_SLOW, and an ESP-IDF in this shell, the real one builds it, too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT
from tests.firmware.host.conftest import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

STANDIN = ROOT / "tests" / "fakes" / "esp_idf"
PYTHON = ROOT / "build" / "platformio" / "bin" / "python"
"""`make build/platformio/.installed` gives it the component manager."""
GUIDE = (ROOT / "docs" / "esp32.md").read_text("utf-8")
BUILD_TIMEOUT_S = 1800


@cache
def manager() -> str:
    """Return the Python that has the component manager."""
    asked = [PYTHON, "-c", "import idf_component_manager"]
    if not PYTHON.exists() or subprocess.run(asked, capture_output=True, check=False).returncode:
        assert "INTERCORE_NO_SKIP" not in os.environ, "no component manager: make build/platformio/.installed"
        pytest.skip("there is no component manager here: make build/platformio/.installed")
    return str(PYTHON)


def run(*words: str | Path, cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a program to its end and return what it says."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=BUILD_TIMEOUT_S,
    )
    assert done.returncode == 0, (words, done.stdout[-4000:], done.stderr[-4000:])
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository as it is now, cloned into a folder with its name."""
    folder = tmp_path_factory.mktemp("home") / "intercore"
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_symlink() or (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
    for words in (("init", "--quiet"), ("add", "--all"), (*who, "commit", "--quiet", "--message", "as it is")):
        run("git", *words, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def archive(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The component as it is packed for a registry."""
    folder = tmp_path_factory.mktemp("packed")
    words = ("-m", "idf_component_manager", "-W", "component", "pack", "--name", "intercore", "--dest-dir", folder)
    run(manager(), *words, cwd=repository)
    (packed,) = folder.glob("*.tgz")
    return packed


@pytest.fixture(scope="module")
def registry(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry that has the packed component."""
    folder = tmp_path_factory.mktemp("registry")
    run(manager(), Path(__file__).with_name("local_registry.py"), archive, folder, "intercore/intercore", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where projects find what was compiled of the same sources before."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture
def environment(repository: Path, built: Path, tmp_path: Path) -> dict[str, str]:
    """A shell with an activated ESP-IDF, which is the stand-in, and with nothing fetched before."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "idf.py").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STANDIN / "tools" / "idf.py"}" "$@"\n')
    (programs / "idf.py").chmod(0o755)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(repository.parent),
        "IDF_PATH": str(STANDIN),
        "IDF_TARGET": "esp32",
        "IDF_VERSION": "5.5.1",
        "STANDIN_BUILT": str(built),
        "IDF_COMPONENT_CACHE_PATH": str(tmp_path / "cache"),
        "INTERCORE_GIT": f"file://{repository}",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that somebody has: a component of its own, and a main program that has nothing to do with Intercore."""
    folder = tmp_path / "blink"
    (folder / "main").mkdir(parents=True)
    (folder / "components" / "led").mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\ninclude($ENV{IDF_PATH}/tools/cmake/project.cmake)\nproject(blink)\n"
    )
    (folder / "components" / "led" / "CMakeLists.txt").write_text(
        "idf_component_register(SRCS led.c INCLUDE_DIRS . PRIV_REQUIRES esp_driver_gpio)\n"
    )
    (folder / "components" / "led" / "led.h").write_text("void led(int on);\n")
    (folder / "components" / "led" / "led.c").write_text('#include "led.h"\nvoid led(int on) { (void)on; }\n')
    (folder / "main" / "CMakeLists.txt").write_text("idf_component_register(SRCS main.c PRIV_REQUIRES led)\n")
    (folder / "main" / "main.c").write_text('#include "led.h"\nvoid app_main(void) { led(1); }\n')
    return folder


def blocks(heading: str) -> list[tuple[str, str, str]]:
    """Return the blocks of code in a section of docs/esp32.md: language, the path named last before each, and text."""
    marks = [match.start() for match in re.finditer(r"^##+ .*$", GUIDE, re.MULTILINE)] + [len(GUIDE)]
    (section,) = (GUIDE[begin:end] for begin, end in pairwise(marks) if f"# {heading}\n" in GUIDE[begin:end])
    found = []
    behind = 0
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
        paths = re.findall(r"`([\w./]+\.\w+)`", section[behind : match.start()])
        found.append((match[1], paths[-1] if paths else "", match[2]))
        behind = match.end()
    return found


def serves(program: Path) -> None:
    """See that a program which was built has started Intercore."""
    terminal = Terminal(program)
    hello, *_, end = terminal.answer()
    assert (hello["type"], end["status"]) == ("hello", "ok")
    terminal.close()


# The steps in the docs


def test_an_existing_project_runs_intercore_after_the_steps_in_the_docs(
    environment: dict[str, str], project: Path
) -> None:
    steps = blocks("In an existing project")
    assert [language for language, _, _ in steps] == ["sh", "cmake", "c", "sh"]
    for language, path, text in steps:
        if language == "sh":
            run("sh", "-ec", text.replace(" monitor", ""), cwd=project, environment=environment)
        else:
            assert (project / path).is_file(), "which the project has"
            (project / path).write_text(text)
    serves(project / "build" / "blink.elf")


@pytest.mark.measures("speedup")
def test_such_a_project_measures_a_work_of_its_own(environment: dict[str, str], project: Path) -> None:
    """docs/own-work.md, "In a program that is built elsewhere": a file as any other, and a call before the start."""
    guide = (ROOT / "docs" / "own-work.md").read_text("utf-8")
    ((declared, added),) = re.findall(
        r'^```cpp\n#include "intercore.h"\n(extern .*?)\n\n( +const char \*wrong = intercore_add.*?;)$',
        guide,
        re.M | re.S,
    )
    for language, path, text in blocks("In an existing project"):
        if language == "sh":
            continue
        started = text.replace("SRCS main.c", "SRCS main.c crc.c")
        started = started.replace("void app_main", f"{declared}\n\nvoid app_main")
        refused = 'if (wrong != NULL) {\n        printf("%s\\n", wrong);\n    }'
        started = started.replace("    const char *failure", f"{added}\n    {refused}\n    const char *failure")
        (project / path).write_text(started)
    shutil.copy2(ROOT / "examples" / "workloads" / "crc.c", project / "main")
    run("sh", "-ec", "git clone --quiet ~/intercore components/intercore", cwd=project, environment=environment)
    run("idf.py", "build", cwd=project, environment=environment)
    terminal = Terminal(project / "build" / "blink.elf")
    assert terminal.answer()[-1]["status"] == "ok"
    (works,) = (
        line["choices"]
        for line in terminal.ask("list")
        if (line.get("benchmark"), line.get("name")) == ("speedup", "workload")
    )
    assert "own:crc" in works
    answer = terminal.ask("run speedup workload=own:crc n=64 mode=create samples=3 dither_us=0")
    assert (answer[-1]["status"], answer[-1]["checks"]["wrong"]) == ("ok", 0)
    terminal.close()


def test_every_block_of_code_in_the_docs_is_carried_out_here() -> None:
    carried_out = [*blocks("In an existing project"), *blocks("By the component manager")]
    assert len(carried_out) == len(re.findall(r"^```\w+$", GUIDE, re.MULTILINE))


# How it is had


@pytest.mark.skipif(
    "INTERCORE_SLOW" not in os.environ, reason="the example has it from the registry; slow: INTERCORE_SLOW=1"
)
@pytest.mark.parametrize(("way", "name"), [("path", ""), ("git", "intercore"), ("version", "intercore__intercore")])
def test_the_component_manager_gets_it_as_the_docs_say(
    way: str, name: str, environment: dict[str, str], project: Path, registry: Path
) -> None:
    for language, path, text in blocks("In an existing project"):
        if language != "sh":
            (project / path).write_text(text)
    (entry,) = (text for _, _, text in blocks("By the component manager") if f"{way}:" in text)
    (project / "main" / "idf_component.yml").write_text(entry)
    with_manager = {**environment, "STANDIN_MANAGER": manager(), "IDF_COMPONENT_LOCAL_STORAGE_URL": registry.as_uri()}
    run("idf.py", "build", cwd=project, environment=with_manager)
    fetched = {path.name for path in project.glob("managed_components/*") if path.is_dir()}
    assert fetched == ({name} if name else set())
    serves(project / "build" / "blink.elf")


def test_under_another_name_it_is_not_found(environment: dict[str, str], project: Path) -> None:
    """So that the stand-in is known to refuse what ESP-IDF refuses."""
    folder = project / "components" / "another"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(f"include({ROOT}/firmware/board/esp32/component.cmake)\n")
    (project / "main" / "CMakeLists.txt").write_text("idf_component_register(SRCS main.c PRIV_REQUIRES intercore)\n")
    configure = ["cmake", "-S", ".", "-B", "build"]
    told = subprocess.run(
        configure, cwd=project, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "Failed to resolve component 'intercore' required by component 'main'" in told.stderr


# What is packed


def test_what_is_packed_is_the_component_and_nothing_else(archive: Path) -> None:
    with tarfile.open(archive) as packed:
        names = {member.name.removeprefix("./") for member in packed.getmembers() if not member.isdir()}
        assert all(member.isfile() or member.isdir() for member in packed.getmembers()), "no links"
    tops = {name.split("/")[0] for name in names}
    assert tops == {
        *("CHANGELOG.md", "CMakeLists.txt", "LICENSE", "README.md", "idf_component.yml", "examples", "firmware")
    }
    for folder in ("board", "port", "transport"):
        inside = {
            name.split("/")[2] for name in names if name.startswith(f"firmware/{folder}/") and name.count("/") > 2
        }
        assert inside <= {"esp32", "freertos", "freertos_smp", "esp_idf", "test"}, inside
    assert not any(
        "arduino" in name or "/components/" in name or name.startswith("firmware/board/esp32/main/") for name in names
    )


def example_of(archive: Path, folder: Path) -> Path:
    """Return the example alone, as a registry gives it to whoever asks for it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    shutil.move(folder / "unpacked" / "examples" / "benchmark", folder / "alone")
    return folder / "alone"


def test_the_packed_example_alone_gets_the_packed_component_and_starts(
    archive: Path, environment: dict[str, str], registry: Path, tmp_path: Path
) -> None:
    alone = example_of(archive, tmp_path)
    assert not [path for path in alone.rglob("*") if path.is_file() and "../" in path.read_text()]
    shutil.rmtree(tmp_path / "unpacked")
    with_manager = {**environment, "STANDIN_MANAGER": manager(), "IDF_COMPONENT_LOCAL_STORAGE_URL": registry.as_uri()}
    run("idf.py", "set-target", "esp32", "build", cwd=alone, environment=with_manager)
    assert (alone / "managed_components" / "intercore__intercore" / "CMakeLists.txt").is_file()
    serves(alone / "build" / "intercore.elf")


@pytest.mark.timeout(BUILD_TIMEOUT_S)
@pytest.mark.parametrize("target", ["esp32", "esp32s3", "esp32p4"])
def test_the_packed_example_is_built_by_esp_idf(target: str, archive: Path, tmp_path: Path) -> None:
    if not os.environ.get("INTERCORE_SLOW"):
        pytest.skip("slow: set INTERCORE_SLOW=1")
    if shutil.which("idf.py") is None:
        pytest.skip("no ESP-IDF in this shell")
    alone = example_of(archive, tmp_path)
    shutil.move(tmp_path / "unpacked", alone / "components" / "intercore")
    run("idf.py", "set-target", target, "build", cwd=alone)
    assert (alone / "build" / "intercore.bin").is_file()


def test_the_example_asks_for_the_version_that_is_packed() -> None:
    (version,) = re.findall(r'^version: "(.*)"$', (ROOT / "idf_component.yml").read_text(), re.MULTILINE)
    asked = (ROOT / "examples" / "benchmark" / "main" / "idf_component.yml").read_text()
    assert f'intercore/intercore: "^{version}"' in asked
    assert f'version: "^{version}"' in GUIDE
