"""All transports of this machine under stress (firmware/transport/test/transport_stress.c), also under sanitizers."""

from __future__ import annotations

import os
import subprocess

from tests.firmware.host.program import build

ROUNDS = 500 if "INTERCORE_SLOW" in os.environ else 3
"""In each, every transport carries some 400 messages: in both directions and on one core, slept and polled for."""


def test_every_transport_bears_the_stress() -> None:
    program = build("intercore-transport-stress")
    done = subprocess.run([program, str(ROUNDS)], capture_output=True, text=True, timeout=600, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("the transports bear the stress\n", "", 0)
