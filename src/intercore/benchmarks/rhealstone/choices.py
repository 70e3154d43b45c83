"""What times mean that the answers of `rhealstone` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "task-switching": "from one task to another of equal priority",
    "preemption": "until a task of higher priority has a core",
    "interrupt-latency": "from an interrupt to its handler",
    "semaphore-shuffling": "from giving a semaphore to the task that waited for it",
    "deadlock-breaking": "until a task has the mutex of one of lower priority, which a third one keeps from running",
    "message-latency": "from sending 16 bytes to a queue to having received them",
}
