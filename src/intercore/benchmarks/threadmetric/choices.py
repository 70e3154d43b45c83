"""What tests mean that the answers of `threadmetric` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "basic": "work on an array",
    "cooperative": "five tasks give way in turn",
    "preemptive": "five tasks resume one another",
    "interrupt": "an interrupt tells a task",
    "interrupt-preemption": "an interrupt wakes a task that preempts",
    "message": "16 bytes through a queue",
    "synchronisation": "a semaphore taken and given",
    "memory": "128 bytes allocated and freed",
}
