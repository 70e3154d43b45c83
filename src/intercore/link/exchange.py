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

QUIET_TIME = 0.1
"""Seconds without a byte after which no more is coming: several times the latency timer of USB serial chips (16 ms)."""
MIN_QUIET_TIME = 0.01
"""The same where the target reacts fast and few lines were asked for: to ask for them once too often costs little."""
QUIET_TIME_REACTIONS = 2
"""Times its slowest reaction after which such a target is not sending any more."""
FIRST_REPEAT = 0.5
"""Seconds without any reaction after which a command is said again. Doubles up to LAST_REPEAT: the target may boot."""
LAST_REPEAT = 4.0
BUSY_REPEAT = 1.0
"""Seconds after which a target that was busy is asked again."""
RATE_SEARCH_AFTER = 2
"""Times without any answer after which a target is looked for at other bit rates."""
RATE_SEARCH_WAIT = 0.3
"""Seconds it has to answer at each of them: a line takes 40 ms at the slowest, and the adapter another 16."""
INITIAL_RATE_WAIT = 1.0
"""Seconds that a silent target has to answer at the rate after a reset, before it is given up."""
KEEPALIVE_AFTER = 3.0
"""Seconds of silence in a run before the target is asked for a sign of life: long, because input disturbs a chip."""
KEEPALIVE_SHARE = 0.1
"""The same as a share of the silence that is allowed, where that is long: so it is known to be silent for long."""
RATE_SEARCH_SHARE = 0.2
"""Share of that silence after which a target in a run is looked for at other rates, where one that computes is lost."""
MAX_REST_TIME = 200.0
"""Seconds that a repetition may rest: `rest_ms` is at most 60,000, and the most rests there are in one is three."""
MAX_WINDOWS = 8
"""Times in a repetition that a target may be silent for as long as is allowed, before it says again how far it is."""
MAX_BUSY_TIME = 86400.0
"""Seconds that a target may be busy without ever saying how far it is: a day."""
MAX_STALE = 250_000
"""Messages without news that make a flood: several times a long answer that is sent once too often."""
MAX_REQUESTS = 3
"""Times that a line is asked for, and all else comes whole, before it is said to be left out."""
FINAL_SILENCE_SHARE = 0.5
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


class BusyState(enum.Enum):
    """What the target said last of work that keeps it from answering."""

    NO = "no"
    BUSY = "busy"
    """It is: perhaps with this very run, of which the first lines were lost."""
    FOREIGN = "foreign"
    """With a run that was left over by a tool that was killed."""


@dataclass
class LastCommand:
    """What was said last, and what has come of it."""

    at: float = -math.inf
    """When, in seconds of the link's time; -inf if nothing was said yet."""
    lines_before: int = -1
    """Valid lines that had been heard until then."""
    awaited: int | None = None
    """Number of the line after which no more will come; None if that is `end`."""
    settled: bool = False
    """Whether there is nothing more to wait for."""
    busy_state: BusyState = BusyState.NO


@dataclass
class Latency:
    """How the target has reacted so far, which says how long to wait for it."""

    unanswered: int = 0
    """Times in a row that something was said without a valid line in return."""
    repeat_after: float = field(default_factory=lambda: FIRST_REPEAT)
    """Seconds without any reaction after which a command is said again."""
    slowest: float = 0.0
    """Seconds of the slowest reaction."""

    def quiet(self, *, end_known: bool) -> float:
        """Return the seconds without a byte after which no more is coming."""
        return min(QUIET_TIME, max(MIN_QUIET_TIME, QUIET_TIME_REACTIONS * self.slowest)) if end_known else QUIET_TIME


@dataclass
class ProgressWatch:
    """When the target last showed that it is getting on, and what it has said since that showed nothing."""

    at: float
    advanced_at: float
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
class Rejection:
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
        search_rates: bool = True,
        on_progress: Callable[[int, int], None] | None = None,
        on_log: Callable[[str], None] | None = None,
        symptoms: Callable[[], str] = lambda: "",
    ) -> None:
        """Prepare; `fresh` tells that the target may still be about to start, so that its greeting is no restart.

        `search_rates` has a silent target be looked for at other bit rates, where there are any. `symptoms` says what is
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
        self._last_command = LastCommand()
        self._latency = Latency()
        self._watch = ProgressWatch(link.now(), link.now(), heard=replace(link.statistics))
        self._rejection = Rejection()
        self._search = RateSearch(link, search_rates=search_rates)

    def carry_out(self) -> list[Numbered]:
        """Say the command and return its whole answer, line by line."""
        while self._phase is not Phase.COMPLETE:
            self._send_next()
            self._listen()
        return [self._incoming.lines[i] for i in range(len(self._incoming.lines))]

    def _note(self, event: Event) -> None:
        """Go on to the phase that an event leads to."""
        self._phase = TRANSITIONS.get((self._phase, event), self._phase)

    def _note_progress(self) -> None:
        """Note that the target gets on."""
        self._watch.at = self._link.now()
        self._watch.heard = replace(self._link.statistics)

    @property
    def _has_begun(self) -> bool:
        """Whether anything of the answer has been heard."""
        return self._phase is not Phase.ASKING

    @property
    def _is_computing(self) -> bool:
        """Whether the target is in a run, as far as is known."""
        return self._phase in {Phase.RUNNING, Phase.PROBED}

    # ---- what to say ----

    def _send_next(self) -> None:
        statistics, latency = self._link.statistics, self._latency
        latency.unanswered = latency.unanswered + 1 if statistics.lines == self._last_command.lines_before else 0
        if latency.unanswered >= (1 if self._is_computing else RATE_SEARCH_AFTER) and self._may_have_other_rate:
            self._search.try_next_rate(begun=self._has_begun)
        awaited = None
        match self._phase:
            case Phase.ASKING:
                self._send_command()
            case Phase.RUNNING | Phase.PROBED:
                self._note(Event.KEEPALIVE)
                awaited = self._ask_for([(0, 0)])
            case _:
                awaited = self._ask_for(self._incoming.missing())
        self._last_command = LastCommand(self._link.now(), statistics.lines, awaited)

    @property
    def _may_have_other_rate(self) -> bool:
        """Whether its silence in a run is more than work would explain."""
        if not self._is_computing:
            return True
        return self._garbled or self._link.now() - self._watch.at >= RATE_SEARCH_SHARE * self._timeout

    @property
    def _garbled(self) -> bool:
        """Whether nothing but damage was heard since something was said: a target that was reset, at another rate."""
        return self._reacted and self._link.statistics.lines == self._last_command.lines_before

    @property
    def _reacted(self) -> bool:
        """Whether bytes, good or bad, have come since something was said."""
        return self._link.last_heard > self._last_command.at

    def _send_command(self) -> None:
        if self._last_command.busy_state is BusyState.FOREIGN:
            self._link.send(["abort"])
        if self._last_command.at > -math.inf:
            self._link.statistics.repeats += 1
        self._link.send(self._command)

    def _ask_for(self, ranges: list[tuple[int, int | None]]) -> int | None:
        """Ask for lines again; return the number of that after which no more will come, None if that is `end`."""
        self._incoming.note_asked()
        awaited = ranges[-1][1]
        if awaited is not None and self._phase is not Phase.PROBED:
            # A few long lines on a bad link: let each come several times at once instead of waiting for each.
            ranges = ranges * max(1, min(1 + self._incoming.in_vain, MAX_RANGES // len(ranges)))
        self._link.statistics.resends += 1
        wanted = ",".join(f"{first}-{'' if last is None else last}" for first, last in ranges)
        self._link.send(["resend", str(self._id), wanted])
        return awaited

    # ---- what to hear ----

    def _listen(self) -> None:
        while self._phase is not Phase.COMPLETE and not self._last_command.settled:
            now = self._link.now()
            timeout = self._watch.at + self._timeout - now
            if timeout <= 0:
                if not self._search.try_initial_rate():
                    raise self._silence()
                self._watch.at = now - self._timeout + INITIAL_RATE_WAIT
                break
            if now - self._watch.advanced_at > self._longest_standstill:
                raise self._standstill()
            wait = self._due() - now
            if wait <= 0:
                break
            silent = not self._reacted
            for message in self._link.receive(min(wait, timeout)):
                self._take(message)
            if silent:
                self._latency.slowest = max(self._latency.slowest, self._link.last_heard - self._last_command.at)
            if self._watch.stale > MAX_STALE:
                raise ProtocolError(
                    f"{self._name} floods the link: {self._watch.stale} messages that bring nothing new"
                )
        if self._reacted:
            self._latency.repeat_after = FIRST_REPEAT
        elif not self._search.searching:
            self._latency.repeat_after = min(2 * self._latency.repeat_after, LAST_REPEAT)

    def _due(self) -> float:
        """Return when it will be time to speak again."""
        said, heard = self._last_command.at, self._link.last_heard
        if self._is_computing:
            wait = KEEPALIVE_AFTER if self._garbled else max(KEEPALIVE_AFTER, KEEPALIVE_SHARE * self._timeout)
            return max(said, heard) + wait
        if self._last_command.busy_state is not BusyState.NO:
            return said + BUSY_REPEAT
        if self._reacted:
            return heard + self._latency.quiet(end_known=self._incoming.last is not None)
        return said + (RATE_SEARCH_WAIT if self._search.searching else self._latency.repeat_after)

    def _take(self, message: Message) -> None:
        self._watch.stale += 1
        if isinstance(message, Numbered):
            if message.id == self._id:
                self._take_line(message)
            elif isinstance(message, Hello) and message.id == 0 and (self._has_begun or not self._fresh):
                raise self._restart()
        elif isinstance(message, Progress):
            self._take_progress(message)
        elif isinstance(message, Error):
            self._take_error(message)
        elif isinstance(message, Log):
            if message.id == self._id:  # what the samples say, in words for a person at a terminal
                return
            self._rejection.complaint = message.sentence
            if self._on_log is not None:
                self._on_log(message.sentence)

    def _take_line(self, line: Numbered) -> None:
        if self._incoming.add(line):
            self._note_progress()
            self._watch.advanced_at = self._watch.at
            self._watch.stale = 0
        before_the_run = self._is_run and not isinstance(line, Samples | SeriesHead | End)
        self._note(Event.STARTED if before_the_run else Event.RESULT)
        if isinstance(line, End) or line.i == self._last_command.awaited:
            self._last_command.settled = True
        if self._incoming.complete:
            self._note(Event.LAST)

    def _take_progress(self, progress: Progress) -> None:
        if progress.id != self._id:
            # Only after `busy`: before, it may be the last line of a run that is over when an abort would arrive.
            if self._last_command.busy_state is BusyState.BUSY:
                self._last_command.busy_state = BusyState.FOREIGN
            return
        if progress.done > progress.of or self._watch.of not in {None, progress.of}:
            before = "" if self._watch.of in {None, progress.of} else f", and before that there were {self._watch.of}"
            raise ProtocolError(
                f"{self._name} breaks the Intercore protocol: it has done {progress.done} of {progress.of} repetitions"
                f"{before}"
            )
        self._note(Event.PROGRESS if self._is_run else Event.RESULT)
        self._note_progress()
        self._watch.of = progress.of
        if progress.done > self._watch.progress:
            self._watch.progress = progress.done
            self._watch.advanced_at = self._watch.at
            self._watch.stale = 0
        if self._on_progress is not None:
            self._on_progress(progress.done, progress.of)

    def _take_error(self, error: Error) -> None:
        if error.code == "busy":
            self._take_busy(error)
        elif error.id != self._id or error.code in {"bad-crc", "too-long"}:
            self._rejection.complaint = error.text
        elif error.code == "nothing-to-resend":
            if self._has_begun:
                raise self._restart()
        elif self._has_begun:
            if error.code != "syntax":  # that is said to a repeated command that was damaged
                raise self._refused(error)
        elif error.code == self._rejection.refusal:
            raise self._refused(error)
        else:  # Damage may hide a CRC from the target and have it misread the rest: believe it the second time.
            self._rejection.refusal = error.code
            self._last_command.settled = True

    def _take_busy(self, error: Error) -> None:
        if self._last_command.busy_state is BusyState.NO:
            self._last_command.busy_state = BusyState.BUSY
        if self._has_begun:
            self._note_progress()
            if self._is_run and self._incoming.last is None:
                self._note(Event.BUSY)
        else:
            self._rejection.complaint = error.text
            # A run that is not begun may yet be the one under way, its first lines lost; a mere question never is.
            if not self._is_run:
                self._last_command.busy_state = BusyState.FOREIGN

    # ---- what can go wrong ----

    @property
    def _name(self) -> str:
        return self._link.port.description

    @property
    def _last_message(self) -> str:
        return f"; it last said: {self._rejection.complaint}" if self._rejection.complaint else ""

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
        return MAX_BUSY_TIME if self._watch.of is None else MAX_REST_TIME + MAX_WINDOWS * self._timeout

    def _standstill(self) -> TargetSilentError:
        where = "" if self._watch.of is None else f" at repetition {self._watch.progress} of {self._watch.of}"
        return TargetSilentError(
            f"{self._name} gets no further: it says that it is at work, and has been{where} for "
            f"{self._longest_standstill:g} s{self._last_message}{self._symptoms}; reset it, or raise --timeout"
        )

    def _restart(self) -> TargetRestartedError:
        reason = self._link.plain_text.reason or (
            "; if that was no reset by hand, look for a crash, a watchdog or a weak supply"
        )
        return TargetRestartedError(
            f"{self._name} restarted in the middle of `{self._command[0]}`{self._last_message}{reason}"
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
        if silent >= FINAL_SILENCE_SHARE * self._timeout:
            if not self._has_begun:
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
        since, now = self._watch.heard, self._link.statistics
        whole, bad = now.lines - since.lines, now.bad_lines - since.bad_lines
        line = self._incoming.missing()[0][0]
        if wrong := self._link.sent_wrong(line):
            return ProtocolError(
                f"{self._name} sends line {line} of its answer to {self._question} wrong: it came {wrong.times} times, "
                f"always the same, and damage on the way would differ: {wrong.why}, in {wrong.start}…; its program "
                "is at fault: build it from the version of this tool"
            )
        if not bad and line < self._incoming.highest and self._incoming.in_vain >= MAX_REQUESTS:
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
        return f"{self._last_message}{self._link.plain_text.reason}{self._symptoms}"
