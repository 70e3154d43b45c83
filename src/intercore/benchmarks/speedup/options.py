"""What a user may choose of the report on speed-ups."""

from intercore.benchmarks.options import Option

EFFICIENCY = Option(
    "efficiency",
    default=0.9,
    above=0,
    below=1,
    help="Parallel efficiency that counts as break-even, above 0, below 1.",
)

OPTIONS = (EFFICIENCY,)
