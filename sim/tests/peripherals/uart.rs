use super::bench::{Bench, CLOCKS, SET, UART0};
use intercore_sim::core::uart_frame::Frame;
use intercore_sim::rp2::serial_ports::SerialPorts as _;
use intercore_sim::rp2::uart::format;
use intercore_sim::rp2::uart::line::LineRate;
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;

const DR: u32 = UART0;
const FR: u32 = UART0 + 0x18;
const IMSC: u32 = UART0 + 0x38;
const RIS: u32 = UART0 + 0x3c;
const ICR: u32 = UART0 + 0x44;
/// 8 data bits, no parity, FIFOs.
const LCR_8N1: u32 = 3 << 5 | 1 << 4;
/// Cycles of a bit at 115200 baud and 125 MHz, with IBRD 67 and FBRD 52: 16 x 67.8125.
const BIT: u64 = 1085;

impl Bench {
    fn with_uart(lcr_h: u32) -> Self {
        let mut bench = Self::started();
        bench.set_uart(67, 52, lcr_h);
        bench
    }

    fn set_uart(&mut self, ibrd: u32, fbrd: u32, lcr_h: u32) {
        self.write(UART0 + 0x24, ibrd);
        self.write(UART0 + 0x28, fbrd);
        self.write(UART0 + 0x2c, lcr_h);
        self.write(UART0 + 0x30, 0x301);
    }

    fn inject(&mut self, bytes: &[u8]) {
        let now = self.now;
        for &byte in bytes {
            self.p.inject(0, byte, 0, now, now);
        }
    }
}

#[test]
fn bytes_leave_back_to_back_with_exact_bit_times() {
    let mut bench = Bench::with_uart(LCR_8N1);
    for &byte in b"hello" {
        bench.write(DR, u32::from(byte));
    }
    let start = bench.now;
    assert_eq!(bench.read(FR) & 0x88, 8, "busy, and four bytes in the FIFO");
    bench.wait(60 * BIT);
    let sent = bench.p.uarts[0].take_sent();
    assert_eq!(sent.iter().map(|sent| sent.byte).collect::<Vec<_>>(), b"hello");
    assert!(sent.windows(2).all(|pair| pair[1].at - pair[0].at == 10 * BIT));
    // The start bit begins with the first Baud16 tick after the write, at most 68 cycles later.
    assert!((10 * BIT..=10 * BIT + 68).contains(&(sent[0].at - start)));
    assert_eq!(bench.read(FR) & 0x88, 0x80);
}

#[test]
fn a_fractional_divisor_does_not_drift() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.set_uart(1, 1, LCR_8N1); // 16.25 cycles per bit
    let mut ends = Vec::new();
    for _ in 0..25 {
        for byte in 0..32 {
            bench.write(DR, byte);
        }
        bench.wait(6000);
        ends.extend(bench.p.uarts[0].take_sent());
    }
    for chunk in ends.chunks(32) {
        for (index, sent) in chunk.iter().enumerate() {
            let exact = chunk[0].at as f64 + 162.5 * index as f64;
            assert!((sent.at as f64 - exact).abs() < 1.0);
        }
    }
}

#[test]
fn the_line_slows_down_with_clk_peri() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.write(CLOCKS + 0x48, 1 << 11 | 4 << 5); // the crystal
    bench.set_uart(6, 33, LCR_8N1);
    bench.write(DR, 1);
    bench.write(DR, 2);
    bench.wait(30_000);
    let sent = bench.p.uarts[0].take_sent();
    // 16 x 6.515625 periods of 12 MHz per bit
    let exact = 160.0 * (6.0 + 33.0 / 64.0) * 125.0 / 12.0;
    assert!(((sent[1].at - sent[0].at) as f64 - exact).abs() <= 1.0);
}

#[test]
fn a_received_byte_is_there_in_the_middle_of_its_stop_bit() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.write(UART0 + 0x34, 0); // 1/8: four characters
    bench.write(IMSC, 1 << 4);
    bench.inject(b"abcd");
    let start = bench.now;
    let rise = bench.rises(Irq::Uart0, 100 * BIT).expect("an interrupt");
    let exact = 30 * BIT + 9 * BIT + BIT / 2;
    assert!((rise - start).abs_diff(exact) <= 68, "{} for {exact}", rise - start);
    assert_eq!([0; 4].map(|_: u8| bench.read(DR)), [0x61, 0x62, 0x63, 0x64]);
    assert!(!bench.line(Irq::Uart0));
    assert_eq!(bench.read(FR) & 0x10, 0x10);
}

#[test]
fn received_data_is_announced_after_32_bits_of_silence() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.write(IMSC, 1 << 6);
    bench.inject(b"x");
    let start = bench.now;
    let rise = bench.rises(Irq::Uart0, 100 * BIT).expect("an interrupt");
    let exact = 9 * BIT + BIT / 2 + 32 * BIT;
    assert!((rise - start).abs_diff(exact) <= 2 * 68);
    bench.read(DR);
    assert!(!bench.line(Irq::Uart0));
}

#[test]
fn the_33rd_unread_byte_is_lost_and_the_next_one_tells() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.inject(&[7; 33]);
    bench.wait(340 * BIT);
    assert_eq!(bench.read(RIS) >> 10 & 1, 1, "OERIS");
    assert_eq!(bench.read(FR) & 0x40, 0x40);
    assert!((0..32).all(|_| bench.read(DR) == 7));
    bench.inject(&[8]);
    bench.wait(11 * BIT);
    assert_eq!(bench.read(DR), 0x808);
    bench.write(ICR, 0x7ff);
    assert_eq!(bench.read(RIS), 0);
}

#[test]
fn flipped_bits_become_the_errors_they_are() {
    let even_parity = LCR_8N1 | 6;
    let mut bench = Bench::with_uart(even_parity);
    let now = bench.now;
    let flips = [0, 1 << 3, 1 << 9, 1 << 10, !1 & 0x7ff, 1];
    for flipped in flips {
        bench.p.inject(0, 0xff, flipped, now, now);
    }
    bench.wait(80 * BIT);
    let received: Vec<_> = (0..5).map(|_| bench.read(DR)).collect();
    assert_eq!(received, [0xff, 0x2fb, 0x2ff, 0x1ff, 0x300]);
    assert_eq!(bench.read(FR) & 0x10, 0x10, "a start bit that is not there starts nothing");
}

#[test]
fn a_line_held_low_is_a_break() {
    let mut bench = Bench::with_uart(LCR_8N1);
    let now = bench.now;
    bench.p.inject(0, 0, 1 << 9, now, now);
    bench.wait(12 * BIT);
    assert_eq!(bench.read(DR), 0x500, "BE and FE");
}

#[test]
fn a_sender_at_another_rate_is_misread() {
    let mut bench = Bench::with_uart(LCR_8N1);
    let format = format(LCR_8N1);
    for (rate, readable) in [(115_200, true), (117_000, true), (112_000, true), (57_600, false), (230_400, false)] {
        bench.p.uarts[0].line.rate = LineRate::Baud { rate, format };
        bench.inject(b"U");
        bench.wait(30 * BIT);
        assert_eq!(bench.read(DR) == 0x55, readable, "{rate}");
        while bench.read(FR) & 0x10 == 0 {
            bench.read(DR);
        }
    }
}

#[test]
fn bytes_wait_for_the_receiver_unless_the_line_has_a_rate_of_its_own() {
    let mut bench = Bench::started();
    bench.inject(b"x");
    bench.wait(1_000_000);
    bench.set_uart(67, 52, LCR_8N1);
    let start = bench.now;
    bench.write(IMSC, 1 << 6);
    assert!(bench.rises(Irq::Uart0, 60 * BIT).is_some_and(|at| at > start + 40 * BIT));
    assert_eq!(bench.read(DR), 0x78);
}

#[test]
fn the_transmit_interrupt_comes_with_the_crossing_of_its_level() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.write(IMSC, 1 << 5);
    bench.write(DR, 0);
    bench.wait(20 * BIT);
    assert!(!bench.line(Irq::Uart0), "never above the level, never through it");
    for byte in 0..20 {
        bench.write(DR, byte);
    }
    let start = bench.now;
    // 19 in the FIFO after the first went to the shift register; 16 after three more.
    let rise = bench.rises(Irq::Uart0, 100 * BIT).expect("an interrupt");
    assert!((rise - start).abs_diff(30 * BIT) <= 68);
}

#[test]
fn loopback_returns_what_is_sent() {
    let mut bench = Bench::with_uart(LCR_8N1);
    bench.write(UART0 + 0x30 + SET, 1 << 7);
    bench.write(DR, 0x5a);
    bench.wait(11 * BIT);
    assert_eq!(bench.read(DR), 0x5a);
    assert!(bench.p.uarts[0].sent().is_empty());
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(lcr_h in 0u32..0x100, byte: u8) {
        let format = format(lcr_h);
        let data = (u16::from(byte) & ((1 << format.data_bits) - 1)) as u8;
        prop_assert_eq!(format.decode(format.encode(byte)), Frame { data, ..Frame::default() });
    }

    #[test]
    fn every_byte_takes_its_bits_exactly(ibrd in 1u32..300, fbrd in 0u32..64, lcr_h in 0u32..0x80, bytes in proptest::collection::vec(any::<u8>(), 2..20)) {
        let lcr_h = lcr_h & !1 | 1 << 4;
        let mut bench = Bench::with_uart(lcr_h);
        bench.set_uart(ibrd, fbrd, lcr_h);
        for &byte in &bytes {
            bench.write(DR, u32::from(byte));
        }
        let format = format(lcr_h);
        bench.wait(u64::from(format.bits()) * 16 * u64::from(ibrd + 1) * 21);
        let sent = bench.p.uarts[0].take_sent();
        prop_assert_eq!(sent.len(), bytes.len());
        let per_byte = u64::from(format.bits() * (ibrd * 64 + fbrd)) * 16; // in 1/64 cycle
        for (index, sent_byte) in sent.iter().enumerate() {
            let exact = per_byte * index as u64;
            let took = (sent_byte.at - sent[0].at) * 64;
            prop_assert!(took.abs_diff(exact) < 64, "{} for {}", took, exact);
        }
    }
}

#[test]
fn flow_control_is_told_of() {
    let mut bench = Bench::with_uart(LCR_8N1);
    assert_eq!(bench.diagnostics.pending().len(), 0);
    bench.write(UART0 + 0x30, 0xc301);
    assert_eq!(bench.diagnostics.pending().len(), 1);
}
