"""The documentation as a site: every page has its place; with INTERCORE_SLOW=1 also the site that Sphinx builds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from intercore.cli.main import COMMANDS
from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"'](?:https?:)?//[^>]*>")

slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes half a minute: set INTERCORE_SLOW=1")


def pages() -> dict[str, str]:
    """The text of each page, by its name as Sphinx has it."""
    return {str(path.relative_to(DOCS).with_suffix("")): path.read_text("utf-8") for path in DOCS.rglob("*.md")}


def below(name: str, text: str) -> list[str]:
    """Return what the lists of contents on a page have."""
    found = []
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for entry in (line for line in block.splitlines() if line and not line.startswith(":")):
            if ":glob:" in block:
                found += [
                    str(path.relative_to(DOCS).with_suffix(""))
                    for path in sorted((DOCS / name).parent.glob(f"{entry}.md"))
                ]
            else:
                found.append(str(PurePosixPath(name).parent / entry))
    return found


# The pages


def test_every_page_is_once_in_a_list_of_contents() -> None:
    listed = [entry for name, text in pages().items() for entry in below(name, text)]
    assert sorted(listed) == sorted(pages().keys() - {"index"})


@pytest.mark.parametrize("name", [name for name, text in pages().items() if "{toctree}" in text])
def test_page_with_a_list_of_contents_links_to_each_entry(name: str) -> None:
    """The hosting site of a repository does not show the list itself."""
    text = pages()[name]
    for entry in below(name, text):
        assert f"]({os.path.relpath(DOCS / entry, (DOCS / name).parent)}.md)" in text, entry


# The site


def built(source: Path, to: Path) -> subprocess.CompletedProcess[str]:
    strictly = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", to / "doctrees"]
    command = [sys.executable, "-m", "sphinx", *strictly, source, to / "html"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    told = built(DOCS, folder)
    assert told.returncode == 0, told.stderr
    return folder / "html"


@slow
def test_every_page_is_built_and_found_from_the_first_one(site: Path) -> None:
    first = (site / "index.html").read_text("utf-8")
    for name in pages():
        assert (site / f"{name}.html").is_file(), name
        assert name == "index" or f'href="{name}.html"' in first, name


@slow
def test_every_command_has_its_help_there(site: Path) -> None:
    text = unescape(re.sub(r"<[^>]+>", "", (site / "cli.html").read_text("utf-8")))
    for name, (_, told) in COMMANDS.items():
        assert f"\nintercore {name}" in text
        assert re.sub(r"[`\s]+", "", told) in re.sub(r"[`\s]+", "", text), name
    assert "intercore baseline save [OPTIONS] FILE [RUN]" in text
    assert "--junit" in text
    assert "--max-cycles" in text  # of intercore-sim


@slow
def test_the_contract_of_the_port_and_how_to_contribute_are_there(site: Path) -> None:
    assert "port_clock_hz" in (site / "port.html").read_text("utf-8")
    assert "make test" in (site / "contributing.html").read_text("utf-8")


@slow
def test_the_search_has_an_index_of_all_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    names = re.search(r'"?docnames"?:(\[[^\]]*\])', index)
    assert names
    assert set(re.findall(r'"([^"]+)"', names[1])) == set(pages())


@slow
def test_a_page_asks_no_other_machine_for_anything(site: Path) -> None:
    for page in (*site.rglob("*.html"), *site.rglob("*.svg")):
        assert not ELSEWHERE.search(page.read_text("utf-8")), page
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text("utf-8")), style


@slow
@pytest.mark.parametrize(
    "link", ["pico.md#no-such-heading", "no-such-page.md", "../firmware/no_such_file.h", "../README.md#no-such-heading"]
)
def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path, link: str) -> None:
    for name in ("docs", "scripts", "firmware", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        place = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        place(ROOT / name, tmp_path / name)
    (tmp_path / "src").symlink_to(ROOT / "src")
    page = tmp_path / "docs/numbers.md"
    page.write_text(page.read_text("utf-8") + f"\n[Nowhere]({link})\n")
    told = built(tmp_path / "docs", tmp_path / "site")
    assert told.returncode != 0
    assert "numbers.md" in told.stderr
