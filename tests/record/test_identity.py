"""Which kernel and which image a run is of: what is known to be another one is told, and so is what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.record import conditions, identity
from intercore.record.findings import (
    ImagesDiffer,
    KernelsDiffer,
    KernelsOfOne,
    SeveralImages,
    SeveralKernels,
    UnknownIdentity,
)
from intercore.record.measurement import Measurement, Part, Plan, Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level

RELEASED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "ff265a60962f88d4, unmodified"}
PATCHED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "0123456789abcdef, modified"}
RELEASED_NAME, PATCHED_NAME = (
    f"FreeRTOS V11.2.0 SMP, sources {known['freertos.sources']}" for known in (RELEASED, PATCHED)
)
BEFORE = {"freertos.version": "V11.2.0 SMP", "freertos.port": "ThirdParty/GCC/RP2040, unmodified"}
OLDER = {"freertos.version": "V11.1.0 SMP"}
LINUX = {"os.kernel": "Linux 6.1.0"}


def measured(found: Mapping[str, str], **factors: Level) -> Measurement:
    return Measurement("speedup", factors, 0, (), {"host.tool": "0.1.0", **found}, {}, "2026-01-01T00:00:00Z")


def run(*measurements: Measurement, number: int = 1, url: str | None = None) -> Run:
    plan = Plan("pico-sim", url, "speedup", (Part("speedup", {"n": [1]}),))
    return Run(number, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        (RELEASED, RELEASED, False),
        (RELEASED, PATCHED, True),
        (RELEASED, BEFORE, False),
        (BEFORE, BEFORE, False),
        (BEFORE, OLDER, True),
        (RELEASED, OLDER, True),
        (RELEASED, LINUX, True),
        (LINUX, {"os.kernel": "Linux 6.2.0"}, True),
        (LINUX, {}, False),
    ],
)
def test_kernels_are_others_where_that_is_known(
    first: Mapping[str, str], second: Mapping[str, str], other: bool
) -> None:
    assert identity.is_other_kernel(first, second) is other
    assert identity.is_other_kernel(second, first) is other


def test_a_run_of_two_kernels_says_so_and_names_them_but_blames_nothing_else() -> None:
    mixed = run(*(measured({**found, "image.digest": "1"}) for found in (RELEASED, PATCHED)))
    said = [SeveralKernels(run=1, kernels=(RELEASED_NAME, PATCHED_NAME))]
    assert list(identity.caveats(mixed)) == said
    assert list(conditions.caveats(mixed)) == said


def test_a_run_of_two_images_of_one_build_says_so() -> None:
    images = [measured({**RELEASED, "image.digest": digest}, opt="O2") for digest in ("1111", "2222")]
    said = [SeveralImages(run=1, images=("1111", "2222"))]
    assert list(identity.caveats(run(*images))) == said
    assert list(conditions.caveats(run(*images))) == said


def test_each_build_of_a_run_has_an_image_of_its_own() -> None:
    builds = [measured({**RELEASED, "image.digest": str(n)}, opt=f"O{n}", samples=n) for n in (0, 2)]
    assert list(identity.caveats(run(*builds))) == []


def test_what_a_run_from_before_does_not_say_is_unknown_and_said() -> None:
    assert list(identity.caveats(run(measured(BEFORE)))) == [UnknownIdentity(run=1, unknown=("kernel", "image"))]
    assert list(identity.caveats(run(measured(LINUX)))) == [UnknownIdentity(run=1, unknown=("image",))]


def test_of_a_board_at_a_port_the_desk_does_not_know_the_image_and_is_not_expected_to() -> None:
    assert list(identity.caveats(run(measured(RELEASED), url="/dev/ttyACM0"))) == []


def test_runs_side_by_side_say_first_which_of_them_has_which_kernel() -> None:
    first, second = run(measured(RELEASED)), run(measured(PATCHED), number=2)
    of_each = (KernelsOfOne("run 1", (RELEASED_NAME,)), KernelsOfOne("run 2", (PATCHED_NAME,)))
    assert list(identity.combined_caveats([first, second])) == [KernelsDiffer(target="pico-sim", runs=of_each)]
    assert list(identity.combined_caveats([first, run(measured(RELEASED), number=3)])) == []


def test_runs_side_by_side_of_one_kernel_and_two_images_say_so() -> None:
    one, other = (run(measured({**RELEASED, "image.digest": str(n)}), number=n) for n in (1, 2))
    assert list(identity.combined_caveats([one, other])) == [
        ImagesDiffer(target="pico-sim", runs=("run 1", "run 2"), images=("1", "2"))
    ]


def test_another_image_alone_does_not_keep_samples_apart_and_another_kernel_does() -> None:
    first = {**RELEASED, "image.digest": "1"}
    assert conditions.disagreement(first, {**RELEASED, "image.digest": "2"}) == []
    assert conditions.disagreement(first, {**PATCHED, "image.digest": "2"}) == ["freertos.sources"]
