//! I2C (datasheet 4.3): bytes that take nine periods of SCL, an address that nobody acknowledges, devices that a file describes,
//! and a slave on the other block.

mod registers;

use super::bench::{Bench, IO_BANK0};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::i2c::device::Device;
use intercore_sim::rp2040::peripherals::pins::Wire;
use intercore_sim::rp2040::peripherals::{Dreq, Peripheral};
use proptest::prelude::*;

const I2C: [u32; 2] = [0x4004_4000, 0x4004_8000];
const CON: u32 = 0x00;
const TAR: u32 = 0x04;
const DATA_CMD: u32 = 0x10;
const FS_SCL_HCNT: u32 = 0x1c;
const FS_SCL_LCNT: u32 = 0x20;
const INTR_MASK: u32 = 0x30;
const RAW: u32 = 0x34;
const RX_TL: u32 = 0x38;
const CLR_TX_ABRT: u32 = 0x54;
const CLR_STOP_DET: u32 = 0x60;
const ENABLE: u32 = 0x6c;
const RXFLR: u32 = 0x78;
const ABRT_SOURCE: u32 = 0x80;
const DMA_CR: u32 = 0x88;
const RX_FULL: u32 = 1 << 2;
const TX_EMPTY: u32 = 1 << 4;
const TX_ABRT: u32 = 1 << 6;
const STOP_DET: u32 = 1 << 9;
const READ: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const RESTART: u32 = 1 << 10;
/// As the SDK sets it up: a fast master with restarts, without a slave, `TX_EMPTY` when a byte is out.
const MASTER: u32 = 1 | 2 << 1 | 1 << 5 | 1 << 6 | 1 << 8;
/// A period of SCL with the counts of `bench`: they are longer by `FS_SPKLEN` + 7 and by 1 (4.3.14.2).
const PERIOD: Cycle = 100 + 7 + 7 + 150 + 1;

/// A bus with a device at 0x50, for a master that is enabled.
fn bench(bus: usize, device: &str) -> Bench {
    let mut bench = Bench::started();
    assert!(bench.p.i2cs[bus].attach(Device::from_toml(device).expect("a device")));
    for (offset, value) in
        [(CON, MASTER), (FS_SCL_HCNT, 100), (FS_SCL_LCNT, 150), (DMA_CR, 3), (TAR, 0x50), (ENABLE, 1)]
    {
        bench.write(I2C[bus] + offset, value);
    }
    bench
}

/// Carries out commands as fast as they go, until the stop; yields what was read.
fn transfer(bench: &mut Bench, bus: usize, commands: &[u32]) -> Vec<u32> {
    let mut read = Vec::new();
    for &command in commands {
        bench.write(I2C[bus] + DATA_CMD, command);
        bench.poll(I2C[bus] + RAW, |raw| raw & TX_EMPTY != 0);
        while bench.read(I2C[bus] + RXFLR) > 0 {
            read.push(bench.read(I2C[bus] + DATA_CMD) & 0xff);
        }
    }
    bench.poll(I2C[bus] + RAW, |raw| raw & STOP_DET != 0);
    bench.read(I2C[bus] + CLR_STOP_DET);
    read
}

#[test]
fn bytes_take_nine_periods_each() {
    let mut bench = bench(0, "address = 0x50\nregisters = {}");
    bench.write(I2C[0] + INTR_MASK, STOP_DET);
    let begun = bench.now;
    for command in [0x10, 0x11, 0x12 | STOP] {
        bench.write(I2C[0] + DATA_CMD, command);
    }
    // A start, the address, three bytes, a stop.
    assert_eq!(bench.rises(Irq::I2c0, 1_000_000).map(|at| at - begun), Some((1 + 9 + 3 * 9 + 1) * PERIOD));
    bench.read(I2C[0] + CLR_STOP_DET);
    assert!(!bench.line(Irq::I2c0));
}

#[test]
fn an_address_that_nobody_acknowledges_aborts() {
    let mut bench = bench(1, "address = 0x50\nregisters = {}");
    bench.write(I2C[1] + ENABLE, 0);
    bench.write(I2C[1] + TAR, 0x51);
    bench.write(I2C[1] + ENABLE, 1);
    bench.write(I2C[1] + INTR_MASK, TX_ABRT);
    let begun = bench.now;
    for _ in 0..3 {
        bench.write(I2C[1] + DATA_CMD, 0x55);
    }
    assert_eq!(bench.rises(Irq::I2c1, 1_000_000).map(|at| at - begun), Some(10 * PERIOD));
    // Of three commands, one was being carried out.
    assert_eq!(bench.read(I2C[1] + ABRT_SOURCE), 1 | 2 << 23);
    bench.write(I2C[1] + DATA_CMD, 0x55);
    assert_eq!(bench.read(I2C[1] + 0x74), 0, "nothing is taken until the abort is cleared");
    assert_eq!(bench.read(I2C[1] + CLR_TX_ABRT), 0);
    assert_eq!((bench.read(I2C[1] + ABRT_SOURCE), bench.line(Irq::I2c1)), (0, false));
    bench.wait(PERIOD);
    assert_eq!(bench.read(I2C[1] + RAW) & STOP_DET, STOP_DET);
}

#[test]
fn a_master_without_a_command_holds_the_bus() {
    let mut bench = bench(0, "address = 0x50\nregisters = { 7 = [1, 2, 3] }");
    bench.write(I2C[0] + DATA_CMD, 7);
    bench.wait(100 * PERIOD);
    assert_eq!(bench.read(I2C[0] + RAW) & (STOP_DET | TX_EMPTY), TX_EMPTY);
    assert_eq!(transfer(&mut bench, 0, &[READ | RESTART, READ, READ | STOP]), [1, 2, 3]);
}

/// As the SDK's bursts rely on: what follows is neither a start nor a restart.
#[test]
fn a_master_that_holds_the_bus_keeps_it_while_it_is_disabled() {
    let mut bench = bench(0, "address = 0x50\nregisters = { 7 = [1, 2, 3] }");
    bench.write(I2C[0] + DATA_CMD, 7);
    for command in [READ | RESTART, READ, READ | STOP] {
        bench.wait(100 * PERIOD);
        bench.write(I2C[0] + ENABLE, 0);
        assert_eq!(bench.read(I2C[0] + 0x9c), 1, "ENABLE_STATUS: it is active");
        bench.write(I2C[0] + ENABLE, 1);
        bench.write(I2C[0] + DATA_CMD, command);
    }
    bench.wait(100 * PERIOD);
    assert_eq!([0; 3].map(|_| bench.read(I2C[0] + DATA_CMD) & 0xff), [1, 2, 3]);
    bench.write(I2C[0] + ENABLE, 0);
    assert_eq!(bench.read(I2C[0] + 0x9c), 0);
}

#[test]
fn received_bytes_ask_for_an_interrupt_and_for_dma_at_their_level() {
    let mut bench = bench(0, "address = 0x50\nregisters = { 0 = [5, 6, 7] }");
    bench.write(I2C[0] + RX_TL, 1);
    bench.write(I2C[0] + INTR_MASK, RX_FULL);
    let dreqs = |bench: &Bench| [0, 1].map(|line| bench.p.i2cs[0].dreq(line, bench.now));
    assert_eq!(dreqs(&bench), [Dreq::Room(16), Dreq::Data(0)]);
    let begun = bench.now;
    for command in [READ, READ, READ | STOP] {
        bench.write(I2C[0] + DATA_CMD, command);
    }
    assert_eq!(bench.rises(Irq::I2c0, 1_000_000).map(|at| at - begun), Some((1 + 9 + 2 * 9) * PERIOD));
    assert_eq!(dreqs(&bench)[1], Dreq::Data(2));
    assert_eq!(bench.read(I2C[0] + DATA_CMD), 5 | 1 << 11, "the first byte of its transfer");
    assert!(!bench.line(Irq::I2c0));
}

#[test]
fn what_is_not_modelled_is_reported() {
    for (offset, value, reason) in [
        (CON, MASTER & !(1 << 6), "neither master nor slave"),
        (CON, MASTER | 1 << 4, "10 bits"),
        (TAR, 0x800, "general calls"),
    ] {
        let mut bench = bench(0, "address = 0x50\nregisters = {}");
        assert_eq!(bench.diagnostics.take().len(), 0);
        bench.write(I2C[0] + offset, value);
        let notes = bench.diagnostics.take();
        assert!(notes.iter().any(|note| note.contains(reason)), "{reason}: {notes:?}");
    }
}

const SAR: u32 = 0x08;
const CLR_RD_REQ: u32 = 0x50;
const TXFLR: u32 = 0x74;
const STATUS: u32 = 0x70;
const RD_REQ: u32 = 1 << 5;
const RX_DONE: u32 = 1 << 7;
const START_DET: u32 = 1 << 10;
const RESTART_DET: u32 = 1 << 12;
/// As the SDK sets it up: SCL is held low while the receive FIFO is full.
const SLAVE: u32 = 2 << 1 | 1 << 5 | 1 << 8 | 1 << 9;
const ADDRESS: u32 = 0x17;

/// A master on a block, and a slave on the other one, by wires.
fn pair(master: usize) -> Bench {
    let mut bench = Bench::started();
    for (pin, other) in [(4, 6), (5, 7)] {
        bench.with(|p, context| assert!(p.add_wire(Wire::new(pin, other).expect("two pins"), context)));
        for pin in [pin, other] {
            bench.write(IO_BANK0 + 8 * pin + 4, 3);
        }
    }
    for (block, con) in [(I2C[master], MASTER), (I2C[1 - master], SLAVE)] {
        for (offset, value) in
            [(CON, con), (FS_SCL_HCNT, 100), (FS_SCL_LCNT, 150), (TAR, ADDRESS), (SAR, ADDRESS), (ENABLE, 1)]
        {
            bench.write(block + offset, value);
        }
    }
    bench
}

/// A memory behind a pointer, as firmware of a slave has it.
struct Memory {
    bytes: [u8; 256],
    pointer: Option<u8>,
    next: u8,
}

impl Memory {
    /// Serves what the slave's interrupts ask for.
    fn serve(&mut self, bench: &mut Bench, slave: u32) {
        let raw = bench.read(slave + RAW);
        if raw & (START_DET | STOP_DET) != 0 {
            bench.read(slave + CLR_STOP_DET);
            bench.read(slave + 0x64);
            self.pointer = None;
        }
        while bench.read(slave + RXFLR) > 0 {
            let byte = bench.read(slave + DATA_CMD) as u8;
            if self.pointer.is_none() {
                (self.pointer, self.next) = (Some(byte), byte);
            } else {
                self.bytes[usize::from(self.next)] = byte;
                self.next = self.next.wrapping_add(1);
            }
        }
        if raw & RD_REQ != 0 {
            bench.read(slave + CLR_RD_REQ);
            bench.write(slave + DATA_CMD, u32::from(self.bytes[usize::from(self.next)]));
            self.next = self.next.wrapping_add(1);
        }
    }

    /// Carries out commands of the master up to the stop; what it reads.
    fn transfer(&mut self, bench: &mut Bench, master: usize, commands: &[u32]) -> Vec<u32> {
        let (mut left, mut read) = (commands.iter(), Vec::new());
        let (base, slave) = (I2C[master], I2C[1 - master]);
        loop {
            while bench.read(base + TXFLR) < 16 {
                let Some(&command) = left.next() else { break };
                bench.write(base + DATA_CMD, command);
            }
            bench.wait(PERIOD);
            self.serve(bench, slave);
            while bench.read(base + RXFLR) > 0 {
                read.push(bench.read(base + DATA_CMD) & 0xff);
            }
            if bench.read(base + RAW) & STOP_DET != 0 {
                bench.read(base + CLR_STOP_DET);
                return read;
            }
        }
    }
}

#[test]
fn a_slave_holds_the_clock_low_until_it_has_a_byte_to_send() {
    let mut bench = pair(1);
    let begun = bench.now;
    bench.write(I2C[1] + DATA_CMD, READ | STOP);
    bench.write(I2C[0] + INTR_MASK, RD_REQ);
    assert_eq!(bench.rises(Irq::I2c0, 1_000_000).map(|at| at - begun), Some((1 + 9) * PERIOD), "it is addressed");
    assert_eq!(bench.read(I2C[0] + STATUS) & 0x41, 0x41, "SLV_ACTIVITY");
    bench.wait(1000 * PERIOD);
    assert_eq!(bench.read(I2C[1] + RAW) & STOP_DET, 0);
    bench.read(I2C[0] + CLR_RD_REQ);
    assert_eq!(bench.read(I2C[0] + RAW) & RD_REQ, 0, "it is raised once for a byte");
    let sent = bench.now;
    bench.write(I2C[0] + DATA_CMD, 0xa5);
    bench.write(I2C[1] + INTR_MASK, STOP_DET);
    assert_eq!(bench.rises(Irq::I2c1, 1_000_000).map(|at| at - sent), Some((9 + 1) * PERIOD));
    assert_eq!(bench.read(I2C[1] + DATA_CMD) & 0xff, 0xa5);
    assert_eq!(bench.read(I2C[0] + RAW) & (RX_DONE | START_DET | STOP_DET), RX_DONE | START_DET | STOP_DET);
    assert_eq!(bench.read(I2C[0] + STATUS) & 0x41, 0);
}

#[test]
fn a_slave_sends_nothing_that_it_wrote_before_it_was_asked() {
    let mut bench = pair(0);
    bench.write(I2C[1] + DATA_CMD, 1);
    bench.write(I2C[1] + DATA_CMD, 2);
    bench.write(I2C[0] + DATA_CMD, READ | STOP);
    bench.wait(20 * PERIOD);
    assert_eq!(bench.read(I2C[1] + RAW) & (TX_ABRT | RD_REQ), TX_ABRT | RD_REQ);
    assert_eq!(bench.read(I2C[1] + ABRT_SOURCE), 1 << 13 | 2 << 23, "4.3.10.1.2: SLVFLUSH_TXFIFO");
    bench.read(I2C[1] + CLR_TX_ABRT);
    bench.write(I2C[1] + DATA_CMD, 3);
    bench.wait(20 * PERIOD);
    assert_eq!(bench.read(I2C[0] + DATA_CMD) & 0xff, 3);
}

#[test]
fn a_slave_whose_fifo_is_full_holds_the_clock_low_or_loses_bytes() {
    for (hold, lost) in [(true, 0), (false, 1)] {
        let mut bench = pair(0);
        bench.write(I2C[1] + ENABLE, 0);
        bench.write(I2C[1] + CON, if hold { SLAVE } else { SLAVE & !(1 << 9) });
        bench.write(I2C[1] + ENABLE, 1);
        for byte in 0..17 {
            bench.write(I2C[0] + DATA_CMD, byte | if byte == 16 { STOP } else { 0 });
            bench.poll(I2C[0] + TXFLR, |level| level == 0);
        }
        bench.wait(40 * PERIOD);
        assert_eq!(bench.read(I2C[0] + RAW) & STOP_DET != 0, !hold);
        assert_eq!(bench.read(I2C[1] + RAW) & 2 != 0, lost == 1, "RX_OVER");
        let received: Vec<_> = (0..16).map(|_| bench.read(I2C[1] + DATA_CMD) & 0xff).collect();
        assert_eq!(received, (0..16).collect::<Vec<_>>());
        bench.wait(40 * PERIOD);
        assert_eq!(bench.read(I2C[1] + RXFLR), 1 - lost);
        assert_ne!(bench.read(I2C[0] + RAW) & STOP_DET, 0);
    }
}

#[test]
fn a_slave_answers_to_its_address_only_and_while_it_is_enabled() {
    for (offset, value) in [(SAR, ADDRESS + 1), (ENABLE, 0)] {
        let mut bench = pair(0);
        bench.write(I2C[1] + offset, value);
        bench.write(I2C[0] + DATA_CMD, 1 | STOP);
        bench.wait(20 * PERIOD);
        assert_eq!(bench.read(I2C[0] + ABRT_SOURCE) & 0x1ff, 1);
        assert_eq!(bench.read(I2C[1] + RXFLR), 0);
    }
}

#[test]
fn a_restart_is_one_for_the_slave_that_was_addressed() {
    let mut bench = pair(0);
    bench.write(I2C[0] + DATA_CMD, 1);
    bench.wait(25 * PERIOD);
    assert_eq!(bench.read(I2C[1] + RAW) & (START_DET | RESTART_DET), START_DET);
    bench.write(I2C[0] + DATA_CMD, 2 | RESTART | STOP);
    bench.wait(25 * PERIOD);
    assert_eq!(bench.read(I2C[1] + RAW) & (RESTART_DET | STOP_DET), RESTART_DET | STOP_DET);
    let first = 1 << 11;
    assert_eq!([0, 1].map(|_| bench.read(I2C[1] + DATA_CMD)), [1 | first, 2 | first]);
}

/// `RX_DONE` is that the master does not acknowledge a byte, and so it ends what it reads before a restart, too (4.3.17).
#[test]
fn a_slave_is_told_of_the_last_byte_before_a_restart() {
    for (next, done) in [(READ, 0), (READ | RESTART, RX_DONE), (5, RX_DONE)] {
        let mut bench = pair(0);
        bench.write(I2C[0] + DATA_CMD, READ);
        bench.poll(I2C[1] + RAW, |raw| raw & RD_REQ != 0);
        bench.write(I2C[1] + DATA_CMD, 0xa5);
        bench.wait(20 * PERIOD);
        assert_eq!(bench.read(I2C[1] + RAW) & RX_DONE, 0, "it is not known yet");
        bench.write(I2C[0] + DATA_CMD, next);
        bench.wait(20 * PERIOD);
        assert_eq!(bench.read(I2C[1] + RAW) & RX_DONE, done, "{next:#x}");
    }
}

#[derive(Clone, Debug)]
enum Access {
    Write { register: u8, bytes: Vec<u8> },
    Read { register: u8, count: usize },
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![
        (any::<u8>(), prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(register, bytes)| Access::Write { register, bytes }),
        (any::<u8>(), 1usize..20).prop_map(|(register, count)| Access::Read { register, count }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A device is an array, behind a pointer that goes on by one with each byte.
    #[test]
    fn a_device_is_an_array(accesses in prop::collection::vec(access(), 1..10), bus in 0usize..2) {
        let mut bench = bench(bus, "address = 0x50\nread_only = [\"0x75\"]\n[registers]\n0x75 = 0x68\n0xfe = [1, 2]");
        let mut model = [0u8; 256];
        (model[0x75], model[0xfe], model[0xff]) = (0x68, 1, 2);
        for access in accesses {
            match access {
                Access::Write { register, bytes } => {
                    let mut commands: Vec<_> = std::iter::once(register).chain(bytes.iter().copied()).map(u32::from).collect();
                    *commands.last_mut().expect("the pointer") |= STOP;
                    prop_assert_eq!(transfer(&mut bench, bus, &commands), Vec::<u32>::new());
                    for (step, byte) in bytes.into_iter().enumerate() {
                        let at = register.wrapping_add(step as u8);
                        model[usize::from(at)] = if at == 0x75 { 0x68 } else { byte };
                    }
                }
                Access::Read { register, count } => {
                    let mut commands = vec![u32::from(register)];
                    commands.extend((0..count).map(|step| READ | if step == 0 { RESTART } else { 0 }));
                    *commands.last_mut().expect("a read") |= STOP;
                    let expected: Vec<_> =
                        (0..count).map(|step| u32::from(model[usize::from(register.wrapping_add(step as u8))])).collect();
                    prop_assert_eq!(transfer(&mut bench, bus, &commands), expected);
                }
            }
        }
    }
}

#[test]
fn a_pointer_of_two_bytes_a_pointer_of_none_and_one_that_stays() {
    let mut wide = bench(0, "address = 0x50\npointer_bytes = 2\nregisters = { 0x1234 = [1, 2] }");
    assert_eq!(transfer(&mut wide, 0, &[0x12, 0x34, READ | RESTART, READ | STOP]), [1, 2]);
    let mut single = bench(0, "address = 0x50\npointer_bytes = 0\nregisters = { 0 = 9 }");
    assert_eq!(transfer(&mut single, 0, &[READ, READ | STOP]), [9, 9]);
    assert_eq!(transfer(&mut single, 0, &[8 | STOP]), Vec::<u32>::new());
    assert_eq!(transfer(&mut single, 0, &[READ | STOP]), [8]);
    let mut port = bench(0, "address = 0x50\nauto_increment = false\nregisters = { 3 = 7 }");
    assert_eq!(transfer(&mut port, 0, &[3, READ | RESTART, READ | STOP]), [7, 7]);
}

#[test]
fn a_bad_description_is_refused_with_its_reason() {
    for (text, reason) in [
        ("", "missing field"),
        ("address = 0x50", "missing field"),
        ("address = 300\nregisters = {}", "invalid value"),
        ("address = 0x78\nregisters = {}", "devices have 0x08 to 0x77"),
        ("address = 0x50\nspeed = 3\nregisters = {}", "unknown field"),
        ("address = 0x50\npointer_bytes = 3\nregisters = {}", "expected 0, 1 or 2"),
        ("address = 0x50\nregisters = { 255 = [1, 2] }", "only 256 registers"),
        ("address = 0x50\nregisters = { one = 1 }", "is no number of a register"),
        ("address = 0x50\nread_only = [\"0x100\"]\nregisters = {}", "only 256 registers"),
        ("address = ", "TOML parse error at line 1"),
    ] {
        let why = Device::from_toml(text).expect_err(text);
        assert!(why.contains(reason), "{text}: {why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same of firmware behind a slave, which stretches the clock while it is slow.
    #[test]
    fn a_slave_is_an_array(accesses in prop::collection::vec(access(), 1..6), master in 0usize..2) {
        let mut bench = pair(master);
        let mut memory = Memory { bytes: [0; 256], pointer: None, next: 0 };
        let mut model = [0u8; 256];
        for access in accesses {
            match access {
                Access::Write { register, bytes } => {
                    let mut commands: Vec<_> = std::iter::once(register).chain(bytes.iter().copied()).map(u32::from).collect();
                    *commands.last_mut().expect("the pointer") |= STOP;
                    memory.transfer(&mut bench, master, &commands);
                    for (step, byte) in bytes.into_iter().enumerate() {
                        model[usize::from(register.wrapping_add(step as u8))] = byte;
                    }
                    prop_assert_eq!(memory.bytes, model);
                }
                Access::Read { register, count } => {
                    let mut commands = vec![u32::from(register), READ | RESTART];
                    commands.resize(count + 1, READ);
                    *commands.last_mut().expect("a read") |= STOP;
                    let read = memory.transfer(&mut bench, master, &commands);
                    let expected: Vec<_> = (0..count)
                        .map(|step| u32::from(model[usize::from(register.wrapping_add(step as u8))])).collect();
                    prop_assert_eq!(read, expected);
                }
            }
        }
    }
}
