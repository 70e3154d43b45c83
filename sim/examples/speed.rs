//! How many cycles of `clk_sys` the simulation gets through per second with both cores busy: `cargo run --release
//! --example speed [seconds]`. The kernel is position-independent code of gcc -O2: a matrix product, a sort and a CRC.

use intercore_sim::bus::Slave;
use intercore_sim::machine::{Machine, Stop};
use std::time::Instant;

const KERNEL: &[u32] = &include!("kernel.in");

/// Puts a kernel for each core at `code`, its data at `data`, and starts it.
fn machine(code: [u32; 2], data: [u32; 2], cores: usize) -> Machine {
    let mut machine = Machine::new();
    for core in 0..cores {
        let bytes: Vec<u8> = KERNEL.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(machine.load(code[core], &bytes));
        machine.start_core(core, code[core] | 1, 0x2004_1000 + 0x1000 * core as u32);
        machine.core_mut(core).set_register(0, data[core]);
    }
    machine
}

/// Seconds that this thread was on a processor, where the system tells: others on the machine then disturb less.
fn cpu_seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |count| count as f64 / 1e9)
}

fn measure(name: &str, mut machine: Machine, seconds: f64, cores: usize) {
    const SLICE: u64 = 5_000_000;
    let start = Instant::now();
    let begun = cpu_seconds(start);
    let mut limit = 0;
    while cpu_seconds(start) - begun < seconds {
        limit += SLICE;
        let stop = machine.run_until(limit);
        assert_eq!(stop, Stop::Limit, "{stop:?}");
    }
    let elapsed = cpu_seconds(start) - begun;
    let mhz = limit as f64 / elapsed / 1e6;
    print!("{name:<44} {mhz:7.1} MHz");
    for core in 0..cores {
        let statistics = machine.core(core).statistics();
        let lost: u64 = Slave::ALL.iter().map(|&slave| statistics.conflicts[slave as usize]).sum();
        let per = limit as f64 / statistics.instructions as f64;
        print!("   core {core}: {per:.3} cycles/instruction, {:.1} % lost", lost as f64 * 100.0 / limit as f64);
    }
    println!("   {:016x}", machine.state_hash());
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let striped = [0x2000_0000, 0x2000_8000];
    let data = [0x2001_0000, 0x2002_0000];
    measure("one core, striped SRAM", machine(striped, data, 1), seconds, 1);
    measure("both cores, striped SRAM", machine(striped, data, 2), seconds, 2);
    measure("both cores, one copy of the code", machine([striped[0]; 2], data, 2), seconds, 2);
    let apart = machine([0x2100_0000, 0x2102_0000], [0x2101_0000, 0x2103_0000], 2);
    measure("both cores, banks of their own", apart, seconds, 2);
}
