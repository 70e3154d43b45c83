"""Names of the regions of a chip's memory, for people who do not know its linker script."""

from __future__ import annotations

_WORDS = {
    "sram-striped": "striped SRAM",
    "l1": "the first-level cache",
    "llc": "the last-level cache",
    "ram": "main memory",
}


def in_words(region: str) -> str:
    """Return the name of a region in plain words; as the target names it where that is plain enough."""
    return _WORDS.get(region, region)
