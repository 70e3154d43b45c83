"""The benchmarks and parameters that targets have reported, cached for shell completion."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import platformdirs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.link.session import BenchmarkInfo

Offers: TypeAlias = dict[str, dict[str, list[str]]]
"""By benchmark: for each parameter its choices, or its default if it is a number."""

_MOST_BYTES = 1 << 20
_decoder = msgspec.json.Decoder(Offers)


def remember(target: str, benchmarks: Sequence[BenchmarkInfo]) -> None:
    """Cache the benchmarks of a target. Does nothing if they are cached, or if the user's cache cannot be written."""
    offers: Offers = {
        one.name: {each.name: list(each.choices) or [each.default] for each in one.parameters}
        for one in benchmarks
        if not one.refused
    }
    if remembered(target) == offers:
        return
    with contextlib.suppress(OSError):
        path = _path(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            file.write(msgspec.json.encode(offers))
        Path(file.name).replace(path)


def remembered(target: str) -> Offers:
    """Return the cached benchmarks of a target; empty if there are none."""
    try:
        with _path(target).open("rb") as file:
            return _decoder.decode(file.read(_MOST_BYTES))
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


def _path(target: str) -> Path:
    return platformdirs.user_cache_path("intercore") / "offers" / f"{target}.json"
