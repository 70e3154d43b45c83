"""The series of `irq`."""

from __future__ import annotations

NAMES = {"latency": "time to react"}
