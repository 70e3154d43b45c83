//! Machine code in SRAM, a few instructions long, and the cycles between two of them.
#![allow(dead_code)] // each test file uses its part

use intercore_sim::core::stop::Stop;
use intercore_sim::core::time::Cycle;
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::machine::Machine;

/// Where programs of core 0 go, word aligned, in striped SRAM.
pub const CODE: u32 = 0x2000_0000;
/// Stack of core 0; in SRAM4, so that it disturbs no code in the striped banks.
pub const STACK: u32 = 0x2004_0800;
/// Linear aliases of SRAM0 to 3: each in one bank (datasheet 2.6.2).
pub const BANK: [u32; 4] = [0x2100_0000, 0x2101_0000, 0x2102_0000, 0x2103_0000];
/// Banks of their own for the code of each core: SRAM4, SRAM5.
pub const OWN: [u32; 2] = [0x2004_0000, 0x2004_1000];
/// Where a core's vector table is (ARMv6-M B3.2.5), and its set-enable register of interrupts (B3.4.3).
pub const VTOR: u32 = 0xe000_ed08;
pub const NVIC_ISER: u32 = 0xe000_e100;
/// Vector table of both cores, in SRAM.
pub const VECTORS: u32 = 0x2000_f000;

pub const NOP: u16 = 0xbf00;
/// `b .`
pub const STAY: u16 = 0xe7fe;

/// `ldr r2, [r0]` and `str r1, [r0]`.
pub const LDR: u16 = 0x6802;
pub const STR: u16 = 0x6001;
/// Cycles that the port is held for a word of flash: 20 serial clocks of 4 cycles (8 for address and mode, 4 of waiting, 8
/// for data: `boot2_w25q080.S` of the SDK), and 4 cycles of overhead (assumption), before the one of a hit.
pub const WIRE: u64 = 20 * 4 + 4;

/// Halfwords as bytes.
pub fn bytes(code: &[u16]) -> Vec<u8> {
    code.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// `movs r0, #turns; ldr r2, [r1]; subs r0, #1; bne` and a place to stay: a turn takes 5 cycles.
pub fn load_loop(turns: u16) -> Vec<u16> {
    vec![0x2000 | turns, NOP, 0x680a, 0x3801, 0xd1fc, NOP, STAY, NOP]
}

/// A machine with `code` at `CODE`, ready to run on core 0.
pub fn machine(code: &[u16]) -> Machine {
    let mut machine = Machine::new();
    put(&mut machine, CODE, code);
    machine.start_core(0, CODE | 1, STACK);
    machine
}

pub fn put(machine: &mut Machine, address: u32, code: &[u16]) {
    assert!(machine.load(address, &bytes(code)));
}

pub fn put_word(machine: &mut Machine, address: u32, word: u32) {
    assert!(machine.load(address, &word.to_le_bytes()));
}

/// Gives masters high priority, as bits: core 0, core 1, DMA read, DMA write. Lets BUSCTRL and DMA out of reset first.
pub fn set_bus_priority(machine: &mut Machine, masters: u8) {
    assert!(machine.write_register(0x4000_f000, 1 << 1 | 1 << 2));
    assert!(machine.write_register(0x4003_0000, (0..4).map(|i| u32::from(masters >> i & 1) << (4 * i)).sum()));
}

/// Cycles at which core `core` begins the instructions at `addresses` for the first time.
pub fn times(machine: &mut Machine, core: u8, addresses: &[u32], limit: Cycle) -> Vec<Cycle> {
    let probes: Vec<_> = addresses.iter().map(|&at| machine.bus.fabric.watch.probe(Watch::Execute, at, 1)).collect();
    let limit = machine.now() + limit;
    let stop = machine.run_until(limit);
    assert!(matches!(stop, Stop::Limit | Stop::DeadEnd), "{stop:?}");
    probes
        .iter()
        .zip(addresses)
        .map(|(&probe, address)| {
            let hit = machine.bus.fabric.watch.hits(probe).iter().find(|hit| hit.core == core);
            hit.unwrap_or_else(|| panic!("{address:#x} was not executed")).cycle
        })
        .collect()
}

/// Cycles that the instructions from `CODE + 2 * from` to `CODE + 2 * to` take on core 0.
pub fn cycles(code: &[u16], from: u32, to: u32, prepare: impl Fn(&mut Machine)) -> Cycle {
    let mut machine = machine(code);
    prepare(&mut machine);
    let times = times(&mut machine, 0, &[CODE + 2 * from, CODE + 2 * to], 2000);
    times[1] - times[0]
}

/// How many random programs to try: so many, or what `PROPTEST_CASES` says.
pub fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
