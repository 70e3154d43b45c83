//! Exceptions and misses of a run over time, as Python takes them.

use intercore_sim::core::chip::Chip;
use intercore_sim::core::time::Cycle;
use intercore_sim::core::watch::CoreEvent;
use intercore_sim::observe::timeline::exception;

/// When which core entered (true) or left an exception, and its name; without a name it has left all of them, by a reset.
type Exception = (Cycle, u8, bool, Option<String>);
/// Exceptions in order, and how often each core missed the flash cache.
pub type Recorded = (Vec<Exception>, [u64; 2]);

/// All that was recorded since this was last called.
pub fn recorded<C: Chip>(chip: &mut C) -> Recorded {
    let mut misses = [0; 2];
    let mut exceptions = Vec::new();
    for (cycle, core, event) in chip.watch_mut().take_timeline() {
        match event {
            CoreEvent::Enters(number) => exceptions.push((cycle, core, true, Some(exception::<C>(number)))),
            CoreEvent::Leaves(number) => exceptions.push((cycle, core, false, Some(exception::<C>(number)))),
            CoreEvent::Starts | CoreEvent::Stops => exceptions.push((cycle, core, false, None)),
            CoreEvent::Misses => misses[usize::from(core & 1)] += 1,
            _ => {}
        }
    }
    (exceptions, misses)
}
