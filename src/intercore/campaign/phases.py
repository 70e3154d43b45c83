"""Analyses a change between two runs of a simulated target: compares their programs, and measures again.

Settings that changed are measured in other phases of one of the two programs: with other seeds, and with its functions
moved by some bytes, so that the cores conflict in other banks of memory (`intercore.statistics.phases`). The program is
built again for that from the sources that its run names, if these still yield the same image.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import BrokenExecutor, as_completed
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import platformdirs

from intercore.board import elf, functions
from intercore.board.build import Shift, board_image, shifted_images
from intercore.board.functions import program
from intercore.board.sources import sources_of_plan
from intercore.campaign.batch import Batch, measure_batch
from intercore.campaign.batch import close as close_target
from intercore.campaign.phase_cache import PhaseCache
from intercore.campaign.simulator_processes import SimulatorProcesses
from intercore.comparison.change import Change
from intercore.errors import IntercoreError
from intercore.operating_system import usable_cores
from intercore.record.factors import of_target
from intercore.record.identity import IMAGE
from intercore.record.measurement import Measurement, Run
from intercore.record.plan import Setting, canonical
from intercore.target.targets import SimulatedTarget, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from intercore.board.boards import Board
    from intercore.campaign.batch import Result
    from intercore.campaign.observer import Observer
    from intercore.record.measurement import Level, Plan

    Piece: TypeAlias = tuple[int, PhaseCache, Batch]
    """A piece of the work: the number of a phase, its cache, and settings."""

SHIFTS = (Shift(code=4), Shift(code=8, data=4), Shift(code=12, data=8), Shift(code=6, data=12))
"""Shifts of further phases: each bank of the striped memory, for code and for data, and half a word for small
functions."""
_SEED_STEP = 0x9E37_79B9
"""Distance between the seeds of phases, far from typical user seeds (2^32 over the golden ratio)."""
_BATCH = 10
"""Settings per batch of a process: each takes a fraction of a second."""
_MOST_PROGRAMS = 200
"""Most programs in the cache that are searched, the newest first."""


class _Rebuilt(msgspec.Struct, frozen=True):
    """A side of the comparison whose program can be built again."""

    place: int
    plan: Plan
    board: Board
    builds: dict[str, dict[str, Level]]
    """Builds by their canonical text."""


def find_change(
    sides: Sequence[Sequence[Run]],
    moved: Sequence[tuple[Measurement, Measurement]],
    count: int,
    say: Callable[[str], None],
    watch: Callable[[], contextlib.AbstractContextManager[Observer]],
) -> Change:
    """Analyse a change between two sides of one simulated target.

    `moved` has a measurement of each differing setting on both sides, and `count` is the number of other phases to
    measure them in, at most len(SHIFTS). `say` reports progress before that. If the analysis is impossible, the result
    has the reason.
    """
    names, in_place = _functions(sides, moved, say, build=count > 0)
    change = Change(names, is_in_place=in_place)
    if not count or not moved:
        return msgspec.structs.replace(change, why_unknown="--phases 0" if moved else "")
    try:
        rebuilt = _rebuilt(sides, moved, say)
        programs = _shifted(rebuilt, SHIFTS[:count], say)
    except IntercoreError as error:
        return msgspec.structs.replace(change, why_unknown=str(error))
    chosen = [pair[rebuilt.place] for pair in moved]
    with watch() as progress:
        found = _measured(rebuilt.plan, chosen, programs, progress)
    phases = tuple(_run(rebuilt.plan, one) for one in found)
    return msgspec.structs.replace(change, phases=phases, phased=rebuilt.place)


# Programs


def _functions(
    sides: Sequence[Sequence[Run]],
    moved: Sequence[tuple[Measurement, Measurement]],
    say: Callable[[str], None],
    *,
    build: bool,
) -> tuple[tuple[str, ...] | None, bool]:
    """Return which functions differ, if the image of each side is available, and whether nothing else differs."""
    programs = []
    for place, side in enumerate(sides):
        if len({one[place].conditions.get(IMAGE) for one in moved}) != 1:
            return None, False
        try:
            programs.append(program(_elf_of(side[0].plan, moved[0][place], say, build=build)))
        except IntercoreError:
            return None, False
    first, second = programs
    return tuple(functions.differing(first, second)), functions.differs_in_place(first, second)


def _elf_of(plan: Plan, measured: Measurement, say: Callable[[str], None], *, build: bool) -> Path:
    """Return the program of a measurement from the cache or, if `build` permits, built from its sources."""
    board, digest = _board(plan), measured.conditions.get(IMAGE)
    kept = platformdirs.user_cache_path("intercore") / board.name
    with contextlib.suppress(OSError):
        programs = sorted(kept.glob(f"*/{board.programs[0]}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in programs[:_MOST_PROGRAMS]:
            with contextlib.suppress(IntercoreError):
                if elf.digest([path]) == digest:
                    return path
    if build:
        made = board_image(board, of_target(measured.factors), say, sources_of_plan(plan)).elf
        if elf.digest([made]) == digest:
            return made
    raise IntercoreError(
        f"the program of {plan.target} with the image {digest} is no longer in the cache: measure both runs again"
    )


def _board(plan: Plan) -> Board:
    target = find(plan.target)
    if not isinstance(target, SimulatedTarget) or target.origin != "simulated":
        raise IntercoreError(f"{plan.target} is not a simulated chip")
    return target.board


def _rebuilt(
    sides: Sequence[Sequence[Run]], moved: Sequence[tuple[Measurement, Measurement]], say: Callable[[str], None]
) -> _Rebuilt:
    """Return the side whose program can be built again, preferably the second. Raises IntercoreError if neither can."""
    why: dict[str, None] = {}
    for place in (1, 0):
        plan = sides[place][0].plan
        try:
            board = _board(plan)
            return _Rebuilt(place, plan, board, _builds(plan, board, [pair[place] for pair in moved], say))
        except IntercoreError as error:
            why[str(error)] = None
    raise IntercoreError("; ".join(why))


def _builds(
    plan: Plan, board: Board, measured: Sequence[Measurement], say: Callable[[str], None]
) -> dict[str, dict[str, Level]]:
    """Return the builds of the program by their text. Raises IntercoreError if one yields another image now."""
    builds: dict[str, dict[str, Level]] = {}
    for one in measured:
        if "host.faults" in one.conditions:
            raise IntercoreError(
                f"{plan.target} was measured with --fault, and a measurement with injected faults cannot be repeated "
                "with its code moved to another address"
            )
        build = of_target(one.factors)
        key = canonical(build)
        if key not in builds:
            # Built here and not prebuilt: another compiler would yield other phases.
            (made,) = shifted_images(board, build, [Shift()], say, sources_of_plan(plan))
            if made.digest != one.conditions.get(IMAGE):
                raise IntercoreError(
                    "the sources of the program have changed since the measurement and now yield another program"
                )
            builds[key] = build
    return builds


def _shifted(rebuilt: _Rebuilt, shifts: Sequence[Shift], say: Callable[[str], None]) -> list[dict[str, Path]]:
    """Return the program with each shift, in each of its builds."""
    sources = sources_of_plan(rebuilt.plan)
    images = {key: shifted_images(rebuilt.board, build, shifts, say, sources) for key, build in rebuilt.builds.items()}
    return [{key: found[number].elf for key, found in images.items()} for number in range(len(shifts))]


# Measuring


def _measured(
    plan: Plan, chosen: Sequence[Measurement], programs: Sequence[Mapping[str, Path]], progress: Observer
) -> list[list[Measurement]]:
    """Measure settings in each phase; one that fails in a phase is omitted there."""
    found: list[list[Measurement]] = [[] for _ in programs]
    pieces: list[Piece] = []
    for number, elfs in enumerate(programs):
        for build, elf_file in elfs.items():
            cache = PhaseCache(elf_file, plan)
            settings = [_in_phase(one, number) for one in chosen if canonical(of_target(one.factors)) == build]
            known = [cache.get(setting) for setting in settings]
            found[number] += [one for one in known if one is not None]
            missing = [setting for setting, one in zip(settings, known, strict=True) if one is None]
            pieces += [(number, cache, batch) for batch in _batches(plan, elf_file, missing)]
    total = sum(len(batch.settings) for *_, batch in pieces)
    if not total:
        return found
    progress.begin(0, total)
    shown = Setting("other phases", {}, 0)
    progress.measuring(shown, None)
    for (number, cache, batch), result in _results(pieces):
        measured = [
            (setting, outcome)
            for setting, outcome in zip(batch.settings, result.outcomes, strict=True)
            if isinstance(outcome, Measurement)
        ]
        cache.keep(measured)
        found[number] += [one for _, one in measured]
        for _ in batch.settings:
            progress.stored(shown, total, result.seconds / len(batch.settings), None)
    return found


def _batches(plan: Plan, elf_file: Path, settings: Sequence[Setting]) -> Iterator[Batch]:
    without_parts = msgspec.structs.replace(plan, parts=(), excluded=(), currents=None, meter=None)
    for at in range(0, len(settings), _BATCH):
        some = tuple(settings[at : at + _BATCH])
        yield Batch(without_parts, some, find(plan.target).timeout, programs=(elf_file,))


def _in_phase(one: Measurement, number: int) -> Setting:
    """Return the setting of a measurement with the seed of a phase."""
    factors, seed = dict(one.factors), one.factors.get("seed")
    if isinstance(seed, int):
        factors["seed"] = (seed + (number + 1) * _SEED_STEP) % 2**32
    return Setting(one.benchmark, factors, 0)


def _results(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Result]]:
    """Yield the result of each piece as it arrives; a piece whose process dies is skipped."""
    if len(pieces) <= len(SHIFTS):  # starting processes would take longer
        try:
            for piece in pieces:
                yield piece, measure_batch(piece[-1])
        finally:
            close_target()
        return
    workers = SimulatorProcesses(usable_cores())
    try:
        futures = {workers.submit(piece[-1]): piece for piece in pieces}
        for future in as_completed(futures):
            with contextlib.suppress(BrokenExecutor):
                yield futures[future], future.result()
    finally:
        workers.close()


def _run(plan: Plan, measurements: Sequence[Measurement]) -> Run:
    """Return a phase as a run that is not stored."""
    return Run(0, plan, "", "", len(measurements), tuple(measurements))
