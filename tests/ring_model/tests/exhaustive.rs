//! The ring in small cases, through all executions.

use ring_model::case::{Case, check, polling};
use ring_model::variants::RIGHT;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn holds(case: &Case) {
    let began = std::time::Instant::now();
    let executions = check(&RIGHT, case, LIMIT);
    println!("{executions} executions in {:.1} s of {case:?}", began.elapsed().as_secs_f64());
}

#[test]
fn polling_two() {
    holds(&polling(32, &[], &[8, 8]));
}
#[test]
fn polling_alone() {
    holds(&polling(24, &[], &[8, 8]));
}
#[test]
fn polling_end() {
    holds(&polling(32, &[8], &[8, 8]));
}
#[test]
fn polling_mark() {
    holds(&polling(40, &[8, 8], &[8, 8]));
}
#[test]
fn polling_empty_large() {
    holds(&polling(32, &[8], &[16]));
}
#[test]
fn z_two_r() {
    holds(&polling(32, &[], &[8, 8]).receiver_sleeping());
}
#[test]
fn z_alone_s() {
    holds(&polling(24, &[], &[8, 8]).sender_sleeping());
}
#[test]
fn z_two16_s() {
    holds(&polling(16, &[], &[0, 0]).sender_sleeping());
}
#[test]
fn z_two16_both() {
    holds(&polling(16, &[], &[0, 0]).sender_sleeping().receiver_sleeping());
}
#[test]
fn z_two16_three() {
    holds(&polling(16, &[], &[0, 0, 0]).sender_sleeping());
}
#[test]
fn z_alone_r() {
    holds(&polling(24, &[], &[8, 8]).receiver_sleeping());
}
#[test]
fn z_large_both() {
    holds(&polling(32, &[8], &[16]).receiver_sleeping().sender_sleeping());
}
#[test]
fn z_two_both() {
    holds(&polling(32, &[], &[8, 8]).receiver_sleeping().sender_sleeping());
}
