//! The memory protection unit, and the default memory map behind it (B3.1, B3.5).

use crate::isa::armv7em::Processor;

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An instruction fetch.
    Execute,
}

/// Cache policy of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    NotCached,
    /// Loads allocate; stores go to memory.
    WriteThrough,
    /// Loads allocate; stores that hit stay in the cache.
    WriteBack,
    /// Loads and stores allocate; stores stay in the cache.
    WriteBackAndAllocate,
}

/// A region's registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// `MPU_RBAR.ADDR`.
    pub base: u32,
    /// `MPU_RASR`.
    pub attributes: u32,
}

impl Region {
    /// Whether the region matches an address: region and subregion are enabled, and contain it.
    pub fn has(self, address: u32) -> bool {
        let size = (self.attributes >> 1 & 31) + 1;
        if self.attributes & 1 == 0 || size < 5 {
            return false;
        }
        if size < 32 && (address ^ self.base) >> size != 0 {
            return false;
        }
        // Regions of less than 256 bytes have no subregions.
        size < 8 || self.attributes >> (8 + (address >> (size - 3) & 7)) & 1 == 0
    }

    /// First addresses of the region's subregions, and the one behind the last.
    pub fn bounds(self) -> impl Iterator<Item = u32> {
        let size = (self.attributes >> 1 & 31) + 1;
        let (parts, log2_part) = if size < 8 { (1, size) } else { (8, size - 3) };
        let parts = if self.attributes & 1 == 0 || size < 5 { 0..0 } else { 0..parts + 1 };
        let base = if size < 32 { self.base & !((1 << size) - 1) } else { 0 };
        // The end may be that of the address space.
        parts.filter_map(move |part: u64| u32::try_from(u64::from(base) + (part << log2_part)).ok())
    }

    /// Read and write permission (AP).
    fn access(self, privileged: bool) -> (bool, bool) {
        match self.attributes >> 24 & 7 {
            1 => (privileged, privileged),
            2 => (true, privileged),
            3 => (true, true),
            5 => (privileged, false),
            6 | 7 => (true, false),
            // 4 is UNPREDICTABLE.
            _ => (false, false),
        }
    }

    fn is_shareable(self) -> bool {
        self.attributes >> 18 & 1 != 0
    }

    /// Cache policy (table B3-13). Shareable memory is not cached (Cortex-M7 TRM 3.3; `CACR.SIWT` is not modelled).
    fn policy(self) -> Policy {
        let (tex, two_bits) = (self.attributes >> 19 & 7, self.attributes >> 16 & 3);
        match (tex, two_bits) {
            _ if self.is_shareable() => Policy::NotCached,
            // Where TEX is 1xx, C and B are the inner policy (table B3-14).
            (0 | 4..=7, 2) => Policy::WriteThrough,
            (0 | 4..=7, 3) => Policy::WriteBack,
            (1, 3) | (4..=7, 1) => Policy::WriteBackAndAllocate,
            _ => Policy::NotCached,
        }
    }

    /// XN; from 0xE0000000 up always (B3.5).
    fn never_executed(self, address: u32) -> bool {
        self.attributes & 1 << 28 != 0 || address >= 0xe000_0000
    }

    /// Neither Device nor Strongly-ordered (TEX, C, B).
    fn is_normal(self) -> bool {
        let (tex, cacheable, bufferable) =
            (self.attributes >> 19 & 7, self.attributes >> 17 & 1, self.attributes >> 16 & 1);
        !matches!((tex, cacheable, bufferable), (0, 0, _) | (2, 0, 0))
    }
}

/// Consecutive addresses that the same region matches, or none.
#[derive(Clone, Copy, Debug, Hash)]
struct AddressRange {
    first: u32,
    last: u32,
    region: Option<Region>,
}

impl AddressRange {
    const ALL: Self = Self { first: 0, last: u32::MAX, region: None };
}

/// Accesses that may still see the previous setting: until DSB for data, and until an ISB after it for code. Exception entry
/// and return count as both (Arm DUI 0553A, page 4-45).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum VisibleTo {
    CodeAndData,
    Code,
}

/// The setting of the MPU before the current one.
#[derive(Clone, Debug, Hash)]
struct PreviousSetting {
    control: u32,
    map: Vec<AddressRange>,
    visible_to: VisibleTo,
}

/// One core's MPU.
#[derive(Clone, Debug, Hash)]
pub struct Mpu {
    control: u32,
    number: u32,
    before: Option<Box<PreviousSetting>>,
    regions: Vec<Region>,
    /// The matching region by address, ascending.
    map: Vec<AddressRange>,
}

impl Mpu {
    /// One with so many regions, all disabled.
    pub fn new(regions: u32) -> Self {
        Self {
            control: 0,
            number: 0,
            before: None,
            regions: vec![Region::default(); regions as usize],
            map: vec![AddressRange::ALL],
        }
    }

    /// Builds the map from the regions.
    fn rebuild_map(&mut self) {
        let mut firsts: Vec<u32> = self.regions.iter().flat_map(|region| region.bounds()).chain([0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let lasts = firsts[1..].iter().map(|next| next - 1).chain([u32::MAX]);
        let decides = |address| self.regions.iter().rev().find(|region| region.has(address)).copied();
        let map = firsts.iter().zip(lasts).map(|(&first, last)| AddressRange { first, last, region: decides(first) });
        self.map = map.collect();
    }

    /// DSB: data accesses see the current setting.
    pub(crate) fn data_barrier(&mut self) {
        if let Some(before) = &mut self.before {
            before.visible_to = VisibleTo::Code;
        }
    }

    /// ISB after a DSB: instruction fetches see it too.
    pub(crate) fn instruction_barrier(&mut self) {
        if self.before.as_ref().is_some_and(|before| before.visible_to == VisibleTo::Code) {
            self.synchronise();
        }
    }

    /// All accesses see the current setting.
    pub(crate) fn synchronise(&mut self) {
        self.before = None;
    }

    /// The matching region with the highest number.
    pub fn region(&self, address: u32) -> Option<Region> {
        range(&self.map, address).region
    }

    /// Whether some accesses may still see the previous setting.
    pub(crate) fn is_changing(&self) -> bool {
        self.before.is_some()
    }

    /// Whether all addresses from `first` to `last` match the same region, or none.
    pub(crate) fn is_uniform(&self, first: u32, last: u32) -> bool {
        range(&self.map, first).last >= last
    }

    /// A register at 0xE000ED90 to 0xE000EDB8.
    pub(crate) fn read(&self, address: u32) -> u32 {
        let region = self.regions[self.number as usize];
        match address & 0xff {
            0x90 => (self.regions.len() as u32) << 8,
            0x94 => self.control,
            0x98 => self.number,
            0x9c | 0xa4 | 0xac | 0xb4 => region.base | self.number,
            0xa0 | 0xa8 | 0xb0 | 0xb8 => region.attributes,
            _ => 0,
        }
    }

    /// Writes a register. `MPU_RNR` ignores the number of a region that does not exist.
    pub fn write(&mut self, address: u32, value: u32) {
        if address & 0xff != 0x98 {
            let setting = || {
                Box::new(PreviousSetting {
                    control: self.control,
                    map: self.map.clone(),
                    visible_to: VisibleTo::CodeAndData,
                })
            };
            self.before.get_or_insert_with(setting).visible_to = VisibleTo::CodeAndData;
        }
        match address & 0xff {
            0x94 => self.control = value & 7,
            0x98 => self.select(value & 0xff),
            0x9c | 0xa4 | 0xac | 0xb4 => {
                if value & 0x10 != 0 {
                    self.select(value & 15);
                }
                self.regions[self.number as usize].base = value & !31;
                self.rebuild_map();
            }
            0xa0 | 0xa8 | 0xb0 | 0xb8 => {
                self.regions[self.number as usize].attributes = value & 0x173f_ff3f;
                self.rebuild_map();
            }
            _ => {}
        }
    }

    fn select(&mut self, number: u32) {
        if (number as usize) < self.regions.len() {
            self.number = number;
        }
    }
}

fn range(map: &[AddressRange], address: u32) -> AddressRange {
    map[map.partition_point(|range| range.first <= address) - 1]
}

/// 512 MB regions of the default map that are XN: peripherals, devices, system (B3.1).
const NEVER_EXECUTED: u32 = 0b1110_0100;
/// Those that are Device or Strongly-ordered.
const DEVICE: u32 = NEVER_EXECUTED;

fn is_in(eighths: u32, address: u32) -> bool {
    eighths >> (address >> 29) & 1 != 0
}

/// Cache policy of the default map (table B3-1).
fn default_policy(address: u32) -> Policy {
    match address >> 29 {
        0 | 4 => Policy::WriteThrough,
        1 | 3 => Policy::WriteBackAndAllocate,
        _ => Policy::NotCached,
    }
}

/// Whether an access to an address is permitted by the region that matches it, or without one by the default map if that
/// applies (`default_applies`).
fn permits(region: Option<Region>, default_applies: bool, address: u32, privileged: bool, access: Access) -> bool {
    let Some(region) = region else {
        return default_applies && (access != Access::Execute || !is_in(NEVER_EXECUTED, address));
    };
    let (read, write) = region.access(privileged);
    match access {
        Access::Read => read,
        Access::Write => write,
        Access::Execute => read && !region.never_executed(address),
    }
}

fn policy(region: Option<Region>, address: u32) -> Policy {
    region.map_or_else(|| default_policy(address), Region::policy)
}

fn is_normal(region: Option<Region>, address: u32) -> bool {
    region.map_or(!is_in(DEVICE, address), Region::is_normal)
}

impl Processor {
    /// Whether an MPU with this `MPU_CTRL` is enabled at the current priority: in `HardFault`, NMI, and with FAULTMASK only
    /// with HFNMIENA.
    fn is_protected_by(&self, control: u32) -> bool {
        control & 1 != 0 && (control & 2 != 0 || !self.is_below_zero())
    }

    /// Whether an access depends on a change of the MPU that no barrier has made effective yet. True once per change.
    pub(crate) fn misses_barrier(&mut self, address: u32, privileged: bool, access: Access) -> bool {
        let Some(before) = &self.mpu.before else { return false };
        if access != Access::Execute && before.visible_to == VisibleTo::Code || address >> 20 == 0xe00 {
            return false;
        }
        let [then, now] = [(before.control, &before.map), (self.mpu.control, &self.mpu.map)].map(|(control, map)| {
            let on = self.is_protected_by(control);
            let region = if on { range(map, address).region } else { None };
            let default_applies = !on || privileged && control & 4 != 0;
            let permits = |access| permits(region, default_applies, address, privileged, access);
            let data = (access != Access::Execute).then(|| {
                let shareable = region.is_some_and(Region::is_shareable);
                (permits(Access::Write), policy(region, address), shareable, is_normal(region, address))
            });
            (permits(if data.is_some() { Access::Read } else { Access::Execute }), data)
        });
        if then != now {
            self.mpu.synchronise();
        }
        then != now
    }

    /// Whether an access is permitted. The MPU does not cover the private peripheral bus (B3.5).
    pub(crate) fn permits(&self, address: u32, privileged: bool, access: Access) -> bool {
        if address >> 20 == 0xe00 || !self.is_protected_by(self.mpu.control) {
            return permits(None, true, address, privileged, access);
        }
        // `MPU_CTRL.PRIVDEFENA`
        let default_applies = privileged && self.mpu.control & 4 != 0;
        permits(self.mpu.region(address), default_applies, address, privileged, access)
    }

    /// The region that matches an address, if the MPU is enabled.
    fn region(&self, address: u32) -> Option<Region> {
        if self.is_protected_by(self.mpu.control) { self.mpu.region(address) } else { None }
    }

    /// Cache policy of an address; without a matching region that of the default map (B3.1).
    pub(crate) fn policy(&self, address: u32) -> Policy {
        if self.model.memories.is_none_or(|memories| memories.are_coupled(address)) {
            return Policy::NotCached;
        }
        policy(self.region(address), address)
    }

    /// Whether an address is Shareable memory; the default map has none.
    pub(crate) fn is_shareable(&self, address: u32) -> bool {
        self.region(address).is_some_and(Region::is_shareable)
    }

    /// Whether an address is Normal memory, where unaligned accesses are allowed.
    pub(crate) fn is_normal(&self, address: u32) -> bool {
        is_normal(self.region(address), address)
    }
}
