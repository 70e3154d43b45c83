"""The benchmark `message`: what it costs to move a message between cores, by every transport and size.

Timed from the begin of the send to the end of the receive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import (
    All,
    Analysis,
    Benchmark,
    DefaultLevels,
    EnergyWindows,
    Option,
    Predictor,
    Quantity,
    Result,
    Role,
    SeriesMeaning,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels, Predict
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement, Series
    from intercore.record.origin import Origin
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness

# What is measured

_TRANSPORTS = All(besides="rpmsg-char:")
"""Of a device of Linux, `rpmsg-char:/dev/…`, there is a round trip to another chip's core and no way between the two
cores of this one: it is measured where it is named."""

_ALONE: Levels = {
    "transport": _TRANSPORTS,
    "measure": ["latency", "throughput"],
    "size": ["4", "16", "64", "256", "1024", "2048", "4096"],
    "from": ["0", "1"],
    "to": ["0", "1"],
    "samples": ["16"],
    "dither_us": ["300"],
}
"""Every transport between the first two cores in all directions, by size: some 15 s on a PC, three minutes on the
simulated chip. `measure=overhead` measures the processor time of a message on each core."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:
    """Return grids of messages and of streams, from the first core; of AMP, where they matter most, both ways.

    And what a message takes from either core, of one size.
    """
    samples = ("150", "20") if origin == "measured" else ("20", "3")
    taken: Levels = {
        "measure": ["overhead"],
        "transport": _TRANSPORTS,
        "size": ["64"],
        "from": ["0"],
        "to": ["1"],
        "samples": ["8" if origin == "measured" else "2"],
        "dither_us": ["300"],
    }
    return *(_both_ways(*samples) if amp else _from_the_first(*samples)), taken


def _from_the_first(latency: str, throughput: str) -> Sequence[Levels]:
    """Return grids of so many messages of three sizes, and streams of two: one of a single size has no model."""
    same: Levels = {"transport": _TRANSPORTS, "from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["latency"], "size": ["16", "256", "4096"], "samples": [latency], **same},
        {"measure": ["throughput"], "size": ["64", "1024"], "samples": [throughput], **same},
    )


def _both_ways(latency: str, throughput: str) -> Sequence[Levels]:
    """Return grids that have models: so many messages and streams of four sizes, from either core."""
    same: Levels = {"transport": _TRANSPORTS, "size": ["16", "256", "1024", "4096"], "dither_us": ["300"]}
    return tuple(
        {**same, "measure": [measure], "from": [first], "to": [second], "samples": [samples]}
        for measure, samples in (("latency", latency), ("throughput", throughput))
        for first, second in (("0", "1"), ("1", "0"))
    )


# What comes back

_STREAM = "window"
TURNS = "turns_"
"""What the name of the series of turns with messages begins with, before the end's."""
TRUE = "true_taken_"
"""The same of the cycles that all messages of a window took, as the simulator saw them."""

_ROLES = {
    "latency": Role.RESULT,
    "round_trip": Role.RESULT,
    "send": Role.RESULT,
    _STREAM: Role.RESULT,
    f"{TURNS}*": Role.RESULT,  # what a message takes: see `_quantity`
    "idle_turns_*": Role.AUXILIARY,
    "block_*": Role.AUXILIARY,
    "length": Role.AUXILIARY,
    f"{TRUE}*": Role.AUXILIARY,
}

_LATENCY, _OVERHEAD = {"measure": ("latency",)}, {"measure": ("overhead",)}
_RESULTS = {
    "latency": Result("us", only=_LATENCY),
    "round_trip": Result("us", only=_LATENCY),
    "send": Result("us", "sending call", only=_LATENCY),
    "throughput": Result("bytes_per_s", only={"measure": ("throughput",)}),
    "taken_from": Result("us", "sender's work", only=_OVERHEAD),
    "taken_to": Result("us", "receiver's work", only=_OVERHEAD),
}


def _quantity(one: Measurement, series: Series) -> Quantity | None:
    """Return the throughput of streams, which `window` times as a whole; and what a message takes from a core."""
    from intercore.benchmarks.message.overhead import ENDS, taken_us

    for end in ENDS:
        if series.name == f"{TURNS}{end}" and one.factors.get("measure") == "overhead":
            return Quantity(f"taken_{end}", "us", taken_us(one, end))
    messages, size = one.factors.get("messages"), one.factors.get("size")
    if series.name == _STREAM and isinstance(messages, int) and isinstance(size, int):
        return Quantity("throughput", "bytes_per_s", messages * size * 1e9 / series.ns.clip(1e-9))
    return None


def _events(one: Measurement, series: Series) -> int:
    """Return how many messages of a stream come one after another."""
    messages = one.factors.get("messages", 0)
    return messages if series.name == _STREAM and isinstance(messages, int) else 0


def _operations(one: Measurement) -> int:
    """Return the number of messages sent: two for a round trip, and the setting's number for a stream."""
    done = max(one.checks.get("done", 0), 0)
    if one.factors.get("measure") == "throughput":
        return done * int(one.factors.get("messages", 1))
    return done * (2 if any(series.name == "round_trip" for series in one.series) else 1)


def _witness(chip: Simulator) -> Witness:
    from intercore.benchmarks.message.ground_truth import MessageProbe

    return MessageProbe(chip)


# What is shown

WITHIN = Option(
    "within",
    default=0.01,
    help=(
        "Benchmark `message` only: report how many samples are needed for this accuracy, e.g. 5%. Accuracy is half the "
        "width of the 95 % confidence interval, divided by the measured time."
    ),
)

_CHOICES = {
    "notification": "the kernel's direct notification of a task, with the address of the message; on Linux a semaphore",
    "queue": "the kernel's queue, by value",
    "stream-buffer": "the kernel's stream buffer",
    "message-buffer": "the kernel's message buffer",
    "ring": "Intercore's lock-free ring buffer in shared memory",
    "ring-zero-copy": "the ring, both ends working in place",
    "ring-futex": "the ring, both ends sleeping on a futex",
    "rpmsg": "RPMsg over virtio rings, as in OpenAMP and Linux",
    "rpmsg-zero-copy": "RPMsg, both ends working in place",
    "ringbuf": "ESP-IDF's ring buffer",
    "ringbuf-zero-copy": "ESP-IDF's ring buffer, both ends working in place",
    "fifo": "the hardware FIFO between the cores, word by word",
    "dma": "a DMA channel copies from the sender to the receiver",
    "pipe": "a pipe of Linux",
    "unix-socket": "a pair of Unix sockets",
    "posix-mq": "a POSIX message queue",
    "rpmsg-char": "a Linux device, to another core's firmware and back",
}


def _load_analysis() -> Analysis:
    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.message.answers import concerns
    from intercore.benchmarks.message.report import report

    return Analysis(
        MessageAnalysis,
        report,
        lambda run, options: report(run, options.of(WITHIN), options.view),
        axes=("size",),
        concerns=concerns,
    )


def _load_prediction() -> Predict:
    from intercore.benchmarks.message.prediction import predict
    from intercore.benchmarks.message.prediction_report import prediction_rows, prediction_section

    return Predictor(predict, prediction_rows, prediction_section)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.message.publication import MessagePublication

    return MessagePublication


BENCHMARK = Benchmark(
    "message",
    DefaultLevels(alone=_ALONE, suite=_suite),
    SeriesMeaning(roles=_ROLES, results=_RESULTS, quantity=_quantity, events=_events),
    EnergyWindows("message", operations=_operations),
    option=WITHIN,
    choices=_CHOICES,
    witness=_witness,
    made_of=("computing from SRAM", "two cores at once", "SIO FIFO and spinlocks", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
    load_prediction=_load_prediction,
    load_publication=_load_publication,
)
