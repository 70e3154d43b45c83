"""One command and its answer, over an unreliable link: repeats the command, and requests missing lines again."""

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
"""Seconds without a byte after which a transmission is over: several times the latency timer of USB serial chips (16
ms)."""
MIN_QUIET_TIME = 0.01
"""The same if the target reacts fast and few lines were requested: a superfluous request is cheap then."""
QUIET_TIME_REACTIONS = 2
"""The same as a multiple of the target's slowest reaction."""
FIRST_REPEAT = 0.5
"""Seconds without any reaction after which a command is repeated. Doubles up to LAST_REPEAT: the target may be
booting."""
LAST_REPEAT = 4.0
BUSY_REPEAT = 1.0
"""Seconds after which a busy target is asked again."""
RATE_SEARCH_AFTER = 2
"""Number of unanswered commands after which the target is searched for at other bit rates."""
RATE_SEARCH_WAIT = 0.3
"""Seconds to wait for an answer at each rate: a line takes at most 40 ms, and the adapter another 16 ms."""
INITIAL_RATE_WAIT = 1.0
"""Seconds to wait for a silent target at the rate that it has after a reset, before it counts as lost."""
KEEPALIVE_AFTER = 3.0
"""Seconds of silence in a run before the target is probed: long, because input disturbs a measurement."""
KEEPALIVE_SHARE = 0.1
"""The same as a fraction of the timeout, if that is longer."""
RATE_SEARCH_SHARE = 0.2
"""Fraction of the timeout after which a silent target in a run is searched for at other bit rates."""
MAX_REST_TIME = 200.0
"""Longest pauses of a repetition in seconds: `rest_ms` is at most 60,000, and a repetition has at most three pauses."""
MAX_WINDOWS = 8
"""Most timed windows in a repetition, each of which may last up to the timeout without a progress message."""
MAX_BUSY_TIME = 86400.0
"""Seconds that a target may be busy without any progress message: a day."""
MAX_STALE = 250_000
"""Messages without new content from which the target floods the link: several times a long answer sent twice."""
MAX_REQUESTS = 3
"""Number of requests for a line, with all others undamaged, after which the target counts as omitting it."""
FINAL_SILENCE_SHARE = 0.5
"""Final fraction of the timeout in which a target that hangs is silent. Bytes before may answer earlier requests; over
a slow line, bytes arrive all the time."""
_LINE_START = '{"type":"'

USAGE_CODES = frozenset({"unknown-benchmark", "unknown-parameter", "bad-value", "out-of-range", "unsupported"})


class TargetRestartedError(IntercoreError):
    """The target restarted during an exchange."""


class TargetSilentError(IntercoreError):
    """The target does not answer."""


class UnknownCommandError(IntercoreError):
    """The target does not know the command: its firmware is older than the tool."""


class BusyState(enum.Enum):
    """Whether the target's last message reported that it is busy."""

    NO = "no"
    BUSY = "busy"
    """It is busy, perhaps with this run, whose first lines were lost."""
    FOREIGN = "foreign"
    """It is busy with a run of an earlier tool that was killed."""


@dataclass
class LastCommand:
    """The last command that was sent, and its effect so far."""

    at: float = -math.inf
    """When it was sent, in seconds of the link's time; -inf if none was sent yet."""
    lines_before: int = -1
    """Valid lines received until then."""
    awaited: int | None = None
    """Number of the last requested line; None if that is `end`."""
    settled: bool = False
    """Whether all requested lines have arrived."""
    busy_state: BusyState = BusyState.NO


@dataclass
class Latency:
    """Estimate of the target's reaction time, from which waiting times follow."""

    unanswered: int = 0
    """Consecutive commands without a valid line in return."""
    repeat_after: float = field(default_factory=lambda: FIRST_REPEAT)
    """Seconds without any reaction after which a command is repeated."""
    slowest: float = 0.0
    """The slowest reaction in seconds."""

    def quiet(self, *, end_known: bool) -> float:
        """Return the seconds without a byte after which the transmission is over."""
        return min(QUIET_TIME, max(MIN_QUIET_TIME, QUIET_TIME_REACTIONS * self.slowest)) if end_known else QUIET_TIME


@dataclass
class ProgressWatch:
    """The target's progress: when it last advanced, and its messages since then."""

    at: float
    advanced_at: float
    """When it last advanced: by a new line or another repetition."""
    progress: int = -1
    """Highest reported number of repetitions done."""
    of: int | None = None
    """Reported total of repetitions; None before the first report."""
    stale: int = 0
    """Messages without new content since then."""
    heard: Statistics = field(default_factory=Statistics)
    """The link's statistics at `at`."""


@dataclass
class Rejection:
    """Messages of the target that are not part of the answer."""

    refusal: str = ""
    """Code of the error that answered the command."""
    complaint: str = ""
    """Its last message to the user, or about a command that it could not read."""


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
        """Prepare. With `fresh`, the target may be about to start, so that its greeting does not mean a restart.

        With `search_rates`, a silent target is searched for at other bit rates. `symptoms` returns the observable state
        of a target that hangs.
        """
        self._link = link
        link.plain_text.forget()
        self._command = [*words, f"id={answer_id}"]  # the id comes last, so that a truncated command has none
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
        """Send the command and return its complete answer, line by line."""
        while self._phase is not Phase.COMPLETE:
            self._send_next()
            self._listen()
        return [self._incoming.lines[i] for i in range(len(self._incoming.lines))]

    def _note(self, event: Event) -> None:
        """Change to the phase that follows the event."""
        self._phase = TRANSITIONS.get((self._phase, event), self._phase)

    def _note_progress(self) -> None:
        """Note progress of the target."""
        self._watch.at = self._link.now()
        self._watch.heard = replace(self._link.statistics)

    @property
    def _has_begun(self) -> bool:
        """Whether any line of the answer has arrived."""
        return self._phase is not Phase.ASKING

    @property
    def _is_computing(self) -> bool:
        """Whether the target executes a run, as far as known."""
        return self._phase in {Phase.RUNNING, Phase.PROBED}

    # ---- sending ----

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
        """Whether its silence is too long to be explained by work."""
        if not self._is_computing:
            return True
        return self._garbled or self._link.now() - self._watch.at >= RATE_SEARCH_SHARE * self._timeout

    @property
    def _garbled(self) -> bool:
        """Whether only damaged lines have arrived since the last command, as after a reset, which changes the rate."""
        return self._reacted and self._link.statistics.lines == self._last_command.lines_before

    @property
    def _reacted(self) -> bool:
        """Whether any bytes have arrived since the last command."""
        return self._link.last_heard > self._last_command.at

    def _send_command(self) -> None:
        if self._last_command.busy_state is BusyState.FOREIGN:
            self._link.send(["abort"])
        if self._last_command.at > -math.inf:
            self._link.statistics.repeats += 1
        self._link.send(self._command)

    def _ask_for(self, ranges: list[tuple[int, int | None]]) -> int | None:
        """Request lines again; return the number of the last one, None if that is `end`."""
        self._incoming.note_asked()
        awaited = ranges[-1][1]
        if awaited is not None and self._phase is not Phase.PROBED:
            # A few lines on a bad link: request each several times at once instead of waiting for each.
            ranges = ranges * max(1, min(1 + self._incoming.in_vain, MAX_RANGES // len(ranges)))
        self._link.statistics.resends += 1
        wanted = ",".join(f"{first}-{'' if last is None else last}" for first, last in ranges)
        self._link.send(["resend", str(self._id), wanted])
        return awaited

    # ---- receiving ----

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
                    f"{self._name} floods the link: its last {self._watch.stale} messages had no new content. Reset "
                    "the target"
                )
        if self._reacted:
            self._latency.repeat_after = FIRST_REPEAT
        elif not self._search.searching:
            self._latency.repeat_after = min(2 * self._latency.repeat_after, LAST_REPEAT)

    def _due(self) -> float:
        """Return when to send again."""
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
            if message.id == self._id:  # a summary for a person at a terminal
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
            # Only after `busy`: before that, the run may be over by the time that an abort arrives.
            if self._last_command.busy_state is BusyState.BUSY:
                self._last_command.busy_state = BusyState.FOREIGN
            return
        if progress.done > progress.of or self._watch.of not in {None, progress.of}:
            before = (
                "" if self._watch.of in {None, progress.of} else f", after it had reported a total of {self._watch.of}"
            )
            raise ProtocolError(
                f"{self._name} violates the Intercore protocol: the target reports {progress.done} of {progress.of} "
                f"repetitions done{before}. Rebuild the target's firmware with this version of the tool"
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
            if error.code != "syntax":  # the answer to a repetition of the command that was damaged
                raise self._refused(error)
        elif error.code == self._rejection.refusal:
            raise self._refused(error)
        else:  # A damaged command may have lost its CRC and so be misread: accept the refusal at the second time.
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
            # The run under way may be this one, with its first lines lost; a query is not.
            if not self._is_run:
                self._last_command.busy_state = BusyState.FOREIGN

    # ---- errors ----

    @property
    def _name(self) -> str:
        return self._link.port.description

    @property
    def _last_message(self) -> str:
        return f". The target's last message: {self._rejection.complaint}" if self._rejection.complaint else ""

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
        """Seconds that it may report to be busy without progress: longer than any pause of a benchmark."""
        return MAX_BUSY_TIME if self._watch.of is None else MAX_REST_TIME + MAX_WINDOWS * self._timeout

    def _standstill(self) -> TargetSilentError:
        where = "" if self._watch.of is None else f" at repetition {self._watch.progress} of {self._watch.of}"
        return TargetSilentError(
            f"{self._name} makes no progress: it has reported to be busy{where} for {self._longest_standstill:g} "
            f"s{self._last_message}{self._symptoms}. Reset the target, or increase --timeout"
        )

    def _restart(self) -> TargetRestartedError:
        reason = self._link.plain_text.reason or (
            ". Unless you reset the target, the cause is a crash, a watchdog or a weak power supply"
        )
        return TargetRestartedError(f"{self._name} restarted during `{self._command[0]}`{self._last_message}{reason}")

    def _silence(self) -> IntercoreError:
        """Return the error for a target from which nothing, or nothing useful, arrives."""
        statistics = self._link.statistics
        seconds = f"{self._timeout:g} s"
        if not statistics.bytes:
            return TargetSilentError(
                f"{self._name} has sent nothing for {seconds}{self._symptoms}: check the target's power supply, and "
                "that this is the right port"
            )
        if not statistics.lines and (reason := self._link.plain_text.reason):
            return ProtocolError(f"{self._name} does not answer{reason}")
        if not statistics.lines and (statistics.bad_lines or not self._link.unfinished.startswith(_LINE_START)):
            return ProtocolError(
                f"{self._name} does not speak the Intercore protocol: {statistics.bytes} bytes arrived in {seconds} "
                "without a valid line (the last line: "
                f"{self._link.last_bad or 'no line end'}){self._link.plain_text.last_words}. Check the port, the "
                "program on the target and --baud"
            )
        silent = self._link.now() - self._link.last_heard
        has_flooded = bool(self._link.flood(self._watch.heard))  # even if it, or its host, pauses in the end
        if silent >= FINAL_SILENCE_SHARE * self._timeout and not has_flooded:
            if not self._has_begun:
                what, advice = f"no answer to {self._question} for {seconds}", "reset the target"
            else:
                of_it = (
                    "silent" if silent >= self._timeout else "nothing new of its answer, and finally nothing at all,"
                )
                where = "a run" if self._is_run else f"its answer to {self._question}"
                what, advice = f"{of_it} for {seconds} during {where}", "reset the target, or increase --timeout"
                if self._phase is Phase.RECEIVING:
                    what += f", of which line {self._incoming.missing()[0][0]} is missing"
            return TargetSilentError(f"{self._name} hangs: {what}{self._known}; {advice}")
        return self._unheard(seconds)

    def _unheard(self, seconds: str) -> IntercoreError:
        """Return the error for a target that sends data, but nothing new of its answer."""
        since, now = self._watch.heard, self._link.statistics
        whole, bad = now.lines - since.lines, now.bad_lines - since.bad_lines
        line = self._incoming.missing()[0][0]
        if wrong := self._link.sent_wrong(line):
            return ProtocolError(
                f"{self._name} sends line {line} of its answer to {self._question} wrongly: {wrong.why}, in "
                f"{wrong.start}…. The line arrived {wrong.times} times, always identical, so it was not damaged on "
                "the way. The target's program is at fault: rebuild that program with this version of the tool"
            )
        if not bad and line < self._incoming.highest and self._incoming.in_vain >= MAX_REQUESTS:
            return ProtocolError(
                f"{self._name} omits line {line} of its answer to {self._question}: it did not send that line after "
                f"{self._incoming.in_vain} requests, and all other lines were undamaged. The target's program is at "
                "fault: rebuild that program with this version of the tool"
            )
        if flood := self._link.flood(since):
            return ProtocolError(f"{self._name} floods the link {flood}")
        if bad:
            what = f"line {line} of its answer" if self._phase is Phase.RECEIVING else f"an answer to {self._question}"
            cause = "the connection" if self._link.port.rate is None else "the cable or the baud rate"
            return TargetSilentError(
                f"{self._name} could not transmit {what} in {seconds}: {bad} of {bad + whole} lines were damaged "
                f"(the last one: {self._link.last_bad}){self._known}; check {cause}"
            )
        if not whole or self._phase is Phase.RECEIVING:
            return TargetSilentError(
                f"{self._name} is slow but does not hang: {now.bytes - since.bytes} bytes arrived in {seconds}, but "
                f"no new line of its answer to {self._question}{self._symptoms}. Increase --timeout or the bit rate"
            )
        return TargetSilentError(
            f"{self._name} sends data, but no line of its answer to {self._question} for {seconds}{self._known}. "
            "Reset the target, or increase --timeout"
        )

    @property
    def _question(self) -> str:
        return f"`{self._command[0]}`"

    @property
    def _known(self) -> str:
        return f"{self._last_message}{self._link.plain_text.reason}{self._symptoms}"
