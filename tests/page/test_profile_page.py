"""The page of a profile: flame graphs, tables and source, labelled, and nothing of an image as markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.errors import UsageError
from intercore.page.profile_page import write_profile_page
from intercore.profile.recorded import Profile
from intercore.profile.summary import analysed
from intercore.view.html import csp_hash
from tests.profile.programs import profiled
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path


class Tags(HTMLParser):
    """The tags that are open, checked against those that are closed, and boxes by core."""

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[list[str]] = []
        self.addresses: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href", "srcset"}]
        if "data-flame" in known:
            self.boxes.append([])
        if "data-box" in known:
            self.boxes[-1].append(known["data-name"] or "")


def page(path: Path, profile: Profile) -> str:
    for _ in range(2):  # the second one replaces the first
        write_profile_page(profile, analysed(profile), ["Beware."], path)
    return path.read_text()


def test_a_page_has_a_flame_graph_for_each_core_tables_and_source(tmp_path: Path) -> None:
    profile, _ = profiled(example("both_cores"))
    text = page(tmp_path / "page.html", profile)
    (tags := Tags()).feed(text)
    assert len(tags.boxes) == 2
    assert "work_in_sram4" in tags.boxes[0]
    assert "work_in_sram5" in tags.boxes[1]
    assert "Beware." in text
    assert text.count("SIMULATED") >= 6
    assert "ask_core_1" in text


def test_a_page_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    profile, _ = profiled(example("both_cores"))
    text = page(tmp_path / "page.html", profile)
    (tags := Tags()).feed(text)
    assert tags.addresses == []
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert f"script-src '{csp_hash(script)}'" in text.replace("&#34;", '"')


def test_names_from_an_image_are_text(tmp_path: Path) -> None:
    profile, _ = profiled(example("both_cores"))
    text = msgspec.json.encode(profile).replace(b'"work_in_sram4"', b'"<script>alert(1)</script>\\"\'"')
    shown = page(tmp_path / "page.html", msgspec.json.decode(text, type=Profile, strict=False))
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in shown


def test_another_file_is_not_replaced(tmp_path: Path) -> None:
    profile, _ = profiled(example("both_cores"))
    (path := tmp_path / "mine.html").write_text("mine")
    with pytest.raises(UsageError):
        page(path, profile)
    assert path.read_text() == "mine"
