"""The code that CONTRIBUTING.md has its reader add."""

from __future__ import annotations

import re
from itertools import pairwise

from tests.built_once import ROOT


def blocks(section: str) -> dict[str, str]:
    """Return the code that stands in a section of CONTRIBUTING.md, by the last path that was named before it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    headings = [match.start() for match in re.finditer(r"^## .*$", text, re.MULTILINE)] + [len(text)]
    (whole,) = (text[begin:end] for begin, end in pairwise(headings) if text.startswith(f"## {section}\n", begin))
    found: dict[str, str] = {}
    behind = 0
    for match in re.finditer(r"^```\w*\n(.*?)^```$", whole, re.MULTILINE | re.DOTALL):
        paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)`", whole[behind : match.start()])
        assert paths, f"nothing says where this belongs: {match[1]}"
        # A path that is there already is where a line goes; of new ones, the first is that of the file.
        new = [path for path in paths if not (ROOT / path).exists()]
        found[new[0] if new and not match[1].startswith(("    ", "|")) else paths[0]] = match[1]
        behind = match.end()
    return found
