//! Implementation options of a processor.

/// A processor with the options that a chip has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    /// CPUID (B3.2.3).
    pub cpuid: u32,
    /// FPv5-D16 with double precision, else FPv4-SP.
    pub double_precision: bool,
    /// Regions of the MPU.
    pub regions: u32,
    /// Implemented bits of a priority byte, from bit 7 down: 3 to 8.
    pub priority_bits: u32,
    /// Interrupts, at most 240.
    pub interrupts: u32,
    /// Caches and tightly coupled memories of a Cortex-M7; None for a Cortex-M4.
    pub memories: Option<Memories>,
}

/// Sizes of the memories within a Cortex-M7, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memories {
    /// Data cache, 4 ways of 32-byte lines.
    pub data_cache: u32,
    /// Instruction cache, 2 ways of 32-byte lines; not modelled ([`super::cache`]).
    pub instruction_cache: u32,
    /// ITCM, from 0 on.
    pub itcm: u32,
    /// DTCM, from 0x20000000 on.
    pub dtcm: u32,
}

impl Memories {
    /// Whether an address is in tightly coupled memory, which is never cached.
    pub(crate) fn are_coupled(self, address: u32) -> bool {
        address < self.itcm || address.wrapping_sub(0x2000_0000) < self.dtcm
    }
}

impl Model {
    /// The Cortex-M4 r0p1 with 8 regions, 16 priorities and `interrupts`.
    pub const fn cortex_m4(interrupts: u32) -> Self {
        Self { cpuid: 0x410f_c241, double_precision: false, regions: 8, priority_bits: 4, interrupts, memories: None }
    }

    /// The Cortex-M7 r1p1 with 16 regions, 16 priorities and `interrupts`, with caches of 16 KiB as those of the
    /// STM32H745 (RM0399 2.5) and its ITCM and DTCM (RM0399 2.4).
    pub const fn cortex_m7(interrupts: u32) -> Self {
        let memories = Memories { data_cache: 0x4000, instruction_cache: 0x4000, itcm: 0x1_0000, dtcm: 0x2_0000 };
        Self {
            cpuid: 0x411f_c271,
            double_precision: true,
            regions: 16,
            priority_bits: 4,
            interrupts,
            memories: Some(memories),
        }
    }

    /// MVFR0 to MVFR2: features of the floating-point extension.
    pub fn media_features(self) -> [u32; 3] {
        if self.double_precision { [0x1011_0221, 0x1200_0011, 0x0000_0040] } else { [0x1011_0021, 0x1100_0011, 0] }
    }
}
