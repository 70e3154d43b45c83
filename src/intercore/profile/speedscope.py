"""Profiles in the format of speedscope, a viewer of flame graphs in the browser.

The format is described in speedscope's `src/lib/file-format-spec.ts`. Each core is a profile, in cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.profile.sums import path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import CoreProfile, Profile, Sums

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class _Frames:
    """Frames that all profiles share."""

    def __init__(self) -> None:
        self.list: list[dict[str, object]] = []
        self._numbers: dict[tuple[str, str | None, int | None], int] = {}

    def number(self, name: str, file: str | None = None, line: int | None = None) -> int:
        key = name, file, line
        if key not in self._numbers:
            self._numbers[key] = len(self.list)
            known = {"name": name, "file": file, "line": line}
            self.list.append({key: value for key, value in known.items() if value is not None})
        return self._numbers[key]


def speedscope(profile: Profile) -> str:
    """Return the text of the file. What a function lost and slept stands on top of it, in brackets."""
    frames = _Frames()
    profiles = [_profile(profile, number, core, frames) for number, core in enumerate(profile.cores)]
    document = {
        "$schema": _SCHEMA,
        "name": f"{profile.image} (SIMULATED)",
        "exporter": f"intercore {intercore.__version__}",
        "activeProfileIndex": 0,
        "shared": {"frames": frames.list},
        "profiles": profiles,
    }
    return msgspec.json.encode(document).decode()


def _profile(profile: Profile, number: int, core: CoreProfile, frames: _Frames) -> dict[str, object]:
    samples: list[list[int]] = []
    weights: list[int] = []

    def frame(at: int) -> int:
        node = core.nodes[at]
        found = profile.sources.get(node.address, ()) if node.kind == "function" else ()
        return frames.number(node.name, found[-1].file, found[-1].line) if found else frames.number(node.name)

    for at in sorted(range(len(core.nodes)), key=lambda at: path(core, at)):
        stack = [frame(one) for one in path(core, at)]
        for name, cycles in _parts(core.nodes[at].costs.sums):
            if cycles:
                samples.append(stack + ([frames.number(name)] if name else []))
                weights.append(cycles)
    if core.off:
        samples.append([frames.number("[off]")])
        weights.append(core.off)
    return {
        "type": "sampled",
        "name": f"core {number}",
        "unit": "none",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }


def _parts(sums: Sums) -> Iterator[tuple[str, int]]:
    yield "", sums.executing
    yield "[asleep]", sums.asleep
    yield "[entering or leaving an exception]", sums.switching
    for port, cycles in sums.conflicts.items():
        yield f"[lost {port} to another master]", cycles
    for port, cycles in sums.waits.items():
        yield f"[waits for {port}]", cycles
