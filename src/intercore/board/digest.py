"""What tells images apart: a digest of what is loaded, which no path, date or debugging information is part of."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGITS = 16
"""Of a digest, in base 16: that two of a thousand images have the same is less likely than 1 in 10**13."""


def image_digest(pieces: Iterable[tuple[int, bytes]]) -> str:
    """Return the digest of what is loaded, each piece with its address: the first digits of a SHA-256."""
    found = hashlib.sha256()
    for address, data in pieces:
        found.update(f"{address:#x} {len(data)}\n".encode() + data)
    return found.hexdigest()[:DIGITS]
