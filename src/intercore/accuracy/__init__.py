"""How true the simulated RP2040 is: its times beside those that others measured on boards.

`published/` has the figures, `programs.toml` how our programs that repeat them are built, `simulated.toml` what these
took last: the command `python -m intercore.accuracy` writes it, and docs/accuracy.md.
"""
