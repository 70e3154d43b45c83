"""From what a user asks for to measurements in the store.

A plan is made of a command's words (`levels`, `stop_rule`) or of a plan file (`plan_file`, `plan_reader`, `planning`).
What that will come to is told before it begins (`preview`, `estimate`). `run` carries out one run on one target, and
`sweep` several at once; both ask the `course` of a run what is next, and measure on an `open_target`. A sweep hands out
batches (`batch`) to workers: threads and processes of this machine (`workers`), or a cluster's (`cluster`).
"""
