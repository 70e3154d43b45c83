"""The command `runs`: lists the runs of a store."""

from __future__ import annotations

import typer

from intercore.benchmarks import stop_rule
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import open_existing
from intercore.record.origin import in_brackets
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore runs")
def runs(*, store_path: StorePath = DEFAULT_STORE, output: Output = DEFAULT) -> None:
    """List the stored runs."""
    with open_existing(store_path) as store:
        summaries = store.runs()
    rows = [
        {
            "run": summary.id,
            "started": summary.started,
            "target": in_brackets(summary.plan.target, summary.plan.origin),
            "benchmark": summary.plan.name,
            "done": summary.done,
            "of": summary.total,
            "until": None if summary.plan.stop is None else stop_rule.until_text(summary.plan.stop),
        }
        for summary in summaries
    ]
    show(PlainRows(f"Runs in {store_path}", rows), output, paged=True)
