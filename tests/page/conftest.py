"""Pages of real runs, and a browser to look at them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.tool import Tool
from tests.firmware.rp2040.conftest import need_tools
from tests.page.browsing import ASKED, RUNS, TARGETS, Made, View, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.page.browsing import Opened


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """The pages by name, measured for this."""
    need_tools()
    folder = tmp_path_factory.mktemp("pages")
    store = Path(ASKED).absolute() if ASKED.endswith(".db") else folder / "intercore.db"
    tool = Tool(folder, "browser")
    if not store.exists():
        for target in RUNS:
            tool("run", target, "suite", "--store", store, kill_after=800).succeeded()
    show = ("--store", store, "--format", "json")
    documents = {target: tool("show", number, *show).succeeded().json for target, number in RUNS.items()}
    pages = {}
    for name, targets in TARGETS.items():
        path = folder / f"{name}.html"
        numbers = sorted(RUNS[target] for target in targets)
        tool("report", *numbers, "--store", store, "--output", path).succeeded()
        pages[name] = Made(path, tuple(documents[target] for target in targets))
    return pages


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - installed by `make test-page` alone

    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path="/usr/bin/chromium", args=as_root)
        yield started
        started.close()


@pytest.fixture(params=TARGETS)
def fresh(request: pytest.FixtureRequest, browser: Browser, made: dict[str, Made]) -> Iterator[Opened]:
    """A page on a desk, for those who do something with it."""
    yield from opened(browser, made[request.param], View())
