"""The modules of the simulated chips (sim/src) import only what is below them, as import-linter holds it for Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tests.built_once import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = ROOT / "sim/src"
LAYERS = (
    {"lib", "main"},
    {"cli"},
    {"session"},
    {"rp2040", "rp2350", "stm32h745"},
    {"rp2"},
    {"debug", "fault", "image", "observe"},
    {"isa/armv6m", "isa/armv7em", "isa/hazard3"},
    {"isa", "isa/thumb"},
    {"engine"},
    {"core"},
)
"""From top to bottom. Modules of one layer are independent of each other."""
CORE_ONLY = {"debug", "fault", "image", "observe"}
"""They are for every chip: a chip implements the interfaces that they, or `core`, declare."""
EXCEPTIONS: set[tuple[str, str]] = set()
"""Files with what they import against the layers. An entry that is not needed any more fails the test."""


class Import(NamedTuple):
    """A path in a Rust file that leads to another module of the crate."""

    file: str
    line: int
    module: str
    imported: str

    def __str__(self) -> str:
        return f"sim/src/{self.file}:{self.line}: {self.module} -> {self.imported}"


def path_of(file: Path, source: Path) -> list[str]:
    """Return the path of a file's module from the crate's root."""
    return list(file.relative_to(source).with_suffix("").parts)


def module_of(path: list[str]) -> str:
    """Return the module of LAYERS that a path from the crate's root belongs to."""
    return "/".join(path[: 2 if path[0] == "isa" else 1])


def paths(text: str) -> Iterator[list[str]]:
    """Return the paths that `a::{b, c::d}` stands for."""
    head, brace, rest = text.partition("{")
    before = [name.strip() for name in head.split("::") if name.strip()]
    if not brace:
        yield before
        return
    depth, part = 0, ""
    for character in rest:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0 or (depth == 0 and character == ","):
            for path in paths(part):
                yield before + path
            part = ""
        else:
            part += character
        if depth < 0:
            return


def imports(source: Path) -> Iterator[Import]:
    """Return all that modules import from others, in `use` and in paths within code."""
    for file in sorted(source.rglob("*.rs")):
        own = path_of(file, source)
        code = re.sub(r"//.*", "", file.read_text("utf-8"))
        for match in re.finditer(r"(?<![\w:$])(crate|super(?:::super)*)::((?:\w+|::|\{[^;]*)+)", code):
            base = [] if match[1] == "crate" else own[: -match[1].count("super")]
            line = code.count("\n", 0, match.start()) + 1
            for path in paths(match[2]):
                if (base + path) and (imported := module_of(base + path)) != module_of(own):
                    yield Import(str(file.relative_to(source)), line, module_of(own), imported)


def is_allowed(module: str, imported: str) -> bool:
    """Whether the layers let a module import another one."""
    layer = {name: number for number, names in enumerate(LAYERS) for name in names}
    return layer[module] < layer[imported] and (module not in CORE_ONLY or imported == "core")


def against_layers(source: Path) -> list[Import]:
    """Return the imports that the layers forbid; what is in no layer is no module."""
    names = set[str]().union(*LAYERS)
    return [one for one in imports(source) if one.imported in names and not is_allowed(one.module, one.imported)]


def test_simulator_layers_name_every_module() -> None:
    modules = {module_of(path_of(file, SOURCE)) for file in SOURCE.rglob("*.rs")}
    assert modules == set().union(*LAYERS)


def test_simulator_imports_point_downwards() -> None:
    forbidden = against_layers(SOURCE)
    new = [str(found) for found in forbidden if (found.file, found.imported) not in EXCEPTIONS]
    assert not new, "\n".join(["against the layers:", *new])
    unneeded = EXCEPTIONS - {(found.file, found.imported) for found in forbidden}
    assert not unneeded, f"no longer needed in EXCEPTIONS: {sorted(unneeded)}"


def test_import_against_the_layers_is_found_in_every_form(tmp_path: Path) -> None:
    planted = {
        "core/watch.rs": "// crate::rp2040 in a comment\nuse crate::rp2040::machine::Machine;\n",
        "isa/armv7em/narrow.rs": "use crate::isa::{\n    armv6m::decode::Code,\n    thumb,\n};\n",
        "isa/armv6m.rs": "use super::armv7em::Processor;\n",
        "engine/cpu.rs": "fn now() -> u64 {\n    crate::session::Session::new().now()\n}\n",
        "rp2040/machine.rs": "use crate::{core::time::Cycle, stm32h745::Time};\nuse super::bus::Bus;\n",
        "observe.rs": "use crate::core::watch::Watch;\nuse crate::engine::cpu::Cpu;\n",
    }
    for name, text in planted.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert [str(found).removeprefix("sim/src/") for found in against_layers(tmp_path)] == [
        "core/watch.rs:2: core -> rp2040",
        "engine/cpu.rs:2: engine -> session",
        "isa/armv6m.rs:1: isa/armv6m -> isa/armv7em",
        "isa/armv7em/narrow.rs:1: isa/armv7em -> isa/armv6m",
        "observe.rs:2: observe -> engine",
        "rp2040/machine.rs:1: rp2040 -> stm32h745",
    ]
