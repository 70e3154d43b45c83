//! Registers that native code reads and writes without leaving for each access: ones that read as the same value for a while, and
//! ones at a core's I/O port whose writes can be made later.
//!
//! The slow path makes an access first, and notes here how far that goes. Native code notes what it did, and when it is left,
//! the bus is brought up to that.

/// Where none is known: no word has this address.
const NONE: u32 = 1;
/// Registers that are known at once, by bits 3:2 of their addresses.
pub(crate) const KNOWN: usize = 4;
/// Writes between two exits of native code, at most.
pub(crate) const STORES: usize = 64;

/// A register that reads as the same value for a while.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct KnownRegister {
    /// `NONE` if none is known.
    pub address: u32,
    pub value: u32,
    /// For a core that replays: a read begins before this cycle of the quantum, and before this cycle counted from
    /// `BusGrantLog::limit` on (which is another count of the chip's time).
    pub before: u32,
    pub before_limit: i32,
    /// Cycles that its data takes beyond one, -1 at the I/O port.
    pub more_cycles: i32,
    /// How often native code has read it, and when it did so last, counted from the limit.
    pub reads: u32,
    pub read_at: i32,
    /// What a profile is told of a read: the first half of a `Wait`, 0 for none.
    pub wait: u32,
}

impl Default for KnownRegister {
    fn default() -> Self {
        Self { address: NONE, value: 0, before: 0, before_limit: 0, more_cycles: 0, reads: 0, read_at: 0, wait: 0 }
    }
}

/// A write to a register at the I/O port.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct NativeStore {
    /// The cycle of the quantum.
    pub cycle: u32,
    pub address: u32,
    pub value: u32,
    pub padding: u32,
}

/// See the module's description. Native code reads and writes it.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct KnownRegisters {
    pub(crate) known: [KnownRegister; KNOWN],
    /// Addresses that may be written; `NONE` for none.
    pub(crate) writable: [u32; KNOWN],
    /// Writes that are not made yet, and how many there are.
    pub(crate) stores: [NativeStore; STORES],
    pub(crate) stored: u32,
    /// Reads since native code was entered.
    pub(crate) reads: u32,
    is_any_known: bool,
}

impl Default for KnownRegisters {
    fn default() -> Self {
        Self {
            known: [KnownRegister::default(); KNOWN],
            writable: [NONE; KNOWN],
            stores: [NativeStore::default(); STORES],
            stored: 0,
            reads: 0,
            is_any_known: false,
        }
    }
}

impl KnownRegisters {
    /// Nothing is known any more.
    #[inline(always)]
    pub fn forget(&mut self) {
        if self.is_any_known {
            self.forget_all();
        }
    }

    fn forget_all(&mut self) {
        self.known = [KnownRegister::default(); KNOWN];
        self.writable = [NONE; KNOWN];
        self.is_any_known = false;
    }

    /// A register is known from now on. What it reads as does not depend on writes of native code.
    pub fn know(&mut self, register: KnownRegister) {
        self.writable = [NONE; KNOWN];
        self.is_any_known = true;
        self.known[slot(register.address)] = register;
    }

    /// Writes to an address can be made later. They may change what was known.
    pub fn let_write(&mut self, address: u32) {
        self.known = [KnownRegister::default(); KNOWN];
        self.is_any_known = true;
        self.writable[slot(address)] = address;
    }

    /// Registers that native code has read since it was entered, in the order of their last reads.
    pub fn take_reads(&mut self) -> impl Iterator<Item = KnownRegister> + use<> {
        self.reads = 0;
        let mut read = self.known;
        for register in &mut self.known {
            register.reads = 0;
        }
        read.sort_unstable_by_key(|register| register.read_at);
        read.into_iter().filter(|register| register.reads > 0)
    }

    /// What native code has written since it was entered, in order.
    pub fn take_stores(&mut self) -> impl Iterator<Item = NativeStore> + use<> {
        let count = std::mem::take(&mut self.stored) as usize;
        let made = (count != 0).then_some(self.stores); // a kibibyte
        made.into_iter().flatten().take(count)
    }
}

fn slot(address: u32) -> usize {
    (address >> 2) as usize % KNOWN
}
