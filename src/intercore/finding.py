"""Findings of a run as data: a code, a severity, values with their units, and the setting.

Each code is a class with the values as fields and the wording as its `sentence`, which the terminal, the page and the
JSON document use. A module `findings` has all those of one benchmark. tests/findings.txt has examples of each; `make
format` writes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity: TypeAlias = Literal["info", "warning", "error"]
"""`info` is a result, `warning` a caveat, and with `error` the numbers mean nothing."""


def _code(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class Finding(msgspec.Struct, frozen=True, kw_only=True, tag_field="code", tag=_code):
    """A result or caveat of a run. Its code is its class's name: `lock-not-shared` of `LockNotShared`."""

    setting: dict[str, int | str] = {}
    """The level of each factor that has several levels in the run."""

    @property
    def code(self) -> str:
        """Its name for programs."""
        return str(self.__struct_config__.tag)

    @property
    def severity(self) -> Severity:
        """What it means for the numbers."""
        return "info"

    @property
    def sentence(self) -> str:
        """The wording, without the setting, and the remedy."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The wording, behind its setting."""
        levels = " ".join(f"{name}={level}" for name, level in self.setting.items())
        return f"{levels}: {self.sentence}" if levels else self.sentence

    def __str__(self) -> str:
        """Return it in words."""
        return self.text

    def to_json(self) -> dict[str, Any]:
        """Return it as the documents have it: code, severity, values, setting and text."""
        values = msgspec.to_builtins(self)
        code, setting = values.pop("code"), values.pop("setting")
        return {"code": code, "severity": self.severity, "values": values, "setting": setting, "text": self.text}


class Caveat(Finding, frozen=True):
    """A finding that limits the use of numbers."""

    @property
    def severity(self) -> Severity:
        """What it means for the numbers."""
        return "warning"


def texts(findings: Iterable[Finding]) -> list[str]:
    """Return the results among findings in words, without caveats."""
    return [one.text for one in findings if one.severity == "info"]
