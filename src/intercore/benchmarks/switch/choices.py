"""What primitives mean that the answers of `switch` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "notification": "the kernel's direct notification of a task; on Linux a semaphore of the thread's own",
    "binary-semaphore": "a semaphore that is free or taken",
    "counting-semaphore": "a semaphore that counts",
    "mutex": "a lock: who waits for it sleeps, until the kernel wakes it",
    "queue": "a queue, with an item of 4 bytes",
    "event-group": "a bit of an event group",
    "stream-buffer": "a stream buffer, with 4 bytes",
}
