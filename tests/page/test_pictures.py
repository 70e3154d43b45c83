"""What people do with pictures in a real browser: point at marks, zoom, hide a series, save; see test_browser.py."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.page.browsing import (
    NEEDS_BROWSER,
    PATIENCE_MS,
    SIDEWAYS,
    TARGETS,
    UNFOLD,
    VIEWS,
    asked,
    opened,
    severe,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.page.browsing import Made, Opened

pytestmark = NEEDS_BROWSER

PANELS = "#plot .drawing > svg"
# The first marks of each panel with where they are, and the ticks of its axes of numbers: what they say, and where.
READ = """() => [...document.querySelectorAll("#plot .drawing > svg")].map((panel) => {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  };
  const ticks = (name) => [...panel.querySelectorAll(`.ticks-${name} text`)]
    .filter((one) => seen(one) && one.textContent).map((one) => [one.textContent, middle(one)[name]]);
  const axes = Object.fromEntries(["x", "y"].filter((name) => panel.dataset[name])
    .map((name) => [name, { log: panel.dataset[name].includes(" log "), ticks: ticks(name) }]));
  return { axes, marks: [...panel.querySelectorAll("use")].slice(0, 20).map(middle) };
})"""
LABELS = f"""() => [...document.querySelectorAll("{PANELS} .ticks-x text, {PANELS} .ticks-y text")]
  .map((one) => one.textContent)"""
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def value(label: str) -> float:
    """The value that a person reads at a tick."""
    found = re.fullmatch(r"(-?[\d.e+-]+) ?([pnµmkMG]?)(?:[sB%].*)?", label)
    assert found, label
    return float(found[1]) * PREFIXES[found[2]]


def line_of(axis: dict[str, Any]) -> tuple[float, float] | None:
    """How a value, or its logarithm, becomes a place in pixels, as the ticks say; None if two do not."""
    known = [(value(label), place) for label, place in axis["ticks"]]
    if len(known) < 2:
        return None
    (low, begin), (high, end) = (
        (math.log10(one) if axis["log"] else one, place) for one, place in (known[0], known[-1])
    )
    slope = (end - begin) / (high - low)
    return slope, begin - slope * low


def enlarged(page: Page, section: str, number: int = 0) -> None:
    """Unfold all, and show a figure of a section in all of the window."""
    page.evaluate(UNFOLD)
    page.locator(f"section[id='{section}'] button.zoom").nth(number).click()
    page.locator(PANELS).first.wait_for(timeout=PATIENCE_MS)


def box_of(shown: Page, what: str) -> dict[str, float]:
    box = shown.locator(what).first.bounding_box()
    assert box is not None
    return {**box}


def test_every_figure_can_be_zoomed_into_and_nothing_is_fetched_for_it(fresh: Opened) -> None:
    page = fresh.page
    page.evaluate(UNFOLD)
    numbers = page.evaluate("[...document.querySelectorAll('button.zoom')].map((button) => button.dataset.figure)")
    assert len(numbers) > 10
    for number in numbers:
        button = page.locator(f"button.zoom[data-figure='{number}']")
        button.click()
        page.locator(PANELS).first.wait_for(timeout=PATIENCE_MS)
        box = box_of(page, "#plot")
        assert box["width"] > 0.9 * fresh.view.width, "larger than any place in the page"
        assert box["height"] > 0.8 * fresh.view.height
        page.keyboard.press("Escape")
        page.locator(PANELS).first.wait_for(state="detached")
        assert button.evaluate("(button) => button === document.activeElement"), "one goes on where one was"
    assert fresh.told == []
    assert fresh.requested == [fresh.made.path.as_uri()]


def test_in_a_part_of_a_figure_the_axes_say_of_each_mark_what_they_said_before(fresh: Opened) -> None:
    page = fresh.page
    page.evaluate(UNFOLD)
    compared = 0
    for button in page.locator("button.zoom").all():
        button.click()
        before = asked(page, READ)
        for key in ("+", "+", "ArrowLeft", "ArrowDown"):
            page.keyboard.press(key)
        for panel, part in zip(before, asked(page, READ), strict=True):
            for name, axis in panel["axes"].items():
                old, new = line_of(axis), line_of(part["axes"][name])
                if old is None or new is None:
                    continue
                for mark, moved in zip(panel["marks"], part["marks"], strict=True):
                    expected = new[0] * (mark[name] - old[1]) / old[0] + new[1]
                    assert moved[name] == pytest.approx(expected, abs=6), (button.get_attribute("data-title"), name)
                    compared += mark[name] != pytest.approx(moved[name], abs=6)
        page.keyboard.press("Escape")
    assert compared > 50
    assert fresh.told == []


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("view", ["desk", "telephone"])
def test_a_mark_says_what_it_is_where_one_points_at_it(
    browser: Browser, made: dict[str, Made], name: str, view: str
) -> None:
    for opened_page in opened(browser, made[name], VIEWS[view]):
        page = opened_page.page
        shown = page.locator("#shown")
        assert not shown.is_visible()
        page.locator("#speedup .drawing use").first.scroll_into_view_if_needed()
        box = box_of(page, "#speedup .drawing use")
        page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
        shown.wait_for(timeout=PATIENCE_MS)
        first, n, *others = shown.inner_text().split("\n")
        names = page.locator("#speedup .key").first.locator("li").all_inner_texts()
        assert first.strip() in {name.strip() for name in names}
        assert re.fullmatch(r"n = [\d,]+", n)
        assert [line.partition(" = ")[0] for line in others] == ["T1", "TP", "S", "E"]
        assert page.evaluate(SIDEWAYS) <= 0
        page.mouse.move(2, 2)
        shown.wait_for(state="hidden")


def test_every_panel_says_something_where_one_points_at_its_first_mark(fresh: Opened) -> None:
    from playwright.sync_api import TimeoutError as PlaywrightTimeout  # noqa: PLC0415 - installed by `make test-page` alone

    page = fresh.page
    page.evaluate(UNFOLD)
    silent, panels = [], page.locator(".drawing[data-figure] > svg").all()
    for panel in panels:
        panel.scroll_into_view_if_needed()
        place = panel.evaluate(
            """(panel) => {
              const group = panel.querySelector("[data-pointed]"), area = panel.getBoundingClientRect();
              if (!group) return null;
              const [dot] = (group.getAttribute("d") ?? "").matchAll(/M(\\S+) (\\S+?)h/g);
              if (dot) return { x: area.left + area.width * dot[1] / 1e3, y: area.top + area.height * dot[2] / 1e3 };
              const box = group.firstElementChild.getBoundingClientRect();
              return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
            }"""
        )
        if place is None:
            continue
        page.mouse.move(2, 2)
        page.locator("#shown").wait_for(state="hidden")
        page.mouse.move(place["x"], place["y"])
        try:
            page.locator("#shown").wait_for(timeout=2_000)
        except PlaywrightTimeout:
            silent.append(panel.evaluate("(panel) => panel.closest('section').id"))
    assert len(panels) > 50
    assert silent == []


def test_the_mouse_shows_a_part_of_an_axis_and_all_of_it_again(fresh: Opened) -> None:
    page = fresh.page
    enlarged(page, "speedup")
    whole = page.evaluate(LABELS)
    area, mark = box_of(page, PANELS), box_of(page, f"{PANELS} use")
    page.mouse.move(area["x"] + 2, area["y"] + area["height"] / 2)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] / 4, area["y"] + area["height"] / 2 + 3, steps=3)
    page.mouse.up()
    part = page.evaluate(LABELS)
    assert part != whole
    assert [label for label in part if label in whole][-4:] == whole[-4:], "the other axis stays"
    moved = box_of(page, f"{PANELS} use")
    expected = area["x"] + (mark["x"] - area["x"] - 2) * area["width"] / (area["width"] / 4 - 2)
    assert moved["x"] == pytest.approx(expected, abs=25)
    page.mouse.dblclick(area["x"] + 30, area["y"] + 30)
    assert page.evaluate(LABELS) == whole
    assert fresh.told == []


def test_a_series_is_hidden_and_shown_by_its_legend_from_the_keyboard(fresh: Opened) -> None:
    page = fresh.page
    enlarged(page, "speedup")
    drawn = page.locator(f"{PANELS} [data-s='1']")
    assert drawn.count() >= 2, "its line and its marks"
    button = page.locator("#plot .key button").nth(1)
    button.focus()
    for hidden in (True, False):
        page.keyboard.press("Enter")
        assert button.get_attribute("aria-pressed") == str(not hidden).lower()
        assert {one.evaluate("(one) => getComputedStyle(one).display === 'none'") for one in drawn.all()} == {hidden}
    assert page.locator("#plot .key button").count() == page.locator("#speedup .key").first.locator("li").count()


def test_a_finger_has_buttons_for_all_that_a_mouse_does(browser: Browser, made: dict[str, Made]) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(made["pico-sim"].path.as_uri())
    enlarged(page, "speedup")
    whole = page.evaluate(LABELS)
    page.locator("#large [data-key='+']").tap()
    part = page.evaluate(LABELS)
    assert part != whole
    page.locator("#large [data-key='ArrowRight']").tap()
    assert page.evaluate(LABELS) not in (part, whole)
    page.locator("#large [data-key='0']").tap()
    assert page.evaluate(LABELS) == whole
    page.locator(f"{PANELS} use").first.tap()
    page.locator("#shown").wait_for(timeout=PATIENCE_MS)
    page.locator("#plot .key button").first.tap()
    assert page.locator("#plot .key button").first.get_attribute("aria-pressed") == "false"
    assert page.evaluate(SIDEWAYS) <= 0
    page.locator("#close").tap()
    page.locator(PANELS).first.wait_for(state="detached")
    context.close()


def test_nothing_keeps_anybody_from_reading_an_enlarged_figure(fresh: Opened) -> None:
    enlarged(fresh.page, "speedup")
    assert severe(fresh) == []


def test_a_figure_is_saved_as_it_is_shown(fresh: Opened, tmp_path: Path) -> None:
    page = fresh.page
    enlarged(page, "speedup")
    colours = f"() => [...document.querySelectorAll('{PANELS} use')].map((one) => getComputedStyle(one).stroke)"
    expected = page.evaluate(colours)
    with page.expect_download() as saving:
        page.locator("#save").click()
    assert saving.value.suggested_filename.startswith("speedup-over-duration")
    path = tmp_path / "saved.svg"
    saving.value.save_as(path)
    page.goto(path.as_uri())
    found = page.evaluate(
        "() => [...document.querySelectorAll('svg > svg svg use')].map((one) => getComputedStyle(one).stroke)"
    )
    assert found == expected
    assert len(set(expected)) > 2
    assert "created tasks" in page.evaluate("() => document.documentElement.textContent")
