"""Published tables: the ones that the package carries, and what a bad file is answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks import registry
from intercore.benchmarks.published import Publication, load, published
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from pathlib import Path


def test_every_table_is_read_as_its_kind() -> None:
    tables = published(Publication)
    loaders = (one.load_publication for one in registry.known())
    assert {type(table) for table in tables} == {load_type() for load_type in loaders if load_type is not None}
    assert len({table.id for table in tables}) == len(tables)
    assert "(None)" not in " ".join(table.source.citation for table in tables)


@pytest.mark.measures("speedup", "contention")
def test_a_source_is_cited_with_all_that_it_has() -> None:
    (dated,) = (table for table in published(Publication) if table.id == "seed-000")
    (undated,) = (table for table in published(Publication) if table.id == "seed-001")
    assert dated.source.citation.startswith("Quách Thị Hạnh and Nguyễn Thị Tố Uyên, “Performance analysis")
    assert dated.source.citation.endswith("(2026), Table 1, doi:10.59266/houjs.2026.1179")
    assert undated.source.citation.endswith("Qiita, tables of towers and of currents by competitors")


@pytest.mark.parametrize("content", [b"id = ", b"\xff\xfe", b"id = 1\nid = 2"])
def test_a_file_that_is_not_toml_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(IntercoreError, match=r"bad\.toml is not valid TOML"):
        load(path)


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(IntercoreError, match=r"cannot read .*none\.toml"):
        load(tmp_path / "none.toml")
