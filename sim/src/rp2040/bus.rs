//! The bus fabric: which address is behind which slave, what an access costs, who comes first (DS 2.1, 2.2).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

pub(crate) mod dma_masters;
pub mod memory;
pub mod slave;
pub mod ssi;
mod stream;
pub mod xip;

use crate::core::access::{Width, merge, replicate};
use crate::core::bus::{Access, Bus, Fabric, Fault, Slave};
use crate::core::loss::Losses;
use crate::core::time::{Cycle, Ticks};
use crate::engine::access_tags::{AccessTags, WATCHED};
use crate::engine::cpu::Request;
use crate::engine::fast_bus::{FastBus, MemoryLayout, OTHER_MASTERS, StaleCode};
use crate::rp2::clock::Clocks;
use crate::rp2::flash::Surroundings;
use crate::rp2::irq::IrqLines;
use crate::rp2::usb;
use crate::rp2040::peripherals::io_bank;
use crate::rp2040::peripherals::sio::{self, SharedState, Sio};
use crate::rp2040::peripherals::{Context, Peripherals};
use dma_masters::DmaMasters;
use memory::{Memory, SRAM_WORDS};
use slave::{APB, FAST_PERIPHERALS, ROM, SRAM0, SRAM4, SRAM5, XIP};
use std::hash::{Hash, Hasher};
use xip::{FLASH, XIP_CTRL, XIP_SSI, Xip};

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
const SRAM_BYTES: u32 = 4 * SRAM_WORDS as u32;

/// Slave and index of the word of an address in SRAM; None if it is elsewhere.
#[inline(always)]
pub(crate) fn locate_sram(address: u32) -> Option<(Slave, u32)> {
    let offset = address.wrapping_sub(0x2000_0000);
    if offset < 0x4_0000 {
        // Bits 3:2 choose one of the four large banks: table 153.
        return Some((Slave(SRAM0.0 + (offset >> 2 & 3) as u8), offset >> 2));
    }
    if offset < SRAM_BYTES {
        return Some((if offset < 0x4_1000 { SRAM4 } else { SRAM5 }, offset >> 2));
    }
    let offset = address.wrapping_sub(0x2100_0000);
    // The large banks one after the other.
    (offset < 0x4_0000)
        .then_some((Slave(SRAM0.0 + (offset >> 16 & 3) as u8), (offset >> 2 & 0x3fff) << 2 | offset >> 16))
}

/// Which slave an address belongs to, and for SRAM the index of its word (DS 2.2, 2.6.2).
#[inline(always)]
pub fn locate(address: u32) -> (Slave, u32) {
    locate_sram(address).unwrap_or_else(|| locate_elsewhere(address))
}

#[inline(never)]
fn locate_elsewhere(address: u32) -> (Slave, u32) {
    let offset = address & 0x0fff_ffff;
    match address >> 28 {
        0 if offset < 0x4000 => (ROM, offset >> 2),
        1 if offset < 0x600_0000 || offset >> 24 == 8 => (XIP, 0),
        4 if offset < 0x7_0000 => (APB, 0),
        5 if offset < 0x50_0000 => (FAST_PERIPHERALS, 0),
        0xd => (Slave::IO, 0),
        0xe => (Slave::PRIVATE, 0),
        _ => (Slave::NONE, 0),
    }
}

/// Everything that the cores share.
#[derive(Clone, Debug)]
pub struct Crossbar {
    /// Arbiters, watchpoints, diagnostics. Masters are cores 0 and 1, DMA read, DMA write (DS 2.1.1.1).
    pub fabric: Fabric,
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
    /// Words that are lost between the cores, for faults that were asked for.
    pub(crate) fifo_losses: Losses,
    /// The masters of the DMA.
    pub(crate) dma: DmaMasters,
}

impl Crossbar {
    pub(crate) fn new() -> Self {
        Self {
            fabric: Fabric::default(),
            memory: Memory::new(),
            xip: Xip::new(),
            peripherals: Peripherals::new(),
            clocks: Clocks::at_power_on(),
            irq: IrqLines::default(),
            fifo_losses: Losses::default(),
            dma: DmaMasters::default(),
        }
    }

    /// Whether cores must tell of every access.
    pub(crate) fn is_watched(&self) -> bool {
        self.fabric.watch.in_use() || self.peripherals.busctrl.counts()
    }

    /// Whether nobody wants to know more of the cores than what they do at certain addresses.
    pub(crate) fn lets_cores_run_apart(&self) -> bool {
        // The fast path reads flash, registers behind the bridge and SIO without a look at who watches them.
        self.fabric.watch.concerns_addresses(&[1, 4, 5, 0xd]) && !self.peripherals.busctrl.counts()
    }

    /// Whether all that anybody wants to know of the cores is what a profile is told.
    pub(crate) fn is_only_profiled(&self) -> bool {
        self.fabric.watch.is_only_profiled() && !self.peripherals.busctrl.counts()
    }

    /// The peripherals, and what they may use at cycle `now`.
    pub(crate) fn peripherals_at(&mut self, now: Cycle) -> (&mut Peripherals, Context<'_>) {
        let Self { fabric, peripherals, clocks, irq, .. } = self;
        (peripherals, Context { now, clocks, irq, diagnostics: &mut fabric.diagnostics })
    }

    /// The flash interface, and what commands to the flash may use.
    fn xip_and_flash(&mut self) -> (&mut Xip, Surroundings<'_, Memory>) {
        let Self { fabric, memory, xip, clocks, .. } = self;
        (xip, Surroundings { memory, clocks, diagnostics: &mut fabric.diagnostics })
    }

    /// Passes on to the flash whether its chip select pin is forced high or low.
    fn select_flash(&mut self, now: Cycle) {
        let forced = self.peripherals.io_qspi.forced(io_bank::QSPI_SS).map(|level| !level);
        let (xip, mut around) = self.xip_and_flash();
        xip.ssi.force_select(forced, now, &mut around);
    }

    /// Reads from peripherals at cycle `now`. Most reads change nothing that others have to do with: neither an interrupt
    /// line nor when something is due.
    fn touch_if_changed<T>(&mut self, now: Cycle, read: impl FnOnce(&mut Peripherals, &mut Context<'_>) -> T) -> T {
        let before = (self.irq, self.peripherals.next_event());
        let (peripherals, mut context) = self.peripherals_at(now);
        let value = read(peripherals, &mut context);
        if before != (self.irq, self.peripherals.next_event()) {
            self.fabric.requests.touch(now);
        }
        value
    }

    /// Writes one byte of memory without side effects. False where there is no memory.
    pub fn poke(&mut self, address: u32, value: u8) -> bool {
        let put = |word: &mut u32| *word = merge(*word, address, Width::Byte, u32::from(value));
        match locate(address) {
            (ROM, index) => put(&mut self.memory.rom[index as usize & 0xfff]),
            (XIP, _) if address >> 24 == 0x15 => put(&mut self.memory.cache[address as usize >> 2 & 0xfff]),
            (XIP, _) if address < 0x1400_0000 => {
                let offset = address as usize & 0xff_ffff;
                self.memory.grow_flash(offset + 1);
                self.xip.forget(address);
                self.memory.stale_code.note_flash(offset as u32);
                put(&mut self.memory.flash[offset / 4]);
            }
            (slave, index) if slave::is_sram(slave) => {
                self.memory.store_sram(index, address, Width::Byte, u32::from(value));
            }
            _ => return false,
        }
        true
    }
}

impl Bus for Crossbar {
    #[inline(always)]
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    #[inline(always)]
    fn fabric_mut(&mut self) -> &mut Fabric {
        &mut self.fabric
    }

    #[inline(always)]
    fn locate(address: u32) -> (Slave, u32) {
        locate(address)
    }

    #[inline(always)]
    fn is_ram(slave: Slave) -> bool {
        slave::is_sram(slave)
    }

    fn holds_code(slave: Slave, address: u32) -> bool {
        slave::holds_code(slave, address)
    }

    fn is_bridge(slave: Slave) -> bool {
        slave == APB
    }

    fn is_cached(slave: Slave, address: u32) -> bool {
        slave == XIP && address >> 24 == 0x10
    }

    fn unwatch(&mut self, address: u32) {
        if let Some((_, index)) = locate_sram(address) {
            *self.memory.tags.of(index) &= !WATCHED;
        }
    }

    fn is_cache_filled(&self, now: Cycle) -> bool {
        self.xip.ssi.serves_xip(now, &self.clocks)
    }

    fn line_replaced_for(&self, address: u32) -> Option<u32> {
        if Self::is_cached(XIP, address) { self.xip.line_replaced_for(address) } else { None }
    }

    fn has_read_side_effect(address: u32) -> bool {
        Peripherals::has_read_side_effect(address)
    }

    #[inline(always)]
    fn at_once(&self, address: u32, write: bool, now: Cycle) -> Option<(Slave, u32)> {
        let place = locate_sram(address);
        if place.is_some() || write || now < self.fabric.arbiter.free_at[XIP.number()] {
            return place;
        }
        self.xip.holds(address, now).map(|way| (XIP, way))
    }

    #[inline(always)]
    fn read_at_once(&mut self, slave: Slave, address: u32, place: u32) -> u32 {
        if slave != XIP {
            return self.memory.sram(place);
        }
        self.xip.hit(address, place);
        self.memory.flash(address & 0xff_ffff)
    }

    #[inline(always)]
    fn read_ram(&self, index: u32) -> u32 {
        self.memory.sram(index)
    }

    #[inline(always)]
    fn store_ram(&mut self, index: u32, address: u32, width: Width, value: u32) {
        self.memory.store_sram(index, address, width, value);
    }

    fn begin(&mut self, master: u8, slave: Slave, address: u32, write: bool, now: Cycle) -> Access {
        if self.fabric.watch.is_apart(address) {
            return Access::Takes(1);
        }
        if let Some(free_at) = self.fabric.arbiter.wait_for(master, slave, now) {
            return Access::Busy(free_at);
        }
        let cycles = match slave {
            XIP => self.begin_xip(address, write, now),
            APB => apb_cycles(address, write),
            Slave::NONE => ERROR_RESPONSE,
            _ => 1,
        };
        self.fabric.arbiter.hold(slave, now, cycles);
        Access::Takes(cycles)
    }

    fn read(&mut self, slave: Slave, address: u32, now: Cycle) -> Result<u32, Fault> {
        match slave {
            ROM => Ok(self.memory.rom[address as usize >> 2 & 0xfff]),
            XIP => {
                let (xip, mut around) = self.xip_and_flash();
                let value = xip.read(address, now, &mut around);
                match address >> 24 {
                    XIP_CTRL => self.read_stream(address & 0xfc, value, now),
                    XIP_SSI => Ok(self.read_bulk(address & 0xfc, value?, now)),
                    _ => value,
                }
            }
            FAST_PERIPHERALS if stream::is_fifo(address) => Ok(self.take_streamed(now)),
            APB | FAST_PERIPHERALS => {
                self.fabric.count_register_read();
                if Peripherals::has_read_side_effect(address) {
                    self.fabric.requests.touch(now);
                }
                self.touch_if_changed(now, |peripherals, context| peripherals.read(address & !3, context)).ok_or(Fault)
            }
            slave if slave::is_sram(slave) => Ok(self.memory.sram(locate(address).1)),
            _ => Err(Fault),
        }
    }

    fn write(&mut self, slave: Slave, address: u32, value: u32, width: Width, now: Cycle) -> Result<(), Fault> {
        match slave {
            // Writes to ROM are ignored (DS 2.6.1).
            ROM => {
                let what = "written to, which is ignored: the program may have used a null pointer";
                self.fabric.diagnostics.misuse("ROM", address & 0x3fff, what, now);
                Ok(())
            }
            XIP => {
                match address >> 24 {
                    XIP_CTRL => self.write_stream(address, value, now),
                    XIP_SSI if self.write_bulk(address, value, now) => return Ok(()),
                    _ => {}
                }
                let (xip, mut around) = self.xip_and_flash();
                xip.write(address, value, width, now, &mut around)
            }
            APB | FAST_PERIPHERALS => {
                if !self.peripherals.takes_quietly(address) {
                    self.fabric.requests.touch(now);
                    self.fabric.requests.registers_written = true;
                }
                let (peripherals, mut context) = self.peripherals_at(now);
                let place = if usb::is_dpram(address) { address } else { address & !3 };
                let written = peripherals.write_lanes(place, width, value, &mut context).ok_or(Fault);
                if Peripherals::may_move_qspi_pins(address) {
                    self.select_flash(now);
                }
                written
            }
            slave if slave::is_sram(slave) => {
                self.memory.store_sram(locate(address).1, address, width, value);
                Ok(())
            }
            _ => Err(Fault),
        }
    }

    fn read_io(&mut self, core: u8, address: u32, now: Cycle) -> u32 {
        self.fabric.count_register_read();
        let offset = sio::offset(address);
        if Sio::is_input(offset) {
            self.peripherals.update_gpio_in(now);
        }
        self.touch_if_changed(now, |peripherals, context| peripherals.sio.read(usize::from(core), offset, context))
    }

    fn write_io(&mut self, core: u8, address: u32, value: u32, now: Cycle) {
        let offset = sio::offset(address);
        if !self.is_event_free_io(address) {
            self.fabric.requests.touch(now);
        }
        if !self.fifo_losses.is_empty()
            && self.peripherals.sio.takes_word(usize::from(core), offset, now)
            && self.fifo_losses.loses_next(usize::from(core & 1 ^ 1), now)
        {
            return;
        }
        let (peripherals, mut context) = self.peripherals_at(now);
        peripherals.sio.write(usize::from(core), offset, value, &mut context);
        if Sio::is_output(offset) {
            peripherals.update_sio_pins(&mut context);
        }
    }

    fn note_narrow_io(&mut self, address: u32, now: Cycle) {
        self.fabric.diagnostics.misuse(
            "SIO",
            address & 0xffc,
            "a narrow write fills all lanes of the register (2.1.4)",
            now,
        );
    }

    fn peek_word(&self, address: u32) -> Option<u32> {
        match locate(address & !3) {
            (ROM, index) => Some(self.memory.rom[index as usize & 0xfff]),
            (XIP, _) => Xip::peek(address, &self.memory),
            (slave, index) if slave::is_sram(slave) => Some(self.memory.sram(index)),
            _ => None,
        }
    }

    fn reference_ticks(&self) -> &Ticks {
        self.peripherals.reference_ticks()
    }

    #[inline]
    fn counts(&self) -> bool {
        self.peripherals.busctrl.counts()
    }

    fn count(&mut self, slave: Slave, contested: bool) {
        if let Some(port) = slave::port(slave) {
            self.peripherals.busctrl.count_access(port, contested);
        }
    }
}

impl FastBus for Crossbar {
    const MEMORY: MemoryLayout = MemoryLayout {
        ram: 0x2000_0000,
        ram_bytes: SRAM_BYTES,
        striped_bytes: 0x4_0000,
        bank_bytes: 0x1000,
        first_bank: SRAM0,
        unstriped: 0x2100_0000,
        flash: FLASH,
        flash_slave: XIP,
    };
    type Cache = Xip;
    type SharedIo = SharedState;

    #[inline(always)]
    fn locate_ram(address: u32) -> Option<(Slave, u32)> {
        locate_sram(address)
    }

    #[inline(always)]
    fn write_ram(&mut self, index: u32, address: u32, width: Width, value: u32) -> u32 {
        self.memory.sram.write(index, address, width, value)
    }

    fn ram_address(&mut self) -> usize {
        self.memory.sram.address()
    }

    #[inline(always)]
    fn flash(&self) -> &[u32] {
        &self.memory.flash
    }

    #[inline(always)]
    fn tags(&mut self) -> &mut AccessTags {
        &mut self.memory.tags
    }

    #[inline(always)]
    fn stale_code(&mut self) -> &mut StaleCode {
        &mut self.memory.stale_code
    }

    #[inline(always)]
    fn cache(&self) -> &Xip {
        &self.xip
    }

    #[inline(always)]
    fn cache_mut(&mut self) -> &mut Xip {
        &mut self.xip
    }

    fn is_flash_ready(&self, now: Cycle) -> bool {
        now >= self.fabric.arbiter.free_at[XIP.number()] && self.xip.is_ready(now)
    }

    #[inline(always)]
    fn is_io(address: u32) -> bool {
        address >> 28 == 0xd
    }

    #[inline(always)]
    fn register_port(address: u32) -> Option<(Slave, u32)> {
        match address >> 28 {
            4 => Some((APB, APB_READ as u32)),
            5 => Some((FAST_PERIPHERALS, 1)),
            _ => None,
        }
    }

    fn is_event_free_io(&self, address: u32) -> bool {
        if self.fabric.watch.is_told_at_once(address) {
            return false;
        }
        let offset = sio::offset(address);
        let is_output = Sio::is_output(offset) && self.peripherals.nobody_follows_sio() || Sio::is_high_output(offset);
        Self::is_io(address) && (is_output || Sio::effects_stay_in_sio(offset))
    }

    fn is_timeless_io(address: u32) -> bool {
        let offset = sio::offset(address);
        Self::is_io(address) && (Sio::is_output(offset) || Sio::is_high_output(offset) || Sio::is_spinlock(offset))
    }

    fn shared_io(address: u32) -> u64 {
        match address >> 28 {
            0xd => Sio::shared(sio::offset(address)),
            4 | 5 if Peripherals::has_to_do_with_pins(address) => sio::PINS,
            _ => 0,
        }
    }

    fn shared_io_state(&self) -> SharedState {
        self.peripherals.sio.shared_state()
    }

    fn restore_io(&mut self, state: &SharedState, shared: u64) {
        self.peripherals.sio.restore(state, shared);
    }

    fn read_stable_io(&self, core: u8, address: u32) -> Option<u32> {
        let offset = sio::offset(address);
        if Sio::is_input(offset) && self.peripherals.has_pins_that_move() || self.fabric.watch.is_told_at_once(address)
        {
            return None;
        }
        self.peripherals.sio.stable_value(usize::from(core), offset)
    }

    fn read_event_free_io(&mut self, core: u8, address: u32, now: Cycle) -> u32 {
        let (peripherals, mut context) = self.peripherals_at(now);
        peripherals.sio.read(usize::from(core), sio::offset(address), &mut context)
    }

    fn write_event_free_io(&mut self, core: u8, address: u32, value: u32, now: Cycle) {
        let (peripherals, mut context) = self.peripherals_at(now);
        peripherals.sio.write(usize::from(core), sio::offset(address), value, &mut context);
    }

    fn may_read_registers(&self, first: u32, count: u32, now: Cycle) -> bool {
        let Some((port, cycles)) = Self::register_port(first) else { return false };
        let end = now + Cycle::from(cycles * count);
        let mut all = (first..).step_by(4).take(count as usize);
        first.is_multiple_of(4)
            && now >= self.fabric.arbiter.free_at[port.number()]
            && self.peripherals.next_event() >= end
            && all.all(Peripherals::reads_quietly)
    }

    fn may_peek_register(address: u32) -> bool {
        Peripherals::is_modelled(address) && Peripherals::can_be_peeked(address)
    }

    fn peek_register(&self, address: u32, at: Cycle) -> u32 {
        self.peripherals.peek(address, at, &self.clocks)
    }

    fn register_stays_until(&self, address: u32, at: Cycle) -> Cycle {
        self.peripherals.stays_until(address, at)
    }

    fn next_register_event(&self) -> Cycle {
        self.peripherals.next_event()
    }

    fn must_catch_up(address: u32) -> bool {
        Peripherals::stays_behind(address)
    }

    fn catch_up_register(&mut self, address: u32, at: Cycle) {
        let (peripherals, mut context) = self.peripherals_at(at);
        peripherals.read(address, &mut context);
    }

    fn may_write_register(address: u32) -> bool {
        address >> 28 == 5 && Peripherals::may_take_quietly(address)
    }

    fn write_register(&mut self, address: u32, width: Width, value: u32, now: Cycle) -> Option<Slave> {
        let before = (self.irq, self.peripherals.next_event());
        let may = address >> 28 == 5 && now >= self.fabric.arbiter.free_at[FAST_PERIPHERALS.number()] && before.1 > now;
        let (peripherals, mut context) = self.peripherals_at(now);
        if !may || !peripherals.write_quietly(address, replicate(value, width), &mut context) {
            return None;
        }
        self.fabric.arbiter.hold(FAST_PERIPHERALS, now, 1);
        debug_assert!(
            before == (self.irq, self.peripherals.next_event()),
            "a write to {address:#x} that others hear of"
        );
        Some(FAST_PERIPHERALS)
    }

    fn read_register(&mut self, address: u32, now: Cycle) -> Option<u32> {
        self.fabric.count_register_read();
        let (port, cycles) = Self::register_port(address)?;
        let cycles = Cycle::from(cycles);
        self.fabric.arbiter.hold(port, now, cycles);
        let before = self.irq;
        let (peripherals, mut context) = self.peripherals_at(now + (cycles - 1));
        let value = peripherals.read(address, &mut context);
        debug_assert!(self.irq == before, "a read from {address:#x} that others must hear of");
        value
    }

    fn next_transfer(&mut self, now: Cycle) -> Cycle {
        self.next_quiet_transfer(now)
    }

    fn next_transfer_after(&mut self, made: [bool; OTHER_MASTERS], now: Cycle) -> Cycle {
        self.next_quiet_transfer_after(made, now)
    }

    fn transfers_stay_in_ram(&self) -> bool {
        self.peripherals.dma.paces_itself_in(|address| locate_sram(address).is_some())
    }

    #[inline(always)]
    fn transfers(&mut self, now: Cycle) -> Option<[Option<Request>; OTHER_MASTERS]> {
        self.quiet_transfers(now)
    }

    fn make_transfer(&mut self, master: usize, now: Cycle) {
        self.make_quiet_transfer(master, now);
    }

    fn end_transfers(&mut self, now: Cycle) {
        self.note_quiet_request(now);
        self.fabric.requests.touch(now);
    }

    fn put_off_transfer(&mut self, master: usize) {
        self.put_off_quiet_transfer(master);
    }
}

/// All that decides the future, and nothing of what watches a run or is asked of it from outside.
impl Hash for Crossbar {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // The machine adds its DMA masters.
        let Self { fabric, memory, xip, peripherals, clocks, irq, fifo_losses: _, dma: _ } = self;
        let arbiter = &fabric.arbiter;
        (memory, xip, peripherals, clocks, irq, arbiter.last, arbiter.free_at, arbiter.priority).hash(hasher);
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
