"""The benchmark `memory` of the real program: passes over every region are right, alone and beside another core."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

ACCESSES = ("read", "write", "copy")


def regions(terminal: Terminal) -> dict[str, int]:
    """Sizes by name, as the target says."""
    facts = terminal.conditions()
    listed = facts["memory.regions"].removesuffix(" bytes").split(", ")
    return {name: int(size) for name, size in (one.split() for one in listed)}


def test_the_choices_are_the_regions_that_the_target_has(terminal: Terminal) -> None:
    parameters = [line for line in terminal.ask("list") if line.get("benchmark") == "memory"]
    offered = [line for line in parameters if line.get("name") in ("region", "other_region")]
    assert len(offered) == 2
    for line in offered:
        assert line["kind"] == "choice"
        assert line["choices"] == list(regions(terminal))
        assert line["default"] == "ram"


def test_every_pass_is_right_alone_and_beside_another_core(terminal: Terminal) -> None:
    cores = terminal.ask("info")[0]["cores"]
    for access, other in itertools.product(ACCESSES, ACCESSES):
        words = f"access={access} region=l1 other={other} other_region=l1 bytes=40064 core={cores - 1}"
        answer = terminal.ask(f"run memory {words} samples=4 dither_us=20")
        checks = answer[-1]["checks"]
        assert answer[-1]["status"] == "ok"
        # Each repetition, the warm-up, and at the end all that the other core did.
        assert (checks["done"], checks["checked"], checks["wrong"]) == (4, 5 + (cores > 1), 0)
        found = series(answer)
        assert len(found["alone"]) == 4
        assert len(found.get("contended", ())) == (4 if cores > 1 else 0)


def test_a_region_is_gone_round_again_and_again(terminal: Terminal) -> None:
    """A pass longer than the region, of a length that is no divisor of it."""
    size = regions(terminal)["l1"]
    for access in ACCESSES:
        answer = terminal.ask(f"run memory access={access} region=l1 bytes={3 * size + 64} samples=5 dither_us=20")
        assert answer[-1]["status"] == "ok"
        assert answer[-1]["checks"]["wrong"] == 0


def test_a_pass_of_more_bytes_takes_longer(terminal: Terminal) -> None:
    short, long = (
        min(series(terminal.ask(f"run memory region=l1 bytes={size} samples={samples} dither_us=20"))["alone"])
        for size, samples in ((1 << 14, 1000), (1 << 20, 20))
    )
    assert 16 * short < long, "64 times as many take longer, in the pass that the fewest others interrupted"


def test_without_another_core_at_work_there_is_no_second_time(terminal: Terminal) -> None:
    answer = terminal.ask("run memory region=l1 other=none samples=3 dither_us=20")
    assert answer[-1]["status"] == "ok"
    assert set(series(answer)) - {"timestamp_overhead.0", "timestamp_overhead.1"} >= {"alone"}
    assert "contended" not in series(answer)


def test_bad_values_are_refused(terminal: Terminal) -> None:
    for word, code in (
        ("region=attic", "bad-value"),
        ("access=none", "bad-value"),
        ("bytes=100", "bad-value"),
        ("bytes=0", "out-of-range"),
        ("core=65", "out-of-range"),
    ):
        assert terminal.ask(f"run memory {word}")[-1]["code"] == code
