//! SIO: what the two cores tell each other with, pins, and the timer of the RISC-V platform (DS 3.1). Each core has a port of its own
//! to it. The Secure bank alone: a RISC-V core in machine mode sees no other.

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::interpolator::{Interpolator, Variant};
use crate::rp2::peripheral::{Block, Context};
use crate::rp2::sio::{Fifo, Pins, ROE, VLD, WOF, status};
use crate::rp2350::irq::Irq;

/// `SIO`.
pub const SIO: Block = Block {
    interrupts: &[Irq::SioFifo as u8, Irq::SioBell as u8, Irq::SioMtimecmp as u8],
    modelled: "FIFOs, spinlocks (with erratum E2), doorbells, MTIME, software interrupts, interpolators, pins",
    missing: "TMDS encoder, Non-secure bank",
    ..Block::new("SIO", 0xd000_0000)
};

/// Register offsets (DS 3.1.11).
const CPUID: u32 = 0x000;
const GPIO_IN: u32 = 0x004;
const GPIO_HI_IN: u32 = 0x008;
const GPIO_OUT: u32 = 0x010;
const GPIO_HI_OE_XOR: u32 = 0x04c;
const FIFO_ST: u32 = 0x050;
const FIFO_WR: u32 = 0x054;
const FIFO_RD: u32 = 0x058;
const SPINLOCK_ST: u32 = 0x05c;
const INTERP0: u32 = 0x080;
const INTERP1: u32 = 0x0c0;
const SPINLOCK0: u32 = 0x100;
const SPINLOCK31: u32 = 0x17c;
const DOORBELL_OUT_SET: u32 = 0x180;
const DOORBELL_OUT_CLR: u32 = 0x184;
const DOORBELL_IN_SET: u32 = 0x188;
const DOORBELL_IN_CLR: u32 = 0x18c;
const PERI_NONSEC: u32 = 0x190;
const RISCV_SOFTIRQ: u32 = 0x1a0;
const MTIME_CTRL: u32 = 0x1a4;
const MTIME: u32 = 0x1b0;
const MTIMEH: u32 = 0x1b4;
const MTIMECMP: u32 = 0x1b8;
const MTIMECMPH: u32 = 0x1bc;
const TMDS_CTRL: u32 = 0x1c0;

/// Entries of each FIFO (DS 3.1.5).
const FIFO_DEPTH: usize = 4;
const DOORBELLS: u32 = 0xff;
/// `MTIME_CTRL`: enabled and paused by a debugger after reset.
const MTIME_CTRL_RESET: u32 = 0xd;
const MTIME_EN: u32 = 1 << 0;
const MTIME_FULLSPEED: u32 = 1 << 1;
/// `GPIO_HI_IN`: the QSPI pins are pulled up, BOOTSEL is not pressed.
const QSPI_HIGH: u32 = 1 << 27;

/// What belongs to one core alone.
#[derive(Clone, Debug, Hash)]
struct PerCore {
    interpolators: [Interpolator; 2],
    doorbells: u32,
    compare: u64,
    /// Whether MTIME has reached it.
    timer: bool,
    software: bool,
}

/// The block.
#[derive(Clone, Debug, Hash)]
pub struct Sio {
    /// Pins 0 to 31; 32 to 47 and those of QSPI and USB.
    pins: [Pins; 2],
    /// Levels of pins 0 to 31 that SIO does not drive.
    input: u32,
    spinlocks: u32,
    /// `fifos[n]` is read by core `n`.
    fifos: [Fifo<FIFO_DEPTH>; 2],
    cores: [PerCore; 2],
    mtime_ctrl: u32,
    /// What MTIME counts.
    ticks: Ticks,
    /// The ticks of the platform, as they are made elsewhere.
    platform: Ticks,
    /// MTIME at tick `base_tick`.
    base_time: u64,
    base_tick: u64,
    event: Cycle,
}

impl Default for Sio {
    fn default() -> Self {
        Self::new()
    }
}

impl Sio {
    /// After reset.
    pub fn new() -> Self {
        let core = PerCore {
            interpolators: [Interpolator::new(Variant::Blends), Interpolator::new(Variant::Clamps)],
            doorbells: 0,
            compare: u64::MAX,
            timer: false,
            software: false,
        };
        Self {
            pins: <[Pins; 2]>::default(),
            input: 0,
            spinlocks: 0,
            fifos: <[Fifo<FIFO_DEPTH>; 2]>::default(),
            cores: [core.clone(), core],
            mtime_ctrl: MTIME_CTRL_RESET,
            ticks: Ticks::stopped(),
            platform: Ticks::stopped(),
            base_time: 0,
            base_tick: 0,
            event: NEVER,
        }
    }

    /// Takes over the ticks that MTIME counts unless it counts cycles.
    pub fn set_ticks(&mut self, ticks: &Ticks, context: &mut Context<'_>) {
        self.platform = ticks.clone();
        self.count_from(context.now);
        self.update(context);
    }

    /// MTIME counts from cycle `now` on what its control register says.
    fn count_from(&mut self, now: Cycle) {
        self.base_time = self.time(now);
        self.ticks = match self.mtime_ctrl & (MTIME_EN | MTIME_FULLSPEED) {
            MTIME_EN => self.platform.clone(),
            both if both & MTIME_EN != 0 => {
                let mut ticks = Ticks::stopped();
                ticks.set_rate(now, 1, 1);
                ticks
            }
            _ => Ticks::stopped(),
        };
        self.base_tick = self.ticks.count(now);
    }

    /// MTIME.
    pub fn time(&self, now: Cycle) -> u64 {
        self.base_time.wrapping_add(self.ticks.count(now).wrapping_sub(self.base_tick))
    }

    /// MTIME in cycle `until`, if it counts each cycle from `now` to then.
    pub fn steady_time(&self, now: Cycle, until: Cycle) -> Option<u64> {
        let time = self.time(until);
        (time.wrapping_sub(self.time(now)) == until - now).then_some(time)
    }

    /// Whether the timer interrupt of a core is asserted.
    pub fn timer(&self, core: usize) -> bool {
        self.cores[core & 1].timer
    }

    /// Whether the software interrupt of a core is asserted.
    pub fn software(&self, core: usize) -> bool {
        self.cores[core & 1].software
    }

    /// Reads a register as core `core` (0 or 1) sees it.
    pub fn read(&mut self, core: usize, offset: u32, context: &mut Context<'_>) -> u32 {
        let core = core & 1;
        match offset {
            FIFO_RD => {
                let value = self.fifos[core].pop(context.now);
                self.update(context);
                value
            }
            INTERP0..INTERP1 => self.cores[core].interpolators[0].read(offset - INTERP0),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].read(offset - INTERP1),
            SPINLOCK0..=SPINLOCK31 => {
                let bit = spinlock_bit(offset);
                let free = !self.spinlocks & bit;
                self.spinlocks |= bit;
                free
            }
            _ => self.peek(core, offset, context.now).unwrap_or_else(|| {
                context.diagnostics.unmodelled(SIO.name, offset, "read of", context.now);
                0
            }),
        }
    }

    /// A register that reading does nothing to, as core `core` sees it; none of any other.
    pub fn look_at(&self, core: usize, offset: u32, now: Cycle) -> Option<u32> {
        let has_effect = offset == FIFO_RD || (INTERP0..=SPINLOCK31).contains(&offset);
        if has_effect { None } else { self.peek(core, offset, now) }
    }

    /// Reads a register as core `core` sees it, without any effect; none where none is modelled.
    pub fn peek(&self, core: usize, offset: u32, now: Cycle) -> Option<u32> {
        let core = core & 1;
        let [low, high] = &self.pins;
        Some(match offset {
            CPUID => core as u32,
            GPIO_IN => low.out & low.oe | self.input & !low.oe,
            GPIO_HI_IN => high.out & high.oe | QSPI_HIGH & !high.oe,
            GPIO_OUT..=GPIO_HI_OE_XOR => self.pins[pin_bank(offset)].read(pin_register(offset)),
            FIFO_ST => status(&self.fifos[core], &self.fifos[core ^ 1], now),
            FIFO_RD => self.fifos[core].front(),
            SPINLOCK_ST => self.spinlocks,
            INTERP0..INTERP1 => self.cores[core].interpolators[0].peek(offset - INTERP0),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].peek(offset - INTERP1),
            SPINLOCK0..=SPINLOCK31 => !self.spinlocks & spinlock_bit(offset),
            DOORBELL_OUT_SET | DOORBELL_OUT_CLR => self.cores[core ^ 1].doorbells,
            DOORBELL_IN_SET | DOORBELL_IN_CLR => self.cores[core].doorbells,
            PERI_NONSEC | FIFO_WR => 0,
            RISCV_SOFTIRQ => (0..2).map(|core| u32::from(self.software(core)) * (0x101 << core)).sum(),
            MTIME_CTRL => self.mtime_ctrl,
            MTIME => self.time(now) as u32,
            MTIMEH => (self.time(now) >> 32) as u32,
            MTIMECMP => self.cores[core].compare as u32,
            MTIMECMPH => (self.cores[core].compare >> 32) as u32,
            _ => return None,
        })
    }

    /// Writes a register as core `core`.
    pub fn write(&mut self, core: usize, offset: u32, value: u32, context: &mut Context<'_>) {
        let core = core & 1;
        let now = context.now;
        if (DOORBELL_OUT_SET..TMDS_CTRL + 0x40).contains(&offset) {
            // Erratum E2: a write to the new registers releases the spinlock whose address is the same but for bit 7.
            self.spinlocks &= !spinlock_bit(offset);
        }
        match offset {
            GPIO_OUT..=GPIO_HI_OE_XOR => self.pins[pin_bank(offset)].write(pin_register(offset), value, u32::MAX),
            FIFO_ST => {
                self.fifos[core].roe = false;
                self.fifos[core ^ 1].wof = false;
            }
            FIFO_WR => self.fifos[core ^ 1].push(value, now),
            INTERP0..INTERP1 => self.cores[core].interpolators[0].write(offset - INTERP0, value),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].write(offset - INTERP1, value),
            SPINLOCK0..=SPINLOCK31 => self.spinlocks &= !spinlock_bit(offset),
            DOORBELL_OUT_SET => self.cores[core ^ 1].doorbells |= value & DOORBELLS,
            DOORBELL_OUT_CLR => self.cores[core ^ 1].doorbells &= !value,
            DOORBELL_IN_SET => self.cores[core].doorbells |= value & DOORBELLS,
            DOORBELL_IN_CLR => self.cores[core].doorbells &= !value,
            RISCV_SOFTIRQ => {
                for (number, core) in self.cores.iter_mut().enumerate() {
                    // Of a set and a clear, the set counts (DS 3.1.11).
                    core.software = core.software && value >> (8 + number) & 1 == 0 || value >> number & 1 != 0;
                }
            }
            MTIME_CTRL => {
                self.mtime_ctrl = value & 0xf;
                self.count_from(now);
            }
            MTIME | MTIMEH => {
                let time = self.time(now);
                self.base_tick = self.ticks.count(now);
                self.base_time = half_replaced(time, offset == MTIMEH, value);
            }
            MTIMECMP | MTIMECMPH => {
                let compare = &mut self.cores[core].compare;
                *compare = half_replaced(*compare, offset == MTIMECMPH, value);
            }
            _ => context.diagnostics.unmodelled(SIO.name, offset, "write to", now),
        }
        self.update(context);
    }

    /// Whether a register is of the pins that it drives.
    pub fn is_output(offset: u32) -> bool {
        (GPIO_OUT..=GPIO_HI_OE_XOR).contains(&offset)
    }

    /// The levels of pins 0 to 47; 0 where it does not drive them.
    pub fn driven(&self) -> u64 {
        let [low, high] = self.pins.each_ref().map(|pins| u64::from(pins.out & pins.oe));
        low | high << 32 & 0xffff_0000_0000
    }

    /// Whether a write by core `core` at `offset` puts a word into the FIFO to the other core, which has room for it.
    pub fn takes_word(&self, core: usize, offset: u32, now: Cycle) -> bool {
        offset == FIFO_WR && !self.fifos[core & 1 ^ 1].is_full(now)
    }

    /// When an interrupt line next changes by itself.
    pub fn next_event(&self) -> Cycle {
        self.event
    }

    /// Brings the interrupt lines up to date, and finds out when one next changes by itself.
    pub fn update(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        let time = self.time(now);
        for core in &mut self.cores {
            core.timer = time >= core.compare;
        }
        let each = |level: &dyn Fn(usize) -> bool| [level(0), level(1)];
        let fifo = |core: usize| status(&self.fifos[core], &self.fifos[core ^ 1], now) & (VLD | WOF | ROE) != 0;
        context.irq.set_each(Irq::SioFifo, each(&fifo));
        context.irq.set_each(Irq::SioBell, each(&|core| self.cores[core].doorbells != 0));
        context.irq.set_each(Irq::SioMtimecmp, each(&|core| self.timer(core)));
        let matches = self.cores.iter().filter_map(|core| core.compare.checked_sub(time).filter(|&left| left > 0));
        let count = self.ticks.count(now);
        let matches = matches.map(|left| self.ticks.cycle_of(count.saturating_add(left)));
        let arrivals = self.fifos.iter().filter_map(|fifo| fifo.next_arrival(now));
        self.event = matches.chain(arrivals).min().unwrap_or(NEVER);
    }
}

fn half_replaced(old: u64, upper: bool, half: u32) -> u64 {
    let shift = if upper { 32 } else { 0 };
    old & !(0xffff_ffff << shift) | u64::from(half) << shift
}

/// Registers of the two banks alternate (DS 3.1.3).
fn pin_bank(offset: u32) -> usize {
    (offset >> 2 & 1) as usize
}

fn pin_register(offset: u32) -> u32 {
    (offset - GPIO_OUT) / 8
}

/// Address of MTIME, and the bit of it that is set in that of its upper half.
pub(crate) const MTIME_ADDRESS: u32 = SIO.base + MTIME;
pub(crate) const MTIME_HALVES: u32 = MTIME ^ MTIMEH;

/// Where in this block an address is.
pub(crate) fn offset(address: u32) -> u32 {
    address & 0x1_fffc
}

fn spinlock_bit(offset: u32) -> u32 {
    1 << ((offset / 4) & 31)
}
