//! The peripherals as software sees them: words at addresses, by a core, in a time that goes on.

use intercore_sim::stm32h745::peripherals::Peripherals;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes, Supply};
use intercore_sim::stm32h745::{M7, SECOND, Time};

pub const MICROSECOND: Time = SECOND / 1_000_000;

pub const RCC: u32 = 0x5802_4400;
pub const RCC_CR: u32 = RCC;
pub const RCC_CFGR: u32 = RCC + 0x10;
pub const RCC_D1CFGR: u32 = RCC + 0x18;
pub const RCC_D2CFGR: u32 = RCC + 0x1c;
pub const RCC_D3CFGR: u32 = RCC + 0x20;
pub const RCC_PLLCKSELR: u32 = RCC + 0x28;
pub const RCC_PLLCFGR: u32 = RCC + 0x2c;
pub const RCC_PLL1DIVR: u32 = RCC + 0x30;
pub const RCC_PLL1FRACR: u32 = RCC + 0x34;
pub const RCC_D2CCIP2R: u32 = RCC + 0x54;
pub const RCC_GCR: u32 = RCC + 0xa0;
pub const RCC_RSR: u32 = RCC + 0xd0;
pub const RCC_AHB4ENR: u32 = RCC + 0xe0;
pub const RCC_APB1LENR: u32 = RCC + 0xe8;
pub const RCC_APB4ENR: u32 = RCC + 0xf4;
pub const PWR_CR1: u32 = 0x5802_4800;
pub const PWR_CSR1: u32 = 0x5802_4804;
pub const PWR_CR3: u32 = 0x5802_480c;
pub const PWR_D3CR: u32 = 0x5802_4818;
pub const FLASH_ACR: u32 = 0x5200_2000;
pub const SYSCFG_PWRCR: u32 = 0x5800_042c;
pub const HSEM: u32 = 0x5802_6400;
pub const TIM2: u32 = 0x4000_0000;
pub const TIM3: u32 = 0x4000_0400;
pub const TIM5: u32 = 0x4000_0c00;
pub const USART3: u32 = 0x4000_4800;
pub const GPIOA: u32 = 0x5802_0000;
pub const GPIOB: u32 = 0x5802_0400;
pub const GPIOD: u32 = 0x5802_0c00;
pub const EXTI: u32 = 0x5800_0000;
pub const IWDG1: u32 = 0x5800_4800;

/// A chip and the time.
pub struct Bus {
    pub chip: Peripherals,
    pub now: Time,
}

impl Bus {
    /// A Nucleo board.
    pub fn new() -> Self {
        Self::on(Board::default())
    }

    pub fn on(board: Board) -> Self {
        Self { chip: Peripherals::new(OptionBytes::default(), board), now: 0 }
    }

    /// A board whose core is supplied by the regulator.
    pub fn with_regulator() -> Self {
        Self::on(Board { supply: Supply::Ldo, ..Board::default() })
    }

    pub fn read_by(&mut self, core: usize, address: u32) -> u32 {
        self.now += 1;
        self.chip.read(core, address, 4, self.now).expect("there is a block")
    }

    pub fn write_by(&mut self, core: usize, address: u32, value: u32) {
        self.now += 1;
        self.chip.write(core, address, value, 4, self.now).expect("there is a block");
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.read_by(M7, address)
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.write_by(M7, address, value);
    }

    /// Sets bits.
    pub fn set(&mut self, address: u32, bits: u32) {
        let value = self.read(address);
        self.write(address, value | bits);
    }

    pub fn wait(&mut self, time: Time) {
        self.now += time;
        self.chip.advance(self.now);
    }

    /// Polls until bits are set, as software does, for a tenth of a second.
    pub fn until(&mut self, address: u32, bits: u32) -> bool {
        for _ in 0..100_000 {
            if self.read(address) & bits == bits {
                return true;
            }
            self.wait(MICROSECOND);
        }
        false
    }

    /// The sentences of all reports since the last call.
    pub fn reports(&mut self) -> Vec<String> {
        self.chip.reports.take().into_iter().map(|report| report.sentence).collect()
    }

    /// The clock of a block, for this core.
    pub fn enable(&mut self, core: usize, register: u32, bit: u32) {
        let value = self.read_by(core, register);
        self.write_by(core, register, value | 1 << bit);
    }
}

/// Whether one of the sentences has this part.
#[track_caller]
pub fn assert_reported(reports: &[String], part: &str) {
    assert!(reports.iter().any(|sentence| sentence.contains(part)), "{part:?} is not in {reports:#?}");
}
