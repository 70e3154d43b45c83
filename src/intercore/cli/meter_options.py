"""The options of commands that measure energy beside time: a meter, what is in its path, or stated currents."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec
import typer

from intercore.campaign.metering import Metering
from intercore.campaign.plan_meter import besides_of, check_meter
from intercore.energy import currents_file
from intercore.errors import UsageError
from intercore.record.meter_recording import Besides
from intercore.target.labgrid_port import SCHEME, meter_of
from intercore.terminal.console import messages, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.record.measurement import Plan

MeterUrl = Annotated[
    str | None,
    typer.Option(
        "--meter",
        metavar="URL",
        help="Power meter beside the target: ppk2:/dev/ttyACM1?volts=3.3; see intercore meters.",
    ),
]
MeasuredPath = Annotated[
    str | None,
    typer.Option(
        "--path",
        metavar="WHAT,…",
        help=f"What the meter's path holds: {', '.join(get_args(Besides))}; without it no energy is called the chip's.",
    ),
]
CurrentsPath = Annotated[
    Path | None,
    typer.Option("--currents", help="File of a simulated chip's currents, for an ESTIMATED energy."),
]


OF_PLACE = "place"
"""What stands for the meter that a labgrid place names."""


def _of_place(port: str | None) -> str:
    if port is None or not port.startswith(SCHEME):
        raise UsageError(f"--meter {OF_PLACE} is what a labgrid place names: name one by --port {SCHEME}PLACE")
    return meter_of(port)


def with_meter(
    plan: Plan, meter: str | None, measured_path: str | None, currents: Path | None, *, resumed: bool = False
) -> Plan:
    """Return the plan with its meter, or with the currents that stand for one.

    Raises UsageError for a meter that there cannot be, and where energy means nothing. A run that is resumed keeps what
    it has; the meter may be another one.
    """
    if resumed:
        for option in [name for name, given in {"--path": measured_path, "--currents": currents}.items() if given]:
            raise UsageError(f"--resume goes on with a stored plan: leave out {option}")
        if meter is not None and plan.meter is None:
            raise UsageError("the run was begun without a meter: leave out --meter, or start a new run")
    besides = plan.besides if measured_path is None else besides_of(measured_path)
    meter = plan.meter if meter is None else _of_place(plan.url) if meter == OF_PLACE else meter
    check_meter(meter, currents, origin=plan.origin)
    if meter is None and measured_path is not None:
        raise UsageError("--path says what the path of a meter holds: name one by --meter")
    known = plan.currents if currents is None else currents_file.read(currents)
    return msgspec.structs.replace(plan, meter=meter, besides=besides, currents=known)


@contextlib.contextmanager
def open_metering(plan: Plan) -> Iterator[Metering | None]:
    """Open the plan's meter while the context lasts; None if it has none. Raises IntercoreError if it is not there."""
    url = plan.meter
    if url is None:
        yield None
        return
    with messages().status(f"opening {url}"):
        metering = Metering(url, plan.besides, say)
    with contextlib.closing(metering):
        yield metering
