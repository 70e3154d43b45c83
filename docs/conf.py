"""How Sphinx builds the documentation as a site: `make docs`.

The pages are Markdown that the hosting site of a repository shows as well, so they link to each other by file.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from docs_pages import commands_page, file_page, header_page  # noqa: E402 - where they are is known only now

import intercore  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

project = "Intercore"
version = release = intercore.__version__
html_title = f"Intercore {release}"
extensions = ["myst_parser"]
exclude_patterns = ["constraints.txt"]

html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

# What is indented is what a terminal shows; a fence names its language.
highlight_language = "none"
myst_heading_anchors = 6
myst_enable_extensions = ["tasklist"]

# An option is `--port` and not –port.
smartquotes = False

MADE: dict[str, Callable[[], str]] = {
    "index": lambda: file_page("README.md"),
    "cli": commands_page,
    "port": header_page,
    "contributing": lambda: file_page("CONTRIBUTING.md"),
    "changes": lambda: file_page("CHANGELOG.md"),
}
"""What follows the text of a page, made when the site is built; a paragraph that tells of `make docs` goes then."""

INSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
"""Files above docs/ that the site has as a page of its own; MyST copies every other one that is linked."""


def complete(_: Sphinx, name: str, source: list[str]) -> None:
    """Put what is made behind the text of a page, and lead links to files above docs/ to their pages."""
    text = source[0]
    if name in MADE:
        paragraphs = (part for part in text.split("\n\n") if "`make docs`" not in part)
        text = "\n\n".join([*paragraphs, MADE[name]()])
    above = "../" * (name.count("/") + 1)
    for outside, page in INSIDE.items():
        text = re.sub(rf"\]\({re.escape(above + outside)}(?=[)#])", f"]({above.removeprefix('../')}{page}", text)
    source[0] = text


def setup(app: Sphinx) -> None:
    """Take part in the build."""
    app.connect("source-read", complete)
