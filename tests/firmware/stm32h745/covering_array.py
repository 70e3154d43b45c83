"""Images at the levels of all factors that the STM32H745's programs have: any two levels that go together are in one.

Of the levels of optimisation, those of seed 003 meet all others; O1 and O2 meet some. (Six levels and five clocks
of the Cortex-M7 alone would make thirty images.)
"""

from __future__ import annotations

from intercore.board.boards import STM32H745

FACTORS = tuple(factor.name for factor in STM32H745.factors)
SEED_003 = ("O0", "O3", "Os", "Ofast")
"""Its levels of optimisation (plans/seed-003.toml)."""


def _images(table: str) -> tuple[dict[str, str], ...]:
    return tuple(dict(zip(FACTORS, row.split(), strict=True)) for row in table.strip().splitlines())


# opt, m7_mhz, m4_mhz, supply, icache, dcache, shared
DAILY = _images("""
O2     60  60 smps on  on  d3
O2    480 240 ldo  off off d2
""")
NIGHTLY = _images("""
Ofast 480 240 ldo  on  on  d1
O0    120 120 smps off off d2
O1    480  60 ldo  on  off d3
O3    400 200 ldo  off on  d2
Os    400 200 smps on  off d1
Os    240 120 ldo  off on  d3
O3    240  60 smps off off d1
O0    240 240 ldo  on  on  d2
Ofast  60  60 ldo  off off d2
O3    120 120 ldo  on  on  d1
Os    480 240 ldo  off off d2
Ofast 400 200 smps off on  d3
O0     60  60 smps on  on  d1
Os    120  60 smps off on  d3
O3    480 240 ldo  on  off d3
O0    400 200 smps on  on  d3
Ofast 240 120 smps off on  d1
O0    480 120 ldo  off on  d2
Os     60  60 ldo  off off d1
Ofast 120  60 ldo  off off d1
O3     60  60 ldo  off on  d2
O0    400  50 smps off off d1
O3    400  50 ldo  on  on  d3
Os    400  50 smps on  off d2
Ofast 400  50 ldo  off on  d1
""")


def variables(levels: dict[str, str]) -> dict[str, str]:
    """Return what CMake calls the levels: all of them, since it remembers those that it was told before."""
    return {**{f"IC_{name.upper()}": level for name, level in levels.items()}, "IC_VOS": ""}
