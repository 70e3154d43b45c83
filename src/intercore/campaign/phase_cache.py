"""Caches measurements in other phases of a program: on a simulated chip they are reproducible."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

import msgspec
import platformdirs

from intercore import __version__, _native
from intercore.board import elf
from intercore.errors import IntercoreError
from intercore.record.plan import canonical
from intercore.record.store import Store, StoreReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.record.measurement import Measurement, Plan
    from intercore.record.plan import Setting

_MOST_FILES = 200
"""Each of half a megabyte if the whole suite has changed; the least recently used are removed."""


class PhaseCache:
    """The measurements of one program, in a store in the user's cache. An error in it only costs time."""

    def __init__(self, program: Path, plan: Plan) -> None:
        """Open the cache of a program for a plan."""
        self._plan = msgspec.structs.replace(plan, parts=(), excluded=())
        self._path: Path | None = None
        self._known: dict[tuple[str, str], Measurement] = {}
        with contextlib.suppress(IntercoreError, OSError):
            folder = platformdirs.user_cache_path("intercore") / "phases"
            key = hashlib.sha256(f"{__version__} {_simulator()} {elf.digest([program])}".encode())
            self._path = folder / f"{key.hexdigest()[:20]}.db"
            if self._path.exists():
                with StoreReader(self._path) as store:  # two processes that started at the same time made a run each
                    runs = [store.run(one.id) for one in store.runs()]
                    self._known = {_key(one): one for run in runs for one in run.measurements}
                os.utime(self._path)

    def get(self, setting: Setting) -> Measurement | None:
        """Return the measurement of a setting, if it is cached."""
        return self._known.get((setting.benchmark, canonical(setting.factors)))

    def keep(self, measured: Sequence[tuple[Setting, Measurement]]) -> None:
        """Add measurements."""
        if self._path is None or not measured:
            return
        with contextlib.suppress(IntercoreError, OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with Store(self._path) as store:
                runs = store.runs()
                run_id = runs[0].id if runs else store.create_run(self._plan, 0)
                for setting, measurement in measured:
                    with contextlib.suppress(IntercoreError):  # another process has added it
                        store.add(run_id, setting, measurement)
            for old in sorted(self._path.parent.glob("*.db"), key=lambda path: -path.stat().st_mtime)[_MOST_FILES:]:
                old.unlink()


def _key(one: Measurement) -> tuple[str, str]:
    return one.benchmark, canonical(one.factors)


def _simulator() -> str:
    """Return a value that changes with the simulator."""
    with open(_native.__file__, "rb") as file:  # noqa: PTH123 - hashlib reads from it
        return hashlib.file_digest(file, "sha256").hexdigest()
