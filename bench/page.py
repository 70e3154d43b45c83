"""How long a browser takes until a page is there, and until the first plot can be zoomed into; and how large a page is.

Measures the suite on this machine and on the simulated Pico first, unless a store has them as runs 1 and 2.
Run with: .venv/bin/python bench/page.py [intercore.db], after `make test-page`, which installs what drives the browser.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TIMES = 5
TOOL = Path(sys.executable).with_name("intercore")
PAGES = {"host": ["1"], "pico-sim": ["2"], "both": ["1", "2"]}


def main() -> None:
    """Write the pages, open each some times, and print the medians."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else Path(folder, "intercore.db")
        if not store.exists():
            for target in ("host", "pico-sim"):
                tool(folder, "run", target, "suite", "--store", str(store))
        for name, runs in PAGES.items():
            tool(folder, "report", *runs, "--store", str(store), "--output", f"{name}.html")
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=as_root)
            print(f"Until a page is there and its first plot can be zoomed into, median of {TIMES}:")
            print(f"{'page':<10}{'size':>9}{'load':>10}{'and zoom':>10}")
            for name in PAGES:
                page = Path(folder, f"{name}.html")
                loads, zooms = zip(*(seconds(browser, page) for _ in range(TIMES)), strict=True)
                size = page.stat().st_size / 1e6
                print(f"{name:<10}{size:6.2f} MB{1000 * median(loads):7.0f} ms{1000 * median(zooms):7.0f} ms")
            browser.close()


def tool(folder: str, *words: str) -> None:
    """Run a command of Intercore to its end."""
    subprocess.run([TOOL, *words], cwd=folder, check=True, capture_output=True)


def seconds(browser: Browser, path: Path) -> tuple[float, float]:
    """Return how long a new page takes to load, and until its first plot is there as well."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    begin = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load")
    loaded = time.perf_counter()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    button = page.locator("button.zoom").first
    asked = time.perf_counter()
    button.click()
    page.locator("#plot .plot").first.wait_for()
    drawn = time.perf_counter()
    page.close()
    return loaded - begin, loaded - begin + drawn - asked


if __name__ == "__main__":
    main()
