"""The series of `contention`."""

from collections.abc import Mapping

from intercore.benchmarks.series import Result, Role

ROLES = {
    **dict.fromkeys(("alone.*", "tower.*", "looking.*", "ran*", "moved*"), Role.AUXILIARY),
    "*": Role.MOMENTS,
}
"""When towers were completed: how many there are in a window is the result. `alone.0` is what one costs, with the sleep
behind it if there is one, and `tower.0` without; `ran0.1` and `moved0` say on which cores free tasks were."""

RESULTS: Mapping[str, Result] = {}
