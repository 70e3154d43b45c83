//! XIP streaming (datasheet 2.6.3.3): flash is read into a FIFO of two words in the background.

use intercore_sim::core::access::Width;
use intercore_sim::core::bus::{Access, Bus as _, Slave};
use intercore_sim::core::time::Cycle;
use intercore_sim::engine::Engine;
use intercore_sim::rp2040::bus::slave::{FAST_PERIPHERALS, XIP};
use intercore_sim::rp2040::machine::Machine;

const FLASH: u32 = 0x1000_0000;
const STAT: u32 = 0x1400_0008;
const STREAM_ADDR: u32 = 0x1400_0014;
const STREAM_CTR: u32 = 0x1400_0018;
const STREAM_FIFO: u32 = 0x1400_001c;
const XIP_AUX: u32 = 0x5040_0000;
const DMA: u32 = 0x5000_0000;
const RESETS_CLEAR: u32 = 0x4000_f000;
/// Bits of `STAT`.
const FLUSH_READY: u32 = 1;
const EMPTY: u32 = 1 << 1;
const FULL: u32 = 1 << 2;
/// Cycles of a word, with the SSI as after a reset: 32 clocks of command and address, 32 of data, four cycles each, and 4.
const WORD: Cycle = 64 * 4 + 4;
const WORDS: u32 = 64;

fn content(index: u32) -> u32 {
    index.wrapping_mul(0x9e37_79b9) | 1
}

/// A chip with words in its flash, from 0x100 on.
fn machine() -> Machine {
    let mut machine = Machine::new();
    let bytes: Vec<u8> = (0..WORDS).flat_map(|index| content(index).to_le_bytes()).collect();
    assert!(machine.load(FLASH + 0x100, &bytes));
    machine
}

fn write(machine: &mut Machine, address: u32, value: u32) {
    let now = machine.now();
    machine.bus.write(XIP, address, value, Width::Word, now).expect("a register");
}

fn read(machine: &mut Machine, slave: Slave, address: u32) -> u32 {
    let now = machine.now();
    machine.bus.read(slave, address, now).expect("a register")
}

fn advance(machine: &mut Machine, cycles: Cycle) {
    machine.run_until(machine.now() + cycles);
}

#[test]
fn a_stream_fills_its_fifo_and_goes_on_as_words_are_taken() {
    let mut machine = machine();
    assert_eq!(read(&mut machine, XIP, STAT), EMPTY | FLUSH_READY);
    write(&mut machine, STREAM_ADDR, FLASH + 0x103); // bits 1:0 are not there
    write(&mut machine, STREAM_CTR, 4);
    advance(&mut machine, WORD - 1);
    assert_eq!(read(&mut machine, XIP, STAT), EMPTY | FLUSH_READY);
    advance(&mut machine, 2);
    assert_eq!(read(&mut machine, XIP, STAT), FLUSH_READY);
    advance(&mut machine, 5 * WORD);
    assert_eq!(read(&mut machine, XIP, STAT), FULL | FLUSH_READY, "two words are all that it holds");
    assert_eq!(read(&mut machine, XIP, STREAM_CTR), 2);
    assert_eq!(read(&mut machine, XIP, STREAM_ADDR), FLASH + 0x108);
    assert_eq!(read(&mut machine, XIP, STREAM_FIFO), content(0));
    assert_eq!(read(&mut machine, FAST_PERIPHERALS, XIP_AUX), content(1), "by either port");
    advance(&mut machine, 2 * WORD + 2);
    assert_eq!([0; 2].map(|_| read(&mut machine, FAST_PERIPHERALS, XIP_AUX)), [content(2), content(3)]);
    assert_eq!(read(&mut machine, XIP, STREAM_CTR), 0);
    advance(&mut machine, 2 * WORD);
    assert_eq!(read(&mut machine, XIP, STAT), EMPTY | FLUSH_READY, "that was all");
    assert_eq!(machine.bus.fabric.diagnostics.take(), Vec::<String>::new());
}

#[test]
fn a_count_of_0_halts_a_stream_and_drops_the_word_on_the_wire() {
    let mut machine = machine();
    write(&mut machine, STREAM_ADDR, FLASH + 0x100);
    write(&mut machine, STREAM_CTR, 4);
    advance(&mut machine, WORD + WORD / 2);
    write(&mut machine, STREAM_CTR, 0);
    advance(&mut machine, 2 * WORD);
    assert_eq!(read(&mut machine, XIP, STREAM_FIFO), content(0));
    assert_eq!(read(&mut machine, XIP, STAT), EMPTY | FLUSH_READY);
    write(&mut machine, STREAM_ADDR, FLASH + 0x120);
    write(&mut machine, STREAM_CTR, 1);
    advance(&mut machine, WORD + 2);
    assert_eq!(read(&mut machine, XIP, STREAM_FIFO), content(8));
}

/// 2.6.3.6: `STREAM_CTR` has 22 bits.
#[test]
fn a_count_above_its_bits_is_none() {
    let mut machine = machine();
    write(&mut machine, STREAM_CTR, 1 << 22);
    advance(&mut machine, 2 * WORD);
    assert_eq!((read(&mut machine, XIP, STREAM_CTR), read(&mut machine, XIP, STAT)), (0, EMPTY | FLUSH_READY));
}

/// Starts a stream of all words that DMA takes to 0x20010000 (`DREQ_XIP_STREAM` is 37).
fn stream_by_dma(machine: &mut Machine) {
    assert!(machine.write_register(RESETS_CLEAR, 1 << 2));
    for (register, value) in [(0, XIP_AUX), (4, 0x2001_0000), (8, WORDS), (0xc, 1 | 2 << 2 | 1 << 5 | 37 << 15)] {
        assert!(machine.write_register(DMA + register, value));
    }
    write(machine, STREAM_ADDR, FLASH + 0x100);
    write(machine, STREAM_CTR, WORDS);
}

fn has_arrived(machine: &Machine) -> bool {
    (0..WORDS).all(|index| machine.peek(0x2001_0000 + 4 * index) == Some(content(index)))
}

#[test]
fn dma_takes_words_as_they_come_at_the_rate_of_the_wire() {
    let mut machine = machine();
    stream_by_dma(&mut machine);
    advance(&mut machine, WORD * Cycle::from(WORDS));
    assert!(!has_arrived(&machine), "the last word is not there yet");
    advance(&mut machine, 20);
    assert!(has_arrived(&machine));
}

/// One transfer of many words over the SSI's own FIFO: after address, mode and waiting (20 clocks with the first word), a
/// word takes 8 clocks of four cycles over four lanes. Words come the highest byte first, so that DMA turns them round.
#[test]
fn dma_reads_many_words_over_the_ssi_at_the_full_rate_of_four_lanes() {
    const SSI: u32 = 0x1800_0000;
    const BSWAP: u32 = 1 << 22;
    let mut machine = machine();
    machine.bus.xip.ssi.configure(4);
    assert!(machine.write_register(RESETS_CLEAR, 1 << 2));
    for (register, value) in [(0x08, 0), (0x04, WORDS - 1), (0x4c, 3), (0x08, 1)] {
        write(&mut machine, SSI + register, value);
    }
    assert_eq!(read(&mut machine, XIP, SSI + 0x4c), 3);
    let control = 1 | 2 << 2 | 1 << 5 | 39 << 15 | BSWAP; // DREQ_XIP_SSIRX
    for (register, value) in [(0, SSI + 0x60), (4, 0x2001_0000), (8, WORDS), (0xc, control)] {
        assert!(machine.write_register(DMA + register, value));
    }
    write(&mut machine, SSI + 0x60, 0x100 << 8 | 0xa0);
    let all = 20 * 4 + 4 + 8 * 4 * Cycle::from(WORDS - 1);
    advance(&mut machine, all);
    assert!(!has_arrived(&machine));
    assert_eq!(read(&mut machine, XIP, SSI + 0x28) & 1, 1, "BUSY");
    advance(&mut machine, 20);
    assert!(has_arrived(&machine));
    assert_eq!(read(&mut machine, XIP, SSI + 0x28) & 1, 0);
    assert_eq!(machine.bus.fabric.diagnostics.take(), Vec::<String>::new());
}

/// 2.6.3.3: a miss in the cycle in which a word would go on the wire comes before it, and there are seven cycles between the two.
#[test]
fn a_stream_lets_a_miss_of_its_first_cycle_pass() {
    let mut machine = machine();
    let now = machine.now();
    write(&mut machine, STREAM_ADDR, FLASH + 0x100);
    write(&mut machine, STREAM_CTR, 1);
    let miss = 1 + WORD;
    assert_eq!(machine.bus.begin(0, XIP, FLASH, false, now), Access::Takes(miss));
    advance(&mut machine, miss + 7 + WORD);
    assert_eq!(read(&mut machine, XIP, STAT), EMPTY | FLUSH_READY);
    advance(&mut machine, 1);
    assert_eq!(read(&mut machine, XIP, STAT), FLUSH_READY);
}

/// 4.10.11: a request is there with more words than `DMARDLR`; the FIFO holds 16, and what it has no room for is lost; turned off, the
/// SSI forgets both.
#[test]
fn a_bulk_read_waits_for_dma_up_to_16_words_and_ends_with_its_enable() {
    const SSI: u32 = 0x1800_0000;
    let mut machine = machine();
    machine.bus.xip.ssi.configure(4);
    assert!(machine.write_register(RESETS_CLEAR, 1 << 2));
    for (register, value) in [(0x08, 0), (0x04, 39), (0x4c, 1), (0x54, 3), (0x08, 1)] {
        write(&mut machine, SSI + register, value);
    }
    for (register, value) in [(0, SSI + 0x60), (4, 0x2001_0000), (8, 2), (0xc, 1 | 2 << 2 | 1 << 5 | 39 << 15)] {
        assert!(machine.write_register(DMA + register, value));
    }
    write(&mut machine, SSI + 0x60, 0x100 << 8 | 0xa0);
    let level = |machine: &mut Machine| read(machine, XIP, SSI + 0x24);
    advance(&mut machine, 20 * 4 + 4 + 8 * 4 * 2 + 20);
    assert_eq!(level(&mut machine), 3, "no request yet");
    advance(&mut machine, 8 * 4);
    assert_eq!(level(&mut machine), 3, "the fourth has brought one");
    advance(&mut machine, 20 * 8 * 4);
    assert_eq!((level(&mut machine), read(&mut machine, XIP, SSI + 0x28)), (16, 0b11111));
    assert!(machine.bus.fabric.diagnostics.take().iter().any(|note| note.contains("a word is lost")));
    write(&mut machine, SSI + 0x08, 0);
    write(&mut machine, SSI + 0x08, 1);
    advance(&mut machine, 100);
    assert_eq!((level(&mut machine), read(&mut machine, XIP, SSI + 0x28)), (0, 0b00110));
}

/// A core that misses the cache all the time, with some cycles between two misses, and the other one beside it; by both
/// engines. Gives how many words of a stream arrived in 40,000 cycles.
fn words_beside_misses(pause: usize, other_misses: bool) -> u32 {
    let mut machine = machine();
    // LDR r1, [r0]; ADDS r0, #4; NOPs; B back.
    let branch = 0xe000 | (0x800 - 4 - pause) as u16;
    let code = [&[0x6801, 0x3004][..], &vec![0xbf00; pause], &[branch]].concat();
    let bytes: Vec<u8> = code.iter().flat_map(|half: &u16| half.to_le_bytes()).collect();
    assert!(machine.load(0x2000_0000, &bytes));
    assert!(machine.load(0x2000_8000, &[0xfe, 0xe7])); // B .
    for number in 0..2 {
        let entry = if number == 0 || other_misses { 0x2000_0000 } else { 0x2000_8000 };
        machine.start_core(number, entry, 0x2004_1000);
        machine.core_mut(number).set_register(0, FLASH + 0x1_0000 * (1 + number as u32));
    }
    stream_by_dma(&mut machine);
    let mut lock_step = machine.clone();
    lock_step.engine = Engine::LockStep;
    for piece in 0..40 {
        for machine in [&mut machine, &mut lock_step] {
            advance(machine, 1000);
        }
        assert_eq!(machine.state_hash(), lock_step.state_hash(), "after piece {piece}");
    }
    WORDS - read(&mut machine, XIP, STREAM_CTR)
}

/// "The streaming hardware has lower priority access to the SSI than regular XIP accesses, and there is a brief cooldown
/// (seven cycles) between the last XIP cache miss and resuming streaming."
#[test]
fn cache_misses_come_first_and_a_stream_goes_on_seven_cycles_after_the_last() {
    // B, LDR and ADDS take 5 cycles, of which the request of the next miss is one.
    assert!(words_beside_misses(0, false) <= 1);
    assert!(words_beside_misses(20, true) <= 1, "with two cores, one always waits");
    // A word between any two misses.
    assert_eq!(words_beside_misses(20, false), WORDS);
}
