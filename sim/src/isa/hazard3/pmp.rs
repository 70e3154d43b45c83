//! Physical memory protection: eight regions that software sets, and three that are fixed (RP2350 datasheet 3.8.3).

/// Regions that software sets.
const DYNAMIC: usize = 8;
const REGIONS: usize = 11;
/// Bits of an address register that are always ones: a region has at least 32 bytes.
const GRAIN: u32 = 3;
/// Bytes of the smallest of those that are fixed.
const SMALLEST_FIXED: u32 = 1 << 28;
// The other way round than in the standard (RP2350-E6).
const EXECUTE: u8 = 1;
const WRITE: u8 = 2;
const READ: u8 = 4;
const NATURAL: u8 = 3 << 3;
const LOCKED: u8 = 1 << 7;
const CONFIGURATION: u16 = 0x3a0;
const ADDRESS: u16 = 0x3b0;
const FOR_MACHINE_MODE: u16 = 0xbd0;

/// What is done to memory.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Load,
    Store,
    Execute,
}

/// A region.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Region {
    settings: u8,
    /// Bits 33 to 2 of an address; the ones at its end give the size.
    address: u32,
}

impl Region {
    const fn new(settings: u8, address: u32) -> Self {
        Self { settings, address }
    }

    fn is_on(self) -> bool {
        self.settings & NATURAL != 0
    }

    /// Bits of an address that are the same in all of it: of 2^n bytes, at least 8, the lowest n - 3 bits of the address register are
    /// ones, and then comes a 0.
    fn mask(self) -> u32 {
        let ones = (self.address | 0xc000_0000).trailing_ones();
        if ones >= 29 { 0 } else { u32::MAX << (ones + 3) }
    }

    fn has(self, address: u32) -> bool {
        let mask = self.mask();
        self.is_on() && address & mask == self.address << 2 & mask
    }
}

/// See the module.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Protection {
    regions: [Region; REGIONS],
    /// Regions that machine mode has to obey without being locked.
    for_machine_mode: u16,
    /// Whether there is any that it has to obey.
    binds_machine_mode: bool,
    /// See `grain`.
    within: u32,
}

impl Default for Protection {
    fn default() -> Self {
        let mut regions = [Region::new(0, GRAIN); REGIONS];
        // User mode may do anything to the boot ROM, to peripherals and to SIO (DS 3.8.8.1).
        let anything = NATURAL | READ | WRITE | EXECUTE;
        for (region, address) in regions[DYNAMIC..].iter_mut().zip([0x01ff_ffff, 0x13ff_ffff, 0x35ff_ffff]) {
            *region = Region::new(anything, address);
        }
        Self { regions, for_machine_mode: 0, binds_machine_mode: false, within: SMALLEST_FIXED - 1 }
    }
}

impl Protection {
    fn first(&self, address: u32) -> Option<usize> {
        self.regions.iter().position(|region| region.has(address))
    }

    fn refuses(&self, region: Option<usize>, machine_mode: bool, what: Use) -> bool {
        let Some(region) = region else { return !machine_mode };
        let settings = self.regions[region].settings;
        let obeyed = !machine_mode || settings & LOCKED != 0 || self.for_machine_mode >> region & 1 != 0;
        let needed = match what {
            Use::Load => READ,
            Use::Store => WRITE,
            Use::Execute => EXECUTE,
        };
        obeyed && settings & needed == 0
    }

    /// Whether there is any region that machine mode has to obey.
    pub fn binds_machine_mode(&self) -> bool {
        self.binds_machine_mode
    }

    /// Bits of an address within the smallest region.
    pub fn grain(&self) -> u32 {
        self.within
    }

    /// Whether an instruction may be in two regions.
    pub fn may_split(&self, pc: u32, is_wide: bool) -> bool {
        is_wide && pc & self.within == self.within - 1
    }

    /// Whether a load or store is refused.
    pub fn refuses_access(&self, address: u32, machine_mode: bool, what: Use) -> bool {
        (!machine_mode || self.binds_machine_mode) && self.refuses(self.first(address), machine_mode, what)
    }

    /// Whether an instruction must not be executed: also if it is not in one region as a whole.
    pub fn refuses_instruction(&self, pc: u32, is_wide: bool, machine_mode: bool) -> bool {
        if machine_mode && !self.binds_machine_mode && !self.may_split(pc, is_wide) {
            return false;
        }
        let [first, second] = [pc, pc.wrapping_add(2)].map(|address| self.first(address));
        let region = match (first, second) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let is_split = region.is_some_and(|region| {
            is_wide && self.regions[region].has(pc) != self.regions[region].has(pc.wrapping_add(2))
        });
        is_split || self.refuses(region, machine_mode, Use::Execute)
    }

    /// A CSR. None if it is not one of these.
    pub fn read(&self, number: u16) -> Option<u32> {
        match number {
            FOR_MACHINE_MODE => Some(u32::from(self.for_machine_mode)),
            CONFIGURATION..=0x3a3 => {
                let first = usize::from(number - CONFIGURATION) * 4;
                let of = |i: usize| self.regions.get(first + i).map_or(0, |region| u32::from(region.settings));
                Some((0..4).map(|i| of(i) << (8 * i)).sum())
            }
            ADDRESS..=0x3bf => {
                let number = usize::from(number - ADDRESS);
                let region = self.regions.get(number).copied().unwrap_or_default();
                let hidden = if number < DYNAMIC && region.settings & NATURAL != 0 { GRAIN } else { 0 };
                Some(region.address & !hidden)
            }
            _ => None,
        }
    }

    /// A CSR is written.
    pub fn write(&mut self, number: u16, value: u32) {
        let dynamic = self.regions[..DYNAMIC].iter_mut().enumerate();
        let dynamic = dynamic.filter(|(_, region)| region.settings & LOCKED == 0);
        match number {
            FOR_MACHINE_MODE => self.for_machine_mode = value as u16 & ((1 << DYNAMIC) - 1),
            CONFIGURATION..=0x3a3 => {
                for (i, region) in dynamic.filter(|&(i, _)| i / 4 == usize::from(number - CONFIGURATION)) {
                    let settings = (value >> (i % 4 * 8)) as u8;
                    // Only regions of a power of two, and none of four bytes.
                    let matches = if settings & NATURAL == NATURAL { NATURAL } else { 0 };
                    region.settings = settings & (LOCKED | READ | WRITE | EXECUTE) | matches;
                }
            }
            ADDRESS..=0x3bf => {
                for (_, region) in dynamic.filter(|&(i, _)| i == usize::from(number - ADDRESS)) {
                    region.address = value & 0x3fff_ffff | GRAIN;
                }
            }
            _ => {}
        }
        let locked = self.regions.iter().any(|region| region.settings & LOCKED != 0);
        self.binds_machine_mode = locked || self.for_machine_mode != 0;
        let sizes = self.regions.iter().filter(|region| region.is_on()).map(|region| !region.mask());
        self.within = sizes.min().unwrap_or(SMALLEST_FIXED - 1);
    }
}
