"""Runs the parts of `make test` and `make test-long`: scripts/checks.py [--dry-run] test, or the name of one part.

`test` runs up to four parts at a time, each as soon as the parts that it needs have passed, and reports the slowest.
Any other name runs that part alone. --dry-run prints the commands in place of running them, as `make -n test` does.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
AT_A_TIME = 4
"""Parts. They keep two processors busy."""
SLOWEST = 5
"""Parts that are reported."""

PYTEST = ".venv/bin/pytest -q"
SAME_CASES = ("--hypothesis-seed=1", "--hypothesis-profile=daily")
"""Property tests meet the same cases in every `make test`; `make test-long` looks for new ones (tests/conftest.py)."""
TOGETHER = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
"""Three processes keep two processors busy, because many tests wait for a while; each collects all tests, for 10 s.

Files stay whole for the fixtures that their tests share, and in order: the files with few tests, which are long, would
otherwise come last. Tests of tests/firmware/host never run like this: their programs take processors for themselves."""
SOON_OVER = "--session-timeout=1800"
"""A test that hangs is named long before a build server gives up."""
IN_BROWSER = " ".join(f"tests/page/test_{name}.py" for name in ("browser", "pictures", "profile_browser", "speedscope"))
CACHED = (
    'CMAKE_GENERATOR=Ninja CMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" '
    'CCACHE_DIR="$PWD/build/ccache" CCACHE_NOHASHDIR=1'
)
"""Tests build images whose files are mostly the same. Ninja starts their compilers in half of make's time."""
SIM_TESTS = "--locked --profile module --package intercore-sim-tests --package intercore-sim-python"
"""With what set-up has built. Crates have the features for both packages, and so those that they have there."""
SAME_CASES_RUST = "PROPTEST_RNG_ALGORITHM=xs PROPTEST_RNG_SEED=1"
"""proptest's usual generator takes more time than the tests themselves."""
RING_MODEL = "cd tests/ring_model && CARGO_TARGET_DIR=../../build/ring-model cargo test --locked --quiet"
CROSS_COMPILED = ("amp", "rp2040", "rp2040_amp", "stm32h745")
"""Of tests/firmware: programs of microcontrollers."""
LATER = ("contributing", "docs_printed", "docs_site", "wheel")
"""Of tests: those whose long part has commands of its own in `make test-long`."""
OPENBLAS_CORES = ("Prescott", "Nehalem", "Haswell", "Zen")
"""Each rounds in its own way, and all of them run on every processor with AVX2."""
NUMERIC_TESTS = "tests/benchmarks tests/campaign/test_schedule.py tests/comparison tests/statistics"


def pytest(*arguments: str, **environment: str) -> str:
    """Return a command that passes tests, with variables of the environment before it."""
    variables = "".join(f"{name}={value} " for name, value in environment.items())
    return " ".join([f"{variables}{PYTEST}", *arguments])


def below(folder: str, *names: str) -> str:
    """Return paths in a folder."""
    return " ".join(f"{folder}/{name}" for name in names)


def without(*paths: str) -> str:
    """Return the options that leave out tests."""
    return " ".join(f"--ignore {path}" for path in paths)


def host(**environment: str) -> str:
    """Return the command that tests the programs for this machine."""
    return pytest("tests/firmware/host", *SAME_CASES, SOON_OVER, **environment).replace(PYTEST, f"{CACHED} {PYTEST}")


class Part(NamedTuple):
    """Commands for a shell, which run one after another."""

    commands: tuple[str, ...]
    after: tuple[str, ...] = ()
    """The parts that have to pass first."""
    shown: bool = False
    """Whether its output appears while it runs. The output of others appears when they end."""


def make(target: str, *after: str, shown: bool = False) -> Part:
    """Return a part that the Makefile has the commands of."""
    return Part((f"make --no-print-directory {target}",), after, shown)


DAILY = {
    "setup": make("setup", shown=True),
    "test-simulator": Part(
        (f"cd sim && INTERCORE_NO_SKIP=1 {SAME_CASES_RUST} cargo test --quiet {SIM_TESTS}",), after=("setup",)
    ),
    "test-ring-model": Part((RING_MODEL,)),
    "test-host": Part((host(),), after=("setup",)),
    "test-tools": make("test-tools", "setup"),
    "test-python": Part(
        (
            f"INTERCORE_NO_SKIP=1 {CACHED} "
            + pytest(*TOGETHER, without("tests/firmware/host"), *SAME_CASES, "--session-timeout=3600"),
        ),
        after=("test-tools", "test-host"),  # programs of both take processors for themselves
        shown=True,
    ),
    "lint-python": make("lint-python", "setup"),
    "lint-c": make("lint-c", "setup"),
    "lint-rust": make("lint-rust", "setup"),
    "test-address,undefined": Part((host(INTERCORE_SANITIZE="address,undefined"),), after=("setup",)),
    "test-thread": Part((host(INTERCORE_SANITIZE="thread"),), after=("setup",)),
}
"""The parts of `make test`, in the order in which they begin when they may."""

OTHERS = {
    # All of Debian's packages at once, before other parts run: only one process may install at a time.
    "test-packages": Part(("scripts/install-packages build arm riscv test", "scripts/check-rust"), shown=True),
    "test-page": Part(
        (pytest(IN_BROWSER, SOON_OVER, INTERCORE_BROWSER="1"),)
    ),
    "test-notebook": Part((pytest("tests/test_notebook.py", SOON_OVER, INTERCORE_NOTEBOOK="1"),)),
    "test-long": Part((
        "scripts/install-packages arm riscv test",
        "cd sim && INTERCORE_NO_SKIP=1 INTERCORE_RANDOM_INSTRUCTIONS=2000000 "
        f"cargo test {SIM_TESTS} qemu::",
        "cd sim && PROPTEST_RNG_ALGORITHM=xs PROPTEST_CASES=100000 "
        f"cargo test {SIM_TESTS} -- lockstep:: interleaving::",
        "cd sim && PROPTEST_RNG_ALGORITHM=xs PROPTEST_CASES=1000000 "
        f"cargo test {SIM_TESTS} engines::",
        # Where overflow is checked.
        f"cd sim && INTERCORE_NO_SKIP=1 {SAME_CASES_RUST} cargo test --locked --quiet --package intercore-sim-tests",
        "make --no-print-directory fuzz-image fuzz-registers",
        f"{RING_MODEL} -- --include-ignored",
        pytest(
            "tests/sim",
            below("tests/firmware", *CROSS_COMPILED),
            "tests/cli",
            INTERCORE_NO_SKIP="1",
            INTERCORE_SLOW="1",
        ),
        pytest("tests/firmware/host", INTERCORE_SLOW="1"),
        pytest("tests/firmware/host", INTERCORE_SLOW="1", INTERCORE_SANITIZE="thread"),
        pytest("tests/firmware/host", INTERCORE_SLOW="1", INTERCORE_SANITIZE="address,undefined"),
        pytest(
            *TOGETHER,
            without("tests/cli", "tests/sim", "tests/firmware/host"),
            without(*(f"tests/firmware/{name}" for name in CROSS_COMPILED)),
            without(*(f"tests/test_{name}.py" for name in LATER), "tests/firmware/esp32/test_component.py"),
            INTERCORE_SLOW="1",
        ),
        "make --no-print-directory lint-c STATES=225000",
        "make --no-print-directory lint-systems",
        "make --no-print-directory test-page",
        "make --no-print-directory test-notebook",
        "make --no-print-directory docs",
        pytest("tests/test_docs_site.py tests/test_docs_printed.py", INTERCORE_SLOW="1"),
        pytest("tests/test_contributing.py tests/firmware/esp32/test_component.py", INTERCORE_SLOW="1"),
        "make --no-print-directory dist",
        "scripts/install-packages mmdebstrap:mmdebstrap",
        pytest("tests/test_wheel.py", INTERCORE_SLOW="1"),
        *(pytest(*TOGETHER, NUMERIC_TESTS, OPENBLAS_CORETYPE=core) for core in OPENBLAS_CORES),
    )),
}  # fmt: skip


class Running(NamedTuple):
    """A part that has begun."""

    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes] | None
    began: float


class Ended(NamedTuple):
    """A part that has ended, with the time that it took."""

    name: str
    seconds: float
    processor_s: float
    status: int
    output: bytes
    """What it printed, except if that was shown while it ran."""


def run_alone(name: str) -> int:
    """Run the commands of a part up to the first that fails; print each before it runs."""
    for command in {**DAILY, **OTHERS}[name].commands:
        print(command, flush=True)
        status = subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, check=False).returncode
        if status:
            return status if status > 0 else 128 - status
    return 0


def begin(name: str, part: Part) -> Running:
    """Run a part in a process of its own, so that the time of its commands can be told from that of others."""
    output = None if part.shown else tempfile.TemporaryFile()  # noqa: SIM115 - open until the part ends
    process = subprocess.Popen(
        [sys.executable, __file__, name],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
    )
    return Running(name, process, output, time.monotonic())


def wait_for_one(running: list[Running]) -> Ended:
    """Wait until some part ends and take it from the list; show its output unless it failed."""
    pid, status, usage = os.wait4(-1, 0)
    (one,) = (each for each in running if each.process.pid == pid)
    running.remove(one)
    one.process.returncode = os.waitstatus_to_exitcode(status)
    output = b""
    if one.output is not None:
        one.output.seek(0)
        output = one.output.read()
        one.output.close()
    if one.process.returncode:
        print(f"{one.name} failed{': what it printed comes last' if output else ''}", flush=True)
    else:
        show(output)
    seconds = time.monotonic() - one.began
    return Ended(one.name, seconds, usage.ru_utime + usage.ru_stime, one.process.returncode, output)


def show(output: bytes) -> None:
    """Print what a part printed."""
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()


def run_parts(parts: dict[str, Part]) -> list[Ended]:
    """Run parts until all have ended; none begins after one has failed."""
    waiting = dict(parts)
    running: list[Running] = []
    ended: list[Ended] = []

    while True:
        passed = {one.name for one in ended if one.status == 0}
        ready = [name for name, part in waiting.items() if passed.issuperset(part.after)]
        if len(passed) == len(ended):
            running += [begin(name, waiting.pop(name)) for name in ready[: AT_A_TIME - len(running)]]
        if not running:
            return ended
        ended.append(wait_for_one(running))


def run_daily() -> int:
    """Run the parts of `make test` and report the slowest, or those that failed."""
    ended = run_parts({"test-packages": OTHERS["test-packages"]})
    if ended[0].status == 0:
        ended += run_parts(DAILY)
    failed = [one for one in ended if one.status]
    for one in failed:  # last, where a server that keeps only the end of its log keeps it
        show(one.output)
        print(f"{one.name} failed with status {one.status}", flush=True)
    if not failed:
        print(f"the {SLOWEST} slowest parts, and their time on the processors:")
        for one in sorted(ended, key=lambda one: -one.seconds)[:SLOWEST]:
            print(f"{one.seconds:6.0f} s {one.processor_s:6.0f} s  {one.name}")
        print(f"{'':8} {sum(one.processor_s for one in ended):6.0f} s  all parts")
    return 1 if failed else 0


def list_commands(name: str) -> None:
    """Print the commands of a part, or those of all parts of `make test`."""
    parts = {"test-packages": OTHERS["test-packages"], **DAILY} if name == "test" else {name: {**DAILY, **OTHERS}[name]}
    for each, part in parts.items():
        print(f"# {each}{', after ' if part.after else ''}{' and '.join(part.after)}")
        print("\n".join(part.commands))


def main() -> int:
    """Do what the arguments ask for, and return the status."""
    dry_run, name = "--dry-run" in sys.argv[1:], sys.argv[-1]
    if name not in {"test", *DAILY, *OTHERS}:
        print(f"{__doc__}\nParts: {' '.join([*DAILY, *OTHERS])}", file=sys.stderr)
        return 2
    # The parts share no job server with a make that calls this; its -n, which is handled here, is not for them either.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    if dry_run:
        list_commands(name)
        return 0
    return run_daily() if name == "test" else run_alone(name)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # the parts have it from the terminal, too
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
        sys.exit(130)
