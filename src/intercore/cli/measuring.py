"""What the commands that measure have in common: the target that stays open, and how a run that ends early goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from intercore.board.sources import sources_of_plan
from intercore.campaign.here import carry_out
from intercore.campaign.kept_target import KeptTarget
from intercore.campaign.run_identity import OtherKernelError
from intercore.cli.connection import patience, with_kernel_said
from intercore.cli.stored import command_to_go_on
from intercore.errors import INTERRUPTED, IntercoreError
from intercore.target.targets import find
from intercore.terminal.console import messages, say
from intercore.terminal.progress import watch
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.campaign.metering import Metering
    from intercore.link.session import Session
    from intercore.record.measurement import Level, Plan, Run
    from intercore.record.store import Store
    from intercore.target.connection import Connection
    from intercore.target.targets import Address


def address_of(plan: Plan, address: Address) -> Address:
    """Return how to reach the target of a stored plan: as when its run was created, but for what `address` names."""
    target = find(plan.target)
    if address.port is None:
        address = msgspec.structs.replace(address, port=plan.url, baud=plan.baud)
    if address.image is None and plan.image is not None:
        address = msgspec.structs.replace(address, image=Path(plan.image))
    emulated = plan.emulated and target.origin != "emulated"
    address = msgspec.structs.replace(address, emulated=emulated, sources=sources_of_plan(plan))
    target.check(address)
    return address


def kept_target(plan: Plan, address: Address, timeout: float | None) -> KeptTarget:
    """Return the target of a plan, to be opened when it is first used; `address` says how, without its build."""
    target = find(plan.target)

    def connect(build: Mapping[str, Level], say: Callable[[str], None]) -> Connection:
        built = msgspec.structs.replace(address, build=build)
        target.check(built)  # the store may be from anyone
        return with_kernel_said(target.open(built, say))

    return KeptTarget(plan, connect, patience(target, timeout), address.max_baud)


def opened(kept: KeptTarget, name: str, build: Mapping[str, Level]) -> Session:
    """Open the target called `name` in this build, to ask what it can measure; what takes time is shown meanwhile."""
    with messages().status(f"opening {name}") as status:
        return kept.opened(build, status.update).session


def measured(
    store: Store, runs: Mapping[int, KeptTarget], metering: Metering | None = None, *, verbose: bool
) -> list[Run]:
    """Measure what a run lacks, or two runs by turns, and return them whole. If that ends early, say how to go on."""
    try:
        with watch(messages(), verbose=verbose, still=metering is not None and metering.asks) as observer:
            carry_out(store, runs, observer, metering)
    except OtherKernelError:
        raise  # to go on is what does not help
    except (IntercoreError, KeyboardInterrupt) as error:
        say(_how_to_go_on(store, list(runs)))
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        raise
    return [store.run(run_id) for run_id in runs]


def _how_to_go_on(store: Store, run_ids: list[int]) -> str:
    several = len(run_ids) > 1
    what = f"run{'s' * several} {listed([*map(str, run_ids)])} {'were' if several else 'was'} interrupted"
    try:
        runs = [store.run(run_id) for run_id in run_ids]
    except IntercoreError:
        return what
    done, total = sum(len(run.measurements) for run in runs), sum(run.total for run in runs)
    go_on = command_to_go_on(store.path, runs[0].plan)
    return f"{what}: {done} of {total} measurements are in {store.path}; go on with: {go_on}"
