"""The figures that a page carries for those who want to zoom into them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any


def unpacked(text: str) -> bytes:
    """What a script element holds that comes packed."""
    return gzip.decompress(base64.b64decode(text))


def figures_of(page: str) -> list[dict[str, Any]]:
    """All figures of a page, in their order; none if it has none."""
    found = re.search(r'<script type="text/plain" id="figures">(.*?)</script>', page, re.DOTALL)
    return json.loads(unpacked(found[1])) if found else []
