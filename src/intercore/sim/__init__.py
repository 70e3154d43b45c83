r"""The simulated chip in Python (docs/simulator.md).

from intercore.sim import Simulator

simulator = Simulator("firmware.elf", clock=125_000_000)
begins = simulator.watch_execution("handler")
stop = simulator.run(text="done\n", cycles=50_000_000)
print(stop, begins.hits()["cycle"])
"""

from intercore.sim.simulator import (
    DEFAULT_CYCLES,
    HIT,
    Clocks,
    CoreState,
    Count,
    Probe,
    Reason,
    Registers,
    Simulator,
    SimulatorError,
    Snapshot,
    Statistics,
    Stop,
    Symbol,
    Tally,
    TimedOutput,
)

__all__ = [
    "DEFAULT_CYCLES",
    "HIT",
    "Clocks",
    "CoreState",
    "Count",
    "Probe",
    "Reason",
    "Registers",
    "Simulator",
    "SimulatorError",
    "Snapshot",
    "Statistics",
    "Stop",
    "Symbol",
    "Tally",
    "TimedOutput",
]
