//! The USB controller of the RP2350: what differs from that of the RP2040, whose transactions `tests/peripherals/usb.rs` has. (The
//! firmware's own device, on both chips: `tests/firmware/test_usb.py`.)

use super::machine::{booted, register as read, run_for};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::rp2350::irq::Irq;
use intercore_sim::rp2350::machine::Machine;

/// The alias of RESETS.RESET that clears bits, and those of `USBCTRL` and `PLL_USB`.
const RELEASE: u32 = 0x4002_3000;
const RESET_BITS: u32 = 1 << 28 | 1 << 15;
const PLL_USB: u32 = 0x4005_8000;
const CLK_USB_CTRL: u32 = 0x4001_0060;
const DPRAM: u32 = 0x5010_0000;
const USB: u32 = 0x5011_0000;
const ADDR_ENDP: u32 = USB;
const MAIN_CTRL: u32 = USB + 0x40;
const SIE_CTRL: u32 = USB + 0x4c;
const SIE_STATUS: u32 = USB + 0x50;
const BUFF_STATUS: u32 = USB + 0x58;
const MUXING: u32 = USB + 0x74;
const PWR: u32 = USB + 0x78;
const TUNING: u32 = USB + 0x88;
const INTE: u32 = USB + 0x90;
const INTS: u32 = USB + 0x98;
const EP0_IN: u32 = DPRAM + 0x80;
const EP0_OUT: u32 = DPRAM + 0x84;
const EP0_BUFFER: u32 = 0x100;
/// Bits of the registers.
const ENABLED: u32 = 1 << 0;
const PHY_ISO: u32 = 1 << 2;
const PULLUP: u32 = 1 << 16;
const EP0_DOUBLE: u32 = 1 << 30;
const EP0_INT_1BUF: u32 = 1 << 29;
const EP0_STOP_ON_SHORT_PACKET: u32 = 1 << 19;
const CONNECTED: u32 = 1 << 16;
const BUS_RESET: u32 = 1 << 19;
const SETUP_REC: u32 = 1 << 17;
const RX_SHORT_PACKET: u32 = 1 << 12;
const INT_SHORT: u32 = 1 << 20;
/// Bits of buffer control registers.
const FULL: u32 = 1 << 15;
const DATA1: u32 = 1 << 13;
const FIRST_BUFFER: u32 = 1 << 12;
const AVAILABLE: u32 = 1 << 10;
/// `jal x0, 0`: core 0 goes on with that.
const FOR_EVER: u32 = 0x0000_006f;
/// Cycles of `clk_sys`, from the crystal.
const MILLISECOND: u64 = 12_000;

/// A chip at 12 MHz with `clk_usb` at 48 MHz, and a device that is all but connected: its lines are isolated.
fn machine() -> Machine {
    let mut machine = booted(&[FOR_EVER]);
    machine.set_clock(12_000_000);
    for (address, value) in [
        (0x4004_8000, 0x00fa_baa0), // the crystal
        (RELEASE, RESET_BITS),
        (PLL_USB, 1),
        (PLL_USB + 8, 100),
        (PLL_USB + 0x3004, 1 << 5 | 1 << 3 | 1 << 0),
        (PLL_USB + 0xc, 5 << 16 | 5 << 12),
    ] {
        assert!(machine.write_register(address, value), "{address:#x}");
        run_for(&mut machine, 5 * MILLISECOND);
    }
    assert!(machine.write_register(CLK_USB_CTRL, 1 << 11));
    for offset in (0..EP0_BUFFER).step_by(4) {
        assert!(machine.write_register(DPRAM + offset, 0));
    }
    assert!(machine.write_register(PWR, 3 << 2));
    assert!(machine.write_register(SIE_CTRL, EP0_INT_1BUF | PULLUP));
    machine
}

fn status(machine: &mut Machine) -> u32 {
    read(machine, SIE_STATUS)
}

#[test]
fn registers_begin_as_the_datasheet_says() {
    let mut machine = booted(&[FOR_EVER]);
    assert!(machine.write_register(RELEASE, RESET_BITS));
    let values = [MAIN_CTRL, SIE_CTRL, MUXING, TUNING].map(|address| read(&mut machine, address));
    assert_eq!(values, [PHY_ISO, 1 << 15, 1, 0xf8]);
    assert!(machine.write_register(TUNING, 0xffff_ffff));
    assert_eq!(read(&mut machine, TUNING), 0xfff);
}

#[test]
fn a_device_whose_lines_are_isolated_is_not_there() {
    let mut machine = machine();
    assert!(machine.write_register(MAIN_CTRL, PHY_ISO | ENABLED));
    run_for(&mut machine, 200 * MILLISECOND);
    assert_eq!(status(&mut machine) & (CONNECTED | BUS_RESET), 0);
    assert!(machine.take_notes().is_empty());
    assert!(machine.write_register(MAIN_CTRL, ENABLED));
    run_for(&mut machine, 120 * MILLISECOND);
    assert_eq!(status(&mut machine) & (CONNECTED | BUS_RESET), CONNECTED | BUS_RESET);
    assert_eq!(machine.take_notes().len(), 1, "clk_sys has 12 MHz: RP2350-E12");
}

#[test]
fn no_note_comes_of_a_fast_clk_sys() {
    let mut machine = machine();
    machine.set_clock(150_000_000);
    _ = machine.take_notes();
    assert!(machine.write_register(MAIN_CTRL, ENABLED));
    assert_ne!(status(&mut machine) & CONNECTED, 0);
    assert!(machine.take_notes().is_empty());
}

#[test]
fn the_interrupt_is_number_14() {
    let mut machine = machine();
    assert!(machine.write_register(MAIN_CTRL, ENABLED));
    assert!(machine.write_register(INTE, 1 << 12));
    let lines = |machine: &Machine| machine.bus.irq.of_core(0) & (1 << 14);
    assert_eq!(lines(&machine), 0);
    run_for(&mut machine, 120 * MILLISECOND);
    assert_eq!(lines(&machine), 1 << 14);
    assert_eq!(u8::from(Irq::UsbCtrl), 14);
    assert!(machine.write_register(SIE_STATUS, BUS_RESET));
    assert_eq!(lines(&machine), 0);
}

/// What a device does that has been asked for its descriptor, given an address, and asked again: it takes the empty packets that
/// end both requests, as far as `sie_ctrl` lets it have buffers for them. The buffer control of end point 0 at the end.
fn device_after_two_requests(machine: &mut Machine, sie_ctrl: u32) -> u32 {
    assert!(machine.write_register(SIE_CTRL, EP0_INT_1BUF | PULLUP | sie_ctrl));
    assert!(machine.write_register(MAIN_CTRL, ENABLED));
    for (at, word) in (EP0_BUFFER..).step_by(4).zip([0x0200_0112, 0x4000_0000, 0, 0, 0x0001_0000]) {
        assert!(machine.write_register(DPRAM + at, word));
    }
    assert!(machine.write_register(EP0_OUT, (DATA1 | AVAILABLE | 64) | (DATA1 | AVAILABLE | 64) << 16));
    let mut address = 0;
    for _ in 0..20_000 {
        run_for(machine, MILLISECOND / 50);
        if read(machine, BUFF_STATUS) & 1 != 0 {
            assert!(machine.write_register(BUFF_STATUS, 1));
            assert!(machine.write_register(ADDR_ENDP, address));
        }
        if status(machine) & SETUP_REC != 0 {
            assert!(machine.write_register(SIE_STATUS, SETUP_REC));
            let request = read(machine, DPRAM);
            let size = if request & 0x80 != 0 { 18 } else { 0 };
            address = if size == 0 { request >> 16 } else { address };
            assert!(machine.write_register(EP0_IN, FULL | DATA1 | FIRST_BUFFER | AVAILABLE | size));
        }
    }
    assert_eq!(address, 1, "the host has gone so far");
    read(machine, EP0_OUT)
}

#[test]
fn a_packet_that_is_shorter_than_its_buffer_is_told() {
    let mut machine = machine();
    assert!(machine.write_register(INTE, INT_SHORT));
    let control = device_after_two_requests(&mut machine, 0);
    assert_eq!(control & (FULL | AVAILABLE | 0x3ff), FULL, "no byte came");
    assert_ne!(status(&mut machine) & RX_SHORT_PACKET, 0);
    assert_eq!((read(&mut machine, INTS), machine.bus.irq.of_core(0) >> 14 & 1), (INT_SHORT, 1));
    assert!(machine.write_register(SIE_STATUS, RX_SHORT_PACKET));
    assert_eq!((read(&mut machine, INTS), machine.bus.irq.of_core(0) >> 14 & 1), (0, 0));
}

#[test]
fn a_short_packet_stops_two_buffers_of_end_point_0_if_that_is_wanted() {
    let full = FULL | FULL << 16;
    assert_eq!(device_after_two_requests(&mut machine(), EP0_DOUBLE) & full, full);
    assert_eq!(device_after_two_requests(&mut machine(), EP0_DOUBLE | EP0_STOP_ON_SHORT_PACKET) & full, FULL);
}
