"""The lines of docs/protocol.md: commands out, messages in. Input from a target is validated here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal
from zlib import crc32

import msgspec
from msgspec import Meta

from intercore.errors import UsageError
from intercore.record.measurement import Unit
from intercore.text import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Iterable

PROTOCOL_VERSION = 2
MAX_COMMAND = 400
"""Most characters of a command, its CRC included."""
MAX_LINE = 480
"""Most characters of a target's line, its CRC included."""
MAX_LINES = 2**18
"""Most numbered lines of one answer, enough for four million samples; bounds the memory of the tool."""
TRAILER = len(" *90ab12cd")

# Without characters that could control the user's terminal or disguise the text.
Text = Annotated[str, Meta(pattern=rf"\A[^{CONTROLS}]*\Z")]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Counter = Annotated[int, Meta(ge=0, le=2**63 - 1)]
AnswerId = Annotated[int, Meta(ge=0, le=2**32 - 1)]
LineNumber = Annotated[int, Meta(ge=0, lt=MAX_LINES)]
Repetitions = Annotated[int, Meta(ge=0, le=16 * MAX_LINES)]  # each yields a sample, and a line has 16 samples
Hertz = Annotated[int, Meta(ge=1, le=10**12)]
BitRate = Annotated[int, Meta(ge=1, le=10**9)]


class Line(msgspec.Struct, frozen=True, tag_field="type"):
    """The common part of all lines."""

    id: AnswerId
    """The answer that it belongs to; 0 if it is unsolicited."""


class Numbered(Line, frozen=True):
    """A line that can be requested again."""

    i: LineNumber


class Hello(Numbered, frozen=True, tag="hello"):
    """First line of the answer to `info`."""

    protocol: Literal[2]
    firmware: Text
    board: Text
    chip: Text
    cores: Annotated[int, Meta(ge=1, le=1024)]
    clock: Text
    """Name of the common clock's source."""
    hz: Hertz
    """Ticks of the common clock per second."""
    tick_hz: Annotated[int, Meta(ge=0, le=10**9)]
    """Kernel ticks per second; 0 where there is no tick."""
    rates: tuple[BitRate, ...] = ()
    """Bit rates of the console; empty if it has no rate."""
    rate: BitRate | None = None
    """The present bit rate."""


class Rate(msgspec.Struct, frozen=True, tag_field="type", tag="rate"):
    """The target switches to another bit rate after this line."""

    rate: BitRate
    id: AnswerId = 0


class ForeignHello(msgspec.Struct, frozen=True):
    """A `hello` of another protocol version, of which only the version is understood."""

    type: Literal["hello"]
    protocol: Annotated[int, Meta(ge=0, le=2**31)]


class Condition(Numbered, frozen=True, tag="condition"):
    """One condition of the target, or part of one."""

    key: Text
    part: LineNumber
    value: Text


class Benchmark(Numbered, frozen=True, tag="benchmark"):
    """One benchmark of the target; its parameters follow."""

    name: Text
    summary: Text
    refused: Text | None = None
    """Why it cannot be measured on this target at any setting; then it has no parameters."""


class Parameter(Numbered, frozen=True, tag="parameter"):
    """One parameter of a benchmark."""

    benchmark: Text
    name: Text
    kind: Literal["integer", "choice"]
    default: Int64 | Text
    help: Text
    min: Int64 | None = None
    max: Int64 | None = None
    choices: tuple[Text, ...] = ()


class Log(Line, frozen=True, tag="log"):
    """A message for the user."""

    text: Text
    detail: Text = ""
    """The explanation of the text that `help` gives."""
    where: Text = ""
    """Of a program that ends itself: the source of the error, or nothing."""
    number: Int64 | None = None
    """A number that belongs to it; the address of an instruction if the text ends with `at`."""

    @property
    def sentence(self) -> str:
        """The whole message on one line."""
        if self.number is not None and self.text.endswith(" at"):
            return f"{self.text} {self.number:#010x}"
        explained = f"{self.text}: {self.detail}" if self.detail else self.text
        return f"{explained} ({self.where})" if self.where else explained


class Impossible(Numbered, frozen=True, tag="impossible"):
    """A setting that cannot be measured, with the reason."""

    setting: Counter
    """Its number among those of the command."""
    code: Text
    text: Text


class Begin(Numbered, frozen=True, tag="begin"):
    """First line of the answer to `run`."""

    benchmark: Text


class Factor(Numbered, frozen=True, tag="factor"):
    """One factor of the setting that is measured."""

    name: Text
    value: Int64 | Text


class Progress(Line, frozen=True, tag="progress"):
    """The progress of a run, in repetitions."""

    done: Repetitions
    of: Repetitions


class SeriesHead(Numbered, frozen=True, tag="series"):
    """Announces a series of samples."""

    name: Text
    unit: Unit
    clock: Text
    hz: Hertz
    count: Counter


# The most frequent type by far: its name is compared with those of the series instead of a pattern.
class Samples(Numbered, frozen=True, tag="samples"):
    """Up to 16 raw samples of a series."""

    series: str
    unit: Unit
    index: Counter
    """Of the first value in its series."""
    values: Annotated[tuple[Int64, ...], Meta(min_length=1, max_length=16)]


class RingHead(Numbered, frozen=True, tag="ring"):
    """Announces the events of a core's recorder."""

    core: Annotated[int, Meta(ge=0, le=1023)]
    hz: Hertz
    recorded: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    """Events recorded in total."""
    kept: Annotated[int, Meta(ge=0, le=2**24)]
    """How many of them follow: the last ones."""
    costs: Annotated[tuple[Annotated[int, Meta(ge=1, le=2**32 - 1)], ...], Meta(min_length=1)]
    """Ticks between consecutive events with nothing in between."""
    scheduler_cost: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    """Ticks that a record of Linux' scheduler costs; 0 if there are none, or if unknown."""


class Name(Numbered, frozen=True, tag="name"):
    """The name of a task or a mark."""

    number: Annotated[int, Meta(ge=0, le=254)]
    text: Text


class Events(Numbered, frozen=True, tag="events"):
    """Up to 8 events of a core."""

    core: Annotated[int, Meta(ge=0, le=1023)]
    index: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    """Index of the first event among those of the core."""
    values: Annotated[tuple[Counter, ...], Meta(min_length=3, max_length=24)]
    """Three numbers for each event: time; kind in the low 8 bits and detail above them; object."""


class End(Numbered, frozen=True, tag="end"):
    """Last line of an answer."""

    status: Literal["ok", "aborted", "failed"] = "ok"
    checks: dict[Text, Counter] = {}


class Error(Line, frozen=True, tag="error"):
    """Why a command was not executed."""

    code: Text
    text: Text


_Message1 = (
    Hello
    | Rate
    | Condition
    | Benchmark
    | Parameter
    | Log
    | Impossible
    | Begin
    | Factor
    | Progress
    | SeriesHead
    | Samples
    | RingHead
    | Name
    | Events
    | End
    | Error
)
Message = _Message1 | ForeignHello

_decoder: msgspec.json.Decoder[_Message1] = msgspec.json.Decoder(_Message1)
_foreign_decoder = msgspec.json.Decoder(ForeignHello)
_TRAILER = re.compile(rb" \*[0-9A-Fa-f]{8}")
_WORD = re.compile(r"[!-)+-~]+")  # without the asterisk, which introduces a CRC


class BadLineError(Exception):
    """A line without meaning: noise, or a damaged line."""


class BadContentError(BadLineError):
    """A line with a right CRC and invalid contents: the target itself sent it."""


def encode_command(words: Iterable[str]) -> bytes:
    """Return the command made of `words`, closed by its CRC and a line end."""
    words = list(words)
    for word in words:
        if not _WORD.fullmatch(word):
            raise UsageError(
                f"{word!r} cannot be sent to a target: use printable ASCII characters without spaces and asterisks"
            )
    text = " ".join(words).encode("ascii")
    if len(text) + TRAILER > MAX_COMMAND:
        raise UsageError(f"the command is too long for a target ({len(text)} characters): {' '.join(words)[:60]}…")
    return b"%s *%08x\r\n" % (text, crc32(text))  # two line ends, because one may get lost


def decode_line(line: bytes) -> Message:
    """Return the message in `line` (without its line end); BadLineError if it is not one."""
    if len(line) > MAX_LINE:
        raise BadLineError(f"a line longer than {MAX_LINE} characters")
    text, trailer = line[:-TRAILER], line[-TRAILER:]
    if not _TRAILER.fullmatch(trailer):
        raise BadLineError("no CRC at the end of the line")
    if trailer.lower() != b" *%08x" % crc32(text):
        raise BadLineError(f"the line's CRC is {trailer[2:].decode()} instead of {crc32(text):08x}")
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        foreign = _foreign_hello(text)
        if foreign is None:
            raise BadContentError(_fault(error)) from None
        return foreign


def _fault(error: Exception) -> str:
    """Return the error in the JSON text of a line, a clause."""
    if isinstance(error, msgspec.ValidationError):
        place = re.search(r"at `(key in )?\$\.?(.+)`$", str(error))
        what = f"`{place[2]}`" if place else "the message"
        return f"{what} does not conform to docs/protocol.md"
    if isinstance(error, UnicodeDecodeError):
        return "the message is not UTF-8"
    return "the message is nested too deeply" if isinstance(error, RecursionError) else "the message is not JSON"


def _foreign_hello(text: bytes) -> ForeignHello | None:
    try:
        hello = _foreign_decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return hello if hello.protocol != PROTOCOL_VERSION else None
