//! The peripherals of the STM32H745, one file each, with the names of ST's reference manual.
//!
//! RM0399 is ST's manual of the STM32H745/755 and STM32H747/757 lines, revision 4. Each file cites the sections that it is
//! based on, other sources where their text was not at hand, and what is not modelled.

pub mod accelerators;
mod access;
pub mod address_map;
pub mod board;
pub mod clocks;
pub mod context;
pub mod dbgmcu;
pub mod exti;
pub mod flash;
pub mod gpio;
pub mod hsem;
pub mod interrupts;
pub mod iwdg;
pub mod limits;
pub mod line;
pub mod pwr;
pub mod rcc;
pub mod syscfg;
pub mod timer;
pub mod timers;
pub mod usart;

use crate::core::loss::Losses;
use crate::isa::armv7em::bus::BusError;
use crate::stm32h745::report::Reports;
use crate::stm32h745::{M4, M7, NEVER, Time};
use accelerators::Accelerators;
use access::lanes;
use address_map::{Block, Bus, Gate, region};
use board::{Board, OptionBytes};
use dbgmcu::Dbgmcu;
use exti::Exti;
use flash::Flash;
use gpio::Gpio;
use hsem::Hsem;
use interrupts::{HSEM_INTERRUPT, InterruptLines, TIMER_INTERRUPTS, USART3_INTERRUPT};
use iwdg::Iwdg;
use limits::Conditions;
use pwr::Pwr;
use rcc::Rcc;
use syscfg::Syscfg;
use timer::Timer;
use timers::Timers;
use usart::Usart;

/// Cause of a system reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// The NRST pin was low.
    Pin,
    /// A core has set `AIRCR.SYSRESETREQ`.
    Software(usize),
    /// A core's independent watchdog has timed out, or was refreshed outside of its window.
    IndependentWatchdog(usize),
}

/// USART3's registers.
const USART3: u32 = 0x4000_4800;
const USART3_GATE: Gate = Gate { bus: Bus::Apb1L, bit: 18 };
/// The backup RAM, of 4 KiB.
pub(super) const BACKUP_RAM: u32 = 0x3880_0000;
const BACKUP_RAM_GATE: Gate = Gate { bus: Bus::Ahb4, bit: 28 };

/// All of them.
#[derive(Clone, Debug, Hash)]
pub struct Peripherals {
    pub(super) options: OptionBytes,
    board: Board,
    rcc: Rcc,
    /// Supply and voltage.
    pub pwr: Pwr,
    pub(super) flash: Flash,
    syscfg: Syscfg,
    hsem: Hsem,
    /// Events and interrupts that wake a core.
    pub exti: Exti,
    pub(super) dbgmcu: Dbgmcu,
    accelerators: Accelerators,
    /// USART3.
    pub usart3: Usart,
    /// Ports A to K.
    pub gpios: [Gpio; 11],
    timers: Timers,
    iwdgs: [Iwdg; 2],
    /// The cores that sleep.
    asleep: [bool; 2],
    /// Clock rates with what limits them, as checked last, and the core whose write changed them.
    pub conditions: Conditions,
    clocks_changed_by: usize,
    /// Levels of the interrupt lines to the cores' NVICs.
    pub interrupts: [InterruptLines; 2],
    /// Interrupts of HSEM to lose, as injected faults.
    pub losses: Losses,
    /// Software errors that nobody has taken.
    pub reports: Reports,
    /// Time of the next event.
    next: Time,
}

impl Peripherals {
    /// The peripherals after power-on reset.
    #[must_use]
    pub fn new(options: OptionBytes, board: Board) -> Self {
        let (rcc, pwr, flash) = (Rcc::new(&board), Pwr::new(board.supply), Flash::default());
        let conditions = conditions(&rcc, &pwr, &flash, 0);
        let mut new = Self {
            rcc,
            pwr,
            flash,
            syscfg: Syscfg::default(),
            hsem: Hsem::default(),
            exti: Exti::default(),
            dbgmcu: Dbgmcu::default(),
            accelerators: Accelerators::default(),
            usart3: Usart::new(board.baud),
            gpios: std::array::from_fn(Gpio::new),
            timers: Timers::default(),
            iwdgs: options.software_watchdog.map(|by_software| Iwdg::new(by_software, 0)),
            asleep: [false; 2],
            conditions,
            clocks_changed_by: M7,
            interrupts: Default::default(),
            losses: Losses::default(),
            reports: Reports::default(),
            next: NEVER,
            options,
            board,
        };
        new.distribute_clocks(0);
        new.update_lines_and_next_event(0);
        new
    }

    /// System reset (Table 56); RCC records the cause.
    pub fn reset(&mut self, why: Reset, now: Time) {
        self.advance(now);
        self.rcc = self.rcc.after_reset(&self.board, why);
        self.pwr = self.pwr.after_reset(now);
        self.flash = Flash::default();
        self.syscfg = Syscfg::default();
        self.hsem = Hsem::default();
        self.exti = Exti::default();
        self.accelerators = Accelerators::default();
        self.usart3.reset();
        self.gpios = std::array::from_fn(Gpio::new);
        self.timers = Timers::default();
        self.iwdgs = self.options.software_watchdog.map(|by_software| Iwdg::new(by_software, now));
        self.asleep = [false; 2];
        self.conditions = conditions(&self.rcc, &self.pwr, &self.flash, now);
        self.distribute_clocks(now);
        self.update_lines_and_next_event(now);
    }

    /// Whether an address is in the peripheral region, 0x40000000 to 0x5FFFFFFF.
    pub const fn covers(address: u32) -> bool {
        address >> 29 == 2
    }

    /// Whether a load may change an interrupt line or a clock. Time alone does so at the next event only.
    pub(super) const fn changes_when_read(address: u32) -> bool {
        address & !3 == USART3 + usart::RDR
    }

    /// Whether a load from an address finds the status of USART3: before the next event, only a core can change it.
    pub(super) fn is_polled(&self, core: usize, address: u32) -> bool {
        let gates = &self.rcc.gates;
        address == USART3 + usart::ISR && gates.enabled_by(USART3_GATE)[core] && !gates.is_held_in_reset(USART3_GATE)
    }

    /// A load of `size` bytes (1, 2 or 4) by `core`.
    ///
    /// # Errors
    /// If no block is at the address.
    pub fn read(&mut self, core: usize, address: u32, size: u32, now: Time) -> Result<u32, BusError> {
        let region = self.decode_access(address, size, now)?;
        let (word, shift, lanes) = lanes(address, size);
        if !self.is_accessible(core, region, word, now) {
            return Ok(0);
        }
        let value = self.read_block(region, core, word, lanes, now);
        if Self::changes_when_read(word) {
            self.update_lines_and_next_event(now); // RXNE, and with it the interrupt line, may fall.
        }
        Ok((value & lanes) >> shift)
    }

    /// A store of the low `size` bytes of `value` by `core`.
    ///
    /// # Errors
    /// If no block is at the address.
    pub fn write(&mut self, core: usize, address: u32, value: u32, size: u32, now: Time) -> Result<(), BusError> {
        let region = self.decode_access(address, size, now)?;
        let (word, shift, lanes) = lanes(address, size);
        if !self.is_accessible(core, region, word, now) {
            return Ok(());
        }
        let rest =
            if lanes == u32::MAX { 0 } else { self.peek_block(region, core, word - region.base, now).unwrap_or(0) };
        let value = value << shift & lanes | rest & !lanes;
        self.write_block(region, core, word, value, lanes, now);
        match region.block {
            Block::Iwdg(_) | Block::Dbgmcu | Block::Art | Block::AxiInterconnect => {}
            Block::Hsem | Block::Exti | Block::Gpio(_) => self.set_lines(),
            _ => self.update_lines_and_next_event(now),
        }
        Ok(())
    }

    /// A load without side effects, for debuggers.
    ///
    /// # Errors
    /// If no block is at the address.
    pub fn peek(&self, core: usize, address: u32, size: u32, now: Time) -> Result<u32, BusError> {
        let region = region(address).ok_or(BusError)?;
        let (word, shift, lanes) = lanes(address, size);
        let mut then = self.clone();
        then.advance(now);
        then.timers.run(now);
        Ok((then.peek_block(region, core, word - region.base, now).unwrap_or(0) & lanes) >> shift)
    }

    /// Resets the blocks whose reset bits are set.
    fn hold_in_reset(&mut self) {
        for region in address_map::REGIONS {
            if region.gate.is_some_and(|gate| self.rcc.gates.is_held_in_reset(gate)) {
                match region.block {
                    Block::Hsem => self.hsem = Hsem::default(),
                    Block::Syscfg => self.syscfg = Syscfg::default(),
                    Block::Usart3 => self.usart3.reset(),
                    Block::Gpio(port) => self.gpios[port] = Gpio::new(port),
                    Block::Timer(index) => self.timers.0[index] = Timer::new(index),
                    _ => {}
                }
            }
        }
    }

    /// Distributes the clocks, and reports limits that they violate, after clocks or voltages may have changed.
    fn update_clocks_and_check_limits(&mut self, now: Time) {
        self.distribute_clocks(now);
        let conditions = conditions(&self.rcc, &self.pwr, &self.flash, now);
        if conditions != self.conditions {
            for violation in conditions.violations() {
                self.reports.record(Some(self.clocks_changed_by), address_map::base(Block::Rcc), now, violation);
            }
            self.conditions = conditions;
        }
    }

    /// Sets the clock rates of timers and USART3; 0 where gated.
    fn distribute_clocks(&mut self, now: Time) {
        let clocks = self.rcc.clocks(now);
        self.timers.run(now);
        for region in address_map::REGIONS {
            let runs = |gate: Gate| self.rcc.gates.is_clocked(gate, self.asleep);
            match (region.block, region.gate) {
                (Block::Timer(index), Some(gate)) => {
                    self.timers.0[index].set_rate(if runs(gate) { clocks.timers[0] } else { 0 }, now);
                }
                (Block::Usart3, Some(gate)) => self.usart3.kernel = if runs(gate) { clocks.usart3 } else { 0 },
                _ => {}
            }
        }
    }

    /// Updates the interrupt lines and the time of the next event.
    fn update_lines_and_next_event(&mut self, now: Time) {
        self.set_lines();
        let clocks = self.rcc.sources.next_event(now).min(self.pwr.next_event(now));
        // A receiver timeout that is enabled after it has elapsed is due now, not in the past.
        self.next = clocks.min(self.timers.next_event()).min(self.usart3.next_event()).max(now);
    }

    fn set_lines(&mut self) {
        for core in [M7, M4] {
            let lines = &mut self.interrupts[core];
            for (interrupt, timer) in TIMER_INTERRUPTS.into_iter().zip(&self.timers.0) {
                lines.set(interrupt, timer.interrupt());
            }
            lines.set(USART3_INTERRUPT, self.usart3.interrupt());
            let semaphores = lines.is_high(HSEM_INTERRUPT[core]);
            lines.set(HSEM_INTERRUPT[core], self.hsem.masked(core) != 0);
            self.exti.interrupts(core, lines);
            if !semaphores && lines.is_high(HSEM_INTERRUPT[core]) {
                self.exti.raise_direct_input(core, exti::HSEM_EVENT[core]);
            }
        }
    }

    /// Processes events up to `now`: timer overflows, characters, oscillators that become ready.
    pub fn advance(&mut self, now: Time) {
        while self.next <= now {
            let at = self.next;
            self.rcc.advance(at);
            self.timers.run(at);
            self.usart3.advance(at);
            self.update_clocks_and_check_limits(at);
            self.update_lines_and_next_event(at);
            self.next = self.next.max(at + 1);
        }
    }

    /// Time of the next event that may change an interrupt line, a clock or a gate, or reset the system; or `NEVER`.
    pub fn next_event(&self) -> Time {
        self.next.min(self.iwdgs[M7].next_event()).min(self.iwdgs[M4].next_event())
    }

    /// The system reset due by `now`, if any; the caller then calls `reset`.
    pub fn reset_request(&self, now: Time) -> Option<Reset> {
        [M7, M4].into_iter().find(|&core| self.iwdgs[core].next_event() <= now).map(Reset::IndependentWatchdog)
    }

    /// `core` has executed SEV, which is an event for the other core if unmasked in EXTI.
    pub fn send_event(&mut self, core: usize, now: Time) {
        self.advance(now);
        self.exti.send_event(core);
    }

    /// `core` has entered or left WFI or WFE; `sleepdeep` is its `SCR.SLEEPDEEP`, whose modes are not modelled.
    pub fn set_asleep(&mut self, core: usize, asleep: bool, sleepdeep: bool, now: Time) {
        self.advance(now);
        if asleep && sleepdeep {
            let sentence = "the core sleeps with SLEEPDEEP, which is not modelled: all clocks go on";
            self.reports.record(Some(core), address_map::base(Block::Pwr), now, sentence);
        }
        if self.asleep[core] != asleep {
            self.asleep[core] = asleep;
            self.distribute_clocks(now);
            self.update_lines_and_next_event(now);
        }
    }

    /// Whether the boot gate of `core` is open, by option byte or by the other core.
    pub fn is_released(&self, core: usize) -> bool {
        self.rcc.is_released(core, &self.options)
    }

    /// Address of the vector table of `core` at reset.
    pub fn boot_address(&self, core: usize) -> u32 {
        u32::from(self.options.boot_address[core][usize::from(self.board.boot0)]) << 16
    }

    /// Whether a memory is clocked for a core: all but the backup RAM are, which the core must enable (RM0399 9.5.9).
    pub fn is_memory_clocked(&self, core: usize, address: u32) -> bool {
        address >> 12 != BACKUP_RAM >> 12 || self.rcc.gates.enabled_by(BACKUP_RAM_GATE)[core]
    }

    /// Reports that characters of USART3 are lost, since nobody has taken them.
    pub fn report_uncollected_output(&mut self, now: Time) {
        let sentence = "nobody takes what USART3 sends: the oldest characters are lost";
        self.reports.record(None, address_map::base(Block::Usart3), now, sentence);
    }

    /// Queues a character on the line to USART3, to be sent not before a time. The bits set in `flipped` (bit 0: start bit)
    /// arrive inverted.
    pub fn uart_input(&mut self, byte: u8, flipped: u16, not_before: Time, now: Time) {
        self.advance(now);
        self.usart3.line.send(byte, flipped, not_before.max(now));
        self.update_lines_and_next_event(now);
    }

    /// Whether an independent watchdog runs.
    pub fn is_watchdog_running(&self) -> bool {
        self.iwdgs.iter().any(|watchdog| watchdog.next_event() != NEVER)
    }
}

fn conditions(rcc: &Rcc, pwr: &Pwr, flash: &Flash, now: Time) -> Conditions {
    Conditions {
        clocks: rcc.clocks(now),
        scale: pwr.level(now),
        latency: flash.latency(),
        supply_configured: pwr.configured,
    }
}
