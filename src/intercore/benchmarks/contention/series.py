"""The series of `contention`."""

from intercore.benchmarks.series import Role

ROLES = {"alone.*": Role.AUXILIARY, "looking.*": Role.AUXILIARY, "*": Role.MOMENTS}
"""When towers were completed: how many there are in a window is the result. `alone.0` is what one costs."""
