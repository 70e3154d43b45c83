"""For spreadsheets: rows with a header; lists are joined by blanks, unknown values are empty."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from intercore.terminal.findings import tables
from intercore.terminal.formats import Format
from intercore.text import printable
from intercore.view.table import cell_text

if TYPE_CHECKING:
    from intercore.terminal.findings import Findings


class Csv(Format):
    """A table of all rows, with each column that any of them has; of benchmarks one each, a blank line apart."""

    rank = 2

    def print(self, found: Findings) -> None:
        """Print header and rows of each table."""
        writer = csv.writer(sys.stdout, lineterminator="\n")
        for number, rows in enumerate([rows for rows in tables(found) if rows] or [[]]):
            names = list(dict.fromkeys(name for row in rows for name in row))
            if number:
                sys.stdout.write("\n")
            writer.writerow(map(printable, names))
            writer.writerows([printable(cell_text(row.get(name))) for name in names] for row in rows)


FORMAT = Csv()
