"""Common parts of the commands that measure: the open target, and the command that continues an interrupted run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from intercore.campaign.kept_target import KeptTarget, Opening, address_of
from intercore.campaign.run_identity import OtherKernelError
from intercore.campaign.this_thread import carry_out
from intercore.cli.connection import announce_kernel, timeout_of
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


def kept_target(plan: Plan, address: Address, timeout: float | None) -> KeptTarget:
    """Return the target of a plan, to be opened at first use; `address` supplements the plan.

    Raises UsageError if the target is not possible.
    """
    opening = Opening(plan, address_of(plan, address))

    def connect(build: Mapping[str, Level], say: Callable[[str], None]) -> Connection:
        return announce_kernel(opening(build, say))

    return KeptTarget(plan, connect, timeout_of(find(plan.target), timeout), address.max_baud)


def open_session(kept: KeptTarget, name: str, build: Mapping[str, Level]) -> Session:
    """Open the target called `name` in this build, showing progress, to query its benchmarks."""
    with messages().status(f"opening {name}") as status:
        return kept.opened(build, status.update).session


def measure_runs(
    store: Store, runs: Mapping[int, KeptTarget], metering: Metering | None = None, *, verbose: bool
) -> list[Run]:
    """Complete a run, or two alternating runs, and return them. If interrupted, print the command that continues."""
    try:
        with watch(messages(), verbose=verbose, still=metering is not None and metering.asks) as observer:
            carry_out(store, runs, observer, metering)
    except OtherKernelError:
        raise  # continuing would fail again
    except (IntercoreError, KeyboardInterrupt) as error:
        say(_continuation(store, list(runs)))
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        raise
    return [store.run(run_id) for run_id in runs]


def _continuation(store: Store, run_ids: list[int]) -> str:
    several = len(run_ids) > 1
    what = f"run{'s' * several} {listed([*map(str, run_ids)])} {'were' if several else 'was'} interrupted"
    try:
        runs = [store.run(run_id) for run_id in run_ids]
    except IntercoreError:
        return what
    done, total = sum(len(run.measurements) for run in runs), sum(run.total for run in runs)
    go_on = command_to_go_on(store.path, runs[0].plan)
    return f"{what}: {done} of {total} measurements are in {store.path}; continue with: {go_on}"
