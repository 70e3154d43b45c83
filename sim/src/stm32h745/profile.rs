//! Profiles of the chip: instructions of each core, by function and caller. It has no time that could be told.

use crate::core::access::Width;
use crate::core::profile::{Activity, Places, Profile, Setup};
use crate::image::Image;
use crate::stm32h745::core::PowerState;
use crate::stm32h745::machine::Machine;
use crate::stm32h745::port::Shared;

impl Shared {
    /// The halfword of a program at an address; 0 where there is no memory.
    pub(crate) fn code_half(&self, core: usize, address: u32) -> u32 {
        self.locate(core, address).map_or(0, |location| self.memory.read(location, Width::Half))
    }
}

impl Machine {
    /// Records from now on what the cores execute, instead of what was recorded so far, and times each call of a function.
    /// The images are those of core 0 and core 1.
    pub fn start_profile(&mut self, images: &[Image], timed: Option<u32>) {
        let kernel = |core: usize| images.get(core).map_or(0, |image| image.current_tasks()[0]);
        let current_tasks = [kernel(0), kernel(1)];
        let mut tasks = [0; 2];
        for (core, address) in current_tasks.into_iter().enumerate().filter(|&(_, address)| address != 0) {
            tasks[core] = self.shared.code_half(core, address) | self.shared.code_half(core, address + 2) << 16;
        }
        let states = [0, 1].map(|core| match self.core(core).power_state {
            PowerState::Running => Activity::Executes,
            PowerState::Asleep => Activity::Sleeps,
            _ => Activity::Off,
        });
        let places = Places::new(images.iter().flat_map(Image::places));
        let setup = Setup { places, locks: 0..0, current_tasks, tasks, states, timed };
        self.shared.watch.profile = Some(Box::new(Profile::new(setup, self.now)));
    }

    /// What was recorded up to now; the recording ends.
    pub fn take_profile(&mut self) -> Option<Box<Profile>> {
        let mut profile = self.shared.watch.profile.take()?;
        profile.finish(self.now);
        Some(profile)
    }
}
