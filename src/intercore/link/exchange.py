"""One command and its answer: said until it is heard, asked for until it is whole, however bad the link is."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError, UsageError
from intercore.files.bounds import INFO_LINES, LIST_LINES, OTHER_LINES
from intercore.link.incoming import MAX_RANGES, Incoming
from intercore.link.link import Statistics
from intercore.link.phase import TRANSITIONS, Event, Phase
from intercore.link.port import ProtocolError
from intercore.link.protocol import End, Error, Hello, Log, Numbered, Progress, Samples, SeriesHead
from intercore.link.rate_search import RateSearch

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
LONGEST_RESTS = 200.0
"""Seconds that a repetition may rest: `rest_ms` is at most 60,000, and the most rests there are in one is three."""
MOST_WINDOWS = 8
"""Times in a repetition that a target may be silent for as long as is allowed, before it says again how far it is."""
LONGEST_BUSY = 86400.0
"""Seconds that a target may be busy without ever saying how far it is: a day."""
MAX_STALE = 250_000
"""Messages without news that make a flood: several times a long answer that is sent once too often."""
ASKED_OFTEN = 3
"""Times that a line is asked for, and all else comes whole, before it is said to be left out."""
SILENT_SHARE = 0.5
"""Share of the patience with a target, at its end, in which nothing at all comes of one that hangs. What comes before
may be what was asked earlier; of a slow line, something comes all the time."""
_LINE_START = '{"type":"'

USAGE_CODES = frozenset({"unknown-benchmark", "unknown-parameter", "bad-value", "out-of-range", "unsupported"})


class TargetRestartedError(IntercoreError):
    """The target began anew in the middle of a conversation."""


class TargetSilentError(IntercoreError):
    """The target does not answer."""


class UnknownCommandError(IntercoreError):
    """The target does not know the command: its firmware is older than this tool."""


class Occupied(enum.Enum):
    """What the target said last of work that keeps it from answering."""

    NO = "no"
    BUSY = "busy"
    """It is: perhaps with this very run, of which the first lines were lost."""
    FOREIGN = "foreign"
    """With a run that was left over by a tool that was killed."""


@dataclass
class Said:
    """What was said last, and what has come of it."""

    at: float = -math.inf
    """When, in seconds of the link's time; -inf if nothing was said yet."""
    lines_before: int = -1
    """Valid lines that had been heard until then."""
    awaited: int | None = None
    """Number of the line after which no more will come; None if that is `end`."""
    settled: bool = False
    """Whether there is nothing more to wait for."""
    occupied: Occupied = Occupied.NO


@dataclass
class Reactions:
    """How the target has reacted so far, which says how long to wait for it."""

    unanswered: int = 0
    """Times in a row that something was said without a valid line in return."""
    repeat_after: float = field(default_factory=lambda: FIRST_REPEAT)
    """Seconds without any reaction after which a command is said again."""
    slowest: float = 0.0
    """Seconds of the slowest reaction."""

    def quiet(self, *, end_known: bool) -> float:
        """Return the seconds without a byte after which no more is coming."""
        return min(QUIET, max(LEAST_QUIET, QUIET_REACTIONS * self.slowest)) if end_known else QUIET


@dataclass
class News:
    """When the target last showed that it is getting on, and what it has said since that showed nothing."""

    at: float
    further: float
    """When it last got further: with a new line, or another repetition."""
    progress: int = -1
    """Most repetitions that it said were done."""
    of: int | None = None
    """Of how many; None until it says so."""
    stale: int = 0
    """Messages since it showed something new: very many are a flood."""
    heard: Statistics = field(default_factory=Statistics)
    """What the link had carried by then."""


@dataclass
class Told:
    """What the target said that is no part of the answer."""

    refusal: str = ""
    """Code of the error that the command was answered by."""
    complaint: str = ""
    """What it last said for people, or against a command that it could not read."""


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

        `look_around` has a silent target be looked for at other bit rates, where there are any. `symptoms` says what is
        to be seen of one that hangs.
        """
        self._link = link
        link.plain_text.forget()
        self._command = [*words, f"id={answer_id}"]  # the id last: a command that is cut short on its way has none
        self._id = answer_id
        self._is_run = words[0] in ("run", "record")
        self._timeout = timeout
        self._fresh = fresh
        self._on_progress = on_progress
        self._on_log = on_log
        self._see_symptoms = symptoms

        self._phase = Phase.ASKING
        self._incoming = Incoming({"info": INFO_LINES, "list": LIST_LINES}.get(words[0], OTHER_LINES))
        self._said = Said()
        self._reactions = Reactions()
        self._news = News(link.now(), link.now(), heard=replace(link.statistics))
        self._told = Told()
        self._search = RateSearch(link, look_around=look_around)

    def carry_out(self) -> list[Numbered]:
        """Say the command and return its whole answer, line by line."""
        while self._phase is not Phase.COMPLETE:
            self._speak()
            self._listen()
        return [self._incoming.lines[i] for i in range(len(self._incoming.lines))]

    def _note(self, event: Event) -> None:
        """Go on to the phase that an event leads to."""
        self._phase = TRANSITIONS.get((self._phase, event), self._phase)

    def _note_news(self) -> None:
        """Note that the target gets on."""
        self._news.at = self._link.now()
        self._news.heard = replace(self._link.statistics)

    @property
    def _begun(self) -> bool:
        """Whether anything of the answer has been heard."""
        return self._phase is not Phase.ASKING

    @property
    def _computing(self) -> bool:
        """Whether the target is in a run, as far as is known."""
        return self._phase in {Phase.RUNNING, Phase.POKED}

    # ---- what to say ----

    def _speak(self) -> None:
        statistics, reactions = self._link.statistics, self._reactions
        reactions.unanswered = reactions.unanswered + 1 if statistics.lines == self._said.lines_before else 0
        if reactions.unanswered >= (1 if self._computing else HUNT_AFTER) and self._may_be_elsewhere:
            self._search.look_elsewhere(begun=self._begun)
        awaited = None
        match self._phase:
            case Phase.ASKING:
                self._say_command()
            case Phase.RUNNING | Phase.POKED:
                self._note(Event.POKE)
                awaited = self._ask_for([(0, 0)])
            case _:
                awaited = self._ask_for(self._incoming.missing())
        self._said = Said(self._link.now(), statistics.lines, awaited)

    @property
    def _may_be_elsewhere(self) -> bool:
        """Whether its silence in a run is more than work would explain."""
        if not self._computing:
            return True
        return self._garbled or self._link.now() - self._news.at >= HUNT_SHARE * self._timeout

    @property
    def _garbled(self) -> bool:
        """Whether nothing but damage was heard since something was said: a target that was reset, at another rate."""
        return self._reacted and self._link.statistics.lines == self._said.lines_before

    @property
    def _reacted(self) -> bool:
        """Whether bytes, good or bad, have come since something was said."""
        return self._link.last_heard > self._said.at

    def _say_command(self) -> None:
        if self._said.occupied is Occupied.FOREIGN:
            self._link.send(["abort"])
        if self._said.at > -math.inf:
            self._link.statistics.repeats += 1
        self._link.send(self._command)

    def _ask_for(self, ranges: list[tuple[int, int | None]]) -> int | None:
        """Ask for lines again; return the number of that after which no more will come, None if that is `end`."""
        self._incoming.note_asked()
        awaited = ranges[-1][1]
        if awaited is not None and self._phase is not Phase.POKED:
            # A few long lines on a bad link: let each come several times at once instead of waiting for each.
            ranges = ranges * max(1, min(1 + self._incoming.in_vain, MAX_RANGES // len(ranges)))
        self._link.statistics.resends += 1
        wanted = ",".join(f"{first}-{'' if last is None else last}" for first, last in ranges)
        self._link.send(["resend", str(self._id), wanted])
        return awaited

    # ---- what to hear ----

    def _listen(self) -> None:
        while self._phase is not Phase.COMPLETE and not self._said.settled:
            now = self._link.now()
            patience = self._news.at + self._timeout - now
            if patience <= 0:
                if not self._search.look_last():
                    raise self._silence()
                self._news.at = now - self._timeout + LAST_LOOK
                break
            if now - self._news.further > self._longest_standstill:
                raise self._standstill()
            wait = self._due() - now
            if wait <= 0:
                break
            silent = not self._reacted
            for message in self._link.receive(min(wait, patience)):
                self._take(message)
            if silent:
                self._reactions.slowest = max(self._reactions.slowest, self._link.last_heard - self._said.at)
            if self._news.stale > MAX_STALE:
                raise ProtocolError(f"{self._name} floods the link: {self._news.stale} messages that bring nothing new")
        if self._reacted:
            self._reactions.repeat_after = FIRST_REPEAT
        elif not self._search.hunting:
            self._reactions.repeat_after = min(2 * self._reactions.repeat_after, LAST_REPEAT)

    def _due(self) -> float:
        """Return when it will be time to speak again."""
        said, heard = self._said.at, self._link.last_heard
        if self._computing:
            wait = POKE_AFTER if self._garbled else max(POKE_AFTER, POKE_SHARE * self._timeout)
            return max(said, heard) + wait
        if self._said.occupied is not Occupied.NO:
            return said + BUSY_REPEAT
        if self._reacted:
            return heard + self._reactions.quiet(end_known=self._incoming.last is not None)
        return said + (HUNT_WAIT if self._search.hunting else self._reactions.repeat_after)

    def _take(self, message: Message) -> None:
        self._news.stale += 1
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
            self._told.complaint = message.sentence
            if self._on_log is not None:
                self._on_log(message.sentence)

    def _take_line(self, line: Numbered) -> None:
        if self._incoming.add(line):
            self._note_news()
            self._news.further = self._news.at
            self._news.stale = 0
        before_the_run = self._is_run and not isinstance(line, Samples | SeriesHead | End)
        self._note(Event.STARTED if before_the_run else Event.RESULT)
        if isinstance(line, End) or line.i == self._said.awaited:
            self._said.settled = True
        if self._incoming.complete:
            self._note(Event.LAST)

    def _take_progress(self, progress: Progress) -> None:
        if progress.id != self._id:
            # Only after `busy`: before, it may be the last line of a run that is over when an abort would arrive.
            if self._said.occupied is Occupied.BUSY:
                self._said.occupied = Occupied.FOREIGN
            return
        if progress.done > progress.of or self._news.of not in {None, progress.of}:
            before = "" if self._news.of in {None, progress.of} else f", and before that there were {self._news.of}"
            raise ProtocolError(
                f"{self._name} breaks the Intercore protocol: it has done {progress.done} of {progress.of} repetitions"
                f"{before}"
            )
        self._note(Event.PROGRESS if self._is_run else Event.RESULT)
        self._note_news()
        self._news.of = progress.of
        if progress.done > self._news.progress:
            self._news.progress = progress.done
            self._news.further = self._news.at
            self._news.stale = 0
        if self._on_progress is not None:
            self._on_progress(progress.done, progress.of)

    def _take_error(self, error: Error) -> None:
        if error.code == "busy":
            self._take_busy(error)
        elif error.id != self._id or error.code in {"bad-crc", "too-long"}:
            self._told.complaint = error.text
        elif error.code == "nothing-to-resend":
            if self._begun:
                raise self._restart()
        elif self._begun:
            if error.code != "syntax":  # that is said to a repeated command that was damaged
                raise self._refused(error)
        elif error.code == self._told.refusal:
            raise self._refused(error)
        else:  # Damage may hide a CRC from the target and have it misread the rest: believe it the second time.
            self._told.refusal = error.code
            self._said.settled = True

    def _take_busy(self, error: Error) -> None:
        if self._said.occupied is Occupied.NO:
            self._said.occupied = Occupied.BUSY
        if self._begun:
            self._note_news()
            if self._is_run and self._incoming.last is None:
                self._note(Event.BUSY)
        else:
            self._told.complaint = error.text
            # A run that is not begun may yet be the one under way, its first lines lost; a mere question never is.
            if not self._is_run:
                self._said.occupied = Occupied.FOREIGN

    # ---- what can go wrong ----

    @property
    def _name(self) -> str:
        return self._link.port.description

    @property
    def _said_last(self) -> str:
        return f"; it last said: {self._told.complaint}" if self._told.complaint else ""

    @property
    def _symptoms(self) -> str:
        symptoms = self._see_symptoms()
        return f" ({symptoms})" if symptoms else ""

    def _refused(self, error: Error) -> IntercoreError:
        if error.code == "unknown-command":
            return UnknownCommandError(f"{self._name}: {error.text or error.code}")
        kind = UsageError if error.code in USAGE_CODES else IntercoreError
        return kind(f"{self._name}: {error.text or error.code}")

    @property
    def _longest_standstill(self) -> float:
        """Seconds that it may say it is at work without getting further: more than any benchmark takes for that."""
        return LONGEST_BUSY if self._news.of is None else LONGEST_RESTS + MOST_WINDOWS * self._timeout

    def _standstill(self) -> TargetSilentError:
        where = "" if self._news.of is None else f" at repetition {self._news.progress} of {self._news.of}"
        return TargetSilentError(
            f"{self._name} gets no further: it says that it is at work, and has been{where} for "
            f"{self._longest_standstill:g} s{self._said_last}{self._symptoms}; reset it, or raise --timeout"
        )

    def _restart(self) -> TargetRestartedError:
        reason = self._link.plain_text.reason or (
            "; if that was no reset by hand, look for a crash, a watchdog or a weak supply"
        )
        return TargetRestartedError(
            f"{self._name} restarted in the middle of `{self._command[0]}`{self._said_last}{reason}"
        )

    def _silence(self) -> IntercoreError:
        """Return what is known of a target that does not get on: nothing comes of it, or nothing that helps."""
        statistics = self._link.statistics
        seconds = f"{self._timeout:g} s"
        if not statistics.bytes:
            return TargetSilentError(
                f"{self._name} has sent nothing for {seconds}{self._symptoms}: is it powered, and is it the right port?"
            )
        if not statistics.lines and (reason := self._link.plain_text.reason):
            return ProtocolError(f"{self._name} does not answer{reason}")
        if not statistics.lines and (statistics.bad_lines or not self._link.unfinished.startswith(_LINE_START)):
            return ProtocolError(
                f"{self._name} does not speak the Intercore protocol: {statistics.bytes} bytes in {seconds} without a "
                f"valid line ({self._link.last_bad or 'no line end'}){self._link.plain_text.last_words}; is it the "
                "right port, program and baud rate?"
            )
        silent = self._link.now() - self._link.last_heard
        if silent >= SILENT_SHARE * self._timeout:
            if not self._begun:
                what, advice = f"no answer to {self._question} for {seconds}", "reset it"
            else:
                of_it = "silent" if silent >= self._timeout else "nothing new of its answer, and then nothing at all,"
                where = "a run" if self._is_run else f"its answer to {self._question}"
                what, advice = f"{of_it} for {seconds} in the middle of {where}", "reset it, or raise --timeout"
                if self._phase is Phase.RECEIVING:
                    what += f", of which line {self._incoming.missing()[0][0]} is missing"
            return TargetSilentError(f"{self._name} hangs: {what}{self._known}; {advice}")
        return self._unheard(seconds)

    def _unheard(self, seconds: str) -> IntercoreError:
        """Return what is known of a target that sends something, but nothing new of its answer."""
        since, now = self._news.heard, self._link.statistics
        whole, bad = now.lines - since.lines, now.bad_lines - since.bad_lines
        line = self._incoming.missing()[0][0]
        if wrong := self._link.sent_wrong(line):
            return ProtocolError(
                f"{self._name} sends line {line} of its answer to {self._question} wrong: it came {wrong.times} times, "
                f"always the same, and damage on the way would differ: {wrong.why}, in {wrong.start}…; its program "
                "is at fault: build it from the version of this tool"
            )
        if not bad and line < self._incoming.highest and self._incoming.in_vain >= ASKED_OFTEN:
            return ProtocolError(
                f"{self._name} leaves out line {line} of its answer to {self._question}: it was asked for it "
                f"{self._incoming.in_vain} times, and all that came meanwhile was whole; its program is at fault: "
                "build it from the version of this tool"
            )
        if flood := self._link.flood(since):
            return ProtocolError(f"{self._name} floods the link {flood}")
        if bad:
            what = f"line {line} of its answer" if self._phase is Phase.RECEIVING else f"an answer to {self._question}"
            cause = "the connection" if self._link.port.rate is None else "the cable or the baud rate"
            return TargetSilentError(
                f"{self._name} did not get {what} through in {seconds}: {bad} of {bad + whole} lines came damaged, the "
                f"last with {self._link.last_bad}{self._known}; is {cause} bad?"
            )
        if not whole or self._phase is Phase.RECEIVING:
            return TargetSilentError(
                f"{self._name} is slow, and does not hang: {now.bytes - since.bytes} bytes came in {seconds}, and no "
                f"new line of its answer to {self._question}{self._symptoms}; raise --timeout, or the bit rate"
            )
        return TargetSilentError(
            f"{self._name} talks, but has sent nothing of its answer to {self._question} for {seconds}{self._known}; "
            "reset it, or raise --timeout"
        )

    @property
    def _question(self) -> str:
        return f"`{self._command[0]}`"

    @property
    def _known(self) -> str:
        return f"{self._said_last}{self._link.plain_text.reason}{self._symptoms}"
