//! The system control space: registers of the SCB, the NVIC, `SysTick`, the MPU and floating point (B3.2 to B3.5).

use crate::core::access::Width;
use crate::core::cortex_m::{IRQ0, NMI, PEND_SV, SV_CALL, SYS_TICK};
use crate::isa::armv7em::Processor;
use crate::isa::armv7em::exception::{BUS_FAULT, MEM_MANAGE, THREAD, USAGE_FAULT};

/// Bits of CCR (B3.2.8).
pub(crate) mod ccr {
    pub(crate) const NONBASETHRDENA: u32 = 1;
    pub(crate) const USERSETMPEND: u32 = 1 << 1;
    pub(crate) const UNALIGN_TRP: u32 = 1 << 3;
    pub(crate) const DIV_0_TRP: u32 = 1 << 4;
    pub(crate) const BFHFNMIGN: u32 = 1 << 8;
    pub(crate) const STKALIGN: u32 = 1 << 9;
    /// The data cache.
    pub(crate) const DC: u32 = 1 << 16;
    /// DC, IC, BP; the latter two are stored only.
    pub(crate) const CACHES: u32 = 7 << 16;
}

/// Bits of SCR (B3.2.7).
pub(crate) mod scr {
    pub(crate) const SLEEPONEXIT: u32 = 1 << 1;
    pub(crate) const SLEEPDEEP: u32 = 1 << 2;
    pub(crate) const SEVONPEND: u32 = 1 << 4;
}

/// Ticks of the `SysTick` reference clock per steps of the core: 1 per 8, as on ST's chips (RM0399: HCLK / 8).
const REFERENCE: (u64, u64) = (1, 8);

/// An exception, and its bits in SHCSR: active, pending, enabled.
type HandlerBits = (u8, Option<u32>, Option<u32>, Option<u32>);

/// Exceptions of SHCSR.
const HANDLERS: [HandlerBits; 7] = [
    (MEM_MANAGE, Some(0), Some(13), Some(16)),
    (BUS_FAULT, Some(1), Some(14), Some(17)),
    (USAGE_FAULT, Some(3), Some(12), Some(18)),
    (SV_CALL, Some(7), Some(15), None),
    (12, Some(8), None, None),
    (PEND_SV, Some(10), None, None),
    (SYS_TICK, Some(11), None, None),
];

/// Registers of the system control block that no other unit owns.
#[derive(Clone, Debug, Default, Hash)]
pub struct SystemControl {
    pub(crate) vtor: u32,
    pub(crate) scr: u32,
    ccr: u32,
    actlr: u32,
    demcr: u32,
    /// CSSELR: the cache of CCSIDR, 0 data cache, 1 instruction cache.
    cache_selected: u32,
}

impl SystemControl {
    pub(crate) fn new() -> Self {
        Self { ccr: ccr::STKALIGN, ..Self::default() }
    }

    /// Whether a bit of CCR is set.
    pub(crate) fn has(&self, bit: u32) -> bool {
        self.ccr & bit != 0
    }

    /// `DEMCR.TRCENA`
    fn trace_enabled(&self) -> bool {
        self.demcr & 1 << 24 != 0
    }
}

impl Processor {
    /// A load. Registers that are not implemented read as 0.
    pub(crate) fn read_system_control(&mut self, address: u32, width: Width) -> u32 {
        let word = if is_dwt(address) {
            self.dwt.read(address & 0xffc, self.now, self.scs.trace_enabled())
        } else {
            self.read_register(address & 0xffc)
        };
        let part = word >> ((address & 3) * 8);
        part & (u32::MAX >> (32 - 8 * width.bytes()))
    }

    /// A register by its address, without side effects.
    pub fn peek_system_control(&self, address: u32) -> u32 {
        let mut copy = self.clone();
        copy.read_register(address & 0xffc)
    }

    /// Stores a word, as privileged code would: for debuggers and tests.
    pub fn poke_system_control(&mut self, address: u32, value: u32) {
        self.write_system_control(address & 0xffff_fffc, Width::Word, value);
    }

    /// A store. Bytes and halfwords of priorities and fault status leave the rest of the word unchanged.
    pub(crate) fn write_system_control(&mut self, address: u32, width: Width, value: u32) {
        let (offset, shift) = (address & 0xffc, (address & 3) * 8);
        let mask = u32::MAX >> (32 - 8 * width.bytes()) << shift;
        let value = value << shift & mask;
        if is_dwt(address) {
            return self.dwt.write(offset, value, self.now, self.scs.trace_enabled());
        }
        match offset {
            0x400..=0x4ec => self.write_priorities(16 + (offset - 0x400), value, mask),
            0xd18..=0xd20 => self.write_priorities(offset - 0xd18 + 4, value, mask),
            _ => self.write_register(offset, value),
        }
        self.exceptions_changed = true;
    }

    fn write_priorities(&mut self, first: u32, value: u32, mask: u32) {
        for byte in (0..4).filter(|byte| mask >> (8 * byte) & 1 != 0) {
            self.nvic.set_priority((first + byte) as u8, (value >> (8 * byte)) as u8);
        }
    }

    fn read_priorities(&self, first: u32) -> u32 {
        (0..4).map(|byte| u32::from(self.nvic.priority[(first + byte) as usize]) << (8 * byte)).sum()
    }

    fn read_register(&mut self, offset: u32) -> u32 {
        match offset {
            0x004 => self.nvic.interrupts.div_ceil(32) - 1,
            0x008 => self.scs.actlr,
            0x010..=0x01c => {
                self.tick();
                let value = self.systick.read(0xe000 + offset, self.now);
                if offset == 0x010 {
                    self.systick.clear_flag();
                }
                value
            }
            0x100..=0x11c | 0x180..=0x19c => self.nvic.enabled.interrupts(offset >> 2 & 7),
            0x200..=0x21c | 0x280..=0x29c => self.nvic.pending.interrupts(offset >> 2 & 7),
            0x300..=0x31c => self.nvic.active.interrupts(offset >> 2 & 7),
            0x400..=0x4ec => self.read_priorities(16 + (offset - 0x400)),
            0xd00 => self.model.cpuid,
            0xd04 => self.interrupt_control(),
            0xd08 => self.scs.vtor,
            0xd0c => 0xfa05_0000 | self.nvic.group << 8,
            0xd10 => self.scs.scr,
            0xd14 => self.scs.ccr,
            0xd18..=0xd20 => self.read_priorities(offset - 0xd18 + 4),
            0xd24 => self.handler_control(),
            0xd28 => self.faults.cfsr,
            0xd2c => self.faults.hfsr,
            0xd30 => self.faults.dfsr,
            0xd34 => self.faults.mmfar,
            0xd38 => self.faults.bfar,
            0xd78..=0xd84 => self.cache_id(offset),
            0xd88 => self.fpu.access,
            0xd90..=0xdb8 => self.mpu.read(offset),
            0xdfc => self.scs.demcr,
            0xf34 => self.fpu.control,
            0xf38 => self.fpu.address,
            0xf3c => self.fpu.default_status,
            0xf40..=0xf48 => self.model.media_features()[(offset >> 2 & 3) as usize],
            _ => 0,
        }
    }

    fn write_register(&mut self, offset: u32, value: u32) {
        let first = (offset >> 2 & 7) * 32;
        match offset {
            0x008 => self.scs.actlr = value,
            0x010..=0x01c => {
                self.tick();
                self.systick.write(0xe000 + offset, value, self.now, REFERENCE);
                self.tick_at = self.systick.next_exception();
            }
            0x100..=0x11c | 0x180..=0x19c => {
                let nvic = &mut self.nvic;
                each_interrupt(first, value, |exception| nvic.enable(exception, offset < 0x180));
            }
            0x200..=0x21c => each_interrupt(first, value, |exception| self.pend(exception)),
            0x280..=0x29c => each_interrupt(first, value, |exception| self.nvic.unpend(exception)),
            0xd04 => self.write_interrupt_control(value),
            0xd08 => self.scs.vtor = value & 0xffff_ff80,
            // A write without the key is ignored (B3.2.6).
            0xd0c if value >> 16 == 0x05fa => {
                self.nvic.group = value >> 8 & 7;
                self.reset_requested |= value & 4 != 0;
            }
            0xd10 => self.scs.scr = value & (scr::SLEEPONEXIT | scr::SLEEPDEEP | scr::SEVONPEND),
            0xd14 => {
                let caches = if self.model.double_precision { ccr::CACHES } else { 0 };
                self.scs.ccr = value & (0x31b | caches);
                self.pages.forget();
            }
            0xd24 => self.write_handler_control(value),
            0xd28 => self.faults.cfsr &= !value,
            0xd2c => self.faults.hfsr &= !value,
            0xd30 => self.faults.dfsr &= !value,
            0xd34 => self.faults.mmfar = value,
            0xd38 => self.faults.bfar = value,
            0xd84 if self.cache.is_some() => self.scs.cache_selected = value & 0xf,
            0xd88 => self.fpu.access = value & 0x00f0_0000,
            0xd94..=0xdb8 => {
                self.mpu.write(offset, value);
                self.pages.forget();
            }
            0xdfc => {
                self.dwt.accumulate(self.now, self.scs.trace_enabled());
                self.scs.demcr = value & 0x0100_07f1;
            }
            0xf00 => each_interrupt(value & 0x1e0, 1 << (value & 31), |exception| self.pend(exception)),
            0xf34 => self.fpu.set_control(value),
            0xf38 => self.fpu.address = value & !7,
            0xf3c => self.fpu.default_status = value & super::float::Status::MODES,
            // Cache maintenance needs the bus: `maintain_caches`.
            _ => {}
        }
    }

    /// CLIDR, CTR, CCSIDR, CSSELR (cache identification): one level of caches, lines of 32 bytes. All 0 without caches.
    fn cache_id(&self, offset: u32) -> u32 {
        let (Some(cache), Some(memories)) = (&self.cache, self.model.memories) else { return 0 };
        match (offset, self.scs.cache_selected) {
            (0xd78, _) => 0x0900_0003,
            (0xd7c, _) => 0x8303_c003,
            (0xd84, selected) => selected,
            (_, 0) => cache.size_id(),
            (_, 1) => 0xf << 28 | (memories.instruction_cache / 64 - 1) << 13 | 1 << 3 | 1,
            _ => 0,
        }
    }

    /// ICSR (B3.2.4).
    fn interrupt_control(&self) -> u32 {
        // VECTPENDING ignores PRIMASK.
        let next = self.nvic.highest_pending(THREAD).map_or(0, u32::from);
        let others = self.nvic.active_count() > u32::from(self.is_handler());
        let bit = |is: bool, place: u32| u32::from(is) << place;
        bit(self.nvic.pending.has(NMI), 31)
            | bit(self.nvic.pending.has(PEND_SV), 28)
            | bit(self.nvic.pending.has(SYS_TICK), 26)
            | bit(self.nvic.pending.has_interrupts(), 22)
            | next << 12
            | bit(!others, 11)
            | u32::from(self.ipsr)
    }

    fn write_interrupt_control(&mut self, value: u32) {
        if value >> 31 != 0 {
            self.pend(NMI);
        }
        for (exception, set, clear) in [(PEND_SV, 28, 27), (SYS_TICK, 26, 25)] {
            if value >> set & 1 != 0 {
                self.pend(exception);
            } else if value >> clear & 1 != 0 {
                self.nvic.unpend(exception);
            }
        }
    }

    /// SHCSR.
    fn handler_control(&self) -> u32 {
        let bit = |is: bool, place: Option<u32>| place.map_or(0, |place| u32::from(is) << place);
        let nvic = &self.nvic;
        HANDLERS
            .iter()
            .map(|&(exception, active, pending, enabled)| {
                bit(nvic.active.has(exception), active)
                    | bit(nvic.pending.has(exception), pending)
                    | bit(nvic.enabled.has(exception), enabled)
            })
            .sum()
    }

    fn write_handler_control(&mut self, value: u32) {
        let is = |place: u32| value >> place & 1 != 0;
        for (exception, active, pending, enabled) in HANDLERS {
            if let Some(place) = active {
                self.nvic.active.put(exception, is(place));
            }
            if let Some(place) = enabled {
                self.nvic.enabled.put(exception, is(place));
            }
            match pending.map(is) {
                Some(true) => self.pend(exception),
                Some(false) => self.nvic.unpend(exception),
                None => {}
            }
        }
    }
}

/// Whether an address of the private peripheral bus is in the DWT.
fn is_dwt(address: u32) -> bool {
    address >> 12 == 0xe0001
}

/// Calls `each` with the exception of each interrupt `first` + bit that is set.
fn each_interrupt(first: u32, set: u32, mut each: impl FnMut(u8)) {
    for bit in (0..32).filter(|bit| set >> bit & 1 != 0) {
        if let Ok(exception) = u8::try_from(u32::from(IRQ0) + first + bit) {
            each(exception);
        }
    }
}
