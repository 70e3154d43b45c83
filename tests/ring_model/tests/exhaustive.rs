//! The ring in small cases, through all executions. Those that take longer are for `make test-long`.
//!
//! Records are 8 bytes longer than their messages, rounded up to 8. Before the two ends work at the same time, some
//! messages have gone through, which decides where in the ring they meet.

use ring_model::case::{Case, check, polling};
use ring_model::variants::RIGHT;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3000);

fn holds(case: &Case) {
    let executions = check(&RIGHT, case, LIMIT);
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
