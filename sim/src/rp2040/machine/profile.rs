//! Profiles of the chip.

use crate::core::profile::{Activity, Hunt, Place, Places, Ports, Profile, Setup, Tasks};
use crate::image::Image;
use crate::rp2040::bootrom;
use crate::rp2040::machine::Machine;
use std::ops::Range;

/// `SPINLOCK0` to `SPINLOCK31` (DS 2.3.1.7).
const SPINLOCKS: Range<u32> = 0xd000_0100..0xd000_0180;

/// `DIV_UDIVIDEND` and `FIFO_WR` (DS 2.3.1.7).
const PORTS: Ports = Ports { divider: 0xd000_0060, fifo: 0xd000_0054, rom_end: bootrom::SIZE as u32 };

/// Main memory, and the two small banks (DS 2.6.2).
const BANKS: [u32; 4] = [0x2000_0000, 0x2004_0000, 0x2004_1000, 0x2004_2000];

/// Bytes (DS 2.6.3).
const CACHE_LINE: usize = 8;

impl Machine {
    /// Records from now on what the cores spend their time on, instead of what was recorded so far, and times each call of
    /// a function.
    pub fn start_profile(&mut self, image: &Image, timed: Option<u32>) {
        self.record(image, timed, None);
    }

    /// The same for a hunt for faults.
    pub fn start_hunt(&mut self, image: &Image) {
        self.record(image, None, Some(Box::new(new_hunt(image))));
    }

    /// The same of a run that is hunted once more, for the last writers of some words, and for data races on those of which it is
    /// known by then that they are shared.
    pub fn start_hunt_again(
        &mut self,
        image: &Image,
        words: impl IntoIterator<Item = u32>,
        shared: impl IntoIterator<Item = u32>,
    ) {
        self.record(image, None, Some(Box::new(new_hunt(image).again(words, shared))));
    }

    fn record(&mut self, image: &Image, timed: Option<u32>, hunt: Option<Box<Hunt>>) {
        let rom = Place { range: 0..bootrom::SIZE as u32, is_function: true };
        let kernel = image.kernel();
        let mut tasks = Tasks::new(kernel);
        for (core, address) in kernel.current.into_iter().enumerate().filter(|&(_, address)| address != 0) {
            tasks.begin(core, self.peek(address).unwrap_or(0), |address| self.peek(address));
        }
        let states = [0, 1].map(|number| match self.core(number).state() {
            "running" => Activity::Executes,
            "asleep" => Activity::Sleeps,
            _ => Activity::Off,
        });
        let places = Places::new(image.places().chain([rom]));
        let setup = Setup { places, locks: SPINLOCKS, tasks, states, timed, hunt };
        let profile = Profile::new(setup, self.now());
        self.bus.fabric.watch.set_profile(Some(profile));
    }

    /// Sets code and data apart from now on, as if each range were in a memory of its own: an access takes one cycle, no other
    /// master is in its way, and it has no part in the flash cache. It is an estimate of what moving them would bring.
    pub fn set_apart(&mut self, ranges: Vec<Range<u32>>) {
        for address in ranges
            .iter()
            .flat_map(|range| (range.start & !7..range.end).step_by(CACHE_LINE))
            .filter(|&at| at >> 28 == 1)
        {
            self.bus.xip.forget(address);
        }
        self.bus.fabric.watch.set_apart(ranges);
    }

    /// What was recorded up to now; the recording ends.
    pub fn take_profile(&mut self) -> Option<Box<Profile>> {
        let now = self.now();
        let mut profile = self.bus.fabric.watch.set_profile(None)?;
        profile.finish(now);
        Some(profile)
    }
}

fn new_hunt(image: &Image) -> Hunt {
    Hunt::new(PORTS, image.stack_finder(&BANKS), image.first_stack())
}
