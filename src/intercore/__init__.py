"""Intercore: the benchmark for multicore microcontrollers."""


def __getattr__(name: str) -> str:
    """Return `__version__`, when it is asked for: what finds it takes longer to load than Python itself."""
    if name == "__version__":
        from importlib import metadata  # noqa: PLC0415 - see above

        return metadata.version("intercore")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
