"""From a user's request to measurements in the store.

A command line, a plan file (`plan_reader`) and a budget file (`budget_plan`) all become experiments (`plan_file`).
`planning` makes them a plan for a target, which it queries. `preview` and `estimate` predict the duration of a sweep.
`execution` carries out each run as a `campaign`: the run's `schedule` yields the next settings, and batches of them
(`batch`) go to `workers`: this thread (`this_thread`), a `target_thread` for each board, `simulator_processes`, or a
`cluster`. A `kept_target` stays open between measurements, and an `open_target` measures.
"""
