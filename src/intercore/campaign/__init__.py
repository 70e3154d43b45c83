"""From what a user asks for to measurements in the store.

A command line, a plan file (`plan_reader`) and a file of budgets (`budget_plan`) each come to experiments
(`plan_file`), of which `planning` makes a plan for a target that is asked what it has. What a sweep will take is known
before it begins (`preview`, `estimate`). `execution` carries out each run as a `campaign`, which asks the `schedule` of
the run what is next, and hands out batches (`batch`) to `workers`: to this thread (`this_thread`), a `target_thread` for each
board, `simulator_processes`, or a `cluster`. A `kept_target` stays open from one measurement to the next, and an
`open_target` measures.
"""
