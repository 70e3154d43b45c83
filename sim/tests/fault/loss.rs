//! Losses between the cores.

use super::likely;
use intercore_sim::core::loss::{InterCoreChannel, Loss, LossSelection, Losses};
use intercore_sim::core::time::NEVER;
use proptest::prelude::*;

fn losses(all: &[&str]) -> Losses {
    let mut losses = Losses::default();
    losses.set(all.iter().map(|text| Loss::parse(InterCoreChannel::Fifo, text).expect("a loss")));
    losses
}

/// Which of the words to core 1 are lost, one in each cycle.
fn hits(all: &[&str], words: u64) -> Vec<u64> {
    let mut losses = losses(all);
    (0..words).filter(|&cycle| losses.loses_next(1, cycle)).collect()
}

#[test]
fn losses_are_read_as_people_write_them() {
    for (channel, one_alone) in [(InterCoreChannel::Fifo, "word"), (InterCoreChannel::Hsem, "interrupt")] {
        let parse = |text: &str| Loss::parse(channel, text);
        let whole = Loss { channel, to: 1, which: LossSelection::Each { lose: 0.01, seed: 7 }, from: 0, until: NEVER };
        assert_eq!(parse("to=1,lose=0.01,seed=7"), Ok(whole));
        assert_eq!(parse("seed=7,lose=0.01,to=1@2e6"), Ok(Loss { from: 2_000_000, ..whole }));
        let all = Loss { which: LossSelection::Each { lose: 1.0, seed: 0 }, from: 5, until: 3000, to: 0, channel };
        assert_eq!(parse("to=0@5..3_000"), Ok(all));
        let one = Loss { which: LossSelection::One(3), ..whole };
        assert_eq!(parse(&format!("to=1,{one_alone}=3")), Ok(one));
    }
    for (bad, why) in [
        ("", "expected fifo"),
        ("to", "expected fifo"),
        ("lose=0.1", "expected fifo"),
        ("to=2", "there is no core 2"),
        ("to=1,lose=2", "is not a probability"),
        ("to=1,lose=nan", "is not a probability"),
        ("to=1,seed=x", "is not a seed"),
        ("to=1,word=0", "word=0 is not valid"),
        ("to=1,word=-1", "word=-1 is not valid: give a whole number, 1 for the first word"),
        ("to=1,word=1,lose=0.5", "word cannot be combined with lose or seed"),
        ("to=1,word=1,seed=5", "word cannot be combined with lose or seed"),
        ("to=1,flip=0.1", "fifo has no option 'flip'"),
        ("to=1,interrupt=3", "fifo has no option 'interrupt'"),
        ("to=1@", "is not a whole number"),
        ("to=1@3..3", "ends before it begins"),
        ("to=1@3..x", "is not a whole number"),
    ] {
        let told = Loss::parse(InterCoreChannel::Fifo, bad).expect_err(bad);
        assert!(told.contains(why), "{bad}: {told}");
    }
    for (bad, why) in
        [("to=1,word=3", "hsem has no option 'word': expected hsem"), ("to=1,interrupt=0", "interrupt=0 is not valid")]
    {
        let told = Loss::parse(InterCoreChannel::Hsem, bad).expect_err(bad);
        assert!(told.contains(why), "{bad}: {told}");
    }
}

#[test]
fn one_word_alone_is_lost() {
    assert_eq!(hits(&["to=1,word=3"], 10), [2]);
    assert_eq!(hits(&["to=1,word=1@4"], 10), [4], "counted from the beginning of its time");
    assert_eq!(hits(&["to=1,word=3", "to=1,word=3", "to=1,word=5"], 10), [2, 4], "each counts every word");
    assert!(hits(&["to=0"], 10).is_empty(), "those to the other core");
}

#[test]
fn words_are_lost_between_two_cycles() {
    assert_eq!(hits(&["to=1@3..6"], 10), [3, 4, 5]);
    assert_eq!(hits(&["to=1@8"], 10), [8, 9]);
}

#[test]
fn what_was_lost_is_counted_for_the_core_that_it_was_for() {
    let mut losses = losses(&["to=1@2"]);
    for cycle in 0..5 {
        losses.loses_next(0, cycle);
        losses.loses_next(1, cycle);
    }
    assert_eq!([losses.lost(0), losses.lost(1)], [0, 3]);
    losses.set([]);
    assert!(losses.is_empty() && !losses.loses_next(1, 9));
    assert_eq!(losses.lost(1), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn words_are_lost_at_the_rate_asked_for_and_the_same_each_time(lose in 0.0..1.0_f64, seed: u32) {
        const WORDS: u64 = 5000;
        let text = format!("to=1,lose={lose},seed={seed}");
        let lost = hits(&[&text], WORDS);
        prop_assert!(likely(lost.len(), WORDS as usize, lose));
        prop_assert_eq!(&lost, &hits(&[&text], WORDS));
        let other = hits(&[&format!("to=1,lose={lose},seed={}", seed ^ 1)], WORDS);
        prop_assert!(lost != other || !(0.01..0.99).contains(&lose));
    }

    #[test]
    fn more_losses_of_one_seed_lose_what_fewer_lose_too(lose in 0.0..0.5_f64, seed: u32) {
        let few = hits(&[&format!("to=1,lose={lose},seed={seed}")], 1000);
        let many = hits(&[&format!("to=1,lose={},seed={seed}", lose * 2.0)], 1000);
        prop_assert!(few.iter().all(|word| many.contains(word)));
    }
}
