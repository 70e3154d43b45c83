use super::bench::Bench;
use intercore_sim::rp2::dma::requests::Requesters as _;
use intercore_sim::rp2::serial_ports::SerialPorts as _;
use intercore_sim::rp2040::peripherals::Peripherals;
use proptest::prelude::*;

/// Bases of all blocks, of USB's memory, and of nothing.
fn bases() -> Vec<u32> {
    Peripherals::blocks().map(|block| block.base).chain([0x5010_0000, 0x4007_0000]).collect()
}

#[derive(Clone, Debug)]
enum Action {
    Read { address: u32, core: usize },
    Write { address: u32, core: usize, value: u32 },
    Wait(u64),
    Inject { byte: u8, flipped: u16 },
    Dma { value: u32, fails: bool },
}

fn address() -> impl Strategy<Value = u32> {
    let offset = prop_oneof![4 => (0u32..0x34).prop_map(|word| 4 * word), 1 => 0u32..0x1000];
    (prop::sample::select(bases()), offset, 0u32..4).prop_map(|(base, offset, alias)| base + offset + (alias << 12))
}

fn value() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), 0u32..40, (0u32..32).prop_map(|bit| 1 << bit), Just(0xfabaa0), Just(u32::MAX)]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (address(), 0usize..2).prop_map(|(address, core)| Action::Read { address, core }),
        8 => (address(), 0usize..2, value()).prop_map(|(address, core, value)| Action::Write { address, core, value }),
        4 => prop_oneof![0u64..300, 0u64..1_000_000].prop_map(Action::Wait),
        1 => (any::<u8>(), any::<u16>()).prop_map(|(byte, flipped)| Action::Inject { byte, flipped }),
        2 => (value(), any::<bool>()).prop_map(|(value, fails)| Action::Dma { value, fails }),
    ]
}

/// Carries out the actions; yields everything that could be seen.
fn run(actions: &[Action], started: bool) -> Vec<u64> {
    use intercore_sim::rp2040::peripherals::dma::BusError;
    let mut bench = if started { Bench::started() } else { Bench::new() };
    let mut seen = Vec::new();
    for action in actions {
        match *action {
            Action::Read { address, core } if address >> 28 == 0xd => {
                seen.push(bench.with(|p, context| p.sio.read(core, address & 0xfff, context)).into());
            }
            Action::Read { address, .. } => {
                let peeked = bench.p.peek(address & !0xfff_0000_u32 | address & 0xfff_0000, bench.now, &bench.clocks);
                seen.push(u64::from(bench.read(address)) | u64::from(peeked) << 32);
            }
            Action::Write { address, core, value } if address >> 28 == 0xd => {
                bench.with(|p, context| p.sio.write(core, address & 0xfff, value, context));
            }
            Action::Write { address, value, .. } => bench.write(address, value),
            Action::Wait(cycles) => wait(&mut bench, cycles),
            Action::Inject { byte, flipped } => {
                let now = bench.now;
                bench.p.inject(usize::from(byte & 1), byte, flipped, now, now);
            }
            Action::Dma { value, fails } => {
                let now = bench.now;
                if bench.with(Peripherals::dma_read_wanted).is_some() {
                    let result = if fails { Err(BusError) } else { Ok(value) };
                    bench.with(|p, context| p.dma.read_done(result, now + 1, context));
                }
                if let Some(access) = bench.p.dma.write_wanted(now) {
                    seen.push(u64::from(access.value) | u64::from(access.address) << 32);
                    let result = if fails { Err(BusError) } else { Ok(()) };
                    bench.with(|p, context| p.dma.write_done(result, context));
                }
                seen.push(bench.p.dma_next(now));
            }
        }
        seen.extend([0, 1].map(|core| bench.irq.of_core(core)));
        seen.push(bench.clocks.sys());
        seen.push(bench.p.next_event());
        bench.p.take_signals();
    }
    seen
}

/// Waits, but not for more events than a test has time for: firmware may ask for one in every cycle.
fn wait(bench: &mut Bench, cycles: u64) {
    let end = bench.now + cycles;
    for _ in 0..2000 {
        let next = bench.p.next_event();
        if next > end {
            break;
        }
        bench.now = bench.now.max(next);
        bench.with(Peripherals::wake);
        assert!(bench.p.next_event() > bench.now, "an event that is not over when it is done");
    }
    bench.now = bench.now.max(end.min(bench.p.next_event().max(bench.now)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever firmware does, nothing panics, events make progress, and a second run sees the same.
    #[test]
    fn nothing_that_firmware_does_is_fatal(actions in proptest::collection::vec(action(), 1..150), started: bool) {
        let seen = run(&actions, started);
        prop_assert_eq!(seen, run(&actions, started));
    }
}
