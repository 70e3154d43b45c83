"""One command and its answer: said until it is heard, asked for until it is whole, however bad the link is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError, UsageError
from intercore.link.port import ProtocolError
from intercore.link.protocol import End, Error, Hello, Log, Numbered, Progress, Samples, SeriesHead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.link.link import Link
    from intercore.link.protocol import Message

QUIET = 0.1
"""Seconds without a byte after which no more is coming: several times the latency timer of USB serial chips (16 ms)."""
LEAST_QUIET = 0.01
"""The same where the target reacts fast and few lines were asked for: to ask for them once too often costs little."""
QUIET_REACTIONS = 2
"""Times its slowest reaction after which such a target is not sending any more."""
FIRST_REPEAT = 0.5
"""Seconds without any reaction after which a command is said again. Doubles up to LAST_REPEAT: the target may boot."""
LAST_REPEAT = 4.0
BUSY_REPEAT = 1.0
"""Seconds after which a target that was busy is asked again."""
HUNTED_RATES = (921600, 460800, 230400, 1_000_000, 1_500_000, 2_000_000, 3_000_000)
"""Bit rates at which a target may still be that a tool has left in the middle of a conversation."""
HUNT_AFTER = 2
"""Times without any answer after which a target is looked for at other bit rates."""
HUNT_WAIT = 0.3
"""Seconds it has to answer at each of them: a line takes 40 ms at the slowest, and the adapter another 16."""
LAST_LOOK = 1.0
"""Seconds that a silent target has to answer at the rate after a reset, before it is given up."""
POKE_AFTER = 3.0
"""Seconds of silence in a run before the target is asked for a sign of life: long, because input disturbs a chip."""
POKE_SHARE = 0.1
"""The same as a share of the silence that is allowed, where that is long: so it is known to be silent for long."""
HUNT_SHARE = 0.2
"""Share of that silence after which a target in a run is looked for at other rates, where one that computes is lost."""
MAX_STALE = 250_000
"""Messages without news that make a flood: several times a long answer that is sent once too often."""
MAX_RANGES = 8
"""Ranges of lines asked for at once: where bytes are lost, a short command gets through and a long one never does."""
RANGE_GAP = 4
"""Good lines between two missing ones that may come again for the sake of a shorter command."""

USAGE_CODES = frozenset({"unknown-benchmark", "unknown-parameter", "bad-value", "out-of-range", "unsupported"})


class TargetRestartedError(IntercoreError):
    """The target began anew in the middle of a conversation."""


class TargetSilentError(IntercoreError):
    """The target does not answer."""


class UnknownCommandError(IntercoreError):
    """The target does not know the command: its firmware is older than this tool."""


class Incoming:
    """The lines of an answer as far as they have arrived."""

    def __init__(self) -> None:
        """Begin with none."""
        self.lines: dict[int, Numbered] = {}
        self.highest = -1
        self.last: int | None = None
        """Number of the last line, known once `end` has arrived."""

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.last is not None and len(self.lines) == self.last + 1

    def add(self, line: Numbered) -> bool:
        """Take a line; return whether it is new."""
        if line.i in self.lines:
            return False
        if self.last is not None and line.i > self.last:
            raise ProtocolError(f"the target sent line {line.i} of an answer that ends with line {self.last}")
        if isinstance(line, End):
            if line.i < self.highest:
                raise ProtocolError(f"the target sent line {self.highest} of an answer that ends with line {line.i}")
            self.last = line.i
        self.lines[line.i] = line
        self.highest = max(self.highest, line.i)
        return True

    def missing(self) -> list[tuple[int, int | None]]:
        """Return the first ranges of missing lines, and that to the end while this is unknown; it has no last line."""
        ranges: list[tuple[int, int]] = []
        for i in range(self.highest + 1):
            if i in self.lines:
                continue
            if ranges and i - ranges[-1][1] <= RANGE_GAP:
                ranges[-1] = (ranges[-1][0], i)
            elif len(ranges) == MAX_RANGES:
                break
            else:
                ranges.append((i, i))
        return [*ranges] if self.last is not None else [*ranges, (self.highest + 1, None)]


class Exchange:
    """One command and its answer."""

    def __init__(
        self,
        link: Link,
        words: Sequence[str],
        answer_id: int,
        *,
        timeout: float,
        fresh: bool,
        look_around: bool = True,
        on_progress: Callable[[int, int], None] | None = None,
        on_log: Callable[[str], None] | None = None,
        symptoms: Callable[[], str] = lambda: "",
    ) -> None:
        """Prepare; `fresh` tells that the target may still be about to start, so that its greeting is no restart.

        `look_around` has a silent target be looked for at other bit rates, where there are any.
        """
        self._link = link
        self._command = [*words, f"id={answer_id}"]  # the id last: a command that is cut short on its way has none
        self._id = answer_id
        self._is_run = words[0] == "run"
        self._timeout = timeout
        self._fresh = fresh
        self._on_progress = on_progress
        self._on_log = on_log
        self._see_symptoms = symptoms

        self._incoming = Incoming()
        self._begun = False
        """Whether anything of the answer has been heard."""
        self._sending = False
        """Whether the target has done its work and sends what came of it."""
        self._progress = -1
        self._news = self._link.now()
        """When the target last showed that it is getting on."""
        self._stale = 0
        """Messages since it showed something new."""
        self._refusal = ""
        """Code of the error that the command was answered by."""
        self._complaint = ""
        """What the target last said for people, or against a command that it could not read."""

        # About what was said last:
        self._said = -math.inf
        self._lines_when_said = -1
        self._unanswered = 0
        """Times in a row that it was said without a valid line in return."""
        self._rates = link.likely_rates(HUNTED_RATES) if look_around else []
        """Where to look next for a target that does not answer; empty where there is no rate."""
        self._last_look = False
        """Whether, all patience being gone, it is only looked if the target was reset."""
        self._hunting = False
        """Whether the last look was at another rate than that of a target after a reset."""
        self._patience = FIRST_REPEAT
        self._slowest_reaction = 0.0
        self._awaited: int | None = None
        """Number of the line after which no more will come; None if that is `end`."""
        self._wanting = 0
        """Times it was said without bringing a new line."""
        self._lines_before = 0
        self._settled = False
        """Whether there is nothing more to wait for."""
        self._poked = False
        self._busy = False
        self._foreign_run = False

    def carry_out(self) -> list[Numbered]:
        """Say the command and return its whole answer, line by line."""
        while not self._incoming.complete:
            self._speak()
            self._listen()
        return [self._incoming.lines[i] for i in range(len(self._incoming.lines))]

    @property
    def _running(self) -> bool:
        return self._is_run and self._begun and not self._sending

    # ---- what to say ----

    def _speak(self) -> None:
        statistics = self._link.statistics
        self._unanswered = self._unanswered + 1 if statistics.lines == self._lines_when_said else 0
        if self._unanswered >= (1 if self._running else HUNT_AFTER) and not self._last_look and self._may_be_elsewhere:
            self._look_elsewhere()
        if not self._begun:
            self._say_command()
        elif self._running:
            self._poked = True
            self._ask_for([(0, 0)])
        else:
            self._ask_for(self._incoming.missing())
        self._lines_when_said = statistics.lines
        self._said = self._link.now()
        self._settled = self._busy = self._foreign_run = False

    @property
    def _may_be_elsewhere(self) -> bool:
        """Whether its silence in a run is more than work would explain."""
        if not self._running:
            return True
        return self._garbled or self._link.now() - self._news >= HUNT_SHARE * self._timeout

    @property
    def _garbled(self) -> bool:
        """Whether nothing but damage was heard since something was said: a target that was reset, at another rate."""
        return self._link.last_heard > self._said and self._link.statistics.lines == self._lines_when_said

    def _say_command(self) -> None:
        if self._foreign_run:  # left over from a tool that was killed
            self._link.send(["abort"])
        if self._said > -math.inf:
            self._link.statistics.repeats += 1
        self._link.send(self._command)

    def _look_elsewhere(self) -> None:
        """Go on at the next rate that the target may have: that after a reset, or that of an earlier conversation."""
        for _ in self._rates:
            rate = self._rates.pop(0)
            self._rates.append(rate)
            if rate != self._link.port.rate and self._link.set_rate(rate):
                break
        self._hunting = self._link.is_raised and not self._begun

    def _ask_for(self, ranges: list[tuple[int, int | None]]) -> None:
        self._wanting = self._wanting + 1 if len(self._incoming.lines) == self._lines_before else 0
        self._lines_before = len(self._incoming.lines)
        self._awaited = ranges[-1][1]
        if self._awaited is not None and not self._poked:
            # A few long lines on a bad link: let each come several times at once instead of waiting for each.
            ranges = ranges * max(1, min(1 + self._wanting, MAX_RANGES // len(ranges)))
        self._link.statistics.resends += 1
        wanted = ",".join(f"{first}-{'' if last is None else last}" for first, last in ranges)
        self._link.send(["resend", str(self._id), wanted])

    # ---- what to hear ----

    def _listen(self) -> None:
        while not self._incoming.complete and not self._settled:
            now = self._link.now()
            patience = self._news + self._timeout - now
            if patience <= 0:
                if self._last_look or not self._rates or not self._link.is_raised:
                    raise self._silence()
                self._last_look = True
                self._link.set_rate(self._link.start_rate)
                self._news = now - self._timeout + LAST_LOOK
                break
            wait = self._due() - now
            if wait <= 0:
                break
            silent = self._link.last_heard <= self._said
            for message in self._link.receive(min(wait, patience)):
                self._take(message)
            if silent:
                self._slowest_reaction = max(self._slowest_reaction, self._link.last_heard - self._said)
            if self._stale > MAX_STALE:
                raise ProtocolError(f"{self._name} floods the link: {self._stale} messages that bring nothing new")
        reacted = self._link.last_heard > self._said
        if reacted or not self._hunting:
            self._patience = FIRST_REPEAT if reacted else min(2 * self._patience, LAST_REPEAT)

    def _due(self) -> float:
        """Return when it will be time to speak again."""
        heard = self._link.last_heard
        if self._running:
            wait = POKE_AFTER if self._garbled else max(POKE_AFTER, POKE_SHARE * self._timeout)
            return max(self._said, heard) + wait
        if self._busy:
            return self._said + BUSY_REPEAT
        if heard > self._said:
            return heard + self._quiet
        return self._said + (HUNT_WAIT if self._hunting else self._patience)

    @property
    def _quiet(self) -> float:
        if self._incoming.last is None:
            return QUIET
        return min(QUIET, max(LEAST_QUIET, QUIET_REACTIONS * self._slowest_reaction))

    def _take(self, message: Message) -> None:
        self._stale += 1
        if isinstance(message, Numbered):
            if message.id == self._id:
                self._take_line(message)
            elif isinstance(message, Hello) and message.id == 0 and (self._begun or not self._fresh):
                raise self._restart()
        elif isinstance(message, Progress):
            self._take_progress(message)
        elif isinstance(message, Error):
            self._take_error(message)
        elif isinstance(message, Log):
            if message.id == self._id:  # what the samples say, in words for a person at a terminal
                return
            self._complaint = message.text
            if self._on_log is not None:
                self._on_log(message.text)

    def _take_line(self, line: Numbered) -> None:
        self._begun = True
        if self._incoming.add(line):
            self._news = self._link.now()
            self._stale = 0
        if self._poked or not self._is_run or isinstance(line, Samples | SeriesHead | End):
            self._sending = True
            self._poked = False
        if isinstance(line, End) or line.i == self._awaited:
            self._settled = True

    def _take_progress(self, progress: Progress) -> None:
        if progress.id != self._id:
            # Only after `busy`: before, it may be the last line of a run that is over when an abort would arrive.
            self._foreign_run = self._foreign_run or self._busy
            return
        self._begun = True
        self._news = self._link.now()
        if progress.done > self._progress:
            self._progress = progress.done
            self._stale = 0
        if self._on_progress is not None:
            self._on_progress(progress.done, progress.of)

    def _take_error(self, error: Error) -> None:
        if error.code == "busy":
            self._take_busy(error)
        elif error.id != self._id or error.code in {"bad-crc", "too-long"}:
            self._complaint = error.text
        elif error.code == "nothing-to-resend":
            if self._begun:
                raise self._restart()
        elif self._begun:
            if error.code != "syntax":  # that is said to a repeated command that was damaged
                raise self._refused(error)
        elif error.code == self._refusal:
            raise self._refused(error)
        else:  # Damage may hide a CRC from the target and have it misread the rest: believe it the second time.
            self._refusal = error.code
            self._settled = True

    def _take_busy(self, error: Error) -> None:
        self._busy = True
        self._poked = False
        if self._begun:
            self._news = self._link.now()
            self._sending = self._sending and self._incoming.last is not None
        else:
            self._complaint = error.text
            # A run that is not begun may yet be the one under way, its first lines lost; a mere question never is.
            self._foreign_run = self._foreign_run or not self._is_run

    # ---- what can go wrong ----

    @property
    def _name(self) -> str:
        return self._link.port.description

    @property
    def _said_last(self) -> str:
        return f"; it last said: {self._complaint}" if self._complaint else ""

    @property
    def _symptoms(self) -> str:
        symptoms = self._see_symptoms()
        return f" ({symptoms})" if symptoms else ""

    def _refused(self, error: Error) -> IntercoreError:
        if error.code == "unknown-command":
            return UnknownCommandError(f"{self._name}: {error.text or error.code}")
        kind = UsageError if error.code in USAGE_CODES else IntercoreError
        return kind(f"{self._name}: {error.text or error.code}")

    def _restart(self) -> TargetRestartedError:
        return TargetRestartedError(
            f"{self._name} restarted in the middle of `{self._command[0]}`{self._said_last}; "
            "if that was no reset by hand, look for a crash, a watchdog or a weak supply"
        )

    def _silence(self) -> IntercoreError:
        statistics = self._link.statistics
        seconds = f"{self._timeout:g} s"
        silent = self._link.now() - self._link.last_heard >= self._timeout
        if not statistics.bytes:
            text = (
                f"{self._name} has sent nothing for {seconds}{self._symptoms}: is it powered, and is it the right port?"
            )
        elif not statistics.lines:
            return ProtocolError(
                f"{self._name} does not speak the Intercore protocol: {statistics.bytes} bytes in {seconds} without a "
                f"valid line ({self._link.last_bad or 'no line end'}); is it the right port, program and baud rate?"
            )
        elif self._sending and not silent:
            text = (
                f"{self._name} did not get line {self._incoming.missing()[0][0]} of its answer through in {seconds}"
                f"{f' ({self._link.last_bad})' if self._link.last_bad else ''}{self._said_last}"
                f"{self._symptoms}; is the cable or the baud rate bad?"
            )
        elif self._begun:
            what = f"silent for {seconds}" if silent else f"nothing of its answer for {seconds}"
            known = f"{self._said_last}{self._symptoms}"
            text = f"{self._name} hangs: {what} in the middle of a run{known}; reset it, or raise --timeout"
        else:
            text = (
                f"{self._name} hangs: no answer to `{self._command[0]}` for {seconds}"
                f"{self._said_last}{self._symptoms}; reset it"
            )
        return TargetSilentError(text)
