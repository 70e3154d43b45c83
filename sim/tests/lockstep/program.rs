//! Random programs: as machine code for the simulator, and as core cycles for the model.

use super::model::Slot;
use proptest::prelude::*;

/// R0 to R2 point at data, R3 at SIO, R4 at `SYST_CVR`, R5 at where the trace goes; R6 and R7 are free, R8 is `HOP`.
pub const FREE: [u16; 2] = [6, 7];
/// What is added to a `mov r7, pc` to get the (Thumb) address 5 halfwords after it.
pub const HOP: u32 = 7;

/// Instructions, or sequences that belong together. Cycle counts are those of TRM 3.3, table 3-1.
#[derive(Clone, Debug)]
pub enum Ins {
    /// An instruction of one cycle that leaves the C flag alone; its encoding.
    One(u16),
    /// BCS, which is not taken: C is clear.
    NotTaken,
    /// B, or BCC, which is taken, over so many halfwords.
    Branch { conditional: bool, over: u32 },
    /// BL over so many halfwords.
    Call { over: u32 },
    /// BX, BLX or MOV PC, through an address computed in R7.
    Register(u16),
    /// DMB, DSB, MRS, MSR.
    System([u16; 2]),
    /// ISB.
    Isb,
    /// A load or store by R0, R1 or R2.
    Transfer { base: usize, offset: u32, size: u32, write: bool },
    /// LDR from behind the program.
    Literal { words: u32 },
    /// STM of R0 to R5 and R7, or LDM to R6 and R7; the base is a copy in R6.
    Many { base: usize, list: u16, write: bool },
    /// PUSH and POP of R0 to R7.
    PushPop { list: u16 },
    /// PUSH with LR and POP with PC, to where BX would go.
    PopPc { list: u16 },
    /// A load or store at SIO.
    Io { write: bool },
    /// A load from the private peripheral bus.
    Private,
    /// SEV, and some cycles later WFE, which does not sleep.
    Event,
}

/// What a program works on.
#[derive(Clone, Debug)]
pub struct Places {
    pub code: u32,
    pub data: [u32; 3],
    pub trace: u32,
    pub stack: u32,
}

/// A program being put together.
pub struct Assembly<'a> {
    places: &'a Places,
    pub code: Vec<u16>,
    pub slots: Vec<Slot>,
    stored: u32,
}

impl<'a> Assembly<'a> {
    /// A program whose first instruction is at `places.code`: the core gets there as by a branch.
    pub fn new(places: &'a Places) -> Self {
        let mut new = Self { places, code: Vec::new(), slots: Vec::new(), stored: 0 };
        new.go(places.code);
        new
    }

    fn here(&self) -> u32 {
        self.places.code + 2 * self.code.len() as u32
    }

    /// Two cycles: the target's word, and the word after it if only half of the first is of use.
    fn go(&mut self, target: u32) {
        self.slots.push(Slot::fetch(target));
        self.slots.push(if target & 2 == 0 { Slot::IDLE } else { Slot::fetch(target + 2) });
    }

    /// The last cycle of a 16-bit instruction at `at`: in it the next word is fetched, if it is in a lower halfword.
    fn last(&mut self, at: u32) {
        self.slots.push(if at & 2 == 0 { Slot::fetch(at + 4) } else { Slot::IDLE });
    }

    /// A 16-bit instruction that asks for `before` and has one more cycle.
    fn narrow(&mut self, half: u16, before: impl IntoIterator<Item = Slot>) {
        let at = self.here();
        self.code.push(half);
        self.slots.extend(before);
        self.last(at);
    }

    /// Writes to the flash window are bus errors, but where they delete a line of the cache (DS 2.6.3.2, table 155).
    fn may_write(&self, base: usize) -> bool {
        self.places.data[base] >> 24 != 0x13
    }

    fn nops(&mut self, count: u32) {
        self.code.extend((0..count).map(|_| 0xbf00));
    }

    /// `mov r7, pc; add r7, r8`.
    fn aim(&mut self) {
        self.narrow(0x467f, []);
        self.narrow(0x4447, []);
    }

    pub fn add(&mut self, ins: &Ins) {
        let at = self.here();
        match *ins {
            Ins::One(half) => self.narrow(half, []),
            Ins::NotTaken => self.narrow(0xd201, []),
            Ins::Branch { conditional, over } => {
                self.code.push(
                    if conditional { 0xd300 } else { 0xe000 }
                        | (over as u16).wrapping_sub(1) & if conditional { 0xff } else { 0x7ff },
                );
                self.nops(over);
                self.go(at + 2 + 2 * over);
            }
            Ins::Call { over } => {
                self.code.extend([0xf000, 0xf800 | over as u16]);
                self.nops(over);
                self.slots.push(if at & 2 == 0 { Slot::fetch(at + 4) } else { Slot::IDLE });
                self.go(at + 4 + 2 * over);
            }
            Ins::Isb => {
                self.code.extend([0xf3bf, 0x8f6f]);
                self.slots.push(if at & 2 == 0 { Slot::fetch(at + 4) } else { Slot::IDLE });
                self.go(at + 4);
            }
            Ins::Register(half) => {
                self.aim();
                self.code.push(half);
                self.nops(2);
                self.go(at + 10);
            }
            Ins::System(halves) => {
                self.code.extend(halves);
                // The word after the instruction, as soon as what is fetched already is used up.
                let fetch = Slot::fetch(at + 6);
                let [first, second] = if at & 2 == 0 { [Slot::fetch(at + 4), Slot::IDLE] } else { [Slot::IDLE, fetch] };
                self.slots.extend([first, second, Slot::IDLE]);
            }
            Ins::Transfer { base, offset, size, write } => {
                let write = write && self.may_write(base);
                let class = match (size, write) {
                    (4, true) => 0x6000,
                    (4, false) => 0x6800,
                    (2, true) => 0x8000,
                    (2, false) => 0x8800,
                    (_, true) => 0x7000,
                    (_, false) => 0x7800,
                };
                let address = self.places.data[base] + offset * size;
                let slot = if write { Slot::write(address) } else { Slot::read(address) };
                self.narrow(class | (offset as u16) << 6 | (base as u16) << 3 | FREE[1], [slot]);
            }
            Ins::Literal { words } => {
                self.narrow(0x4f00 | words as u16, [Slot::read(((at + 4) & !3) + 4 * words)]);
            }
            Ins::Many { base, list, write } => {
                let write = write && self.may_write(base);
                self.narrow(0x4606 | (base as u16) << 3, []);
                let list = if write { list & 0xbf } else { list & 0xc0 };
                let list = if list == 0 { 0x80 } else { list };
                let places = (0..list.count_ones()).map(|i| self.places.data[base] + 4 * i);
                let slots: Vec<_> = places.map(|at| if write { Slot::write(at) } else { Slot::read(at) }).collect();
                self.narrow(if write { 0xc600 } else { 0xce00 } | list, slots);
            }
            Ins::PushPop { list } => {
                let count = list.count_ones();
                let places = (0..count).map(|i| self.places.stack - 4 * (count - i));
                let (push, pop): (Vec<_>, Vec<_>) = places.map(|at| (Slot::write(at), Slot::read(at))).unzip();
                self.narrow(0xb400 | list, push);
                self.narrow(0xbc00 | list, pop);
            }
            Ins::PopPc { list } => {
                // mov r7, pc; add r7, r8; mov lr, r7; push {.., lr}; pop {.., pc}
                self.aim();
                self.narrow(0x46be, []);
                let count = list.count_ones() + 1;
                let places = (0..count).map(|i| self.places.stack - 4 * (count - i));
                let (push, pop): (Vec<_>, Vec<_>) = places.map(|at| (Slot::write(at), Slot::read(at))).unzip();
                self.narrow(0xb500 | list, push);
                self.code.push(0xbd00 | list);
                // 3 + N: the loads, a cycle until the PC is there, a branch.
                self.slots.extend(pop);
                self.slots.push(Slot::IDLE);
                self.go(at + 10);
            }
            Ins::Io { write } => self.narrow(if write { 0x611f } else { 0x681f }, []),
            Ins::Private => self.narrow(0x6827, [Slot::IDLE]),
            Ins::Event => {
                for half in [0xbf40, 0xbf00, 0xbf00] {
                    self.narrow(half, []);
                }
                self.narrow(0xbf20, [Slot::IDLE]);
            }
        }
    }

    /// Turns `SysTick` on, with the core's clock and its longest period: R6 is `SYST_CSR`, R7 the period.
    pub fn start_clock(&mut self) {
        for half in [0x6077, 0x60b7] {
            self.narrow(half, [Slot::IDLE]);
        }
        self.narrow(0x2705, []);
        self.narrow(0x6037, [Slot::IDLE]);
    }

    /// `ldr r6, [r4]; stm r5!, {r6}`: the time goes into the trace.
    pub fn stamp(&mut self) {
        self.narrow(0x6826, [Slot { stamp: true, ..Slot::IDLE }]);
        let place = self.places.trace + 4 * self.stored;
        self.narrow(0xc540, [Slot::write(place)]);
        self.stored += 1;
    }

    /// `wfi`, for good.
    pub fn end(&mut self) {
        self.code.push(0xbf30);
    }
}

/// Any instruction. Those that use the bus come more often than in real programs.
pub fn instruction() -> impl Strategy<Value = Ins> {
    let one = prop_oneof![
        Just(0xbf00), // nop
        Just(0x2742), // movs r7, #0x42
        Just(0x407e), // eors r6, r7
        Just(0x437e), // muls r6, r7
        Just(0xba3e), // rev r6, r7
        Just(0xb23e), // sxth r6, r7
        Just(0x44b1), // add r9, r6
        Just(0xa601), // adr r6, .+8
        Just(0xaf01), // add r7, sp, #4
        Just(0xb662), // cpsie i
        Just(0xbf40), // sev
    ];
    let system = prop_oneof![
        Just([0xf3bf, 0x8f5f]), // dmb
        Just([0xf3bf, 0x8f4f]), // dsb
        Just([0xf3ef, 0x8710]), // mrs r7, primask
        Just([0xf387, 0x8810]), // msr primask, r7
    ];
    let size = prop_oneof![Just(4u32), Just(2), Just(1)];
    prop_oneof![
        3 => one.prop_map(Ins::One),
        1 => Just(Ins::NotTaken),
        2 => (any::<bool>(), 0u32..5).prop_map(|(conditional, over)| Ins::Branch { conditional, over }),
        1 => (0u32..5).prop_map(|over| Ins::Call { over }),
        1 => prop_oneof![Just(0x4738), Just(0x47b8), Just(0x46bf)].prop_map(Ins::Register),
        1 => system.prop_map(Ins::System),
        1 => Just(Ins::Isb),
        6 => (0usize..3, 0u32..32, size, any::<bool>())
            .prop_map(|(base, offset, size, write)| Ins::Transfer { base, offset, size, write }),
        1 => (0u32..64).prop_map(|words| Ins::Literal { words }),
        2 => (0usize..3, 1u16..256, any::<bool>()).prop_map(|(base, list, write)| Ins::Many { base, list, write }),
        1 => (1u16..256).prop_map(|list| Ins::PushPop { list }),
        1 => (0u16..256).prop_map(|list| Ins::PopPc { list }),
        1 => any::<bool>().prop_map(|write| Ins::Io { write }),
        1 => Just(Ins::Private),
        1 => Just(Ins::Event),
    ]
}
