"""What a user may choose of the report on messages."""

from intercore.benchmarks.options import Option

WITHIN = Option(
    "within",
    default=0.01,
    above=0,
    below=1,
    help="Of a pilot of messages: the fraction to either side within which a 95 % interval is to know a time.",
)

OPTIONS = (WITHIN,)
