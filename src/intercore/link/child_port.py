"""A port to a child process: the target on this machine, or an emulator."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError
from intercore.link.port import CHUNK, Port, TargetLostError
from intercore.operating_system import OWN_GROUP, end_group, wait_for_group
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

CHUNKS_AHEAD = 64
"""Chunks buffered from a child before it blocks: 4 MiB."""
CHILD_GRACE = 0.5
"""Seconds for a child to exit after its input is closed, and for its last output to be read."""
_KILL = getattr(signal, "SIGKILL", 9)
LAST_WORDS = 2000
"""Bytes of a child's standard error that are kept to explain its end."""


class ChildPort(Port):
    """A port to the standard input and output of a child process."""

    def __init__(self, argv: Sequence[str], description: str | None = None) -> None:
        """Start the program; messages call it `description` instead of its path."""
        self.description = description or argv[0]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program of ours or of the user's choice, without a shell
                argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=OWN_GROUP,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else printable(str(error))
            raise IntercoreError(f"cannot start {self.description}: {why}") from None
        # Threads, because Windows cannot wait for a pipe with a timeout.
        self._chunks: queue.Queue[bytes] = queue.Queue(CHUNKS_AHEAD)
        self._last_words = b""
        self._threads = [
            threading.Thread(target=self._pump_output, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._keep_last_words, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _pump_output(self, output: IO[bytes]) -> None:
        has_begun = False
        while chunk := output.read(CHUNK):
            if not has_begun:  # its output up to here is a greeting, not a reason for its end
                self._last_words, has_begun = b"", True
            self._chunks.put(chunk)
        self._chunks.put(b"")

    def _keep_last_words(self, errors: IO[bytes]) -> None:
        while chunk := errors.read(CHUNK):
            self._last_words = (self._last_words + chunk)[-LAST_WORDS:]

    def read(self, timeout: float) -> bytes:
        """See Port."""
        try:
            chunk = self._chunks.get(timeout=max(timeout, 0))
        except queue.Empty:
            return b""
        if not chunk:
            self._chunks.put(b"")  # for the next read
            raise TargetLostError(f"{self.description} {self._death()}")
        return chunk

    def write(self, data: bytes) -> None:
        """See Port."""
        if self._process.stdin is not None:
            with suppress(OSError):  # it has ended: `read` reports that after its last output
                self._process.stdin.write(data)

    def _death(self) -> str:
        try:
            status = wait_for_group(self._process, CHILD_GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._threads[1].join(CHILD_GRACE)
        if status < 0:
            death = f"was killed by signal {-status} ({signal.strsignal(-status)})"
        else:
            death = f"ended with exit status {status}"
        if -status == _KILL:  # killed from outside: its output does not explain it
            return death
        lines = printable(self._last_words.decode(errors="replace")).splitlines()
        last_lines = [line for line in lines if line.strip()][-3:]
        return ": ".join([death, *filter(None, [" | ".join(last_lines)])])

    def close(self) -> None:
        """See Port. Kills the program if it does not exit."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            wait_for_group(self._process, CHILD_GRACE)
        except subprocess.TimeoutExpired:
            end_group(self._process)
        # Its descendants may keep the pipes open: the threads are abandoned after a while.
        deadline = time.monotonic() + CHILD_GRACE
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < deadline:
            with suppress(queue.Empty):  # for a thread that waits for space in the queue
                self._chunks.get(timeout=0.01)
        for thread, stream in zip(self._threads, (self._process.stdout, self._process.stderr), strict=True):
            if stream is not None and not thread.is_alive():
                stream.close()
