"""Says what esptool 5 says (v5.6, to a pipe), and keeps the image as FAKE_FLASH; FAKE_ESPTOOL says how it fails.

FAKE_LOG names a file to which each call is added as a line of JSON, and another once it hangs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

BEHAVIOUR = os.environ.get("FAKE_ESPTOOL", "")
FATAL = {
    "no-port": "Could not open {port}, the port is busy or doesn't exist.\n([Errno 2] could not open port {port}: "
    "[Errno 2] No such file or directory: '{port}')\n\nHint: Check if the port is correct and ESP connected\n",
    "forbidden": "Could not open {port}, the port is busy or doesn't exist.\n([Errno 13] could not open port {port}: "
    "[Errno 13] Permission denied: '{port}')\n\nHint: Try to add user into dialout or uucp group.\n",
    "busy": "Could not open {port}, the port is busy or doesn't exist.\n([Errno 16] could not open port {port}: "
    "[Errno 16] Device or resource busy: '{port}')\n\nHint: Check if the port is not used by another task\n",
    "silent": "Failed to connect to ESP32: No serial data received.\nFor troubleshooting steps visit: https://example\n",
    "boot": "Failed to connect to ESP32: Wrong boot mode detected (0x13)! The chip needs to be in download mode.\n",
    "s3": "This chip is ESP32-S3, not ESP32. Wrong chip argument?\n",
    "c3": "This chip is ESP32-C3, not ESP32. Wrong chip argument?\n",
    "odd": "The moon is in the wrong house.\n",
}
LATE = {
    "md5": "MD5 of file does not match data in flash!\n",
    "breaks": "The chip stopped responding.\nSerial data stream stopped: Possible serial noise or corruption.\n",
}


def note(program: str, words: list[str]) -> None:
    with Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(json.dumps({"program": program, "words": words}) + "\n")


def main() -> int:
    words = sys.argv[1:]
    port, image, rate = words[words.index("--port") + 1], Path(words[-1]), words[words.index("--baud") + 1]
    note("esptool", words)
    print("esptool v5.6.0")
    print(f"Serial port {port}:")
    if BEHAVIOUR in FATAL:
        if BEHAVIOUR in {"silent", "boot"}:
            print("Connecting......................................")
        print(f"\nA fatal error occurred: {FATAL[BEHAVIOUR].format(port=port)}")
        return 2
    print(f"Connecting....\nConnected to ESP32 on {port}:")
    print("Chip type:          ESP32-D0WD-V3 (revision v3.1)\nFeatures:           Wi-Fi, BT, Dual Core, 240MHz")
    print(
        "Uploading stub flasher...\nRunning stub flasher...\nStub flasher running.\n"
        f"Changing baud rate to {rate}...\nChanged."
    )
    if BEHAVIOUR == "hangs":
        sys.stdout.flush()
        note("hanging esptool", words)
        time.sleep(600)
    print("Flash will be erased from 0x00000000 to 0x0004ffff...")
    for percent in range(0, 101, 5):
        sys.stdout.write(f"\rWriting at 0x{percent:08x} [====>    ] {percent}.0% {percent}/100 bytes... ")
        if BEHAVIOUR in {"breaks", "slow-line"} and percent >= 50 and (BEHAVIOUR == "breaks" or rate != "115200"):
            print(f"\nA fatal error occurred: {LATE['breaks']}")
            return 2
    data = image.read_bytes()
    print(f"\nWrote {len(data)} bytes (9 compressed) at 0x00000000 in 0.1 seconds (1.0 kbit/s).")
    if BEHAVIOUR == "md5":
        print(f"\nA fatal error occurred: {LATE['md5']}")
        return 2
    if BEHAVIOUR != "unverified":
        print("Hash of data verified.")
    Path(os.environ["FAKE_FLASH"]).write_bytes(data)
    print("\nHard resetting via RTS pin...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
