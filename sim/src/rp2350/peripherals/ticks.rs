//! The tick generators: what timers, MTIME and the watchdog count (DS 8.5).

use crate::core::time::{Cycle, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use crate::rp2::tick_generator::TickGenerator;

/// `TICKS`.
pub const TICKS: Block = Block { clock: Clock::Ref, effect: Effect::Ticks, ..Block::new("TICKS", 0x4010_8000) };

/// Generators, in the order of their registers.
const GENERATORS: usize = 6;
/// The generator of `TIMER0`; that of `TIMER1` follows.
pub const TIMER0: usize = 2;
/// The generator of the watchdog.
pub const WATCHDOG: usize = 4;
/// The generator of MTIME.
pub const RISCV: usize = 5;

/// CTRL, CYCLES and COUNT of each generator (DS 8.5.2).
const STRIDE: u32 = 12;
const ENABLE: u32 = 1;
const RUNNING: u32 = 2;

/// The block.
#[derive(Clone, Debug, Hash)]
pub struct TickGenerators([TickGenerator; GENERATORS]);

impl TickGenerators {
    /// The ticks of a generator.
    pub fn ticks(&self, generator: usize) -> &Ticks {
        self.0[generator % GENERATORS].ticks()
    }
}

impl Peripheral for TickGenerators {
    fn new(_: &'static Block) -> Self {
        Self(std::array::from_fn(|_| TickGenerator::new(false)))
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let generator = self.0.get((offset / STRIDE) as usize)?;
        Some(match offset % STRIDE {
            0 => (u32::from(generator.is_enabled()) * ENABLE) | (u32::from(generator.runs()) * RUNNING),
            4 => generator.cycles(),
            _ => generator.left(now),
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let Some(generator) = self.0.get_mut((offset / STRIDE) as usize) else {
            return context.diagnostics.unmodelled(TICKS.name, offset, "write to", context.now);
        };
        match offset % STRIDE {
            0 => generator.set(value & ENABLE != 0, generator.cycles(), context.now),
            4 => generator.set(generator.is_enabled(), value, context.now),
            _ => {}
        }
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        for generator in &mut self.0 {
            generator.clocks_changed(now, clocks);
        }
    }
}
