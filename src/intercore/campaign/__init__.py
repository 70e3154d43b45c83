"""From what a user asks for to measurements in the store.

A plan is made of a command's words (`levels`, `stop_rule`) or of a plan file (`plan_file`, `plan_reader`, `planning`).
What that will come to is told before it begins (`preview`, `estimate`). `execution` carries out each run as a
`campaign`, which asks the `course` of the run what is next, and hands out batches (`batch`) to `workers`: to this
thread (`here`), a `target_thread` for each board, `simulator_processes`, or a `cluster`. A `kept_target` stays open
from one measurement to the next, and an `open_target` measures.
"""
