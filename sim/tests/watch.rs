//! Watched addresses: what a core may pass without asking.

use intercore_sim::core::watch::{Watch, Watchpoints};
use proptest::prelude::*;

proptest! {
    #[test]
    fn all_that_is_watched_is_asked_for_and_little_else(first in any::<u32>(), bytes in 1..10_000_u32, at in any::<u32>()) {
        let mut watched = Watchpoints::default();
        watched.probe(Watch::Execute, first, bytes);
        let last = first.saturating_add(bytes - 1);
        prop_assert!(watched.may_watch(first + at % (last - first + 1)));
        prop_assert!(bytes > 9 || (0..1024).filter(|word| watched.may_watch(4 * word)).count() <= 4);
    }
}
