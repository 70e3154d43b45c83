"""What a user may choose of the report on speed-ups."""

from intercore.benchmarks.options import Option

EFFICIENCY = Option(
    "efficiency",
    default=0.9,
    above=0,
    below=1,
    help="Parallel efficiency wanted of all cores: from which work on it is reached. Above 0, below 1.",
)

OPTIONS = (EFFICIENCY,)
