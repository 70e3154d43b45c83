"""The page of a profile in a real browser: what anybody can read of it, and its flame graphs by mouse and keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.page.profile_page import write_profile_page
from intercore.profile.summary import analysed
from tests.page.browsing import NEEDS_BROWSER, VIEWS, Made, opened, severe
from tests.profile.programs import profiled
from tests.sim.firmware import example

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.page.browsing import Opened

pytestmark = NEEDS_BROWSER
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def profile_page(tmp_path_factory: pytest.TempPathFactory) -> Made:
    profile, _ = profiled(example("fifo_interrupt"))
    path = tmp_path_factory.mktemp("profile") / "page.html"
    write_profile_page(profile, analysed(profile), ["__a_name_that_is_as_long_as_a_line_of_a_telephone_is_wide"], path)
    return Made(path, ())


@pytest.fixture(params=VIEWS)
def shown(request: pytest.FixtureRequest, browser: Browser, profile_page: Made) -> Iterator[Opened]:
    yield from opened(browser, profile_page, VIEWS[request.param])


@pytest.fixture
def desk(browser: Browser, profile_page: Made) -> Iterator[Opened]:
    yield from opened(browser, profile_page, VIEWS["desk"])


def test_it_does_not_scroll_sideways_asks_for_nothing_and_has_no_complaint(shown: Opened) -> None:
    assert shown.page.evaluate(SIDEWAYS) <= 0
    assert shown.told == []
    assert shown.requested == [shown.made.path.as_uri()]


def test_nothing_keeps_anybody_from_reading_it(shown: Opened) -> None:
    if shown.view.scripts and shown.view.media == "screen":
        assert severe(shown) == []


def test_a_click_zooms_into_a_box_and_another_one_shows_all(desk: Opened) -> None:
    box = desk.page.locator("[data-box][data-name=start]").first
    before = box.bounding_box()
    whole = desk.page.locator("[data-flame]").first.bounding_box()
    assert before is not None
    assert whole is not None
    box.click()
    zoomed = box.bounding_box()
    assert zoomed is not None
    assert zoomed["width"] == pytest.approx(whole["width"], abs=1)
    assert "start" in (desk.page.locator("[data-told]").first.text_content() or "")
    box.click()
    assert box.bounding_box() == before


def test_the_keyboard_goes_to_a_box_and_back(desk: Opened) -> None:
    desk.page.locator("[data-flame]").first.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        desk.page.keyboard.press(key)
    assert desk.page.locator(".current").count() == 1
    assert "cycles" in (desk.page.locator("[data-told]").first.text_content() or "")
    desk.page.keyboard.press("Escape")
    assert desk.page.locator(".current").count() == 0
