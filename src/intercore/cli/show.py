"""The command `show`: prints the analysis of a stored run."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.benchmarks.options import Options
from intercore.cli.number_options import run_number
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.outcome import findings
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import select_benchmarks, stored_run
from intercore.errors import UsageError
from intercore.terminal import formats
from intercore.terminal.console import say
from intercore.text import whole_number

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore show; intercore show 3 clock; intercore show 3 --format json")
@with_report_options
def show(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] [BENCHMARK...]",
            help="Number of a stored run, e.g. 3 (default: the newest), and some of its benchmarks, e.g. clock "
            "(default: all).",
        ),
    ] = None,
    *,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Also show the published tables of the papers that the run reproduces, next to the run's own.",
        ),
    ] = False,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = formats.DEFAULT,
) -> None:
    """Print the analysis of a stored run, or of some of its benchmarks."""
    run_id, benchmarks = _run_and_benchmarks(words or [])
    run = stored_run(store_path, run_id)
    found = findings(run, store_path, options, part=select_benchmarks(run, benchmarks), published=published)
    if found.headline is not None and not formats.formats()[output].has_sentences:
        say(found.headline.text)
    formats.show(found, output, paged=True)


def _run_and_benchmarks(words: list[str]) -> tuple[int | None, list[str]]:
    """Return the run and the benchmarks that the words name."""
    if any(whole_number(word) is not None for word in words[1:]):
        raise UsageError("show takes one run, followed by its benchmarks, e.g. intercore show 3 message")
    if not words or words[0][:1].isalpha():
        return None, words
    return run_number(words[0]), words[1:]
