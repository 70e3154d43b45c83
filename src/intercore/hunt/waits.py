"""What each core waits for: for the other core, a lock, a word of memory, a time, a peripheral, or for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from intercore.hunt.calls import Place
from intercore.hunt.memory import object_name, word
from intercore.sim import CoreState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore import _native
    from intercore.hunt.calls import Calls
    from intercore.sim import Simulator
    from intercore.sim.hunted import Hunted

Kind: TypeAlias = Literal[
    "runs",
    "receives",
    "sends",
    "spinlock",
    "mutex",
    "semaphore",
    "queue",
    "lock",
    "word",
    "time",
    "register",
    "idle",
    "woken",
    "off",
    "crashed",
    "ended",
]
"""`lock` is a structure of the SDK's lock_core of another kind; `woken` sleeps although what it waits for has come."""
FOR_OTHERS: frozenset[Kind] = frozenset(
    {"receives", "sends", "spinlock", "mutex", "semaphore", "queue", "lock", "word", "woken"}
)
"""Kinds of waits that only the other core, or a handler, can end."""
HANDED_OVER: frozenset[Kind] = FOR_OTHERS - {"word", "woken"}
"""Those of them that are made for two cores: a word of memory may as well be a handler's, or the kernel's."""

_SIO = 0xD0000000
_FIFO_ST = _SIO + 0x50
_SPINLOCKS = range(_SIO + 0x100, _SIO + 0x180, 4)
_SSI = range(0x18000000, 0x18001000)
_TIMER = range(0x40054000, 0x40058000)
_SYSTICK = range(0xE000E010, 0xE000E020, 4)
_CORES = 2


class Wait(msgspec.Struct, frozen=True):
    """What a core does, or waits for."""

    core: int
    kind: Kind
    what: str
    """What it waits for: a clause behind "until"; empty if that is nothing."""
    place: Place
    asleep: bool
    interrupted: Sequence[Place]
    """What the handler that it is in has interrupted."""
    words: Sequence[int] = ()
    """Addresses of words whose change would end it."""
    holder: int | None = None
    """The core that has to end it, if that is known."""
    holder_place: Place | None = None
    """Where that core has got what is waited for."""
    repeats: bool = False
    """Whether nothing at all changes from turn to turn."""

    @property
    def is_for_others(self) -> bool:
        """Whether only the other core, or a handler, can end it."""
        return self.kind in FOR_OTHERS

    @property
    def clause(self) -> str:
        """The wait without a full stop."""
        core = f"core {self.core}"
        if self.kind in {"off", "crashed", "ended"}:
            return f"{core} {self.what}"
        if self.kind == "runs":
            return f"{core} executes {self.place.text}"
        if self.kind == "idle":
            return f"{core} {'sleeps' if self.asleep else 'loops'} {self.place.text}, and waits for nothing"
        if self.kind == "woken":
            return f"{core} sleeps {self.place.text} although it would go on if it were woken: {self.what}"
        held = f", which {self._holder} got {self.holder_place.text}" if self.holder_place else ""
        return f"{core} {'sleeps' if self.asleep else 'waits'} {self.place.text} until {self.what}{held}"

    @property
    def _holder(self) -> str:
        return "it" if self.holder == self.core else f"core {self.holder}"


class Snapshot(msgspec.Struct, frozen=True):
    """Both cores at a moment."""

    waits: Sequence[Wait]
    raw: Sequence[object]
    """What the simulator says of their loops, to be compared with another moment."""


def snapshot(simulator: Simulator, calls: Calls) -> Snapshot:
    """Return what both cores do now."""
    hunted = simulator.hunted()
    raw = simulator.waits()
    return Snapshot([_wait(simulator, calls, hunted, core, raw[core]) for core in range(_CORES)], raw)


def _wait(simulator: Simulator, calls: Calls, hunted: Hunted, core: int, loop: _native.Waited | None) -> Wait:
    contexts = hunted.paths[core]
    *before, last = contexts or [[]]
    place = calls.place(core, last)
    interrupted = [calls.place(core, path) for path in reversed(before)]
    state = simulator.registers(core).state
    asleep = state is CoreState.ASLEEP

    crash = simulator.crash(core)
    if crash is not None:
        found = _ended(crash.removeprefix(f"core {core} "))
    elif loop is None:
        found = _Found("off", "is off" if state is CoreState.OFF else f"is {state.value}")
    elif core and place.functions == ["boot ROM"]:
        again = hunted.troubles[core].reset is not None
        found = _Found("off", "has been reset, and not been started again" if again else "has not been started")
    else:
        found = _loop(simulator, calls, hunted, place, loop, asleep=asleep)
    repeats = loop is not None and loop[1]
    return Wait(
        core,
        found.kind,
        found.what,
        place,
        asleep,
        interrupted,
        found.words,
        found.holder,
        found.holder_place,
        repeats,
    )


class _Found(NamedTuple):
    """What a core waits for."""

    kind: Kind
    what: str = ""
    words: Sequence[int] = ()
    holder: int | None = None
    holder_place: Place | None = None


def _ended(clause: str) -> _Found:
    return _Found("ended" if clause.startswith("has ended its program") else "crashed", clause)


def _loop(
    simulator: Simulator,
    calls: Calls,
    hunted: Hunted,
    place: Place,
    loop: _native.Waited,
    *,
    asleep: bool,
) -> _Found:
    """Return what a core waits for by what its loop reads."""
    returns, repeats, acts, _, registers, words, local, fifo = loop
    tells_time = any(one in _TIMER or one in _SYSTICK for one in registers)
    if tells_time and (returns or asleep):
        return _Found("time", "some time has passed")
    if not returns:
        if asleep and words:
            return _Found("woken", "nobody has sent an event (SEV) since what it waits for has come")
        return _Found("idle" if asleep else "runs")
    found = next(_ports(simulator, calls, hunted, place.core, registers, fifo), None)
    found = found or next(_locks(simulator, calls, place.core, words or local), None)
    others = [one for one in registers if one not in _SPINLOCKS and one != _FIFO_ST]
    if found is None and others:
        found = _Found("register", f"{' and '.join(_register(simulator, one) for one in others[:2])} changes", words)
    if found is None and acts and not repeats:
        found = _Found("runs")
    if found is None and (words or local):
        found = _Found("word", _words(simulator, calls, words or local), words or local, 1 - place.core)
    return found or _Found("idle")


def _ports(
    simulator: Simulator,
    calls: Calls,
    hunted: Hunted,
    core: int,
    registers: Sequence[int],
    fifo: str,
) -> Iterator[_Found]:
    """Yield what it waits for at SIO."""
    if fifo == "room":
        yield _Found("sends", f"the FIFO to core {1 - core} has room, which is full", (), 1 - core)
    elif fifo == "word":
        yield _Found("receives", f"core {1 - core} sends a word: its FIFO is empty", (), 1 - core)
    holders = {lock: (by, calls.place(by, path, since)) for lock, by, since, path in hunted.holders}
    for register in (one for one in registers if one in _SPINLOCKS):
        lock = (register - _SPINLOCKS.start) // 4
        taken = not simulator.peek_register(register, core=core)
        if taken:
            by, where = holders.get(lock, (1 - core, None))
            yield _Found("spinlock", f"spinlock {lock} is free", (), by, where)


def _locks(simulator: Simulator, calls: Calls, core: int, words: Sequence[int]) -> Iterator[_Found]:
    """Yield the structure of the SDK that it waits for: its first word is the address of a spinlock (`lock_core_t`)."""
    for base in (one for one in words if word(simulator, one) in _SPINLOCKS):
        name = object_name(simulator, calls, base)
        state = word(simulator, base + 4)
        if base + 4 in words:
            if state >= 1 << 16 and not state & 0xFFFF:
                what = f"the semaphore {name} has a permit: none is left"
                yield _Found("semaphore", what, [base + 4], 1 - core)
            else:
                owner = state & 0xFF
                holder = owner if owner < _CORES else None
                itself = ", which it holds itself" if holder == core else ""
                yield _Found("mutex", f"the mutex {name} is free{itself}", [base + 4], holder)
        elif base + 8 in words:
            count = word(simulator, base + 8)
            has = "an element: it is empty" if count & 0xFFFF == count >> 16 else "room: it is full"
            yield _Found("queue", f"the queue {name} has {has}", [base + 8], 1 - core)
        else:
            yield _Found("lock", f"the lock {name} is free", [one for one in words if one != base])


def _register(simulator: Simulator, address: int) -> str:
    if address in _SSI:
        return f"SSI offset {address - _SSI.start:#05x}"
    return simulator.register_name(address)


def _words(simulator: Simulator, calls: Calls, words: Sequence[int]) -> str:
    shown = [f"{object_name(simulator, calls, one)} (now {word(simulator, one):#x})" for one in words[:3]]
    return f"{' or '.join(dict.fromkeys(shown))} changes"
