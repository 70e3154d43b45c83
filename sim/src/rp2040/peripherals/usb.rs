//! The USB controller as a device at full speed (datasheet 4.1), and a host at the other end of its cable, transaction by
//! transaction: what is sent takes its time on the bus.

mod control;
mod descriptors;
mod device;
mod dpram;
mod host;

use crate::core::access::Width;
use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};
use control::{Failure, Request};
use device::{Device, HOST_NDEVICE};
use dpram::Dpram;
use host::Host;
use std::hash::{Hash, Hasher};

/// Register offsets (4.1.4).
const ADDR_ENDP: u32 = 0x00;
const ADDR_ENDP15: u32 = 0x3c;
const MAIN_CTRL: u32 = 0x40;
const SOF_WR: u32 = 0x44;
const SOF_RD: u32 = 0x48;
/// `SIE_CTRL`.
pub const SIE_CTRL: u32 = 0x4c;
const SIE_STATUS: u32 = 0x50;
const INT_EP_CTRL: u32 = 0x54;
const BUFF_STATUS: u32 = 0x58;
const BUFF_CPU_SHOULD_HANDLE: u32 = 0x5c;
const EP_ABORT: u32 = 0x60;
const EP_ABORT_DONE: u32 = 0x64;
const EP_STALL_ARM: u32 = 0x68;
const NAK_POLL: u32 = 0x6c;
const EP_STATUS_STALL_NAK: u32 = 0x70;
const USB_MUXING: u32 = 0x74;
const USB_PWR: u32 = 0x78;
const USBPHY_DIRECT: u32 = 0x7c;
const USBPHY_TRIM: u32 = 0x84;
const INTR: u32 = 0x8c;
const INTE: u32 = 0x90;
const INTF: u32 = 0x94;
const INTS: u32 = 0x98;

/// Bits that registers have: `ADDR_ENDP`, `ADDR_ENDP1` to 15, `MAIN_CTRL`, `SIE_CTRL` without those that clear
/// themselves, interrupts.
const ADDR_ENDP_MASK: u32 = 0x000f_007f;
const ADDR_ENDP1_MASK: u32 = 0x060f_007f;
const MAIN_CTRL_MASK: u32 = 0x8000_0003;
const SIE_CTRL_MASK: u32 = 0xff07_8f4e;
const INTERRUPTS: u32 = 0x000f_ffff;
/// `USBPHY_DIRECT`, `USBPHY_DIRECT_OVERRIDE`, `USBPHY_TRIM`.
const PHY_MASKS: [u32; 3] = [0x0000_ff77, 0x0000_9fff, 0x0000_1f1f];
/// `SIE_CTRL.DIRECT_EN`.
const DIRECT_EN: u32 = 1 << 26;
/// `SIE_CTRL.RESUME`.
const RESUME: u32 = 1 << 12;
/// Reset values.
const NAK_POLL_RESET: u32 = 0x0010_0010;
const USBPHY_TRIM_RESET: u32 = 0x0000_1f1f;
/// What `clk_usb` must be.
const CLK_USB: u64 = 48_000_000;

/// `USBCTRL`. Its memory is apart, at [`DPRAM`].
pub const USBCTRL: Block = Block {
    reset: 1 << 24,
    interrupts: &[Irq::UsbCtrl as u8],
    clock: Clock::Usb,
    write_one_clears: &[SIE_STATUS, BUFF_STATUS, EP_ABORT_DONE, EP_STATUS_STALL_NAK],
    data: &[SOF_RD],
    effect: Effect::Console,
    modelled: "a device at full speed: memory, control, bulk and interrupt end points, double buffers, interrupts; a host \
               that configures it and opens its serial ports",
    missing: "host mode, isochronous end points, remote wake-up, VBUS by a pin, direct control of the lines",
    ..Block::new("USBCTRL", 0x5011_0000)
};
/// Where the memory is.
pub const DPRAM: u32 = 0x5010_0000;

/// Whether an address is in the memory.
pub fn is_dpram(address: u32) -> bool {
    dpram_offset(address).is_some()
}

/// The offset in the memory of an address.
pub(super) fn dpram_offset(address: u32) -> Option<u32> {
    address.checked_sub(DPRAM).filter(|&offset| offset < dpram::SIZE)
}

/// The controller, and the host.
#[derive(Clone, Debug)]
pub struct Usb {
    device: Device,
    host: Host,
    /// The rate of `clk_usb` in Hz.
    rate: u64,
    /// Whether all input is for the port over USB, or none; if nobody has said so, it is once that is open.
    pub takes_input: Option<bool>,
}

/// Who gets the input is a matter of those who give it.
impl Hash for Usb {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.device, &self.host, self.rate).hash(state);
    }
}

impl Usb {
    /// Reads a word of the memory.
    pub fn read_dpram(&self, offset: u32) -> u32 {
        self.device.dpram.word(offset)
    }

    /// Writes to the memory.
    pub fn write_dpram(&mut self, offset: u32, width: Width, value: u32, context: &mut Context<'_>) {
        self.device.dpram.store(offset, width, value);
        if Dpram::is_control(offset) {
            if self.device.dpram.sets_up_isochronous(offset) {
                context.diagnostics.ignored(USBCTRL.name, "isochronous end points", context.now);
            }
            self.host.device_changed(&mut self.device, context.now);
        }
    }

    /// Text from the device that nobody has taken.
    pub fn sent(&self) -> &[SentByte] {
        self.host.sent()
    }

    /// Takes so many of the oldest characters.
    pub fn take_oldest(&mut self, count: usize) -> Vec<SentByte> {
        self.host.take_oldest(count)
    }

    /// Whether the host has opened a serial port, so that input is for it.
    pub fn is_open(&self) -> bool {
        self.host.is_open()
    }

    /// Whether it has opened one since the last call.
    pub(super) fn take_opened(&mut self) -> bool {
        self.host.take_opened()
    }

    /// Characters for the serial port that wait.
    pub fn waiting(&self) -> usize {
        self.host.waiting()
    }

    /// Has a character for the first serial port.
    pub fn send(&mut self, byte: u8, now: Cycle) {
        self.host.send(byte, &self.device, now);
    }

    /// Puts the cable into the host, or pulls it; a chip begins with it in the host.
    pub fn plug(&mut self, plugged: bool, now: Cycle) {
        self.host.plug(plugged, &mut self.device, now);
    }

    /// Has the host sleep, or wake up.
    pub fn sleep(&mut self, sleeps: bool, now: Cycle) {
        self.host.sleep(sleeps, &mut self.device, now);
    }

    /// Has the host reset the device and begin anew with it.
    pub fn reset_bus(&mut self, now: Cycle) {
        self.host.reset(&mut self.device, now);
    }

    /// Has the host make a request with data for the device, when the device is configured and earlier requests are over.
    pub fn request(&mut self, setup: [u8; 8], data: Vec<u8>, now: Cycle) {
        self.host.request(Request::raw(setup, data), &self.device, now);
    }

    /// What the device sent for each such request since the last call, or why it failed.
    pub fn take_answers(&mut self) -> Vec<Result<Vec<u8>, &'static str>> {
        self.host.take_answers().into_iter().map(|answer| answer.map_err(Failure::sentence)).collect()
    }

    /// Takes over what is outside of a chip that is reset.
    pub(super) fn keep_host(&mut self, old: &mut Self) {
        self.host.keep_outside(&mut old.host);
        self.takes_input = old.takes_input;
    }

    pub(super) fn update_interrupt(&self, context: &mut Context<'_>) {
        context.irq.set(Irq::UsbCtrl, self.device.interrupts() != 0);
    }

    fn note_unmodelled(&self, offset: u32, value: u32, context: &mut Context<'_>) {
        let what = match offset {
            MAIN_CTRL if value & HOST_NDEVICE != 0 => "host mode",
            SIE_CTRL if value & DIRECT_EN != 0 => "direct control of the lines",
            SIE_CTRL if value & RESUME != 0 => "remote wake-up",
            _ => "",
        };
        if !what.is_empty() {
            context.diagnostics.ignored(USBCTRL.name, what, context.now);
        }
        if self.device.is_attached() && self.rate != CLK_USB {
            let what = "a device is attached while clk_usb is not 48 MHz: it does not answer";
            context.diagnostics.misuse(USBCTRL.name, offset, what, context.now);
        }
    }
}

impl Peripheral for Usb {
    fn new(_: &'static Block) -> Self {
        let mut device = Device::default();
        (device.nak_poll, device.phy[2]) = (NAK_POLL_RESET, USBPHY_TRIM_RESET);
        Self { device, host: Host::new(Clocks::at_power_on().sys()), rate: 0, takes_input: None }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        let value = self.peek(offset, context.now, context.clocks);
        if offset == SOF_RD {
            self.device.clear_sof();
            self.update_interrupt(context);
        }
        value
    }

    fn peek(&self, offset: u32, _: Cycle, _: &Clocks) -> Option<u32> {
        let device = &self.device;
        Some(match offset {
            ADDR_ENDP..=ADDR_ENDP15 => device.addr_endp[(offset / 4) as usize],
            MAIN_CTRL => device.main_ctrl,
            SOF_RD => device.frame,
            SIE_CTRL => device.sie_ctrl,
            SIE_STATUS => device.sie_status(),
            INT_EP_CTRL => device.int_ep_ctrl,
            BUFF_STATUS => device.buff_status,
            BUFF_CPU_SHOULD_HANDLE => device.cpu_should_handle,
            EP_ABORT => device.ep_abort,
            EP_ABORT_DONE => device.abort_done,
            EP_STALL_ARM => device.ep_stall_arm,
            NAK_POLL => device.nak_poll,
            EP_STATUS_STALL_NAK => device.stall_nak,
            USB_MUXING => device.muxing,
            USB_PWR => device.pwr,
            USBPHY_DIRECT..=USBPHY_TRIM => device.phy[((offset - USBPHY_DIRECT) / 4) as usize],
            INTR => device.raw_interrupts(),
            INTE => device.inte,
            INTF => device.intf,
            INTS => device.interrupts(),
            SOF_WR | 0x88 => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let device = &mut self.device;
        match offset {
            ADDR_ENDP => device.addr_endp[0] = value & ADDR_ENDP_MASK,
            0x04..=ADDR_ENDP15 => device.addr_endp[(offset / 4) as usize] = value & ADDR_ENDP1_MASK,
            MAIN_CTRL => device.main_ctrl = value & MAIN_CTRL_MASK,
            SIE_CTRL => device.sie_ctrl = value & SIE_CTRL_MASK,
            SIE_STATUS => device.clear_status(value),
            INT_EP_CTRL => device.int_ep_ctrl = value & 0xfffe,
            BUFF_STATUS => device.buff_status &= !value,
            EP_ABORT => device.abort(value),
            EP_ABORT_DONE => device.abort_done &= !value,
            EP_STALL_ARM => device.ep_stall_arm = value & 3,
            NAK_POLL => device.nak_poll = value & 0x03ff_03ff,
            EP_STATUS_STALL_NAK => device.stall_nak &= !value,
            USB_MUXING => device.muxing = value & 0xf,
            USB_PWR => device.pwr = value & 0x3f,
            USBPHY_DIRECT..=USBPHY_TRIM => {
                let index = ((offset - USBPHY_DIRECT) / 4) as usize;
                device.phy[index] = value & PHY_MASKS[index];
            }
            INTE => device.inte = value & INTERRUPTS,
            INTF => device.intf = value & INTERRUPTS,
            // They take nothing: SOF_WR is for hosts, 0x88 is reserved.
            SOF_WR | SOF_RD | BUFF_CPU_SHOULD_HANDLE | 0x88 | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(USBCTRL.name, offset, "write to", context.now),
        }
        self.note_unmodelled(offset, value, context);
        self.host.device_changed(&mut self.device, context.now);
        self.update_interrupt(context);
    }

    fn next_event(&self) -> Cycle {
        self.host.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.host.wake(&mut self.device, context.diagnostics, context.now);
        self.update_interrupt(context);
    }

    fn reset(&mut self, block: &'static Block, context: &mut Context<'_>) {
        self.device = Self::new(block).device;
        self.device.has_clock = self.rate == CLK_USB;
        self.host.device_changed(&mut self.device, context.now);
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        self.rate = clocks.rates().usb;
        self.device.has_clock = self.rate == CLK_USB;
        self.host.set_rate(now, clocks.sys(), &self.device);
    }
}
