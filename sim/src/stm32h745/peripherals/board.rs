//! What is around the chip and in its option bytes.

/// Option bytes that the model follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionBytes {
    /// BCM7 and BCM4: a core runs after reset without being asked to.
    pub released: [bool; 2],
    /// `BOOT_CMx_ADD0` and `BOOT_CMx_ADD1` by core: the upper halves of addresses.
    pub boot_address: [[u16; 2]; 2],
    /// `SWAP_BANK_OPT`.
    pub swap_banks: bool,
}

impl Default for OptionBytes {
    /// As the chip leaves its factory.
    fn default() -> Self {
        Self { released: [true; 2], boot_address: [[0x0800, 0x1ff0], [0x0810, 0x1000]], swap_banks: false }
    }
}

/// How the core domain gets its voltage: what is soldered on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supply {
    /// VCAP pins have their capacitors, the step-down converter is not connected.
    Ldo,
    /// The step-down converter feeds the core domain.
    Smps,
}

/// A board around the chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// How the core domain is supplied.
    pub supply: Supply,
    /// Rate in Hz of what is at `OSC_IN`; 0 if there is nothing.
    pub hse: u64,
    /// A clock comes in at `OSC_IN`, and not from a crystal: `HSEBYP` must be set.
    pub hse_is_clock: bool,
    /// Level of the BOOT0 pin.
    pub boot0: bool,
    /// Bits per second at the other end of USART3.
    pub baud: u64,
}

impl Default for Board {
    /// NUCLEO-H745ZI-Q: converter, 8 MHz from the debug probe, 115200 baud on the probe's serial port.
    fn default() -> Self {
        Self { supply: Supply::Smps, hse: 8_000_000, hse_is_clock: true, boot0: false, baud: 115_200 }
    }
}
