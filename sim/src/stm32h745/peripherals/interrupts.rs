//! Lines to the cores' interrupt controllers.

/// Interrupts that each core's NVIC has.
pub const INTERRUPTS: u8 = 150;

/// Levels of a core's interrupt lines, by their position in the vector table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InterruptLines(pub [u32; 5]);

impl InterruptLines {
    /// Whether a line is high.
    #[must_use]
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
