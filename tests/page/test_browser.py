"""The page in a real browser: on a desk and on a telephone, light and dark, printed, and without a script.

With INTERCORE_BROWSER=1, suites of both targets are measured first; the name of a store there (`suites.db`) takes its
runs 1 and 2 for those of the targets host and pico-sim.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.text import printable
from intercore.view.answer import Answer
from tests.cli.tool import Tool
from tests.page.browsing import (
    NEEDS_BROWSER,
    SCREENS,
    SIDEWAYS,
    TARGETS,
    UNFOLD,
    VIEWS,
    Made,
    Opened,
    View,
    asked,
    opened,
    severe,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = NEEDS_BROWSER

HIGHEST = {1: 12_000, 2: 18_000}
"""Pixels of a folded page, by how many targets it is of."""
MOST_TAB_STOPS = {1: 60, 2: 90}
LARGEST = {1: 600_000, 2: 1_700_000}
"""Bytes of a page, by how many targets it is of."""

# What the browser is asked

OVERLAPS = """() => pictures().flatMap((picture) => {
  const all = texts(picture);
  return all.flatMap((a, index) => all.slice(index + 1).flatMap((b) => {
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    const where = picture.closest("section")?.id;
    return wide > 2 && high > 4 ? [`${where}: ${a.words} / ${b.words}: ${wide.toFixed(1)} x ${high.toFixed(1)}`] : [];
  }));
})"""
OUTSIDE = """() => pictures().flatMap((picture) => texts(picture).flatMap(({ one, words, box }) => {
  const [left, right] = ends(picture);
  const where = `${picture.closest("section")?.id}: ${words}: ${box.left.toFixed(0)} to ${box.right.toFixed(0)}`;
  return box.left < left || box.right > right ? [where] : [];
}))"""
CUT_OFF = """() => [...document.querySelectorAll("table *")].flatMap((element) => {
  const box = element.getBoundingClientRect();
  if (!seen(element) || isUnseen(element) || !box.width || box.top >= innerHeight) return [];
  const [left, right] = ends(element);
  const inside = getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
  return box.left < left || box.right > right || inside ? [`${element.tagName} ${element.textContent.trim()}`] : [];
})"""
TAB_STOPS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((element) => seen(element) && !element.disabled && element.tabIndex >= 0).length"""
ANSWERS = """() => {
  return [...document.querySelectorAll("#answers tbody tr")].filter(seen).map((row) => {
    const [question, ...cells] = [...row.querySelectorAll("td.question, td.question ~ td")];
    const told = (cell) => seen(cell) ? cell.innerText : "(not to be seen)";
    return [row.dataset.benchmark, question.innerText, ...cells.map(told)];
  });
}"""
# A picture is there if it has a mark, a line or a bar within it that the browser paints.
DRAWN = """() => [...document.querySelectorAll("section:has(.zoom, svg.overview)")]
  .map((section) => [section.id, pictures().filter((picture) => section.contains(picture))
    .filter((picture) => {
      const whole = picture.getBoundingClientRect();
      return [...picture.querySelectorAll("use, rect, path")].some((mark) => {
        const box = mark.getBoundingClientRect();
        const { fill, stroke } = getComputedStyle(mark);
        return seen(mark) && box.width + box.height > 0 && (fill !== "none" || stroke !== "none")
          && box.right > whole.left && box.left < whole.right && box.bottom > whole.top && box.top < whole.bottom;
      });
    }).length])"""
ASTRAY = """() => [...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute("href"))
  .filter((href) => document.querySelectorAll(`[id="${decodeURIComponent(href.slice(1))}"]`).length !== 1)"""
TO_TOP = """(id) => {
  const place = document.getElementById(id);
  place.scrollIntoView();
  return place.getBoundingClientRect().top;
}"""
# How many tables the details of each section have, but for what is folded therein again, and how many one sees.
TABLES = """() => Object.fromEntries([...document.querySelectorAll("main > section")].map((section) => {
  const known = [...section.querySelectorAll("details table")]
    .filter((table) => !table.closest("details").parentElement.closest("details"));
  return [section.id, [known.length, known.filter(seen).length]];
}))"""
WARNINGS = "() => [...document.querySelectorAll('#warnings li')].map((one) => one.textContent)"
NAMES = """() => [...document.querySelectorAll("nav a")].map((link) =>
  [link.innerText, document.getElementById(link.hash.slice(1)).querySelector("h2").innerText])"""
MARKED = "() => document.querySelector('nav a[aria-current]')?.hash"
FOCUSED = """() => {
  const one = document.activeElement;
  return { heading: Boolean(one.closest("h1, h2, h3")), href: one.getAttribute("href"), text: one.textContent };
}"""


# Pages


PAIRS = [pytest.param((name, view), id=f"{name}-{view}") for name in TARGETS for view in VIEWS]
ON_SCREENS = [pytest.param((name, view), id=f"{name}-{view}") for name in TARGETS for view in SCREENS]


@pytest.fixture(scope="module", params=PAIRS)
def folded(request: pytest.FixtureRequest, browser: Browser, made: dict[str, Made]) -> Iterator[Opened]:
    """A page as it comes, in every view: for those who only look."""
    name, view = request.param
    yield from opened(browser, made[name], VIEWS[view])


@pytest.fixture(scope="module", params=ON_SCREENS)
def unfolded(request: pytest.FixtureRequest, browser: Browser, made: dict[str, Made]) -> Iterator[Opened]:
    """A page with all its details opened."""
    name, view = request.param
    for shown in opened(browser, made[name], VIEWS[view]):
        shown.page.evaluate(UNFOLD)
        yield shown


# What everybody sees at once


def test_it_does_not_scroll_sideways(folded: Opened) -> None:
    assert folded.page.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("name", ["host", "both"])
def test_it_does_not_scroll_sideways_at_any_width_between(browser: Browser, made: dict[str, Made], name: str) -> None:
    for shown in opened(browser, made[name], VIEWS["desk"]):
        sideways = []
        for width in range(400, 1280, 40):
            shown.page.set_viewport_size({"width": width, "height": 900})
            if shown.page.evaluate(SIDEWAYS) > 0:
                sideways.append(width)
        assert sideways == []


@pytest.mark.parametrize("count", [4, 10])
def test_a_page_of_many_runs_does_not_scroll_sideways(browser: Browser, tmp_path: Path, count: int) -> None:
    tool = Tool(tmp_path, "browser")
    for seed in range(count):
        tool("run", "pico-sim", "clock", "samples=5", "--repetitions", "1", "--seed", str(seed)).succeeded()
    tool("report", *map(str, range(1, count + 1)), "--output", "page.html").succeeded()
    for shown in opened(browser, Made(tmp_path / "page.html", ()), VIEWS["desk"]):
        sideways = {}
        for width in (390, 600, 768, 1000, 1280):
            shown.page.set_viewport_size({"width": width, "height": 900})
            sideways[width] = max(0, shown.page.evaluate(SIDEWAYS))
        assert set(sideways.values()) == {0}, sideways


def test_no_text_of_a_picture_lies_on_another(folded: Opened) -> None:
    assert asked(folded.page, OVERLAPS) == []


def test_no_text_of_a_picture_leaves_the_screen(folded: Opened) -> None:
    assert asked(folded.page, OUTSIDE) == []


def test_no_table_of_the_first_screen_is_cut_off(folded: Opened) -> None:
    assert asked(folded.page, CUT_OFF) == []


def test_every_answer_of_the_document_is_there(folded: Opened) -> None:
    shown: dict[tuple[str, str], list[str]] = {}
    for benchmark, question, *cells in asked(folded.page, ANSWERS):
        shown[benchmark, question] = [" ".join(cell.split()) for cell in cells]
    for place, document in enumerate(folded.made.documents):
        for each in document["analysis"]["answers"]:
            for one in each["answers"]:
                answer = msgspec.convert(one, Answer)
                key = each["benchmark"], printable(answer.question)
                if answer.again and key not in shown:
                    continue
                cells = shown[key]
                told = " ".join(cells) if folded.made.targets == 1 else cells[place]
                expected = " ".join(printable(f"{answer.headline} {answer.about}").split())
                assert told.strip() == expected, (each["benchmark"], answer.question)


def test_every_section_has_its_picture(folded: Opened) -> None:
    drawn = dict(asked(folded.page, DRAWN))
    assert drawn.pop("overview") == folded.made.targets
    assert len(drawn) > 10
    assert [section for section, pictures in drawn.items() if not pictures] == []


def test_a_section_is_called_what_the_contents_call_it(folded: Opened) -> None:
    wrong = [(entry, heading) for entry, heading in folded.page.evaluate(NAMES) if not heading.startswith(entry)]
    assert wrong == []


def test_no_warning_is_in_the_syntax_of_the_tool(folded: Opened) -> None:
    assert [one for one in folded.page.evaluate(WARNINGS) if re.search(r"\w=\w", one)] == []


def test_every_link_leads_to_one_place(folded: Opened) -> None:
    assert folded.page.evaluate(ASTRAY) == []


def test_nothing_is_fetched_and_nothing_is_complained_about(folded: Opened) -> None:
    assert folded.requested == [folded.made.path.as_uri()]
    assert folded.told == []


def test_it_is_not_too_long(folded: Opened) -> None:
    assert folded.page.evaluate("document.documentElement.scrollHeight") <= HIGHEST[folded.made.targets]


def test_the_keyboard_gets_through_it(folded: Opened) -> None:
    if folded.view.width == View().width:
        assert asked(folded.page, TAB_STOPS) <= MOST_TAB_STOPS[folded.made.targets]


@pytest.mark.parametrize("name", TARGETS)
def test_it_is_not_too_large(made: dict[str, Made], name: str) -> None:
    assert made[name].path.stat().st_size <= LARGEST[made[name].targets]


# What is unfolded


def test_unfolded_it_does_not_scroll_sideways(unfolded: Opened) -> None:
    assert unfolded.page.evaluate(SIDEWAYS) <= 0


def test_unfolded_no_text_of_a_picture_lies_on_another(unfolded: Opened) -> None:
    assert asked(unfolded.page, OVERLAPS) == []


def test_unfolded_no_text_of_a_picture_leaves_the_screen(unfolded: Opened) -> None:
    assert asked(unfolded.page, OUTSIDE) == []


# Whoever cannot see well, or has no mouse


@pytest.mark.parametrize("folded", ON_SCREENS, indirect=True)
def test_nothing_keeps_anybody_from_reading_it(folded: Opened) -> None:
    assert severe(folded) == []


def test_unfolded_nothing_keeps_anybody_from_reading_it(unfolded: Opened) -> None:
    assert severe(unfolded) == []


def test_every_link_of_a_heading_works_from_the_keyboard(fresh: Opened) -> None:
    page = fresh.page
    wanted = set(page.evaluate("[...document.querySelectorAll('h1 a, h2 a, h3 a')].map((link) => link.hash)"))
    assert len(wanted) > 10
    reached = set()
    for _ in range(MOST_TAB_STOPS[2]):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if not focused["heading"] or focused["href"] in reached:  # where a link leads, it is what comes next
            continue
        page.keyboard.press("Enter")
        page.wait_for_function("(href) => location.hash === href", arg=focused["href"])
        place = page.locator(f"section[id='{focused['href'][1:]}']").bounding_box()
        assert place is not None
        assert -1 <= place["y"] < fresh.view.height, focused
        reached.add(focused["href"])
        if reached == wanted:
            break
    assert reached == wanted


# With a script


def test_the_contents_mark_where_one_is(fresh: Opened) -> None:
    page = fresh.page
    wrong = []
    for href in page.evaluate("[...document.querySelectorAll('nav a')].map((link) => link.hash)"):
        top = page.evaluate(TO_TOP, href[1:])
        if top > 1:  # the page ends here: what is last cannot come to the top
            continue
        page.wait_for_timeout(300)  # the mark follows with the next frames
        if page.evaluate(MARKED) != href:
            wrong.append((href, page.evaluate(MARKED)))
    assert wrong == [], "(asked for, marked)"


def test_a_section_unfolds_its_tables(fresh: Opened) -> None:
    before = {name: tables for name, tables in asked(fresh.page, TABLES).items() if tables[0]}
    assert len(before) > 10
    assert not any(seen for _, seen in before.values())
    for name in before:
        for summary in fresh.page.locator(f"section[id='{name}'] details > summary").all():
            if summary.is_visible():
                summary.click()
    assert {name: seen for name, (_, seen) in asked(fresh.page, TABLES).items() if seen} == {
        name: there for name, (there, _) in before.items()
    }
