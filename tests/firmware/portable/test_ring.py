"""The ring of firmware/transport/spsc.c against a queue of Python's, and with another end that cannot be trusted."""

from __future__ import annotations

import ctypes
from collections import deque
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from intercore.board.sources import firmware_sources
from tests.firmware.portable.conftest import TRAPS, compile_objects, link

if TYPE_CHECKING:
    pass

CONTROL = 192
"""Bytes in front of the messages: three cache lines, in which stand head, tail and the sleeps of both ends."""
GUARD = b"\xa5" * 64
"""What stands on both sides of the ring, and stays."""
END_BYTES = 256
"""More than the memory of an end."""

Wait = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)


class Waiting(ctypes.Structure):
    """`struct ic_waiting`: with a wait that gives up."""

    _fields_ = (("wait", Wait), ("wake", ctypes.c_void_p), ("arg", ctypes.c_void_p), ("sleeps", ctypes.c_bool))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    source = firmware_sources() / "transport" / "spsc.c"
    folder = tmp_path_factory.mktemp("ring")
    made = link("cc", compile_objects("cc", ["-O2", *TRAPS], [source], folder), folder)
    for name in ("reserve", "peek", "await_room", "await_message"):
        getattr(made, f"ic_spsc_{name}").restype = ctypes.c_void_p
    return made


class Ring:
    """A ring in memory of Python's, with both ends open."""

    def __init__(self, library: ctypes.CDLL, capacity: int) -> None:
        self.library, self.capacity = library, capacity
        self.size = CONTROL + capacity
        self._memory = ctypes.create_string_buffer(64 + len(GUARD) + self.size + len(GUARD))
        start = ctypes.addressof(self._memory)
        self.address = start + (-start % 64) + len(GUARD)
        for guard in (self.address - len(GUARD), self.address + self.size):
            ctypes.memmove(guard, GUARD, len(GUARD))
        self.sender, self.receiver = (ctypes.create_string_buffer(END_BYTES) for _ in range(2))
        self._waiting = Waiting(Wait(lambda _: False), None, None, False)
        for end in ("sender", "receiver"):
            opens = getattr(library, f"ic_spsc_open_{end}")
            opens(getattr(self, end), ctypes.c_void_p(self.address), capacity, ctypes.byref(self._waiting))

    def reserve(self, size: int) -> int | None:
        """Reserve room; return its address."""
        room: int | None = self.library.ic_spsc_reserve(self.sender, size)
        assert room is None or self._holds(room, size)
        return room

    def send(self, content: bytes, spare: int = 0) -> bool:
        room = self.reserve(len(content) + spare)
        if room is not None:
            ctypes.memmove(room, content + b"\x5a" * spare, len(content) + spare)
            self.library.ic_spsc_publish(self.sender, len(content))
        return room is not None

    def peek(self) -> bytes | None:
        size = ctypes.c_uint32(0xDEAD)
        message = self.library.ic_spsc_peek(self.receiver, ctypes.byref(size))
        assert message is None or self._holds(message, size.value)
        return None if message is None else ctypes.string_at(message, size.value)

    def release(self) -> None:
        self.library.ic_spsc_release(self.receiver)

    def guarded(self) -> bool:
        guards = (self.address - len(GUARD), self.address + self.size)
        return all(ctypes.string_at(guard, len(GUARD)) == GUARD for guard in guards)

    def overwrite(self, place: int, content: bytes) -> None:
        """Write as the other end might."""
        ctypes.memmove(self.address + place, content, len(content))

    def _holds(self, address: int, size: int) -> bool:
        first = address - self.address
        return address % 8 == 0 and first >= CONTROL and first + size <= self.size


def largest(capacity: int) -> int:
    return capacity - 16


def record(size: int) -> int:
    return 8 + -(-size // 8) * 8


class AgainstQueue(RuleBasedStateMachine):
    """Whatever is sent, in whatever order the two ends work, comes as from a queue."""

    library: ctypes.CDLL
    capacity: int

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring(self.library, self.capacity)
        self.queue: deque[bytes] = deque()
        self.most = 0  # bytes that any record needed

    @rule(data=st.data())
    def send(self, data: st.DataObject) -> None:
        size = data.draw(st.integers(0, largest(self.capacity)))
        spare = data.draw(st.integers(0, largest(self.capacity) - size))
        content = data.draw(st.binary(min_size=size, max_size=size))
        needed = record(size + spare)
        self.most = max(self.most, needed)
        sent = self.ring.send(content, spare)
        if not sent:
            # It fits neither behind the newest nor before the oldest; between them, as much may lie idle as a record
            # needed that did not fit before the end.
            taken = sum(record(len(waiting)) for waiting in self.queue)
            assert taken + needed + self.most >= self.capacity, "there was room"
        if not sent and not self.queue:
            assert self.ring.peek() is None, "the receiver follows to the beginning"
            sent = self.ring.send(content, spare)
            assert sent, "an empty ring takes the largest"
        if sent:
            self.queue.append(content)

    @rule()
    def look(self) -> None:
        assert self.ring.peek() == (self.queue[0] if self.queue else None)

    @precondition(lambda self: self.queue)
    @rule()
    def receive(self) -> None:
        assert self.ring.peek() == self.queue.popleft()
        self.ring.release()

    @precondition(lambda self: not self.queue)
    @rule(data=st.data())
    def the_largest_gets_through_when_the_receiver_has_looked(self, data: st.DataObject) -> None:
        content = data.draw(st.binary(min_size=largest(self.capacity), max_size=largest(self.capacity)))
        sent = self.ring.send(content)
        assert self.ring.peek() == (content if sent else None)
        assert sent or self.ring.send(content)
        self.queue.append(content)

    @invariant()
    def nothing_else_is_written(self) -> None:
        assert self.ring.guarded()


@pytest.mark.parametrize("capacity", [16, 64, 136])
def test_a_ring_is_a_queue(library: ctypes.CDLL, capacity: int) -> None:
    machine = type("Machine", (AgainstQueue,), {"library": library, "capacity": capacity})
    run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=40, deadline=None))


def test_its_capacity_is_what_the_control_words_leave(library: ctypes.CDLL) -> None:
    assert [library.ic_spsc_capacity(size) for size in (0, 207, 208, 215, 216, 4096)] == [0, 0, 16, 16, 24, 3904]
    assert library.ic_spsc_largest(3904) == largest(3904)


@given(
    places=st.lists(
        st.tuples(st.sampled_from([0, 64, 128, 132, *range(CONTROL, CONTROL + 64, 8)]), st.integers(0, 2**32 - 1)),
        max_size=4,
    ),
    small=st.booleans(),
)
def test_no_end_is_led_out_of_the_ring(library: ctypes.CDLL, places: list[tuple[int, int]], small: bool) -> None:
    ring = Ring(library, 64)
    assert ring.send(b"12345678")
    for place, value in places:
        ring.overwrite(place, (value % 80 if small else value).to_bytes(4, "little"))
        for _ in range(3):
            if ring.peek() is not None:  # which checks where it lies
                ring.release()
            ring.send(b"abcdefghijklmnopq")
        assert ring.guarded()


@pytest.mark.parametrize("wrong", [4, 64, 2**32 - 1])
def test_an_index_that_is_none_ends_it(library: ctypes.CDLL, wrong: int) -> None:
    ring = Ring(library, 64)
    ring.overwrite(0, wrong.to_bytes(4, "little"))
    assert ring.peek() is None
    ring.overwrite(0, (16).to_bytes(4, "little"))
    assert ring.peek() is None, "who has been corrupt once is not believed again"


@pytest.mark.parametrize("wrong", [9, 64, 2**31, 2**32 - 8, 2**32 - 1])
def test_a_size_that_cannot_be_is_no_message(library: ctypes.CDLL, wrong: int) -> None:
    ring = Ring(library, 64)
    assert ring.send(b"12345678")
    ring.overwrite(CONTROL, wrong.to_bytes(4, "little"))
    assert ring.peek() is None


def test_who_waits_without_hope_gives_up(library: ctypes.CDLL) -> None:
    ring = Ring(library, 16)
    size = ctypes.c_uint32()
    assert library.ic_spsc_await_message(ring.receiver, ctypes.byref(size)) is None
    assert ring.send(b"")
    assert library.ic_spsc_await_room(ring.sender, 0) is None
