//! The ring and the vring in small cases, through all executions. Those that take longer are for `make test-long`.
//!
//! Records are 8 bytes longer than their messages, rounded up to 8. Before the two ends work at the same time, some
//! messages have gone through, which decides where in the ring they meet.

use ring_model::Ring;
use ring_model::case::{Case, by_vring, check, polling};
use ring_model::variants::{DEVICE_SENDS_1, DEVICE_SENDS_2, DRIVER_SENDS_1, DRIVER_SENDS_2, RIGHT};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3000);

fn holds(case: &Case) {
    holds_for(&RIGHT, case);
}

/// Through vrings of one buffer, or of two, whose driver sends, and whose device does.
fn holds_by_vring(buffers: u32, case: &Case) {
    for ring in if buffers == 1 { [&DRIVER_SENDS_1, &DEVICE_SENDS_1] } else { [&DRIVER_SENDS_2, &DEVICE_SENDS_2] } {
        holds_for(ring, case);
    }
}

fn holds_for(ring: &'static Ring, case: &Case) {
    let executions = check(ring, case, LIMIT);
    println!("{executions} executions of {case:?}");
    assert!(executions > 50, "only {executions}: the two ends do not meet");
}

#[test]
fn the_sender_runs_ahead_until_the_ring_is_full() {
    holds(&polling(32, &[], &[8, 8]));
    holds(&polling(16, &[], &[0, 0]));
}

#[test]
fn a_record_ends_where_the_ring_ends() {
    holds(&polling(32, &[8], &[8, 8]));
}

#[test]
fn a_record_goes_to_the_beginning() {
    holds(&polling(40, &[8, 8], &[8, 8]));
}

#[test]
fn a_record_that_fits_at_neither_end_waits_for_the_receiver_to_come_to_the_beginning() {
    holds(&polling(32, &[8], &[16]));
    holds(&polling(24, &[], &[8, 8]));
}

#[test]
fn less_is_sent_than_was_reserved() {
    holds(&Case { spare: 8, ..polling(40, &[8], &[8, 8]) });
}

#[test]
fn a_receiver_that_sleeps_is_woken() {
    holds(&polling(32, &[], &[8]).receiver_sleeping());
}

#[test]
fn a_sender_that_sleeps_is_woken() {
    holds(&polling(16, &[], &[0, 0]).sender_sleeping());
}

#[test]
fn of_two_that_sleep_one_always_wakes() {
    holds(&polling(32, &[8], &[16]).sender_sleeping().receiver_sleeping());
}

#[test]
#[ignore = "half a minute"]
fn a_receiver_sleeps_again_and_again() {
    holds(&polling(32, &[], &[8, 8]).receiver_sleeping());
}

#[test]
#[ignore = "a minute"]
fn a_sender_sleeps_until_its_record_fits() {
    holds(&polling(24, &[], &[8, 8]).sender_sleeping());
}

#[test]
#[ignore = "a minute"]
fn both_sleep_again_and_again() {
    holds(&polling(16, &[], &[0, 0]).sender_sleeping().receiver_sleeping());
}

#[test]
#[ignore = "minutes"]
fn three_messages() {
    holds(&polling(32, &[], &[8, 8, 8]));
    holds(&polling(32, &[], &[1, 16, 4]));
}

#[test]
fn a_vring_is_filled_and_emptied() {
    holds_by_vring(1, &by_vring(1, 0, 2));
    holds_by_vring(2, &by_vring(2, 0, 2));
}

#[test]
fn buffers_of_a_vring_are_used_again() {
    holds_by_vring(2, &by_vring(2, 1, 2));
}

#[test]
fn a_receiver_that_sleeps_at_a_vring_is_notified() {
    holds_by_vring(1, &by_vring(1, 0, 1).receiver_sleeping());
}

#[test]
fn a_sender_that_sleeps_at_a_vring_is_notified() {
    holds_by_vring(1, &by_vring(1, 0, 2).sender_sleeping());
}

#[test]
fn of_two_that_sleep_at_a_vring_one_is_always_notified() {
    holds_by_vring(1, &by_vring(1, 1, 1).sender_sleeping().receiver_sleeping());
}

#[test]
#[ignore = "minutes"]
fn both_sleep_again_and_again_at_a_vring() {
    holds_by_vring(1, &by_vring(1, 0, 2).sender_sleeping().receiver_sleeping());
    holds_by_vring(2, &by_vring(2, 0, 2).sender_sleeping().receiver_sleeping());
}
