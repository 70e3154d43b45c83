"""A board held against its model: the same campaign on both, with the same program, and what explains the rest.

`quantities` is what is measured, `costs` what the model assumes and can be altered, `campaign` measures, `explanation`
finds the fewest costs that explain a difference, and `result` is the file that is passed on.
"""
