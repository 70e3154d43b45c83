"""The example notebook runs from its first cell to its last, and draws its figure (`make test-notebook`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from intercore.record.store import StoreReader
from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOK = ROOT / "examples" / "notebooks" / "speed-up.ipynb"


@pytest.mark.measures("speedup")
@pytest.mark.skipif("INTERCORE_NOTEBOOK" not in os.environ, reason="needs Jupyter; make test-notebook runs it")
def test_the_example_measures_and_draws_its_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat  # noqa: PLC0415 - not among what every test needs
    from nbclient import NotebookClient  # noqa: PLC0415 - likewise

    monkeypatch.setenv("PATH", f"{ROOT / '.venv/bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    with StoreReader(tmp_path / "intercore.db") as store:
        assert store.run().complete
    assert (tmp_path / "speed-up.png").read_bytes().startswith(b"\x89PNG")
