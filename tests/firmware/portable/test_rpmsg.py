"""The transport of firmware/transport/rpmsg.c against a second implementation of virtio's split virtqueue and RPMsg.

That one is here, in Python, written from the specification (virtio 1.2, 2.7; RPMsg's header) and not from the C code.
It does what the C code never does but others may: it numbers descriptors at random, lays buffers anywhere, gives them
back in any order, and leaves rubbish in words that mean nothing. And it can be hostile.
"""

from __future__ import annotations

import ctypes
import struct
from collections import deque
from typing import TYPE_CHECKING, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from intercore.board.sources import firmware_sources
from tests.firmware.portable.conftest import TRAPS, compile_objects, link

if TYPE_CHECKING:
    from collections.abc import Callable

ALIGN = 64
HEADER = struct.Struct("<IIIHH")  # src, dst, reserved, len, flags
DESCRIPTOR = struct.Struct("<QIHH")  # addr, len, flags, next
ELEMENT = struct.Struct("<II")  # id, len
WRITE = 2
HOST, REMOTE = 1024, 1025
SENDER, RECEIVER = 0, 1
GUARD = b"\xa5" * 128

Call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Setup(ctypes.Structure):
    """`struct ic_transport_setup`."""

    _fields_ = (
        ("first", ctypes.c_uint32),
        ("second", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("memory", ctypes.c_void_p),
        ("memory_bytes", ctypes.c_uint32),
        ("polling", ctypes.c_bool),
        ("unit", ctypes.c_uint32),
    )


class EndOfTransport(ctypes.Structure):
    """`struct ic_transport_end`."""

    _fields_ = (
        ("setup", ctypes.POINTER(Setup)),
        ("role", ctypes.c_int),
        ("wake", Call),
        ("wait", Call),
        ("over", ctypes.POINTER(ctypes.c_bool)),
        ("other", ctypes.c_void_p),
    )


_END = ctypes.POINTER(EndOfTransport)


class Transport(ctypes.Structure):
    """The beginning of `struct ic_transport`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("zero_copy", ctypes.c_bool),
        ("one_kernel", ctypes.c_bool),
        ("refuses", ctypes.c_void_p),
        ("capacity", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.POINTER(Setup))),
        ("open", ctypes.CFUNCTYPE(ctypes.c_bool, _END)),
        ("close", ctypes.CFUNCTYPE(None, _END)),
        ("send", ctypes.CFUNCTYPE(ctypes.c_bool, _END, ctypes.c_char_p)),
        ("receive", ctypes.CFUNCTYPE(ctypes.c_uint32, _END, ctypes.c_void_p)),
        ("loan", ctypes.CFUNCTYPE(ctypes.c_void_p, _END)),
        ("send_loan", ctypes.CFUNCTYPE(ctypes.c_bool, _END)),
        ("receive_loan", ctypes.CFUNCTYPE(ctypes.c_void_p, _END, ctypes.POINTER(ctypes.c_uint32))),
        ("release", ctypes.CFUNCTYPE(None, _END)),
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    sources = [firmware_sources() / "transport" / f"{name}.c" for name in ("rpmsg", "vring", "waiting")]
    folder = tmp_path_factory.mktemp("rpmsg")
    return link("cc", compile_objects("cc", ["-O2", *TRAPS], sources, folder), folder)


# ---- the second implementation ----


def up(size: int) -> int:
    return -(-size // ALIGN) * ALIGN


def used_place(num: int) -> int:
    """Return where the used ring begins: virtio 1.2, 2.7.2."""
    return up(16 * num + 2 * (3 + num))


def vring_bytes(num: int) -> int:
    return used_place(num) + up(2 * 3 + 8 * num)


def divide(memory_bytes: int, size: int) -> tuple[int, int]:
    """Return how many buffers there are and the queue size: as many as fit, and the least power of two for them."""
    stride = up(16 + size)
    fits = [
        (min(num, (memory_bytes - 2 * vring_bytes(num)) // stride), num)
        for num in (1 << power for power in range(9))
        if memory_bytes > 2 * vring_bytes(num)
    ]
    count = max(fits)[0]
    return count, min(num for found, num in fits if found == count)


class Vring:
    """One split virtqueue in memory of this process."""

    def __init__(self, address: int, num: int) -> None:
        self.num = num
        self.bytes = (ctypes.c_char * vring_bytes(num)).from_address(address)
        self.available, self.used = 16 * num, used_place(num)

    def u16(self, place: int) -> int:
        return int(struct.unpack_from("<H", self.bytes, place)[0])

    def put(self, form: str, place: int, *values: int) -> None:
        struct.pack_into("<" + form, self.bytes, place, *values)

    @property
    def available_idx(self) -> int:
        return self.u16(self.available + 2)

    @property
    def used_idx(self) -> int:
        return self.u16(self.used + 2)


class Device:
    """The remote's side of a vring."""

    def __init__(self, ring: Vring) -> None:
        self.ring, self.taken, self.given = ring, 0, 0

    def take(self) -> tuple[int, int, int, int] | None:
        """Return number, address, length and flags of the next available buffer."""
        ring = self.ring
        if self.taken == ring.available_idx:
            return None
        number = ring.u16(ring.available + 4 + 2 * (self.taken % ring.num))
        self.taken = (self.taken + 1) % 65536
        address, length, flags, _ = DESCRIPTOR.unpack_from(ring.bytes, 16 * number)
        return number, address, length, flags

    def give_back(self, number: int, written: int) -> None:
        ring = self.ring
        ELEMENT.pack_into(ring.bytes, ring.used + 4 + 8 * (self.given % ring.num), number, written)
        self.given = (self.given + 1) % 65536
        ring.put("H", ring.used + 2, self.given)


class Driver:
    """The host's side: descriptors of its choice for buffers of its choice."""

    def __init__(self, ring: Vring) -> None:
        self.ring, self.taken, self.given = ring, 0, 0

    def make_available(self, number: int, address: int, length: int, flags: int) -> None:
        ring = self.ring
        DESCRIPTOR.pack_into(ring.bytes, 16 * number, address, length, flags, 0xBEEF)
        ring.put("H", ring.available + 4 + 2 * (self.given % ring.num), number)
        self.given = (self.given + 1) % 65536
        ring.put("H", ring.available + 2, self.given)

    def take_used(self) -> tuple[int, int] | None:
        ring = self.ring
        if self.taken == ring.used_idx:
            return None
        number, written = ELEMENT.unpack_from(ring.bytes, ring.used + 4 + 8 * (self.taken % ring.num))
        self.taken = (self.taken + 1) % 65536
        return number, written


# ---- shared memory, and ends in C ----


class Stage:
    """Shared memory between guards; ends in C that never wait, since all is over from the beginning."""

    def __init__(
        self, library: ctypes.CDLL, name: str, size: int, memory_bytes: int, *, host_sends: bool = True,
        polling: bool = True,
    ) -> None:  # fmt: skip
        self.transport = Transport.in_dll(library, f"ic_transport_{name}")
        self._memory = ctypes.create_string_buffer(ALIGN + len(GUARD) + memory_bytes + len(GUARD))
        start = ctypes.addressof(self._memory) + len(GUARD)
        self.address, self.memory_bytes, self.size = start + (-start % ALIGN), memory_bytes, size
        for guard in self._guards:
            ctypes.memmove(guard, GUARD, len(GUARD))
        ctypes.memset(self.address, 0x5A, memory_bytes)  # any contents at first
        first, second = (0, 1) if host_sends else (1, 0)
        self.setup = Setup(first, second, size, self.address, memory_bytes, polling)
        self.over = ctypes.c_bool(True)
        self.wakes = [0, 0]
        self.count, self.num = divide(memory_bytes, size)
        self.stride = up(16 + size)
        self.buffers = self.address + 2 * vring_bytes(self.num)
        self.ring = Vring(self.address + (vring_bytes(self.num) if host_sends else 0), self.num)
        self.other_ring = Vring(self.address + (0 if host_sends else vring_bytes(self.num)), self.num)
        self._calls: list[object] = []
        self.ends = [self._end(role) for role in (SENDER, RECEIVER)]

    def _end(self, role: int) -> EndOfTransport:
        def wake(_: int) -> None:
            self.wakes[role] += 1

        calls = Call(wake), Call(lambda _: None)
        self._calls += calls
        return EndOfTransport(ctypes.pointer(self.setup), role, *calls, ctypes.pointer(self.over), None)

    @property
    def _guards(self) -> tuple[int, int]:
        return self.address - len(GUARD), self.address + self.memory_bytes

    def open(self, *roles: int) -> None:
        for role in roles:
            assert self.transport.open(self.ends[role])

    def clear(self) -> None:
        """Make empty vrings, as a sender does first."""
        ctypes.memset(self.address, 0, 2 * vring_bytes(self.num))

    def holds(self, address: int, size: int) -> bool:
        end = self.buffers + self.count * self.stride
        return address % 8 == 0 and self.buffers + 16 <= address and address + size <= end

    def send(self, content: bytes) -> bool:
        assert len(content) == self.size
        if not self.transport.zero_copy:
            return bool(self.transport.send(self.ends[SENDER], content))
        room = self.transport.loan(self.ends[SENDER])
        if room is None:
            return False
        assert self.holds(room, self.size)
        ctypes.memmove(room, content, self.size)
        return bool(self.transport.send_loan(self.ends[SENDER]))

    def look(self) -> bytes | None:
        """Receive without giving the buffer back, if that can be; else receive."""
        size = ctypes.c_uint32(0xDEAD)
        if not self.transport.zero_copy:
            into = ctypes.create_string_buffer(b"\x77" * (self.size + 8), self.size + 8)
            found = self.transport.receive(self.ends[RECEIVER], ctypes.addressof(into))
            assert found <= self.size
            assert into.raw[self.size :] == b"\x77" * 8, "no more than there is room for"
            return into.raw[:found] if found else None
        message = self.transport.receive_loan(self.ends[RECEIVER], ctypes.byref(size))
        if message is None:
            return None
        assert self.holds(message, size.value)
        return ctypes.string_at(message, size.value)

    def release(self) -> None:
        if self.transport.zero_copy:
            self.transport.release(self.ends[RECEIVER])

    def receive(self) -> bytes | None:
        found = self.look()
        if found is not None:
            self.release()
        return found

    def untouched(self) -> bool:
        other = bytes(self.other_ring.bytes)
        return all(ctypes.string_at(guard, len(GUARD)) == GUARD for guard in self._guards) and not any(other)


def message_at(address: int, length: int, source: int, destination: int) -> bytes:
    """Return what a buffer holds, after checking its header."""
    header = HEADER.unpack(ctypes.string_at(address, HEADER.size))
    assert header == (source, destination, 0, length - HEADER.size, 0)
    return ctypes.string_at(address + HEADER.size, length - HEADER.size)


def write_message(address: int, content: bytes, source: int, destination: int) -> int:
    """Write header and message; return how many bytes these are. What is reserved may be anything."""
    made = HEADER.pack(source, destination, 0xDEADBEEF, len(content), 0xFFFF) + content
    ctypes.memmove(address, made, len(made))
    return len(made)


# ---- as a queue: C with C, and each end of C with the other one of Python ----


class HostReceiver:
    """Gives the remote buffers to fill, scattered over descriptors and memory."""

    source, destination = REMOTE, HOST

    def __init__(self, stage: Stage, order: list[int]) -> None:
        self.stage, self.driver = stage, Driver(stage.ring)
        self.spare = deque(order)
        self.offer()

    def offer(self) -> None:
        while self.spare:
            number = self.spare.popleft()
            place = (number * 7 + 3) % self.stage.count if self.stage.count % 7 else number
            self.driver.make_available(number, self.stage.buffers + place * self.stage.stride, self.stage.stride, WRITE)

    def receive(self) -> bytes | None:
        found = self.driver.take_used()
        if found is None:
            return None
        number, written = found
        address, _, _, _ = DESCRIPTOR.unpack_from(self.stage.ring.bytes, 16 * number)
        content = message_at(address, written, self.source, self.destination)
        self.spare.append(number)
        self.offer()
        return content


class RemoteReceiver:
    """Reads what the host makes available, and gives buffers back late and out of order."""

    def __init__(self, stage: Stage, order: list[int]) -> None:
        self.stage, self.device, self.held = stage, Device(stage.ring), list[int]()
        self.late = order[0] % 3

    def receive(self) -> bytes | None:
        found = self.device.take()
        if found is None:
            self.give_back(0)
            return None
        number, address, length, flags = found
        assert flags == 0
        assert (address - self.stage.buffers) % self.stage.stride == 0
        assert 0 <= address - self.stage.buffers < self.stage.count * self.stage.stride
        content = message_at(address, length, HOST, REMOTE)
        self.held.append(number)
        self.give_back(self.late)
        return content

    def give_back(self, keep: int) -> None:
        while len(self.held) > keep:
            self.device.give_back(self.held.pop(), 0)


class HostSender:
    """Makes buffers available in any order of its descriptors."""

    def __init__(self, stage: Stage, order: list[int]) -> None:
        self.stage, self.driver, self.spare = stage, Driver(stage.ring), deque(order)

    def send(self, content: bytes) -> bool:
        back = self.driver.take_used()
        while back is not None:
            assert back[1] == 0, "a buffer that is only read has nothing written"
            self.spare.append(back[0])
            back = self.driver.take_used()
        if not self.spare:
            return False
        number = self.spare.popleft()
        address = self.stage.buffers + number * self.stage.stride
        length = write_message(address, content, HOST, REMOTE)
        self.driver.make_available(number, address, length, 0)
        return True


class RemoteSender:
    """Fills the host's buffers."""

    def __init__(self, stage: Stage, _: list[int]) -> None:
        self.stage, self.device = stage, Device(stage.ring)

    def send(self, content: bytes) -> bool:
        found = self.device.take()
        if found is None:
            return False
        number, address, length, flags = found
        assert (length, flags) == (self.stage.stride, WRITE)
        self.device.give_back(number, write_message(address, content, REMOTE, HOST))
        return True


class AgainstQueue(RuleBasedStateMachine):
    """Whatever is sent, in whatever order the two ends work, comes as from a queue with room for all buffers."""

    library: ClassVar[ctypes.CDLL]
    name: ClassVar[str]
    host_sends: ClassVar[bool]
    python: ClassVar[int | None]  # the role that Python has

    def __init__(self) -> None:
        super().__init__()
        self.queue: deque[bytes] = deque()
        self.number = 0
        self.stage: Stage | None = None
        self.send: Callable[[bytes], bool]
        self.receive: Callable[[], bytes | None]

    @precondition(lambda self: self.stage is None)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        size = data.draw(st.integers(1, 200))
        memory = data.draw(st.integers(2 * vring_bytes(1) + up(16 + size), 6000))
        stage = self.stage = Stage(self.library, self.name, size, memory, host_sends=self.host_sends)
        order = data.draw(st.permutations(range(stage.count)))
        self.send, self.receive = stage.send, stage.receive
        if self.python == SENDER:
            stage.clear()
            python = HostSender(stage, order) if self.host_sends else RemoteSender(stage, order)
            self.send = python.send
            stage.open(RECEIVER)
        elif self.python == RECEIVER:
            stage.open(SENDER)
            self.receive = (RemoteReceiver if self.host_sends else HostReceiver)(stage, order).receive
        else:
            stage.open(SENDER, RECEIVER)

    @precondition(lambda self: self.stage is not None)
    @rule(count=st.integers(1, 9))
    def sends(self, count: int) -> None:
        assert self.stage is not None
        for _ in range(count):
            content = bytes((self.number + place) % 251 for place in range(self.stage.size))
            if not self.send(content):
                assert self.queue, "an empty one takes a message"
                late = 2 if self.python == RECEIVER and self.host_sends else 0
                assert len(self.queue) + late >= self.stage.count, "there was a buffer"
                return
            self.number += 1
            self.queue.append(content)

    @precondition(lambda self: self.stage is not None)
    @rule(count=st.integers(1, 9))
    def receives(self, count: int) -> None:
        for _ in range(count):
            assert self.receive() == (self.queue.popleft() if self.queue else None)

    @invariant()
    def nothing_else_is_written(self) -> None:
        assert self.stage is None or self.stage.untouched()


@pytest.mark.parametrize("name", ["rpmsg", "rpmsg_zero_copy"])
@pytest.mark.parametrize("host_sends", [True, False], ids=["to-remote", "from-remote"])
@pytest.mark.parametrize("python", [None, SENDER, RECEIVER], ids=["c-c", "python-c", "c-python"])
def test_it_is_a_queue_whoever_made_the_other_end(
    library: ctypes.CDLL, name: str, host_sends: bool, python: int | None
) -> None:
    own = {"library": library, "name": name, "host_sends": host_sends, "python": python}
    machine = type("Machine", (AgainstQueue,), own)
    run_state_machine_as_test(machine, settings=settings(max_examples=12, stateful_step_count=20, deadline=None))


# ---- layout ----


@given(st.integers(1, 5000), st.integers(400, 20000))
@settings(max_examples=60, deadline=None)
def test_vrings_and_buffers_are_where_the_specification_has_them(library: ctypes.CDLL, size: int, memory: int) -> None:
    setup = Setup(0, 1, size, None, memory, True)
    stride = up(16 + size)
    room = memory - 2 * vring_bytes(1)
    transport = Transport.in_dll(library, "ic_transport_rpmsg")
    assert transport.capacity(setup) == (room // ALIGN * ALIGN - 16 if room >= ALIGN else 0)
    if room < stride:
        return
    stage = Stage(library, "rpmsg", size, memory)
    stage.open(SENDER, RECEIVER)
    for number in range(stage.count):
        assert stage.send(bytes([number % 256]) * size)
        address, length, flags, _ = DESCRIPTOR.unpack_from(stage.ring.bytes, 16 * number)
        assert (address, length, flags) == (stage.buffers + number * stride, 16 + size, 0)
        assert message_at(address, length, HOST, REMOTE) == bytes([number % 256]) * size
        assert stage.ring.u16(stage.ring.available + 4 + 2 * number) == number
    assert not stage.send(b"x" * size), "no more than there are buffers"
    assert stage.ring.available_idx == stage.count


def test_offsets_are_those_of_the_tables_in_the_specification() -> None:
    """Sizes that a reader can add up: 16 and 2 bytes per descriptor and 6 of words; 8 per used one and 6."""
    assert [(used_place(num), vring_bytes(num)) for num in (1, 2, 16, 256)] == [
        (64, 128), (64, 128), (320, 512), (4672, 6784),
    ]  # fmt: skip


def test_a_message_has_no_more_than_its_header_can_say(library: ctypes.CDLL) -> None:
    setup = Setup(0, 1, 1, None, 200_000, True)
    assert Transport.in_dll(library, "ic_transport_rpmsg").capacity(setup) == 65535


@pytest.mark.parametrize("host_sends", [True, False])
def test_indexes_go_on_at_0_behind_65535(library: ctypes.CDLL, host_sends: bool) -> None:
    stage = Stage(library, "rpmsg", 4, 1000, host_sends=host_sends)
    stage.open(SENDER, RECEIVER)
    for number in range(65536 + 3 * stage.count):
        assert stage.send(number.to_bytes(4, "little"))
        if number % stage.count == 0 or number > 65530:
            assert stage.receive() is not None
            while stage.receive() is not None:
                pass
    assert stage.ring.available_idx < 64


# ---- notifications ----


@pytest.mark.parametrize("host_sends", [True, False])
@pytest.mark.parametrize("role", [SENDER, RECEIVER])
def test_who_does_not_want_to_be_told_is_not(library: ctypes.CDLL, host_sends: bool, role: int) -> None:
    stage = Stage(library, "rpmsg", 8, 4096, host_sends=host_sends, polling=False)
    stage.open(SENDER, RECEIVER)
    ring = stage.ring
    flags = [ring.available, ring.used] if host_sends else [ring.used, ring.available]  # by whose they are
    assert [ring.u16(place) for place in flags] == [1, 1], "an end that is awake wants nothing"
    others = flags[1 - role]
    for wanted in (False, True):
        ring.put("H", others, 0 if wanted else 1)
        before = stage.wakes[role]
        assert stage.send(b"12345678")
        assert stage.receive() == b"12345678"
        assert stage.wakes[role] - before == (1 if wanted else 0)


# ---- ends that cannot be trusted ----


def small(library: ctypes.CDLL, *, host_sends: bool) -> Stage:
    stage = Stage(library, "rpmsg_zero_copy", 40, 2 * vring_bytes(4) + 4 * 64, host_sends=host_sends)
    assert (stage.count, stage.num) == (4, 4)
    stage.open(SENDER, RECEIVER)
    return stage


@given(
    places=st.lists(st.tuples(st.integers(0, vring_bytes(4) // 2 - 1), st.integers(0, 65535)), max_size=5),
    few=st.booleans(),
    host_sends=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_no_end_is_led_out_of_the_memory(
    library: ctypes.CDLL, places: list[tuple[int, int]], few: bool, host_sends: bool
) -> None:
    stage = small(library, host_sends=host_sends)
    assert stage.send(b"a" * 40)
    for place, value in places:
        stage.ring.put("H", 2 * place, value % 8 if few else value)
        for _ in range(3):
            stage.receive()  # which checks where it lies
            stage.send(b"b" * 40)
        assert stage.untouched()


@given(st.binary(min_size=16, max_size=16), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_header_can_say_anything(library: ctypes.CDLL, header: bytes, host_sends: bool) -> None:
    stage = small(library, host_sends=host_sends)
    assert stage.send(b"a" * 40)
    ctypes.memmove(stage.buffers, header, 16)
    stage.receive()
    assert stage.untouched()


HUGE = 2**64 - 8
"""An address that wraps around with any length."""


@pytest.mark.parametrize(
    ("what", "form", "place", "values"),
    [
        ("more are available than there are", "H", 4 * 16 + 2, (6,)),
        ("the index goes back", "H", 4 * 16 + 2, (65535,)),
        ("a descriptor that there is not", "H", 4 * 16 + 4, (4,)),
        ("an address before the buffers", "Q", 0, (0,)),
        ("an address behind all memory", "Q", 0, (HUGE,)),
        ("a message longer than the memory", "I", 8, (2**31,)),
        ("a message shorter than its header", "I", 8, (15,)),
        ("a buffer to be written", "H", 12, (WRITE,)),
        ("a chain", "H", 12, (1,)),
    ],
)
def test_the_remote_believes_nothing(
    library: ctypes.CDLL, what: str, form: str, place: int, values: tuple[int, ...]
) -> None:
    stage = small(library, host_sends=True)
    assert stage.send(b"a" * 40)
    before = bytes(stage.ring.bytes)
    stage.ring.put(form, place, *values)
    assert stage.receive() is None, what
    ctypes.memmove(stage.ring.bytes, before, len(before))
    assert stage.receive() is None, "who has been corrupt once is not believed again"


@pytest.mark.parametrize(
    ("what", "form", "place", "values"),
    [
        ("more are used than were given", "H", 2, (5,)),
        ("the index goes back", "H", 2, (65535,)),
        ("a number that there is not", "I", 4, (4,)),
        ("a large number", "I", 4, (2**32 - 1,)),
        ("a message longer than the buffer", "I", 8, (65,)),
        ("a message shorter than its header", "I", 8, (15,)),
    ],
)
def test_the_host_believes_nothing(
    library: ctypes.CDLL, what: str, form: str, place: int, values: tuple[int, ...]
) -> None:
    stage = small(library, host_sends=False)
    assert stage.send(b"a" * 40)
    before = bytes(stage.ring.bytes)
    stage.ring.put(form, stage.ring.used + place, *values)
    assert stage.receive() is None, what
    ctypes.memmove(stage.ring.bytes, before, len(before))
    assert stage.receive() is None, "who has been corrupt once is not believed again"


@pytest.mark.parametrize("host_sends", [True, False])
@pytest.mark.parametrize(("place", "value"), [(12, 41), (12, 49), (12, 65535), (4, 53), (4, 0)])
def test_a_header_that_cannot_be_ends_it(library: ctypes.CDLL, host_sends: bool, place: int, value: int) -> None:
    """A length that leaves the message, an address that is nobody's."""
    stage = small(library, host_sends=host_sends)
    assert stage.send(b"a" * 40)
    ctypes.memmove(stage.buffers + place, value.to_bytes(2, "little"), 2)
    assert stage.receive() is None
    assert not stage.receive()


def test_a_shorter_message_is_told_as_it_is(library: ctypes.CDLL) -> None:
    """Whoever asked for 40 bytes sees that it is not what was sent."""
    stage = small(library, host_sends=True)
    assert stage.send(b"a" * 40)
    ctypes.memmove(stage.buffers + 12, (3).to_bytes(2, "little"), 2)
    assert stage.receive() == b"aaa"
