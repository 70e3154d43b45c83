//! Sleep by `wfi` and `h3.block` (RP2350 datasheet 3.8.6.3).

use crate::isa::hazard3::csr::SleepSettings;

/// What an instruction in stage M waits for.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Wait {
    /// An interrupt.
    Interrupt,
    /// An interrupt, or that the core is unblocked.
    Unblocked,
}

#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
enum State {
    #[default]
    Awake,
    Entering,
    Asleep,
    Leaving,
}

/// See the module.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub struct Sleep {
    state: State,
    /// The instruction that waits goes on in this cycle.
    pub releases: bool,
    /// The clock is stopped.
    pub is_stopped: bool,
    /// It was unblocked, and has not been blocked since.
    unblocked: bool,
}

impl Sleep {
    /// Whether it neither sleeps nor has just been woken.
    pub fn is_awake(&self) -> bool {
        self.state == State::Awake && !self.releases && !self.is_stopped
    }

    /// Ends a cycle. `wakes` says whether an interrupt is pending, and `rests` whether the front end has come to rest.
    pub fn clock(&mut self, wait: Option<Wait>, settings: SleepSettings, wakes: bool, rests: bool, unblocked: bool) {
        let released = std::mem::take(&mut self.releases);
        let has_reason = match wait {
            Some(Wait::Interrupt) => wakes,
            Some(Wait::Unblocked) => wakes || self.unblocked,
            None => false,
        };
        let goes_deep =
            (settings.powers_down || settings.stops_clock) && (wait == Some(Wait::Interrupt) || settings.on_block);
        match self.state {
            State::Awake if wait.is_some() && !released => {
                if has_reason {
                    self.releases = true;
                } else if goes_deep && rests {
                    self.is_stopped = settings.stops_clock;
                    self.state = if settings.powers_down { State::Entering } else { State::Asleep };
                }
            }
            State::Entering => self.state = State::Asleep,
            State::Asleep if has_reason => {
                self.is_stopped = false;
                self.state = State::Leaving;
            }
            State::Awake | State::Asleep => {}
            State::Leaving => {
                self.state = State::Awake;
                self.releases = true;
            }
        }
        let blocks = wait == Some(Wait::Unblocked) && released;
        self.unblocked = self.unblocked && !blocks || unblocked;
    }
}
