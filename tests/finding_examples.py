"""Examples of all findings, made from the types of their values: `make format` writes tests/findings.txt.

A finding's first example has a value in each field. In each further one a field takes what else its type allows and
wording may depend on: nothing, a single one, the other truth, another name, one of a number, or none.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import inspect

import intercore.benchmarks
import intercore.record
import intercore.statistics
from intercore.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FILE = Path(__file__).parent / "findings.txt"
_INDENT = "    "
_NUMBER = re.compile(r"\d[\d.,]*(?: [µnm]?s\b)?")


def kinds(base: type[Finding] = Finding) -> list[type[Finding]]:
    """Return all kinds of findings that have a sentence, by code."""
    for package in (intercore.benchmarks, intercore.record, intercore.statistics):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    ours = (one for one in _subclasses(base) if one.__module__.startswith("intercore."))  # a test may have its own
    found = {one for one in ours if one.sentence is not Finding.sentence}
    return sorted(found, key=_code)


def _subclasses(base: type[Finding]) -> Iterator[type[Finding]]:
    for one in base.__subclasses__():
        yield one
        yield from _subclasses(one)


def _code(kind: type[Finding]) -> str:
    return str(kind.__struct_config__.tag)


def examples(kind: type[Finding]) -> list[Finding]:
    """Return examples of a finding: what its wording may depend on, one at a time."""
    choices = {field.name: _values(field.type, field.name) for field in _fields(kind) if field.name != "setting"}
    if "check" in choices:
        choices["check"] = [check for check, wording in kind.wording.items() if wording]  # type: ignore[attr-defined]
    return [kind(**values) for values in _one_at_a_time(choices)]


def _one_at_a_time(choices: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    first = {name: values[0] for name, values in choices.items()}
    return [first, *({**first, name: value} for name, values in choices.items() for value in values[1:])]


def _fields(kind: type) -> Sequence[inspect.Field]:
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return found.fields


def _values(type_: inspect.Type, name: str) -> list[Any]:  # noqa: PLR0911, PLR0912 - a type each
    """Return values of a type, the first of which is like most."""
    match type_:
        case inspect.BoolType():
            return [True, False]
        case inspect.IntType():
            return [3, 2, 1] if (type_.ge or 0) <= 1 else [type_.ge]
        case inspect.FloatType():
            most = type_.le if type_.le is not None else type_.lt
            return [12.34, 0.25, 56.78] if most is None else [0.75 * most]
        case inspect.StrType():
            return [f"<{name.replace('_', ' ')}>"]
        case inspect.LiteralType():
            return list(type_.values)
        case inspect.NoneType():
            return [None]
        case inspect.UnionType():
            known = sorted(type_.types, key=lambda one: isinstance(one, inspect.NoneType))
            return [value for one in known for value in _values(one, name)]
        case inspect.VarTupleType():
            one = _values(type_.item_type, name)
            sizes = [tuple(_numbered((one * 2)[:2])), *((value,) for value in one), ()]
            return [value for value in sizes if len(value) >= (type_.min_length or 0)]
        case inspect.TupleType():
            return [tuple(_values(item, name)[0] for item in type_.item_types)]
        case inspect.DictType():
            return _dicts(type_, name)
        case inspect.StructType():
            cls = type_.cls
            if issubclass(cls, Finding):
                return examples(cls)[:1]
            parts = {field.name: _values(field.type, field.name) for field in type_.fields}
            first = {part: values[0] for part, values in parts.items()}
            return [
                cls(**first),
                *(cls(**{**first, part: known}) for part, rest in parts.items() for known in rest[1:]),
            ]
        case _:
            raise NotImplementedError(f"values of {type_}, of the field {name}")


def _dicts(type_: inspect.DictType, name: str) -> list[dict[str, Any]]:
    values = _values(type_.value_type, name)
    if isinstance(type_.key_type, inspect.LiteralType):
        keys = [str(key) for key in type_.key_type.values]
        return [dict.fromkeys(keys, values[0]), *({key: value} for key in keys for value in values)]
    return [{f"<{name} 1>": values[0], f"<{name} 2>": values[-1]}, {f"<{name}>": values[0]}]


def _numbered(values: Sequence[Any]) -> list[Any]:
    def is_name(value: Any) -> bool:  # noqa: ANN401 - of any type of `_values`
        return isinstance(value, str) and value.endswith(">")

    return [f"{value[:-1]} {place}>" if is_name(value) else value for place, value in enumerate(values, 1)]


def text() -> str:
    """Return the file: of each code the severity and each wording once, whatever its numbers."""
    return "\n".join(line for kind in kinds() for line in _lines(kind))


def _lines(kind: type[Finding]) -> Iterator[str]:
    made = examples(kind)
    severities = " or ".join(dict.fromkeys(one.severity for one in made))
    yield f"{_code(kind)} ({severities})"
    wordings = {_NUMBER.sub("#", one.sentence): one.sentence for one in reversed(made)}
    yield from (f"{_INDENT}{wording}" for wording in reversed(wordings.values()))
    yield ""


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
