//! The DMA on the bus: what it moves from lane to lane, and how long it takes, against what its designer and its users say of the
//! chip.

use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::machine::Machine;

const RESETS_CLEAR: u32 = 0x4000_f000;
const DMA: u32 = 0x5000_0000;
const PIO0: u32 = 0x5020_0000;
/// Registers of a channel (datasheet 2.5.7): those that trigger it, and `CTRL` that does not.
const READ_ADDR: u32 = 0x00;
const WRITE_ADDR: u32 = 0x04;
const TRANS_COUNT: u32 = 0x08;
const CTRL_TRIG: u32 = 0x0c;
const AL1_CTRL: u32 = 0x10;
const AL3_READ_ADDR_TRIG: u32 = 0x3c;
/// `CTRL` fields.
const EN: u32 = 1;
const WORD: u32 = 2 << 2;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const RING_16_BYTES_WRITE: u32 = 4 << 6 | 1 << 10;
const ALWAYS: u32 = 0x3f << 15;

fn chain_to(channel: u32) -> u32 {
    channel << 11
}

fn channel(number: u32, register: u32) -> u32 {
    DMA + 0x40 * number + register
}

/// A chip of which DMA and PIO0 are out of reset, and no core runs.
fn machine() -> Machine {
    let mut machine = Machine::new();
    machine.set_clock(125_000_000);
    assert!(machine.write_register(RESETS_CLEAR, 1 << 2 | 1 << 10));
    machine
}

fn write(machine: &mut Machine, registers: &[(u32, u32)]) {
    for &(address, value) in registers {
        assert!(machine.write_register(address, value));
    }
}

/// A state machine pushes the address of a byte, and stalls in an OUT until the byte is in its transmit FIFO: one channel
/// takes the address to the other channel's trigger, and that one fetches the byte. A user measured 11 cycles on a chip,
/// of which one is the OUT; the designer explains 8 by the four phases of a transfer (raspberrypi/pico-feedback issue 202).
#[test]
fn from_a_fifo_of_pio_by_two_channels_to_another_takes_11_cycles() {
    const ADDR: u32 = PIO0 + 0xd4;
    let mut machine = machine();
    assert!(machine.load(0x2000_0100, &[0x5a]));
    // PULL; MOV X, OSR; OUT NULL, 32; IN X, 32; OUT Y, 8; JMP to itself.
    for (at, instruction) in [0x80a0, 0xa027, 0x6060, 0x4020, 0x6048, 0x0005].into_iter().enumerate() {
        write(&mut machine, &[(PIO0 + 0x48 + 4 * at as u32, instruction)]);
    }
    write(
        &mut machine,
        &[
            (channel(1, WRITE_ADDR), PIO0 + 0x10),
            (channel(1, TRANS_COUNT), 1),
            (channel(1, AL1_CTRL), EN | ALWAYS | chain_to(1)),
            (channel(0, READ_ADDR), PIO0 + 0x20),
            (channel(0, WRITE_ADDR), channel(1, AL3_READ_ADDR_TRIG)),
            (channel(0, TRANS_COUNT), 1),
            (channel(0, CTRL_TRIG), EN | WORD | 4 << 15 | chain_to(0)), // DREQ_PIO0_RX0
            // Autopush of 32 bits, autopull of 8, both to the right.
            (PIO0 + 0xd0, 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19 | 8 << 25),
            (PIO0 + 0x10, 0x2000_0100),
            (PIO0, 1),
        ],
    );
    let mut reaches = |instruction| -> Cycle {
        while machine.peek_register(ADDR) != instruction {
            let next = machine.now() + 1;
            machine.run_until(next);
            assert!(next < 1000, "it hangs at {}", machine.peek_register(ADDR));
        }
        machine.now()
    };
    let pushed = reaches(4);
    assert_eq!(reaches(5) - pushed, 11);
}

/// One channel fetches blocks of four words into the registers of another, the last of which triggers it; that one copies
/// a word, and chains to the first: four phases, three words more, four phases again. (B. Land measured "about 8 million" blocks
/// a second of a program of such blocks at 125 MHz, 15.6 cycles each: DMA machine for the RP2040, Cornell University, ECE 4760.
/// Which blocks it timed is not said.)
#[test]
fn a_chain_of_control_blocks_takes_11_cycles_a_block() {
    const BLOCKS: u32 = 200;
    let mut machine = machine();
    let copy = EN | WORD | ALWAYS | chain_to(0);
    for block in 0..BLOCKS {
        let words = [0x2002_0000 + 4 * block, 0x2003_0000 + 4 * block, 1, copy];
        let bytes: Vec<_> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert!(machine.load(0x2001_0000 + 16 * block, &bytes));
    }
    write(
        &mut machine,
        &[
            (channel(0, READ_ADDR), 0x2001_0000),
            (channel(0, WRITE_ADDR), channel(1, READ_ADDR)),
            (channel(0, TRANS_COUNT), 4),
            (channel(0, CTRL_TRIG), EN | WORD | ALWAYS | INCR_READ | INCR_WRITE | RING_16_BYTES_WRITE | chain_to(0)),
        ],
    );
    let begun = machine.now();
    // Behind the last block are zeros, which do not trigger the channel.
    while machine.peek_register(channel(0, READ_ADDR)) < 0x2001_0000 + 16 * BLOCKS {
        let next = machine.now() + 1;
        machine.run_until(next);
        assert!(next < 100_000);
    }
    // The last block has been read when it has not been carried out.
    let cycles = machine.now() - begun;
    assert!((11 * u64::from(BLOCKS - 1)..11 * u64::from(BLOCKS)).contains(&cycles), "{cycles} cycles");
}

/// A channel that waits for a request has another one chosen, of a FIFO that nobody has waited for and that was filled long ago: it
/// does not act before it was told to.
#[test]
fn a_channel_takes_a_word_that_has_waited_after_its_request_is_chosen() {
    let mut machine = machine();
    assert!(machine.load(0x2000_0100, &[0; 4]));
    write(
        &mut machine,
        &[
            (channel(0, READ_ADDR), PIO0 + 0x20),
            (channel(0, WRITE_ADDR), 0x2000_0100),
            (channel(0, TRANS_COUNT), 1),
            (channel(0, CTRL_TRIG), EN | WORD | 36 << 15), // DREQ_ADC, which never comes
            (PIO0 + 0xd8, 0xa0cb),                         // MOV ISR, !NULL
        ],
    );
    // Nothing happens that a chip without cores would notice.
    let wait = |machine: &mut Machine, cycles| machine.advance_to(machine.now() + cycles);
    wait(&mut machine, 10);
    // SET X, 0 with 31 cycles of delay; PUSH; JMP to itself.
    for (at, instruction) in [0xff20, 0x8020, 0x0002].into_iter().enumerate() {
        write(&mut machine, &[(PIO0 + 0x48 + 4 * at as u32, instruction)]);
    }
    write(&mut machine, &[(PIO0, 1)]);
    wait(&mut machine, 1000);
    let begun = machine.now();
    write(&mut machine, &[(channel(0, AL1_CTRL), EN | WORD | 4 << 15)]); // DREQ_PIO0_RX0
    while machine.peek(0x2000_0100) != Some(u32::MAX) {
        let next = machine.now() + 1;
        machine.run_until(next);
        assert!(next < begun + 100);
    }
    // The request is seen in this cycle, the read follows in the next one, its data and the write behind that.
    assert_eq!(machine.now() - begun, 4);
}

/// Bytes and halfwords from any lane of a word to any other.
#[test]
fn narrow_transfers_take_the_lanes_of_their_addresses() {
    const FROM: u32 = 0x2000_0100;
    const TO: u32 = 0x2000_0200;
    let data: Vec<u8> = (1..=16).collect();
    for (size, from, to) in [(0, 1, 3), (0, 2, 0), (0, 3, 1), (1, 2, 0), (1, 0, 2)] {
        let mut machine = machine();
        assert!(machine.load(FROM, &data) && machine.load(TO, &[0; 16]));
        let count = 6 >> size;
        write(
            &mut machine,
            &[
                (channel(0, READ_ADDR), FROM + from),
                (channel(0, WRITE_ADDR), TO + to),
                (channel(0, TRANS_COUNT), count),
                (channel(0, CTRL_TRIG), EN | size << 2 | INCR_READ | INCR_WRITE | ALWAYS),
            ],
        );
        let end = machine.now() + 50;
        machine.run_until(end);
        let (from, to) = (from as usize, to as usize);
        let mut expected = vec![0; 16];
        expected[to..to + 6].copy_from_slice(&data[from..from + 6]);
        assert_eq!(machine.peek_bytes(TO, 16), expected, "size {size} from {from} to {to}");
    }
}
