//! The interface to external memory, QMI: how long a read takes on the pins, and transfers that software makes (DS 12.14).

pub mod direct;

use crate::core::time::Cycle;
use crate::rp2::flash::Surroundings;
use crate::rp2::peripheral::Block;
use crate::rp2::registration::aliased;
use crate::rp2350::bus::content::Content;
use direct::Direct;

/// Its registers.
pub const QMI: Block = Block {
    modelled: "reads by XIP, direct mode over one line, the flash's serial commands",
    missing: "address translation, writes by XIP, chip select 1",
    ..Block::new("QMI", 0x400d_0000)
};
/// An APB block has 32 kB, with its atomic aliases (DS 2.2.4).
const BLOCK_BYTES: u32 = 0x8000;

/// Registers (DS 12.14.6): of direct mode, of the windows, of address translation.
const DIRECT_CSR: u32 = 0x00;
const DIRECT_TX: u32 = 0x04;
const DIRECT_RX: u32 = 0x08;
const WINDOWS: u32 = 0x0c;
const ATRANS: u32 = 0x34;
const END: u32 = 0x54;
/// Bits of the five registers of a window.
const WINDOW_BITS: [u32; 5] = [0xf3ff_f7ff, 0x1007_d3ff, 0xffff, 0x1007_d3ff, 0xffff];

/// Bytes of the window of a chip select.
const WINDOW: u32 = 0x100_0000;
/// Bits of an address on the pins.
const ADDRESS_BITS: u64 = 24;
/// Cycles from a request to the first edge of the chip select, and from the last bit that is sampled to the answer. Not documented: an
/// assumption.
const OVERHEAD: Cycle = 2;

/// Registers of a window (DS 12.14.6).
#[derive(Clone, Copy, Debug, Hash)]
#[allow(missing_docs)] // the datasheet's names
pub struct Window {
    pub timing: u32,
    pub rfmt: u32,
    pub rcmd: u32,
    pub wfmt: u32,
    pub wcmd: u32,
}

impl Default for Window {
    /// After reset: a serial read 03h at a fourth of `clk_sys`.
    fn default() -> Self {
        Self { timing: 0x4000_0004, rfmt: 0x1000, rcmd: 0xa003, wfmt: 0x1000, wcmd: 0xa002 }
    }
}

impl Window {
    fn registers(&mut self) -> [&mut u32; 5] {
        [&mut self.timing, &mut self.rfmt, &mut self.rcmd, &mut self.wfmt, &mut self.wcmd]
    }

    /// Cycles of `clk_sys` that a period of SCK takes.
    fn divisor(self) -> u64 {
        match self.timing & 0xff {
            0 => 256,
            divisor => u64::from(divisor),
        }
    }

    /// Periods of SCK that so many bits take at the width that two bits of `RFMT` select.
    fn periods(self, bits: u64, width_shift: u32) -> u64 {
        bits >> (self.rfmt >> width_shift & 3).min(2)
    }

    /// Periods of SCK before the data.
    fn lead(self) -> u64 {
        let prefix = u64::from(self.rfmt >> 12 & 1) * 8;
        let suffix = if self.rfmt >> 14 & 3 == 2 { 8 } else { 0 };
        let dummy = u64::from(self.rfmt >> 16 & 7) * 4;
        self.periods(prefix, 0) + self.periods(ADDRESS_BITS, 2) + self.periods(suffix, 4) + self.periods(dummy, 6)
    }

    fn data(self, bytes: u32) -> u64 {
        self.periods(8 * u64::from(bytes), 8)
    }

    /// Cycles for which the chip select stays low after a transfer; none if it does not.
    fn cooldown(self) -> Option<Cycle> {
        let units = u64::from(self.timing >> 30);
        (units > 0).then(|| 64 * units + self.divisor().div_ceil(2))
    }

    /// Cycles that the chip select is high between two transfers.
    fn deselected(self) -> Cycle {
        self.divisor().div_ceil(2) + u64::from(self.timing >> 12 & 31)
    }

    fn hold(self) -> Cycle {
        1 + u64::from(self.timing >> 23 & 3)
    }

    fn breaks_at(self, address: u32) -> bool {
        let page = match self.timing >> 28 & 3 {
            0 => return false,
            1 => 256,
            2 => 1024,
            _ => 4096,
        };
        address.is_multiple_of(page)
    }
}

/// The transfers, one after the other.
#[derive(Clone, Debug, Default, Hash)]
pub struct Qmi {
    /// See there, by chip select.
    pub windows: [Window; 2],
    /// The end of the last transfer.
    free_at: Cycle,
    /// The address behind it, while the chip select stays low for it until a cycle.
    chained: Option<(u32, Cycle)>,
    /// The chip select is high until then.
    selectable_at: Cycle,
    /// Transfers by software.
    pub direct: Direct,
}

/// Whether an address is that of a register.
pub fn has(address: u32) -> bool {
    address.wrapping_sub(QMI.base) < BLOCK_BYTES
}

/// The number of a window, and of the register in it.
fn window_register(offset: u32) -> (usize, usize) {
    let number = ((offset - WINDOWS) / 4) as usize;
    (number / 5, number % 5)
}

impl Qmi {
    /// A register, without effects. Address translation is as after reset: 4 MB each, one behind the other (DS 12.14.4).
    pub fn peek(&self, address: u32) -> Option<u32> {
        let offset = address & 0xffc;
        Some(match offset {
            DIRECT_CSR => self.direct.control(),
            DIRECT_TX => 0,
            DIRECT_RX => self.direct.peek_received(),
            WINDOWS..ATRANS => {
                let (window, register) = window_register(offset);
                *self.windows[window].clone().registers()[register]
            }
            ATRANS..END => 0x400 << 16 | ((offset - ATRANS) / 4 % 4) << 10,
            _ => return None,
        })
    }

    /// A read of a register.
    pub(crate) fn read_register(&mut self, address: u32, now: Cycle, around: &mut Surroundings<'_, Content>) -> u32 {
        let offset = address & 0xffc;
        if offset == DIRECT_RX {
            return self.direct.receive(now, around);
        }
        self.direct.advance(now, around);
        self.peek(offset).unwrap_or_else(|| {
            around.diagnostics.unmodelled(QMI.name, offset, "read of", now);
            0
        })
    }

    /// A write to a register, or to an atomic alias of it.
    pub(crate) fn write_register(
        &mut self,
        address: u32,
        value: u32,
        now: Cycle,
        around: &mut Surroundings<'_, Content>,
    ) {
        let offset = address & 0xffc;
        self.direct.advance(now, around);
        let value = aliased(address, self.peek(offset).unwrap_or(0), value);
        match offset {
            DIRECT_CSR => self.direct.set_control(value, now, around),
            DIRECT_TX => self.direct.send(value, now, around),
            WINDOWS..ATRANS => {
                let (window, register) = window_register(offset);
                *self.windows[window].registers()[register] = value & WINDOW_BITS[register];
                self.chained = None;
            }
            _ => around.diagnostics.unmodelled(QMI.name, offset, "write to", now),
        }
    }

    /// A read that is asked for in cycle `now`: the cycle in which its data is there.
    pub fn read(&mut self, address: u32, bytes: u32, now: Cycle) -> Cycle {
        let offset = address & 0x1ff_ffff;
        let window = self.windows[(offset / WINDOW) as usize & 1];
        let begin = now.max(self.free_at);
        let data = window.data(bytes) * window.divisor();
        let goes_on = self.chained.is_some_and(|(next, until)| next == offset && begin <= until);
        let end = if goes_on {
            begin + data
        } else {
            // A chip select that is still low is raised first.
            let selectable = match self.chained {
                Some((_, until)) if begin <= until => begin + window.hold() + window.deselected(),
                _ => self.selectable_at,
            };
            begin.max(selectable) + OVERHEAD + window.lead() * window.divisor() + data
        };
        let end = if goes_on { end + OVERHEAD } else { end };
        let next = offset + bytes;
        self.free_at = end;
        self.chained = window.cooldown().filter(|_| !window.breaks_at(next)).map(|cycles| (next, end + cycles));
        self.selectable_at = end + window.hold() + window.deselected();
        end
    }
}
