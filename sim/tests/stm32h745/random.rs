//! Whatever software does to the peripherals, the simulator stands it.

use super::access::*;
use intercore_sim::stm32h745::peripherals::address_map::{Block, REGIONS};
use intercore_sim::stm32h745::{M4, M7, SECOND};
use proptest::prelude::*;

/// An access: core, block, offset, size, value if it is a write, and how much time passes before it.
#[derive(Clone, Debug)]
struct Access {
    core: usize,
    block: usize,
    offset: u32,
    size: u32,
    value: Option<u32>,
    wait: u64,
}

fn access(blocks: usize) -> impl Strategy<Value = Access> {
    let value =
        prop::option::of(prop_oneof![any::<u32>(), 0..256_u32, (0..32_u32).prop_map(|bit| 1 << bit), Just(u32::MAX)]);
    let wait = prop_oneof![0..1000_u64, 0..MICROSECOND, 0..SECOND / 100];
    (0..2_usize, 0..blocks, 0..0x80_u32, 0..3_u32, value, wait).prop_map(|(core, block, word, size, value, wait)| {
        Access { core, block, offset: 4 * word, size: 1 << size, value, wait }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// No sequence of accesses ends the simulator, and an event that is announced is in the future.
    #[test]
    fn accesses(actions in prop::collection::vec(access(20), 1..200)) {
        let blocks: Vec<_> = REGIONS.iter().filter(|region| region.block != Block::Other).collect();
        let mut bus = Bus::new();
        for core in [M7, M4] {
            for register in [RCC_APB1LENR, RCC_AHB4ENR, RCC_APB4ENR] {
                bus.write_by(core, register, u32::MAX);
            }
        }
        for action in actions {
            bus.wait(action.wait);
            let region = blocks[action.block * blocks.len() / 20];
            let address = region.base + action.offset % region.size;
            let _ = match action.value {
                Some(value) => bus.chip.write(action.core, address, value, action.size, bus.now),
                None => bus.chip.read(action.core, address, action.size, bus.now).map(|_| ()),
            };
            bus.chip.uart_input(action.offset as u8, 0, bus.now, bus.now);
            prop_assert!(bus.chip.reset_request(bus.now).is_some() || bus.chip.next_event() > bus.now);
            if let Some(why) = bus.chip.reset_request(bus.now) {
                bus.chip.reset(why, bus.now);
            }
        }
    }

    /// Looking does not change anything, and says what a read would.
    #[test]
    fn looks(actions in prop::collection::vec(access(20), 1..60)) {
        let blocks: Vec<_> = REGIONS.iter().filter(|region| region.block != Block::Other).collect();
        let mut bus = Bus::new();
        bus.write(RCC_APB1LENR, u32::MAX);
        bus.write(RCC_AHB4ENR, u32::MAX);
        for action in actions {
            bus.wait(action.wait / 1000);
            let region = blocks[action.block * blocks.len() / 20];
            let address = region.base + action.offset % region.size;
            if let Some(value) = action.value {
                let _ = bus.chip.write(M7, address, value, 4, bus.now);
            } else if region.block != Block::Hsem && region.gate.is_none() {
                let seen = bus.chip.peek(M7, address, 4, bus.now);
                prop_assert_eq!(seen, bus.chip.read(M7, address, 4, bus.now));
            }
        }
    }
}
