"""JSON Schema (2020-12) of the documents that `--format json` prints, as the package carries it."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any, Literal


def schema(
    of: Literal["run", "comparison", "check", "profile", "profile-comparison", "instructions"],
) -> dict[str, Any]:
    """Return the schema of a run's document, or of that of another command."""
    text = (importlib.resources.files(__name__) / f"{of}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
