"""What the simulated chip's probes see of each kind of event, and how far the recorder's events are from it.

An event stands in a function of the kernel's, the chip's or the benchmark's, right next to what it tells of. Probes see
when a core is at that place, or when what it changes is written, whatever the recorder says.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.record.trace_recording import Cause, Class, Kind
from intercore.sim.observation import OTHER_IMAGE, first_after
from tests.firmware.rp2040.recorded import FIFO_WRITE, Watch, cycles, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from intercore.record.measurement import Level
    from intercore.record.trace_recording import Event, Recording
    from intercore.sim import Probe, Simulator
    from intercore.sim.simulator import Symbol
    from tests.firmware.rp2040.recorded import Target

    Cycles = npt.NDArray[np.int64]

_HALF = 2
"""Bytes of the shortest instruction (Armv6-M Architecture Reference Manual A5.1); BL has twice as many."""


class Truth(NamedTuple):
    """What an event of a kind is next to."""

    kind: Kind
    within: tuple[str, ...] = ()
    """Functions that it stands in: the instruction behind their call of the recorder."""
    detail: int | None = None
    """Of the events; None for all."""
    called: tuple[str, ...] = ()
    """Functions that begin right behind it, or have begun right before."""
    done: tuple[str, ...] = ()
    """Functions that have ended right before it."""
    written: tuple[str | int, ...] = ()
    """Variables that are written to, or addresses of registers."""
    link: bool = False
    """Of messages, whether those of the link between two kernels are meant."""

    @property
    def name(self) -> str:
        details = Cause if self.kind in (Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT) else Class
        return self.kind.name if self.detail is None else f"{self.kind.name} {details(self.detail).name}"

    def times(self, recording: Recording, core: int) -> Cycles:
        """When the events happened, by the recorder."""
        return np.array([one.time for one in recording.rings[core].events if self._is_of(one)], np.int64)

    def _is_of(self, event: Event) -> bool:
        of_link = event.kind in (Kind.SENT, Kind.RECEIVED) and bool(event.object >> 31)
        return event.kind is self.kind and of_link is self.link and self.detail in (None, event.detail)

    def probes(self, simulator: Simulator) -> list[Probe]:
        """Place the probes, in the images of both cores."""
        places = [_address(one) for one in _symbols(simulator, self.called)]
        places += [place for one in _symbols(simulator, self.done) for place in _ends(simulator, one)]
        places += [place for one in _symbols(simulator, self.within) for place in _recorded(simulator, one)]
        probes = [simulator.watch_execution(place) for place in places]
        registers = [what for what in self.written if isinstance(what, int)]
        variables = _symbols(simulator, [what for what in self.written if isinstance(what, str)])
        probes += [simulator.watch_writes(one, 4) for one in registers]
        return probes + [simulator.watch_writes(one.address, one.size) for one in variables]


def _symbols(simulator: Simulator, names: Iterable[str]) -> list[Symbol]:
    known = simulator.symbols
    return [known[one] for name in names for one in (name, f"{OTHER_IMAGE}{name}") if one in known]


def _address(symbol: Symbol) -> int:
    return symbol.address & ~1


def _halves(simulator: Simulator, symbol: Symbol) -> list[int]:
    code = np.frombuffer(simulator.read(_address(symbol), symbol.size & ~1), "<u2")
    return [int(half) for half in code]


def _ends(simulator: Simulator, symbol: Symbol) -> Iterator[int]:
    """Yield where a function returns: `pop {…, pc}` and `bx lr`."""
    for n, half in enumerate(_halves(simulator, symbol)):
        if half & 0xFF00 == 0xBD00 or half == 0x4770:
            yield _address(symbol) + n * _HALF


def _recorded(simulator: Simulator, symbol: Symbol) -> Iterator[int]:
    """Yield the instructions behind those that call the recorder: BL (A6.7.13), within 16 MB."""
    puts = {_address(one) for one in _symbols(simulator, ["ic_trace_put"])}
    halves = _halves(simulator, symbol)
    for n, (high, low) in enumerate(pairwise(halves)):
        if high >> 11 == 0b11110 and low & 0xD000 == 0xD000:
            sign, j1, j2 = high >> 10 & 1, low >> 13 & 1, low >> 11 & 1
            offset = (1 - sign ^ j1) << 23 | (1 - sign ^ j2) << 22 | (high & 0x3FF) << 12 | (low & 0x7FF) << 1
            behind = _address(symbol) + (n + 2) * _HALF
            if behind + offset - (sign << 24) in puts:
                yield behind


def distance(events: Cycles, true: Cycles) -> Cycles:
    """Return how far each event is from the nearest true moment, before or behind it."""
    if len(true) == 0:
        return np.full(len(events), np.iinfo(np.int64).max)
    found = np.searchsorted(true, events)
    behind = true[np.minimum(found, len(true) - 1)] - events
    before = events - true[np.maximum(found - 1, 0)]
    nearest: Cycles = np.minimum(np.abs(behind), np.abs(before))
    return nearest


class Followed(NamedTuple):
    """What some recorded measurements came to."""

    too_far: dict[str, int]
    """Kinds of which an event was further from what the probes saw than an event costs, and how far, in cycles."""
    met: set[tuple[Kind, int]]
    """Kinds that there were, with what was given, taken or awaited."""


def followed(target: Target, truths: Sequence[Truth], runs: Sequence[tuple[str, Mapping[str, Level]]]) -> Followed:
    """Record measurements, and compare each event with what the probes see."""
    met: set[tuple[Kind, int]] = set()
    too_far: dict[str, int] = {}
    with target.session() as session:
        session.measure("switch", {"samples": 1})
        sim = target.simulator
        called = Watch(sim, "ic_trace_clock")
        readings = [sim.watch_execution(name) for name in sim.symbols if name.endswith("port_clock_reads")]
        probes = {truth: truth.probes(sim) for truth in truths}
        for benchmark, factors in runs:
            _, recording = session.record(benchmark, factors)
            met |= _kinds(recording)
            cost = max(max(ring.costs) for ring in recording.rings)
            # The clock counts cycles: what it is apart from the simulator's own count is one number for all.
            last = first_after(cycles(readings, 0), called.on(0)[-1:])[0]
            offset = times(recording, 0, Kind.READ)[-1] - last
            for truth, core in product(truths, (0, 1)):
                events = truth.times(recording, core) - offset
                far = int(distance(events, cycles(probes[truth], core)).max(initial=0))
                if far > cost:
                    too_far[f"{truth.name} on core {core} in {benchmark}"] = far
    return Followed(too_far, met)


def _kinds(recording: Recording) -> set[tuple[Kind, int]]:
    objects = (Kind.GIVEN, Kind.TAKEN, Kind.AWAITED)
    return {
        (event.kind, event.detail if event.kind in objects else 0) for ring in recording.rings for event in ring.events
    }


def _with(kind: Kind, by_detail: Mapping[int, tuple[str, ...]]) -> tuple[Truth, ...]:
    return tuple(Truth(kind, functions, detail) for detail, functions in by_detail.items())


TAKES = ("xQueueSemaphoreTake",)
SENDS = ("xQueueGenericSend", "xQueueGiveFromISR", "xQueueGenericSendFromISR")
WAITS = ("ulTaskGenericNotifyTake", "xTaskGenericNotifyWait")
BENCHMARKS = (
    Truth(Kind.READ, called=("port_clock_reads",)),
    Truth(Kind.COUNTED, called=("port_cycles_reads",)),
    Truth(Kind.REPETITION, done=("ic_run_repeat",)),
    Truth(Kind.SAMPLE, called=("ic_run_sample",), done=("ic_samples_series",)),
    Truth(Kind.SENT, called=("ic_spsc_await_room", "ic_spsc_reserve")),
    Truth(Kind.RECEIVED, done=("ic_spsc_await_message", "ic_spsc_release")),
    Truth(Kind.AWAITED, detail=Class.SPINLOCK, called=("port_spinlock_lock",)),
    Truth(Kind.TAKEN, detail=Class.SPINLOCK, done=("port_spinlock_lock",)),
    Truth(Kind.GIVEN, detail=Class.SPINLOCK, done=("port_spinlock_unlock",)),
)
KERNEL = (
    Truth(Kind.CREATED, ("prvAddNewTaskToReadyList",)),
    Truth(Kind.DELETED, written=("uxTaskNumber",)),
    Truth(Kind.IN, ("vTaskSwitchContext", "vTaskSwitchContext.part.0"), written=("pxCurrentTCBs", "pxCurrentTCB")),
    Truth(Kind.OUT, ("vTaskSwitchContext", "vTaskSwitchContext.part.0")),
    Truth(Kind.READY, written=("pxReadyTasksLists",)),
    Truth(Kind.DELAYED, called=("prvAddCurrentTaskToDelayedList",)),
    Truth(Kind.SUSPENDED, called=("uxListRemove",)),
    Truth(Kind.RESUMED, called=("uxListRemove",)),
    Truth(Kind.INHERITED, ("xTaskPriorityInherit",)),
    Truth(Kind.TICK, ("xTaskIncrementTick",), written=("xTickCount",)),
    *_with(
        Kind.GIVEN,
        {
            Class.NOTIFICATION: ("xTaskGenericNotify", "vTaskGenericNotifyGiveFromISR", "xTaskGenericNotifyFromISR"),
            Class.SEMAPHORE: SENDS,
            Class.MUTEX: SENDS,
            Class.QUEUE: SENDS,
            Class.STREAM: ("xStreamBufferSend",),
            Class.EVENTS: ("xEventGroupSetBits",),
        },
    ),
    *_with(
        Kind.TAKEN,
        {
            Class.NOTIFICATION: WAITS,
            Class.SEMAPHORE: TAKES,
            Class.MUTEX: TAKES,
            Class.QUEUE: ("xQueueReceive",),
            Class.STREAM: ("xStreamBufferReceive",),
            Class.EVENTS: ("xEventGroupWaitBits",),
        },
    ),
    # Behind it an interrupt may come: the scheduler is suspended, and no interrupt masked.
    Truth(Kind.AWAITED, WAITS, Class.NOTIFICATION, written=("uxSchedulerSuspended",)),
    *_with(
        Kind.AWAITED,
        {
            Class.SEMAPHORE: TAKES,
            Class.MUTEX: TAKES,
            Class.QUEUE: ("xQueueReceive", "xQueueGenericSend"),
            Class.STREAM: ("xStreamBufferReceive", "xStreamBufferSend"),
            Class.EVENTS: ("xEventGroupWaitBits",),
        },
    ),
)
CHIP = (
    Truth(Kind.RUNG, written=(FIFO_WRITE,)),
    *_with(Kind.INTERRUPT_IN, {Cause.TICK: ("recorded",), Cause.CORE: ("recorded",)}),
    *_with(Kind.INTERRUPT_OUT, {Cause.TICK: ("recorded",), Cause.CORE: ("recorded",)}),
)
TRUTHS = (*BENCHMARKS, *KERNEL, *CHIP)
LINK = (
    Truth(Kind.SENT, ("port_amp_send", "try_to_send"), link=True),
    Truth(Kind.RECEIVED, ("port_amp_rung", "take_orders", "vApplicationTickHook"), link=True),
)
"""Of the link between two kernels, whose messages are events of the same kinds."""
