"""How templates write HTML: the filters that all of them have. What they draw alike is in `parts.html.j2`."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from intercore.record.origin import LABELS
from intercore.text import printable
from intercore.view.quantity import FORMATS, shown, span

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str) -> Environment:
    """Return what knows the templates of a package, and `parts.html.j2`.

    It escapes everything that templates did not write, and replaces invisible and direction-changing characters.
    """
    from jinja2 import (  # noqa: PLC0415 - 15 ms of each start of the tool, which seldom writes a page
        ChoiceLoader,
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("intercore.view", ".")]),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "value": lambda estimate, kind: FORMATS[kind](estimate.value),
        "span": span,
        "shown": shown,
        "coded": coded,
        "breakable": breakable,
        "csp_hash": csp_hash,
        **FORMATS,
    }
    made.globals["labels"] = LABELS
    return made


def coded(text: str) -> Markup:
    """Return a sentence in which what stands between backticks is code, as in the documentation."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(printable(text)))))  # noqa: S704 - escaped


def breakable(text: str) -> Markup:
    """Return a name or a path that a narrow column may break between its words, and not within one."""
    return Markup(re.sub(r"(?<=[._/=,:])(?=\w)", "<wbr>", str(escape(printable(text)))))  # noqa: S704 - escaped


def csp_hash(script: str) -> str:
    """Return the hash of a script for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _shown(value: object) -> object:
    return printable(value) if type(value) is str else value  # Markup, a kind of str, is made of what was shown so
