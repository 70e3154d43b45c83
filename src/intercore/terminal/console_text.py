"""A target's messages in words, for a person at its console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.link import protocol
from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.link.protocol import Message

_MOST_CHOICES = 8


def in_words(message: Message) -> Iterator[str]:
    """Yield what to print for a message, if anything: samples are left to the summary that the target makes of them."""
    match message:
        case protocol.Hello():
            cores = f"{message.cores} core{'s' if message.cores > 1 else ''}"
            yield f"Intercore {message.firmware} on {message.board}: {message.chip}, {cores}, {message.clock}"
        case protocol.Condition():
            yield f"  {message.key}: {message.value}" if message.part == 0 else f"    {message.value}"
        case protocol.Benchmark():
            yield f"{message.name}: {message.summary}" + (f" ({message.refused})" if message.refused else "")
        case protocol.Parameter():
            yield f"    {message.name}={message.default}  {message.help} ({_values(message)})"
        case protocol.Log():
            yield message.sentence
        case protocol.Impossible():
            yield f"cannot be measured here: {message.text} ({message.code})"
        case protocol.End() if message.checks or message.status != "ok":
            found = ", ".join(f"{name} {count}" for name, count in message.checks.items())
            yield f"  {message.status}" + (f": {found}" if found else "")
        case protocol.Error():
            yield f"error: {message.text} ({message.code})"


def _values(one: protocol.Parameter) -> str:
    if one.kind == "choice":
        first, rest = one.choices[:_MOST_CHOICES], one.choices[_MOST_CHOICES:]
        own = [choice for choice in rest if choice.startswith(PREFIX)]
        return ", ".join([*first, *["…"] * (len(own) < len(rest)), *own])
    return f"{one.min} to {one.max}"
