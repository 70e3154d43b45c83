"""What `message` answers on one line: which way of moving messages is the quickest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.message.choice import copies
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Remark, about_times
from intercore.view.cost import Cost
from intercore.view.quantity import duration, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.message.choice import MessageRank


def answers(analysis: MessageAnalysis) -> Iterator[Answer]:
    """Answer what messages take at best, small and large, and how many bytes per second go through at most.

    What does not copy is said to, and beside it stands what does.
    """
    sizes = sorted({one.bytes for one in analysis.ranking if one.measure == "latency"})
    for size in sizes:
        found = [one for one in analysis.ranking if (one.measure, one.bytes) == ("latency", size)]
        for one, copying in _best(found, lambda one: -one.rank):
            question = f"{size:,} bytes, copied" if copying else f"message of {size:,} bytes"
            yield Answer(question, one.time_us, about=_choice(one), brief=not copying)
    yield from _of_any_size(analysis, sizes)
    streams = [one for one in analysis.ranking if one.measure == "throughput" and one.bytes_per_s is not None]
    for one, copying in _best(streams, lambda one: one.bytes_per_s or 0.0):
        question = f"stream of {one.bytes:,}, copied" if copying else f"stream of {one.bytes:,} bytes"
        yield Answer(question, Interval(one.bytes_per_s or 0.0), "bytes/s", _choice(one), brief=not copying)


def _of_any_size(analysis: MessageAnalysis, sizes: Sequence[int]) -> Iterator[Answer]:
    """Answer what a message of another size takes by the transport that copies the smallest ones quickest."""
    found = [one for one in analysis.ranking if (one.measure, one.bytes) == ("latency", sizes[0] if sizes else 0)]
    copying = [one for one in found if copies(one.choice.get("transport", ""))]
    if not copying:
        return
    best = min(copying, key=lambda one: one.rank)
    lines = [one for one in analysis.latency if all(one.setting.get(name) == at for name, at in best.choice.items())]
    known = [
        (one.alpha_us.value, one.beta_ns_per_byte.value)
        for one in lines
        if one.alpha_us is not None and one.beta_ns_per_byte is not None
    ]
    if known:
        first, each = max(known)
        text = f"{duration(first)} + {significant(each, 3)} ns a byte, {_choice(best)}"
        yield Answer("n bytes, copied", None, about=text, brief=False)


def costs(analysis: MessageAnalysis) -> Iterator[Cost]:
    """Give what a message costs by the quickest transport, by its size."""
    for one in analysis.ranking:
        if one.rank == 1 and one.measure == "latency":
            yield Cost("message", f"{one.bytes:,} bytes, {_choice(one)}", one.time_us.value)


def _best(found: Sequence[MessageRank], worth: Callable[[MessageRank], float]) -> Iterator[tuple[MessageRank, bool]]:
    """Yield the best choice and, where some copy nothing, the best one of those that copy, which is then marked."""
    if found:
        best = max(found, key=worth)
        yield best, False
        copying = [one for one in found if copies(one.choice.get("transport", ""))]
        if copying and len(copying) < len(found):
            yield max(copying, key=worth), True


def remarks(analysis: MessageAnalysis) -> Iterator[Remark]:
    """Tell what the right choice is worth most."""
    most = max(analysis.advantages, key=lambda one: one.times.value, default=None)
    if most is not None:
        what = "" if most.measure == "latency" else " a stream of messages of"
        yield Remark(
            most.times.value,
            f"{most.better} moves{what} {most.bytes:,} bytes {about_times(most.times.value)} times as fast as "
            f"{most.than}.",
        )


def _choice(one: MessageRank) -> str:
    words = " ".join(str(level) if name == "transport" else f"{name}={level}" for name, level in one.choice.items())
    by_address = "transport" in one.choice and not copies(one.choice["transport"])
    return f"{words} (no copy)" if by_address and "zero-copy" not in words else words
