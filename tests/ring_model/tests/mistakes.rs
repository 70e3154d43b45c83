//! The check can fail: each mistake that is put into the code of the ring, or of the vring, is found by one of the small cases.

use ring_model::case::{Case, by_vring, check, polling};
use ring_model::variants::{MISTAKEN, MISTAKEN_VRING, Mistaken};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// So long, at most, a case is run with a mistake that it may not find.
const LIMIT: Duration = Duration::from_secs(60);

fn cases() -> Vec<Case> {
    vec![
        polling(32, &[], &[8, 8]),
        polling(40, &[8, 8], &[8, 8]),
        polling(24, &[], &[8, 8]),
        polling(32, &[], &[8]).receiver_sleeping(),
        polling(16, &[], &[0, 0]).sender_sleeping(),
        polling(32, &[8], &[16]).sender_sleeping().receiver_sleeping(),
    ]
}

/// By a vring of one buffer.
fn vring_cases() -> Vec<Case> {
    vec![
        by_vring(1, 0, 2),
        by_vring(1, 0, 1).receiver_sleeping(),
        by_vring(1, 0, 2).sender_sleeping(),
        by_vring(1, 1, 1).sender_sleeping().receiver_sleeping(),
    ]
}

/// What loom, or the case, says of the first execution that goes wrong.
fn complaint(ring: &'static ring_model::Ring, cases: &[Case]) -> Option<String> {
    cases.iter().find_map(|case| {
        let panic = catch_unwind(AssertUnwindSafe(|| check(ring, case, LIMIT))).err()?;
        let text = panic.downcast_ref::<String>().cloned();
        Some(text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default())
    })
}

#[test]
#[ignore = "a minute, and it tests the tests"]
fn every_mistake_is_found() {
    std::panic::set_hook(Box::new(|_| {})); // that they panic is what is wanted
    let mut missed = missed(MISTAKEN, &cases());
    missed.extend(self::missed(MISTAKEN_VRING, &vring_cases()));
    let _ = std::panic::take_hook();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// The mistakes that none of the cases finds in any direction.
fn missed(mistaken: Mistaken, cases: &[Case]) -> Vec<&'static str> {
    let mut missed = Vec::new();
    for (name, rings) in mistaken {
        let began = std::time::Instant::now();
        let found = rings.iter().find_map(|ring| complaint(ring, cases));
        let line = found.as_deref().unwrap_or("NOT FOUND").trim().lines().next().unwrap_or_default().to_owned();
        println!("{name}: {line} ({:.1} s)", began.elapsed().as_secs_f64());
        if found.is_none_or(|text| text.contains("could not all be seen")) {
            missed.push(*name);
        }
    }
    missed
}
