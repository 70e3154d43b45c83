"""The ESP32's common clock, against a model of two cores whose counters of 32 bits wrap and began at other moments."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

BOARD = Path(__file__).parents[3] / "firmware" / "board" / "esp32"
WRAP = 1 << 32
CORES = (0, 1)
U32 = st.integers(0, WRAP - 1)
COUNT = st.integers(0, 1 << 62)
OFFSET = st.integers(-(1 << 61), 1 << 61)


class Ahead(ctypes.Structure):
    """`struct count_ahead`."""

    _fields_ = (("least", ctypes.c_int64), ("most", ctypes.c_int64))


class Scale(ctypes.Structure):
    """`struct count_scale`."""

    _fields_ = (("cycles", ctypes.c_uint64), ("counts", ctypes.c_uint64))


@pytest.fixture(scope="module")
def logic(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the board's arithmetic as a library for this machine; undefined behaviour ends the tests."""
    library = tmp_path_factory.mktemp("esp32") / "count.so"
    warnings = [
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-Wstrict-prototypes",
        "-Wmissing-prototypes",
        "-Wundef",
    ]
    traps = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    source = Path(__file__).parent / "count.c"
    subprocess.run(
        [
            "cc",
            "-std=c11",
            "-O1",
            "-fPIC",
            "-shared",
            "-Werror",
            *warnings,
            *traps,
            f"-I{BOARD / 'clock'}",
            source,
            "-o",
            library,
        ],
        check=True,
    )
    loaded = ctypes.CDLL(str(library))
    loaded.since.restype = loaded.within.restype = ctypes.c_uint64
    loaded.since.argtypes = [ctypes.c_uint64, ctypes.c_uint32]
    loaded.middle.restype = ctypes.c_int64
    loaded.exchanged.argtypes = [ctypes.POINTER(Ahead), *[ctypes.c_uint64] * 3]
    loaded.narrow.argtypes = [ctypes.POINTER(Ahead), ctypes.c_int64, ctypes.c_int64]
    loaded.unwrap.restype = ctypes.c_uint32
    loaded.is_known.restype = ctypes.c_bool
    loaded.ppm.argtypes = [ctypes.c_uint64] * 3
    loaded.ppm.restype = ctypes.c_int32
    loaded.scale_of.argtypes = [ctypes.POINTER(Scale), *[ctypes.c_uint64] * 2]
    loaded.cycles.restype = loaded.counts.restype = ctypes.c_uint64
    loaded.cycles.argtypes = loaded.counts.argtypes = [ctypes.POINTER(Scale), ctypes.c_uint64]
    loaded.read_between.argtypes = [ctypes.POINTER(Ahead), ctypes.POINTER(Scale), *[ctypes.c_uint64] * 3]
    return loaded


# ---- 32 bits become 64 ----


@given(noted=COUNT, since=U32)
def test_a_count_is_the_note_and_what_was_counted_since(logic: ctypes.CDLL, noted: int, since: int) -> None:
    assert logic.since(noted, (noted + since) % WRAP) == noted + since


@pytest.mark.parametrize("noted", [0, 1, WRAP - 1, WRAP, 5 * WRAP - 1, 5 * WRAP])
@pytest.mark.parametrize("since", [0, 1, WRAP // 2, WRAP - 1])
def test_no_wrap_is_missed_at_its_edges(logic: ctypes.CDLL, noted: int, since: int) -> None:
    assert logic.since(noted, (noted + since) % WRAP) == noted + since


@dataclass
class Chip:
    """Two cores as esp32_clock.c sees them. What has happened: `now`, in cycles since core 0 began.

    A task takes the steps of a reading one by one. Its core's tick comes between any two of them unless interrupts are
    masked, and a task that is not pinned goes on, on the other core, likewise.
    """

    logic: ctypes.CDLL
    begun: dict[int, int]
    """When each core's counter was 0."""
    noted: dict[int, int] = field(default_factory=dict)
    now: int = 0

    def counter(self, core: int) -> int:
        return (self.now - self.begun[core]) % WRAP

    def tick(self, core: int) -> None:
        """note_count(): masked, so in one piece."""
        self.noted[core] = self.logic.since(self.noted[core], self.counter(core))

    def let_pass(self, cycles: int) -> None:
        """Pass time as the ticks cut it: never a whole wrap without one."""
        while cycles > 0:
            step = min(cycles, WRAP // 2)
            self.now += step
            cycles -= step
            for core in CORES:
                self.tick(core)

    def read(self, core: int, between: list[int], *, masked: bool) -> tuple[int, int]:
        """Return what a reading that begins on a core gives, and which core's counter it was, as a core's own count.

        `between`: what comes after the core's number was read, and after its counter was. 0: nothing, 1: the tick,
        2: the task goes on on the other core.
        """
        place, values = core, dict[str, int]()
        for step, what in enumerate(("core", "counter", "note")):
            if what == "core":
                values[what] = place
            elif what == "counter":
                values[what] = self.counter(place)
            else:
                values[what] = self.noted[values["core"]]
            event = between[step] if step < len(between) and not masked else 0
            if event == 1:
                self.now += 100
                self.tick(place)
            elif event == 2:
                self.now += 100
                place = 1 - place
        return self.logic.since(values["note"], values["counter"]), values["core"]


@st.composite
def chips(draw: st.DrawFn) -> tuple[dict[int, int], list[tuple[int, int, list[int]]]]:
    """When the counters began, and readings: cycles before, the core, what comes between."""
    begun = {0: 0, 1: draw(st.integers(0, 3 * WRAP))}
    steps = st.tuples(
        st.one_of(st.integers(0, 1000), st.integers(WRAP - 5, WRAP + 5), st.integers(0, 3 * WRAP)),
        st.sampled_from(CORES),
        st.lists(st.integers(0, 2), min_size=2, max_size=2),
    )
    return begun, draw(st.lists(steps, min_size=1, max_size=12))


@given(known=chips())
def test_a_masked_reading_is_the_true_count_whatever_comes_between(
    logic: ctypes.CDLL, known: tuple[dict[int, int], list[tuple[int, int, list[int]]]]
) -> None:
    begun, steps = known
    chip = Chip(logic, begun, now=begun[1])
    chip.noted = {core: chip.counter(core) for core in CORES}  # what was counted before the clock's start is not known
    zero = {core: chip.now - chip.noted[core] for core in CORES}
    last = dict.fromkeys(CORES, 0)
    for before, core, between in steps:
        chip.let_pass(before)
        count, of = chip.read(core, between, masked=True)
        assert (of, count) == (core, chip.now - zero[core])
        assert count >= last[core], "it never steps back"
        last[core] = count


def test_without_the_mask_the_model_shows_what_goes_wrong(logic: ctypes.CDLL) -> None:
    """Else the test above could not fail: a task that moves reads one core's counter by the other one's note."""
    chip = Chip(logic, {0: 0, 1: 45_000_000}, now=50_000_000)
    chip.noted = {core: chip.counter(core) for core in CORES}
    count, core = chip.read(0, [2, 0], masked=False)
    assert core == 0
    assert abs(count - chip.now) > 1_000_000, "core 1's counter counts far less, and so it seems to have wrapped"


# ---- how far apart two counts are ----


def heard(logic: ctypes.CDLL, offset: int, begun: int, ways: list[tuple[int, int]], drift: int = 0) -> Ahead:
    """What exchanges tell whose ways there and back took so many cycles; the other count drifts by so much in each."""
    known = Ahead()
    logic.unknown(ctypes.byref(known))
    now = begun
    for index, (there, back) in enumerate(ways):
        answer = now + there + offset + index * drift
        logic.exchanged(ctypes.byref(known), now % (1 << 64), answer % (1 << 64), (now + there + back) % (1 << 64))
        now += there + back + 100
    return known


WAYS = st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 100_000)), min_size=1, max_size=20)


@given(offset=OFFSET, begun=COUNT, ways=WAYS)
def test_the_true_offset_is_within_what_exchanges_leave_open(
    logic: ctypes.CDLL, offset: int, begun: int, ways: list[tuple[int, int]]
) -> None:
    known = heard(logic, offset, begun, ways)
    assert logic.is_known(ctypes.byref(known))
    assert known.most - known.least == min(there for there, _ in ways) + min(back for _, back in ways), "the tightest"
    assert abs(logic.middle(ctypes.byref(known)) - offset) <= logic.within(ctypes.byref(known))
    assert logic.within(ctypes.byref(known)) <= (known.most - known.least + 1) // 2


@given(offset=OFFSET, begun=COUNT, ways=WAYS, more=WAYS)
def test_more_exchanges_never_make_it_worse(
    logic: ctypes.CDLL, offset: int, begun: int, ways: list[tuple[int, int]], more: list[tuple[int, int]]
) -> None:
    few, many = heard(logic, offset, begun, ways), heard(logic, offset, begun, ways + more)
    assert few.least <= many.least <= offset <= many.most <= few.most


def test_ways_that_differ_do_not_deceive(logic: ctypes.CDLL) -> None:
    known = heard(logic, 45_600_000, 1, [(8, 40), (30, 12)])
    assert (known.least, known.most) == (45_600_000 - 12, 45_600_000 + 8)
    assert (logic.middle(ctypes.byref(known)), logic.within(ctypes.byref(known))) == (45_600_000 - 2, 10)


def test_counts_that_do_not_run_from_one_clock_are_found_out(logic: ctypes.CDLL) -> None:
    assert logic.is_known(ctypes.byref(heard(logic, 0, 0, [(10, 10)] * 20)))
    assert not logic.is_known(ctypes.byref(heard(logic, 0, 0, [(10, 10)] * 22, drift=1)))
    nothing = heard(logic, 0, 0, [])
    assert not logic.is_known(ctypes.byref(nothing))


@given(bounds=st.lists(st.tuples(OFFSET, OFFSET), min_size=1, max_size=8))
def test_what_is_known_is_what_all_bounds_allow(logic: ctypes.CDLL, bounds: list[tuple[int, int]]) -> None:
    known = Ahead()
    logic.unknown(ctypes.byref(known))
    for least, most in bounds:
        logic.narrow(ctypes.byref(known), least, most)
    least, most = max(least for least, _ in bounds), min(most for _, most in bounds)
    assert (known.least, known.most) == (least, most)
    assert logic.is_known(ctypes.byref(known)) is (least <= most)


@given(now=st.integers(0, 3 * WRAP), late=st.integers(1 - WRAP // 4, WRAP // 4), ways=WAYS.map(lambda ways: ways[:3]))
def test_counter_wrapped_before_the_clock_adds_no_offset(
    logic: ctypes.CDLL, now: int, late: int, ways: list[tuple[int, int]]
) -> None:
    """Core 1's counter began `late` cycles behind core 0's; the counts begin with what the counters hold."""
    counters = [now % WRAP, (now - late) % WRAP]
    known = heard(logic, counters[1] - counters[0], counters[0] + WRAP, ways)
    lacking = logic.unwrap(ctypes.byref(known))
    assert abs(logic.middle(ctypes.byref(known)) + late) <= logic.within(ctypes.byref(known))
    if lacking < 2:
        counters[lacking] += WRAP
    assert counters[1] - counters[0] == -late, "the counts themselves are as far apart"


# ---- against another clock ----


@given(
    hz=st.sampled_from((80_000_000, 160_000_000, 240_000_000)),
    us=st.integers(1000, 1_000_000),
    off=st.integers(-999, 999),
)
def test_a_clock_that_is_off_by_so_many_ppm_is_found_to_be(logic: ctypes.CDLL, hz: int, us: int, off: int) -> None:
    expected = us * hz // 1_000_000
    found = logic.ppm(expected + expected * off // 1_000_000, us, hz)
    assert abs(found - off) <= 1 + 1_000_000 // expected
    assert logic.ppm(expected, us, hz) == 0


def test_a_clock_at_another_rate_than_it_says_is_far_off(logic: ctypes.CDLL) -> None:
    assert logic.ppm(20_000 * 160, 20_000, 240_000_000) == -333_333


# ---- a slower counter beside the clock ----

# The cores' clocks of these chips, and what counts beside them: SYSTIMER, and a GPTimer at half of a crystal of 40 MHz.
CLOCK_HZ = st.sampled_from([80_000_000, 160_000_000, 240_000_000, 360_000_000, 400_000_000])
COUNTER_HZ = st.sampled_from([16_000_000, 20_000_000])
AN_HOUR = 3600


def scale_of(logic: ctypes.CDLL, clock_hz: int, counter_hz: int) -> Scale:
    scale = Scale()
    logic.scale_of(ctypes.byref(scale), clock_hz, counter_hz)
    return scale


@given(clock_hz=st.integers(1, 10**9), counter_hz=st.integers(1, 10**9))
def test_a_scale_is_the_two_rates_in_lowest_terms(logic: ctypes.CDLL, clock_hz: int, counter_hz: int) -> None:
    scale = scale_of(logic, clock_hz, counter_hz)
    assert Fraction(clock_hz, counter_hz) == Fraction(scale.cycles, scale.counts)
    assert (scale.cycles, scale.counts) == Fraction(clock_hz, counter_hz).as_integer_ratio()


@given(clock_hz=CLOCK_HZ, counter_hz=COUNTER_HZ, seconds=st.floats(0, AN_HOUR), odd=st.integers(0, 100))
def test_an_alarm_is_the_first_count_that_is_not_too_early(
    logic: ctypes.CDLL, clock_hz: int, counter_hz: int, seconds: float, odd: int
) -> None:
    scale = scale_of(logic, clock_hz, counter_hz)
    cycles = int(seconds * clock_hz) + odd
    counts = logic.counts(ctypes.byref(scale), cycles)
    assert counts * Fraction(clock_hz, counter_hz) >= cycles
    assert (counts - 1) * Fraction(clock_hz, counter_hz) < cycles
    assert logic.cycles(ctypes.byref(scale), counts) == counts * clock_hz // counter_hz


@given(
    clock_hz=CLOCK_HZ,
    counter_hz=COUNTER_HZ,
    phase=st.integers(0, 24),
    began=st.integers(1 << 20, 1 << 40),
    readings=st.lists(
        st.tuples(st.integers(0, 100_000), st.integers(1, 500), st.integers(1, 500)), min_size=1, max_size=40
    ),
)
def test_readings_between_two_of_the_clock_hold_the_truth_and_narrow_it(
    logic: ctypes.CDLL, clock_hz: int, counter_hz: int, phase: int, began: int, readings: list[tuple[int, int, int]]
) -> None:
    ratio = Fraction(clock_hz, counter_hz)
    scale = scale_of(logic, clock_hz, counter_hz)
    known = Ahead()
    logic.unknown(ctypes.byref(known))
    clock = began + phase
    for pause, way_there, way_back in readings:
        before = clock + pause
        counted = int((before + way_there - began) / ratio)
        clock = before + way_there + way_back
        logic.read_between(ctypes.byref(known), ctypes.byref(scale), before, counted, clock)
        assert known.least <= began <= known.most
        assert known.most - known.least <= way_there + way_back + ratio + 2


@given(clock_hz=CLOCK_HZ, ppm=st.sampled_from([-100, 100]))
def test_a_counter_of_another_crystal_contradicts_itself(logic: ctypes.CDLL, clock_hz: int, ppm: int) -> None:
    scale = scale_of(logic, clock_hz, 16_000_000)
    ratio = Fraction(clock_hz, 16_000_000 + 16 * ppm)
    known = Ahead()
    logic.unknown(ctypes.byref(known))
    for after_us in (0, 2_000_000):
        at = 1_000_000 + after_us * clock_hz // 1_000_000
        counted = int((at - 1_000_000) / ratio)
        logic.read_between(ctypes.byref(known), ctypes.byref(scale), at - 40, counted, at + 40)
    assert not logic.is_known(ctypes.byref(known))
