//! The two managers of the DMA on the bus: they ask, wait and are granted as cores' ports are.

use crate::core::access::Width;
use crate::core::time::{Cycle, NEVER};
use crate::isa::hazard3::ports::Access;
use crate::rp2::dma::requests::Requesters as _;
use crate::rp2::dma::{BusError, DmaAccess};
use crate::rp2350::bus::port::{self, SIO};
use crate::rp2350::bus::transfer::{IDLE, NOWHERE, Transfer};
use crate::rp2350::bus::{Fabric, PORTS};

/// Numbers of the managers, after the ports of the cores.
const READ: usize = PORTS;
const WRITE: usize = PORTS + 1;
/// Who stores, for the monitor: neither core.
const NO_CORE: usize = 2;

impl Fabric {
    /// The next cycle, not before `now`, in which the DMA does something.
    pub fn dma_next(&self, now: Cycle) -> Cycle {
        let under_way = self.transfers[READ..].iter().filter(|transfer| transfer.slave != IDLE);
        let ends = under_way.map(|transfer| if transfer.ends == NEVER { now } else { transfer.ends });
        ends.fold(self.peripherals.dma_next(now), Cycle::min).max(now)
    }

    /// The DMA's part of cycle `now`: data phases that end, and what it asks for.
    #[inline(never)]
    pub(super) fn dma_cycle(&mut self, now: Cycle) {
        let write = self.peripherals.dma.write_wanted(now);
        if write.map(|access| access.address) != Some(self.transfers[WRITE].access.address) {
            // Its channel was aborted.
            self.transfers[WRITE] = Transfer::NONE;
        }
        for number in [READ, WRITE] {
            let Transfer { access, slave, ends, .. } = self.transfers[number];
            if slave == IDLE || now < ends {
                continue;
            }
            self.transfers[number] = Transfer::NONE;
            self.stirred = true;
            if number == READ {
                let word = if slave == NOWHERE { None } else { self.read(slave, NO_CORE, access.address, now) };
                // A narrow read takes its data from the lanes of its address.
                let result = word.map(|word| word >> (8 * (access.address & 3))).ok_or(BusError);
                let (peripherals, mut context) = self.peripherals_at(now);
                peripherals.dma.read_done(result, now, &mut context);
            } else {
                let result = if slave == NOWHERE { Err(BusError) } else { Ok(()) };
                if let (Ok(()), Some(DmaAccess { value, .. })) = (result, write) {
                    if port::is_sram(slave) {
                        self.monitor.store(NO_CORE, access.address);
                    }
                    self.write(slave, NO_CORE, access.address, value, access.width, now);
                }
                let (peripherals, mut context) = self.peripherals_at(now);
                peripherals.dma.write_done(result, &mut context);
            }
        }
        if self.transfers[READ].slave == IDLE {
            let (peripherals, mut context) = self.peripherals_at(now);
            let wanted = peripherals.dma_read_wanted(&mut context);
            self.ask(READ, wanted);
        } else {
            self.peripherals.note_requests(now);
        }
        if self.transfers[WRITE].slave == IDLE {
            let wanted = self.peripherals.dma.write_wanted(now);
            self.ask(WRITE, wanted);
        }
    }

    fn ask(&mut self, number: usize, wanted: Option<DmaAccess>) {
        let Some(DmaAccess { address, bytes, .. }) = wanted else { return };
        let width = match bytes {
            1 => Width::Byte,
            2 => Width::Half,
            _ => Width::Word,
        };
        let access = Access { address, width, writes: number == WRITE, is_exclusive: false, machine_mode: true };
        let transfer = &mut self.transfers[number];
        transfer.access(Some(access), 0);
        // SIO is the cores' own (DS 12.6.7).
        if transfer.slave == SIO {
            transfer.slave = NOWHERE;
        }
    }
}
