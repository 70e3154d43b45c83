"""The lists of benchmarks, workloads and transports name what lies in their folders; in core includes go one way."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter

from intercore.board.sources import firmware_sources

FIRMWARE = firmware_sources()


def named(header: str, *macros: str) -> set[str]:
    """Return the names that a list has, of the lines that call one of these macros."""
    text = (FIRMWARE / header).read_text()
    return set(re.findall(rf"^    (?:{'|'.join(macros)})\((\w+)", text, re.MULTILINE))


def defined(kind: str, pattern: str) -> set[str]:
    """Return the names of what the C files define of one kind, e.g. `fp` of ic_workload_fp."""
    texts = [path.read_text() for path in FIRMWARE.glob(pattern)]
    return {name for text in texts for name in re.findall(rf"^const struct {kind} {kind}_(\w+) =", text, re.MULTILINE)}


def test_every_benchmark_is_in_the_list() -> None:
    files = {path.stem for path in (FIRMWARE / "bench").iterdir() if path.suffix != ".h"}
    listed = named("bench/benchmarks.h", "SMP_AND_AMP", "SMP_ONLY")
    assert listed == files - {"registry", "registry_amp"}
    assert listed == defined("ic_benchmark", "bench/**/*.c")


def test_every_workload_is_in_the_list() -> None:
    listed = named("workload/workloads.h", "X")
    assert listed == {path.stem for path in (FIRMWARE / "workload").glob("*.c")} - {"workloads"}
    assert listed == defined("ic_workload", "workload/*.c")


def test_every_transport_is_in_the_list() -> None:
    assert named("transport/transports.h", "X") == defined("ic_transport", "transport/**/*.c")


def test_every_group_of_transports_is_declared_and_some_board_has_it() -> None:
    text = (FIRMWARE / "transport" / "transports.h").read_text()
    groups = set(re.findall(r"^#define (IC_TRANSPORTS_\w+)\(X\)", text, re.MULTILINE))
    assert groups == set(re.findall(r"^(\w+)\(IC_TRANSPORT_DECLARED\)$", text, re.MULTILINE))
    boards = [path.read_text() for path in FIRMWARE.glob("board/*/transports.c")]
    assert groups == {name for board in boards for name in re.findall(r"(\w+)\(IC_TRANSPORT_LISTED\)", board)}


def test_no_two_files_of_the_core_include_each_other_on_any_way() -> None:
    """A .c file and the header of its name are one."""
    files = sorted((FIRMWARE / "core").glob("*.[ch]"))
    names = {path.stem for path in files}
    includes: dict[str, set[str]] = {name: set() for name in names}
    for path in files:
        found = set(re.findall(r'^#include "(\w+)\.h"', path.read_text(), re.MULTILINE))
        includes[path.stem] |= found & names - {path.stem}
    assert set(TopologicalSorter(includes).static_order()) == names, "a cycle raises CycleError"
