"""The tool as a user starts it: as a program, or forked from a copy that is loaded already, which saves half a second.

The forked tool differs from the program only in that its imports are done. What depends on more than that (terminals,
pipes, signals from a terminal, the very end of a process) is tested on the program.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import pkgutil
import resource
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import pytest

from intercore import benchmarks
from intercore.cli.main import COMMANDS, main
from tests.built_once import ROOT
from tests.signals import not_ignored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.context import ForkServerProcess

PROGRAM = Path(sys.executable).with_name("intercore")
PATIENCE = 240.0
"""Seconds after which a command counts as hung; none takes more than a few on a machine that does nothing else."""
TOKEN = "INTERCORE_TEST_TOKEN"  # noqa: S105 - marks the processes that a test has started
NOBODY = 65534
PRELOADED = [
    "__main__",
    "tests.cli.tool",  # which each fork would load for itself, and pytest with it
    "intercore.cli.main",
    *(f"intercore.cli.{module}" for module, _ in COMMANDS.values()),
    *(each.name for each in pkgutil.walk_packages(benchmarks.__path__, "intercore.benchmarks.")),
    "intercore.target.opening",
    "intercore.target.simulated_chip",
    "intercore.page.page",
    "intercore.record.export.table",  # and polars with it
    "intercore.sim.simulator",
    "encodings.idna",
    "encodings.unicode_escape",
    "importlib.readers",  # nobody may not read the Python of a root that keeps it at home
    "rich._emoji_codes",
    "rich.status",
    "typer.rich_utils",
]
QUICK = ("clock", "from=0", "to=0", "longest_us=10,20,30,40,50,60", "samples=5", "dither_us=10", "--repetitions", "1")
"""A benchmark and its levels: a run of six measurements that takes a few milliseconds, on one core as well."""

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(PRELOADED)


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    status: int
    """Exit status, negative if a signal ended it."""
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever JSON has
        """Standard output as one JSON document: NaN and infinity are not JSON."""
        return strict_json(self.out)

    @property
    def error(self) -> str:
        """The one line of standard error that says what is wrong."""
        (line,) = [line for line in self.err.splitlines() if line.startswith("error: ")]
        return line

    def succeeded(self) -> Result:
        assert self.status == 0, self
        assert "Traceback" not in self.err
        return self

    def failed(self, status: int) -> Result:
        """Ended with `status`, and a sentence for a person as its last words."""
        assert "Traceback" not in self.err, self.err
        assert self.status == status, self
        assert self.error == self.err.splitlines()[-1]
        assert self.out == ""
        return self


def strict_json(text: str) -> Any:  # noqa: ANN401 - whatever JSON has
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@dataclass
class Tool:
    """Commands in one directory, and what they leave there."""

    directory: Path
    token: str
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that are added to, or replace, those of the tests."""

    @property
    def store(self) -> Path:
        return self.directory / "intercore.db"

    def __call__(
        self,
        *words: str | Path,
        environment: Mapping[str, str] | None = None,
        kill_after: float | None = None,
        file_limit: int | None = None,
        unprivileged: bool = False,
    ) -> Result:
        """Run a command to its end in a fork; kill -9 it after `kill_after` s, if it is still running.

        No file may grow beyond `file_limit` bytes. `unprivileged` runs as nobody if we are root, whom permissions do
        not stop; where nobody may read this tree, such a test is skipped.
        """
        other_user = unprivileged and os.geteuid() == 0
        if other_user and (closed := closed_to_others(ROOT)):
            pytest.skip(f"nobody but root may read {closed}")
        with tempfile.TemporaryDirectory() as scratch:
            out, err = Path(scratch, "out"), Path(scratch, "err")
            out.touch()
            err.touch()
            options = {
                "words": [str(word) for word in words],
                "directory": str(self.directory),
                "environment": {**self.environment, TOKEN: self.token, **(environment or {})},
                "out": str(out),
                "err": str(err),
                "file_limit": file_limit,
                "user": NOBODY if other_user else None,
            }
            process: ForkServerProcess = _forks.Process(target=_command, args=(options,))
            process.start()
            try:
                process.join(PATIENCE if kill_after is None else kill_after)
                hung = process.is_alive() and kill_after is None
            finally:
                process.kill()
                process.join()
            result = Result(process.exitcode or 0, out.read_text(), err.read_text())
            assert not hung, f"{words} hangs: {result}"
            return result

    def here(self, *words: str) -> Result:
        """Run a command in this process, in a hundredth of a second: one that is refused before it measures anything.

        All that it may leave behind is in the caches of modules, which are the same for all commands.
        """
        out, err = io.StringIO(), io.StringIO()
        before, variables, argv = Path.cwd(), dict(os.environ), sys.argv
        try:
            os.chdir(self.directory)
            for name in ("INTERCORE_STORE", "NO_COLOR", "FORCE_COLOR"):
                os.environ.pop(name, None)
            os.environ.update({"TERM": "dumb", **self.environment, TOKEN: self.token})
            sys.argv = ["intercore", *words]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = _status()
        finally:
            sys.argv = argv
            os.environ.clear()
            os.environ.update(variables)
            os.chdir(before)
        return Result(status, out.getvalue(), err.getvalue())

    def program(self, *words: str | Path, typed: str = "", environment: Mapping[str, str] | None = None) -> Result:
        """Run the program itself to its end, with `typed` as standard input."""
        done = subprocess.run(
            [PROGRAM, *words],
            cwd=self.directory,
            env=self.variables(environment),
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def program_to(self, output: IO[str], *words: str | Path) -> Result:
        """Run the program itself with `output` as standard output."""
        done = subprocess.run(
            [PROGRAM, *words],
            cwd=self.directory,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        return Result(done.returncode, "", done.stderr)

    @contextlib.contextmanager
    def started(
        self, *words: str | Path, environment: Mapping[str, str] | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        """Start the program and leave it running, as a shell does: in a process group of its own."""
        with not_ignored():
            begun = subprocess.Popen(
                [PROGRAM, *words],
                cwd=self.directory,
                env=self.variables(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                process_group=0,
            )
        with begun as process:
            try:
                yield process
            finally:
                process.kill()

    def variables(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of the program: that of the tests without what changes the look of its output."""
        looks = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "INTERCORE_STORE"}
        kept = {name: value for name, value in os.environ.items() if name not in looks}
        return {**kept, "TERM": "xterm-256color", "PAGER": "cat", **self.environment, TOKEN: self.token, **(more or {})}

    def targets(self) -> list[int]:
        """The processes of targets that commands of this tool have started and that still live."""
        return [pid for pid in _processes_with(f"{TOKEN}={self.token}".encode()) if _name(pid) == "intercore-targe"]

    def wait_for_no_target(self, patience: float = 60.0) -> None:
        """Wait until every target is gone: one that lost its tool finishes the repetition at hand first."""
        deadline = time.monotonic() + patience
        while left := self.targets():
            assert time.monotonic() < deadline, f"left behind: {left}"
            time.sleep(0.02)


def closed_to_others(folder: Path) -> Path | None:
    """Return the folder, or the one above it, that others may not enter; None if they may."""
    return next((one for one in (folder, *folder.parents) if not one.stat().st_mode & stat.S_IXOTH), None)


def _processes_with(variable: bytes) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and variable in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _name(pid: int) -> str:
    """Name of a process as the kernel keeps it, 15 characters; empty for one that is dead but not yet reaped."""
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        return "" if state[2].split()[0] == "Z" else state[0].partition("(")[2]
    return ""


def _command(options: dict[str, Any]) -> NoReturn:
    """Become a command of the tool; runs in a fork."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for descriptor, path in ((1, options["out"]), (2, options["err"])):
        opened = os.open(path, os.O_WRONLY)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(options["directory"])
    for variable in ("INTERCORE_STORE", "NO_COLOR", "FORCE_COLOR"):
        os.environ.pop(variable, None)
    os.environ.update(options["environment"])
    sys.argv = ["intercore", *options["words"]]
    if options["file_limit"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (options["file_limit"], options["file_limit"]))
    if options["user"] is not None:
        os.setgroups([])
        os.setgid(options["user"])
        os.setuid(options["user"])
    os._exit(_status())


def _status() -> int:
    status: int | str | None = 0
    try:
        main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 1
    with contextlib.suppress(OSError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
    if isinstance(status, str):
        sys.stderr.write(status)
        return 1
    return status or 0


def how_to_go_on(result: Result) -> list[str]:
    """The words of the command that a failed run says to go on with."""
    text = " ".join(result.err.split())
    assert "continue with: " in text, text
    program, *words = shlex.split(text.partition("continue with: ")[2].partition(" error: ")[0])
    assert program == "intercore"
    return words
