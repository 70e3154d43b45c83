//! FLASH (RM0399 sections 4.3.8 and 4.9).

use super::access::*;
use intercore_sim::stm32h745::peripherals::flash::wait_states;
use intercore_sim::stm32h745::peripherals::pwr::Scale;

const MHZ: u64 = 1_000_000;
const KEYR1: u32 = 0x5200_2004;
const CR1: u32 = 0x5200_200c;

/// The ends of the ranges of Table 16: the rate in MHz, and the wait states up to it.
#[test]
fn wait_states_are_those_of_table_16() {
    let table: [(Scale, &[(u64, u32)]); 4] = [
        (Scale::Vos3, &[(45, 0), (90, 1), (135, 2), (180, 3), (225, 4)]),
        (Scale::Vos2, &[(55, 0), (110, 1), (165, 2), (225, 3)]),
        (Scale::Vos1, &[(70, 0), (140, 1), (185, 2), (210, 2), (225, 3)]),
        (Scale::Vos0, &[(70, 0), (140, 1), (185, 2), (210, 2), (225, 3), (240, 4)]),
    ];
    for (scale, ends) in table {
        for &(rate, states) in ends {
            assert_eq!(wait_states(rate * MHZ, scale), Some(states), "{scale:?}, {rate} MHz");
        }
        for pair in ends.windows(2) {
            assert_eq!(wait_states(pair[0].0 * MHZ + 1, scale), Some(pair[1].1), "{scale:?}, above {} MHz", pair[0].0);
        }
        let (highest, _) = ends[ends.len() - 1];
        assert_eq!(wait_states(highest * MHZ + 1, scale), None);
    }
}

#[test]
fn there_are_seven_wait_states_after_reset() {
    assert_eq!(Bus::new().read(FLASH_ACR) & 0xf, 7);
}

#[test]
fn flash_cr_unlocks_by_keys_and_wrong_key_locks_it() {
    let mut bus = Bus::new();
    assert_eq!(bus.read(CR1), 0x31);
    bus.write(CR1, 0x30);
    assert_reported(&bus.reports(), "FLASH_CR is written while it is locked");
    bus.write(KEYR1, 0x4567_0123);
    bus.write(KEYR1, 0xcdef_89ab);
    assert_eq!(bus.read(CR1), 0x30);
    bus.write(CR1, 0x31);
    assert_eq!(bus.read(CR1), 0x31);
    bus.write(KEYR1, 0x4567_0124);
    bus.write(KEYR1, 0x4567_0123);
    bus.write(KEYR1, 0xcdef_89ab);
    assert_reported(&bus.reports(), "a key of FLASH is wrong");
    assert_eq!(bus.read(CR1), 0x31, "locked until reset");
}

#[test]
fn option_bytes_are_those_of_the_factory() {
    let mut bus = Bus::new();
    assert_eq!(bus.read(0x5200_201c), 0x17c6_aaf0);
    assert_eq!(bus.read(0x5200_2040), 0x1ff0_0800);
    assert_eq!(bus.read(0x5200_2048), 0x1000_0810);
}
