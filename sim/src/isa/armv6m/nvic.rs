//! Interrupt controller and system control block: state, priorities, registers (ARMv6-M B3.2, B3.4; DS 2.4.8).

use crate::core::bits::set_bits;
use crate::core::bus::{Bus, Fault};
use crate::core::cortex_m::{HARD_FAULT, IRQ0, NMI, PEND_SV, SV_CALL, SYS_TICK};
use crate::core::time::{Cycle, NEVER};
use crate::isa::armv6m::Core;

/// Exceptions have numbers below this: 16 of the system and 32 interrupts.
const COUNT: usize = 48;
/// Exceptions that cannot be disabled.
const ALWAYS: u64 = 1 << NMI | 1 << HARD_FAULT | 1 << SV_CALL | 1 << PEND_SV | 1 << SYS_TICK;
/// Priority of a thread: after all four levels of the 2-bit field.
const THREAD: i8 = 4;
/// Registers of the memory protection unit (ARMv6-M B3.5): `MPU_TYPE`, `MPU_CTRL`, then `MPU_RNR`, `MPU_RBAR`, `MPU_RASR`.
const MPU_TYPE: u32 = 0xed90;
const MPU_CTRL: u32 = 0xed94;
const MPU_LAST: u32 = 0xeda0;
/// Regions that the chip's MPU has (DS 2.4.6.1), and that `MPU_TYPE.DREGION` tells of (B3.5). None is modelled.
const MPU_REGIONS: u32 = 8;
/// What a program is told that turns it on.
const MPU_IGNORED: &str = "MPU_CTRL.ENABLE is ignored, and no access is refused";

/// One core's interrupt controller.
#[derive(Clone, Debug, Hash)]
pub struct Nvic {
    pub(crate) lines: u32,
    pending: u64,
    enabled: u64,
    active: u64,
    /// When each exception became pending.
    since: [Cycle; COUNT],
    level: [u8; COUNT],
    /// Interrupt lines that raise NMI (SYSCFG `PROCn_NMI_MASK`).
    pub(crate) nmi_mask: u32,
    pub(crate) vtor: u32,
    pub(crate) sleep_on_exit: bool,
    pub(crate) deep_sleep: bool,
    pub(crate) send_event_on_pend: bool,
}

impl Nvic {
    pub(crate) fn new() -> Self {
        Self {
            lines: 0,
            pending: 0,
            enabled: ALWAYS,
            active: 0,
            since: [0; COUNT],
            level: [0; COUNT],
            nmi_mask: 0,
            vtor: 0,
            sleep_on_exit: false,
            deep_sleep: false,
            send_event_on_pend: false,
        }
    }

    pub(crate) fn priority(&self, exception: u8) -> i8 {
        match exception {
            NMI => -2,
            HARD_FAULT => -1,
            other => self.level[other as usize % COUNT] as i8,
        }
    }

    /// Most urgent priority of all active exceptions.
    pub(crate) fn active_priority(&self) -> i8 {
        set_bits(self.active).map(|exception| self.priority(exception)).min().unwrap_or(THREAD)
    }

    pub(crate) fn active_count(&self) -> u32 {
        self.active.count_ones()
    }

    /// Whether anything from outside could wake a core that executes at priority `below`.
    pub(crate) fn has_enabled_source(&self, below: i8) -> bool {
        let enabled = set_bits(self.enabled & !ALWAYS).any(|exception| self.priority(exception) < below);
        enabled || self.nmi_mask != 0 || self.send_event_on_pend
    }

    /// Whether anything is pending that is enabled.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending & self.enabled != 0
    }

    fn candidates(&self, below: i8) -> impl Iterator<Item = u8> + '_ {
        set_bits(self.pending & self.enabled).filter(move |&exception| self.priority(exception) < below)
    }

    /// When the first exception that may interrupt priority `below` became pending; `NEVER` if there is none.
    pub(crate) fn first_due(&self, below: i8) -> Cycle {
        self.candidates(below).map(|exception| self.since[exception as usize]).min().unwrap_or(NEVER)
    }

    /// The most urgent exception pending since `by` that may interrupt priority `below`; of equals the lowest number.
    pub(crate) fn best(&self, by: Cycle, below: i8) -> Option<u8> {
        self.candidates(below)
            .filter(|&exception| self.since[exception as usize] <= by)
            .min_by_key(|&exception| (self.priority(exception), exception))
    }

    /// Makes an exception pending. True if it was not.
    pub(crate) fn pend(&mut self, exception: u8, at: Cycle) -> bool {
        let bit = 1u64 << exception;
        let new = self.pending & bit == 0;
        if new {
            self.pending |= bit;
            self.since[exception as usize % COUNT] = at;
        }
        new
    }

    /// Takes new levels of the lines, and a new mask of those that raise NMI. Where one rises, its exception is pending; true if
    /// one was not before.
    pub(crate) fn set_lines(&mut self, lines: u32, nmi_mask: u32, now: Cycle) -> bool {
        let rising = lines & !self.lines;
        let nmi = lines & nmi_mask != 0 && self.lines & self.nmi_mask == 0;
        (self.lines, self.nmi_mask) = (lines, nmi_mask);
        let mut new = nmi && self.pend(NMI, now);
        for line in set_bits(u64::from(rising)) {
            new |= self.pend(IRQ0 + line, now);
        }
        new
    }

    /// When an exception that is pending became so.
    pub(crate) fn since(&self, exception: u8) -> Cycle {
        self.since[exception as usize % COUNT]
    }

    pub(crate) fn activate(&mut self, exception: u8) {
        self.pending &= !(1 << exception);
        self.active |= 1 << exception;
    }

    /// Ends an exception; an interrupt whose line is still high is pending again (DS 2.3.2, ARMv6-M B3.4.1).
    pub(crate) fn deactivate(&mut self, exception: u8, now: Cycle) {
        self.active &= !(1 << exception);
        if exception >= IRQ0 && self.lines >> (exception - IRQ0) & 1 != 0 {
            self.pend(exception, now);
        }
    }

    fn clear_pending(&mut self, exceptions: u64) {
        // A level that is still there makes its interrupt pending again at once.
        self.pending &= !(exceptions & !(u64::from(self.lines) << IRQ0));
    }

    fn read_levels(&self, first: usize) -> u32 {
        (0..4).map(|i| u32::from(self.level[(first + i) % COUNT]) << (8 * i + 6)).fold(0, |all, one| all | one)
    }

    fn write_levels(&mut self, first: usize, value: u32, mask: u32) {
        for i in 0..4 {
            if mask >> (8 * i) & 1 != 0 {
                self.level[(first + i) % COUNT] = (value >> (8 * i + 6)) as u8 & 3;
            }
        }
    }

    fn interrupt_control(&self, ipsr: u8) -> u32 {
        let next = self.best(NEVER, THREAD).map_or(0, u32::from);
        let pended = |exception: u8| (self.pending >> exception & 1) as u32;
        pended(NMI) << 31
            | pended(PEND_SV) << 28
            | pended(SYS_TICK) << 26
            | u32::from(self.pending >> IRQ0 != 0) << 22
            | next << 12
            | u32::from(ipsr)
    }
}

impl<B: Bus> Core<B> {
    /// Reads a register of the private peripheral bus. Unknown ones read 0.
    pub(crate) fn read_private(&mut self, bus: &mut B) -> Result<u32, Fault> {
        if !self.is_privileged() || self.address >> 16 != 0xe000 {
            return Err(Fault);
        }
        self.pend_systick(self.t);
        let address = self.address & 0xfffc;
        let value = self.peek_private(address);
        match address {
            0xe010 => self.systick.clear_flag(),
            0xe014..=0xe01c | 0xe100..=0xe41c | 0xed00..=0xed24 | MPU_TYPE..=MPU_LAST => {}
            _ => bus.fabric_mut().diagnostics.unmodelled("PPB", address, "reading", self.t),
        }
        Ok(value)
    }

    /// A register of the private peripheral bus as a debugger sees it. Time in it is that of the core's next step.
    pub fn peek_private(&self, address: u32) -> u32 {
        let nvic = &self.nvic;
        match address & 0xfffc {
            0xe010..=0xe01c => self.systick.read(address, self.t),
            0xe100 | 0xe180 => (nvic.enabled >> IRQ0) as u32,
            0xe200 | 0xe280 => (nvic.pending >> IRQ0) as u32,
            0xe400..=0xe41c => nvic.read_levels(16 + (address as usize & 0x1c)),
            // r0p1: DS 2.4.8.
            0xed00 => 0x410c_c601,
            0xed04 => nvic.interrupt_control(self.ipsr),
            0xed08 => nvic.vtor,
            0xed0c => 0xfa05_0000,
            0xed10 => {
                u32::from(nvic.sleep_on_exit) << 1
                    | u32::from(nvic.deep_sleep) << 2
                    | u32::from(nvic.send_event_on_pend) << 4
            }
            // STKALIGN and UNALIGN_TRP are fixed at 1 (ARMv6-M B3.2.8).
            0xed14 => 0x208,
            0xed1c => nvic.read_levels(8),
            0xed20 => nvic.read_levels(12),
            0xed24 => ((nvic.pending >> SV_CALL & 1) as u32) << 15,
            MPU_TYPE => MPU_REGIONS << 8,
            // The other registers of the MPU, too.
            _ => 0,
        }
    }

    /// Writes a register of the private peripheral bus; always as a word, which is all it takes (B3.1.1).
    pub(crate) fn write_private(&mut self, bus: &mut B, value: u32) -> Result<(), Fault> {
        if !self.is_privileged() || self.address >> 16 != 0xe000 {
            return Err(Fault);
        }
        self.set_private(self.address, value, self.t, bus);
        Ok(())
    }

    /// A debugger writes a register of the private peripheral bus, as the core itself would at cycle `now` if it were
    /// privileged. A core that sleeps may wake for it.
    pub(crate) fn poke_private(&mut self, address: u32, value: u32, now: Cycle, bus: &mut B) {
        let now = self.private_time(now);
        self.set_private(address, value, now, bus);
        self.schedule_wake(now);
    }

    /// Time in this core's registers as a debugger sees it at cycle `now`: a core that runs has begun its present cycle, and
    /// the counter of one that sleeps goes on.
    pub(crate) fn private_time(&self, now: Cycle) -> Cycle {
        if self.is_asleep() || self.t == NEVER { now } else { self.t }
    }

    fn set_private(&mut self, address: u32, value: u32, now: Cycle, bus: &mut B) {
        self.pend_systick(now);
        let interrupts = u64::from(value) << IRQ0;
        let address = address & 0xfffc;
        match address {
            0xe010..=0xe01c => {
                self.systick.write(address, value, now, bus.reference_ticks().rate());
            }
            0xe100 => self.nvic.enabled |= interrupts,
            0xe180 => self.nvic.enabled &= !interrupts,
            0xe200 => set_bits(interrupts).for_each(|exception| self.pend(exception, now)),
            0xe280 => self.nvic.clear_pending(interrupts),
            0xe400..=0xe41c => self.nvic.write_levels(16 + (address as usize & 0x1c), value, u32::MAX),
            0xed04 => self.write_interrupt_control(value, now),
            0xed08 => self.nvic.vtor = value & 0xffff_ff00,
            0xed0c if value >> 16 == 0x05fa && value & 4 != 0 => bus.fabric_mut().requests.reset(self.id),
            0xed10 => {
                self.nvic.sleep_on_exit = value & 2 != 0;
                self.nvic.deep_sleep = value & 4 != 0;
                self.nvic.send_event_on_pend = value & 16 != 0;
            }
            0xed1c => self.nvic.write_levels(8, value, 0xff00_0000),
            0xed20 => self.nvic.write_levels(12, value, 0xffff_0000),
            MPU_CTRL if value & 1 != 0 => bus.fabric_mut().diagnostics.ignored("MPU", MPU_IGNORED, now),
            0xed00 | 0xed0c | 0xed14 | MPU_TYPE..=MPU_LAST => {}
            _ => bus.fabric_mut().diagnostics.unmodelled("PPB", address, "writing", now),
        }
        self.update_exception_check();
    }

    fn write_interrupt_control(&mut self, value: u32, now: Cycle) {
        if value & 1 << 31 != 0 {
            self.pend(NMI, now);
        }
        for (exception, set, clear) in [(PEND_SV, 28, 27), (SYS_TICK, 26, 25)] {
            if value >> set & 1 != 0 {
                self.pend(exception, now);
            } else if value >> clear & 1 != 0 {
                self.nvic.clear_pending(1 << exception);
            }
        }
    }
}
