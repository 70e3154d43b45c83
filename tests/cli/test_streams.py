"""Whatever the streams are that the tool is started with: its output, or one sentence, and no traceback."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from intercore.record.store import Store
from intercore.terminal.streams import prepare
from intercore.text import escaped
from tests.cli.tool import PROGRAM, QUICK

if TYPE_CHECKING:
    from tests.cli.tool import Tool


def redirected(tool: Tool, redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program from a shell, with its streams redirected."""
    script = f'exec "$@" {redirection}'
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", PROGRAM, *words],
        cwd=tool.directory,
        env=tool.variables(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="shells close no stream there")
def test_a_run_without_standard_output_is_stored_and_says_that_it_could_not_print(tool: Tool) -> None:
    done = redirected(tool, ">&-", "run", "host", *QUICK)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: cannot write the output: Bad file descriptor"
    assert "Traceback" not in done.stderr
    with Store(tool.store) as store:
        assert store.run().complete


@pytest.mark.skipif(os.name != "posix", reason="shells close no stream there")
def test_a_closed_standard_error_or_input_loses_no_output(measured: Tool) -> None:
    done = redirected(measured, "2>&- <&-", "runs", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


def test_characters_that_the_encoding_lacks_are_written_in_others(measured: Tool) -> None:
    page = measured.program("run", "--help", environment={"PYTHONIOENCODING": "ascii"})
    assert (page.status, page.err) == (0, "")
    assert "Usage: intercore run" in page.out
    prepare()
    assert "12 µs ± 3 → ×2 … 漢".encode("ascii", "intercore") == b"12 us +- 3 -> x2 ... ?"


def test_a_json_document_means_the_same_in_ascii() -> None:
    document = json.dumps({"µ": "→ \U0001f600 \x1b"}, ensure_ascii=False)
    in_ascii = escaped(document, in_ascii=True)
    assert in_ascii.isascii()
    assert json.loads(in_ascii) == json.loads(document)


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xfa\xff\xf0",  # a subnegotiation of nothing, over which pyserial's thread stumbles
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
)
def test_what_does_not_speak_rfc_2217_is_one_sentence(tool: Tool, sent: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError), server.accept()[0] as connection:
                connection.sendall(sent)
                while connection.recv(100):
                    pass

        threading.Thread(target=serve, daemon=True).start()
        url = f"rfc2217://127.0.0.1:{server.getsockname()[1]}"
        error = tool("info", "serial", "--port", f"{url}?timeout=0.5").failed(1).error
    assert error.startswith(f"error: cannot open {url}?timeout=0.5: ")
    assert "RFC 2217" in error
