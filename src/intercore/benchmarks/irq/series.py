"""The series of `irq`."""

from intercore.benchmarks.series import Result

RESULTS = {"latency": Result("us", "time to react")}
