//! What is told of a program's mistakes is bounded, however many it makes.

use intercore_sim::core::address_log::{AddressLog, MAX_NAMED};
use intercore_sim::stm32h745::Time;
use intercore_sim::stm32h745::report::{MAX_KINDS, Reports};
use proptest::prelude::*;

#[test]
fn take_of_a_million_addresses_is_bounded() {
    let mut places = AddressLog::default();
    (0..1_000_000_u32).for_each(|index| places.note(4 * index, u64::from(index)));
    let expected: Vec<_> = (0..MAX_NAMED as u32).map(|index| (u64::from(index), 4 * index)).collect();
    assert_eq!(places.take(), expected);
    assert_eq!(places.take_count(), Some(1_000_000));
    assert_eq!(places.take_count(), None, "nothing happened since");
    places.note(0, 1_000_000);
    places.note(u32::MAX, 1_000_001);
    assert_eq!((places.take().len(), places.take_count()), (0, Some(1_000_002)));
}

#[test]
fn take_of_few_addresses_returns_all() {
    let mut places = AddressLog::default();
    (0..1000).for_each(|time| places.note(time as u32 % MAX_NAMED as u32, time));
    assert_eq!((places.take().len(), places.take_count(), places.accesses()), (MAX_NAMED, None, 1000));
}

#[test]
fn a_mistake_at_a_million_addresses_is_as_many_reports_as_are_named_and_a_count() {
    let mut reports = Reports::default();
    for index in 0..1_000_000_u32 {
        reports.record(Some(1), 32 * index, Time::from(index), "stores to flash");
    }
    let taken = reports.take();
    assert_eq!(taken.len(), MAX_NAMED + 1);
    assert!(taken.is_sorted_by_key(|report| report.time));
    assert!(taken.last().is_some_and(|report| report.sentence.contains("1000000 times")), "{taken:?}");
    assert_eq!(reports.take(), []);
}

#[test]
fn a_new_mistake_each_time_is_as_many_kinds_as_are_kept_and_a_count() {
    let mut reports = Reports::default();
    (0..10_000_u64).for_each(|rate| reports.record(None, 0, rate, format!("its VCO is to run at {rate} Hz")));
    let taken = reports.take();
    assert_eq!(taken.len(), MAX_KINDS + 1);
    assert!(
        taken.last().is_some_and(|report| report.sentence.contains(&(10_000 - MAX_KINDS).to_string())),
        "{taken:?}"
    );
}

proptest! {
    #[test]
    fn take_is_independent_of_the_order_of_notes(
        all in proptest::collection::vec((0..60_u32, 0..50_u64), 0..200),
        ahead: u64,
    ) {
        let noted = |accesses: &[(u32, u64)]| {
            let mut places = AddressLog::default();
            for &(place, time) in accesses {
                places.note(place, time);
            }
            (places.take(), places.take_count())
        };
        let mut mixed = all.clone();
        mixed.sort_by_key(|&(place, time)| (u64::from(place) + 100 * time).wrapping_mul(ahead | 1));
        prop_assert_eq!(noted(&all), noted(&mixed));
    }
}
