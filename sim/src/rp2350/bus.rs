//! The bus fabric of the RP2350: six managers, seventeen ports, and the transfers between them, cycle by cycle (DS 2.1).
//!
//! A manager's port takes an address whenever its transfer before is complete; while the downstream port is busy with others, the
//! transfer waits in its data phase. (That arbitration is at the downstream ports and holds addresses there is an assumption.)

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

pub mod arbiter;
pub mod cache;
pub mod content;
mod dma;
mod events;
pub mod monitor;
mod native;
pub mod port;
pub mod qmi;
pub mod stretch;
mod transfer;

use crate::core::access::{Width, merge};
use crate::core::bus::Slave;
use crate::core::diagnostics::Diagnostics;
use crate::core::loss::Losses;
use crate::core::profile::Accessor;
use crate::core::ram::zeroed;
use crate::core::state_hash::hash_words;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::Watchpoints;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::memo::Memo;
use crate::isa::hazard3::ports::{Access, Lines, Reply};
use crate::rp2::clock::Clocks;
use crate::rp2::flash::Surroundings;
use crate::rp2::irq::IrqLines;
use crate::rp2::peripheral::Context;
use crate::rp2350::peripherals::{Peripherals, sio};
use arbiter::{Arbiter, MANAGERS};
use cache::{Cache, Found, LINE};
use content::Content;
use monitor::Monitor;
use native::Native;
use port::{APB, FAST_PERIPHERALS, ROM, SIO, SRAM, SRAM0, SRAM9};
use qmi::{QMI, Qmi};
use std::hash::{Hash, Hasher};
use transfer::{IDLE, NOWHERE, Transfer};

/// Data phase of an APB read or write: "a minimum of three cycles for a read, and four cycles for a write" (DS 2.1.4).
const APB_READ: Cycle = 3;
const APB_WRITE: Cycle = 4;
/// What a write through an atomic alias of UART, SPI or I2C costs more (DS 2.1.3).
const INTERPOSED: Cycle = 2;
/// Data phase of an access that nothing answers: AHB's two-cycle error response.
const ERROR_RESPONSE: Cycle = 2;

/// Ports, a bit each, that serve one access in each cycle: ROM, SRAM and SIO.
const AT_ONCE: u32 = 1 << ROM.0 | ((2 << SRAM9.0) - (1 << SRAM0.0)) | 1 << SIO.0;

/// Words of SRAM.
const SRAM_WORDS: usize = port::SRAM_BYTES as usize / 4;
/// Words of boot ROM.
const ROM_WORDS: usize = port::ROM_BYTES as usize / 4;

const PINS_TAKEN: &str = "in direct mode while code or data are read from flash: the read is a bus error";
const FLASH_BUSY: &str = "asked for code or data while the flash erases or programs: all bits read as 1 (flash-busy)";

/// Upstream ports of the cores.
const PORTS: usize = 4;

/// What resets the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetBy {
    /// Its RUN pin.
    Pin,
    /// The watchdog, whose scratch registers and reason outlast that (DS 12.9.5).
    Watchdog,
}

/// What a core has lost.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// Cycles in which another manager had the port.
    pub conflicts: [Cycle; Slave::COUNT],
    /// Cycles that ports themselves took.
    pub waits: [Cycle; Slave::COUNT],
}

/// Everything that the cores share.
#[derive(Clone, Debug)]
pub struct Fabric {
    rom: Box<[u32; ROM_WORDS]>,
    sram: Box<[u32; SRAM_WORDS]>,
    /// Flash at chip select 0.
    flash: Content,
    arbiter: Arbiter,
    monitor: Monitor,
    cache: Cache,
    /// The interface to flash.
    pub qmi: Qmi,
    /// Of the ports of the cores, then of the two managers of the DMA.
    transfers: [Transfer; MANAGERS],
    /// Those that are not granted, a bit each.
    waiting: u32,
    /// Those that have lost a turn, as far as that is counted.
    contested: u8,
    /// No transfer that takes more than one cycle ends behind this one.
    slow_until: Cycle,
    /// Of both cores.
    memo: Memo,
    native: Native,
    /// Peripherals behind APB and AHB, and SIO.
    pub peripherals: Peripherals,
    /// Rates of the clocks.
    pub clocks: Clocks,
    /// Levels of the interrupt lines.
    pub irq: IrqLines,
    /// What happened at addresses.
    pub watch: Watchpoints,
    /// Diagnostics of firmware.
    pub diagnostics: Diagnostics,
    /// By core.
    pub lost: [Lost; 2],
    /// Words that are lost between the cores, for faults that were asked for.
    pub losses: Losses,
    /// A register was written since the machine looked.
    pub touched: bool,
    /// What the machine hands to cores may have changed since it looked: lines of interrupts, or a reservation.
    pub stirred: bool,
}

impl Default for Fabric {
    fn default() -> Self {
        Self::new()
    }
}

impl Fabric {
    /// At power-on.
    pub fn new() -> Self {
        let mut fabric = Self {
            rom: zeroed(),
            sram: zeroed(),
            flash: Content::default(),
            arbiter: Arbiter::default(),
            monitor: Monitor::default(),
            cache: Cache::default(),
            qmi: Qmi::default(),
            transfers: [Transfer::NONE; MANAGERS],
            waiting: 0,
            contested: 0,
            slow_until: 0,
            memo: Memo::default(),
            native: Native::default(),
            peripherals: Peripherals::new(),
            clocks: Clocks::at_power_on(),
            irq: IrqLines::default(),
            watch: Watchpoints::default(),
            diagnostics: Diagnostics::default(),
            lost: <[Lost; 2]>::default(),
            losses: Losses::default(),
            touched: false,
            stirred: false,
        };
        let (peripherals, mut context) = fabric.peripherals_at(0);
        peripherals.update_clocks(&mut context);
        fabric
    }

    /// The peripherals, and what they may use at cycle `now`.
    pub fn peripherals_at(&mut self, now: Cycle) -> (&mut Peripherals, Context<'_>) {
        let Self { peripherals, clocks, irq, diagnostics, .. } = self;
        (peripherals, Context { now, clocks, irq, diagnostics })
    }

    /// The interface to flash, and what commands to the flash may use.
    fn qmi_and_flash(&mut self) -> (&mut Qmi, Surroundings<'_, Content>) {
        let Self { qmi, flash, clocks, diagnostics, .. } = self;
        (qmi, Surroundings { memory: flash, clocks, diagnostics })
    }

    /// Takes over what registers of peripherals say of the bus.
    pub fn take_settings(&mut self) {
        self.arbiter.set_priorities(self.peripherals.priorities());
    }

    /// Whether neither port of a core has a transfer.
    pub fn is_idle(&self, core: usize) -> bool {
        self.transfers[2 * core].slave == IDLE && self.transfers[2 * core + 1].slave == IDLE
    }

    /// Whether `take_lost_reservation` would say so.
    pub fn has_lost_reservation(&self, core: usize) -> bool {
        self.monitor.has_lost(core)
    }

    /// Puts everything in its state at power-on but time, memories and what is outside.
    pub fn reset(&mut self, now: Cycle, by: ResetBy) {
        let mut old = std::mem::take(self);
        if by == ResetBy::Watchdog {
            std::mem::swap(&mut self.peripherals.watchdog, &mut old.peripherals.watchdog);
        }
        self.keep_memory(&mut old);
        self.qmi.direct.keep_flash(old.qmi.direct);
        self.cache = old.cache;
        let rates = self.clocks.rates();
        old.clocks.set(now, rates);
        (self.clocks, self.diagnostics) = (old.clocks, old.diagnostics);
        (self.lost, self.losses) = (old.lost, old.losses);
        let (peripherals, mut context) = self.peripherals_at(now);
        peripherals.keep_outside(&mut old.peripherals, &mut context);
    }

    /// Takes over what another one's memories hold, and what is watched.
    pub fn keep_memory(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.rom, &mut other.rom);
        std::mem::swap(&mut self.sram, &mut other.sram);
        std::mem::swap(&mut self.flash, &mut other.flash);
        std::mem::swap(&mut self.watch, &mut other.watch);
        // Code knows how much flash there was.
        self.native = Native::default();
    }

    /// Forgets what a core that is being reset has asked for.
    pub fn drop_transfers(&mut self, core: usize) {
        for number in [2 * core, 2 * core + 1] {
            self.transfers[number] = Transfer::NONE;
            self.waiting &= !(1 << number);
        }
    }

    /// Whether a core has lost its reservation since the last call, which unblocks it (DS 3.4).
    pub fn take_lost_reservation(&mut self, core: usize) -> bool {
        self.monitor.take_lost(core)
    }

    /// One cycle of both cores, those that run (`runs`); what each of them has executed: address and encoding.
    pub fn cycle(
        &mut self,
        cores: &mut [Core; 2],
        runs: [bool; 2],
        lines: &[Lines; 2],
        now: Cycle,
    ) -> [Option<(u32, u32)>; 2] {
        if self.memo.is_full() {
            self.settle(cores);
            self.memo.clear();
            self.native = Native::default();
        }
        // Stores, then exclusive stores, then loads: see `Monitor`.
        let first = usize::from(self.turn(3) < self.turn(1));
        let fetched =
            [0, 1].map(|core| if runs[core] { self.reply(2 * core, &cores[core], now) } else { Reply::default() });
        let mut loaded = [Reply::default(); 2];
        for core in [first, 1 - first] {
            if runs[core] {
                loaded[core] = self.reply(2 * core + 1, &cores[core], now);
            }
        }
        let mut executed = [None; 2];
        for number in 0..2 {
            if !runs[number] {
                continue;
            }
            let core = &mut cores[number];
            let pc = core.address(&self.memo);
            let (request, done) = core.cycle(&mut self.memo, &lines[number], fetched[number], loaded[number]);
            executed[number] = done;
            if fetched[number].ready {
                self.transfers[2 * number].fetch(request.fetch);
            }
            if loaded[number].ready {
                self.transfers[2 * number + 1].access(request.access, pc);
            }
        }
        if self.dma_next(now) <= now {
            self.dma_cycle(now);
        }
        self.arbitrate_in_turn(now);
        if self.counts_events() {
            self.count_events(now);
        }
        executed
    }

    /// When a transfer has its turn among those of a cycle.
    fn turn(&self, number: usize) -> u8 {
        let access = self.transfers[number].access;
        if access.writes { u8::from(access.is_exclusive) } else { 2 }
    }

    /// Makes cores know where they are, after cycles.
    pub fn settle(&self, cores: &mut [Core; 2]) {
        for core in cores {
            core.settle(&self.memo);
        }
    }

    /// What a manager's port answers in cycle `now`, with what its transfer does if that is complete.
    fn reply(&mut self, number: usize, core: &Core, now: Cycle) -> Reply {
        let Transfer { access, slave, pc, ends, .. } = self.transfers[number];
        if now < ends {
            return Reply { failed: slave == NOWHERE, ..Reply::default() };
        }
        if slave == IDLE || slave == NOWHERE {
            return Reply { ready: true, failed: slave == NOWHERE, ..Reply::default() };
        }
        self.complete(number, access, pc, core.stored(), now)
    }

    /// Carries out a transfer in the last cycle of its data phase.
    #[inline(never)]
    fn complete(&mut self, number: usize, access: Access, pc: u32, value: u32, now: Cycle) -> Reply {
        let Access { address, width, writes, is_exclusive, machine_mode } = access;
        let core = number / 2;
        let slave = port::of(address).unwrap_or(SIO);
        let is_sram = port::is_sram(slave);
        let mut reply = Reply { ready: true, ..Reply::default() };
        match (writes, is_exclusive, is_sram) {
            (true, false, true) => self.stirred |= self.monitor.store(core, address),
            (true, true, true) => {
                reply.exclusive = self.monitor.store_exclusive(core, address, machine_mode);
                self.stirred = true;
            }
            (false, true, true) => {
                self.monitor.load_exclusive(core, address, machine_mode);
                reply.exclusive = true;
            }
            (false, true, false) => self.monitor.load_elsewhere(core),
            _ => {}
        }
        let is_data = number % 2 == 1;
        if !writes {
            let word = self.read(slave, core, address, now);
            reply.failed = word.is_none();
            reply.word = word.unwrap_or(0);
        } else if !is_exclusive || !is_sram || reply.exclusive {
            self.write(slave, core, address, value, width, now);
        }
        if is_data && self.watch.may_watch_access(address) {
            let shown = if writes { value } else { reply.word >> (8 * (address & 3)) };
            let bits = 8 * width.bytes();
            let shown = if bits == 32 { shown } else { shown & ((1 << bits) - 1) };
            let by = Accessor { core: core as u8, pc, sp: 0, in_handler: false, in_task: false };
            _ = self.watch.record_access(now, by, address, width.bytes(), writes, shown);
        }
        reply
    }

    /// Grants ports to transfers that wait for them.
    #[inline(never)]
    fn arbitrate_in_turn(&mut self, now: Cycle) {
        let mut asking = 0_u8;
        for (number, transfer) in self.transfers.iter_mut().enumerate().filter(|(_, transfer)| transfer.ends == NEVER) {
            match transfer.slave {
                NOWHERE => transfer.ends = now + ERROR_RESPONSE,
                SIO => transfer.ends = now + 1,
                _ => asking |= 1 << number,
            }
        }
        self.waiting = 0;
        while asking != 0 {
            let port = self.transfers[asking.trailing_zeros() as usize % MANAGERS].slave;
            let of_port = |number: usize| u8::from(self.transfers[number].slave == port) << number;
            let together = asking & (0..MANAGERS).map(of_port).sum::<u8>();
            asking &= !together;
            self.waiting |= self.grant(port.number(), together, now);
        }
    }

    /// Grants a port to one of the managers in the set `asking`. Those that still wait.
    fn grant(&mut self, port: usize, asking: u8, now: Cycle) -> u32 {
        let mut waiting = asking;
        if self.arbiter.is_free(port, now) {
            let first = self.arbiter.next(port, asking);
            let access = self.transfers[first].access;
            let cycles = if self.qmi.direct.has_pins() && self.needs_pins(Slave(port as u8), access) {
                self.diagnostics.misuse(QMI.name, 0, PINS_TAKEN, now);
                self.transfers[first].slave = NOWHERE;
                ERROR_RESPONSE
            } else {
                self.data_phase(access, Slave(port as u8), now)
            };
            self.arbiter.hold(Slave(port as u8), first, now, cycles);
            self.transfers[first].ends = now + cycles;
            if let Some(lost) = self.lost.get_mut(first / 2) {
                lost.waits[port] += cycles - 1;
            }
            if cycles > 1 {
                self.slow_until = self.slow_until.max(now + cycles);
            }
            waiting &= !(1 << first);
        }
        for number in (0..PORTS).filter(|number| waiting >> number & 1 != 0) {
            self.lost[number / 2].conflicts[port] += 1;
        }
        u32::from(waiting)
    }

    /// Whether an access goes to external memory, and not only to its cache.
    fn needs_pins(&self, slave: Slave, Access { address, .. }: Access) -> bool {
        port::is_external(slave) && window(address) != MAINTENANCE && !self.is_cached(address)
    }

    /// Cycles of the data phase of an access that is granted in cycle `now`.
    fn data_phase(&mut self, access: Access, slave: Slave, now: Cycle) -> Cycle {
        let Access { address, writes, .. } = access;
        match slave {
            APB if writes => APB_WRITE + if is_interposed(address) { INTERPOSED } else { 0 },
            APB => APB_READ,
            slave if port::is_external(slave) => self.external(access, now),
            _ => 1,
        }
    }

    /// Cycles of an access to external memory.
    fn external(&mut self, access: Access, now: Cycle) -> Cycle {
        let Access { address, width, writes, .. } = access;
        let window = window(address);
        if window == MAINTENANCE || writes {
            return 1;
        }
        // What a busy flash answers is not kept.
        if !self.qmi.direct.is_at_rest() && !self.is_cached(address) && self.qmi.direct.flash_works(now, &self.clocks) {
            return self.qmi.read(address, width.bytes(), now) - now;
        }
        let until = if window == CACHED {
            match self.cache.access(address) {
                Found::Line => return 1,
                Found::Fetched => self.qmi.read(address & !(LINE - 1), LINE, now),
                Found::Uncached => self.qmi.read(address, width.bytes(), now),
            }
        } else {
            self.qmi.read(address, width.bytes(), now)
        };
        until - now
    }

    /// Whether the cache has a word, in a window that looks there.
    fn is_cached(&self, address: u32) -> bool {
        window(address) == CACHED && self.cache.holds(address)
    }

    fn read(&mut self, slave: Slave, core: usize, address: u32, now: Cycle) -> Option<u32> {
        if slave == SIO
            && let Some(value) = self.peripherals.sio.look_at(core, sio::offset(address), now)
        {
            return Some(value);
        }
        self.stirred |= slave.0 >= FAST_PERIPHERALS.0;
        match slave {
            APB if qmi::has(address) => {
                let (qmi, mut around) = self.qmi_and_flash();
                Some(qmi.read_register(address, now, &mut around))
            }
            SIO => {
                let (peripherals, mut context) = self.peripherals_at(now);
                Some(peripherals.sio.read(core, sio::offset(address), &mut context))
            }
            APB | FAST_PERIPHERALS => {
                self.touched = true;
                let (peripherals, mut context) = self.peripherals_at(now);
                let value = peripherals.read(address & !3, &mut context);
                if value.is_none() {
                    self.note_unmodelled(address, "read of", now);
                }
                Some(value.unwrap_or(0))
            }
            slave if port::is_external(slave) && !self.qmi.direct.is_at_rest() => self.read_disturbed(address, now),
            _ => self.peek_memory(address),
        }
    }

    /// A read of external memory while flash may erase or program.
    #[cold]
    fn read_disturbed(&mut self, address: u32, now: Cycle) -> Option<u32> {
        if self.is_cached(address) {
            return self.peek_memory(address);
        }
        if self.qmi.direct.flash_works(now, &self.clocks) {
            self.diagnostics.misuse(QMI.name, 0, FLASH_BUSY, now);
            return Some(u32::MAX);
        }
        self.peek_memory(address)
    }

    fn write(&mut self, slave: Slave, core: usize, address: u32, value: u32, width: Width, now: Cycle) {
        self.stirred |= slave.0 >= FAST_PERIPHERALS.0;
        match slave {
            APB if qmi::has(address) => {
                let value = if address >> 14 & 1 == 0 { value } else { merge(0, address, width, value) };
                let (qmi, mut around) = self.qmi_and_flash();
                qmi.write_register(address, value, now, &mut around);
            }
            SIO => {
                let offset = sio::offset(address);
                if !self.losses.is_empty()
                    && self.peripherals.sio.takes_word(core, offset, now)
                    && self.losses.loses_next(core ^ 1, now)
                {
                    return;
                }
                let (peripherals, mut context) = self.peripherals_at(now);
                peripherals.sio.write(core, offset, value, &mut context);
                if sio::Sio::is_output(offset) {
                    peripherals.follow_pins(now);
                }
            }
            APB | FAST_PERIPHERALS => {
                self.touched = true;
                let (peripherals, mut context) = self.peripherals_at(now);
                if peripherals.write(address, width, value, &mut context).is_none() {
                    self.note_unmodelled(address, "write to", now);
                }
            }
            ROM => {
                let what = "written to, which is ignored: the program may have used a null pointer";
                self.diagnostics.misuse("ROM", address & (port::ROM_BYTES - 1), what, now);
            }
            slave if port::is_sram(slave) => {
                let word = &mut self.sram[(address - SRAM) as usize / 4];
                *word = merge(*word, address, width, value);
            }
            _ => match window(address) {
                MAINTENANCE => self.cache.maintain(address),
                CACHED => match self.cache.peek_place(address) {
                    Some(place) => {
                        let word = self.cache.word_mut(place);
                        *word = merge(*word, address, width, value);
                    }
                    None => self.diagnostics.misuse(
                        "XIP",
                        address & 0x1ff_ffff,
                        "written to: the model has no writes to external memory",
                        now,
                    ),
                },
                _ => self.diagnostics.misuse(
                    "XIP",
                    address & 0x1ff_ffff,
                    "written to: the model has no writes to external memory",
                    now,
                ),
            },
        }
    }

    /// Notes an access to a block that the chip has and that is not modelled: it reads as 0.
    fn note_unmodelled(&mut self, address: u32, what: &'static str, now: Cycle) {
        self.diagnostics.unmodelled("peripherals", address & 0x1fff_fffc, what, now);
    }

    /// A word of memory without side effects; None where there is no memory.
    pub fn peek_memory(&self, address: u32) -> Option<u32> {
        let slave = port::of(address)?;
        Some(match slave {
            ROM => self.rom[address as usize / 4 % ROM_WORDS],
            slave if port::is_sram(slave) => self.sram[(address - SRAM) as usize / 4],
            APB | FAST_PERIPHERALS | SIO => return None,
            _ => match self.cache.peek(address).filter(|_| window(address) == CACHED) {
                Some(word) => word,
                None if address & 0x3ff_ffff < content::LIMIT as u32 => self.flash.word(address),
                None => u32::MAX,
            },
        })
    }

    /// Writes one byte of memory without side effects. False where there is no memory.
    pub fn poke(&mut self, address: u32, value: u8) -> bool {
        let word = match port::of(address) {
            Some(ROM) => &mut self.rom[address as usize / 4 % ROM_WORDS],
            Some(slave) if port::is_sram(slave) => &mut self.sram[(address - SRAM) as usize / 4],
            Some(slave) if slave.0 < 3 && address & 0x0fff_ffff < content::LIMIT as u32 => self.flash.word_mut(address),
            _ => return false,
        };
        *word = merge(*word, address, Width::Byte, u32::from(value));
        true
    }
}

/// Windows of external memory (DS 4.4.1).
const CACHED: u32 = 0;
const MAINTENANCE: u32 = 2;

fn window(address: u32) -> u32 {
    (address >> 26) & 3
}

/// Whether a write is made by an interposer: through an alias of UART, SPI or I2C (DS 2.1.3).
fn is_interposed(address: u32) -> bool {
    (0x4007_0000..0x400a_0000).contains(&address) && address & 0x3000 != 0
}

/// All that decides the future.
impl Hash for Fabric {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self {
            rom,
            sram,
            flash,
            arbiter,
            monitor,
            cache,
            qmi,
            transfers,
            waiting: _,
            contested,
            slow_until: _,
            memo: _,
            native: _,
            peripherals,
            clocks,
            irq,
            watch: _,
            diagnostics: _,
            lost: _,
            losses: _,
            touched: _,
            stirred: _,
        } = self;
        for words in [&rom[..], &sram[..], flash.words()] {
            hash_words(words, hasher);
        }
        (arbiter, monitor, cache, qmi, transfers, contested, peripherals, clocks, irq).hash(hasher);
    }
}
