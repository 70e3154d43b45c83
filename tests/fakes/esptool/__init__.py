"""Stands for esptool 5, which is started as `python -m esptool`; see __main__.py."""
