"""An open target that is silent: where a board speaks is told until something is heard of it."""

from __future__ import annotations

import pytest

from intercore.errors import IntercoreError
from intercore.link.port import Port
from intercore.target.connection import Connection


class Mute(Port):
    """Says something at first, or nothing, and then never a word, in a time of its own."""

    description = "/dev/ttyACM0"

    def __init__(self, says: bytes) -> None:
        self._left = says
        self._time = 0.0

    def now(self) -> float:
        return self._time

    def read(self, timeout: float) -> bytes:
        self._time += timeout
        said, self._left = self._left, b""
        return said

    def write(self, data: bytes) -> None:
        """Nobody hears it."""

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(("says", "told"), [(b"", True), (b"garbage\r\n", False)])
def test_where_a_board_speaks_is_told_if_nothing_is_heard_of_it(says: bytes, *, told: bool) -> None:
    with pytest.raises(IntercoreError) as silent:
        Connection(Mute(says), wiring="at GP0 and GP1").session().info()
    assert ("at GP0 and GP1" in str(silent.value)) == told
