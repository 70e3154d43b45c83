"""The series of `rhealstone`."""

from intercore.benchmarks.series import Result

RESULTS = {"time": Result("us")}
