//! Profiles of the chip: instructions of each core, by function and caller. It has no time that could be told.

use crate::core::access::Width;
use crate::core::chip::Chip;
use crate::core::profile::{Activity, Kernel, Places, Profile, Setup, Tasks};
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
        let kernels = [0, 1].map(|core| images.get(core).map_or_else(Kernel::default, Image::kernel));
        // Both are built alike.
        let [first, second] = kernels;
        let current = kernels.map(|kernel| kernel.current[0]);
        let mut tasks = Tasks::new(Kernel { current, ..if first.names_at.is_empty() { second } else { first } });
        for (core, address) in current.into_iter().enumerate().filter(|&(_, address)| address != 0) {
            tasks.begin(core, self.word(core, address).unwrap_or(0), |address| self.word(core, address));
        }
        let states = [0, 1].map(|core| match self.core(core).power_state {
            PowerState::Running => Activity::Executes,
            PowerState::Asleep => Activity::Sleeps,
            _ => Activity::Off,
        });
        let places = Places::new(images.iter().flat_map(Image::places));
        let setup = Setup { places, locks: 0..0, tasks, states, timed, hunt: None };
        self.shared.watch.profile = Some(Box::new(Profile::new(setup, self.now)));
    }

    /// Takes note of the task that a core has just begun.
    pub(super) fn note_task(&mut self) {
        let begun = self.shared.watch.profile.as_mut().and_then(|profile| profile.tasks.take_begun());
        if let Some(begun) = begun {
            let name = begun.name(|address| self.word(begun.core, address));
            if let Some(profile) = &mut self.shared.watch.profile {
                profile.tasks.set(begun, name);
            }
        }
    }

    fn word(&self, core: usize, address: u32) -> Option<u32> {
        self.peek_bytes(core, address, 4).try_into().ok().map(u32::from_le_bytes)
    }

    /// What was recorded up to now; the recording ends.
    pub fn take_profile(&mut self) -> Option<Box<Profile>> {
        let mut profile = self.shared.watch.profile.take()?;
        profile.finish(self.now);
        Some(profile)
    }
}
