r"""The simulated chips in Python (docs/simulator.md).

from intercore.sim import Simulator

simulator = Simulator("firmware.elf", clock=125_000_000)
begins = simulator.watch_execution("handler")
stop = simulator.run(text="done\n", cycles=50_000_000)
print(stop, begins.hits()["cycle"])
"""

from intercore.sim.chip import (
    HIT,
    Chip,
    CoreState,
    Count,
    Probe,
    Reason,
    Registers,
    Statistics,
    Stop,
    Symbol,
    Tally,
    TimedOutput,
)
from intercore.sim.simulator import DEFAULT_CYCLES, Clocks, Repetition, Rp2350, Simulator, SimulatorError, Snapshot
from intercore.sim.stm32h745 import Stm32h745

__all__ = [
    "DEFAULT_CYCLES",
    "HIT",
    "Chip",
    "Clocks",
    "CoreState",
    "Count",
    "Probe",
    "Reason",
    "Registers",
    "Repetition",
    "Rp2350",
    "Simulator",
    "SimulatorError",
    "Snapshot",
    "Statistics",
    "Stm32h745",
    "Stop",
    "Symbol",
    "Tally",
    "TimedOutput",
]
