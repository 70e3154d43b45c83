//! Floating-point registers to and from memory and core registers (A6.5 to A6.7).

use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::fpu::Register;
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    /// VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP, and moves of 64 bits (A6.5).
    pub(super) fn transfer_float(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (indexed, up, writeback) = (first & 0x100 != 0, first & 0x80 != 0, first & 0x20 != 0);
        if !indexed && !up && !writeback {
            return self.move_two(first, second, bus);
        }
        let double = second & 0x100 != 0;
        let register = Register::of(double, second >> 12, first >> 6).ok_or(Fault::Undefined)?;
        let start = register.place() as u32;
        let (n, bytes) = (first & 15, (second & 0xff) * 4);
        let moved = |base: u32| if up { base.wrapping_add(bytes) } else { base.wrapping_sub(bytes) };
        if indexed && !writeback {
            self.use_float(bus)?;
            let base = if n == 15 { self.literal_base() } else { self.reg(n) };
            return self.move_words(first & 0x10 != 0, start, if double { 2 } else { 1 }, moved(base), bus);
        }
        let words = if double { second & 0xfe } else { second & 0xff };
        if indexed == up || words == 0 || start + words > 32 {
            return Err(Fault::Undefined);
        }
        self.use_float(bus)?;
        let base = self.reg(n);
        self.move_words(first & 0x10 != 0, start, words, if indexed { moved(base) } else { base }, bus)?;
        if writeback {
            self.set(n, moved(base));
        }
        Ok(())
    }

    /// Moves words between memory and single registers from `start` on. A fault leaves the registers as they were.
    fn move_words(&mut self, loads: bool, start: u32, count: u32, address: u32, bus: &mut impl Bus) -> ExecutionResult {
        let mut loaded = self.fpu.s;
        for index in 0..count {
            let (place, address) = ((start + index) as usize, address.wrapping_add(4 * index));
            if loads {
                loaded[place] = self.load_aligned(address, bus)?;
            } else {
                self.store_aligned(address, loaded[place], bus)?;
            }
        }
        self.fpu.s = loaded;
        Ok(())
    }

    /// Two core registers, and two single registers or a double one (A6.7).
    fn move_two(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        if first & 0x40 == 0 || second & 0xd0 != 0x10 {
            return Err(Fault::Undefined);
        }
        let double = second & 0x100 != 0;
        let register = Register::of(double, second, second >> 5).ok_or(Fault::Undefined)?;
        let place = register.place();
        let (t, t2) = (second >> 12, first & 15);
        if place > 30 {
            return Err(Fault::Undefined);
        }
        self.use_float(bus)?;
        if first & 0x10 != 0 {
            let (low, high) = (self.fpu.s[place], self.fpu.s[place + 1]);
            self.set(t, low);
            self.set(t2, high);
        } else {
            self.fpu.s[place] = self.reg(t);
            self.fpu.s[place + 1] = self.reg(t2);
        }
        Ok(())
    }

    /// One core register, and a single register, half a double one, or FPSCR (A6.6).
    pub(super) fn move_float(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (to_core, option, t) = (first & 0x10 != 0, first >> 5 & 7, second >> 12);
        let whole = second & 0x100 == 0;
        let place = match option {
            7 if whole && first & 15 == 1 => return self.move_status(to_core, t, bus),
            0 if whole => Register::of(false, first, second >> 7).map(Register::place),
            0 | 1 if !whole && second & 0x60 == 0 => {
                Register::of(true, first, second >> 7).map(|register| register.place() + option as usize)
            }
            _ => None,
        };
        let place = place.ok_or(Fault::Undefined)?;
        self.use_float(bus)?;
        if to_core {
            let value = self.fpu.s[place];
            self.set(t, value);
        } else {
            self.fpu.s[place] = self.reg(t);
        }
        Ok(())
    }

    /// VMRS and VMSR. VMRS to PC takes the flags N, Z, C, V.
    fn move_status(&mut self, to_core: bool, t: u32, bus: &mut impl Bus) -> ExecutionResult {
        self.use_float(bus)?;
        let status = self.fpu.status.0;
        match (to_core, t) {
            (false, _) => self.fpu.set_status(self.reg(t)),
            (true, 15) => self.flags.set_nzcvq(status & 0xf000_0000 | u32::from(self.flags.q) << 27),
            (true, _) => self.set(t, status),
        }
        Ok(())
    }
}
