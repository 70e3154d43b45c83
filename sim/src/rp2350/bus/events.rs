//! What the performance counters of the bus count (DS 12.15.4.2).

use crate::core::bus::Slave;
use crate::core::time::{Cycle, NEVER};
use crate::rp2350::bus::port::SIO;
use crate::rp2350::bus::transfer::{IDLE, NOWHERE};
use crate::rp2350::bus::{Fabric, PORTS};

/// Events of a port, in the order in which they are numbered.
const STALL_UPSTREAM: u32 = 0;
const STALL_DOWNSTREAM: u32 = 1;
const ACCESS_CONTESTED: u32 = 2;
const ACCESS: u32 = 3;

/// The number of an event at a port, to which a manager has asked. Each core has a port of SIO of its own.
fn number(port: Slave, manager: usize, event: u32) -> u32 {
    let place = if port == SIO { 1 - manager as u32 / 2 } else { 16 - u32::from(port.0) };
    4 * place + event
}

impl Fabric {
    /// Whether the counters have to know of each cycle.
    pub fn counts_events(&self) -> bool {
        self.peripherals.busctrl.counts()
    }

    /// At the end of cycle `now`: accesses that are complete with the next cycle, and stalls that last as long as that.
    #[inline(never)]
    pub(super) fn count_events(&mut self, now: Cycle) {
        let busctrl = &mut self.peripherals.busctrl;
        let mut stalled = 0_u32;
        for (manager, transfer) in self.transfers.iter().enumerate() {
            let (port, bit) = (transfer.slave, 1 << transfer.slave.0);
            if port == IDLE || port == NOWHERE || port == SIO && manager >= PORTS {
                continue;
            }
            let contested = 1 << manager;
            if transfer.ends == now + 1 {
                busctrl.count(number(port, manager, ACCESS));
                if self.contested & contested != 0 {
                    busctrl.count(number(port, manager, ACCESS_CONTESTED));
                }
                self.contested &= !contested;
                continue;
            }
            if transfer.ends == NEVER {
                self.contested |= contested;
            } else {
                busctrl.count(number(port, manager, STALL_DOWNSTREAM));
            }
            // Once in a cycle, however many managers wait.
            if stalled & bit == 0 {
                busctrl.count(number(port, manager, STALL_UPSTREAM));
            }
            stalled |= bit;
        }
    }
}
