//! The USB controller as a device at full speed (RP2040 datasheet 4.1, RP2350 datasheet 12.7), and a host at the other end of
//! its cable, transaction by transaction: what is sent takes its time on the bus. Sections are the RP2040 datasheet's.

pub mod cable;
mod control;
mod descriptors;
mod device;
mod dpram;
mod host;

use crate::core::access::Width;
use crate::core::time::Cycle;
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use cable::Cable;
use device::{Device, HOST_NDEVICE, PHY_ISO, TO_PHY};
use dpram::Dpram;

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
/// Reserved on the RP2040.
const LINESTATE_TUNING: u32 = 0x88;
const INTR: u32 = 0x8c;
const INTE: u32 = 0x90;
const INTF: u32 = 0x94;
const INTS: u32 = 0x98;

/// Bits that registers have: `ADDR_ENDP`, `ADDR_ENDP1` to 15.
const ADDR_ENDP_MASK: u32 = 0x000f_007f;
const ADDR_ENDP1_MASK: u32 = 0x060f_007f;

/// What the registers of one chip have: bits that can be written, and values after reset.
struct Registers {
    main_ctrl: u32,
    main_ctrl_reset: u32,
    /// Without those that clear themselves.
    sie_ctrl: u32,
    sie_ctrl_reset: u32,
    nak_poll: u32,
    muxing: u32,
    muxing_reset: u32,
    /// `USBPHY_DIRECT`, `USBPHY_DIRECT_OVERRIDE`, `USBPHY_TRIM`.
    phy: [u32; 3],
    tuning: u32,
    tuning_reset: u32,
    interrupts: u32,
}

/// RP2040 datasheet 4.1.4.
const RP2040: Registers = Registers {
    main_ctrl: 0x8000_0003,
    main_ctrl_reset: 0,
    sie_ctrl: 0xff07_8f4e,
    sie_ctrl_reset: 0,
    nak_poll: 0x03ff_03ff,
    muxing: 0xf,
    muxing_reset: 0,
    phy: [0x0000_ff77, 0x0000_9fff, 0x0000_1f1f],
    tuning: 0,
    tuning_reset: 0,
    interrupts: 0x000f_ffff,
};
/// RP2350 datasheet 12.7, list of registers.
const RP2350: Registers = Registers {
    main_ctrl: 0x8000_0003 | PHY_ISO,
    main_ctrl_reset: PHY_ISO,
    sie_ctrl: 0xff0f_8f4e,
    sie_ctrl_reset: 1 << 15,
    nak_poll: 0x07ff_03ff,
    muxing: 0x8000_001f,
    muxing_reset: TO_PHY,
    phy: [0x0380_ff77, 0x0007_9fff, 0x0000_1f1f],
    tuning: 0xfff,
    tuning_reset: 0xf8,
    interrupts: 0x00ff_ffff,
};
/// `SIE_CTRL.DIRECT_EN`.
const DIRECT_EN: u32 = 1 << 26;
/// `SIE_CTRL.RESUME`.
const RESUME: u32 = 1 << 12;
/// Reset values.
const NAK_POLL_RESET: u32 = 0x0010_0010;
const USBPHY_TRIM_RESET: u32 = 0x0000_1f1f;
/// What `clk_usb` must be.
const CLK_USB: u64 = 48_000_000;

/// What is the same of the blocks. Their memory is apart, at [`DPRAM`].
pub const USBCTRL: Block = Block {
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
pub fn dpram_offset(address: u32) -> Option<u32> {
    address.checked_sub(DPRAM).filter(|&offset| offset < dpram::SIZE)
}

/// The controller, and what is at the other end of its cable.
#[derive(Clone, Debug, Hash)]
pub struct Usb<const IS_RP2350: bool> {
    /// The device, its cable and the host.
    pub cable: Cable,
    /// The rate of `clk_usb` in Hz.
    rate: u64,
}

impl<const IS_RP2350: bool> Usb<IS_RP2350> {
    const REGISTERS: Registers = if IS_RP2350 { RP2350 } else { RP2040 };

    fn device_at_reset() -> Device {
        let registers = Self::REGISTERS;
        let mut device = Device::default();
        (device.main_ctrl, device.sie_ctrl) = (registers.main_ctrl_reset, registers.sie_ctrl_reset);
        (device.muxing, device.tuning) = (registers.muxing_reset, registers.tuning_reset);
        (device.nak_poll, device.phy[2]) = (NAK_POLL_RESET, USBPHY_TRIM_RESET);
        device.stops_after_short = IS_RP2350;
        device
    }

    /// Reads a word of the memory.
    pub fn read_dpram(&self, offset: u32) -> u32 {
        self.cable.device.dpram.word(offset)
    }

    /// Writes to the memory.
    pub fn write_dpram(&mut self, offset: u32, width: Width, value: u32, context: &mut Context<'_>) {
        let Cable { device, host, .. } = &mut self.cable;
        device.dpram.store(offset, width, value);
        if Dpram::is_control(offset) {
            if device.dpram.sets_up_isochronous(offset) {
                context.diagnostics.ignored(USBCTRL.name, "isochronous end points", context.now);
            }
            host.device_changed(device, context.now);
        }
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
        if self.cable.device.is_attached() && self.rate != CLK_USB {
            let what = "a device is attached while clk_usb is not 48 MHz: it does not answer";
            context.diagnostics.misuse(USBCTRL.name, offset, what, context.now);
        }
        if IS_RP2350 && self.cable.device.is_attached() && context.clocks.sys() <= CLK_USB {
            let what =
                "a device is attached while clk_sys is not above 48 MHz: a chip may miss its status (RP2350-E12)";
            context.diagnostics.misuse(USBCTRL.name, offset, what, context.now);
        }
    }
}

impl<const IS_RP2350: bool> Peripheral for Usb<IS_RP2350> {
    fn new(block: &'static Block) -> Self {
        Self { cable: Cable::new(Self::device_at_reset(), block.interrupts[0]), rate: 0 }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        let value = self.peek(offset, context.now, context.clocks);
        if offset == SOF_RD {
            self.cable.device.clear_sof();
            self.cable.update_interrupt(context);
        }
        value
    }

    fn peek(&self, offset: u32, _: Cycle, _: &Clocks) -> Option<u32> {
        let device = &self.cable.device;
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
            LINESTATE_TUNING => device.tuning,
            INTR => device.raw_interrupts(),
            INTE => device.inte,
            INTF => device.intf,
            INTS => device.interrupts(),
            SOF_WR => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let registers = Self::REGISTERS;
        let device = &mut self.cable.device;
        match offset {
            ADDR_ENDP => device.addr_endp[0] = value & ADDR_ENDP_MASK,
            0x04..=ADDR_ENDP15 => device.addr_endp[(offset / 4) as usize] = value & ADDR_ENDP1_MASK,
            MAIN_CTRL => device.main_ctrl = value & registers.main_ctrl,
            SIE_CTRL => device.sie_ctrl = value & registers.sie_ctrl,
            SIE_STATUS => device.clear_status(value),
            INT_EP_CTRL => device.int_ep_ctrl = value & 0xfffe,
            BUFF_STATUS => device.buff_status &= !value,
            EP_ABORT => device.abort(value),
            EP_ABORT_DONE => device.abort_done &= !value,
            EP_STALL_ARM => device.ep_stall_arm = value & 3,
            NAK_POLL => device.nak_poll = value & registers.nak_poll,
            EP_STATUS_STALL_NAK => device.stall_nak &= !value,
            USB_MUXING => device.muxing = value & registers.muxing,
            USB_PWR => device.pwr = value & 0x3f,
            USBPHY_DIRECT..=USBPHY_TRIM => {
                let index = ((offset - USBPHY_DIRECT) / 4) as usize;
                device.phy[index] = value & registers.phy[index];
            }
            LINESTATE_TUNING => device.tuning = value & registers.tuning,
            INTE => device.inte = value & registers.interrupts,
            INTF => device.intf = value & registers.interrupts,
            // They take nothing: SOF_WR is for hosts.
            SOF_WR | SOF_RD | BUFF_CPU_SHOULD_HANDLE | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(USBCTRL.name, offset, "write to", context.now),
        }
        self.note_unmodelled(offset, value, context);
        self.cable.device_changed(context);
    }

    fn next_event(&self) -> Cycle {
        self.cable.host.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        let Cable { device, host, .. } = &mut self.cable;
        host.wake(device, context.diagnostics, context.now);
        self.cable.update_interrupt(context);
    }

    fn reset(&mut self, _: &'static Block, context: &mut Context<'_>) {
        let Cable { device, host, .. } = &mut self.cable;
        *device = Self::device_at_reset();
        device.has_clock = self.rate == CLK_USB;
        host.device_changed(device, context.now);
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        let Cable { device, host, .. } = &mut self.cable;
        self.rate = clocks.rates().usb;
        device.has_clock = self.rate == CLK_USB;
        host.set_rate(now, clocks.sys(), device);
    }
}
