//! The global monitor of exclusive accesses (DS 2.1.6).

/// A reservation granule has 16 bytes.
const GRANULE_BITS: u32 = 4;

/// What a core has read exclusively, and with which privilege.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Reservation {
    granule: u32,
    machine_mode: bool,
}

/// The reservations of both cores. Accesses of one cycle come in this order: stores, then exclusive stores by the number of the
/// core, then loads (DS 2.1.6.1).
#[derive(Clone, Debug, Default, Hash)]
pub struct Monitor {
    reserved: [Option<Reservation>; 2],
    /// Whether a core has lost its reservation to another manager since that was asked.
    lost: [bool; 2],
}

impl Monitor {
    /// A manager, core 0 or 1 or any other number, has stored to SRAM. Whether a core has lost its reservation by that.
    #[inline(always)]
    pub fn store(&mut self, manager: usize, address: u32) -> bool {
        let mut any = false;
        for core in 0..2 {
            let Some(reservation) = self.reserved[core] else { continue };
            if core != manager && reservation.granule == address >> GRANULE_BITS {
                self.reserved[core] = None;
                self.lost[core] = true;
                any = true;
            }
        }
        any
    }

    /// A core stores exclusively to SRAM. Whether that succeeds.
    pub fn store_exclusive(&mut self, core: usize, address: u32, machine_mode: bool) -> bool {
        let wanted = Reservation { granule: address >> GRANULE_BITS, machine_mode };
        let succeeds = self.reserved[core & 1].take() == Some(wanted);
        if succeeds {
            self.store(core, address);
        }
        succeeds
    }

    /// A core loads exclusively from SRAM.
    pub fn load_exclusive(&mut self, core: usize, address: u32, machine_mode: bool) {
        self.reserved[core & 1] = Some(Reservation { granule: address >> GRANULE_BITS, machine_mode });
    }

    /// A core loads exclusively from elsewhere.
    pub fn load_elsewhere(&mut self, core: usize) {
        self.reserved[core & 1] = None;
    }

    /// Whether either core has a reservation.
    pub fn holds_any(&self) -> bool {
        self.reserved.iter().any(Option::is_some)
    }

    /// Whether `take_lost` would say so.
    pub fn has_lost(&self, core: usize) -> bool {
        self.lost[core & 1]
    }

    /// Whether a core has lost its reservation to another manager since the last call: it is unblocked by that (DS 3.4).
    pub fn take_lost(&mut self, core: usize) -> bool {
        std::mem::take(&mut self.lost[core & 1])
    }
}
