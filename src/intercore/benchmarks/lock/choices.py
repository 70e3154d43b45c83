"""What locks mean that the answers of `lock` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "mutex": "a lock: who waits for it waits in the kernel, which lets it sleep, or looks for a while first",
    "spinlock": "a lock: who waits for it asks again and again, and keeps its core",
    "critical-section": "the kernel's own: it also keeps interrupts out",
    "atomic-add": "a word that tells whose turn it is, read and moved on by atomic additions",
    "atomic-swap": "a word that tells whose turn it is, read and moved on by compare and swap",
}
