"""What is measured of each benchmark when the user names no levels: for the benchmark alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SIZED_CALLS = ["send", "receive", "stream-send", "stream-receive", "allocate", "free"]
_CALLS = [
    *("create", "delete", "give", "take", "lock", "unlock", "notify", "notify-take", "set", "wait", "critical"),
    *_SIZED_CALLS,
    "nothing",
]
_COMPONENTS = [
    *("task-switching", "preemption", "interrupt-latency"),
    *("semaphore-shuffling", "deadlock-breaking", "message-latency"),
]
_TESTS = [
    *("basic", "cooperative", "preemptive", "interrupt", "interrupt-preemption"),
    *("message", "synchronisation", "memory"),
]

_PRIMITIVES = [
    *("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer"),
]

_MEASURES = ["hand-over", "contention", "ping-pong"]
_LOCKS = ["mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap"]
_ATOMICS = ["atomic-add", "atomic-swap"]
_ACCESSES = ["read", "write", "copy"]
_REGIONS = ["sram-striped", "sram4", "sram5", "sram1", "sram2", "rtc-slow", "psram", "ram", "l1", "llc"]
_TRANSPORTS = [
    *("queue", "stream-buffer", "message-buffer", "notification", "ring", "ring-zero-copy"),
    *(
        "ringbuf",
        "ringbuf-zero-copy",
        "rpmsg",
        "rpmsg-zero-copy",
        "fifo",
        "dma",
        "pipe",
        "unix-socket",
        "posix-mq",
        "ring-futex",
    ),
]

_INTERRUPT = {"from": ["0", "1"], "interrupted": ["idle", "kernel"], "samples": ["50"], "dither_us": ["300"]}
_TO_A_CORE = ["handler-task", "timer-task", "doorbell", "doorbell-round-trip"]

DEFAULT_LEVELS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # The sizes of Table 1 of seed 000, and every way of starting the parts; about half a minute on a desk computer.
    "speedup": {
        "workload": ["fp"],
        "n": ["1000", "10000", "100000", "1000000", "10000000"],
        "mode": ["create", "pool", "spin"],
        "join": ["notify"],
    },
    # Each of the first two cores to itself and to the other; a few seconds.
    "clock": {"from": ["0", "1"], "to": ["0", "1"], "time": ["common"]},
    # The table of seed 001, and its last row with a main loop that waits. The windows hold several turns of Linux's
    # SCHED_RR, and the rests leave others the time that it keeps from real-time tasks; some seconds.
    "contention": {
        "preset": ["none", "qiita-table"],
        "task0": ["off"],
        "main": ["block"],
        "yield": ["none"],
        "discs": ["14"],
        "window_ms": ["400"],
        "rest_ms": ["30"],
    },
    # Every path between the first two cores, whatever these do; less than a minute.
    "irq": {
        "path": ["timer-handler", *_TO_A_CORE],
        "from": ["0", "1"],
        "to": ["0", "1"],
        "interrupted": ["idle", "busy", "kernel"],
    },
    # Every primitive that works between cores, between the first two: a few seconds.
    "switch": {"primitive": _PRIMITIVES, "from": ["0", "1"], "to": ["0", "1"], "target": ["idle"], "time": ["common"]},
    # At rest and with both cores busy, left alone and moved: the period of seed 002's paper; some 20 s.
    "jitter": {"core": ["0"], "load": ["none", "both"], "migrate": ["none", "affinity", "blockers", "unsynchronised"]},
    # Every call, alone, beside a core that computes and beside one that calls the same.
    "api": {"call": _CALLS, "other": ["none", "spin", "same"]},
    "rhealstone": {"component": _COMPONENTS, "form": ["same", "cross"]},
    "threadmetric": {"test": _TESTS, "form": ["same", "cross"]},
    # Every lock between the first two cores.
    "lock": {"measure": _MEASURES, "lock": _LOCKS, "from": ["0"], "to": ["1"]},
    # Everything beside everything, on the first core; of the regions, those that the target has.
    "memory": {
        "access": _ACCESSES,
        "region": _REGIONS,
        "core": ["0"],
        "other": _ACCESSES,
        "other_region": _REGIONS,
    },
    # Every transport that the target has, between its first two cores in all directions, by size: some 15 s on a desk
    # computer, three minutes on the simulated chip.
    "message": {
        "transport": _TRANSPORTS,
        "measure": ["latency", "throughput"],
        "size": ["4", "16", "64", "256", "1024", "2048", "4096"],
        "from": ["0", "1"],
        "to": ["0", "1"],
        "samples": ["16"],
        "dither_us": ["300"],
    },
}
"""Levels that a benchmark gets for factors the user does not name; all others have the target's own default."""


def _contention(discs: str, window_ms: str, rest_ms: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `contention`: seed 001's table; its last row with loops that wait; tasks without a core."""
    same = {"yield": ["none"], "discs": [discs], "window_ms": [window_ms], "rest_ms": [rest_ms]}
    off = {"task0": ["off"], "task1": ["off"], "main": ["off"]}
    return (
        {"preset": ["qiita-table"], "free": ["0"], **off, **same},
        {"preset": ["none"], "free": ["0"], **off, "task1": ["work"], "main": ["block", "delay"], **same},
        {"preset": ["none"], "free": ["3"], **off, **same},
    )


def _jitter(long_samples: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `jitter`: `long_samples` releases for each setting of the long period."""
    core, short = {"core": ["0"]}, {"period_us": ["1000"], "samples": ["1200"]}
    return (
        {**core, "load": ["none"], "migrate": ["none", "affinity", "blockers"], **short},
        {**core, "load": ["both"], "migrate": ["none"], **short},
        {
            **core,
            "load": ["none"],
            "migrate": ["none", "affinity", "unsynchronised"],
            "period_us": ["10000"],
            "samples": [long_samples],
        },
    )


def _clock(samples: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `clock`: intervals between the first two cores, and their counters."""
    return (
        {"from": ["0", "1"], "to": ["0", "1"], "time": ["common"], "samples": [samples]},
        {"from": ["0"], "to": ["1"], "time": ["counter"], "samples": [samples]},
    )


def _switch(samples: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `switch`: every primitive; a busy target; yields; and one primitive by all clocks."""
    cores, short = {"from": ["0", "1"], "to": ["0", "1"]}, {"samples": [samples], "dither_us": ["300"]}
    across = ({"from": ["0"], "to": ["1"]}, {"from": ["1"], "to": ["0"]})
    on_one = ({"from": ["0"], "to": ["0"]}, {"from": ["1"], "to": ["1"]})
    idle, semaphore = {"target": ["idle"]}, {"primitive": ["binary-semaphore"]}
    return (
        {"primitive": _PRIMITIVES, **cores, **idle, "time": ["common"], **short},
        *({**semaphore, **pair, "target": ["busy"], "time": ["common"], **short} for pair in across),
        *({"primitive": ["yield"], **pair, **idle, "time": ["common"], **short} for pair in on_one),
        *({**semaphore, **pair, **idle, "time": ["aligned", "raw-counter"], **short} for pair in across),
    )


def _locks(hand_overs: str, bouts: str, batches: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `lock`: each measure with the locks that have it, and so many samples."""
    same = {"from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["hand-over"], "lock": _LOCKS, "samples": [hand_overs], **same},
        {"measure": ["contention"], "lock": _LOCKS, "samples": [bouts], **same},
        {"measure": ["ping-pong"], "lock": _ATOMICS, "samples": [batches], **same},
    )


def _memory(size: str, samples: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grid of `memory`: everything beside a core that reads and one that copies."""
    grid = {**DEFAULT_LEVELS["memory"], "core": ["0", "1"], "other": ["read", "copy"]}
    return ({**grid, "bytes": [size], "samples": [samples], "dither_us": ["100"]},)


def _messages(latency: str, throughput: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `message`: so many messages of three sizes and streams of one, from the first core."""
    same = {"transport": _TRANSPORTS, "from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["latency"], "size": ["16", "256", "4096"], "samples": [latency], **same},
        {"measure": ["throughput"], "size": ["1024"], "samples": [throughput], **same},
    )


def _messages_both_ways(latency: str, throughput: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return grids of `message` that have models: so many messages and streams of four sizes, from either core."""
    same = {"transport": _TRANSPORTS, "size": ["16", "256", "1024", "4096"], "dither_us": ["300"]}
    return tuple(
        {**same, "measure": [measure], "from": [first], "to": [second], "samples": [samples]}
        for measure, samples in (("latency", latency), ("throughput", throughput))
        for first, second in (("0", "1"), ("1", "0"))
    )


SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "speedup": ({"workload": ["fp"], "n": ["1000", "10000", "100000", "1000000"], "mode": ["create", "pool", "spin"]},),
    "clock": _clock("200"),
    "switch": _switch("150"),
    "contention": _contention(discs="14", window_ms="400", rest_ms="30"),
    "irq": (
        {"path": ["timer-handler"], "to": ["0"], **_INTERRUPT},
        {"path": _TO_A_CORE, "to": ["0", "1"], **_INTERRUPT},
    ),
    "api": (
        {"call": _CALLS, "size": ["64"], "other": ["none", "same"], "samples": ["200"], "dither_us": ["300"]},
        {
            "call": _SIZED_CALLS,
            "size": ["16", "256", "1024"],
            "other": ["none"],
            "samples": ["100"],
            "dither_us": ["300"],
        },
    ),
    "rhealstone": ({"component": _COMPONENTS, "form": ["same", "cross"], "samples": ["200"], "dither_us": ["300"]},),
    "threadmetric": ({"test": _TESTS, "form": ["same", "cross"], "window_ms": ["50"], "samples": ["3"]},),
    # Enough releases for a tail at 1 ms; the 10 ms of seed 002's paper.
    "jitter": _jitter(long_samples="60"),
    "lock": _locks("200", "200", "200"),
    "memory": _memory("65536", "40"),
    "message": _messages("150", "20"),
}
"""What the suite measures of each benchmark: one or more grids, which name the same factors. It takes a minute."""

SIMULATED_SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "speedup": (
        {
            "workload": ["fp"],
            "n": ["100", "300", "1000", "3000"],
            "mode": ["create", "pool", "spin"],
            "samples": ["10"],
        },
    ),
    "clock": _clock("100"),
    "switch": _switch("40"),
    "contention": _contention(discs="12", window_ms="160", rest_ms="0"),
    "irq": (
        {"path": ["timer-handler"], "to": ["0"], **_INTERRUPT},
        {"path": _TO_A_CORE, "to": ["0", "1"], **_INTERRUPT},
    ),
    "api": (
        {"call": _CALLS, "size": ["64"], "other": ["none", "same"], "samples": ["50"], "dither_us": ["300"]},
        {"call": _SIZED_CALLS, "size": ["16", "1024"], "other": ["none"], "samples": ["10"], "dither_us": ["300"]},
    ),
    "rhealstone": ({"component": _COMPONENTS, "form": ["same", "cross"], "samples": ["30"], "dither_us": ["300"]},),
    "threadmetric": ({"test": _TESTS, "form": ["same", "cross"], "window_ms": ["10"], "samples": ["2"]},),
    # Enough releases for a tail at 1 ms; the 10 ms of seed 002's paper.
    "jitter": _jitter(long_samples="30"),
    "lock": _locks("50", "10", "50"),
    "memory": _memory("8192", "8"),
    "message": _messages("20", "3"),
}
"""The same where each second of a busy chip takes two, so that it takes two minutes."""

EMULATED_SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    **SIMULATED_SUITE_LEVELS,
    "contention": _contention(discs="18", window_ms="400", rest_ms="30"),
}
"""The same on an emulated chip, which is slow at waking a task and as fast as this machine at moving discs."""

AMP_SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    **SUITE_LEVELS,
    "message": _messages_both_ways("150", "20"),
}
"""What the suite measures where a kernel on each core leaves fewer benchmarks, of which messages matter most."""

SIMULATED_AMP_SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    **SIMULATED_SUITE_LEVELS,
    "message": _messages_both_ways("20", "3"),
}
