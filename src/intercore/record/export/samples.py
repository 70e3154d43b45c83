"""Exports the samples of a run to a file, in the format that its suffix names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.errors import IntercoreError, UsageError
from intercore.files.replacement import check_replaceable, replacement, unwritable
from intercore.record.export.format import known_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from intercore.record.measurement import Measurement, RunInParts


def export(
    read: Callable[[Callable[[RunInParts], None]], None],
    path: Path,
    failed: Callable[[Iterable[Measurement]], Callable[[Measurement], bool]],
    *,
    force: bool = False,
) -> None:
    """Write every sample of a run to `path`, in the format that its suffix names.

    `read` calls its argument with the run, and again if the run could not be read in one pass. An older export is
    replaced only when the new one is complete, another file only by `force`. `failed` makes a predicate for failed
    measurements from the measurements without their samples.

    Raises UsageError for another suffix or a run without measurements, IntercoreError if the file cannot be
    written, or if polars cannot be loaded.
    """
    known = known_formats()
    suffix = path.suffix.lower()
    if suffix not in known:
        raise UsageError(f"cannot export to {path}: the file name must end in {' or '.join(known)}")
    check_replaceable(path, known[suffix].KIND, force=force)
    try:
        from polars.exceptions import PolarsError  # noqa: PLC0415 - an extra

        from intercore.record.export.table import sample_table  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise IntercoreError(
            f"export needs polars, which cannot be loaded ({error}). To install polars: pip install 'intercore[export]'"
        ) from error

    with replacement(path, known[suffix].KIND, force=force) as file:

        def write(run: RunInParts) -> None:
            if next(run.headers(), None) is None:
                raise UsageError(
                    f"run {run.id} has no measurement to export yet: continue the run with intercore run --resume"
                )
            try:
                file.seek(0)
                file.truncate()
                with sample_table(run, failed(run.headers())) as table:
                    known[suffix].write(table, run, file)
            except (OSError, PolarsError) as error:
                raise unwritable(path, error) from error

        read(write)
