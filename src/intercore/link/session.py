"""A session with one target: queries its properties and benchmarks, and runs measurements."""

from __future__ import annotations

import math
import secrets
from collections import defaultdict
from contextlib import suppress
from itertools import chain, product
from typing import TYPE_CHECKING, Literal, Self

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.link.exchange import Exchange, TargetRestartedError, UnknownCommandError
from intercore.link.link import Link
from intercore.link.port import CONTACT_TIMEOUT, DEFAULT_TIMEOUT, ProtocolError
from intercore.link.protocol import (
    Begin,
    Benchmark,
    Condition,
    End,
    Factor,
    Hello,
    Impossible,
    Numbered,
    Parameter,
    Samples,
    SeriesHead,
)
from intercore.link.rate import RateControl
from intercore.link.recorded import read_recording
from intercore.record.measurement import SPOILING_CHECKS, TIMESTAMP_OVERHEAD_PREFIX, Series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from intercore.link.link import Statistics
    from intercore.link.port import Port
    from intercore.record.measurement import Level
    from intercore.record.trace_recording import Recording

FIRST_ID = 10**9
"""Ids have ten digits, so that a truncated id is never another answer's."""
_CHECK_LENGTH = 350
"""Most characters of a command that checks settings, without its CRC: well below the limit of targets."""
_CHECK_LEVELS = 16
"""Most values of a parameter in it, and most settings: the limits of targets (docs/protocol.md)."""
_CHECK_SETTINGS = 4096


class Info(msgspec.Struct, frozen=True):
    """A target's description of itself."""

    hello: Hello
    conditions: dict[str, str]


class ParameterInfo(msgspec.Struct, frozen=True):
    """A parameter of a benchmark: an integer with both bounds, or one of several choices."""

    name: str
    kind: Literal["integer", "choice"]
    default: str
    help: str
    min: int | None
    max: int | None
    choices: tuple[str, ...]


class BenchmarkInfo(msgspec.Struct, frozen=True):
    """A benchmark that a target offers."""

    name: str
    summary: str
    parameters: tuple[ParameterInfo, ...]
    refused: str = ""
    """Why the target cannot measure it at all; empty if it can."""


class ImpossibleSetting(msgspec.Struct, frozen=True):
    """A setting that a target cannot measure, and why."""

    factors: dict[str, Level]
    """The factors in the query."""
    why: str


class Answer(msgspec.Struct, frozen=True, eq=False):
    """The result of a measurement: complete and consistent."""

    factors: dict[str, Level]
    """The setting in full, defaults included."""
    series: tuple[Series, ...]
    checks: dict[str, int]
    status: Literal["ok", "aborted", "failed"]


class Session:
    """A session with the target behind a port. All failures raise IntercoreError."""

    def __init__(
        self,
        port: Port,
        timeout: float = DEFAULT_TIMEOUT,
        on_log: Callable[[str], None] | None = None,
        *,
        repeatable: bool = False,
        contact_timeout: float = CONTACT_TIMEOUT,
        symptoms: Callable[[], str] = lambda: "",
    ) -> None:
        """Use `port`, which the caller closes; `on_log` gets the target's messages for the user.

        `repeatable` makes the session deterministic, for a target that is powered up for this session only.
        `contact_timeout` is the longest silence without a computation, and `symptoms` returns a clause with the
        observable state of a target that hangs.
        """
        self._link = Link(port)
        self._rate = RateControl(self._link, self._hear_hello)
        self._repeatable = repeatable
        self._timeout = timeout
        self._contact_timeout = contact_timeout
        self._symptoms = symptoms
        self._on_log = on_log
        self._met = False
        # From a random start, so that no answer of an earlier session is mistaken for one of this session.
        self._last_id = FIRST_ID + (0 if repeatable else secrets.randbelow(3 * 10**9))

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Without an error, restore the bit rate after a reset, which the next session expects."""
        if kind is None and not self._repeatable:
            with suppress(IntercoreError):
                self._rate.restore()

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state of this end of the session.

        If the target is restored as well, the exchanges since then have no effect on the next ones.
        """
        restore_link, last_id = self._link.snapshot(), self._last_id

        def restore() -> None:
            restore_link()
            self._last_id = last_id

        return restore

    @property
    def statistics(self) -> Statistics:
        """Counters of the link."""
        return self._link.statistics

    def info(self) -> Info:
        """Query the target's description."""
        timeout = min(self._timeout, self._contact_timeout)
        try:
            lines = self._ask(["info"], timeout)
        except TargetRestartedError:  # opening the port resets many boards
            lines = self._ask(["info"], timeout)
        return _read_info(lines)

    def raise_rate(self, limit: int | None = None) -> None:
        """Switch to the highest bit rate of both ends of a serial line, at most `limit`, if the port has a rate."""
        if self.rate is not None:
            self._rate.raise_to(limit, self.info().hello)

    @property
    def rate(self) -> int | None:
        """Present bits per second of the line; None if it has no rate."""
        return self._link.port.rate

    @property
    def now(self) -> float:
        """The time for timeouts in seconds: of this machine, or simulated time."""
        return self._link.now()

    def benchmarks(self) -> list[BenchmarkInfo]:
        """Query the target's benchmarks."""
        return _read_benchmarks(self._ask(["list"], min(self._timeout, self._contact_timeout)))

    def check(self, benchmark: BenchmarkInfo, levels: Mapping[str, Sequence[Level]]) -> list[ImpossibleSetting]:
        """Query which settings of a grid the target cannot measure, and why; unnamed parameters have their defaults.

        A target without this command is assumed to measure all of them, and refuses later if it cannot.
        """
        known = {
            parameter.name: levels[parameter.name] for parameter in benchmark.parameters if parameter.name in levels
        }
        impossible = []
        for grid in _askable(benchmark.name, known):
            words = ["check", benchmark.name, *(f"{name}={','.join(map(str, some))}" for name, some in grid.items())]
            try:
                lines = self._ask(words, min(self._timeout, self._contact_timeout))
            except UnknownCommandError:
                return []
            impossible += _read_impossible(lines, grid)
        return impossible

    def measure(
        self,
        benchmark: str,
        parameters: Mapping[str, Level],
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Answer:
        """Run a benchmark at one setting; `on_progress` gets repetitions done and requested. Ctrl-C aborts it."""
        return self._measure("run", benchmark, parameters, on_progress)

    def record(
        self,
        benchmark: str,
        parameters: Mapping[str, Level],
        on_progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Answer, Recording]:
        """Run a benchmark as `measure` does, with the target's recorder on; also return the recording.

        Raises UnknownCommandError if the target's program has none.
        """
        answer = self._measure("record", benchmark, parameters, on_progress)
        return answer, read_recording(self._ask(["trace"], min(self._timeout, self._contact_timeout)))

    def _measure(
        self,
        word: str,
        benchmark: str,
        parameters: Mapping[str, Level],
        on_progress: Callable[[int, int], None] | None,
    ) -> Answer:
        words = [word, benchmark, *(f"{name}={value}" for name, value in parameters.items())]
        whole, bad = self.statistics.lines, self.statistics.bad_lines
        try:
            lines = self._ask(words, self._timeout, on_progress)
        except KeyboardInterrupt:
            with suppress(IntercoreError):
                self.abort()
            raise
        self._rate.after(self.statistics.lines - whole, self.statistics.bad_lines - bad)
        return _read_answer(lines, benchmark, parameters)

    def abort(self) -> None:
        """Make the target end its run after the current repetition."""
        self._link.send(["abort"])

    def _ask(
        self,
        words: Sequence[str],
        timeout: float,
        on_progress: Callable[[int, int], None] | None = None,
        *,
        search_rates: bool = True,
    ) -> list[Numbered]:
        self._last_id += 1
        with self._link.port.turn(self._on_log):
            exchange = Exchange(
                self._link,
                words,
                self._last_id,
                timeout=timeout,
                fresh=not self._met,
                search_rates=search_rates,
                on_progress=on_progress,
                on_log=self._on_log,
                symptoms=self._symptoms,
            )
            lines = exchange.carry_out()
        self._met = True
        return lines

    def _hear_hello(self, timeout: float) -> Hello:
        return _read_info(self._ask(["info"], timeout, search_rates=False)).hello


# ---- decoding of answers ----


def _broken(what: str) -> ProtocolError:
    return ProtocolError(
        f"the target violates the Intercore protocol: {what}. Rebuild the target's firmware with this version of the "
        "tool"
    )


def _read_info(lines: Iterable[Numbered]) -> Info:
    hello: Hello | None = None
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        if isinstance(line, Hello) and hello is None:
            hello = line
        elif isinstance(line, Condition):
            if line.part != len(parts[line.key]):
                raise _broken(f"part {line.part} of condition {line.key} comes after {len(parts[line.key])} others")
            parts[line.key].append(line.value)
        elif not isinstance(line, End):
            raise _unexpected(line, "info")
    if hello is None:
        raise _broken("the answer to `info` has no line `hello`")
    return Info(hello, {key: "".join(values) for key, values in parts.items()})


def _read_benchmarks(lines: Iterable[Numbered]) -> list[BenchmarkInfo]:
    summaries: dict[str, Benchmark] = {}
    parameters: defaultdict[str, dict[str, ParameterInfo]] = defaultdict(dict)
    for line in lines:
        if isinstance(line, Benchmark) and line.name not in summaries:
            summaries[line.name] = line
        elif isinstance(line, Parameter) and line.benchmark in summaries:
            parameters[line.benchmark][line.name] = _read_parameter(line)
        elif not isinstance(line, End):
            raise _unexpected(line, "list")
    return [
        BenchmarkInfo(name, line.summary, tuple(parameters[name].values()), line.refused or "")
        for name, line in summaries.items()
    ]


def _read_parameter(line: Parameter) -> ParameterInfo:
    if line.kind == "integer" and (line.min is None or line.max is None or line.min > line.max):
        raise _broken(f"parameter {line.name} of {line.benchmark} has no range")
    if line.kind == "choice" and not line.choices:
        raise _broken(f"parameter {line.name} of {line.benchmark} has no choices")
    return ParameterInfo(line.name, line.kind, str(line.default), line.help, line.min, line.max, line.choices)


def _askable(benchmark: str, grid: Mapping[str, Sequence[Level]]) -> Iterator[Mapping[str, Sequence[Level]]]:
    """Split a grid into parts that fit in one command, by halving the longest list of levels repeatedly."""
    length = len(f"check {benchmark} id={FIRST_ID}") + sum(2 + len(name) + _length(grid[name]) for name in grid)
    most = max(map(len, grid.values()), default=1)
    settings = math.prod(len(levels) for levels in grid.values())
    if (length <= _CHECK_LENGTH and most <= _CHECK_LEVELS and settings <= _CHECK_SETTINGS) or most == 1:
        yield grid
        return
    longest = max(grid, key=lambda name: (len(grid[name]) > _CHECK_LEVELS, len(grid[name]) > 1, _length(grid[name])))
    half = len(grid[longest]) // 2
    yield from _askable(benchmark, {**grid, longest: grid[longest][:half]})
    yield from _askable(benchmark, {**grid, longest: grid[longest][half:]})


def _length(levels: Sequence[Level]) -> int:
    return sum(len(str(level)) + 1 for level in levels)


def _read_impossible(lines: Iterable[Numbered], grid: Mapping[str, Sequence[Level]]) -> list[ImpossibleSetting]:
    # The first parameter varies fastest.
    settings = [
        dict(zip(grid, reversed(levels), strict=True))
        for levels in product(*(grid[name] for name in reversed(list(grid))))
    ]
    impossible: dict[int, ImpossibleSetting] = {}
    for line in lines:
        if isinstance(line, Impossible) and line.setting < len(settings) and line.setting not in impossible:
            impossible[line.setting] = ImpossibleSetting(settings[line.setting], line.text or line.code)
        elif not isinstance(line, End):
            raise _unexpected(line, "check")
    return list(impossible.values())


def _read_answer(lines: Sequence[Numbered], benchmark: str, parameters: Mapping[str, Level]) -> Answer:
    factors: dict[str, Level] = {}
    heads: dict[str, SeriesHead] = {}
    values: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
    taken: defaultdict[str, int] = defaultdict(int)
    end = End(0, 0)
    if not isinstance(lines[0], Begin):
        raise _unexpected(lines[0], f"run {benchmark}")
    for line in lines:
        if isinstance(line, Samples):
            if line.series not in heads or line.index != taken[line.series]:
                raise _broken(f"samples from {line.index} of series {line.series!r} after {taken[line.series]} others")
            if line.unit != heads[line.series].unit:
                raise _broken(f"samples in {line.unit} of series {line.series}, which is in {heads[line.series].unit}")
            taken[line.series] += len(line.values)
            values[line.series].append(line.values)
        elif isinstance(line, SeriesHead) and line.name not in heads:
            heads[line.name] = line
        elif isinstance(line, Factor) and line.name not in factors:
            factors[line.name] = line.value
        elif isinstance(line, End):
            end = line
        elif not (isinstance(line, Begin) and line.benchmark == benchmark and line.i == 0):
            raise _unexpected(line, f"run {benchmark}")
    for name, level in parameters.items():
        if str(factors.get(name)) != str(level):
            raise _broken(f"{name}={level} was requested, but the target ran with {name}={factors.get(name)}")
    if end.status == "ok" and any(end.checks.get(check) for check in SPOILING_CHECKS):
        raise _broken(f"a run ended with the status `ok` although checks failed ({end.checks})")
    series = tuple(_read_series(head, values[name], taken[name]) for name, head in heads.items())
    return Answer(factors, series, end.checks, end.status)


def _read_series(head: SeriesHead, values: list[tuple[int, ...]], taken: int) -> Series:
    if head.count != taken:
        raise _broken(f"series {head.name} has {taken} of {head.count} announced samples")
    core = head.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX)
    if core != head.name and not (core.isascii() and core.isdigit()):
        raise _broken(f"series {head.name} names no core")
    if core != head.name and head.unit != "tick":
        raise _broken(
            f"series {head.name} is a timestamp overhead, but the unit of the series is {head.unit}, not tick"
        )
    ticks = np.fromiter(chain.from_iterable(values), np.int64, taken)
    ticks.setflags(write=False)
    return Series(head.name, head.clock, head.hz, ticks, head.unit)


def _unexpected(line: Numbered, command: str) -> ProtocolError:
    kind = type(line).__struct_config__.tag
    return _broken(f"line {line.i} of the answer to `{command}`, a `{kind}`, is out of place")
