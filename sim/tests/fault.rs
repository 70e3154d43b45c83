//! Faults that are asked for: how they are written, and what a bad line does to bytes.

mod hold;
mod loss;

use intercore_sim::core::loss::{InterCoreChannel, Loss, LossSelection};
use intercore_sim::core::random::SplitMix64;
use intercore_sim::core::time::NEVER;
use intercore_sim::core::uart_frame::{Format, Parity};
use intercore_sim::fault::{Fault, Hold, Noise, NoisyLine, received};
use proptest::prelude::*;

#[test]
fn faults_are_read_as_people_write_them() {
    let noise = Noise { flip: 0.01, lose: 0.001, double: 0.5, seed: 7 };
    assert_eq!("uart-in:flip=0.01,lose=0.001,double=0.5,seed=7".parse(), Ok(Fault::UartIn(noise)));
    assert_eq!("uart-out:lose=1".parse(), Ok(Fault::UartOut(Noise { lose: 1.0, ..Noise::default() })));
    assert_eq!("reset@1e6".parse(), Ok(Fault::Reset(1_000_000)));
    assert_eq!("flash:times=maximum".parse(), Ok(Fault::SlowFlash));
    assert_eq!("stuck:core=1@2e6".parse(), Ok(Fault::Stuck { core: 1, from: 2_000_000, until: NEVER }));
    assert_eq!("stuck:core=0@5..3_000".parse(), Ok(Fault::Stuck { core: 0, from: 5, until: 3000 }));
    assert_eq!("reset:core=1@2e6".parse(), Ok(Fault::ResetCore { core: 1, at: 2_000_000 }));
    assert_eq!("off:core=1@0..2e8".parse(), Ok(Fault::Off { core: 1, from: 0, until: 200_000_000 }));
    assert_eq!("off:core=0@7".parse(), Ok(Fault::Off { core: 0, from: 7, until: NEVER }));
    let hold = Hold { core: 1, pc: 0x2000_0304, cycles: 5000, from: 2_000_000 };
    assert_eq!("hold:core=1,pc=0x20000305,cycles=5e3@2e6".parse(), Ok(Fault::Hold(hold)));
    assert_eq!("flash-cache@2e6".parse(), Ok(Fault::FlashCache(2_000_000)));
    assert_eq!("power-on:seed=7".parse(), Ok(Fault::PowerOn { seed: 7 }));
    let which = LossSelection::Each { lose: 0.01, seed: 7 };
    for (name, channel) in [("fifo", InterCoreChannel::Fifo), ("hsem", InterCoreChannel::Hsem)] {
        let loss = Loss { channel, to: 1, which, from: 0, until: NEVER };
        assert_eq!(format!("{name}:to=1,lose=0.01,seed=7").parse(), Ok(Fault::Loss(loss)));
    }
    for bad in
        ["", "reset", "reset@", "reset@-1", "reset@1..2", "stuck@1", "uart-in:", "fifo", "fifo:", "hsem@3", "flash"]
    {
        assert!(bad.parse::<Fault>().is_err(), "{bad}");
    }
    for kind in ["reset", "off", "stuck"] {
        for bad in ["", ":", ":core", ":core=", ":core=1", ":core=2@1", ":core=1@", ":core=1@x", ":core=1@5..5"] {
            assert!(format!("{kind}{bad}").parse::<Fault>().is_err(), "{kind}{bad}");
        }
    }
    for bad in ["reset:core=1@1..2", "off:core=1@3..2"] {
        assert!(bad.parse::<Fault>().is_err(), "{bad}");
    }
    for bad in ["", ":", ":core=1@2", ":core=2,pc=0x2,cycles=1@1", ":core=1,pc=2,cycles=1@1", ":core=1,pc=0x2,cycles=1"]
    {
        assert!(format!("hold{bad}").parse::<Fault>().is_err(), "hold{bad}");
    }
    for bad in ["flash-cache", "flash-cache@", "flash-cache@x", "power-on", "power-on:", "power-on:seed=x"] {
        assert!(bad.parse::<Fault>().is_err(), "{bad}");
    }
    for bad in ["costs", "costs:", "costs:line", "costs:line=0", "costs:line=x", "costs:bus=1", "costs:line=4,fifo"] {
        assert!(bad.parse::<Fault>().is_err(), "{bad}");
    }
    for bad in ["uart-in:flip", "uart-in:flip=2", "uart-in:flip=nan", "uart-out:seed=-1", "uart-out:swap=0.1"] {
        assert!(bad.parse::<Fault>().is_err(), "{bad}");
    }
}

#[test]
fn a_mistyped_fault_is_answered_with_the_kind_that_is_meant_or_with_its_form() {
    for (text, meant) in [
        ("rest@1e6", "did you mean 'reset'"),
        ("uart_in:flip=0.1", "did you mean 'uart-in'"),
        ("hsm:to=1", "did you mean 'hsem'"),
        ("fire", "expected uart-in"),
        ("", "expected uart-in"),
        ("stuck@1", "expected stuck:core=1@2e6"),
        ("off:core=1", "expected off:core=1@"),
        ("flash:times=typical", "expected flash:times=maximum"),
    ] {
        let said = text.parse::<Fault>().unwrap_err();
        assert!(said.contains(meant), "{text}: {said}");
    }
    assert_eq!("off:core=2@0..5".parse::<Fault>().unwrap_err(), "there is no core 2: give 0 or 1");
}

#[test]
fn random_numbers_are_those_of_the_reference() {
    // The first numbers from seed 1234567, as Rosetta Code lists them for the published algorithm.
    let mut random = SplitMix64(1_234_567);
    assert_eq!([random.next_u64(), random.next_u64()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
}

/// Whether `count` of `of` is what probability `p` gives: within 6 standard deviations, beside rounding.
fn likely(count: usize, of: usize, p: f64) -> bool {
    let (count, of) = (count as f64, of as f64);
    (count - of * p).abs() <= 6.0 * (of * p * (1.0 - p)).sqrt() + 1.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn faults_come_at_the_rates_asked_for(flip in 0.0..0.2, lose in 0.0..0.5, double in 0.0..0.5, seed: u64) {
        const BYTES: usize = 5000;
        let mut line = NoisyLine::new(Noise { flip, lose, double, seed });
        let all: Vec<_> = (0..BYTES).map(|_| line.next(Format::EIGHT_N_ONE)).collect();
        let lost = all.iter().filter(|arrivals| arrivals.is_empty()).count();
        let doubled = all.iter().filter(|arrivals| arrivals.len() == 2).count();
        let arrived: Vec<u16> = all.iter().flatten().copied().collect();
        let flipped: u32 = arrived.iter().map(|bits| bits.count_ones()).sum();
        prop_assert!(likely(lost, BYTES, lose));
        prop_assert!(likely(doubled, BYTES - lost, double));
        prop_assert!(likely(flipped as usize, arrived.len() * 10, flip));
        prop_assert!(arrived.iter().all(|bits| bits >> 10 == 0), "a character has 10 bits");
    }

    #[test]
    fn the_same_seed_gives_the_same_faults_and_another_gives_others(seed: u64) {
        let faults = |seed| {
            let mut line = NoisyLine::new(Noise { flip: 0.1, lose: 0.1, double: 0.1, seed });
            (0..200).map(|_| line.next(Format::EIGHT_N_ONE)).collect::<Vec<_>>()
        };
        prop_assert_eq!(faults(seed), faults(seed));
        prop_assert_ne!(faults(seed), faults(seed ^ 1));
    }

    #[test]
    fn more_of_one_fault_moves_no_other(seed: u64) {
        let faults = |lose| {
            let mut line = NoisyLine::new(Noise { flip: 0.05, lose, double: 0.1, seed });
            (0..300).map(|_| line.next(Format::EIGHT_N_ONE)).collect::<Vec<_>>()
        };
        for (without, with) in faults(0.0).into_iter().zip(faults(0.2)) {
            prop_assert!(with.is_empty() || with == without);
        }
    }

    #[test]
    fn a_good_line_changes_nothing(bytes: Vec<u8>, seed: u64, even: bool, stop_bits in 1_u32..3) {
        let parity = if even { Parity::Even } else { Parity::None };
        let format = Format { data_bits: 8, parity, stop_bits };
        let mut line = NoisyLine::new(Noise { seed, ..Noise::default() });
        let heard: Vec<u8> = bytes.iter().flat_map(|&byte| line.transmit(byte, format)).collect();
        prop_assert_eq!(heard, bytes);
    }

    #[test]
    fn only_flips_of_data_bits_alone_are_heard_as_other_bytes(byte: u8, flipped in 0_u16..0x400) {
        let expected = (flipped & 0x201 == 0).then_some(byte ^ (flipped >> 1) as u8);
        prop_assert_eq!(received(byte, flipped, Format::EIGHT_N_ONE), expected);
    }

    #[test]
    fn parity_tells_of_one_flip(byte: u8, bit in 0..11) {
        let even = Format { parity: Parity::Even, ..Format::EIGHT_N_ONE };
        prop_assert_eq!(received(byte, 1_u16 << bit, even), None);
    }
}
