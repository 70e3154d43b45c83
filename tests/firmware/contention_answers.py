"""What an answer of the benchmark `contention` says."""

from __future__ import annotations

from typing import Any


def towers(answer: list[dict[str, Any]]) -> dict[str, int]:
    """Return the towers done by competitor and core."""
    heads = {line["name"]: line["count"] for line in answer if line["type"] == "series"}
    others = ("timestamp_overhead", "alone", "tower", "ran", "moved")
    return {name: count for name, count in heads.items() if not name.startswith(others)}


def told(answer: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in answer if line["type"] == "log"]
