"""For programs: one indented JSON document."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from intercore.terminal.formats import Format

if TYPE_CHECKING:
    from intercore.terminal.findings import Findings


class Json(Format):
    """One document."""

    rank = 1

    def print(self, found: Findings) -> None:
        """Print the document."""
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found.document()), indent=2).decode() + "\n")


FORMAT = Json()
