"""Whether two versions of the tool show the same of what is stored: tables, JSON, CSV, page, and samples exported.

    python scripts/compare_outputs.py OLD_INTERCORE NEW_INTERCORE STORE

OLD_INTERCORE and NEW_INTERCORE are two installed commands, each from a checkout of its own, and STORE holds the runs, a
suite of each target, say. Each output that differs is named, and kept in two folders below the current one to look at.
What may differ is left out: when a page was written, and by which version. Ends with 1 if anything else differs.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars

WRITTEN = re.compile(
    rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00| UTC)?)|intercore \d[\w.]*", re.IGNORECASE
)
"""A moment, or a version: the same run has the same ones, but for when its page was written, and by what."""


def output(tool: str, store: Path, words: list[str], file: str | None) -> bytes:
    """Return what a command prints, or writes into the file that it is told of as its last word."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(store, Path(folder) / "intercore.db")
        given = [*words, file] if file else words
        done = subprocess.run([tool, *given], cwd=folder, capture_output=True, check=False)
        if file is None:
            return b"%d\n%s\n%s" % (done.returncode, done.stdout, done.stderr)
        path = Path(folder) / file
        if not path.exists():
            return done.stderr
        return polars.read_parquet(path).write_csv().encode() if path.suffix == ".parquet" else path.read_bytes()


def commands(tool: str, store: Path) -> list[tuple[list[str], str | None]]:
    """Return what to ask: everything that reads a store."""
    listed = output(tool, store, ["runs", "--format", "json"], None)
    runs = [str(run["run"]) for run in json.loads(listed[listed.index(b"[") : listed.rindex(b"]") + 1])]
    formats = [["--format", name] for name in ("table", "json", "csv")]
    asked: list[tuple[list[str], str | None]] = [(["runs", *form], None) for form in formats]
    for run in runs:
        asked += [(["show", run, *form], None) for form in formats]
        asked += [(["export", run, "--to"], "samples.parquet"), (["export", run, "--to"], "samples.csv")]
        asked += [(["report", run, "-o"], "page.html")]
    for first, second in itertools.combinations(runs, 2):
        asked += [(["compare", first, second, *form], None) for form in formats]
        asked += [(["report", first, second, "-o"], "page.html")]
    asked += [
        (["predict", "pico-sim", "message", "size=300", "transport=ring", "from=0", "to=1", *form], None)
        for form in formats
    ]
    return asked


def main() -> int:
    """Compare; 0 if all is the same."""
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    old, new, store = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    differing = 0
    asked = commands(new, store)
    for number, (words, file) in enumerate(asked):
        found = [output(tool, store, words, file) for tool in (old, new)]
        same = len({WRITTEN.sub(b"", one) for one in found}) == 1
        if not same:
            differing += 1
            for name, one in zip(("old", "new"), found, strict=True):
                Path(name).mkdir(exist_ok=True)
                (Path(name) / f"{number}-{words[0]}").write_bytes(one)
        print(f"{'same' if same else 'DIFFERS'}  {' '.join(words)} {file or ''}", flush=True)
    print(f"{len(asked) - differing} of {len(asked)} outputs are the same")
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
