"""Brings the schemas up to date with the types of the analyses: `make format` calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.document.schema.generate import (
    of_check,
    of_comparison,
    of_instructions,
    of_profile,
    of_profile_comparison,
    up_to_date,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent


def _write(name: str, schema: Mapping[str, object]) -> None:
    (FOLDER / name).write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", "utf-8")


_write("run.schema.json", up_to_date(json.loads((FOLDER / "run.schema.json").read_text("utf-8"))))
_write("comparison.schema.json", of_comparison())
_write("check.schema.json", of_check())
_write("profile.schema.json", of_profile())
_write("profile-comparison.schema.json", of_profile_comparison())
_write("instructions.schema.json", of_instructions())
