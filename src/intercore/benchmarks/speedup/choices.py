"""What tasks and work mean that the answers of `speedup` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "created tasks": "the parts of the work are done by tasks made for them",
    "woken tasks": "the parts are done by tasks that sleep until there is work",
    "polling tasks": "the parts are done by tasks that look for work all the time, and keep their cores for it",
    "floating point": "square roots, products and quotients in single precision, each of what the one before gave",
}
