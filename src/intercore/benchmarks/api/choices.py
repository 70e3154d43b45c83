"""What calls mean that the answers of `api` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "stream-send": "the call that puts so many bytes into a stream buffer",
    "stream-receive": "the call that takes so many bytes out of a stream buffer",
    "create": "the call that makes a task",
    "delete": "the call that deletes a task that has ended",
    "allocate": "the call that takes so many bytes from the heap",
}
