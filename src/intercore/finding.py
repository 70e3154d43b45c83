"""Findings of a run as data: a code, a severity, values with their units, and the setting that they hold for.

Each code is a class with the values as fields and the wording as its `sentence`, which the terminal, the page and the
JSON document use. A module `findings` has those of one benchmark. tests/findings.txt has examples of each;
`make format` writes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity: TypeAlias = Literal["info", "warning", "error"]
"""`info` is a result, `warning` a caveat about the numbers; with `error` they mean nothing."""


def _code(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class Finding(msgspec.Struct, frozen=True, kw_only=True, tag_field="code", tag=_code):
    """A finding of a run. Its code follows from the name of its class: `lock-not-shared` from `LockNotShared`."""

    setting: dict[str, int | str] = {}
    """The level of each factor that has several levels in the run."""

    @property
    def code(self) -> str:
        """The name for programs."""
        return str(self.__struct_config__.tag)

    @property
    def severity(self) -> Severity:
        """Its meaning for the numbers."""
        return "info"

    @property
    def sentence(self) -> str:
        """The finding in words, without its setting, and what to do about it."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The finding in words, with its setting in front."""
        levels = " ".join(f"{name}={level}" for name, level in self.setting.items())
        return f"{levels}: {self.sentence}" if levels else self.sentence

    def __str__(self) -> str:
        """Return the finding in words."""
        return self.text

    def to_json(self) -> dict[str, Any]:
        """Return it as in a JSON document: code, severity, values, setting and text."""
        values = msgspec.to_builtins(self)
        code, setting = values.pop("code"), values.pop("setting")
        return {"code": code, "severity": self.severity, "values": values, "setting": setting, "text": self.text}


class Caveat(Finding, frozen=True):
    """A finding that limits what the numbers may be used for."""

    @property
    def severity(self) -> Severity:
        """Its meaning for the numbers."""
        return "warning"


def texts(findings: Iterable[Finding]) -> list[str]:
    """Return the results among findings in words, without caveats."""
    return [one.text for one in findings if one.severity == "info"]
