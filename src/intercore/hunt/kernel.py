"""Tasks of FreeRTOS, and what each waits for, read from the kernel's own lists.

Offsets in a control block differ by the kernel's configuration. They follow from its two list items, each of which has
the block's address as its owner (list.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from intercore.hunt.memory import is_sram, object_name, word
from intercore.profile.names import task as task_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.hunt.calls import Calls
    from intercore.sim import Simulator
    from intercore.sim.hunted import Hunted

State: TypeAlias = Literal["running", "ready", "waits", "suspended", "ended"]

_CURRENT = ("pxCurrentTCBs", "pxCurrentTCB")
_LISTS: Mapping[str, State] = {
    "pxReadyTasksLists": "ready",
    "xPendingReadyList": "ready",
    "xDelayedTaskList1": "waits",
    "xDelayedTaskList2": "waits",
    "xSuspendedTaskList": "suspended",
    "xTasksWaitingTermination": "ended",
}
_READY = ("pxReadyTasksLists", "xPendingReadyList")
_DELAYED = ("xDelayedTaskList1", "xDelayedTaskList2")
_FOREVER = "xSuspendedTaskList"
"""Also of tasks that wait without a limit of time."""
_OF_EVENTS = "xEventGroup"
_BITS, _ALL_BITS = 0x00FF_FFFF, 0x0400_0000
"""Of the value of an event item, the bits that are waited for, and whether for all (event_groups.c, 32-bit ticks)."""
_NOTIFIED = ("TaskNotifyTake", "TaskGenericNotifyTake", "TaskGenericNotifyWait")
"""Ends of the names of the kernel's functions that wait for a notification, which has no object of its own."""
_IDLE = ("xIdleTaskHandles", "xIdleTaskHandle")
_TIMERS = "xTimerTaskHandle"

_NVIC_ISER, _BETWEEN_CORES = 0xE000E100, 3 << 15
"""SIO_IRQ_PROC0 and SIO_IRQ_PROC1 (RP2040 datasheet 2.3.2): with them, a core has the other one choose another task."""

_LIST, _LIST_END, _ITEM_NEXT, _ITEM_OWNER, _ITEM_CONTAINER = 20, 8, 4, 12, 16
"""Of list.h: bytes of a list, where its end is, and fields of an item, with 20 bytes."""
_ITEM = 20
_TO_SEND, _TO_RECEIVE, _MESSAGES, _LENGTH, _ITEM_SIZE, _HOLDER = 16, 36, 56, 60, 64, 8
"""Of `Queue_t` (queue.c), of which semaphores and mutexes are made, too."""
_MOST = 1000
"""Items of a list that are followed."""


class Task(msgspec.Struct, frozen=True):
    """A task of the kernel, at one moment."""

    block: int
    """Address of its control block."""
    name: str
    state: State
    core: int | None
    """The core that it is on."""
    priority: int
    functions: Sequence[str]
    """Those that it is in, if it is on no core; from the innermost one to the outermost one."""
    what: str = ""
    """What it waits for: a clause behind "until"."""
    kind: Literal["mutex", "semaphore", "receives", "sends", "notification", "object", ""] = ""
    words: Sequence[int] = ()
    """Addresses of words that the wait depends on."""
    holder: int | None = None
    """Control block of the task that has what it waits for."""
    forever: bool = False
    """Whether it waits without a limit of time."""
    away_since: int | None = None
    """The cycle in which it was last taken off a core; none if it has been on none."""
    of_kernel: bool = False
    """Whether it is an idle task, or the one of the timers."""

    @property
    def place(self) -> str:
        """Where it is, in words."""
        own = [one for one in self.functions if not one.startswith(("vPortYield", "vTaskYield"))] or self.functions
        return f" in {' ← '.join(own[:4])}" if own else ""

    @property
    def clause(self) -> str:
        """What it does, without a full stop."""
        if self.state == "waits" and self.what:
            return f"{self.name} waits{self.place} until {self.what}"
        if self.state == "running":
            return f"{self.name} (priority {self.priority}) is on core {self.core}"
        state = {"ready": "is ready", "waits": "waits for a time", "suspended": "is suspended", "ended": "has ended"}
        return f"{self.name} (priority {self.priority}) {state[self.state]}{self.place}"


def tasks(simulator: Simulator, calls: Calls, hunted: Hunted) -> list[Task]:
    """Return the tasks of the kernel, as they are now; none without a kernel."""
    cores, of_kernel = _current(simulator), _of_kernel(simulator)
    if not cores:
        return []
    known = {one.block: (one.name, one.away_since, one.functions) for one in hunted.tasks}
    found: list[Task] = []
    for name, state in _LISTS.items():
        for at in _lists(simulator, name):
            for listed, block in _items(simulator, at):
                # Only that list has the other item of a task.
                item = listed - _ITEM if name == "xPendingReadyList" else listed
                title, since, functions = known.get(block, ("", 0, []))
                title = title or _name(simulator, block, item, smp=_CURRENT[0] in simulator.symbols)
                of_task = [calls.function(one) for one in reversed(functions)]
                core = cores.get(block)
                one = Task(
                    block,
                    task_name(block, title),
                    "running" if core is not None and state == "ready" else state,
                    core,
                    word(simulator, item + 2 * _ITEM),
                    list(dict.fromkeys(of_task)),
                    forever=name == _FOREVER,
                    away_since=since or None,
                    of_kernel=block in of_kernel,
                )
                found.append(_waiting(simulator, calls, one, item + _ITEM))
    return found


def _lists(simulator: Simulator, name: str) -> range:
    """Return the addresses of the lists that a variable of the kernel has."""
    symbol = simulator.symbols.get(name)
    return range(symbol.address, symbol.address + symbol.size, _LIST) if symbol else range(0)


def ready(simulator: Simulator) -> frozenset[int]:
    """Return the control blocks of tasks that could run and are on no core."""
    current = _current(simulator)
    blocks = {block for name in _READY for at in _lists(simulator, name) for _, block in _items(simulator, at)}
    return frozenset(blocks - current.keys() - _of_kernel(simulator))


def quiet(simulator: Simulator) -> bool:
    """Return whether no task but the kernel's own will run again: none is ready, or waits for a time.

    No interrupt is enabled that could let one but those between the cores; the tick is an exception.
    """
    if any(simulator.peek_private(_NVIC_ISER, core) & ~_BETWEEN_CORES for core in (0, 1)):
        return False
    current, delayed = _current(simulator), (at for name in _DELAYED for at in _lists(simulator, name))
    if not current or ready(simulator) or not current.keys() <= _of_kernel(simulator):
        return False
    return not any(word(simulator, at) for at in delayed)


def _current(simulator: Simulator) -> dict[int, int]:
    """Return the cores by the control blocks of the tasks that they have; empty without a kernel."""
    current = next((simulator.symbols[name] for name in _CURRENT if name in simulator.symbols), None)
    if current is None:
        return {}
    blocks = [word(simulator, current.address + 4 * core) for core in range(min(2, current.size // 4))]
    return {block: core for core, block in enumerate(blocks) if block}


def _of_kernel(simulator: Simulator) -> set[int]:
    own = [simulator.symbols[name] for name in (*_IDLE, _TIMERS) if name in simulator.symbols]
    return {word(simulator, one.address + at) for one in own for at in range(0, one.size, 4)}


def _items(simulator: Simulator, at: int) -> Iterator[tuple[int, int]]:
    """Yield address and owner of the items of a list."""
    end = at + _LIST_END
    item = word(simulator, end + _ITEM_NEXT)
    for _ in range(min(_MOST, word(simulator, at))):
        if item == end or not is_sram(item):
            return
        yield item, word(simulator, item + _ITEM_OWNER)
        item = word(simulator, item + _ITEM_NEXT)


def _name(simulator: Simulator, block: int, item: int, *, smp: bool) -> str:
    """Return the name of a task that no core has had: behind priority and stack, with SMP also two more words."""
    at = item + 2 * _ITEM + 8 + (8 if smp else 0)
    text = simulator.read(at, 16).split(b"\0")[0].decode("ascii", "replace")
    return text if block < at else ""


def _waiting(simulator: Simulator, calls: Calls, one: Task, event: int) -> Task:
    """Return a task with the object that it waits for, by the list that its event item is in."""
    waited = word(simulator, event + _ITEM_CONTAINER)
    if one.state not in {"waits", "suspended"}:
        return one
    if not waited:
        if one.forever and any(name.endswith(_NOTIFIED) for name in one.functions):
            return msgspec.structs.replace(
                one, state="waits", kind="notification", what="it is notified", words=[one.block]
            )
        return one
    if any(name.startswith(_OF_EVENTS) for name in one.functions):
        group, asked = waited - 4, word(simulator, event)
        bits = f"{'all' if asked & _ALL_BITS else 'any'} of the bits {asked & _BITS:#x}"
        what = (
            f"{bits} of the event group {_handle(simulator, calls, group)} are set: it has {word(simulator, group):#x}"
        )
        return msgspec.structs.replace(one, state="waits", kind="object", what=what, words=[group])
    base = next((waited - at for at in (_TO_SEND, _TO_RECEIVE) if _is_queue(simulator, waited - at)), None)
    if base is None:
        named = f"{object_name(simulator, calls, waited)} changes"
        return msgspec.structs.replace(one, state="waits", kind="object", what=named)
    name = _handle(simulator, calls, base)
    sends = waited == base + _TO_SEND
    has_data = word(simulator, base + _ITEM_SIZE) != 0
    holder = None
    if sends:
        kind, what = "sends", f"the queue {name} has room: it is full"
    elif has_data:
        kind, what = "receives", f"the queue {name} has an element: it is empty"
    elif word(simulator, base) == 0:
        holder = word(simulator, base + _HOLDER) or None
        kind, what = "mutex", f"the mutex {name} is given"
    else:
        kind, what = "semaphore", f"the semaphore {name} is given"
    return msgspec.structs.replace(one, state="waits", kind=kind, what=what, words=[base + _MESSAGES], holder=holder)


def _is_queue(simulator: Simulator, base: int) -> bool:
    """Return whether a queue may begin at an address: there are its two lists, one behind the other."""
    lists = (base + _TO_SEND, base + _TO_RECEIVE)
    if not all(is_sram(one) for one in lists):
        return False
    ends = all(word(simulator, one + _LIST_END) == 0xFFFFFFFF for one in lists)
    return ends and word(simulator, base + _MESSAGES) <= max(1, word(simulator, base + _LENGTH))


def _handle(simulator: Simulator, calls: Calls, base: int) -> str:
    """Return what a queue is called: the variable with its address, if there is one, as it may be on the heap."""
    named = object_name(simulator, calls, base)
    if " + " not in named and not named.startswith("0x"):
        return named
    for name, symbol in simulator.all_symbols():
        is_variable = symbol.size == 4 and not symbol.is_function and is_sram(symbol.address)
        if is_variable and word(simulator, symbol.address) == base:
            return name
    return f"at {base:#010x}"
