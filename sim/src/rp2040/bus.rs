//! The bus fabric: which address is behind which slave, what an access costs, who comes first (DS 2.1, 2.2).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

pub(crate) mod dma_masters;
pub mod memory;
pub(crate) mod registers;
mod slave;
pub mod ssi;
pub mod xip;

use crate::core::access::Width;
use crate::core::access::merge;
use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::Watchpoints;
use crate::fault::Losses;
use crate::rp2040::clock::Clocks;
use crate::rp2040::irq::IrqLines;
use crate::rp2040::peripherals::sio;
use crate::rp2040::peripherals::sio::Sio;
use crate::rp2040::peripherals::{Context, Peripherals};
use memory::Memory;
use registers::Registers;
pub use slave::Slave;
use std::hash::{Hash, Hasher};
use xip::Xip;

/// Cycles that a read holds the APB bridge, beside its address phase: two of APB and one of the bridge, which registers
/// request and response (DS 2.1.3). A core's LDR takes one more: 4.
pub const APB_READ: Cycle = 3;
/// The same for a write, whose set-up cannot begin before the AHB data is there: two of APB, two of the bridge (DS 2.1.3).
pub const APB_WRITE: Cycle = 4;
/// What a write through an atomic alias of UART, SPI or I2C costs more, since it is read, modified and written by an
/// interposer (DS 2.1.2).
pub const INTERPOSED: Cycle = 2;
/// Data phase of an access that nothing answers: AHB-Lite's two-cycle error response (AMBA 3 AHB-Lite 5.1.3).
pub const ERROR_RESPONSE: Cycle = 2;

/// Bytes of all SRAM, in its lower, word-striped view (DS 2.6.2).
const SRAM_BYTES: u32 = 4 * crate::rp2040::bus::memory::SRAM_WORDS as u32;

/// Slave and index of the word of an address in SRAM; None if it is elsewhere.
#[inline(always)]
pub(crate) fn locate_sram(address: u32) -> Option<(Slave, u32)> {
    const BANKS: [Slave; 4] = [Slave::Sram0, Slave::Sram1, Slave::Sram2, Slave::Sram3];
    let offset = address.wrapping_sub(0x2000_0000);
    if offset < 0x4_0000 {
        // Bits 3:2 choose one of the four large banks: table 153.
        return Some((BANKS[(offset >> 2 & 3) as usize], offset >> 2));
    }
    if offset < SRAM_BYTES {
        return Some((if offset < 0x4_1000 { Slave::Sram4 } else { Slave::Sram5 }, offset >> 2));
    }
    let offset = address.wrapping_sub(0x2100_0000);
    // The large banks one after the other.
    (offset < 0x4_0000).then_some((BANKS[(offset >> 16) as usize & 3], (offset >> 2 & 0x3fff) << 2 | offset >> 16))
}

/// Which slave an address belongs to, and for SRAM the index of its word (DS 2.2, 2.6.2).
#[inline(always)]
#[must_use]
pub fn locate(address: u32) -> (Slave, u32) {
    locate_sram(address).unwrap_or_else(|| locate_elsewhere(address))
}

#[inline(never)]
fn locate_elsewhere(address: u32) -> (Slave, u32) {
    let offset = address & 0x0fff_ffff;
    match address >> 28 {
        0 if offset < 0x4000 => (Slave::Rom, offset >> 2),
        1 if offset < 0x600_0000 || offset >> 24 == 8 => (Slave::Xip, 0),
        4 if offset < 0x7_0000 => (Slave::Apb, 0),
        5 if offset < 0x50_0000 => (Slave::FastPeripherals, 0),
        0xd => (Slave::Sio, 0),
        0xe => (Slave::Private, 0),
        _ => (Slave::None, 0),
    }
}

/// A slave's answer to an address phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Ask again in this cycle.
    Busy(Cycle),
    /// The data phase takes so many cycles; 1 without wait states.
    Takes(Cycle),
}

/// A bus error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault;

/// Everything that the cores share.
#[derive(Clone, Debug)]
pub struct Bus {
    /// ROM, SRAM, flash.
    pub memory: Memory,
    /// The flash interface and its cache.
    pub xip: Xip,
    /// Peripherals behind APB and AHB, and SIO.
    pub peripherals: Peripherals,
    /// Rates of the clocks.
    pub clocks: Clocks,
    /// Levels of the interrupt lines.
    pub irq: IrqLines,
    /// What firmware did that is not modelled.
    pub diagnostics: Diagnostics,
    /// Probes, breakpoints, timeline.
    pub watch: Watchpoints,
    /// Words that are lost between the cores, for faults that were asked for.
    pub(crate) fifo_losses: Losses,
    /// Master last granted, by slave: the state of round robin.
    last: [u8; Slave::COUNT],
    /// First cycle in which a slave takes the next access after one with wait states.
    free_at: [Cycle; Slave::COUNT],
    /// The cycle of the last access without wait states of a master that asked by `begin`.
    taken_at: [Cycle; Slave::COUNT],
    /// Masters of high priority, a bit each: cores 0 and 1, DMA read, DMA write (DS 2.1.1.1).
    pub(crate) priority: u8,
    /// Something happened that the machine must see before any core goes on.
    pub(crate) touched: bool,
    /// When that was.
    pub(crate) touched_at: Cycle,
    /// A peripheral's register was written since the machine last looked.
    pub(crate) registers_written: bool,
    pub(crate) event: Option<Cycle>,
    pub(crate) host_call: Option<u8>,
    pub(crate) breakpoint: Option<(u8, u32)>,
    pub(crate) reset: Option<u8>,
    pub(crate) locked_up: Option<u8>,
}

impl Bus {
    pub(crate) fn new() -> Self {
        Self {
            memory: Memory::new(),
            xip: Xip::new(),
            peripherals: Peripherals::new(),
            clocks: Clocks::at_power_on(),
            irq: IrqLines::default(),
            diagnostics: Diagnostics::default(),
            watch: Watchpoints::default(),
            fifo_losses: Losses::default(),
            last: [3; Slave::COUNT],
            free_at: [0; Slave::COUNT],
            taken_at: [NEVER; Slave::COUNT],
            priority: 0,
            touched: false,
            touched_at: 0,
            registers_written: false,
            event: None,
            host_call: None,
            breakpoint: None,
            reset: None,
            locked_up: None,
        }
    }

    /// A master gets a slave at once.
    #[inline(always)]
    pub(crate) fn granted(&mut self, master: u8, slave: Slave) {
        self.last[slave as usize] = master;
    }

    /// Slave and place in it of a word that can be had in cycle `now` without wait states: index of a word of SRAM, or way of
    /// the flash cache where a word to be read is.
    #[inline(always)]
    pub(crate) fn at_once(&self, address: u32, write: bool, now: Cycle) -> Option<(Slave, u32)> {
        let place = locate_sram(address);
        if place.is_some() || write || now < self.free_at[Slave::Xip as usize] {
            return place;
        }
        self.xip.holds(address, now).map(|way| (Slave::Xip, way))
    }

    /// The word of flash at an address that a way of the cache holds.
    #[inline(always)]
    pub(crate) fn hit_flash(&mut self, address: u32, way: u32) -> u32 {
        self.xip.hit(address, way);
        self.memory.flash(address & 0xff_ffff)
    }

    /// Whether cores must tell of every access.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.in_use() || self.peripherals.busctrl.counts()
    }

    /// Whether nobody wants to know more of the cores than what they do at certain addresses.
    pub(crate) fn lets_cores_run_apart(&self) -> bool {
        self.watch.concerns_addresses() && !self.peripherals.busctrl.counts()
    }

    /// An access to a slave is granted; `contested` if it had to wait for another master. For the performance counters.
    pub(crate) fn count(&mut self, slave: Slave, contested: bool) {
        if let Some(port) = slave.port() {
            self.peripherals.busctrl.count(port, contested);
        }
    }

    /// Which of the masters in the set `asking` (a bit each) gets the slave: those of high priority first, among equals the
    /// next in turn after the one last granted (DS 2.1.1.1; that the turn goes 0, 1, DMA read, DMA write and begins with
    /// core 0 after reset is an assumption).
    pub(crate) fn arbitrate(&self, slave: Slave, asking: u8) -> u8 {
        let high = asking & self.priority;
        let asking = if high == 0 { asking } else { high };
        let first = self.last[slave as usize].wrapping_add(1) & 3;
        let turned = (asking >> first | asking << (4 - first)) & 15;
        (first + turned.trailing_zeros() as u8) & 3
    }

    /// Which core gets a slave (by number) that both ask for, if both have the same priority and no one else asks.
    pub(crate) fn arbitrate_cores(&self, slave: usize) -> u8 {
        u8::from(self.last.get(slave) == Some(&0))
    }

    /// Whether a hit in the flash cache would take no longer than its cycle, at cycle `now`.
    pub(crate) fn is_flash_ready(&self, now: Cycle) -> bool {
        now >= self.free_at[Slave::Xip as usize] && self.xip.is_ready(now)
    }

    /// What a fast run of one core uses of the bus.
    pub(crate) fn apart(&mut self) -> (&mut Memory, &mut Xip, Registers<'_>, &mut Watchpoints) {
        let registers = Registers {
            peripherals: &mut self.peripherals,
            clocks: &mut self.clocks,
            irq: &mut self.irq,
            diagnostics: &mut self.diagnostics,
            bridge_free_at: &mut self.free_at[Slave::Apb as usize],
        };
        (&mut self.memory, &mut self.xip, registers, &mut self.watch)
    }

    /// The address phase of an access to a slave that may be busy or slow, at cycle `now`.
    pub(crate) fn begin(&mut self, master: u8, slave: Slave, address: u32, write: bool, now: Cycle) -> Access {
        if slave.is_shared() {
            let taken = self.taken_at[slave as usize] == now;
            let free_at = if taken { now + 1 } else { self.free_at[slave as usize] };
            if now < free_at {
                return Access::Busy(free_at);
            }
            self.last[slave as usize] = master;
        }
        let cycles = match slave {
            Slave::Xip => self.xip.begin(address, write, now),
            Slave::Apb => apb_cycles(address, write),
            Slave::None => ERROR_RESPONSE,
            _ => 1,
        };
        if cycles == 1 {
            self.taken_at[slave as usize] = now;
        } else {
            self.free_at[slave as usize] = now + cycles;
        }
        Access::Takes(cycles)
    }

    /// The data phase of a read. The word that holds `address`.
    pub(crate) fn read(&mut self, slave: Slave, address: u32, now: Cycle) -> Result<u32, Fault> {
        match slave {
            Slave::Rom => Ok(self.memory.rom[address as usize >> 2 & 0xfff]),
            Slave::Xip => self.xip.read(address, now, &self.memory, &mut self.diagnostics),
            Slave::Apb | Slave::FastPeripherals => {
                if Peripherals::takes_data(address) {
                    self.touch(now);
                }
                self.touch_if_changed(now, |peripherals, context| peripherals.read(address & !3, context)).ok_or(Fault)
            }
            slave if slave.is_sram() => Ok(self.memory.sram(locate(address).1)),
            _ => Err(Fault),
        }
    }

    /// The data phase of a write. `value` is on all pipelines.
    pub(crate) fn write(
        &mut self,
        slave: Slave,
        address: u32,
        value: u32,
        width: Width,
        now: Cycle,
    ) -> Result<(), Fault> {
        match slave {
            // Writes to ROM are ignored (DS 2.6.1).
            Slave::Rom => Ok(()),
            Slave::Xip => self.xip.write(address, value, width, now, &mut self.memory, &mut self.diagnostics),
            Slave::Apb | Slave::FastPeripherals => {
                self.touch(now);
                self.registers_written = true;
                let mut context =
                    Context { now, clocks: &mut self.clocks, irq: &mut self.irq, diagnostics: &mut self.diagnostics };
                self.peripherals.write(address & !3, value, &mut context).ok_or(Fault)
            }
            slave if slave.is_sram() => {
                self.memory.write_sram(locate(address).1, address, width, value);
                Ok(())
            }
            _ => Err(Fault),
        }
    }

    /// A core reads its I/O port.
    pub(crate) fn read_io(&mut self, core: u8, address: u32, now: Cycle) -> u32 {
        self.touch_if_changed(now, |peripherals, context| {
            peripherals.sio.read(usize::from(core), sio::offset(address), context)
        })
    }

    /// Reads from peripherals at cycle `now`. Most reads change nothing that others have to do with: neither an interrupt
    /// line nor when something is due.
    fn touch_if_changed<T>(&mut self, now: Cycle, read: impl FnOnce(&mut Peripherals, &mut Context<'_>) -> T) -> T {
        let before = (self.irq, self.peripherals.next_event());
        let mut context =
            Context { now, clocks: &mut self.clocks, irq: &mut self.irq, diagnostics: &mut self.diagnostics };
        let value = read(&mut self.peripherals, &mut context);
        if before != (self.irq, self.peripherals.next_event()) {
            self.touch(now);
        }
        value
    }

    /// A core writes its I/O port.
    pub(crate) fn write_io(&mut self, core: u8, address: u32, value: u32, now: Cycle) {
        let offset = sio::offset(address);
        if !Sio::has_no_side_effects(address) {
            self.touch(now);
        }
        if !self.fifo_losses.is_empty()
            && self.peripherals.sio.takes_word(usize::from(core), offset, now)
            && self.fifo_losses.hit(usize::from(core & 1 ^ 1), now)
        {
            return;
        }
        let mut context =
            Context { now, clocks: &mut self.clocks, irq: &mut self.irq, diagnostics: &mut self.diagnostics };
        self.peripherals.sio.write(usize::from(core), offset, value, &mut context);
    }

    /// Something happened at cycle `now` that concerns more than the core that did it.
    #[inline]
    pub(crate) fn touch(&mut self, now: Cycle) {
        self.touched = true;
        self.touched_at = now;
    }

    /// SEV at cycle `now`.
    pub(crate) fn send_event(&mut self, now: Cycle) {
        self.event = Some(now);
        self.touch(now);
    }

    pub(crate) fn ask_host(&mut self, core: u8) {
        self.host_call = Some(core);
        self.touched = true;
    }

    pub(crate) fn stop_at_breakpoint(&mut self, core: u8, pc: u32) {
        self.breakpoint = Some((core, pc));
        self.touched = true;
    }

    pub(crate) fn request_reset(&mut self, core: u8) {
        self.reset = Some(core);
        self.touched = true;
    }

    pub(crate) fn diagnose_private(&mut self, address: u32, what: &'static str, now: Cycle) {
        self.diagnostics.unmodelled("PPB", address, what, now);
    }

    /// A word of memory without side effects; None where there is no memory.
    #[must_use]
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        match locate(address & !3) {
            (Slave::Rom, index) => Some(self.memory.rom[index as usize & 0xfff]),
            (Slave::Xip, _) => Xip::peek(address, &self.memory),
            (slave, index) if slave.is_sram() => Some(self.memory.sram(index)),
            _ => None,
        }
    }

    /// Writes one byte of memory without side effects. False where there is no memory.
    pub fn poke(&mut self, address: u32, value: u8) -> bool {
        let put = |word: &mut u32| *word = merge(*word, address, Width::Byte, u32::from(value));
        match locate(address) {
            (Slave::Rom, index) => put(&mut self.memory.rom[index as usize & 0xfff]),
            (Slave::Xip, _) if address >> 24 == 0x15 => put(&mut self.memory.cache[address as usize >> 2 & 0xfff]),
            (Slave::Xip, _) if address < 0x1400_0000 => {
                let offset = address as usize & 0xff_ffff;
                self.memory.grow_flash(offset + 1);
                self.xip.forget(address);
                self.memory.decoded.forget_flash(offset as u32);
                put(&mut self.memory.flash[offset / 4]);
            }
            (slave, index) if slave.is_sram() => {
                self.memory.write_sram(index, address, Width::Byte, u32::from(value));
            }
            _ => return false,
        }
        true
    }
}

/// All that decides the future, and nothing of what watches a run or is asked of it from outside.
impl Hash for Bus {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self {
            memory,
            xip,
            peripherals,
            clocks,
            irq,
            diagnostics: _,
            watch: _,
            fifo_losses: _,
            last,
            free_at,
            taken_at: _, // means something only within its cycle
            priority,
            // Dealt with before a run ends.
            touched: _,
            touched_at: _,
            registers_written: _,
            event: _,
            host_call: _,
            breakpoint: _,
            reset: _,
            locked_up: _,
        } = self;
        (memory, xip, peripherals, clocks, irq, last, free_at, priority).hash(hasher);
    }
}

/// How long the APB bridge is held.
fn apb_cycles(address: u32, write: bool) -> Cycle {
    if !write {
        return APB_READ;
    }
    // UART0 and 1, SPI0 and 1, I2C0 and 1.
    let interposed = (0x4003_4000..0x4004_c000).contains(&address) && address & 0x3000 != 0;
    if interposed { APB_WRITE + INTERPOSED } else { APB_WRITE }
}
