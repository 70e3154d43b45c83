"""Brings run.schema.json up to date with the types of the analyses: `make format` calls it."""

from __future__ import annotations

import json
from pathlib import Path

from intercore.schema.generate import up_to_date

FILE = Path(__file__).parent / "run.schema.json"
FILE.write_text(
    json.dumps(up_to_date(json.loads(FILE.read_text("utf-8"))), indent=2, ensure_ascii=False) + "\n", "utf-8"
)
