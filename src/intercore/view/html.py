"""How templates write HTML: the filters that all of them have. What they draw alike is in `parts.html.j2`."""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from intercore.record.origin import LABELS
from intercore.view.quantity import FORMATS, shown, span


def environment(package: str) -> Environment:
    """Return what knows the templates of a package, and `parts.html.j2`. It escapes all that no template wrote."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("intercore.view", ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "value": lambda estimate, kind: FORMATS[kind](estimate.value),
        "span": span,
        "shown": shown,
        **FORMATS,
    }
    made.globals["labels"] = LABELS
    return made
