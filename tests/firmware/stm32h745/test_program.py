"""Both images on the simulated chip, from reset by their own start-up: they answer, measure with all checks right, and
do nothing that the chip would not forgive. What goes wrong on purpose ends well or with a sentence.

FUNCTION ONLY: no time means anything here.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from functools import cache
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import STM32H745
from intercore.board.factors import check
from intercore.errors import IntercoreError, UsageError
from intercore.link.exchange import TargetSilentError
from intercore.sim import Stm32h745
from intercore.target.connection import Connection
from intercore.target.simulated_chip import SimulatedChip
from tests.firmware.amp_console import Amp
from tests.firmware.stm32h745.conftest import FASTEST, ROOT, SLOWEST, UNCACHED, built, images_at
from tests.firmware.stm32h745.covering_array import DAILY, NIGHTLY, SEED_003, variables
from tests.firmware.stm32h745.planted import with_unaligned_frames, with_window, without_barrier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

HELLO = 1.3
"""Seconds within which the program has said hello, which takes one at 115200 bit/s."""
PATIENCE = 5.0
"""Seconds for which core 0 waits for core 1 to come up (PORT_AMP_PATIENCE_MS)."""
SILENCE = 0.1
"""Seconds after which a core misses the other's ticks (PORT_AMP_SILENCE_TICKS)."""
MS = 10**9
"""Picoseconds of a millisecond."""
LATENCY = "run message measure=latency samples=100 dither_us=1000"
MIDST = 130 * MS
"""When that measures, from when it is sent: it tells its factors up to 100 ms, and measures for 60 to 70."""
BENCHMARKS = [
    *(f"clock from={a} to={b} samples=20" for a in (0, 1) for b in (0, 1)),
    *(f"switch primitive={primitive} from=0 to=1 samples=10" for primitive in ("notification", "binary-semaphore")),
    "switch primitive=counting-semaphore from=1 to=0 samples=10",
    *(f"irq path={path} to={core} samples=10" for path in ("handler-task", "doorbell") for core in (0, 1)),
    "irq path=doorbell-round-trip to=1 samples=10",
    "speedup cores=2 n=1000 samples=3",
    *(f"memory region={region} samples=2" for region in ("d1", "d2", "d3", "flash")),
]
REGIONS = ("d1", "d2", "d3")
TRANSPORTS = ("message-buffer", "ring", "ring-zero-copy", "rpmsg", "rpmsg-zero-copy")


def switched_on(images: Sequence[Path | bytes], supply: str = "smps") -> Amp[Stm32h745]:
    chip = Stm32h745(images, supply=supply)
    return Amp(chip, chip.hz)


def greeted(images: tuple[Path, Path], supply: str = "smps") -> Amp[Stm32h745]:
    """Return the console of a chip that has said hello."""
    console = switched_on(images, supply)
    assert console.hear(HELLO).end["type"] == "end", "the unasked hello is not complete"
    return console


def _kept(console: Amp[Stm32h745]) -> Callable[[], Amp[Stm32h745]]:
    """Return what restores the chip as it is now, and gives it a console."""
    restore = console.chip.keep()

    def again() -> Amp[Stm32h745]:
        restore()
        return Amp(console.chip, console.chip.hz)

    return again


@cache
def _booted(images: tuple[Path, Path]) -> Callable[[], Amp[Stm32h745]]:
    """Return what makes a console of a chip that has said hello: booted once, restored each time."""
    return _kept(greeted(images))


@pytest.fixture
def ready(images: tuple[Path, Path]) -> Amp[Stm32h745]:
    """Has said hello."""
    return _booted(images)()


def at_its_highest_rate(console: Amp[Stm32h745]) -> Amp[Stm32h745]:
    """Have the program speak as fast as it can: most of a short measurement is what it tells of it."""
    lines = console.ask("info").lines
    rate = max(next(line["rates"] for line in lines if "rates" in line))
    assert console.ask(f"rate {rate}").end["type"] == "rate"
    console.chip.set_line_rate(rate)
    assert console.ask("info").end["status"] == "ok", "or the rate would be taken back"
    return console


@cache
def _quick(images: tuple[Path, Path]) -> Callable[[], Amp[Stm32h745]]:
    return _kept(at_its_highest_rate(greeted(images)))


@pytest.fixture
def quick(images: tuple[Path, Path]) -> Amp[Stm32h745]:
    """Has said hello, and speaks as fast as it can."""
    return _quick(images)()


def is_well(console: Amp[Stm32h745]) -> None:
    """Check that the program measures as if nothing had happened."""
    console.have()
    for transport in ("ring", "message-buffer"):
        console.ask(f"run message transport={transport} samples=5 dither_us=0").checks()


def measures(console: Amp[Stm32h745], command: str) -> None:
    """Check that it measures with all checks right, and nothing that the chip would not forgive."""
    console.ask(f"run {command}", patience=60).checks()
    assert console.chip.take_diagnostics() == []


def message(transport: str, region: str, sender: int) -> str:
    return f"message transport={transport} region={region} from={sender} to={1 - sender} samples=5 size=64"


# Everything works


def test_both_images_boot_and_tell_of_themselves_without_a_mistake(ready: Amp[Stm32h745]) -> None:
    heard = ready.ask("info")
    assert (heard.end["type"], heard.end["status"], heard.logs, heard.cut) == ("end", "ok", [], 0)
    known = {line["key"]: line["value"] for line in heard.lines if line["type"] == "condition"}
    assert (known["clock.m7_hz"], known["clock.m4_hz"], known["memory.shared"]) == ("60000000", "60000000", "d3")
    assert ready.chip.clocks == (60_000_000, 60_000_000)
    assert ready.chip.take_diagnostics() == []


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=pytest.mark.measures(one.partition(" ")[0])) for one in BENCHMARKS]
)
def test_every_benchmark_ends_with_all_its_checks_right(quick: Amp[Stm32h745], command: str) -> None:
    measures(quick, command)


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_messages_go_both_ways_by_every_transport_in_every_region(
    quick: Amp[Stm32h745], transport: str, region: str
) -> None:
    for sender in (0, 1):
        measures(quick, message(transport, region, sender))


# At other levels of all factors


of_all = pytest.mark.measures(*{one.partition(" ")[0] for one in BENCHMARKS})
OTHER = ROOT / "build" / "test-stm32h745" / "other"
slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two images: INTERCORE_SLOW=1 runs it")


def does_all(images: Sequence[Path], levels: dict[str, str]) -> None:
    """Check that images at these levels measure by every benchmark, and by every transport both ways everywhere."""
    console = at_its_highest_rate(greeted(images, levels["supply"]))
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
    assert len(array) < 24, "and the one at the lowest voltage"
    assert possible - {pair for levels in array for pair in pairs(levels)} == set()
    assert {levels["opt"] for levels in array} == {*STM32H745.factors[0].levels}


@of_all
def test_images_at_the_highest_clocks_do_all(fastest_images: tuple[Path, Path]) -> None:
    does_all(fastest_images, FASTEST)


@of_all
def test_images_without_caches_do_all() -> None:
    does_all(images_at(UNCACHED), UNCACHED)


@slow
@of_all
def test_images_at_the_lowest_voltage_do_all() -> None:
    does_all(built(OTHER, **{**variables(SLOWEST), "IC_VOS": "3"}), SLOWEST)


@slow
@of_all
@pytest.mark.parametrize("levels", NIGHTLY, ids=lambda levels: "-".join(levels.values()))
def test_images_at_other_levels_do_all(levels: dict[str, str]) -> None:
    does_all(built(OTHER, **variables(levels)), levels)


def test_the_same_run_is_the_same_run(ready: Amp[Stm32h745], images: tuple[Path, Path]) -> None:
    ready.ask("run message samples=5")
    first = ready.chip.state_hash(), ready.chip.now
    again = _booted(images)()
    again.ask("run message samples=5")
    assert (again.chip.state_hash(), again.chip.now) == first


# A core that is late or stops


def test_a_core_1_that_is_late_is_waited_for(images: tuple[Path, Path]) -> None:
    console = switched_on(images)
    console.have(f"off:core=1@0..{500 * MS}")
    assert console.run(0.5).lines == []
    heard = console.hear(HELLO)
    assert (heard.lines[0]["type"], heard.logs, heard.cut) == ("hello", [], 0)
    is_well(console)


def test_the_desk_is_told_of_a_core_1_that_never_comes_up(images: tuple[Path, Path]) -> None:
    chip = SimulatedChip(Stm32h745(images), 115200, ["off:core=1@0"])
    session = Connection(chip.port, chip).session()
    with pytest.raises(TargetSilentError, match=r"it last said: core 1 has not come up in time \(.*core 1 off"):
        session.info()


FAULTS = {
    "reset": ("reset:core={core}@+{at}", {0: [], 1: ["core 1 has stopped"]}),
    "stuck": ("stuck:core={core}@+{at}", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
    "off": ("off:core={core}@+{at}..+400000000000", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
}


@pytest.mark.parametrize("core", [0, 1])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_core_that_stops_in_mid_run_is_told_and_the_chip_starts_again(
    ready: Amp[Stm32h745], kind: str, core: int
) -> None:
    fault, logs = FAULTS[kind]
    ready.have(fault.format(core=core, at=MIDST))
    heard = ready.ask(LATENCY)
    assert heard.restarted
    assert (heard.logs, heard.end["type"], heard.end["id"]) == (logs[core], "end", 0)
    is_well(ready)


@pytest.mark.parametrize("core", [0, 1])
def test_a_core_that_is_stuck_for_less_than_is_noticed_makes_messages_late_and_no_more(
    ready: Amp[Stm32h745], core: int
) -> None:
    undisturbed = ready.chip.keep()
    began = ready.chip.now
    ready.ask(LATENCY).checks()
    took = ready.chip.now - began
    undisturbed()
    ready.have(f"stuck:core={core}@+{MIDST}..+{MIDST + 40 * MS}")
    heard = ready.ask(LATENCY)
    heard.checks()
    assert heard.cut == 0
    assert ready.chip.now - began > took + 20 * MS


def test_a_chip_that_is_reset_by_its_pin_starts_again(ready: Amp[Stm32h745]) -> None:
    ready.have(f"reset@+{MIDST}")
    heard = ready.ask(LATENCY)
    assert "hello" in [line["type"] for line in heard.lines]
    assert (heard.end["type"], heard.end["id"], heard.logs) == ("end", 0, [])
    is_well(ready)


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


@pytest.mark.measures("speedup")
def test_a_frame_of_floating_point_that_is_not_aligned_is_told(images: tuple[Path, Path]) -> None:
    console = switched_on(with_unaligned_frames(images))
    assert console.hear(HELLO).end["type"] == "end"
    console.chip.send(b"run speedup cores=2 n=1000 samples=3\n")
    console.run(0.3)  # it may never end
    told = console.chip.take_diagnostics()
    assert any("core 0" in sentence and "a frame that is not aligned to 8 bytes" in sentence for sentence in told), told
