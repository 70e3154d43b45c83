//! Interrupt lines to the cores' NVICs.
//!
//! The table of RM0399 section 20 was not at hand. Positions are those of ST's header `stm32h745xx.h` (`IRQn_Type`),
//! and of Zephyr's device trees `stm32h7.dtsi` and `stm32h745Xi_m4.dtsi`, which agree for timers, USART3 and HSEM. HSEM's
//! first interrupt goes to CPU1 alone, and the second to CPU2 (RM0399 Table 152).

/// Interrupts that each core's NVIC has.
pub const INTERRUPTS: u8 = 150;

/// TIM2 to TIM5.
pub const TIMER_INTERRUPTS: [u8; 4] = [28, 29, 30, 50];
/// USART3.
pub const USART3_INTERRUPT: u8 = 39;
/// HSEM for CPU1, and for CPU2.
pub const HSEM_INTERRUPT: [u8; 2] = [125, 126];

/// Levels of a core's interrupt lines, by their position in the vector table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InterruptLines(pub [u32; 5]);

impl InterruptLines {
    /// Whether a line is high.
    pub fn is_high(&self, interrupt: u8) -> bool {
        self.0.get(interrupt as usize / 32).is_some_and(|word| word >> (interrupt % 32) & 1 != 0)
    }

    /// Sets the level of a line.
    pub fn set(&mut self, interrupt: u8, high: bool) {
        if let Some(word) = self.0.get_mut(interrupt as usize / 32) {
            let bit = 1 << (interrupt % 32);
            *word = if high { *word | bit } else { *word & !bit };
        }
    }
}
