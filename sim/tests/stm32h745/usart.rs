//! USART3 (RM0399 section 51).

use super::access::*;
use intercore_sim::stm32h745::peripherals::board::Board;
use intercore_sim::stm32h745::{M7, SECOND};

const CR1: u32 = USART3;
const CR2: u32 = USART3 + 0x04;
const CR3: u32 = USART3 + 0x08;
const BRR: u32 = USART3 + 0x0c;
const RTOR: u32 = USART3 + 0x14;
const ISR: u32 = USART3 + 0x1c;
const ICR: u32 = USART3 + 0x20;
const RDR: u32 = USART3 + 0x24;
const TDR: u32 = USART3 + 0x28;
const PRESC: u32 = USART3 + 0x2c;
const UE_TE_RE: u32 = 0xd;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const RXNE: u32 = 1 << 5;
const ORE: u32 = 1 << 3;
const RTOF: u32 = 1 << 11;
const FE: u32 = 1 << 1;

/// Clocks and pins, without the rate.
fn connected(bus: &mut Bus) {
    bus.enable(M7, RCC_APB1LENR, 18);
    bus.enable(M7, RCC_AHB4ENR, 3);
    let moder = bus.read(GPIOD);
    bus.write(GPIOD, moder & !(0xf << 16) | 0xa << 16);
    bus.write(GPIOD + 0x24, 0x77);
}

/// Transmitter and receiver on, with a divider.
pub fn set_up(bus: &mut Bus, brr: u32) {
    connected(bus);
    bus.write(BRR, brr);
    bus.write(CR1, UE_TE_RE);
}

/// The rate that a character is sent at with an input clock in Hz that HSI gives, a divider and a prescaler.
fn rate_with(hsidiv: u32, cr1: u32, brr: u32, presc: u32) -> u32 {
    let mut bus = Bus::new();
    bus.write(RCC_CR, 1 | hsidiv << 3);
    connected(&mut bus);
    bus.write(PRESC, presc);
    bus.write(BRR, brr);
    bus.write(CR1, UE_TE_RE | cr1);
    bus.write(TDR, 0x55);
    bus.wait(SECOND / 100);
    bus.chip.usart3.take_sent(usize::MAX)[0].rate
}

/// The examples of section 51.5.7.
#[test]
fn the_rate_is_that_of_the_manuals_examples() {
    let over8 = 1 << 15;
    assert_eq!(rate_with(3, 0, 0x341, 0), 8_000_000 / 833, "9600 from 8 MHz");
    assert_eq!(rate_with(3, over8, 0x681, 0), 16_000_000 / 1666, "the same with 8 samples");
    // 921600 from 48 MHz, of which HSI has 64: the divider is the example's.
    assert_eq!(rate_with(0, 0, 0x34, 0), 64_000_000 / 52);
    assert_eq!(rate_with(0, over8, 0x64, 0), 2 * 64_000_000 / 104);
    assert_eq!(rate_with(0, 0, 0x34, 3), 64_000_000 / 6 / 52, "a prescaler of 6");
}

#[test]
fn a_character_takes_its_ten_bits() {
    let mut bus = Bus::new();
    set_up(&mut bus, 640);
    assert!(bus.reports().is_empty());
    assert_eq!(bus.read(ISR), TC | TXE | 3 << 21);
    bus.write(TDR, u32::from(b'a'));
    let begun = bus.now;
    assert_eq!(bus.read(ISR) & (TC | TXE), TXE, "the shift register has it");
    bus.write(TDR, u32::from(b'b'));
    assert_eq!(bus.read(ISR) & (TC | TXE), 0);
    bus.wait(100 * MICROSECOND);
    assert_eq!(bus.read(ISR) & (TC | TXE), TXE);
    bus.wait(100 * MICROSECOND);
    assert_eq!(bus.read(ISR) & (TC | TXE), TC | TXE);
    let sent: Vec<_> =
        bus.chip.usart3.take_sent(usize::MAX).into_iter().map(|byte| (byte.byte, byte.at - begun)).collect();
    assert_eq!(sent, [(b'a', 100 * MICROSECOND), (b'b', 200 * MICROSECOND)]);
}

#[test]
fn the_fifo_has_sixteen_places() {
    let mut bus = Bus::new();
    connected(&mut bus);
    bus.write(BRR, 555);
    bus.write(CR1, UE_TE_RE | 1 << 29);
    assert_ne!(bus.read(ISR) & 1 << 23, 0, "TXFE");
    for byte in 0..17 {
        assert_ne!(bus.read(ISR) & TXE, 0, "{byte}");
        bus.write(TDR, byte);
    }
    assert_eq!(bus.read(ISR) & TXE, 0, "one is in the shift register, sixteen wait");
    bus.write(TDR, 99);
    assert_reported(&bus.reports(), "a character is lost");
    bus.wait(2000 * MICROSECOND);
    assert_eq!(bus.chip.usart3.take_sent(usize::MAX).len(), 17);
}

#[test]
fn characters_come_in_and_interrupt() {
    let mut bus = Bus::new();
    set_up(&mut bus, 555);
    let cr1 = bus.read(CR1);
    bus.write(CR1, cr1 | 1 << 5);
    bus.chip.uart_input(b'q', 0, bus.now, bus.now);
    let due = bus.now + 10 * SECOND / 115_200;
    assert_eq!(bus.chip.next_event(), due);
    bus.wait(due - bus.now);
    assert!(bus.chip.interrupts[M7].is_high(39));
    assert_eq!(bus.chip.peek(M7, RDR, 4, bus.now), Ok(u32::from(b'q')));
    assert_ne!(bus.read(ISR) & RXNE, 0, "looking takes nothing");
    assert_eq!(bus.read(RDR), u32::from(b'q'));
    assert_eq!(bus.read(ISR) & RXNE, 0);
    assert!(!bus.chip.interrupts[M7].is_high(39));
}

/// A timer runs to the time of each event, and its count cannot go back.
#[test]
fn a_receiver_timeout_that_is_enabled_late_elapses_at_once() {
    let mut bus = Bus::new();
    set_up(&mut bus, 555);
    bus.enable(M7, RCC_APB1LENR, 0);
    bus.write(TIM2, 1);
    bus.write(RTOR, 20);
    bus.chip.uart_input(b'q', 0, bus.now, bus.now);
    bus.wait(1000 * MICROSECOND);
    let count = bus.read(TIM2 + 0x24);
    assert_eq!(bus.read(ISR) & RTOF, 0);
    bus.set(CR2, 1 << 23);
    assert_eq!(bus.chip.next_event(), bus.now);
    assert_ne!(bus.read(ISR) & RTOF, 0);
    assert!(bus.read(TIM2 + 0x24) >= count);
}

#[test]
fn usart_second_unread_character_is_an_overrun() {
    let mut bus = Bus::new();
    set_up(&mut bus, 555);
    for byte in [1, 2] {
        bus.chip.uart_input(byte, 0, bus.now, bus.now);
    }
    bus.wait(1000 * MICROSECOND);
    assert_eq!(bus.read(ISR) & (ORE | RXNE), ORE | RXNE);
    assert_eq!(bus.read(RDR), 1, "the first is not lost");
    bus.write(ICR, ORE);
    assert_eq!(bus.read(ISR) & ORE, 0);
}

#[test]
fn usart_at_another_rate_misreads() {
    let mut bus = Bus::on(Board { baud: 9600, ..Board::default() });
    set_up(&mut bus, 555);
    bus.chip.uart_input(b'A', 0, bus.now, bus.now);
    bus.wait(2000 * MICROSECOND);
    assert_ne!(bus.read(ISR) & FE, 0, "where the stop bit should be is the start bit still");
    assert_ne!(bus.read(RDR), u32::from(b'A'));
}

#[test]
fn a_flipped_stop_bit_is_a_framing_error() {
    let mut bus = Bus::new();
    set_up(&mut bus, 555);
    bus.chip.uart_input(b'A', 1 << 9, bus.now, bus.now);
    bus.wait(100 * MICROSECOND);
    assert_eq!(bus.read(ISR) & (FE | RXNE), FE | RXNE);
    assert_eq!(bus.read(RDR), u32::from(b'A'));
}

#[test]
fn a_stop_bit_taken_for_the_ninth_data_bit_is_no_framing_error() {
    let mut bus = Bus::new();
    connected(&mut bus);
    bus.write(BRR, 555);
    bus.write(CR1, UE_TE_RE | 1 << 12);
    bus.chip.uart_input(b'A', 0, bus.now, bus.now);
    bus.wait(200 * MICROSECOND);
    assert_eq!((bus.read(ISR) & (FE | RXNE), bus.read(RDR)), (RXNE, u32::from(b'A')));
}

#[test]
fn usart_registers_locked_by_ue_ignore_writes() {
    let mut bus = Bus::new();
    set_up(&mut bus, 555);
    for (register, value, name) in
        [(BRR, 100, "USART3_BRR"), (CR2, 2 << 12, "USART3_CR2"), (CR3, 1 << 12, "USART3_CR3")]
    {
        let before = bus.read(register);
        bus.write(register, value);
        assert_reported(&bus.reports(), &format!("{name} is changed while the USART is on"));
        assert_eq!(bus.read(register), before);
    }
    bus.write(CR1, UE_TE_RE | 1 << 29);
    assert_reported(&bus.reports(), "USART3_CR1 changes word length, parity, oversampling or FIFOs");
}

#[test]
fn a_divider_below_16_is_no_rate() {
    let mut bus = Bus::new();
    set_up(&mut bus, 15);
    assert_reported(&bus.reports(), "USARTDIV must be 16 or more");
}

#[test]
fn a_pin_without_its_function_sends_nothing() {
    let mut bus = Bus::new();
    bus.enable(M7, RCC_APB1LENR, 18);
    bus.write(BRR, 555);
    bus.write(CR1, UE_TE_RE);
    bus.write(TDR, 1);
    assert_reported(&bus.reports(), "has not its alternate function");
    bus.wait(1000 * MICROSECOND);
    assert!(bus.chip.usart3.take_sent(usize::MAX).is_empty());
}

/// The note on RXFT in section 51.8.9: sixteen characters are the highest threshold, the 17th is no overrun, the 18th
/// is.
#[test]
fn receive_fifo_holds_sixteen_and_rdr_one_more() {
    let mut bus = Bus::new();
    connected(&mut bus);
    bus.write(BRR, 555);
    bus.write(CR3, 5 << 25 | 1 << 28);
    bus.write(CR1, UE_TE_RE | 1 << 29);
    for count in 1..=18_u8 {
        bus.chip.uart_input(count, 0, bus.now, bus.now);
        bus.wait(100 * MICROSECOND);
        let status = bus.read(ISR);
        assert_eq!(status >> 26 & 1 != 0, count >= 16, "RXFT at {count}");
        assert_eq!(bus.chip.interrupts[M7].is_high(39), count >= 16, "at {count}");
        assert_eq!(status >> 24 & 1 != 0, count >= 17, "RXFF at {count}");
        assert_eq!(status & ORE != 0, count >= 18, "at {count}");
    }
    let received: Vec<u32> = (0..17).map(|_| bus.read(RDR)).collect();
    assert_eq!(received, (1..=17).collect::<Vec<u32>>());
    assert_eq!(bus.read(ISR) & RXNE, 0);
}

#[test]
fn thresholds_count_received_and_free_places() {
    for (field, places) in [(0, 2), (1, 4), (2, 8), (3, 12), (4, 14), (5, 16)] {
        let mut bus = Bus::new();
        connected(&mut bus);
        bus.write(BRR, 555);
        bus.write(CR3, field << 25 | field << 29);
        bus.write(CR1, UE_TE_RE | 1 << 29);
        for sent in 0..=16 {
            // One of them is in the shift register.
            let free = 16 - if sent == 0 { 0 } else { sent - 1 };
            assert_eq!(bus.read(ISR) >> 27 & 1 != 0, free >= places, "TXFT, {free} free of {places}");
            bus.write(TDR, 0);
        }
    }
}

#[test]
fn a_silent_line_times_the_receiver_out() {
    let mut bus = Bus::new();
    connected(&mut bus);
    bus.write(BRR, 640);
    bus.write(CR2, 1 << 23);
    bus.write(USART3 + 0x14, 30);
    bus.write(CR1, UE_TE_RE | 1 << 26);
    bus.chip.usart3.line.set_rate(100_000);
    bus.wait(1000 * MICROSECOND);
    assert_eq!(bus.read(ISR) & 1 << 11, 0, "nothing has come yet");
    let begun = bus.now;
    for wait in [0, 25, 25] {
        bus.chip.uart_input(b'x', 0, bus.now + wait * 10 * MICROSECOND, bus.now);
        bus.wait((wait + 10) * 10 * MICROSECOND);
        assert_eq!(bus.read(ISR) & 1 << 11, 0, "less than 30 bits of silence");
    }
    let last = begun + 80 * 10 * MICROSECOND;
    bus.wait(last + 31 * 10 * MICROSECOND - bus.now - 2);
    assert_eq!(bus.read(ISR) & 1 << 11, 0);
    bus.wait(10 * MICROSECOND);
    assert_eq!(bus.read(ISR) & 1 << 11, 1 << 11);
    assert!(bus.chip.interrupts[M7].is_high(39));
    bus.write(ICR, 1 << 11);
    bus.wait(1000 * MICROSECOND);
    assert_eq!(bus.read(ISR) & 1 << 11, 0, "once for a silence");
    assert!(bus.reports().is_empty());
}
