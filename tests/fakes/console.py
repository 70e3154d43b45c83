"""A target at the end of a serial line that has a bit rate, in its own time: a second implementation of `rate`.

Nothing here waits: time passes when the tool waits for bytes, so that a test of seconds takes milliseconds.
"""

from __future__ import annotations

import json
import random
import zlib

from intercore.link.port import Port

TRIAL = 1.0
"""Seconds in which a complete command must come at a new rate."""


class Console:
    """What the target says at which rate, and what it makes of what it hears at which."""

    def __init__(
        self,
        rates: tuple[int, ...],
        *,
        deaf_at: set[int] = frozenset(),
        garbled_at: set[int] = frozenset(),
        lose_rate_answers: int = 0,
        reset_in_run: bool = False,
        dies_in_run: bool = False,
        computes: float = 0.0,
        seed: int = 1,
    ) -> None:
        self.rates, self.deaf_at, self.garbled_at = rates, deaf_at, garbled_at
        self.lose_rate_answers, self.reset_in_run, self.dies_in_run = lose_rate_answers, reset_in_run, dies_in_run
        self.computes = computes
        """Seconds for which a run is silent, and reads nothing of what is said to it."""
        self.done_at = 0.0
        self.kept: list[tuple[bytes, int | None]] = []
        self.random = random.Random(seed)  # noqa: S311 - repeatable
        self.noise_above = (10**9, 0.0)
        """From which rate on a line is damaged with which probability, both ways."""
        self.damage_next = 0
        self.greets = True
        self.rate = 115200
        self.before = 115200
        self.on_trial = False
        self.deadline = 0.0
        self.fell_back: list[int] = []
        self.commands: list[list[str]] = []
        self.sent: list[tuple[int, bytes]] = []
        """What is on the line, with the rate at which it was sent."""
        self.id = 0
        self.answer: list[bytes] = []
        self.heard = b""
        self.dead = False

    def start(self) -> None:
        """Come out of reset."""
        self.rate, self.on_trial, self.heard, self.id, self.answer = 115200, False, b"", 0, []
        if self.greets:
            self.info(0)

    def tick(self, now: float) -> None:
        if self.on_trial and now >= self.deadline:
            self.fell_back.append(self.rate)
            self.rate, self.on_trial = self.before, False
        if self.done_at and now >= self.done_at:
            self.done_at = 0.0
            self.result()
            kept, self.kept = self.kept, []
            for data, rate in kept:
                self.hear(data, rate, now)

    def hear(self, data: bytes, rate: int | None, now: float) -> None:
        if self.dead:
            return
        if self.done_at:
            self.kept.append((data, rate))
            return
        if rate not in {None, self.rate} or self.rate in self.deaf_at or self.damaged():
            data = b"\xff\x00"
        *lines, self.heard = (self.heard + data).replace(b"\r", b"\n").split(b"\n")
        for line in filter(None, lines):
            text, _, crc = line.rpartition(b" *")
            if crc == b"%08x" % zlib.crc32(text):
                self.on_trial = False
                self.carry_out(text.decode().split(), now)
            else:
                self.put("error", 0, code="bad-crc", text="damaged")

    def damaged(self) -> bool:
        above, probability = self.noise_above
        return self.rate > above and self.random.random() < probability

    # ---- out ----

    def put(self, kind: str, answer_id: int, **fields: object) -> bytes:
        text = json.dumps({"type": kind, "id": answer_id, **fields}, separators=(",", ":")).encode()
        line = text + b" *%08x\r\n" % zlib.crc32(text)
        self.say(line)
        return line

    def say(self, line: bytes) -> None:
        if self.rate in self.garbled_at:
            line = bytes(byte ^ 0x55 for byte in line)
        elif self.damaged() or self.damage_next > 0:
            self.damage_next -= 1
            line = line[:3] + b"?" + line[4:]
        self.sent.append((self.rate, line))

    def add(self, kind: str, **fields: object) -> None:
        self.answer.append(self.put(kind, self.id, i=len(self.answer), **fields))

    # ---- commands ----

    def carry_out(self, words: list[str], now: float) -> None:
        self.commands.append(words)
        answer_id = int(words[-1][3:]) if words[-1].startswith("id=") else 0
        if words[0] == "info":
            self.info(answer_id)
        elif words[0] == "rate":
            self.change(int(words[1]), now)
        elif words[0] == "resend":
            self.resend(int(words[1]), words[2])
        elif words[0] == "run" and answer_id == self.id:
            for line in self.answer:
                self.say(line)
        elif words[0] == "run":
            self.run(answer_id, words, now)

    def change(self, rate: int, now: float) -> None:
        if rate not in self.rates:
            self.put("error", 0, code="bad-value", text="no such rate")
            return
        if self.lose_rate_answers:
            self.lose_rate_answers -= 1
        else:
            text = b'{"type":"rate","rate":%d}' % rate
            self.say(text + b" *%08x\r\n" % zlib.crc32(text))
        self.before, self.rate, self.on_trial, self.deadline = self.rate, rate, True, now + TRIAL

    def resend(self, answer_id: int, ranges: str) -> None:
        if answer_id != self.id or not self.answer:
            self.put("error", answer_id, code="nothing-to-resend", text="nothing")
            return
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            for line in self.answer[int(first) : int(last) + 1 if last else len(self.answer)]:
                self.say(line)

    def info(self, answer_id: int) -> None:
        self.id, self.answer = answer_id, []
        rates = {"rates": list(self.rates), "rate": self.rate} if self.rates else {}
        hello = {"protocol": 2, "firmware": "0", "board": "desk", "chip": "none", "cores": 2, "clock": "virtual"}
        self.add("hello", **hello, hz=10**9, tick_hz=1000, **rates)
        self.add("end", status="ok", checks={})

    def run(self, answer_id: int, words: list[str], now: float) -> None:
        self.id, self.answer = answer_id, []
        self.add("begin", benchmark=words[1])
        for word in words[2:-1]:
            name, _, value = word.partition("=")
            self.add("factor", name=name, value=int(value))
        if self.dies_in_run:
            self.dead = True
            return
        if self.reset_in_run:
            self.reset_in_run = False
            self.start()
            return
        if self.computes:
            self.done_at = now + self.computes
            return
        self.result()

    def result(self) -> None:
        values = random.Random(7)  # noqa: S311 - the same samples each time
        self.add("series", name="t1", unit="tick", clock="virtual", hz=10**9, count=1600)
        for index in range(0, 1600, 16):
            chunk = [values.randrange(10**6) for _ in range(16)]
            self.add("samples", series="t1", unit="tick", index=index, values=chunk)
        self.add("end", status="ok", checks={"done": 10})


class ConsolePort(Port):
    """The tool's end of the line. What comes at another rate than its own is garbage."""

    def __init__(self, console: Console, *, rate: int | None = 115200, possible: set[int] | None = None) -> None:
        self.description = "fake"
        self.rate = rate
        self._possible = possible
        self._console = console
        self._now = 1000.0
        console.start()

    def now(self) -> float:
        return self._now

    def read(self, timeout: float) -> bytes:
        deadline = self._now + timeout
        while not self._console.sent and self._now < deadline:
            self._now = min(self._now + 0.01, deadline)
            self._console.tick(self._now)
        self._now += 0.001
        sent, self._console.sent = self._console.sent, []
        return b"".join(line if self.rate in {None, rate} else b"\xff" * (len(line) // 2) for rate, line in sent)

    def write(self, data: bytes) -> None:
        self._console.tick(self._now)
        self._console.hear(data, self.rate, self._now)

    def set_rate(self, rate: int) -> bool:
        if self.rate is None or (self._possible is not None and rate not in self._possible):
            return False
        self.rate = rate
        return True

    def close(self) -> None:
        pass
