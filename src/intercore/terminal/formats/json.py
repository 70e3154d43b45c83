"""For programs: one indented JSON document."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from intercore.terminal.formats import Format
from intercore.terminal.streams import is_utf
from intercore.text import escaped

if TYPE_CHECKING:
    from intercore.terminal.findings import Findings


class Json(Format):
    """One document."""

    rank = 1

    def print(self, found: Findings) -> None:
        """Print the document."""
        document = msgspec.json.format(msgspec.json.encode(found.document()), indent=2).decode()
        sys.stdout.write(escaped(document, in_ascii=not is_utf(sys.stdout.encoding)) + "\n")


FORMAT = Json()
