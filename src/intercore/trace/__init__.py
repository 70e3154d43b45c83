"""Analyses the events of the firmware's recorder on one clock: sentences, tables, Perfetto files."""
