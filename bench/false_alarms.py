"""How often `intercore compare` reports a change where there is none, and how often it finds one that is there.

python bench/false_alarms.py [PART [COUNT]]

Parts, each with the count that it takes unless another is given:

- `same` (40): one setting measured twice on this machine, one run after the other, and compared: at most 2 changes.
- `runs` (20): the same, each time in five runs. With 5 % of false alarms, 20 comparisons report a change at most 3
  times in 98 of 100 cases.
- `turns` (200): the same by turns, one program against itself.
- `suites` (40): a whole suite against its repetition, one run after the other. Takes some hours.
- `delay` (10): a delay of 5 % in what signals a task, by `check --against`: once with as many repetitions as are usual
  and, where that cannot tell, with as many as the tool then asks for. Found in 9 of 10 tries.
- `cycle` (10): a single cycle more on the simulated Pico, with a seed of its own each time. Found always.
- `nops` (2): the whole suite of the simulated Pico against itself with two NOPs in a function of the kernel that runs
  once, first with one seed, then with others. No change is reported.

Measures what this machine does meanwhile, too: nothing else should run on it. Ends with status 1 if a part fails.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercore.board.kernel import freertos_kernel
from intercore.board.sources import firmware_sources
from intercore.cli.checked import TURNS

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = Path(sys.executable).with_name("intercore")
SETTING = ("switch", "primitive=notification", "target=idle")
ACROSS = ("from=0", "to=1")
CHANGED = {"faster", "slower", "more", "fewer"}
MOST_SAME, MOST_RUNS, MOST_TURNS, MOST_SUITES = 2 / 40, 3 / 20, 10 / 200, 5 / 40
LEAST_FOUND = 9 / 10
SHARE = 0.05
"""Of the median that the delay is."""
WITHIN = "2%"
"""What the tool is asked for: that it tells 5 % surely takes bounds of less than half of that."""
POSIX = ("port/posix/port_posix.c", "void port_notify(port_task_t *task) {")
FREERTOS = ("port/freertos_smp/port_freertos.c", "void port_notify(port_task_t *task) {")


def main() -> None:
    """Carry out the parts that are asked for."""
    parts: dict[str, tuple[Callable[[int, Path], bool], int]] = {
        "same": (same, 40),
        "runs": (runs, 20),
        "turns": (turns, 200),
        "suites": (suites, 40),
        "delay": (delay, 10),
        "cycle": (cycle, 10),
        "nops": (nops, 2),
    }
    names = sys.argv[1:2] or list(parts)
    held = []
    for name in names:
        part, count = parts[name]
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            held.append(part(int(sys.argv[2]) if len(sys.argv) > 2 else count, Path(folder)))
        print(f"  {name} took {time.monotonic() - began:,.0f} s\n", flush=True)
    sys.exit(not all(held))


def intercore(folder: Path, *words: str | Path) -> Any:  # noqa: ANN401 - whatever JSON has
    """Carry out a command in a folder, and return the document that it prints."""
    done = subprocess.run([TOOL, *words, "--format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def changed(comparison: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a document
    """Return the quantities that are told to have changed."""
    return [pair for pair in comparison["pairs"] if pair["verdict"] in CHANGED]


def shown(pair: dict[str, Any]) -> str:
    """Say what was told of a quantity."""
    setting = " ".join(f"{name}={level}" for name, level in pair["setting"].items())
    ratio = pair["ratio"]
    told = "?" if ratio is None else f"{ratio['value']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"
    return f"{pair['benchmark']} {pair['series']} {setting}: {pair['verdict']}, {told}"


def verdict(what: str, found: int, count: int, bound: int, *, at_most: bool) -> bool:
    """Print what a part has come to, and return whether that is what it should be."""
    held = found <= bound if at_most else found >= bound
    print(
        f"{what}: {found} of {count} (should: at {'most' if at_most else 'least'} {bound}){'' if held else '  FAILS'}"
    )
    return held


def repeated(what: str, words: tuple[str, ...], count: int, folder: Path, most: float) -> bool:
    """Measure the same twice, so often, and count the comparisons that report a change."""
    alarms = quantities = told = 0
    for number in range(count):
        store = ("--store", f"{number}.db")
        for _ in range(2):
            intercore(folder, "run", "host", *words, *store)
        comparison = intercore(folder, "compare", "1", "2", *store)
        found = changed(comparison)
        quantities, told, alarms = quantities + len(comparison["pairs"]), told + len(found), alarms + bool(found)
        for pair in found:
            print(f"  {number + 1}: {shown(pair)}", flush=True)
        (folder / f"{number}.db").unlink()
    print(f"  of {quantities:,} quantities, {told} were told to have changed")
    return verdict(what, alarms, count, round(most * count), at_most=True)


def same(count: int, folder: Path) -> bool:
    """Compare one setting with its repetition."""
    return repeated(
        "Comparisons of a setting with its repetition that report a change",
        (*SETTING, *ACROSS),
        count,
        folder,
        MOST_SAME,
    )


def runs(count: int, folder: Path) -> bool:
    """Compare one setting with its repetition, each of five runs."""
    words = (*SETTING, *ACROSS, "--runs", "5", "--every", "5")
    return repeated("Comparisons of five runs with five more that report a change", words, count, folder, MOST_RUNS)


def suites(count: int, folder: Path) -> bool:
    """Compare whole suites with their repetition."""
    return repeated("Suites that differ from their repetition", ("suite",), count, folder, MOST_SUITES)


def turns(count: int, folder: Path) -> bool:
    """Compare a program with itself, by turns."""
    alarms = 0
    for number in range(count):
        found = changed(by_turns(folder, number, "host", *ACROSS, "--build", "opt=O2", "--build", "opt=O2"))
        alarms += bool(found)
        for pair in found:
            print(f"  {number + 1}: {shown(pair)}", flush=True)
    most = round(MOST_TURNS * count)
    return verdict(
        "Comparisons of a program with itself by turns that report a change", alarms, count, most, at_most=True
    )


def by_turns(folder: Path, number: int, target: str, *words: str | Path) -> Any:  # noqa: ANN401 - a document
    """Measure two builds by turns, and return their comparison."""
    store = folder / f"{number}.db"
    store.unlink(missing_ok=True)
    return intercore(folder, "compare", "--alternate", target, *SETTING, *words, "--within", WITHIN, "--store", store)


def delay(count: int, folder: Path) -> bool:
    """Find a delay of 5 % in the signal."""
    document = intercore(folder, "run", "host", *SETTING, *ACROSS, "--store", "median.db")
    medians = [row["summary"]["median"] for row in document["measurements"] if row["series"] == "switch"]
    median_ns = sorted(medians)[len(medians) // 2]
    extra_ns = round(SHARE * median_ns)
    after = patched(
        folder, POSIX, f" uint64_t begun = port_clock(); while ((port_clock() - begun) * 1000000000U < {extra_ns}ULL * "
        "port_clock_hz()) { }", before_too=True,
    )  # fmt: skip
    print(f"  a wake-up takes {median_ns / 1e3:.2f} µs, and {extra_ns} ns more after the change")
    setting = " ".join((*SETTING[1:], *ACROSS))
    (folder / "budgets.toml").write_text(f'budgets = ["switch {setting}: switch median / baseline <= 1.0"]')
    found = 0
    for number in range(count):
        told, asked = against(folder, after), TURNS
        if told["more_repetitions"] is not None:
            asked += told["more_repetitions"]
            told = against(folder, after, "--repetitions", str(asked))
        found += told["outcome"] == "broken"
        ratio = told["found"]
        print(
            f"  {number + 1}: with {asked} repetitions {told['outcome']}, {ratio['value']:.3f} ({ratio['low']:.3f} to "
            f"{ratio['high']:.3f})",
            flush=True,
        )
    least = round(LEAST_FOUND * count)
    return verdict(f"A delay of {SHARE:.0%} is found by check --against", found, count, least, at_most=False)


def against(folder: Path, after: Path, *words: str) -> Any:  # noqa: ANN401 - a document
    """Check the budget of a folder against the revision before the change, and return the result."""
    done = subprocess.run(
        [TOOL, "check", "budgets.toml", "host", "--against", "HEAD", "--firmware", after, *words, "--format", "json"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1, 3):
        sys.exit(done.stderr)
    (told,) = json.loads(done.stdout)["budgets"]
    return told


def cycle(count: int, folder: Path) -> bool:
    """Find a single cycle on the simulated chip: two programs that differ in one instruction of the same size."""
    nop, branch = (
        patched(folder, FREERTOS, f" __asm volatile({statement});", name)
        for name, statement in (("nop", '"nop"'), ("branch", '".hword 0xe7ff"'))
    )  # a branch to what follows it anyway takes two cycles (Cortex-M0+ TRM r0p1, 3.3)
    found = 0
    for number in range(count):
        words = ("from=0", "to=0", "--firmware", nop, "--firmware", branch, "--seed", str(number + 1))
        told = by_turns(folder, number, "pico-sim", *words)["pairs"]
        found += all(pair["verdict"] == "slower" for pair in told)
        for pair in told:
            print(f"  {number + 1}: {shown(pair)}, {pair['cycles']:+g} cycles", flush=True)
    return verdict("A single cycle is found on the simulated Pico", found, count, count, at_most=False)


def nops(count: int, folder: Path) -> bool:
    """Compare the suite of the simulated Pico with that of a kernel that does the same, four bytes longer."""
    kernel = freertos_kernel(firmware_sources() / "port" / "freertos" / "kernel", print).folder
    if kernel is None:
        sys.exit("there is no kernel to change")
    copy = folder / "kernel"
    shutil.copytree(kernel, copy)
    text = (copy / "list.c").read_text()
    begin = text.index("{", text.index("void vListInitialise( List_t")) + 1
    (copy / "list.c").write_text(f'{text[:begin]} __asm volatile("nop\\n nop");{text[begin:]}')
    store = ("--store", "nops.db")
    intercore(folder, "run", "pico-sim", "suite", *store)
    alarms = 0
    for number in range(count):
        changed_run = intercore(
            folder, "run", "pico-sim", "suite", "--kernel", copy, "--seed", str(number + 1), *store
        )["run"]
        comparison = intercore(folder, "compare", "1", str(changed_run), *store)
        found = changed(comparison)
        moved = sum(pair["verdict"] == "phase" for pair in comparison["pairs"])
        print(f"  seed {number + 1}: of {len(comparison['pairs'])} medians {moved} moved, {len(found)} changed")
        alarms += len(found)
    return verdict("Changes reported where two NOPs run once", alarms, alarms, 0, at_most=True)


def switch_of(comparison: Any) -> dict[str, Any]:  # noqa: ANN401 - a document
    """Return what was told of the wake-up."""
    (pair,) = (pair for pair in comparison["pairs"] if pair["series"] == "switch")
    return dict(pair)


def patched(
    folder: Path, where: tuple[str, str], more: str, name: str = "firmware", *, before_too: bool = False
) -> Path:
    """Return a copy of the firmware with more statements at the beginning of a function.

    With `before_too`, the folder becomes a git repository that has the copy as it was before.
    """
    source, begin = where
    copy = folder / name
    shutil.copytree(firmware_sources(), copy)
    if before_too:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        for words in (("init", "--quiet"), ("add", name), (*who, "commit", "--quiet", "--message", "before")):
            subprocess.run(["git", *words], cwd=folder, check=True)
    text = (copy / source).read_text()
    if text.count(begin) != 1:
        sys.exit(f"{copy / source} has not '{begin}' once: the firmware has changed, and this patch with it")
    (copy / source).write_text(text.replace(begin, f"{begin}{more}"))
    return copy


if __name__ == "__main__":
    main()
