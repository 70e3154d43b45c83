"""A target in Python: a second implementation of docs/protocol.md, written apart from the tool's, with faults to order.

python tests/fakes/target.py [--fault FAULT] [--samples N] [--repetitions N] [--repetition-time S] [--seed N]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import random
import signal
import sys
import threading
import time
import zlib
from typing import IO, Any

FAULTS = {
    "none": "",
    "die": "exits with status 3 in mid-run, after a word on standard error",
    "killed": "is killed by a signal in mid-run",
    "close": "closes its output in mid-run and lives on",
    "hang": "stops in mid-run",
    "mute": "never says a word",
    "dead-end": "answers info, then nothing any more",
    "restart": "restarts in mid-run",
    "silent-restart": "restarts in mid-run, and its greeting is lost",
    "flood-valid": "repeats a valid line for ever",
    "flood-progress": "repeats the same progress for ever",
    "endless-progress": "says for ever, now and then, that it is at the same repetition",
    "endless-repetitions": "does more repetitions than it was asked for, without end",
    "endless-plan": "is asked for one repetition more with each that it does",
    "flood-garbage": "sends lines of garbage for ever",
    "flood-endless": "sends one line without an end",
    "flood-line": "repeats the first line of its answer for ever",
    "many-conditions": "says 20,000 conditions",
    "many-benchmarks": "offers 21,000 benchmarks",
    "many-series": "announces 6,000 series without a sample",
    "version-1": "speaks protocol version 1",
    "version-3": "speaks protocol version 3",
    "noise": "puts garbage and truncated lines between good ones",
    "wrong-crc": "sends a wrong CRC once",
    "lose-begin": "loses all lines before the samples, the first time",
    "lose-tail": "loses the last lines, the first time",
    "lie-count": "announces more samples than it sends",
    "lie-huge-count": "announces 2^62 samples",
    "lie-index": "leaves out samples",
    "lie-end": "ends before its last line",
    "lie-number": "numbers a line beyond all bounds",
    "lie-factor": "runs at another setting than it was asked for",
    "lie-status": "calls a wrong result ok",
    "lie-overhead": "sends a timestamp overhead for no core",
    "lie-unit": "announces a series in another unit than that of its samples",
    "lie-overhead-unit": "sends a timestamp overhead that is no duration",
    "unknown-unit": "sends samples in a unit that there is not",
    "lie-twice": "announces a series twice",
    "wrong-type": "sends text for a number",
    "huge-number": "sends a sample of 400 digits",
    "lie-impossible": "calls a setting impossible that it was not asked about",
    "float": "sends a sample with a fraction",
    "deep": "sends JSON of a hundred levels",
    "not-json": "sends what is not JSON under a right CRC",
    "not-utf8": "sends what is not UTF-8 under a right CRC",
    "control": "sends an escape sequence in a text",
    "bidi": "sends what turns the direction of writing",
    "unknown-type": "sends a line of a type that does not exist",
    "refuse": "refuses to run",
    "fail": "begins and then fails",
    "extremes": "sends the smallest and the largest sample that there are",
    "negative": "sends times below 0",
    "all-zero": "sends times of 0",
    "overlong": "sends times that are longer than the run took",
    "wrong-line": "sends a line with the same wrong CRC each time",
    "long-line": "sends a line that is too long, under a right CRC",
    "leave-out": "sends a line twice and never the next",
    "left-over": "is busy with the run of a tool that was killed",
}
IMPOSSIBLE = {"negative": -(2**63), "all-zero": 0, "overlong": 10**15}
"""Samples by the fault that sends nothing else."""
SERIES = ("t1", "tp", "timestamp_overhead.0", "timestamp_overhead.1")
PARAMETERS: dict[str, dict[str, Any]] = {
    "workload": {"kind": "choice", "default": "fp", "help": "what is computed", "choices": ["fp", "integer"]},
    "n": {"kind": "integer", "default": "1000", "help": "size", "min": 1, "max": 1000000},
}
CONDITIONS = {"cpu": "a fake", "flags": "-O2 " + "-fno-such-thing " * 20, "unicode": "1 \u00b5s"}


def sealed(text: bytes) -> bytes:
    return text + b" *%08x\r\n" % zlib.crc32(text)


class Target:
    def __init__(self, receive: IO[bytes], send: IO[bytes], options: argparse.Namespace) -> None:
        self.send = send
        self.options = options
        self.fault = options.fault
        self.once = self.fault
        self.random = random.Random(options.seed)  # noqa: S311 - repeatable
        self.id = 0
        self.answer: list[bytes] = []
        self.commands: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.heard_in_run = 0
        threading.Thread(target=self.listen, args=(receive,), daemon=True).start()

    def listen(self, receive: IO[bytes]) -> None:
        rest = b""
        while data := receive.read(4096):
            *lines, rest = (rest + data).replace(b"\r", b"\n").split(b"\n")
            for line in lines:
                if line:
                    self.commands.put(line)
        self.commands.put(None)

    # ---- out ----

    def put(self, data: bytes) -> None:
        if self.fault == "noise":
            noise = bytes(self.random.randrange(1, 256) for _ in range(self.random.randrange(0, 80)))
            noise = noise.replace(b"\n", b"?") + b"\r\n" if self.random.random() < 0.5 else b'{"type":"sam\r\n'
            data = noise + (data[:-9] + b"\r\n" if self.random.random() < 0.3 else data)
        self.send.write(data)
        self.send.flush()

    def say(self, kind: str, answer_id: int, /, **fields: object) -> None:
        self.put(self.line(kind, answer_id, **fields))

    def line(self, kind: str, answer_id: int, /, **fields: object) -> bytes:
        return sealed(json.dumps({"type": kind, "id": answer_id, **fields}, separators=(",", ":")).encode())

    def error(self, answer_id: int, code: str, text: str = "") -> None:
        self.say("error", answer_id, code=code, text=text or f"because of {code}")

    def add(self, kind: str, /, **fields: object) -> bytes:
        self.answer.append(self.line(kind, self.id, i=len(self.answer), **fields))
        return self.answer[-1]

    # ---- in ----

    def serve(self) -> None:
        if self.fault == "mute":
            time.sleep(60)
        self.info(0)
        if self.fault == "left-over":
            self.run_left_over()
        while (line := self.commands.get()) is not None:
            self.carry_out(line)

    def parse(self, line: bytes) -> tuple[list[str], int] | None:
        if len(line) > 400:
            self.error(0, "too-long")
            return None
        text, star, crc = line.rpartition(b" *")
        if b"*" in line and not (star and crc.lower() == b"%08x" % zlib.crc32(text)):
            self.error(0, "bad-crc")
            return None
        try:
            words = (text if star else line).decode("ascii").split()
        except UnicodeDecodeError:
            self.error(0, "syntax")
            return None
        ids = [word[3:] for word in words if word.startswith("id=")]
        if ids and not ids[0].isdigit():
            self.error(0, "bad-value")
            return None
        return [word for word in words if not word.startswith("id=")], int(ids[0]) if ids else 0

    def carry_out(self, line: bytes) -> None:
        parsed = self.parse(line)
        if parsed is None:
            return
        words, answer_id = parsed
        command = words[0] if words else ""
        if command == "resend":
            self.resend(words)
        elif answer_id and answer_id == self.id and self.answer:
            self.put(b"".join(self.answer))
        elif command == "info":
            self.info(answer_id)
        elif command == "list":
            self.offer(answer_id)
        elif command == "run":
            self.run(answer_id, words[1:])
        elif command == "check" and self.options.impossible is not None:
            self.check(answer_id, words[1:])
        elif command == "abort":
            self.error(answer_id, "unsupported")
        else:
            self.error(answer_id, "unknown-command")

    def begin_answer(self, answer_id: int) -> None:
        self.id = answer_id
        self.answer = []

    def info(self, answer_id: int) -> None:
        self.begin_answer(answer_id)
        version = {"version-1": {"protocol": 1, "greeting": "hi"}, "version-3": {"protocol": 3, "greeting": "hi"}}.get(
            self.fault
        )
        hello = {"board": "desk", "chip": "none", "cores": 2, "clock": "perf", "hz": 10**9, "tick_hz": 100}
        self.put(self.add("hello", **(version or {"protocol": 2, "firmware": "0.0.1", **hello})))
        for key, value in CONDITIONS.items():
            for part, at in enumerate(range(0, len(value), 100)):
                self.put(self.add("condition", key=key, part=part, value=value[at : at + 100]))
        if self.fault == "many-conditions" and answer_id:
            self.put(b"".join(self.add("condition", key=f"k{i}", part=0, value="v" * 100) for i in range(20_000)))
        self.put(self.add("end", status="ok", checks={}))

    def offer(self, answer_id: int) -> None:
        self.begin_answer(answer_id)
        self.add("benchmark", name=self.options.benchmark, summary="what a fake is asked for")
        for name, fields in PARAMETERS.items():
            self.add("parameter", benchmark=self.options.benchmark, name=name, **fields)
        for i in range(21_000 if self.fault == "many-benchmarks" else 0):
            self.add("benchmark", name=f"b{i}", summary="one of many")
        self.add("end", status="ok", checks={})
        if self.fault == "dead-end":
            time.sleep(60)
        self.put(b"".join(self.answer))

    def check(self, answer_id: int, words: list[str]) -> None:
        """Say which settings are impossible: those with n= above a bound."""
        self.begin_answer(answer_id)
        levels = {name: [str(fields["default"])] for name, fields in PARAMETERS.items()}
        levels |= {name: some.split(",") for name, _, some in (word.partition("=") for word in words[1:])}
        number = 0
        for n in levels["n"]:
            for _ in levels["workload"]:  # which turns fastest
                if int(n) > self.options.impossible:
                    self.add(
                        "impossible", setting=number, code="out-of-range", text=f"n is above {self.options.impossible}"
                    )
                number += 1
        if self.fault == "lie-impossible":
            self.add("impossible", setting=number, code="out-of-range", text="beyond the last")
        self.add("end", status="ok", checks={})
        self.put(b"".join(self.answer))

    def resend(self, words: list[str]) -> None:
        try:
            answer_id, wanted = int(words[1]), words[2]
            pairs = [(*part.split("-"), "")[:2] for part in wanted.split(",")]
            ranges = [(int(first), int(last) if last else len(self.answer) - 1) for first, last in pairs]
        except (IndexError, ValueError):
            self.error(0, "syntax")
            return
        if answer_id != self.id or not self.answer:
            self.error(answer_id, "nothing-to-resend")
            return
        for first, last in ranges:
            self.put(b"".join(self.answer[first : last + 1]))

    # ---- a run ----

    def run(self, answer_id: int, words: list[str]) -> None:
        if not words or words[0] != self.options.benchmark:
            self.error(answer_id, "unknown-benchmark", "there is no such benchmark")
            return
        factors: dict[str, Any] = {name: fields["default"] for name, fields in PARAMETERS.items()}
        for word in words[1:]:
            name, equals, value = word.partition("=")
            if not equals:
                self.error(answer_id, "syntax")
                return
            if name not in factors or (name == "n" and not value.isdigit()):
                self.error(answer_id, "unknown-parameter" if name not in factors else "bad-value")
                return
            factors[name] = value
        if self.fault == "refuse":
            self.error(answer_id, "unsupported", "this target measures nothing")
            return
        factors["n"] = int(factors["n"]) + (self.fault == "lie-factor")
        self.begin_answer(answer_id)
        self.add("begin", benchmark=self.options.benchmark)
        for name, value in factors.items():
            self.add("factor", name=name, value=value)
        if self.once != "lose-begin":
            self.put(b"".join(self.answer))
        self.say("log", 0, text="scheduler policy: other")
        self.heard_in_run = 0
        status = self.repeat(answer_id)
        if status is not None:
            self.say("log", answer_id, text="what the samples say, for who types commands")
            self.result(status, int(factors["n"]))

    def repeat(self, answer_id: int) -> str | None:
        """Pass the time of the repetitions; return the status, None if the run ends without one."""
        repetitions = self.options.repetitions
        for done in range(repetitions):
            time.sleep(self.options.repetition_time)
            if done == repetitions // 2 and not self.misbehave(answer_id):
                return None
            while not self.commands.empty():
                line = self.commands.get()
                if line is None:
                    sys.exit(0)
                self.heard_in_run += 1
                parsed = self.parse(line)
                if parsed is not None and parsed[0][:1] == ["abort"]:
                    return "aborted"
                if parsed is not None:
                    self.error(parsed[1], "busy", "a run is under way")
            if not self.options.no_progress:
                self.say("progress", answer_id, done=done + 1, of=repetitions)
        return "ok"

    def misbehave(self, answer_id: int) -> bool:
        """Commit the faults of the middle of a run; return whether the run goes on."""
        if self.fault == "die":
            sys.stderr.write("assertion failed: the moon is full\n")
            os._exit(3)
        if self.fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "close":
            os.close(1)
            time.sleep(60)
        if self.fault == "hang":
            time.sleep(60)
        if self.fault in {"restart", "silent-restart"}:
            self.begin_answer(0)
            if self.fault == "restart":
                self.info(0)
            return False
        if self.fault == "fail":
            self.error(answer_id, "failed", "no memory for a second task")
            return False
        repetitions = self.options.repetitions
        counted = {
            "endless-progress": ((repetitions // 2, repetitions) for _ in itertools.count()),
            "endless-repetitions": ((done, repetitions) for done in itertools.count()),
            "endless-plan": ((done, done + 1) for done in itertools.count()),
        }
        for done, of in counted.get(self.fault, ()):
            self.say("progress", answer_id, done=done, of=of)
            time.sleep(0.005)
        floods = {
            "flood-valid": self.line("log", 0, text="again") * 500,
            "flood-progress": self.line("progress", answer_id, done=0, of=repetitions) * 500,
            "flood-garbage": b"\x00\xff no line of ours \x1b[2J\n" * 1000,
            "flood-endless": b"x" * 65536,
            "flood-line": b"" if not self.answer else self.answer[0] * 500,
        }
        while self.fault in floods:
            self.put(floods[self.fault])
        return True

    def result(self, status: str, n: int) -> None:
        samples = random.Random(n)  # noqa: S311 - the same samples at the same setting, however bad the link
        count = self.options.samples
        shown = {name: name for name in SERIES}
        if self.fault == "lie-overhead":
            shown["timestamp_overhead.0"] = "timestamp_overhead.zero"
        for name in [*SERIES, "t1"] if self.fault == "lie-twice" else SERIES:
            units = {"lie-unit": "count", "lie-overhead-unit": "core" if name == "timestamp_overhead.0" else "tick"}
            unit = units.get(self.fault, "tick")
            told = {"lie-count": count + 1, "lie-huge-count": 2**62}.get(self.fault, count)
            self.add("series", name=shown[name], unit=unit, clock="common", hz=10**9, count=told)
        for name in SERIES:
            values = [samples.randrange(10**4, 10**5) for _ in range(count)]
            if self.fault == "extremes" and name == "timestamp_overhead.0":
                values = [-(2**63), 2**63 - 1, *values[2:]]
            values = [IMPOSSIBLE.get(self.fault, value) for value in values]
            for index in range(0, count, 16):
                if self.fault != "lie-index" or index != 16:
                    some = values[index : index + 16]
                    unit = "core" if self.fault == "lie-overhead-unit" and name == "timestamp_overhead.0" else "tick"
                    self.add("samples", series=shown[name], unit=unit, index=index, values=some)
        for i in range(6_000 if self.fault == "many-series" else 0):
            self.add("series", name=f"more{i}", unit="tick", clock="common", hz=1, count=0)
        checks = {"repetitions": 10, "done": 10, "checked": 20, "wrong": int(self.fault == "lie-status")}
        self.add("end", status=status, checks={**checks, "heard_in_run": self.heard_in_run})
        self.corrupt()
        lines = self.answer
        if self.once == "lose-tail":
            lines = lines[:-5]
        elif self.once == "wrong-crc":
            lines = [*lines[:9], lines[9][:-3] + (b"0" if lines[9][-3:-2] != b"0" else b"1") + b"\r\n", *lines[10:]]
        self.once = "none"
        begun = 1 + len(PARAMETERS)
        self.put(b"".join(lines[begun:]))

    def corrupt(self) -> None:
        """Replace a line of the answer by something that no target may send, under a right CRC."""
        start = f'{{"type":"samples","id":{self.id},"i":9,"series":"t1","unit":"tick","index":0,"values":'
        bad = {
            "wrong-type": start.encode() + b'["1"]}',
            "huge-number": start.encode() + b"[" + b"9" * 300 + b"]}",
            "float": start.encode() + b"[1.5]}",
            "deep": start.encode() + b"[" * 100 + b"]" * 100 + b"}",
            "not-json": b"hello?",
            "not-utf8": start.encode().replace(b"t1", b"t\xff") + b"[1]}",
            "control": b'{"type":"log","id":0,"text":"\\u001b[2J"}',
            "bidi": b'{"type":"log","id":0,"text":"\\u202etxt.exe"}',
            "unknown-type": b'{"type":"gift","id":%d,"i":9}' % self.id,
            "unknown-unit": start.replace("tick", "parsec").encode() + b"[1]}",
            "lie-end": b'{"type":"end","id":%d,"i":9,"status":"ok","checks":{}}' % self.id,
            "lie-number": start.replace('"i":9', '"i":4000000000').encode() + b"[1]}",
        }.get(self.fault)
        if bad is not None:
            self.answer[9] = sealed(bad)
        elif self.fault == "wrong-line":
            self.answer[9] = self.answer[9].rpartition(b" *")[0] + b" *00000000\r\n"
        elif self.fault == "long-line":
            self.answer[9] = sealed(start.encode() + b"[" + b"1," * 300 + b"1]}")
        elif self.fault == "leave-out":
            self.answer[9] = self.answer[8]

    def run_left_over(self) -> None:
        self.begin_answer(4242)
        self.add("begin", benchmark=self.options.benchmark)
        if self.repeat(4242) == "aborted":
            self.result("aborted", 1)


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=FAULTS, default="none")
    parser.add_argument("--benchmark", default="example", help="its name: by default one that the desk does not know")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--repetition-time", type=float, default=0.002)
    parser.add_argument("--no-progress", action="store_true")
    parser.add_argument("--impossible", type=int)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    Target(os.fdopen(0, "rb", 0), sys.stdout.buffer, options(*sys.argv[1:])).serve()
