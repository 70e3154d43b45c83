"""Pages in a real browser: what they are of, how somebody looks at them, and what the browser is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.built_once import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

ASKED = os.environ.get("INTERCORE_BROWSER", "")
NEEDS_BROWSER = [
    pytest.mark.skipif(not ASKED, reason="needs a browser: make test-page"),
    pytest.mark.timeout(900),  # the first one waits until both suites are measured
]

AXE = ROOT / "build/page/node_modules/axe-core/axe.min.js"
SEVERE = ("serious", "critical")
PATIENCE_MS = 20_000
"""What a browser does within a second may take so long on a machine that does much else."""
RUNS = {"host": 1, "pico-sim": 2}
"""Their numbers in the store."""
TARGETS = {"host": ("host",), "pico-sim": ("pico-sim",), "both": ("pico-sim", "host")}
"""What each page is of, in its order: what a chip takes comes before what it takes on this machine."""


class View(NamedTuple):
    """How somebody looks at a page."""

    width: int = 1280
    height: int = 900
    scheme: str = "light"
    media: str = "screen"
    scripts: bool = True


SCREENS = {
    "desk": View(),
    "desk-dark": View(scheme="dark"),
    "telephone": View(390, 844),
    "telephone-dark": View(390, 844, "dark"),
}
WITHOUT_SCRIPT = {
    "paper": View(718, 1047, media="print"),  # A4 upright, within its margins
    "large-paper": View(1510, 1047, media="print"),  # A3 on its side
    "no-script": View(scripts=False),
    "no-script-telephone": View(390, 844, scripts=False),
}
VIEWS = SCREENS | WITHOUT_SCRIPT


TOOLS = """
// What cuts an element off at the left and the right: the screen, and all that it lies in which does not let it out.
// What scrolls does not cut off.
function ends(element) {
  let [left, right] = [0, document.documentElement.clientWidth];
  for (let around = element.parentElement; around; around = around.parentElement) {
    const how = getComputedStyle(around).overflowX;
    if (how === "auto" || how === "scroll") return [-Infinity, Infinity];
    if (how !== "visible") {
      const box = around.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    }
  }
  return [left - 1, right + 1];
}
const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
// What is there for those alone who have the page read to them.
const isUnseen = (element) => getComputedStyle(element.closest("thead") ?? element).clipPath !== "none";
const pictures = () => [...document.querySelectorAll("svg")]
  .filter((one) => !one.parentElement.closest("svg") && seen(one));
const texts = (picture) => [...picture.querySelectorAll("text")]
  .filter(seen).map((one) => ({ one, words: one.textContent, box: one.getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0);
"""

SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNFOLD = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"
FINDINGS = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const where = ({ target, html, failureSummary }) => `${target}: ${html.slice(0, 200)} ${failureSummary}`;
  return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(where) }));
}"""


def asked(shown: Page, question: str) -> Any:  # noqa: ANN401 - whatever JavaScript answers
    """Ask what is defined above of a page."""
    return shown.evaluate(f"() => {{ {TOOLS}; return ({question})(); }}")


class Made(NamedTuple):
    """A page that was written from real runs."""

    path: Path
    documents: tuple[dict[str, Any], ...]
    """Of each of its runs, in the order of the page."""

    @property
    def targets(self) -> int:
        return len(self.documents)


class Opened(NamedTuple):
    """A page that somebody looks at."""

    page: Page
    made: Made
    view: View
    told: list[str]
    """What the browser complained about."""
    requested: list[str]
    """Where it asked for something."""


def opened(browser: Browser, made: Made, view: View) -> Iterator[Opened]:
    context = browser.new_context(
        viewport={"width": view.width, "height": view.height},
        color_scheme=view.scheme,
        java_script_enabled=view.scripts,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.emulate_media(media=view.media, color_scheme=view.scheme)
    told: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    page.goto(made.path.as_uri())
    yield Opened(page, made, view, told, requested)
    context.close()


def severe(shown: Opened) -> list[str]:
    """Return what axe finds that keeps somebody from reading the page: contrast, names, roles."""
    shown.page.evaluate(AXE.read_text("utf-8"))
    return [
        f"{one['impact']} {one['id']} {where}"
        for one in shown.page.evaluate(FINDINGS)
        if one["impact"] in SEVERE
        for where in one["where"][:5]
    ]
