"""Both images on the simulated chip, from reset by their own start-up: they answer, measure with all checks right, and
do nothing that the chip would not forgive. What would be wrong is told.

FUNCTION ONLY: no time means anything here.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import pytest

from intercore.board.boards import STM32H745
from intercore.board.factors import check
from intercore.errors import IntercoreError, UsageError
from intercore.sim import Stm32h745
from intercore.target.connection import Connection
from intercore.target.simulated_chip import SimulatedChip
from tests.firmware.amp.console import AmpConsole
from tests.firmware.stm32h745.conftest import FASTEST, ROOT, SLOWEST, built
from tests.firmware.stm32h745.covering_array import DAILY, NIGHTLY, SEED_003, variables
from tests.firmware.stm32h745.planted import (
    with_protection_at_once,
    with_unaligned_frames,
    with_window,
    without_barrier,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Amp: TypeAlias = AmpConsole[Stm32h745]
HELLO = 1.3
"""Seconds within which the program has said hello, which takes one at 115200 bit/s."""
BENCHMARKS = [
    *(f"clock from={a} to={b} samples=20" for a in (0, 1) for b in (0, 1)),
    *(f"switch primitive={primitive} from=0 to=1 samples=10" for primitive in ("notification", "binary-semaphore")),
    "switch primitive=counting-semaphore from=1 to=0 samples=10",
    *(f"irq path={path} to={core} samples=10" for path in ("handler-task", "doorbell", "gpio-task") for core in (0, 1)),
    "irq path=doorbell-round-trip to=1 samples=10",
    "speedup cores=2 n=1000 samples=3",
    *(f"memory region={region} samples=2" for region in ("d1", "d2", "d3", "flash")),
]
REGIONS = ("d1", "d2", "d3")
TRANSPORTS = ("message-buffer", "ring", "ring-zero-copy", "rpmsg", "rpmsg-zero-copy")


def switched_on(images: Sequence[Path | bytes], supply: str = "smps") -> Amp:
    chip = Stm32h745(images, supply=supply)
    return AmpConsole(chip, chip.hz, "hsem", "interrupt")


def greeted(images: Sequence[Path | bytes], supply: str = "smps") -> Amp:
    """Return the console of a chip that has said hello."""
    console = switched_on(images, supply)
    assert console.hear(HELLO).end["type"] == "end", "the unasked hello is not complete"
    return console


@cache
def _booted(images: tuple[Path, Path]) -> Callable[[], Amp]:
    """Return what makes a console of a chip that has said hello: booted once, restored each time."""
    return greeted(images).kept()


@pytest.fixture
def ready(images: tuple[Path, Path]) -> Amp:
    """Has said hello."""
    return _booted(images)()


@cache
def _quick(images: tuple[Path, Path]) -> Callable[[], Amp]:
    console = greeted(images)
    console.talk_fast()
    return console.kept()


@pytest.fixture
def quick(images: tuple[Path, Path]) -> Amp:
    """Has said hello, and speaks as fast as it can."""
    return _quick(images)()


def measures(console: Amp, command: str) -> None:
    """Check that it measures with all checks right, and nothing that the chip would not forgive."""
    console.ask(f"run {command}", patience=60).checks()
    assert console.chip.take_diagnostics() == []


def message(transport: str, region: str, sender: int) -> str:
    return f"message transport={transport} region={region} from={sender} to={1 - sender} samples=5 size=64"


# Everything works


def test_both_images_boot_and_tell_of_themselves_without_a_mistake(ready: Amp) -> None:
    heard = ready.ask("info")
    assert (heard.end["type"], heard.end["status"], heard.logs, heard.cut) == ("end", "ok", [], 0)
    known = {line["key"]: line["value"] for line in heard.lines if line["type"] == "condition"}
    assert (known["clock.m7_hz"], known["clock.m4_hz"], known["memory.shared"]) == ("60000000", "60000000", "d3")
    assert ready.chip.clocks == (60_000_000, 60_000_000)
    assert ready.chip.take_diagnostics() == []


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=pytest.mark.measures(one.partition(" ")[0])) for one in BENCHMARKS]
)
def test_every_benchmark_ends_with_all_its_checks_right(quick: Amp, command: str) -> None:
    measures(quick, command)


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_messages_go_both_ways_by_every_transport_in_every_region(quick: Amp, transport: str, region: str) -> None:
    for sender in (0, 1):
        measures(quick, message(transport, region, sender))


@pytest.mark.measures("irq")
def test_a_core_that_does_not_hear_itself_ring_has_no_result(quick: Amp) -> None:
    """A doorbell of the core's own takes no order with it, so no tick can find that it was lost."""
    quick.have(quick.lost_doorbells(1))
    end = quick.ask("run irq path=doorbell from=1 to=1 samples=2", patience=30).end
    assert (end["status"], end["checks"]["checked"]) == ("failed", 0)
    assert end["checks"]["lost"] > 0
    quick.is_well()


def test_the_desk_is_told_of_doorbells_that_were_lost_on_purpose(images: tuple[Path, Path]) -> None:
    chip = SimulatedChip(Stm32h745(images), 115200, ["hsem:to=1,interrupt=1"])
    Connection(chip.port, chip).session().measure("message", {"samples": 2})
    assert chip.symptoms().endswith("injected fault on the way to core 1: 1")
    assert chip.snapshot() is None, "an interrupt that is lost once would be lost each time"
    assert SimulatedChip(Stm32h745(images), 115200, ["hsem:to=1,lose=0.1"]).snapshot() is not None


# At other levels of all factors


of_all = pytest.mark.measures(*{one.partition(" ")[0] for one in BENCHMARKS})
OTHER = ROOT / "build" / "test-stm32h745" / "other"
slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two images: INTERCORE_SLOW=1 runs it")


def does_all(images: Sequence[Path], levels: dict[str, str]) -> None:
    """Check that images at these levels measure by every benchmark, and by every transport both ways everywhere."""
    console = greeted(images, levels["supply"])
    console.talk_fast()
    clocks = int(levels["m7_mhz"]) * 1_000_000, int(levels["m4_mhz"]) * 1_000_000
    assert console.chip.clocks == clocks
    for command in BENCHMARKS:
        measures(console, command)
    for transport, region, sender in itertools.product(TRANSPORTS, REGIONS, (0, 1)):
        measures(console, message(transport, region, sender))


def pairs(levels: dict[str, str]) -> set[tuple[tuple[str, str], ...]]:
    return set(itertools.combinations(levels.items(), 2))


def test_any_two_levels_that_go_together_are_in_one_image() -> None:
    known = {factor.name: [str(level) for level in factor.levels] for factor in STM32H745.factors} | {"opt": SEED_003}
    possible: set[tuple[tuple[str, str], ...]] = set()
    for combination in itertools.product(*known.values()):
        levels = dict(zip(known, combination, strict=True))
        with contextlib.suppress(UsageError):
            check(STM32H745.factors, {factor.name: factor.level(levels[factor.name]) for factor in STM32H745.factors})
            possible |= pairs(levels)
    array = [*DAILY, *NIGHTLY]
    assert len(array) < 28, "and the one at the lowest voltage"
    assert possible - {pair for levels in array for pair in pairs(levels)} == set()
    assert {levels["opt"] for levels in array} == {*STM32H745.factors[0].levels}


@of_all
def test_images_at_the_highest_clocks_without_caches_do_all(fastest_images: tuple[Path, Path]) -> None:
    does_all(fastest_images, FASTEST)


@slow
@of_all
def test_images_at_the_lowest_voltage_do_all() -> None:
    does_all(built(OTHER, **{**variables(SLOWEST), "IC_VOS": "3"}), SLOWEST)


@slow
@of_all
@pytest.mark.parametrize("levels", NIGHTLY, ids=lambda levels: "-".join(levels.values()))
def test_images_at_other_levels_do_all(levels: dict[str, str]) -> None:
    does_all(built(OTHER, **variables(levels)), levels)


def test_the_same_run_is_the_same_run(ready: Amp, images: tuple[Path, Path]) -> None:
    ready.ask("run message samples=5")
    first = ready.chip.state_hash(), ready.chip.now
    again = _booted(images)()
    again.ask("run message samples=5")
    assert (again.chip.state_hash(), again.chip.now) == first


# Mistakes that are planted, in core 0's image as it was built: each is told


def test_shared_memory_that_is_cached_is_told_as_stale_and_makes_the_measurement_fail(
    images: tuple[Path, Path],
) -> None:
    chip = SimulatedChip(Stm32h745(with_window(images, kind=1)), 115200)
    with contextlib.suppress(IntercoreError):  # what the cores make of it is theirs
        chip.port.read(1.0)
    truth = chip.truth((), {})
    assert truth.checks["mistakes"] == len(chip.mistakes) > 0
    assert any("has stored in its data cache and not written back" in sentence for sentence in chip.mistakes)


def test_a_window_that_is_too_small_is_told(images: tuple[Path, Path]) -> None:
    """Its upper half is cached, as the default map has it: the region d3 is there."""
    console = switched_on(with_window(images, bytes=0x8000))
    assert console.hear(HELLO).end["type"] == "end"
    console.chip.send(b"run message transport=ring region=d3 from=0 to=1 samples=5\n")
    console.run(0.3)  # it may never end
    assert any("data cache" in sentence for sentence in console.chip.take_diagnostics())


def test_a_barrier_that_is_missing_is_told_though_every_result_is_right(images: tuple[Path, Path]) -> None:
    console = switched_on(without_barrier(images))
    console.hear(HELLO)
    console.chip.take_diagnostics()
    console.ask("run switch primitive=counting-semaphore from=0 to=1 samples=5").checks()
    told = console.chip.take_diagnostics()
    assert told
    assert all("core 0" in sentence and "neither DMB nor DSB" in sentence for sentence in told), told


def test_protection_that_no_barrier_follows_is_told_though_the_program_goes_on(images: tuple[Path, Path]) -> None:
    console = greeted(with_protection_at_once(images))
    told = console.chip.take_diagnostics()
    assert any("whose protection it has changed and has not executed DSB since" in one for one in told), told
    assert all("core 0" in one for one in told), told


@pytest.mark.measures("speedup")
def test_a_frame_of_floating_point_that_is_not_aligned_is_told(images: tuple[Path, Path]) -> None:
    console = switched_on(with_unaligned_frames(images))
    assert console.hear(HELLO).end["type"] == "end"
    console.chip.send(b"run speedup cores=2 n=1000 samples=3\n")
    console.run(0.3)  # it may never end
    told = console.chip.take_diagnostics()
    assert any("core 0" in sentence and "a frame that is not aligned to 8 bytes" in sentence for sentence in told), told
