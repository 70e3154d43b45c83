"""The console of rich, for text of any origin: in its own module, because rich is loaded when something is printed."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from intercore.text import printable


class PrintableConsole(Console):
    """A console on which no text can do more than be read."""

    def print(self, *objects: Any, **how: Any) -> None:  # noqa: ANN401 - as rich has it
        """Print, with what could take over the terminal replaced in each text; tables come made of such texts."""
        super().print(*(printable(one) if isinstance(one, str) else one for one in objects), **how)
