"""The options of commands that measure energy: a meter, its measured path, or a file of currents."""

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
        help="Power meter of the target, e.g. 'ppk2:/dev/ttyACM1?volts=3.3' (intercore meters lists the kinds).",
    ),
]
MeasuredPath = Annotated[
    str | None,
    typer.Option(
        "--path",
        metavar="WHAT,…",
        help=(
            "Parts of the board whose current the meter measures, e.g. chip,regulator. The parts are "
            f"{', '.join(get_args(Besides))} (all other parts, which stay idle). Without --path, no energy is "
            "attributed to the chip."
        ),
    ),
]
CurrentsPath = Annotated[
    Path | None,
    typer.Option(
        "--currents",
        help="File with typical currents of a simulated chip (TOML), for an ESTIMATED energy, e.g. currents.toml; "
        "docs/energy.md describes it.",
    ),
]


OF_PLACE = "place"
"""Value of --meter for the meter that a labgrid place names."""


def _of_place(port: str | None) -> str:
    if port is None or not port.startswith(SCHEME):
        raise UsageError(
            f"--meter {OF_PLACE} takes the meter that a labgrid place names: name that place by --port {SCHEME}PLACE"
        )
    return meter_of(port)


def with_meter(
    plan: Plan, meter: str | None, measured_path: str | None, currents: Path | None, *, resumed: bool = False
) -> Plan:
    """Return the plan with its meter, or with currents instead of one.

    Raises UsageError for an impossible meter, and for a target on which energy means nothing. A resumed run keeps its
    path and currents, and may have another meter.
    """
    if resumed:
        for option in [name for name, given in {"--path": measured_path, "--currents": currents}.items() if given]:
            raise UsageError(f"--resume continues a stored run with its own plan: omit {option}")
        if meter is not None and plan.meter is None:
            raise UsageError("the run was started without a meter: omit --meter, or start a new run")
    besides = plan.besides if measured_path is None else besides_of(measured_path, "--path")
    meter = plan.meter if meter is None else _of_place(plan.url) if meter == OF_PLACE else meter
    check_meter(meter, currents, origin=plan.origin)
    if meter is None and measured_path is not None:
        raise UsageError(
            "--path states what the meter feeds: give --meter as well, e.g. --meter ppk2:/dev/ttyACM1?volts=3.3"
        )
    known = plan.currents if currents is None else currents_file.read(currents)
    return msgspec.structs.replace(plan, meter=meter, besides=besides, currents=known)


@contextlib.contextmanager
def open_metering(plan: Plan) -> Iterator[Metering | None]:
    """Open the plan's meter for the duration of the context; None if it has none.

    Raises IntercoreError if it is absent.
    """
    url = plan.meter
    if url is None:
        yield None
        return
    with messages().status(f"opening {url}"):
        metering = Metering(url, plan.besides, say)
    with contextlib.closing(metering):
        yield metering
