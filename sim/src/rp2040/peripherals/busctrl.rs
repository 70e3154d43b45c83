//! Bus priorities and performance counters (datasheet 2.1.1).

use crate::rp2::busctrl;
use crate::rp2040::peripherals::Block;

/// Downstream ports of the crossbar in the order of the event numbers (2.1.1.2, table of PERFSEL): the event of any
/// access to a port is 2n + 1, that of an access that had to wait for another master 2n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the datasheet's names
pub enum Port {
    Apb = 0,
    Fastperi = 1,
    Sram5 = 2,
    Sram4 = 3,
    Sram3 = 4,
    Sram2 = 5,
    Sram1 = 6,
    Sram0 = 7,
    XipMain = 8,
    Rom = 9,
}

/// `BUSCTRL`.
pub const BUSCTRL: Block = Block { base: 0x4003_0000, ..busctrl::BUSCTRL };

/// The bus control block.
pub type Busctrl = busctrl::Busctrl<false>;

impl Busctrl {
    /// To be called by the bus for every access that completes at a port; `contested` if it had to wait for another
    /// master.
    #[inline]
    pub fn count_access(&mut self, port: Port, contested: bool) {
        let event = 2 * port as u32;
        self.count(event + 1);
        if contested {
            self.count(event);
        }
    }
}
