//! The peripherals of the RP2350, and the one list of them, by which they are found.

mod clock_tree;
mod configuration;
pub mod dma;
mod io_bank;
pub mod registers;
pub mod sio;
mod ticks;
mod timer;

use crate::core::access::{Width, merge};
use crate::core::time::{Cycle, NEVER};
use crate::rp2::busctrl::{self, Busctrl};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::clocks::{ClocksBlock, Sources};
use crate::rp2::dma::requests::Requesters as _;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use crate::rp2::pll::{self, Pll};
use crate::rp2::psm::{self, Psm};
use crate::rp2::pwm::{self, Pwm};
use crate::rp2::registration::{self, AddressMap, Entry, Requests, Target, aliased, is_alias, lines_of};
use crate::rp2::resets::{self, Resets};
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::uart::{self, Uart};
use crate::rp2::usb::cable::Cable;
use crate::rp2::usb::{self, Usb};
use crate::rp2::watchdog::{self, Watchdog};
use crate::rp2::xosc::{self, Xosc};
use crate::rp2350::bus::qmi;
use crate::rp2350::irq::Irq;
use configuration::{IoQspi, PadsBank0, PadsQspi, Powman, Rosc, Sysinfo};
use registers::Registers;
use ticks::TickGenerators;
use timer::Timer;

/// Nominal rate of the ring oscillator in Hz: 4.6 to 19.6 MHz, typically 11 MHz (DS 8.3.1).
pub const ROSC_NOMINAL: u64 = 11_000_000;

/// `RESETS`.
pub const RESETS: Block = Block { base: 0x4002_0000, ..resets::RESETS };
const ALL_RESETS: u32 = 0x1fff_ffff;
/// `PSM`.
pub const PSM: Block = Block { base: 0x4001_8000, ..psm::PSM };
/// `BUSCTRL`.
pub const BUSCTRL: Block = Block { base: 0x4006_8000, ..busctrl::BUSCTRL };
/// `XOSC`.
pub const XOSC: Block = Block { base: 0x4004_8000, ..xosc::XOSC };
/// `PLL_SYS`.
pub const PLL_SYS: Block = Block { instance: "_SYS", base: 0x4005_0000, reset: 1 << 14, ..pll::PLL };
/// `PLL_USB`.
pub const PLL_USB: Block = Block { instance: "_USB", base: 0x4005_8000, reset: 1 << 15, ..pll::PLL };
/// `WATCHDOG`. The erratum of the RP2040 is gone: its counter goes down by one in each tick (DS 12.9.2).
pub const WATCHDOG: Block = Block { base: 0x400d_8000, ..watchdog::WATCHDOG };
/// Slices of PWM (DS 12.5.1).
const SLICES: usize = 12;
/// `PWM`.
pub const PWM: Block = Block {
    base: 0x400a_8000,
    reset: 1 << 16,
    interrupts: &[Irq::PwmWrap0 as u8, Irq::PwmWrap1 as u8],
    dreqs: &[32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43],
    write_one_clears: &[pwm::intr(SLICES)],
    modelled: "12 counters, wraps, both interrupts, DMA requests",
    missing: "outputs, counting of pins",
    ..pwm::PWM
};
/// `UART0`.
pub const UART0: Block = Block {
    instance: "0",
    base: 0x4007_0000,
    reset: 1 << 26,
    interrupts: &[Irq::Uart0 as u8],
    dreqs: &[28, 29],
    ..uart::UART
};
/// `UART1`.
pub const UART1: Block = Block {
    instance: "1",
    base: 0x4007_8000,
    reset: 1 << 27,
    interrupts: &[Irq::Uart1 as u8],
    dreqs: &[30, 31],
    ..uart::UART
};
/// `USBCTRL`.
pub const USBCTRL: Block = Block {
    reset: 1 << 28,
    interrupts: &[Irq::UsbCtrl as u8],
    missing: "host mode, isochronous end points, remote wake-up, VBUS by a pin, direct control of the lines, time stamps of \
              frames, counts of errors, state and watchdog of the state machine",
    ..usb::USBCTRL
};

registration::peripherals! {
    {
        /// SIO, which is not behind the bus.
        pub sio: sio::Sio = sio::Sio::new();
        /// When the first of the listed peripherals next does something.
        next: Cycle = NEVER;
        /// Whether which cores are held in reset may have changed.
        cores_changed: bool = false;
        /// The watchdog asks for a reset.
        resets_chip: bool = false;
    }
    sysinfo: Registers<Sysinfo> => configuration::SYSINFO;
    clocks: ClocksBlock<clock_tree::Rp2350> => clock_tree::CLOCKS;
    psm: Psm<23> => PSM;
    resets: Resets<ALL_RESETS> => RESETS;
    dma: dma::Dma => dma::DMA;
    busctrl: Busctrl<true> => BUSCTRL;
    io_bank0: io_bank::IoBank0 => io_bank::IO_BANK0;
    io_qspi: Registers<IoQspi> => configuration::IO_QSPI;
    pads_bank0: Registers<PadsBank0> => configuration::PADS_BANK0;
    pads_qspi: Registers<PadsQspi> => configuration::PADS_QSPI;
    xosc: Xosc => XOSC;
    pll_sys: Pll => PLL_SYS;
    pll_usb: Pll => PLL_USB;
    uarts: [Uart; 2] => 0: UART0, 1: UART1;
    pwm: Pwm<SLICES, 2> => PWM;
    usb: Usb<true> => USBCTRL;
    timers: [Timer; 2] => 0: timer::TIMER0, 1: timer::TIMER1;
    rosc: Registers<Rosc> => configuration::ROSC;
    powman: Registers<Powman> => configuration::POWMAN;
    ticks: TickGenerators => ticks::TICKS;
    watchdog: Watchdog<1> => WATCHDOG;
}

/// Blocks by address: an APB block has 32 kB (DS 2.2.4).
static BLOCKS: AddressMap<Peripherals, 15> = AddressMap::new(LIST);
/// Blocks by the request signal of a DMA channel (DS 12.6.4.1).
static REQUESTS: Requests<Peripherals> = Requests::new(LIST);

const _: () = registration::assert_own_lines(LIST, lines_of(&sio::SIO, 0));

const HELD: &str = "accessed while held in reset: it reads as 0 and ignores writes";

impl Default for Peripherals {
    fn default() -> Self {
        Self::new()
    }
}

impl Peripherals {
    /// All blocks that are modelled.
    pub fn blocks() -> impl Iterator<Item = &'static Block> {
        [&sio::SIO, &qmi::QMI].into_iter().chain(LIST.iter().map(|entry| entry.block))
    }

    /// The block at an address and the offset in it; `Err` where there is none, `Ok(None)` if it is held in reset.
    fn reach(&self, address: u32, context: &mut Context<'_>) -> Option<Result<(&'static Entry<Self>, u32), ()>> {
        match BLOCKS.decode(address) {
            (Target::Block(entry), _) if entry.block.is_reset_by(self.resets.held()) => {
                context.diagnostics.misuse(entry.block.name, 0, HELD, context.now);
                Some(Err(()))
            }
            (Target::Block(entry), offset) => Some(Ok((entry, offset))),
            (Target::Nothing, _) => None,
        }
    }

    /// Reads a word from APB or AHB peripherals; `None` where nothing is modelled.
    pub fn read(&mut self, address: u32, context: &mut Context<'_>) -> Option<u32> {
        if let Some(offset) = usb::dpram_offset(address) {
            return Some(if self.holds_usb(context) { 0 } else { self.usb.read_dpram(offset) });
        }
        let Ok((entry, offset)) = self.reach(address, context)? else { return Some(0) };
        let value = (entry.of_mut)(self).read(offset, context).unwrap_or_else(|| {
            context.diagnostics.unmodelled(entry.block.name, offset, "read of", context.now);
            0
        });
        self.schedule();
        Some(value)
    }

    /// Reads a word without any effect; none where nothing is modelled.
    pub fn peek(&self, address: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        if let Some(offset) = usb::dpram_offset(address) {
            return Some(self.usb.read_dpram(offset));
        }
        let (Target::Block(entry), offset) = BLOCKS.decode(address) else { return None };
        (entry.of)(self).peek(offset, now, clocks)
    }

    /// Whether the memory of USB is held in reset, which is noted.
    fn holds_usb(&self, context: &mut Context<'_>) -> bool {
        let holds = USBCTRL.is_reset_by(self.resets.held());
        if holds {
            context.diagnostics.misuse(USBCTRL.name, 0, HELD, context.now);
        }
        holds
    }

    /// Writes to APB or AHB peripherals, or to an atomic alias of them; `None` where nothing is modelled. `value` has the data
    /// in all lanes: only the memory of USB takes less than a word.
    pub fn write(&mut self, address: u32, width: Width, value: u32, context: &mut Context<'_>) -> Option<()> {
        if let Some(offset) = usb::dpram_offset(address) {
            if !self.holds_usb(context) {
                self.usb.write_dpram(offset, width, value, context);
                self.schedule();
            }
            return Some(());
        }
        // Bit 14 leaves out the lanes that are not written (DS 2.1.5).
        let value = if address >> 14 & 1 == 0 { value } else { merge(0, address, width, value) };
        let address = address & !3;
        let Ok((entry, offset)) = self.reach(address, context)? else { return Some(()) };
        let value = if !is_alias(address) || entry.block.write_one_clears.contains(&offset) {
            value
        } else {
            let old = (entry.of)(self).peek(offset, context.now, context.clocks).unwrap_or(0);
            aliased(address, old, value)
        };
        let held = self.resets.held();
        (entry.of_mut)(self).write(offset, value, context);
        self.after_write(entry.block.effect, held, context);
        self.schedule();
        Some(())
    }

    fn after_write(&mut self, effect: Effect, held: u32, context: &mut Context<'_>) {
        match effect {
            Effect::Rates => self.update_clocks(context),
            Effect::Resets => {
                let changed = self.resets.held() ^ held;
                self.reset_listed(changed, context);
                self.follow_pins(context.now);
                self.pass_ticks(context);
                if PLL_SYS.is_reset_by(changed) || PLL_USB.is_reset_by(changed) {
                    self.update_clocks(context);
                }
            }
            Effect::Ticks => {
                self.pass_ticks(context);
                self.resets_chip |= self.watchdog.take_reset();
            }
            Effect::Pins => self.follow_pins(context.now),
            Effect::Cores => self.cores_changed = true,
            Effect::Triggers => self.note_started(context.now),
            _ => {}
        }
    }

    fn after_wake(&mut self, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::Rates => self.update_clocks(context),
            Effect::Ticks => self.resets_chip |= self.watchdog.take_reset(),
            Effect::Console => self.move_input(context.now),
            _ => {}
        }
    }

    /// Tells what counts ticks which ones there are.
    fn pass_ticks(&mut self, context: &mut Context<'_>) {
        for (number, timer) in self.timers.iter_mut().enumerate() {
            timer.set_ticks(self.ticks.ticks(ticks::TIMER0 + number), context.now);
        }
        self.watchdog.set_ticks(self.ticks.ticks(ticks::WATCHDOG), context.now);
        self.sio.set_ticks(self.ticks.ticks(ticks::RISCV), context);
    }

    /// Computes all rates, and passes them on to the blocks that depend on them.
    pub fn update_clocks(&mut self, context: &mut Context<'_>) {
        let xosc = self.xosc.enabled_frequency();
        self.clocks.set_sources(Sources {
            rosc: ROSC_NOMINAL,
            xosc,
            pll_sys: self.pll_sys.rate(xosc),
            pll_usb: self.pll_usb.rate(xosc),
            gpin: [0; 2],
        });
        let rates = self.clocks.rates();
        if rates.sys == 0 {
            let what = "clk_sys has lost its source, and nothing will start it: the chip stands still";
            context.diagnostics.misuse(clock_tree::CLOCKS.name, 0, what, context.now);
        }
        context.clocks.set(context.now, rates);
        self.clocks_changed(context);
    }

    /// Passes the rates on to the blocks that depend on them.
    pub fn clocks_changed(&mut self, context: &mut Context<'_>) {
        let clocks = context.clocks.clone();
        self.clock_blocks(context.now, &clocks);
        self.pass_ticks(context);
        self.schedule();
    }

    /// After a reset of the chip: takes over what is outside of it.
    pub fn keep_outside(&mut self, old: &mut Self, context: &mut Context<'_>) {
        for ((uart, old), block) in self.uarts.iter_mut().zip(&mut old.uarts).zip([&UART0, &UART1]) {
            old.reset(block, context);
            std::mem::swap(uart, old);
        }
        self.usb.cable.keep_host(&mut old.usb.cable);
        self.update_clocks(context);
    }

    /// Which cores are held in reset, if that may have changed since the last call.
    pub fn take_held_cores(&mut self) -> Option<[bool; 2]> {
        std::mem::take(&mut self.cores_changed).then(|| [self.psm.core_held(0), self.psm.core_held(1)])
    }

    /// Whether the watchdog has asked for a reset since the last call.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.resets_chip)
    }

    /// `BUS_PRIORITY`.
    pub fn priorities(&self) -> u32 {
        self.busctrl.priorities()
    }

    /// The next cycle in which a peripheral does something that others could see. DMA is apart: `dma_next`.
    pub fn next_event(&self) -> Cycle {
        self.next.min(self.sio.next_event())
    }

    /// Does what is due at `context.now`. To be called for every cycle that `next_event` gives, in order.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        if self.sio.next_event() <= context.now {
            self.sio.update(context);
        }
        if self.next <= context.now {
            self.wake_due(context);
            self.schedule();
        }
    }

    fn schedule(&mut self) {
        self.next = self.earliest_event();
    }
}

impl SerialPorts for Peripherals {
    fn ports(&self) -> (&[Uart; 2], &Cable) {
        (&self.uarts, &self.usb.cable)
    }

    fn ports_mut(&mut self) -> (&mut [Uart; 2], &mut Cable) {
        (&mut self.uarts, &mut self.usb.cable)
    }

    fn ports_changed(&mut self) {
        self.schedule();
    }
}
