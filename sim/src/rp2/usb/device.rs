//! The registers of the USB controller as a device, and what it answers to packets of the host (RP2040 datasheet 4.1.2).

use super::dpram::{self, AVAILABLE, DATA1, Dpram, Endpoint, FULL, LAST, LENGTH, RESET_SELECT, STALL, Setup};

/// `MAIN_CTRL` bits.
const CONTROLLER_EN: u32 = 1 << 0;
pub const HOST_NDEVICE: u32 = 1 << 1;
/// The RP2350's: the lines are cut off.
pub const PHY_ISO: u32 = 1 << 2;
/// `SIE_CTRL` bits.
const PULLUP_EN: u32 = 1 << 16;
const TRANSCEIVER_PD: u32 = 1 << 18;
const EP0_STOP_ON_SHORT_PACKET: u32 = 1 << 19;
/// `SIE_STATUS` bits.
const VBUS_DETECTED: u32 = 1 << 0;
const LINE_STATE_SHIFT: u32 = 2;
const SUSPENDED: u32 = 1 << 4;
const RESUME: u32 = 1 << 11;
const RX_SHORT_PACKET: u32 = 1 << 12;
const CONNECTED: u32 = 1 << 16;
const SETUP_REC: u32 = 1 << 17;
const TRANS_COMPLETE: u32 = 1 << 18;
const BUS_RESET: u32 = 1 << 19;
const ACK_REC: u32 = 1 << 30;
const DATA_SEQ_ERROR: u32 = 1 << 31;
/// Bits of `SIE_STATUS` that stay until 1 is written to them.
const LATCHED: u32 = 0xff00_0000 | BUS_RESET | TRANS_COMPLETE | SETUP_REC | RX_SHORT_PACKET | RESUME;
/// `LINE_STATE`: both lines low, and idle at full speed.
const SE0: u32 = 0;
const J: u32 = 1;
/// `USB_MUXING` and `USB_PWR` bits.
pub const TO_PHY: u32 = 1 << 0;
const VBUS_DETECT: u32 = 1 << 2;
const VBUS_DETECT_OVERRIDE_EN: u32 = 1 << 3;
/// `USBPHY_DIRECT` and `USBPHY_DIRECT_OVERRIDE`: the receiver's power-down.
const RX_PD: u32 = 1 << 12;
const RX_PD_OVERRIDE_EN: u32 = 1 << 9;
/// `INTR` bits, and the bits of `SIE_STATUS` that some of them show.
const INT_STALL_NAK: u32 = 1 << 19;
const INT_ABORT_DONE: u32 = 1 << 18;
const INT_SOF: u32 = 1 << 17;
const INT_SUSPEND: u32 = 1 << 14;
const INT_CONN_DIS: u32 = 1 << 13;
const INT_BUFF_STATUS: u32 = 1 << 4;
const SHOWN: [(u32, u32); 11] = [
    (RX_SHORT_PACKET, 1 << 20),
    (SETUP_REC, 1 << 16),
    (RESUME, 1 << 15),
    (BUS_RESET, 1 << 12),
    (VBUS_DETECTED, 1 << 11),
    (1 << 24, 1 << 9),
    (1 << 25, 1 << 8),
    (1 << 26, 1 << 7),
    (1 << 27, 1 << 6),
    (DATA_SEQ_ERROR, 1 << 5),
    (TRANS_COMPLETE, 1 << 3),
];

/// What a packet of the host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// A request: eight bytes for end point 0.
    Setup,
    /// Data from the device.
    In,
    /// Data for the device.
    Out,
}

/// What the device does about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Nothing: the host waits in vain.
    Silence,
    /// It has, or takes, no data now.
    Nak,
    /// It refuses.
    Stall,
    /// It takes the data.
    Ack,
    /// It sends a packet, DATA1 if `data1`.
    Data {
        /// The PID.
        data1: bool,
        /// The packet.
        bytes: Vec<u8>,
    },
}

/// The controller as a device.
#[derive(Clone, Debug, Default, Hash)]
#[allow(clippy::struct_excessive_bools)] // each is of a matter of its own
pub struct Device {
    /// The memory that it shares with firmware.
    pub dpram: Dpram,
    /// Registers that keep what is written, by offset / 4.
    pub addr_endp: [u32; 16],
    pub main_ctrl: u32,
    pub sie_ctrl: u32,
    pub int_ep_ctrl: u32,
    pub nak_poll: u32,
    pub muxing: u32,
    pub pwr: u32,
    /// `USBPHY_DIRECT`, `USBPHY_DIRECT_OVERRIDE`, `USBPHY_TRIM`.
    pub phy: [u32; 3],
    pub tuning: u32,
    pub inte: u32,
    pub intf: u32,
    pub buff_status: u32,
    pub cpu_should_handle: u32,
    pub ep_abort: u32,
    pub abort_done: u32,
    pub ep_stall_arm: u32,
    pub stall_nak: u32,
    /// The number of the last frame.
    pub frame: u32,
    /// The bits of `SIE_STATUS` that stay until they are cleared, and of `INTR` that no other register shows.
    latched: u32,
    raised: u32,
    suspended: bool,
    connected: bool,
    /// The host drives both lines low.
    held_low: bool,
    /// The RP2350's: a packet that is shorter than its buffer is told, and the other buffer is not next.
    pub stops_after_short: bool,
    /// The end points of which buffer 1 is next, if they have two.
    second: u32,
    /// Whether `clk_usb` has its 48 MHz.
    pub has_clock: bool,
    /// The end point of a transaction on the bus.
    busy: Option<Endpoint>,
}

impl Device {
    /// Whether its pull-up is on the bus of a host that gives power.
    pub fn is_attached(&self) -> bool {
        let phy_off = self.phy[0] & RX_PD != 0 && self.phy[1] & RX_PD_OVERRIDE_EN != 0;
        self.main_ctrl & (CONTROLLER_EN | HOST_NDEVICE | PHY_ISO) == CONTROLLER_EN
            && self.sie_ctrl & (PULLUP_EN | TRANSCEIVER_PD) == PULLUP_EN
            && self.muxing & TO_PHY != 0
            && self.detects_vbus()
            && !phy_off
    }

    fn detects_vbus(&self) -> bool {
        self.pwr & (VBUS_DETECT | VBUS_DETECT_OVERRIDE_EN) == VBUS_DETECT | VBUS_DETECT_OVERRIDE_EN
    }

    /// `SIE_STATUS`.
    pub fn sie_status(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let line = if self.connected && !self.held_low { J } else { SE0 };
        self.latched
            | flag(self.detects_vbus(), VBUS_DETECTED)
            | line << LINE_STATE_SHIFT
            | flag(self.suspended, SUSPENDED)
            | flag(self.connected, CONNECTED)
    }

    /// Clears bits of `SIE_STATUS`, and the interrupts that go with those that only show a state.
    pub fn clear_status(&mut self, ones: u32) {
        self.latched &= !(ones & LATCHED);
        for (bit, interrupt) in [(SUSPENDED, INT_SUSPEND), (CONNECTED, INT_CONN_DIS)] {
            if ones & bit != 0 {
                self.raised &= !interrupt;
            }
        }
    }

    /// `INTR`.
    pub fn raw_interrupts(&self) -> u32 {
        let status = self.sie_status();
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let shown = SHOWN.iter().map(|&(bit, interrupt)| flag(status & bit != 0, interrupt)).sum::<u32>();
        shown
            | self.raised
            | flag(self.stall_nak != 0, INT_STALL_NAK)
            | flag(self.abort_done != 0, INT_ABORT_DONE)
            | flag(self.buff_status != 0, INT_BUFF_STATUS)
    }

    /// `INTS`.
    pub fn interrupts(&self) -> u32 {
        self.raw_interrupts() & self.inte | self.intf
    }

    /// What a read of `SOF_RD` clears.
    pub fn clear_sof(&mut self) {
        self.raised &= !INT_SOF;
    }

    /// The bus has a device, or has none any more.
    pub fn set_connected(&mut self, connected: bool) {
        if self.connected != connected {
            self.raised |= INT_CONN_DIS;
        }
        self.connected = connected;
        self.suspended &= connected;
        self.held_low &= connected;
    }

    /// The bus has been idle for too long.
    pub fn suspend(&mut self) {
        self.suspended = true;
        self.raised |= INT_SUSPEND;
    }

    /// The host ends a suspend.
    pub fn resume(&mut self) {
        if self.suspended && self.has_clock {
            self.latched |= RESUME;
        }
        self.suspended = false;
    }

    /// The host begins or ends to drive both lines low.
    pub fn hold_low(&mut self, low: bool) {
        self.held_low = low;
        self.suspended = false;
    }

    /// Both lines have been low long enough.
    pub fn bus_reset(&mut self) {
        if self.has_clock {
            self.latched |= BUS_RESET;
        }
    }

    /// A frame begins.
    pub fn start_of_frame(&mut self, frame: u32) {
        if self.has_clock {
            (self.frame, self.suspended) = (frame & 0x7ff, false);
            self.raised |= INT_SOF;
        }
    }

    /// Writes `EP_ABORT`: what is not on the bus is done at once.
    pub fn abort(&mut self, endpoints: u32) {
        self.ep_abort = endpoints;
        self.abort_done |= endpoints & !self.busy.map_or(0, Endpoint::bit);
    }

    fn setup(&self, endpoint: Endpoint) -> Setup {
        if endpoint.number == 0 { Dpram::setup_0(self.sie_ctrl) } else { self.dpram.setup(endpoint) }
    }

    /// Whether firmware wants to know of each NAK of an end point.
    pub fn reports_naks(&self, endpoint: Endpoint) -> bool {
        self.setup(endpoint).interrupt_nak
    }

    /// Which of the two buffers is next.
    fn half(&self, endpoint: Endpoint) -> u32 {
        let is_second = self.setup(endpoint).double
            && self.second & endpoint.bit() != 0
            && self.dpram.buffer_control(endpoint) & RESET_SELECT == 0;
        u32::from(is_second)
    }

    /// What it answers to a token for an address: 4.1.2.6.
    pub fn answer(&self, address: u8, endpoint: Endpoint, token: Token) -> Answer {
        let setup = self.setup(endpoint);
        if !self.has_clock || self.addr_endp[0] & 0x7f != u32::from(address) || !setup.enabled || setup.isochronous {
            return Answer::Silence;
        }
        if token == Token::Setup {
            return Answer::Ack;
        }
        let control = self.dpram.buffer_control(endpoint);
        let armed = endpoint.number != 0 || self.ep_stall_arm & endpoint.bit() != 0;
        if control & STALL != 0 && armed {
            return Answer::Stall;
        }
        let half = self.half(endpoint);
        let buffer = control >> (16 * half);
        let full = buffer & FULL != 0;
        if buffer & AVAILABLE == 0 || full == endpoint.out || self.ep_abort & endpoint.bit() != 0 {
            return Answer::Nak;
        }
        if endpoint.out {
            return Answer::Ack;
        }
        let bytes = self.dpram.bytes(setup.buffer + half * dpram::BUFFER, buffer & LENGTH);
        Answer::Data { data1: buffer & DATA1 != 0, bytes }
    }

    /// A transaction with an end point begins.
    pub fn begin(&mut self, endpoint: Endpoint) {
        self.busy = Some(endpoint);
    }

    /// A transaction has ended with what it answered; `data` is what came from the host, DATA1 if `data1`.
    pub fn end(&mut self, endpoint: Endpoint, token: Token, answer: &Answer, data1: bool, data: &[u8]) {
        self.busy = None;
        let setup = self.setup(endpoint);
        match answer {
            Answer::Nak | Answer::Stall | Answer::Silence => {
                let is_wanted = match answer {
                    Answer::Nak => setup.interrupt_nak,
                    Answer::Stall => setup.interrupt_stall,
                    _ => false,
                };
                self.stall_nak |= if is_wanted { endpoint.bit() } else { 0 };
            }
            Answer::Ack if token == Token::Setup => {
                self.dpram.put_setup(data);
                self.ep_stall_arm = 0;
                self.latched |= SETUP_REC;
            }
            Answer::Ack => self.take(endpoint, data1, data),
            Answer::Data { .. } => {
                self.latched |= ACK_REC;
                let half = self.half(endpoint);
                let control = self.dpram.buffer_control(endpoint) & !((FULL | AVAILABLE) << (16 * half));
                self.finish(endpoint, half, control, false);
            }
        }
        if self.ep_abort & endpoint.bit() != 0 {
            self.abort_done |= endpoint.bit();
        }
    }

    /// Puts a packet of the host into its buffer. One with another PID than firmware expects is dropped.
    fn take(&mut self, endpoint: Endpoint, data1: bool, data: &[u8]) {
        let half = self.half(endpoint);
        let shift = 16 * half;
        let control = self.dpram.buffer_control(endpoint);
        if (control >> shift & DATA1 != 0) != data1 {
            self.latched |= DATA_SEQ_ERROR;
            return;
        }
        self.dpram.put(self.setup(endpoint).buffer + half * dpram::BUFFER, data);
        let is_short = self.stops_after_short && (data.len() as u32) < control >> shift & LENGTH;
        if is_short {
            self.latched |= RX_SHORT_PACKET;
        }
        let control = control & !((AVAILABLE | LENGTH) << shift) | (FULL | data.len() as u32 & LENGTH) << shift;
        let stops = is_short && (endpoint.number != 0 || self.sie_ctrl & EP0_STOP_ON_SHORT_PACKET != 0);
        self.finish(endpoint, half, control, stops);
    }

    /// A buffer is done: 4.1.2.6.2, status phase. If the end point `stops`, this one stays the next.
    fn finish(&mut self, endpoint: Endpoint, half: u32, control: u32, stops: bool) {
        let (setup, bit) = (self.setup(endpoint), endpoint.bit());
        self.dpram.set_buffer_control(endpoint, control & !RESET_SELECT);
        if control >> (16 * half) & LAST != 0 {
            self.latched |= TRANS_COMPLETE;
        }
        if !stops {
            self.second &= !bit;
            if setup.double && half == 0 {
                self.second |= bit;
            }
        }
        if setup.interrupt_1 || setup.interrupt_2 && (half == 1 || !setup.double) {
            self.buff_status |= bit;
            self.cpu_should_handle = self.cpu_should_handle & !bit | if half == 1 { bit } else { 0 };
        }
    }
}
