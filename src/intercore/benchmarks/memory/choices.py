"""What regions mean that the answers of `memory` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {"striped SRAM": "four large banks of the RP2040's memory: words that follow one another lie in turn in each"}
