"""What names in answers mean is said of all that there are, and of nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intercore.benchmarks import registry

DOCS = Path(__file__).parents[2] / "docs" / "benchmarks"
EXPLAINED = [one.name for one in registry.known() if one.choices]


@pytest.mark.parametrize("benchmark", EXPLAINED)
def test_what_is_explained_is_there(benchmark: str) -> None:
    told = (DOCS / f"{benchmark}.md").read_text("utf-8")
    for name, meaning in registry.benchmark(benchmark).choices.items():
        assert re.search(rf"`{name}`|\b{name.split()[0]}\b", told), name
        assert meaning


@pytest.mark.measures("message")
def test_every_transport_is_explained() -> None:
    table = (DOCS / "message.md").read_text("utf-8").split("| transport |")[1].split("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    names = {name for cell in first_cells for name in re.findall("`([a-z-]+)(?::PATH)?`", cell)}
    assert len(names) > 10
    assert names == set(registry.benchmark("message").choices)
