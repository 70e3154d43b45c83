"""What transports mean that the answers of `message` name, for those who meet them there first."""

from __future__ import annotations

CHOICES = {
    "notification": "the kernel's direct notification of a task, with the address of the message; on Linux a semaphore",
    "queue": "the kernel's queue, by value",
    "stream-buffer": "the kernel's stream buffer",
    "message-buffer": "the kernel's message buffer",
    "ring": "a lock-free ring of our own in shared memory",
    "ring-zero-copy": "the ring, in which both ends work in place",
    "ring-futex": "the ring, with ends that sleep by futex",
    "rpmsg": "RPMsg over virtio's rings, as OpenAMP and Linux have it",
    "rpmsg-zero-copy": "RPMsg, in which both ends work in place",
    "ringbuf": "ESP-IDF's ring buffer",
    "ringbuf-zero-copy": "ESP-IDF's ring buffer, in which both ends work in place",
    "fifo": "the hardware FIFO between the cores, word by word",
    "dma": "a DMA channel copies from the sender to the receiver",
    "pipe": "a pipe of Linux",
    "unix-socket": "a pair of Unix sockets",
    "posix-mq": "a POSIX message queue",
    "rpmsg-char": "a device of Linux, to another core's firmware and back",
}
