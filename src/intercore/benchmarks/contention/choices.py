"""What the work means that the answers of `contention` name, for those who meet it there first."""

from __future__ import annotations

CHOICES = {
    "recursion": "the towers of Hanoi: many calls, and so much use of a stack; cores with stacks in one memory may "
    "wait for each other there",
}
