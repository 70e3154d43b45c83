"""Digests that identify images: of the loaded contents, without paths, dates or debugging information."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGITS = 16
"""Hexadecimal digits of a digest: two of a thousand images have the same with a probability below 1 in 10**13."""


def image_digest(pieces: Iterable[tuple[int, bytes]]) -> str:
    """Return the digest of the loaded pieces with their addresses: the first digits of a SHA-256."""
    found = hashlib.sha256()
    for address, data in pieces:
        found.update(f"{address:#x} {len(data)}\n".encode() + data)
    return found.hexdigest()[:DIGITS]
