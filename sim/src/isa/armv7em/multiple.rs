//! Load and store multiple, dual and exclusive, and table branch (A5.3).

use crate::core::access::Width;
use crate::isa::armv7em::bus::{Bus, Event};
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    /// LDM, POP: the lowest register from the lowest address. A fault leaves all registers unchanged.
    pub(crate) fn load_multiple(
        &mut self,
        n: u32,
        list: u32,
        down: bool,
        writeback: bool,
        bus: &mut impl Bus,
    ) -> ExecutionResult {
        let (mut address, end) = self.span(n, list, down);
        let mut loaded = [0; 16];
        for register in registers(list) {
            loaded[register as usize] = self.load_aligned(address, bus)?;
            address = address.wrapping_add(4);
        }
        if writeback {
            self.set(n, end);
        }
        for register in registers(list & 0x7fff) {
            self.set(register, loaded[register as usize]);
        }
        if list & 1 << 15 != 0 {
            self.branch_exchange(loaded[15]);
        }
        Ok(())
    }

    /// STM, PUSH.
    pub(crate) fn store_multiple(
        &mut self,
        n: u32,
        list: u32,
        down: bool,
        writeback: bool,
        bus: &mut impl Bus,
    ) -> ExecutionResult {
        let (mut address, end) = self.span(n, list, down);
        for register in registers(list) {
            self.store_aligned(address, self.reg(register), bus)?;
            address = address.wrapping_add(4);
        }
        if writeback {
            self.set(n, end);
        }
        Ok(())
    }

    /// First address of a transfer, and the base register after it.
    fn span(&self, n: u32, list: u32, down: bool) -> (u32, u32) {
        let (base, bytes) = (self.reg(n), 4 * list.count_ones());
        if down { (base.wrapping_sub(bytes), base.wrapping_sub(bytes)) } else { (base, base.wrapping_add(bytes)) }
    }

    pub(crate) fn transfer_multiple(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (n, writeback, load) = (first & 15, first & 0x20 != 0, first & 0x10 != 0);
        let down = match first >> 7 & 3 {
            1 => false,
            2 => true,
            _ => return Err(Fault::Undefined),
        };
        if load {
            self.load_multiple(n, second, down, writeback, bus)
        } else {
            self.store_multiple(n, second, down, writeback, bus)
        }
    }

    /// LDRD, STRD, exclusive accesses, TBB, TBH.
    pub(crate) fn transfer_dual(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (indexed, up, writeback) = (first & 0x100 != 0, first & 0x80 != 0, first & 0x20 != 0);
        if !indexed && !writeback {
            return self.exclusive_or_table(first, second, bus);
        }
        let (n, distance) = (first & 15, (second & 0xff) * 4);
        let base = if n == 15 { self.literal_base() } else { self.reg(n) };
        let moved = if up { base.wrapping_add(distance) } else { base.wrapping_sub(distance) };
        let address = if indexed { moved } else { base };
        let (t, t2) = (second >> 12, second >> 8 & 15);
        if first & 0x10 != 0 {
            let one = self.load_aligned(address, bus)?;
            let two = self.load_aligned(address.wrapping_add(4), bus)?;
            if writeback {
                self.set(n, moved);
            }
            self.set(t, one);
            self.set(t2, two);
        } else {
            self.store_aligned(address, self.reg(t), bus)?;
            self.store_aligned(address.wrapping_add(4), self.reg(t2), bus)?;
            if writeback {
                self.set(n, moved);
            }
        }
        Ok(())
    }

    fn exclusive_or_table(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (n, load) = (first & 15, first & 0x10 != 0);
        let (t, d) = (second >> 12, second >> 8 & 15);
        if first & 0x80 == 0 {
            let address = self.reg(n).wrapping_add((second & 0xff) * 4);
            return if load {
                self.load_exclusive(t, address, Width::Word, bus)
            } else {
                self.store_exclusive(d, t, address, Width::Word, bus)
            };
        }
        let width = match second >> 4 & 15 {
            0 | 1 if load => return self.table_branch(n, second, bus),
            4 => Width::Byte,
            5 => Width::Half,
            _ => return Err(Fault::Undefined),
        };
        let address = self.reg(n);
        if load {
            self.load_exclusive(t, address, width, bus)
        } else {
            self.store_exclusive(second & 15, t, address, width, bus)
        }
    }

    /// LDREX: sets the local monitor to its exclusive state.
    fn load_exclusive(&mut self, t: u32, address: u32, width: Width, bus: &mut impl Bus) -> ExecutionResult {
        if address & width.misaligned() != 0 {
            return Err(Fault::Unaligned);
        }
        let value = self.load(address, width, self.is_privileged(), bus)?;
        self.exclusive = self.is_monitored(address, bus);
        self.set(t, value);
        Ok(())
    }

    /// Whether a monitor covers an address: the local one, or the global one for Shareable memory.
    fn is_monitored(&self, address: u32, bus: &mut impl Bus) -> bool {
        let shareable = self.is_shareable(address);
        bus.observe(Event::Exclusive { address, shareable });
        !shareable || bus.has_global_monitor()
    }

    /// STREX: stores and gives 0 in the exclusive state, else gives 1.
    fn store_exclusive(&mut self, d: u32, t: u32, address: u32, width: Width, bus: &mut impl Bus) -> ExecutionResult {
        if address & width.misaligned() != 0 {
            return Err(Fault::Unaligned);
        }
        if self.exclusive {
            self.store(address, width, self.reg(t), self.is_privileged(), bus)?;
        }
        let failed = !std::mem::take(&mut self.exclusive);
        self.set(d, u32::from(failed));
        Ok(())
    }

    /// TBB, TBH: branches forward by twice the table's entry.
    fn table_branch(&mut self, n: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let index = self.reg(second & 15);
        let (width, scale) = if second & 0x10 == 0 { (Width::Byte, 0) } else { (Width::Half, 1) };
        let address = self.reg(n).wrapping_add(index << scale);
        let distance = self.load(address, width, self.is_privileged(), bus)?;
        self.branch(self.reg(15).wrapping_add(2 * distance));
        Ok(())
    }
}

/// Numbers of the registers in a list, lowest first.
fn registers(list: u32) -> impl Iterator<Item = u32> {
    (0..16).filter(move |register| list >> register & 1 != 0)
}
