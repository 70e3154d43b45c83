//! The interrupt lines from the peripherals to the cores.

/// The level of each interrupt line, one bit per number: of those that go to both cores, and of those that each core has of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IrqLines {
    both: u64,
    own: [u64; 2],
}

impl IrqLines {
    /// Sets the level of a line to both cores.
    pub fn set(&mut self, irq: impl Into<u8>, level: bool) {
        put(&mut self.both, irq.into(), level);
    }

    /// Sets the levels of a line that each core has of its own.
    pub fn set_each(&mut self, irq: impl Into<u8>, levels: [bool; 2]) {
        let irq = irq.into();
        for (own, level) in self.own.iter_mut().zip(levels) {
            put(own, irq, level);
        }
    }

    /// Lowers a line, whichever cores it goes to.
    pub fn lower(&mut self, irq: impl Into<u8>) {
        let irq = irq.into();
        self.set(irq, false);
        self.set_each(irq, [false; 2]);
    }

    /// The lines as a core sees them.
    pub fn of_core(&self, core: usize) -> u64 {
        self.both | self.own[core & 1]
    }
}

fn put(lines: &mut u64, irq: u8, level: bool) {
    let bit = 1 << (irq & 63);
    *lines = if level { *lines | bit } else { *lines & !bit };
}
