//! The DMA (datasheet 2.5): what its channels move, what paces them, and what they tell.

mod control;
mod sniffer;

use super::bench::{Bench, DMA, PWM, SET, UART0};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2::dma::requests::Requesters as _;
use intercore_sim::rp2::serial_ports::SerialPorts as _;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::Peripherals;
use intercore_sim::rp2040::peripherals::dma::BusError;
use proptest::prelude::*;

const EN: u32 = 1;
const WORD: u32 = 2 << 2;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const PERMANENT: u32 = 63 << 15;

const fn chain_to(channel: u32) -> u32 {
    channel << 11
}

/// A memory without wait states from address `0x2000_0000` on, beside the peripherals.
struct Machine {
    bench: Bench,
    memory: Vec<u8>,
    writes: Vec<Cycle>,
}

impl Machine {
    fn new() -> Self {
        Self { bench: Bench::started(), memory: vec![0; 4096], writes: Vec::new() }
    }

    fn channel(&mut self, channel: u32, read: u32, write: u32, count: u32, ctrl: u32) {
        let base = DMA + 0x40 * channel;
        for (offset, value) in [(0, read), (4, write), (8, count), (0xc, ctrl)] {
            self.bench.write(base + offset, value);
        }
    }

    fn index(&self, address: u32) -> Result<usize, BusError> {
        let index = address.wrapping_sub(0x2000_0000) as usize;
        if index < self.memory.len() { Ok(index) } else { Err(BusError) }
    }

    /// Runs until nothing is left to do, or to cycle `end`.
    fn run(&mut self, end: Cycle) {
        loop {
            let next = self.bench.p.dma_next(self.bench.now).min(self.bench.p.next_event());
            if next > end {
                break self.bench.until(end);
            }
            self.bench.until(next);
            self.cycle();
            self.bench.wait(1);
        }
    }

    fn cycle(&mut self) {
        let now = self.bench.now;
        let write = self.bench.p.dma.write_wanted(now);
        let read = self.bench.with(Peripherals::dma_read_wanted);
        if let Some(access) = read {
            let result = if access.address < 0x2000_0000 || access.address >= 0x4000_0000 {
                self.bench.with(|p, context| p.read(access.address, context)).ok_or(BusError)
            } else {
                self.index(access.address & !3).map(|at| {
                    u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"))
                        >> (8 * (access.address & 3))
                })
            };
            self.bench.with(|p, context| p.dma.read_done(result, now + 1, context));
        }
        if let Some(access) = write {
            self.writes.push(now);
            let result = if access.address >= 0x4000_0000 {
                self.bench.with(|p, context| p.write(access.address, access.value, context)).ok_or(BusError)
            } else {
                self.index(access.address).map(|at| {
                    for byte in 0..access.bytes as usize {
                        self.memory[at + byte] = access.value.to_le_bytes()[byte];
                    }
                })
            };
            self.bench.with(|p, context| p.dma.write_done(result, context));
        }
    }

    fn run_for(&mut self, cycles: Cycle) {
        self.run(self.bench.now + cycles);
    }
}

#[test]
fn a_copy_moves_a_word_per_cycle_and_tells_when_it_is_done() {
    let mut machine = Machine::new();
    for byte in 0..64 {
        machine.memory[byte] = byte as u8;
    }
    machine.bench.write(DMA + 0x404, 1);
    let ctrl = EN | WORD | INCR_READ | INCR_WRITE | PERMANENT;
    machine.channel(0, 0x2000_0000, 0x2000_0400, 16, ctrl);
    machine.run_for(100);
    assert_eq!(machine.memory[0x400..0x440], machine.memory[..0x40]);
    assert!(machine.writes.windows(2).all(|pair| pair[1] - pair[0] == 1));
    assert!(machine.bench.line(Irq::Dma0) && !machine.bench.line(Irq::Dma1));
    assert_eq!(machine.bench.read(DMA), 0x2000_0040);
    assert_eq!(machine.bench.read(DMA + 4), 0x2000_0440);
    machine.bench.write(DMA + 0x40c, 1);
    assert!(!machine.bench.line(Irq::Dma0));
    assert_eq!(machine.bench.read(DMA + 0x10) >> 24, 0, "not busy");
}

#[test]
fn bytes_and_halfwords_are_swapped_and_wrapped_as_asked() {
    let mut machine = Machine::new();
    machine.memory[..8].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    // Halfwords, swapped, read from a ring of four bytes.
    let ring = 2 << 6;
    machine.channel(
        1,
        0x2000_0000,
        0x2000_0100,
        4,
        EN | 1 << 2 | INCR_READ | INCR_WRITE | ring | PERMANENT | 1 << 22 | chain_to(1),
    );
    machine.run_for(100);
    assert_eq!(machine.memory[0x100..0x108], [2, 1, 4, 3, 2, 1, 4, 3]);
}

#[test]
fn a_chain_of_control_blocks_ends_with_a_null_trigger() {
    let mut machine = Machine::new();
    // Two blocks of (count, read address) for channel 1, then zeros, as in 2.5.6.2.
    for (index, word) in [2u32, 0x2000_0200, 3, 0x2000_0210, 0, 0].into_iter().enumerate() {
        machine.memory[4 * index..4 * index + 4].copy_from_slice(&word.to_le_bytes());
    }
    machine.memory[0x200..0x240].fill(9);
    let base = DMA + 0x40;
    machine.bench.write(base + 4, 0x2000_0300);
    machine.bench.write(base + 0x10, EN | WORD | INCR_READ | INCR_WRITE | PERMANENT | chain_to(0) | 1 << 21);
    let to_alias_3 = base + 0x38;
    let ring_of_8_bytes = 1 << 10 | 3 << 6;
    machine.bench.write(DMA + 0x404, 2);
    machine.channel(0, 0x2000_0000, to_alias_3, 2, EN | WORD | INCR_READ | INCR_WRITE | ring_of_8_bytes | PERMANENT);
    machine.run_for(300);
    assert_eq!(machine.memory[0x300..0x314], [9; 20]);
    assert_eq!(machine.memory[0x314], 0);
    assert!(machine.bench.line(Irq::Dma0), "the null trigger of a quiet channel");
}

#[test]
fn a_pwm_slice_paces_transfers() {
    let mut machine = Machine::new();
    machine.bench.write(PWM + 0x10, 99);
    machine.bench.write(PWM, 1);
    machine.channel(2, 0x2000_0000, 0x2000_0100, 5, EN | WORD | 24 << 15 | chain_to(2));
    machine.run_for(1000);
    assert_eq!(machine.writes.len(), 5);
    assert!(machine.writes.windows(2).all(|pair| pair[1] - pair[0] == 100), "{:?}", machine.writes);
}

#[test]
fn a_pacing_timer_gives_x_of_y_cycles() {
    let mut machine = Machine::new();
    machine.bench.write(DMA + 0x420, 2 << 16 | 15);
    machine.channel(3, 0x2000_0000, 0x2000_0100, 100, EN | WORD | 59 << 15 | chain_to(3));
    let start = machine.bench.now;
    machine.run_for(2000);
    assert_eq!(machine.writes.len(), 100);
    assert!((machine.writes[99] - start).abs_diff(750) <= 4);
}

#[test]
fn a_uart_is_fed_without_overflowing() {
    let mut machine = Machine::new();
    let text: Vec<u8> = (0..100).collect();
    machine.memory[..100].copy_from_slice(&text);
    for (offset, value) in [(0x24, 1), (0x28, 0), (0x2c, 0x70), (0x30, 0x301), (0x48, 2)] {
        machine.bench.write(UART0 + offset, value);
    }
    machine.channel(4, 0x2000_0000, UART0, 100, EN | INCR_READ | 20 << 15 | chain_to(4));
    machine.run_for(100 * 160 + 1000);
    let sent: Vec<u8> = machine.bench.p.uarts[0].take_sent().iter().map(|sent| sent.byte).collect();
    assert_eq!(sent, text);
    assert!(machine.bench.diagnostics.pending().is_empty());
}

#[test]
fn a_uart_is_emptied_as_it_fills() {
    let mut machine = Machine::new();
    for (offset, value) in [(0x24, 1), (0x28, 0), (0x2c, 0x70), (0x30, 0x301), (0x48, 1)] {
        machine.bench.write(UART0 + offset, value);
    }
    machine.channel(5, UART0, 0x2000_0000, 50, EN | INCR_WRITE | 21 << 15 | chain_to(5));
    let now = machine.bench.now;
    for byte in 1..=50 {
        machine.bench.p.inject(0, byte, 0, now, now);
    }
    machine.run_for(50 * 160 + 1000);
    assert_eq!(machine.memory[..50], (1..=50).collect::<Vec<u8>>());
}

#[test]
fn the_sniffer_makes_the_usual_crc32() {
    let mut machine = Machine::new();
    machine.memory[..9].copy_from_slice(b"123456789");
    // CRC-32 as in the pico-examples: bit-reversed data, output reversed and inverted.
    machine.bench.write(DMA + 0x438, u32::MAX);
    machine.bench.write(DMA + 0x434, 1 | 6 << 1 | 1 << 5 | 1 << 10 | 1 << 11);
    machine.channel(6, 0x2000_0000, 0x2000_0100, 9, EN | INCR_READ | PERMANENT | 1 << 23 | chain_to(6));
    machine.run_for(100);
    assert_eq!(machine.bench.read(DMA + 0x438), 0xcbf4_3926);
}

#[test]
fn a_bus_error_halts_the_channel() {
    let mut machine = Machine::new();
    machine.bench.write(DMA + 0x414, 1 << 7);
    machine.channel(7, 0x3000_0000, 0x2000_0000, 4, EN | WORD | PERMANENT | chain_to(7));
    machine.run_for(50);
    let ctrl = machine.bench.read(DMA + 0x40 * 7 + 0xc);
    assert_eq!(ctrl >> 24, 0xc0, "AHB_ERROR, READ_ERROR, not busy");
    assert!(machine.bench.line(Irq::Dma1));
    machine.bench.write(DMA + 0x40 * 7 + 0x10 + SET, 1 << 30);
    assert_eq!(machine.bench.read(DMA + 0x40 * 7 + 0xc) >> 24, 0);
}

#[test]
fn channels_take_turns_but_for_high_priority() {
    let mut machine = Machine::new();
    machine.channel(0, 0x2000_0000, 0x2000_0100, 40, WORD | PERMANENT | EN);
    machine.channel(1, 0x2000_0000, 0x2000_0104, 40, WORD | PERMANENT | EN | 1 << 1 | chain_to(1));
    machine.run_for(20);
    let left = [0x08, 0x48].map(|offset| machine.bench.read(DMA + offset));
    assert!(left[0] > 30 && left[1] < 30, "{left:?}");
}

proptest! {
    #[test]
    fn a_copy_copies(size in 0u32..3, count in 1u32..60, ring in 0u32..6, write_ring: bool, data in proptest::collection::vec(any::<u8>(), 256)) {
        let mut machine = Machine::new();
        machine.memory[..256].copy_from_slice(&data);
        let ctrl = EN | size << 2 | INCR_READ | INCR_WRITE | PERMANENT | ring << 6 | u32::from(write_ring) << 10;
        let mut expected = machine.memory.clone();
        let bytes = 1u32 << size;
        let wrapped = |at: u32, wraps: bool| if wraps && ring > 0 && (1 << ring) >= bytes { at % (1 << ring) } else { at };
        prop_assume!(ring == 0 || (1 << ring) >= bytes);
        for index in 0..count {
            let (from, to) = (wrapped(index * bytes, !write_ring), wrapped(index * bytes, write_ring));
            for byte in 0..bytes {
                expected[(0x400 + to + byte) as usize] = data[(from + byte) as usize];
            }
        }
        machine.channel(0, 0x2000_0000, 0x2000_0400, count, ctrl);
        machine.run_for(1000);
        prop_assert_eq!(machine.memory, expected);
    }
}

#[test]
fn a_request_signal_that_never_comes_is_told_of() {
    for (treq, told) in [
        (0, 0),
        (15, 0),
        (16, 0),
        (20, 0),
        (23, 0),
        (24, 0),
        (31, 0),
        (36, 0),
        (37, 0),
        (38, 1),
        (39, 0),
        (59, 0),
        (63, 0),
    ] {
        let mut machine = Machine::new();
        machine.channel(0, 0x2000_0000, 0x2000_0100, 1, EN | WORD | treq << 15);
        assert_eq!(machine.bench.diagnostics.pending().len(), told, "TREQ_SEL {treq}");
    }
}
