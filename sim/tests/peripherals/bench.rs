//! All peripherals on a desk, with a clock in hand.

use intercore_sim::core::diagnostics::Diagnostics;
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2::clock::Clocks;
use intercore_sim::rp2::irq::IrqLines;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::{Context, Peripherals};

pub const CLOCKS: u32 = 0x4000_8000;
pub const RESETS: u32 = 0x4000_c000;
pub const PSM: u32 = 0x4001_0000;
pub const IO_BANK0: u32 = 0x4001_4000;
pub const XOSC: u32 = 0x4002_4000;
pub const PLL_SYS: u32 = 0x4002_8000;
pub const PLL_USB: u32 = 0x4002_c000;
pub const BUSCTRL: u32 = 0x4003_0000;
pub const UART0: u32 = 0x4003_4000;
pub const PWM: u32 = 0x4005_0000;
pub const TIMER: u32 = 0x4005_4000;
pub const WATCHDOG: u32 = 0x4005_8000;
pub const DMA: u32 = 0x5000_0000;
/// Offsets of the atomic aliases.
pub const SET: u32 = 0x2000;
pub const CLR: u32 = 0x3000;

pub struct Bench {
    pub p: Peripherals,
    pub clocks: Clocks,
    pub irq: IrqLines,
    pub diagnostics: Diagnostics,
    pub now: Cycle,
}

impl Bench {
    /// At power-on.
    pub fn new() -> Self {
        let (irq, diagnostics) = (IrqLines::default(), Diagnostics::default());
        Self { p: Peripherals::new(), clocks: Clocks::at_power_on(), irq, diagnostics, now: 0 }
    }

    /// After the SDK's start-up code: 125 MHz from the crystal, ticks of 1 µs, nothing held in reset.
    pub fn started() -> Self {
        let mut bench = Self::new();
        bench.write(RESETS, 0);
        bench.start_clocks();
        bench.diagnostics.take();
        bench
    }

    fn start_clocks(&mut self) {
        self.write(XOSC + 0x0c, 47);
        self.write(XOSC, 0x00fa_baa0);
        self.poll(XOSC + 4, |status| status >> 31 == 1);
        self.write(PLL_SYS, 1);
        self.write(PLL_SYS + 8, 125);
        self.write(PLL_SYS + 4 + CLR, 0x21);
        self.poll(PLL_SYS, |cs| cs >> 31 == 1);
        self.write(PLL_SYS + 0xc, 6 << 16 | 2 << 12);
        self.write(PLL_SYS + 4 + CLR, 8);
        self.write(CLOCKS + 0x30, 2);
        self.poll(CLOCKS + 0x38, |selected| selected == 4);
        self.write(CLOCKS + 0x3c + SET, 1);
        self.poll(CLOCKS + 0x44, |selected| selected == 2);
        self.write(CLOCKS + 0x48, 1 << 11);
        self.write(WATCHDOG + 0x2c, 1 << 9 | 12);
    }

    /// The USB PLL gives 48 MHz, as after the SDK's start-up code.
    pub fn start_usb_pll(&mut self) {
        for (offset, value) in [(8, 100), (4, 0), (0xc, 5 << 16 | 5 << 12)] {
            self.write(PLL_USB + offset, value);
        }
    }

    /// Does something with the peripherals in the present cycle.
    pub fn with<R>(&mut self, action: impl FnOnce(&mut Peripherals, &mut Context<'_>) -> R) -> R {
        let mut context =
            Context { now: self.now, clocks: &mut self.clocks, irq: &mut self.irq, diagnostics: &mut self.diagnostics };
        action(&mut self.p, &mut context)
    }

    /// Reads a word; nothing reads as 0.
    pub fn read(&mut self, address: u32) -> u32 {
        self.with(|p, context| p.read(address, context).unwrap_or(0))
    }

    /// Writes a word.
    pub fn write(&mut self, address: u32, value: u32) {
        self.with(|p, context| p.write(address, value, context));
    }

    /// Lets time pass to cycle `to`, waking the peripherals when they ask for it.
    pub fn until(&mut self, to: Cycle) {
        while self.p.next_event() <= to {
            self.now = self.now.max(self.p.next_event());
            self.with(Peripherals::wake);
        }
        self.now = self.now.max(to);
    }

    /// Lets `cycles` cycles pass.
    pub fn wait(&mut self, cycles: Cycle) {
        self.until(self.now + cycles);
    }

    /// Reads a word every four cycles until it is as wished.
    pub fn poll(&mut self, address: u32, wish: impl Fn(u32) -> bool) {
        for _ in 0..1_000_000 {
            if wish(self.read(address)) {
                return;
            }
            self.wait(4);
        }
        panic!("{address:#x} never becomes as wished");
    }

    /// The level of an interrupt line.
    pub fn line(&self, irq: Irq) -> bool {
        self.line_of(0, irq)
    }

    /// The level of an interrupt line at a core.
    pub fn line_of(&self, core: usize, irq: Irq) -> bool {
        self.irq.of_core(core) >> irq as u8 & 1 == 1
    }

    /// The cycle in which a line next rises, within `limit` cycles.
    pub fn rises(&mut self, irq: Irq, limit: Cycle) -> Option<Cycle> {
        let end = self.now + limit;
        while !self.line(irq) && self.p.next_event() <= end {
            self.until(self.p.next_event());
        }
        self.line(irq).then_some(self.now)
    }
}
