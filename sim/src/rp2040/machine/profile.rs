//! Profiles of the chip.

use crate::core::profile::{Activity, Place, Places, Profile, Setup};
use crate::image::Image;
use crate::rp2040::bootrom;
use crate::rp2040::machine::Machine;
use std::ops::Range;

/// `SPINLOCK0` to `SPINLOCK31` (DS 2.3.1.7).
const SPINLOCKS: Range<u32> = 0xd000_0100..0xd000_0180;
/// Where `FreeRTOS` holds the current task: of each core, or of the only one.
const CURRENT_TASKS: [(&str, u32); 2] = [("pxCurrentTCBs", 8), ("pxCurrentTCB", 4)];

impl Machine {
    /// Records from now on what the cores spend their time on, instead of what was recorded so far, and times each call of
    /// a function.
    pub fn start_profile(&mut self, image: &Image, timed: Option<u32>) {
        let rom = Place { range: 0..bootrom::SIZE as u32, is_function: true };
        // Labels within functions, and those of a linker script, have no size.
        let symbols = image.symbols.iter().filter(|symbol| symbol.is_function || symbol.size > 0).map(|symbol| {
            // A function of an assembler may have none either: it goes up to the next one.
            let size = if symbol.size == 0 { u32::MAX / 2 } else { symbol.size };
            Place { range: symbol.address..symbol.address.saturating_add(size), is_function: symbol.is_function }
        });
        let current = CURRENT_TASKS.iter().find_map(|(name, bytes)| Some((image.symbol(name)?, *bytes)));
        let current_tasks = current.map_or(0..0, |(address, bytes)| address..address.saturating_add(bytes));
        let task = |core: usize| {
            let address = current_tasks.start + 4 * core as u32;
            if current_tasks.contains(&address) { self.peek(address).unwrap_or(0) } else { 0 }
        };
        let states = [0, 1].map(|number| match self.core(number).state() {
            "running" => Activity::Executes,
            "asleep" => Activity::Sleeps,
            _ => Activity::Off,
        });
        let tasks = [task(0), task(1)];
        let places = Places::new(symbols.chain([rom]));
        let setup = Setup { places, locks: SPINLOCKS, current_tasks, tasks, states, timed };
        self.bus.fabric.watch.profile = Some(Box::new(Profile::new(setup, self.now())));
    }

    /// What was recorded up to now; the recording ends.
    pub fn take_profile(&mut self) -> Option<Box<Profile>> {
        let now = self.now();
        let mut profile = self.bus.fabric.watch.profile.take()?;
        profile.finish(now);
        Some(profile)
    }
}
