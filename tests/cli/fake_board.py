"""A board in Python: tests/fakes/target.py with all parameters of the benchmark, and faults from a given run on.

python tests/cli/fake_board.py [--after RUNS] [--condition KEY=VALUE] [--meet FOLDER] [options of tests/fakes/target.py]

python tests/cli/fake_board.py --start-over DESCRIPTOR: be such a board at each connection that a socket hands over.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes import target as fake_target

MORE_FAULTS = {
    "wrong": "sends a result that it calls wrong",
    "aborted": "has its run aborted by somebody else",
    "babble": "stops in mid-run and logs now and then",
}
MORE_PARAMETERS: dict[str, dict[str, Any]] = {
    "cores": {"kind": "integer", "default": "2", "help": "P", "min": 1, "max": 2},
    "mode": {"kind": "choice", "default": "create", "help": "how", "choices": ["create", "pool", "spin"]},
    "join": {"kind": "choice", "default": "notify", "help": "how", "choices": ["notify", "poll-tick"]},
    "seed": {"kind": "integer", "default": "1", "help": "of the dither", "min": 0, "max": 2**32 - 1},
}


MEETING_S = 60.0
MOST_WORDS = 4096


class Board(fake_target.Target):
    """Misbehaves from one run on only, and has all parameters."""

    runs = 0
    after = 0
    meet: Path | None = None

    def run(self, answer_id: int, words: list[str]) -> None:
        self.runs += 1
        if self.meet is not None and self.runs == 1:
            meet_another_in(self.meet)
        self.fault = self.once = self.options.fault if self.runs > self.after else "none"
        super().run(answer_id, words)

    def repeat(self, answer_id: int) -> str | None:
        status = super().repeat(answer_id)
        if status == "ok":
            return {"wrong": "failed", "aborted": "aborted"}.get(self.fault, status)
        return status

    def misbehave(self, answer_id: int) -> bool:
        while self.fault == "babble":
            self.say("log", 0, text="tick")
            time.sleep(0.05)
        return super().misbehave(answer_id)

    def add(self, kind: str, /, **fields: Any) -> bytes:  # noqa: ANN401 - whatever JSON has
        if kind == "factor" and fake_target.PARAMETERS[fields["name"]]["kind"] == "integer":
            fields["value"] = int(fields["value"])
        if kind == "end" and self.fault == "wrong" and "checks" in fields:
            fields["checks"] = {**fields["checks"], "wrong": 3}
        return super().add(kind, **fields)


def meet_another_in(folder: Path) -> None:
    """Wait until another board has begun a run as well; end if none does, since then they take turns."""
    (folder / str(os.getpid())).touch()
    deadline = time.monotonic() + MEETING_S
    while len(list(folder.iterdir())) < 2:
        if time.monotonic() > deadline:
            sys.exit("no other board is in a run")
        time.sleep(0.01)


def start_over(handed: socket.socket) -> NoReturn:
    """Be a board at each connection that comes with the words of a command line.

    In a fork: a program that is started anew is silent for seconds where others keep the processors busy.
    """
    handed.sendall(b"ready")
    while True:
        words, connections, *_ = socket.recv_fds(handed, MOST_WORDS, 1)
        if not words:
            sys.exit()
        (connection,) = connections
        if os.fork() == 0:
            handed.close()
            os.dup2(connection, 0)
            os.dup2(connection, 1)
            os.close(connection)
            main(json.loads(words))
            os._exit(0)
        os.close(connection)


def main(words: list[str]) -> None:
    arguments = dict(zip(words[::2], words[1::2], strict=True))
    if "--start-over" in arguments:
        start_over(socket.socket(fileno=int(arguments["--start-over"])))
    after = int(arguments.pop("--after", 0))
    meet = arguments.pop("--meet", None)
    key, _, value = arguments.pop("--condition", "cpu=a fake").partition("=")
    fake_target.CONDITIONS[key] = value
    fake_target.FAULTS.update(MORE_FAULTS)
    if arguments.pop("--parameters", "all") == "all":
        fake_target.PARAMETERS.update(MORE_PARAMETERS)
    arguments.setdefault("--repetitions", "2")
    rest = [word for pair in arguments.items() for word in pair]
    board = Board(open(0, "rb", 0), open(1, "wb"), fake_target.options(*rest))  # noqa: SIM115
    board.after = after
    board.meet = None if meet is None else Path(meet)
    # Before the first run only what misbehaves outside of runs does, unless it is to begin later.
    board.fault = board.once = board.options.fault if after == 0 else "none"
    board.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
