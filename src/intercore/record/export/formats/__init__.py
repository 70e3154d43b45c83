"""Formats of exported files: a module for each, as `intercore.record.export.format` wants it."""
