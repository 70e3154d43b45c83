//! What the DMA copies while random programs run: at its own pace, mostly from and to SRAM that the programs use, too.

use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

const RELEASE: u32 = 0x4000_f000;
const DMA: u32 = 0x5000_0000;

/// A channel, with what its registers get.
#[derive(Clone, Debug)]
struct Channel {
    number: u32,
    read: u32,
    write: u32,
    count: u32,
    control: u32,
}

/// Channels that are triggered one after the other.
#[derive(Clone, Debug)]
pub struct Transfers {
    channels: Vec<Channel>,
    /// Cycles between two pulses, by timer.
    periods: [u32; 4],
    interrupts: u32,
}

fn address() -> impl Strategy<Value = u32> {
    prop_oneof![
        // What nobody else uses; what cores use, and share, by either address; a bank that is not striped.
        4 => 0x2001_0000u32..0x2001_1000,
        4 => 0x2000_4000u32..0x2000_5100,
        2 => 0x2100_1000u32..0x2100_1440,
        1 => 0x2004_0c00u32..0x2004_1400,
        // Code, stacks, flash, TIMERAWL.
        1 => prop_oneof![0x2000_0000u32..0x2000_0400, 0x2000_7f00u32..0x2000_9000, 0x1000_0100u32..0x1000_0200],
        1 => Just(0x4005_4028u32),
    ]
}

fn channel() -> impl Strategy<Value = Channel> {
    // TREQ_SEL: a timer of the DMA; none; PWM.
    let request = prop_oneof![12 => 59u32..63, 1 => Just(63u32), 1 => 24u32..32];
    let count = prop_oneof![1 => 1u32..20, 3 => 20u32..2000];
    // SNIFF_EN, BSWAP, IRQ_QUIET; ring, INCR_WRITE, INCR_READ; HIGH_PRIORITY.
    let bits = (0u32..8, 0u32..128, any::<bool>());
    let numbers = (4u32..12, prop_oneof![3 => Just(None), 1 => (4u32..12).prop_map(Some)]);
    (numbers, address(), address(), count, 0u32..3, request, bits).prop_map(
        |((number, chain_to), read, write, count, size, request, (high, middle, is_first))| Channel {
            number,
            read: read >> size << size,
            write: write >> size << size,
            count,
            control: high << 21
                | request << 15
                | chain_to.unwrap_or(number) << 11
                | middle << 4
                | size << 2
                | u32::from(is_first) << 1
                | 1,
        },
    )
}

pub fn transfers() -> impl Strategy<Value = Transfers> {
    let period = || prop_oneof![1 => 3u32..40, 3 => 40u32..400];
    let interrupts = prop_oneof![3 => Just(0u32), 1 => 0u32..0x1000];
    (proptest::collection::vec(channel(), 1..4), [period(), period(), period(), period()], interrupts)
        .prop_map(|(channels, periods, interrupts)| Transfers { channels, periods, interrupts })
}

impl Transfers {
    pub fn start(&self, machine: &mut Machine) {
        let mut write = |address: u32, value: u32| assert!(machine.write_register(address, value), "{address:#x}");
        write(RELEASE, 1 << 2);
        for (timer, period) in (0..).zip(self.periods) {
            write(DMA + 0x420 + 4 * timer, 1 << 16 | period);
        }
        write(DMA + 0x404, self.interrupts);
        for channel in &self.channels {
            let values = [channel.read, channel.write, channel.count, channel.control];
            for (register, value) in (0..).zip(values) {
                write(DMA + 0x40 * channel.number + 4 * register, value);
            }
        }
    }
}
