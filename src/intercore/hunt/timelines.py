"""The last millisecond before each finding, as files for Perfetto (https://ui.perfetto.dev)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.files.replacement import PERFETTO, check_replaceable, replacement, unwritable
from intercore.profile.perfetto import perfetto
from intercore.profile.recorded import take
from intercore.profile.timeline import timeline
from intercore.sim import Reason, Simulator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from intercore.hunt.analysis import HuntAnalysis
    from intercore.hunt.finding import Finding
    from intercore.profile.timeline import Timeline

SHOWN = 1e-3
"""Seconds of the chip's time."""
_LOOK = 0.02
"""Those from one look at what the cores wait for to the next one, in which they may have begun to wait."""
_AFTER = 1000
"""Cycles that are shown behind the moment, to see it."""


def names(folder: Path, findings: Sequence[Finding]) -> list[Path]:
    """Return the files of findings: `1-deadlock.perfetto` and so on."""
    return [folder / f"{number}-{one.code}.perfetto" for number, one in enumerate(findings, 1)]


def with_timelines(
    image: Path,
    analysis: HuntAnalysis,
    faults: Sequence[str],
    folder: Path,
    progress: Callable[[str], None],
    *,
    force: bool,
) -> HuntAnalysis:
    """Run the program again up to each finding, write what came before it, and return the findings with their files.

    Raises UsageError if a file is there that is no timeline, and IntercoreError if one cannot be written.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    files = names(folder, analysis.findings)
    for file in files:
        check_replaceable(file, PERFETTO, force=force)
    found = list(analysis.findings)
    simulator = Simulator(image)
    simulator.set_faults(faults)
    power_on = simulator.snapshot()
    for number, (one, file) in enumerate(zip(analysis.findings, files, strict=True)):
        progress(f"the timeline of finding {number + 1}: the program is run once more")
        simulator.restore(power_on)
        moment = one.cycle
        if moment is None:
            begin = max(0, analysis.settled - round(_LOOK * analysis.hz))
            moment = _last_event(_seen(simulator, analysis, begin, analysis.settled), analysis.settled)
            simulator.restore(power_on)
        begin = max(0, moment - round(SHOWN * analysis.hz))
        seen = _seen(simulator, analysis, begin, min(analysis.cycles, moment + _AFTER))
        with replacement(file, PERFETTO, force=force) as written:
            written.write(perfetto(seen, analysis.image))
        found[number] = msgspec.structs.replace(one, timeline=str(file))
    return msgspec.structs.replace(analysis, findings=found)


def _seen(simulator: Simulator, analysis: HuntAnalysis, begin: int, end: int) -> Timeline:
    """Return what happens from one cycle to another one."""
    _run(simulator, begin)
    start = simulator.snapshot()
    begun = simulator.seconds
    simulator.start_profile()
    _run(simulator, max(end, begin + 1))
    profile = take(simulator, analysis.image, "", simulator.seconds - begun, None)
    return timeline(simulator, start, profile, lambda _: None)


def _run(simulator: Simulator, end: int) -> None:
    """Run to a cycle, or as far as anything is executed; a core that has locked up does not end it."""
    while simulator.now < end:
        stop = simulator.run_to(end)
        simulator.take_uart()
        simulator.take_usb()
        simulator.take_host_output()
        if stop.reason not in {Reason.LIMIT, Reason.LOCKUP}:
            return


def _last_event(seen: Timeline, end: int) -> int:
    """Return the last cycle in which a function was called or an interrupt left; the end if there is none."""
    cycles = [cycle for core in seen.cores for cycle, _ in core.calls]
    cycles += [run.end for core in seen.cores for run in core.interrupts]
    return max(cycles, default=end)
