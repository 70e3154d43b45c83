//! The peripherals of the RP2040: one file each, with the datasheet's register names; what they have in common
//! ([`Peripheral`]); and the one list of them, by which they are found.

pub mod adc;
pub mod blocks;
pub mod board;
pub mod busctrl;
mod clock_tree;
pub mod divider;
pub mod dma;
mod effects;
pub mod i2c;
pub mod io_bank;
mod moving_pins;
pub mod pads;
mod pin_levels;
pub mod pins;
pub mod pio;
pub mod pwm;
mod register_map;
pub mod rosc;
pub mod rtc;
pub mod sio;
pub mod spi;
mod standstill;
pub mod syscfg;
pub mod sysinfo;
pub mod tbman;
pub mod vreg_and_chip_reset;
pub mod watchdog;
pub mod xip_stream;

use crate::core::access::Width;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::clocks::ClocksBlock;
use crate::rp2::pll::Pll;
use crate::rp2::psm::Psm;
use crate::rp2::registration::{self, AddressMap, Entry, Requests, Target, aliased, is_alias, lines_of};
use crate::rp2::resets::Resets;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::timer::{self, Timer};
use crate::rp2::uart::Uart;
use crate::rp2::usb::cable::Cable;
use crate::rp2::usb::{self, Usb};
use crate::rp2::xosc::Xosc;

pub use crate::rp2::peripheral::{Block, Context, Dreq, Effect, Peripheral};

/// What the machine has to do because of something that firmware did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signals {
    /// Which cores the power-on state machine holds in reset.
    pub core_held: [bool; 2],
    /// Stages of the power-on state machine that the watchdog resets, as in `PSM.DONE`; 0 if it does not. The peripherals
    /// among them are reset already; the cores (bits 15 and 16) are for the machine.
    pub watchdog_reset: u32,
}

registration::peripherals! {
    {
        pub sio: sio::Sio = sio::Sio::new();
        pins: pins::Pins = pins::Pins::default();
        board: board::Board = board::Board::default();
        clock_outputs: moving_pins::ClockOutputs = moving_pins::ClockOutputs::default();
        /// `clk_sys` has stopped for good.
        stopped: bool = false;
        /// Rates in Hz of clocks that the outside drives into pins.
        gpin: [u64; 2] = [0; 2];
        /// When the first of the listed peripherals next does something.
        next: Cycle = NEVER;
        signals: Option<Signals> = None;
    }
    sysinfo: sysinfo::Sysinfo => sysinfo::SYSINFO;
    syscfg: syscfg::Syscfg => syscfg::SYSCFG;
    clocks: ClocksBlock<clock_tree::Rp2040> => clock_tree::CLOCKS;
    resets: Resets<{ blocks::ALL_RESETS }> => blocks::RESETS;
    psm: Psm<15> => blocks::PSM;
    io_bank0: io_bank::IoBank0 => io_bank::IO_BANK0;
    io_qspi: io_bank::IoQspi => io_bank::IO_QSPI;
    pads_bank0: pads::PadsBank0 => pads::PADS_BANK0;
    pads_qspi: pads::PadsQspi => pads::PADS_QSPI;
    xosc: Xosc => blocks::XOSC;
    pll_sys: Pll => blocks::PLL_SYS;
    pll_usb: Pll => blocks::PLL_USB;
    busctrl: busctrl::Busctrl => busctrl::BUSCTRL;
    uarts: [Uart; 2] => 0: blocks::UART0, 1: blocks::UART1;
    spis: [spi::Spi; 2] => 0: spi::SPI0, 1: spi::SPI1;
    i2cs: [i2c::I2c; 2] => 0: i2c::I2C0, 1: i2c::I2C1;
    pwm: pwm::Pwm => pwm::PWM;
    timer: Timer => blocks::TIMER;
    watchdog: watchdog::Watchdog => watchdog::WATCHDOG;
    rtc: rtc::Rtc => rtc::RTC;
    rosc: rosc::Rosc => rosc::ROSC;
    vreg_and_chip_reset: vreg_and_chip_reset::VregAndChipReset => vreg_and_chip_reset::VREG_AND_CHIP_RESET;
    tbman: tbman::Tbman => tbman::TBMAN;
    dma: dma::Dma => dma::DMA;
    adc: adc::Adc => adc::ADC;
    xip_stream: xip_stream::XipStream => xip_stream::XIP_AUX;
    pios: [pio::Pio; 2] => 0: pio::PIO0, 1: pio::PIO1;
    usb: Usb<false> => blocks::USBCTRL;
}

/// Blocks by address: an APB block has 16 kB (2.2.4).
static BLOCKS: AddressMap<Peripherals, 14> = AddressMap::new(LIST);
/// Blocks by the request signal of a DMA channel (2.5.3.1).
static REQUESTS: Requests<Peripherals> = Requests::new(LIST);

const _: () = registration::assert_own_lines(LIST, lines_of(&sio::SIO, 0));

/// What is behind an address, and the offset within it.
fn decode(address: u32) -> (Target<Peripherals>, u32) {
    BLOCKS.decode(address)
}

impl Default for Peripherals {
    fn default() -> Self {
        Self::new()
    }
}

const HELD: &str = "accessed while held in reset: it reads as 0 and ignores writes";

impl Peripherals {
    /// All blocks that are modelled.
    pub fn blocks() -> impl Iterator<Item = &'static Block> {
        std::iter::once(&sio::SIO).chain(LIST.iter().map(|entry| entry.block))
    }

    /// What is modelled of each block, and what is not, in the order of the list; neighbours with the same are in one row.
    pub fn coverage() -> Vec<(String, &'static str, &'static str)> {
        let mut rows: Vec<(String, &str, &str)> = Vec::new();
        for row in Self::blocks().map(|block| (block.to_string(), block.modelled, block.missing)) {
            match rows.last_mut() {
                Some((names, modelled, missing)) if (*modelled, *missing) == (row.1, row.2) => {
                    *names = format!("{names}, {}", row.0);
                }
                _ => rows.push(row),
            }
        }
        rows
    }

    /// Reads a word from the APB or AHB-Lite peripherals; `None` where there is nothing, which is a bus error. (SIO is
    /// apart: `sio.read`.)
    pub fn read(&mut self, address: u32, context: &mut Context<'_>) -> Option<u32> {
        let (entry, offset) = match self.reach(address, context)? {
            Reached::Block(entry, offset) => (entry, offset),
            Reached::Dpram(offset) => return Some(self.usb.read_dpram(offset)),
            Reached::Silence => return Some(0),
        };
        if entry.block.effect == Effect::Shifts {
            self.exchange_spi(context);
        }
        let read = match self.pin_register(entry.block, offset, context.now) {
            None => (entry.of_mut)(self).read(offset, context),
            found => found,
        };
        let value = read.unwrap_or_else(|| {
            context.diagnostics.unmodelled(entry.block.name, offset, "read of", context.now);
            0
        });
        if entry.block.effect == Effect::Talks {
            self.exchange_i2c(context);
        }
        // Reads change what is next only if they carry out what is due, or take data.
        if self.next <= context.now || entry.block.data.contains(&offset) {
            self.schedule();
        }
        Some(value)
    }

    /// Whether a read from an address takes data, which a DMA channel may wait for room or more of.
    pub fn has_read_side_effect(address: u32) -> bool {
        matches!(decode(address), (Target::Block(entry), offset) if entry.block.data.contains(&offset))
    }

    /// Whether what a block reads as depends on the pins that SIO drives though nobody follows these, or a write to it may move
    /// pins that SIO reads.
    pub fn has_to_do_with_pins(address: u32) -> bool {
        // What `decode` goes by.
        [io_bank::IO_BANK0.base, pio::PIO0.base, pio::PIO1.base].iter().any(|base| address >> 14 == base >> 14)
    }

    /// Whether `peek` gives what a read would, at any time before the next event, however many reads there were: none takes data,
    /// or decides what another one gives.
    pub fn can_be_peeked(address: u32) -> bool {
        let (Target::Block(entry), offset) = decode(address) else { return false };
        let latches = entry.block.base == blocks::TIMER.base && matches!(offset, timer::TIMEHR | timer::TIMELR);
        !latches && !entry.block.lazy && !entry.block.data.contains(&offset)
    }

    /// Whether the block at an address has to be brought up to its time again and again, lest `peek` takes long.
    pub fn stays_behind(address: u32) -> bool {
        matches!(decode(address), (Target::Block(entry), _) if entry.block.stays_behind)
    }

    /// Reads a word without any effect.
    pub fn peek(&self, address: u32, now: Cycle, clocks: &Clocks) -> u32 {
        if let Some(offset) = usb::dpram_offset(address) {
            return if self.holds_usb() { 0 } else { self.usb.read_dpram(offset) };
        }
        match decode(address) {
            (Target::Block(entry), offset) if !self.is_held(entry.block) => {
                let found = self.pin_register(entry.block, offset, now);
                found.or_else(|| (entry.of)(self).peek(offset, now, clocks)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The first cycle after `now` in which `peek` may give something else, if nothing is due or accessed before.
    pub fn stays_until(&self, address: u32, now: Cycle) -> Cycle {
        match decode(address) {
            (Target::Block(entry), offset) => (entry.of)(self).stays_until(offset, now),
            (Target::Nothing, _) => now + 1,
        }
    }

    /// Writes a word to the APB or AHB-Lite peripherals, or to an atomic alias of them; `None` where there is nothing.
    pub fn write(&mut self, address: u32, value: u32, context: &mut Context<'_>) -> Option<()> {
        self.write_lanes(address, Width::Word, value, context)
    }

    /// The same with a write of any width: `value` has the data in all lanes. Only the memory of USB takes less than a word.
    pub fn write_lanes(&mut self, address: u32, width: Width, value: u32, context: &mut Context<'_>) -> Option<()> {
        let (entry, offset) = match self.reach(address, context)? {
            Reached::Block(entry, offset) => (entry, offset),
            Reached::Dpram(offset) => {
                self.usb.write_dpram(offset, width, value, context);
                self.schedule();
                return Some(());
            }
            Reached::Silence => return Some(()),
        };
        let value = if !is_alias(address) || entry.block.write_one_clears.contains(&offset) {
            value
        } else {
            let old = (entry.of)(self).peek(offset, context.now, context.clocks).unwrap_or(0);
            aliased(address, old, value)
        };
        if self.is_quiet(entry, address, offset) {
            (entry.of_mut)(self).write(offset, value, context);
            return Some(());
        }
        let held = self.resets.held();
        if entry.block.effect == Effect::Shifts {
            self.exchange_spi(context);
        }
        self.note_pads(entry.block, context.now);
        (entry.of_mut)(self).write(offset, value, context);
        self.after_write(entry.block.effect, held, context);
        self.schedule();
        Some(())
    }

    /// Whether a read from an address is modelled, and has no effect outside of its block.
    pub fn reads_quietly(address: u32) -> bool {
        match decode(address) {
            (Target::Block(entry), offset) => !entry.block.data.contains(&offset),
            (Target::Nothing, _) => usb::dpram_offset(address).is_some(),
        }
    }

    /// Writes a word if that `takes_quietly`; whether it has.
    pub fn write_quietly(&mut self, address: u32, value: u32, context: &mut Context<'_>) -> bool {
        let (Target::Block(entry), offset) = decode(address) else { return false };
        let quietly = self.is_quiet(entry, address, offset) && !self.is_held(entry.block);
        if quietly {
            (entry.of_mut)(self).write(offset, value, context);
        }
        quietly
    }

    /// Whether a write to an address has no effect outside of its block: no interrupt, no later event.
    pub fn takes_quietly(&self, address: u32) -> bool {
        matches!(decode(address), (Target::Block(entry), offset)
            if self.is_quiet(entry, address, offset) && !self.is_held(entry.block))
    }

    fn is_quiet(&self, entry: &Entry<Self>, address: u32, offset: u32) -> bool {
        entry.block.quiet.contains(&offset) && !is_alias(address) && !(entry.of)(self).is_followed()
    }

    /// Whether an address is that of a register to which writes may have no effect outside of its block.
    pub fn may_take_quietly(address: u32) -> bool {
        matches!(decode(address), (Target::Block(entry), offset)
            if entry.block.quiet.contains(&offset) && !is_alias(address))
    }

    /// Whether a write to an address may change the levels of the pins of the flash: functions and overrides, or their
    /// reset.
    pub(super) fn may_move_qspi_pins(address: u32) -> bool {
        matches!(decode(address), (Target::Block(entry), _)
            if [io_bank::IO_QSPI.base, blocks::RESETS.base].contains(&entry.block.base))
    }

    /// Whether the block at an address is modelled.
    pub fn is_modelled(address: u32) -> bool {
        matches!(decode(address).0, Target::Block(_)) || usb::dpram_offset(address).is_some()
    }

    /// The next cycle in which a peripheral does something that others could see. DMA is apart: `dma_next`.
    #[inline]
    pub fn next_event(&self) -> Cycle {
        self.next.min(self.sio.next_event())
    }

    /// Does what is due at `context.now`. To be called for every cycle that `next_event` gives, in order.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        if self.sio.next_event() <= context.now {
            self.sio.wake(context);
        }
        if self.next <= context.now {
            self.wake_board(context);
            self.wake_due(context);
            self.follow_moves(context);
            self.schedule();
        }
    }

    /// The block of a register, and its offset there.
    pub fn register_name(address: u32) -> String {
        match decode(address) {
            (Target::Block(entry), offset) => format!("{} offset {offset:#05x}", entry.block),
            _ if address >> 28 == 0xd => format!("SIO offset {:#05x}", sio::offset(address)),
            _ => format!("{address:#010x}"),
        }
    }

    /// What the machine has to do, if something came up since the last call.
    #[inline]
    pub fn take_signals(&mut self) -> Option<Signals> {
        self.signals.take()
    }

    /// Acts on the stream from flash, whose registers are among those of the cache.
    pub(super) fn with_stream<T>(&mut self, act: impl FnOnce(&mut xip_stream::XipStream) -> T) -> T {
        let result = act(&mut self.xip_stream);
        self.schedule();
        result
    }

    /// The ticks that `SysTick` counts when its clock source is the reference (2.4.5.1.1).
    pub fn reference_ticks(&self) -> &Ticks {
        self.watchdog.ticks()
    }

    /// Drives a clock into a pin from the outside, at `rate` Hz.
    pub fn set_gpin(&mut self, index: usize, rate: u32, context: &mut Context<'_>) {
        self.gpin[index & 1] = u64::from(rate);
        self.update_clocks(context);
        self.schedule();
    }

    /// The block at an address and the offset in it, if it answers. `None` where there is nothing.
    fn reach(&self, address: u32, context: &mut Context<'_>) -> Option<Reached> {
        if let Some(offset) = usb::dpram_offset(address) {
            if !self.holds_usb() {
                return Some(Reached::Dpram(offset));
            }
            context.diagnostics.misuse(blocks::USBCTRL.name, 0, HELD, context.now);
            return Some(Reached::Silence);
        }
        match decode(address) {
            // What each program of the SDK does at its start.
            (Target::Block(_), usb::SIE_CTRL) if address >> 16 == blocks::USBCTRL.base >> 16 && self.holds_usb() => {}
            (Target::Block(entry), _) if self.is_held(entry.block) => {
                context.diagnostics.misuse(entry.block.name, 0, HELD, context.now);
            }
            (Target::Block(entry), offset) => return Some(Reached::Block(entry, offset)),
            (Target::Nothing, _) => return None,
        }
        Some(Reached::Silence)
    }

    fn is_held(&self, block: &Block) -> bool {
        block.is_reset_by(self.resets.held())
    }

    fn holds_usb(&self) -> bool {
        self.is_held(&blocks::USBCTRL)
    }

    fn schedule(&mut self) {
        self.next = self.earliest_event().min(self.board.next_event()).min(self.next_watched_move());
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

/// What an access finds where the chip has a block.
enum Reached {
    /// A register, at an offset.
    Block(&'static Entry<Peripherals>, u32),
    /// The memory of USB, at an offset.
    Dpram(u32),
    /// A block that reads as 0 and ignores writes: held in reset, or not modelled.
    Silence,
}
