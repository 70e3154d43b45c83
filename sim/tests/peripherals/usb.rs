//! The USB controller as a device (datasheet 4.1), with a small device of our own in the place of firmware, and the host
//! that finds it.

use super::bench::{Bench, CLOCKS, RESETS};
use intercore_sim::core::access::Width;
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2::serial_ports::SerialPorts as _;
use intercore_sim::rp2::usb::cable::Cable;
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;

const DPRAM: u32 = 0x5010_0000;
const USB: u32 = 0x5011_0000;
const ADDR_ENDP: u32 = USB;
const SOF_RD: u32 = USB + 0x48;
const SIE_CTRL: u32 = USB + 0x4c;
const SIE_STATUS: u32 = USB + 0x50;
const BUFF_STATUS: u32 = USB + 0x58;
const CPU_SHOULD_HANDLE: u32 = USB + 0x5c;
const EP_ABORT: u32 = USB + 0x60;
const ABORT_DONE: u32 = USB + 0x64;
const STALL_ARM: u32 = USB + 0x68;
const STALL_NAK: u32 = USB + 0x70;
const INTE: u32 = USB + 0x90;
const INTS: u32 = USB + 0x98;
/// Interrupts.
const BUFF: u32 = 1 << 4;
const BUS_RESET: u32 = 1 << 12;
const SUSPEND: u32 = 1 << 14;
const RESUME: u32 = 1 << 15;
const SETUP_REQ: u32 = 1 << 16;
const SOF: u32 = 1 << 17;
const NAKS: u32 = 1 << 19;
/// Bits of buffer control registers.
const FULL: u32 = 1 << 15;
const LAST: u32 = 1 << 14;
const DATA1: u32 = 1 << 13;
const STALL: u32 = 1 << 11;
const AVAILABLE: u32 = 1 << 10;
/// Buffer control of end point 0 in both directions, and of the end points that `SERIAL` has for text.
const EP0_IN: u32 = DPRAM + 0x80;
const EP0_OUT: u32 = DPRAM + 0x84;
const EP1_OUT: u32 = DPRAM + 0x8c;
const EP2_IN: u32 = DPRAM + 0x90;
/// Their bits in `BUFF_STATUS`.
const EP1_OUT_BIT: u32 = 1 << 3;
const EP2_IN_BIT: u32 = 1 << 4;
/// Their control registers, and their buffers.
const EP1_OUT_CTRL: u32 = DPRAM + 0x0c;
const EP2_IN_CTRL: u32 = DPRAM + 0x10;
const EP1_BUFFER: u32 = 0x180;
const EP2_BUFFER: u32 = 0x200;
/// Enabled, bulk; an interrupt per buffer.
const BULK: u32 = 1 << 31 | 2 << 26;
const INT_1BUF: u32 = 1 << 29;
const MILLISECOND: Cycle = 125_000;

const DEVICE: [u8; 18] = [18, 1, 0, 2, 0, 0, 0, 64, 1, 2, 3, 4, 0, 1, 1, 2, 0, 1];
const SET_LINE_CODING: [u8; 8] = [0x21, 0x20, 0, 0, 0, 0, 7, 0];
/// One serial port (USB 2.0 table 9-10, CDC 1.2 section 5.2): its interfaces, a union, bulk end points 0x01 and 0x82.
const SERIAL: [u8; 9 + 9 + 5 + 9 + 7 + 7] = [
    9, 2, 46, 0, 2, 1, 0, 0x80, 50, //
    9, 4, 0, 0, 0, 2, 2, 0, 0, //
    5, 0x24, 6, 0, 1, //
    9, 4, 1, 0, 2, 10, 0, 0, 0, //
    7, 5, 0x01, 2, 64, 0, 0, //
    7, 5, 0x82, 2, 64, 0, 0,
];

/// What stands for firmware.
struct Gadget {
    bench: Bench,
    device: Vec<u8>,
    configuration: Vec<u8>,
    /// Requests so far, and data that came with them.
    setups: Vec<[u8; 8]>,
    received: Vec<Vec<u8>>,
    /// What is still to be sent of an answer, and the PID of its next packet.
    answer: Vec<u8>,
    data1: bool,
    address: Option<u32>,
    configured: bool,
    /// Requests for strings are refused.
    refuses_strings: bool,
}

/// Connects the controller to the bus; yields the cycle in which that is done.
fn attached(interrupts: u32) -> Bench {
    attach(Bench::started(), interrupts)
}

fn attach(mut bench: Bench, interrupts: u32) -> Bench {
    bench.start_usb_pll();
    bench.write(CLOCKS + 0x54, 1 << 11);
    bench.write(RESETS, 0);
    // USB_MUXING: to the PHY; USB_PWR: VBUS is there; MAIN_CTRL: enabled; SIE_CTRL: EP0_INT_1BUF, PULLUP_EN.
    for (offset, value) in [(0x74, 9), (0x78, 0xc), (0x40, 1), (0x90, interrupts), (0x4c, 1 << 29 | 1 << 16)] {
        bench.write(USB + offset, value);
    }
    bench
}

impl Gadget {
    fn new(configuration: &[u8]) -> Self {
        Self {
            bench: attached(BUFF | BUS_RESET | SETUP_REQ),
            device: DEVICE.to_vec(),
            configuration: configuration.to_vec(),
            setups: Vec::new(),
            received: Vec::new(),
            answer: Vec::new(),
            data1: false,
            address: None,
            configured: false,
            refuses_strings: false,
        }
    }

    /// The same when the host has configured it and opened its serial port.
    fn open() -> Self {
        let mut gadget = Self::new(&SERIAL);
        assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()), "{:?}", gadget.setups);
        gadget
    }

    /// Answers interrupts, until something is so or time is up. Yields whether it is so.
    fn serve(&mut self, limit: Cycle, until: impl Fn(&Self) -> bool) -> bool {
        let end = self.bench.now + limit;
        while !until(self) && self.bench.now < end {
            let next = self.bench.p.next_event().min(end);
            self.bench.until(next);
            if self.bench.line(Irq::UsbCtrl) {
                self.handle();
            }
        }
        until(self)
    }

    fn handle(&mut self) {
        let interrupts = self.bench.read(INTS);
        if interrupts & BUS_RESET != 0 {
            self.bench.write(SIE_STATUS, 1 << 19);
            self.bench.write(ADDR_ENDP, 0);
        }
        if interrupts & SETUP_REQ != 0 {
            self.bench.write(SIE_STATUS, 1 << 17);
            self.handle_setup();
        }
        let done = self.bench.read(BUFF_STATUS) & 3;
        self.bench.write(BUFF_STATUS, done);
        if done & 1 != 0 {
            self.sent();
        }
        if done & 2 != 0 {
            let length = self.bench.read(EP0_OUT) & 0x3ff;
            if length > 0 {
                let data = self.read_bytes(0x100, length);
                self.received.push(data);
                self.bench.write(EP0_IN, FULL | DATA1 | AVAILABLE);
            }
        }
    }

    fn read_bytes(&mut self, offset: u32, count: u32) -> Vec<u8> {
        let at = |at: u32| self.bench.p.usb.read_dpram(at).to_le_bytes()[at as usize % 4];
        (offset..offset + count).map(at).collect()
    }

    fn write_bytes(&mut self, offset: u32, bytes: &[u8]) {
        for (at, &byte) in (offset..).zip(bytes) {
            let value = u32::from(byte) * 0x0101_0101;
            self.bench.with(|p, context| p.write_lanes(DPRAM + at, Width::Byte, value, context));
        }
    }

    fn handle_setup(&mut self) {
        let setup: [u8; 8] = self.read_bytes(0, 8).try_into().expect("eight bytes");
        self.setups.push(setup);
        self.data1 = true;
        let wanted = usize::from(u16::from_le_bytes([setup[6], setup[7]]));
        match (setup[0], setup[1], setup[3]) {
            (0x80, 6, 3) if self.refuses_strings => {
                self.bench.write(STALL_ARM, 1);
                self.bench.write(EP0_IN, STALL);
                return;
            }
            (0x80, 6, 1) => self.answer = self.device.clone(),
            (0x80, 6, 2) => self.answer = self.configuration.clone(),
            (0x80, 6, _) => self.answer = vec![4, 3, 9, 4],
            (0x21, 0x20, _) => return self.bench.write(EP0_OUT, DATA1 | AVAILABLE | 64),
            (kind, request, _) => {
                if kind == 0 && request == 5 {
                    self.address = Some(setup[2].into());
                }
                self.configured |= kind == 0 && request == 9;
                return self.bench.write(EP0_IN, FULL | DATA1 | AVAILABLE);
            }
        }
        self.answer.truncate(wanted);
        self.send_answer();
    }

    fn send_answer(&mut self) {
        let packet: Vec<u8> = self.answer.drain(..self.answer.len().min(64)).collect();
        self.write_bytes(0x100, &packet);
        let pid = if self.data1 { DATA1 } else { 0 };
        self.data1 = !self.data1;
        self.bench.write(EP0_IN, FULL | pid | AVAILABLE | packet.len() as u32);
    }

    /// A packet has gone: there is more, or the status stage follows, or is over.
    fn sent(&mut self) {
        if let Some(address) = self.address.take() {
            self.bench.write(ADDR_ENDP, address);
        }
        if !self.answer.is_empty() {
            return self.send_answer();
        }
        self.bench.write(EP0_OUT, DATA1 | AVAILABLE | 64);
        if self.configured {
            self.bench.write(EP1_OUT_CTRL, BULK | INT_1BUF | EP1_BUFFER);
            self.bench.write(EP2_IN_CTRL, BULK | INT_1BUF | EP2_BUFFER);
        }
    }

    /// Has the host do something beside text.
    fn host<T>(&mut self, act: impl FnOnce(&mut Cable, Cycle) -> T) -> T {
        self.bench.with(|p, context| p.with_cable(act, context))
    }

    fn text(&mut self) -> String {
        let sent = self.bench.p.usb.cable.take_oldest(usize::MAX);
        sent.iter().map(|sent| sent.byte as char).collect()
    }
}

/// Cycles within a bit of full speed.
fn is_close(cycles: Cycle, expected: Cycle) -> bool {
    cycles.abs_diff(expected) <= 11
}

#[test]
fn the_bus_is_idle_for_100_ms_and_is_then_reset() {
    let mut bench = attached(SUSPEND | BUS_RESET);
    let begun = bench.now;
    assert_eq!(bench.read(SIE_STATUS) & (1 << 16 | 3 << 2), 1 << 16 | 1 << 2, "connected, J");
    let suspended = bench.rises(Irq::UsbCtrl, 200 * MILLISECOND).expect("suspends") - begun;
    assert!(is_close(suspended, 3 * MILLISECOND), "{suspended}");
    assert_eq!((bench.read(INTS), bench.read(SIE_STATUS) >> 4 & 1), (SUSPEND, 1));
    bench.write(SIE_STATUS, 1 << 4);
    assert!(!bench.line(Irq::UsbCtrl));
    let reset = bench.rises(Irq::UsbCtrl, 200 * MILLISECOND).expect("is reset") - begun;
    assert!(is_close(reset, 100 * MILLISECOND + 313), "2.5 us after the lines went low: {reset}");
    assert_eq!((bench.read(INTS), bench.read(SIE_STATUS) >> 2 & 7), (BUS_RESET, 0), "no longer suspended, SE0");
    bench.write(SIE_STATUS, 1 << 19);
    assert!(!bench.line(Irq::UsbCtrl));
}

#[test]
fn frames_begin_each_millisecond() {
    let mut bench = attached(SOF);
    let first = bench.rises(Irq::UsbCtrl, 200 * MILLISECOND).expect("a frame");
    let number = bench.read(SOF_RD);
    assert!(!bench.line(Irq::UsbCtrl), "reading the number clears the interrupt");
    for frame in 1..=3000 {
        let at = bench.rises(Irq::UsbCtrl, 2 * MILLISECOND).expect("a frame");
        assert_eq!((at, bench.read(SOF_RD)), (first + frame * MILLISECOND, (number + frame as u32) & 0x7ff));
    }
}

#[test]
fn a_serial_port_is_configured_and_opened() {
    let mut gadget = Gadget::open();
    let expected: [[u8; 8]; 11] = [
        [0x80, 6, 0, 1, 0, 0, 64, 0],
        [0, 5, 1, 0, 0, 0, 0, 0],
        [0x80, 6, 0, 1, 0, 0, 18, 0],
        [0x80, 6, 0, 2, 0, 0, 9, 0],
        [0x80, 6, 0, 2, 0, 0, 46, 0],
        [0x80, 6, 0, 3, 0, 0, 255, 0],
        [0x80, 6, 1, 3, 9, 4, 255, 0],
        [0x80, 6, 2, 3, 9, 4, 255, 0],
        [0, 9, 1, 0, 0, 0, 0, 0],
        [0x21, 0x20, 0, 0, 0, 0, 7, 0],
        [0x21, 0x22, 3, 0, 0, 0, 0, 0],
    ];
    assert_eq!(gadget.setups, expected);
    assert_eq!(gadget.received, [[0, 0xc2, 1, 0, 0, 0, 8]]);
    assert_eq!(gadget.bench.diagnostics.take().len(), 0);
    gadget.write_bytes(EP2_BUFFER, b"hello");
    gadget.bench.write(EP2_IN, FULL | LAST | AVAILABLE | 5);
    gadget.bench.wait(MILLISECOND);
    assert_eq!(gadget.text(), "hello");
    assert_eq!(gadget.bench.read(EP2_IN), LAST | 5, "neither full nor available");
    assert_eq!(gadget.bench.read(BUFF_STATUS), EP2_IN_BIT);
    let status = gadget.bench.read(SIE_STATUS);
    assert_eq!(status & (1 << 30 | 1 << 18), 1 << 30 | 1 << 18, "ACK_REC, TRANS_COMPLETE");
}

#[test]
fn input_goes_to_the_first_serial_port() {
    let mut gadget = Gadget::open();
    for byte in "x".repeat(70).bytes() {
        let now = gadget.bench.now;
        let port = gadget.bench.p.input_port();
        gadget.bench.p.inject(port, byte, 0, now, now);
    }
    gadget.bench.wait(2 * MILLISECOND);
    assert_eq!(gadget.bench.read(BUFF_STATUS), 0, "NAK: there is no buffer");
    for (pid, length) in [(0, 64), (DATA1, 6)] {
        gadget.bench.write(EP1_OUT, pid | AVAILABLE | 64);
        gadget.bench.wait(MILLISECOND);
        assert_eq!(gadget.bench.read(EP1_OUT), FULL | pid | length);
        assert_eq!(gadget.read_bytes(EP1_BUFFER, length), "x".repeat(length as usize).as_bytes());
        assert_eq!(gadget.bench.read(BUFF_STATUS), EP1_OUT_BIT);
        gadget.bench.write(BUFF_STATUS, EP1_OUT_BIT);
    }
    assert_eq!(gadget.bench.p.waiting_input(), 0);
}

#[test]
fn a_packet_takes_its_time_at_full_speed() {
    let mut gadget = Gadget::open();
    gadget.serve(2 * MILLISECOND, |_| false);
    // Not in the last part of a frame.
    gadget.bench.write(INTE, SOF);
    gadget.bench.read(SOF_RD);
    gadget.bench.rises(Irq::UsbCtrl, 2 * MILLISECOND);
    gadget.bench.write(INTE, BUFF);
    gadget.bench.wait(MILLISECOND / 10);
    let begun = gadget.bench.now;
    gadget.bench.write(EP2_IN, FULL | AVAILABLE | 64);
    let took = gadget.bench.rises(Irq::UsbCtrl, MILLISECOND).expect("it is sent") - begun;
    // IN, 4 bits, DATA with 64 bytes, 4 bits, ACK: at 12 Mbit/s.
    let bits = 35 + 4 + (35 + 512) + 4 + 19;
    assert!(is_close(took, bits * 125 / 12), "{took}");
}

#[test]
fn two_buffers_take_turns() {
    for (per_buffer, control) in [(true, 1 << 30 | INT_1BUF), (false, 1 << 30 | 1 << 28)] {
        let mut gadget = Gadget::open();
        gadget.bench.write(EP2_IN_CTRL, BULK | control | EP2_BUFFER);
        gadget.write_bytes(EP2_BUFFER, b"first ");
        gadget.write_bytes(EP2_BUFFER + 64, b"second");
        let second = (FULL | DATA1 | AVAILABLE | 6) << 16;
        gadget.bench.write(EP2_IN, FULL | AVAILABLE | 6);
        gadget.bench.wait(MILLISECOND);
        assert_eq!(gadget.bench.read(BUFF_STATUS), if per_buffer { EP2_IN_BIT } else { 0 });
        assert_eq!(gadget.bench.read(CPU_SHOULD_HANDLE) & EP2_IN_BIT, 0);
        gadget.bench.write(BUFF_STATUS, EP2_IN_BIT);
        let old = gadget.bench.read(EP2_IN);
        gadget.bench.write(EP2_IN, old | second);
        gadget.bench.wait(MILLISECOND);
        assert_eq!(gadget.bench.read(BUFF_STATUS), EP2_IN_BIT);
        if per_buffer {
            assert_eq!(gadget.bench.read(CPU_SHOULD_HANDLE) & EP2_IN_BIT, EP2_IN_BIT);
        }
        assert_eq!(gadget.text(), "first second");
        assert_eq!(gadget.bench.read(EP2_IN), 6 | (DATA1 | 6) << 16);
    }
}

#[test]
fn the_reset_of_the_buffer_select_begins_with_the_first_buffer() {
    let mut gadget = Gadget::open();
    gadget.bench.write(EP2_IN_CTRL, BULK | 1 << 30 | INT_1BUF | EP2_BUFFER);
    gadget.write_bytes(EP2_BUFFER, b"a");
    for pid in [0, DATA1] {
        gadget.bench.write(EP2_IN, FULL | pid | 1 << 12 | AVAILABLE | 1);
        gadget.bench.wait(MILLISECOND);
        assert_eq!(gadget.bench.read(EP2_IN), pid | 1, "bit 12 is cleared");
    }
    assert_eq!(gadget.text(), "aa");
}

#[test]
fn end_point_0_refuses_only_if_it_is_armed() {
    let mut gadget = Gadget::new(&SERIAL);
    gadget.refuses_strings = true;
    assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()));
    assert_eq!(gadget.setups.iter().filter(|setup| setup[3] == 3 && setup[1] == 6).count(), 1, "no more strings");
    assert_eq!(gadget.bench.read(STALL_ARM), 0, "the next request has disarmed it");
    let mut gadget = Gadget::new(&SERIAL);
    gadget.serve(300 * MILLISECOND, |gadget| !gadget.setups.is_empty());
    gadget.bench.write(EP0_IN, STALL);
    let requests = gadget.setups.len();
    gadget.serve(100 * MILLISECOND, |_| false);
    assert_eq!(gadget.setups.len(), requests, "NAK, and the host waits");
}

#[test]
fn a_device_that_does_not_answer_a_request_is_reset_three_times() {
    let mut gadget = Gadget::new(&SERIAL);
    gadget.device[7] = 7;
    gadget.serve(1000 * MILLISECOND, |_| false);
    assert_eq!(gadget.setups.len(), 3);
    let notes = gadget.bench.diagnostics.take();
    assert!(notes[0].contains("8, 16, 32 or 64 bytes") && notes[1].contains("three times"), "{notes:?}");
    assert_eq!(gadget.bench.p.next_event(), u64::MAX, "the bus is idle");
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 4 & 1, 1, "suspended");
}

#[test]
fn firmware_may_want_to_know_of_each_nak() {
    let mut gadget = Gadget::open();
    gadget.bench.write(EP2_IN_CTRL, BULK | 1 << 16 | EP2_BUFFER);
    gadget.bench.write(INTE, NAKS);
    for _ in 0..5 {
        assert!(gadget.bench.rises(Irq::UsbCtrl, 2 * MILLISECOND).is_some());
        assert_eq!(gadget.bench.read(STALL_NAK), EP2_IN_BIT);
        gadget.bench.write(STALL_NAK, EP2_IN_BIT);
        assert!(!gadget.bench.line(Irq::UsbCtrl));
    }
}

#[test]
fn an_aborted_end_point_answers_nak() {
    let mut gadget = Gadget::open();
    gadget.bench.write(EP_ABORT, EP2_IN_BIT);
    assert_eq!(gadget.bench.read(ABORT_DONE), EP2_IN_BIT);
    gadget.bench.write(EP2_IN, FULL | AVAILABLE | 1);
    gadget.bench.wait(3 * MILLISECOND);
    assert_eq!(gadget.bench.read(EP2_IN), FULL | AVAILABLE | 1);
    gadget.bench.write(EP_ABORT, 0);
    gadget.bench.write(ABORT_DONE, EP2_IN_BIT);
    gadget.bench.wait(3 * MILLISECOND);
    assert_eq!((gadget.bench.read(EP2_IN), gadget.bench.read(ABORT_DONE)), (1, 0));
}

#[test]
fn data_with_the_wrong_pid_is_dropped_and_reported() {
    let mut gadget = Gadget::open();
    gadget.bench.write(EP2_IN, FULL | DATA1 | AVAILABLE | 1);
    gadget.bench.wait(MILLISECOND);
    assert_eq!(gadget.text(), "");
    assert!(gadget.bench.diagnostics.take()[0].contains("wrong PID"));
    let now = gadget.bench.now;
    gadget.bench.p.inject(2, b'x', 0, now, now);
    gadget.bench.write(EP1_OUT, DATA1 | AVAILABLE | 64);
    gadget.bench.wait(MILLISECOND);
    assert_eq!(gadget.bench.read(EP1_OUT), DATA1 | AVAILABLE | 64);
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 31, 1, "DATA_SEQ_ERROR");
}

#[test]
fn a_device_leaves_when_its_pull_up_goes() {
    let mut gadget = Gadget::open();
    gadget.bench.write(SIE_CTRL, 1 << 29);
    assert!(!gadget.bench.p.usb.cable.is_open());
    assert_eq!(gadget.bench.p.next_event(), u64::MAX);
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 16 & 1, 0);
    (gadget.configured, gadget.setups) = (false, Vec::new());
    gadget.bench.write(SIE_CTRL, 1 << 29 | 1 << 16);
    assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()), "it is found again");
    // So is one that is reset.
    gadget.bench.write(RESETS, 1 << 24);
    assert!(!gadget.bench.p.usb.cable.is_open());
    assert_eq!(gadget.bench.p.next_event(), u64::MAX);
}

#[test]
fn a_pulled_cable_looks_like_an_idle_bus_and_a_new_one_begins_with_a_reset() {
    let mut gadget = Gadget::open();
    gadget.host(|usb, now| usb.plug(false, now));
    assert!(!gadget.bench.p.usb.cable.is_open());
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 16 & 1, 0, "not connected");
    gadget.bench.wait(2 * MILLISECOND);
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 4 & 1, 0);
    gadget.bench.wait(2 * MILLISECOND);
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 4 & 1, 1, "suspended");
    assert_eq!(gadget.bench.p.next_event(), u64::MAX, "nothing goes on");
    (gadget.configured, gadget.setups) = (false, Vec::new());
    gadget.host(|usb, now| usb.plug(true, now));
    let begun = gadget.bench.now;
    assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()));
    assert!(gadget.bench.now - begun > 110 * MILLISECOND, "the plug, and a reset");
    assert_eq!(gadget.setups.len(), 11);
}

#[test]
fn a_device_that_begins_without_a_cable_is_found_when_there_is_one() {
    let mut bench = Bench::started();
    bench.with(|p, context| p.with_cable(|usb, now| usb.plug(false, now), context));
    let mut gadget = Gadget { bench: attach(bench, BUFF | BUS_RESET | SETUP_REQ), ..Gadget::new(&SERIAL) };
    assert!(!gadget.serve(300 * MILLISECOND, |gadget| !gadget.setups.is_empty()));
    gadget.host(|usb, now| usb.plug(true, now));
    assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()));
}

#[test]
fn a_host_that_sleeps_wakes_the_device_and_goes_on() {
    let mut gadget = Gadget::open();
    gadget.write_bytes(EP2_BUFFER, b"late");
    gadget.host(|usb, now| usb.sleep(true, now));
    gadget.bench.wait(4 * MILLISECOND);
    gadget.bench.write(EP2_IN, FULL | AVAILABLE | 4);
    let frame = gadget.bench.read(SOF_RD);
    gadget.bench.wait(100 * MILLISECOND);
    assert_eq!((gadget.bench.read(SOF_RD), gadget.text()), (frame, String::new()), "no frames, no text");
    assert_eq!(gadget.bench.read(SIE_STATUS) >> 4 & 1, 1, "suspended");
    gadget.bench.write(INTE, RESUME);
    gadget.host(|usb, now| usb.sleep(false, now));
    assert!(gadget.bench.line(Irq::UsbCtrl), "the device is told at once");
    assert_eq!((gadget.bench.read(INTS), gadget.bench.read(SIE_STATUS) >> 4 & 1), (RESUME, 0));
    gadget.bench.write(SIE_STATUS, 1 << 11);
    assert!(!gadget.bench.line(Irq::UsbCtrl));
    gadget.bench.wait(29 * MILLISECOND);
    assert_eq!(gadget.text(), "", "resume takes 20 ms, and the device has 10 ms then");
    gadget.bench.wait(3 * MILLISECOND);
    assert_eq!(gadget.text(), "late");
    assert_ne!(gadget.bench.read(SOF_RD), frame);
}

#[test]
fn a_host_makes_any_request_and_says_what_became_of_it() {
    let mut gadget = Gadget::open();
    let head = [0x80, 6, 0, 1, 0, 0, 8, 0];
    gadget.host(|usb, now| {
        usb.request(head, Vec::new(), now);
        usb.request([0x40, 0x55, 0, 0, 0, 0, 0, 0], Vec::new(), now);
        usb.request(SET_LINE_CODING, vec![1, 2, 3, 4, 5, 6, 7], now);
    });
    gadget.serve(100 * MILLISECOND, |gadget| gadget.setups.len() == 14 && gadget.received.len() == 2);
    gadget.serve(5 * MILLISECOND, |_| false);
    assert_eq!(gadget.received[1], [1, 2, 3, 4, 5, 6, 7]);
    let answers = gadget.host(|usb, _| usb.take_answers());
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], Ok(DEVICE[..8].to_vec()));
    assert_eq!((&answers[1], &answers[2]), (&Ok(Vec::new()), &Ok(Vec::new())));
    gadget.refuses_strings = true;
    gadget.host(|usb, now| usb.request([0x80, 6, 1, 3, 9, 4, 255, 0], Vec::new(), now));
    gadget.serve(100 * MILLISECOND, |gadget| gadget.setups.len() == 15);
    gadget.serve(5 * MILLISECOND, |_| false);
    assert!(gadget.host(|usb, _| usb.take_answers())[0].is_err());
    gadget.refuses_strings = false;
    (gadget.configured, gadget.setups) = (false, Vec::new());
    gadget.host(Cable::reset_bus);
    assert!(!gadget.bench.p.usb.cable.is_open());
    assert!(gadget.serve(300 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open()), "it begins anew");
}

#[test]
fn a_controller_without_its_clock_sees_nothing() {
    let mut bench = Bench::started();
    for (offset, value) in [(0x74, 9), (0x78, 0xc), (0x40, 1), (0x90, BUS_RESET), (0x4c, 1 << 16)] {
        bench.write(USB + offset, value);
    }
    assert!(bench.diagnostics.take()[0].contains("clk_usb is not 48 MHz"));
    assert_eq!(bench.rises(Irq::UsbCtrl, 200 * MILLISECOND), None);
}

#[test]
fn its_memory_takes_narrow_writes() {
    let mut bench = attached(0);
    bench.write(DPRAM + 0xffc, 0x4433_2211);
    bench.with(|p, context| p.write_lanes(DPRAM + 0xffd, Width::Byte, 0xaaaa_aaaa, context));
    bench.with(|p, context| p.write_lanes(DPRAM + 0xffe, Width::Half, 0xbbcc_bbcc, context));
    assert_eq!(bench.read(DPRAM + 0xffc), 0xbbcc_aa11);
    assert_eq!(bench.with(|p, context| p.read(DPRAM + 0x1000, context)), None);
}

#[test]
fn what_is_not_modelled_is_reported() {
    for (address, value, what) in [
        (USB + 0x40, 3, "host mode"),
        (SIE_CTRL, 1 << 26, "direct control"),
        (SIE_CTRL, 1 << 12, "remote wake-up"),
        (EP2_IN_CTRL, 1 << 31 | 1 << 26, "isochronous"),
    ] {
        let mut bench = attached(0);
        bench.write(address, value);
        let notes = bench.diagnostics.take();
        assert!(notes.iter().any(|note| note.contains(what)), "{what}: {notes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever a device says of itself, the host goes on or gives up; it says why.
    #[test]
    fn a_device_is_not_trusted(
        changes in proptest::collection::vec((0usize..SERIAL.len(), any::<u8>()), 0..6),
        device in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..20)),
        length in proptest::option::of(0usize..SERIAL.len()),
    ) {
        let mut configuration = SERIAL.to_vec();
        for (at, byte) in changes {
            configuration[at] = byte;
        }
        configuration.truncate(length.unwrap_or(SERIAL.len()));
        let mut gadget = Gadget::new(&configuration);
        gadget.device = device.unwrap_or_else(|| DEVICE.to_vec());
        gadget.serve(500 * MILLISECOND, |gadget| gadget.bench.p.usb.cable.is_open());
        let has_left = gadget.bench.p.next_event() == u64::MAX;
        prop_assert!(!has_left || !gadget.bench.diagnostics.take().is_empty());
    }
}
