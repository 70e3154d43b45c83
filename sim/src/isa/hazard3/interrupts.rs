//! Xh3irq: external interrupts with enables, priorities and preemption in each core (RP2350 datasheet 3.8.6.1).

/// Interrupt lines of the RP2350 that a core sees.
pub const LINES: u32 = 52;
const ALL: u64 = (1 << LINES) - 1;

/// What has been entered, to be restored (`meicontext`).
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Context {
    /// Preemption levels saved: the one before, and the one before that.
    saved: [u8; 2],
    /// Only interrupts of at least this priority preempt; 16 if none does.
    preempt: u8,
    has_none: bool,
    number: u16,
    /// The next `mret` restores the levels.
    restores: bool,
}

/// Numbers of the CSRs.
#[allow(missing_docs)]
pub mod csr {
    pub const MEIEA: u16 = 0xbe0;
    pub const MEIPA: u16 = 0xbe1;
    pub const MEIFA: u16 = 0xbe2;
    pub const MEIPRA: u16 = 0xbe3;
    pub const MEINEXT: u16 = 0xbe4;
    pub const MEICONTEXT: u16 = 0xbe5;
}

/// See the module.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Interrupts {
    lines: u64,
    enabled: u64,
    forced: u64,
    priorities: [u8; LINES as usize],
    context: Context,
}

impl Default for Interrupts {
    fn default() -> Self {
        let context = Context { saved: [0; 2], preempt: 0, has_none: true, number: 0, restores: false };
        Self { lines: 0, enabled: 0, forced: 0, priorities: [0; LINES as usize], context }
    }
}

/// A write to a CSR: the operand, and what the register becomes by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// What the instruction has as its operand: it holds an index, too.
    pub operand: u32,
    /// The old value with bits written, set or cleared.
    pub value: u32,
    /// Whether bits were cleared.
    pub clears: bool,
}

fn set(all: u64) -> impl Iterator<Item = u32> {
    (0..LINES).filter(move |&line| all >> line & 1 != 0)
}

impl Interrupts {
    /// Lines in a cycle: nothing delays them.
    pub fn set_lines(&mut self, lines: u64) {
        self.lines = lines & ALL;
    }

    /// Whether the lines are these.
    pub fn has_lines(&self, lines: u64) -> bool {
        self.lines == lines & ALL
    }

    fn pending(&self) -> u64 {
        self.lines | self.forced
    }

    /// Whether an interrupt asks for the core (`mip.meip`).
    pub fn is_pending(&self) -> bool {
        let wanted = self.pending() & self.enabled;
        wanted != 0 && set(wanted).any(|line| self.priorities[line as usize] >= self.context.preempt)
    }

    /// The next one to be served, and its priority (`meinext`): of those that the level before would let through, the one of
    /// the highest priority, and of these the lowest one.
    fn next(&self) -> Option<(u32, u8)> {
        let level = self.context.saved[0];
        let of = |line: u32| self.priorities[line as usize];
        let candidates = set(self.pending() & self.enabled).filter(|&line| of(line) >= level);
        candidates.map(|line| (line, of(line))).reduce(|best, other| if other.1 > best.1 { other } else { best })
    }

    fn next_level(&self) -> u8 {
        self.next().map_or(16, |(_, priority)| priority + 1)
    }

    /// A trap is entered, by an external interrupt or not.
    pub fn enter(&mut self, is_external: bool) {
        if is_external {
            let level = self.next_level();
            let context = &mut self.context;
            context.saved = [context.preempt & 15, context.saved[0]];
            context.preempt = level;
        }
        self.context.restores = is_external;
    }

    /// `mret`.
    pub fn leave(&mut self) {
        let context = &mut self.context;
        if std::mem::take(&mut context.restores) {
            context.preempt = context.saved[0];
            context.saved = [context.saved[1], 0];
        }
    }

    /// Whether a write clears the enables of the timer's and the software interrupt (`meicontext.clearts`).
    pub fn clears_enables(number: u16, written: Written) -> bool {
        number == csr::MEICONTEXT && !written.clears && written.operand & 2 != 0
    }

    /// A CSR, as an instruction with an operand reads it. None if it is not one of these.
    pub fn read(&self, number: u16, operand: u32, saved_enables: u32) -> Option<u32> {
        let window = |all: u64| {
            let index = operand & 31;
            if index < 4 { (all >> (16 * index) & 0xffff) as u32 } else { 0 }
        };
        Some(match number {
            csr::MEIEA => window(self.enabled) << 16,
            csr::MEIPA => window(self.pending()) << 16,
            csr::MEIFA => window(self.forced) << 16,
            csr::MEIPRA => {
                let first = (operand & 127) as usize * 4;
                let of = |i: usize| self.priorities.get(first + i).map_or(0, |&priority| u32::from(priority));
                (0..4).map(|i| of(i) << (16 + 4 * i)).sum()
            }
            csr::MEINEXT => self.next().map_or(1 << 31, |(line, _)| line << 2),
            csr::MEICONTEXT => {
                let Context { saved, preempt, has_none, number, restores } = self.context;
                u32::from(saved[1]) << 28
                    | u32::from(saved[0]) << 24
                    | u32::from(preempt) << 16
                    | u32::from(has_none) << 15
                    | u32::from(number) << 4
                    | saved_enables
                    | u32::from(restores)
            }
            _ => return None,
        })
    }

    /// The interrupt that a read of a CSR samples, which is forced no longer then.
    pub fn sampled_by(&self, number: u16) -> Option<u32> {
        if number == csr::MEINEXT { self.next().map(|(line, _)| line) } else { None }
    }

    /// An interrupt is forced no longer.
    pub fn end_force(&mut self, line: u32) {
        self.forced &= !(1 << line);
    }

    /// A CSR is written.
    pub fn write(&mut self, number: u16, written: Written) {
        let Written { operand, value, .. } = written;
        let replaced = |all: u64| {
            let shift = 16 * (operand & 31);
            if shift >= 64 { all } else { (all & !(0xffff << shift) | u64::from(value >> 16) << shift) & ALL }
        };
        match number {
            csr::MEIEA => self.enabled = replaced(self.enabled),
            csr::MEIFA => self.forced = replaced(self.forced),
            csr::MEIPRA => {
                let first = (operand & 127) as usize * 4;
                for (i, priority) in self.priorities.iter_mut().skip(first).take(4).enumerate() {
                    *priority = (value >> (16 + 4 * i) & 15) as u8;
                }
            }
            csr::MEINEXT if value & 1 != 0 => {
                self.context.preempt = self.next_level();
                self.context.has_none = self.next().is_none();
                self.context.number = self.next().map_or(0, |(line, _)| line as u16);
            }
            csr::MEICONTEXT => {
                self.context = Context {
                    saved: [(value >> 24 & 15) as u8, (value >> 28) as u8],
                    preempt: (value >> 16 & 31) as u8,
                    has_none: value >> 15 & 1 != 0,
                    number: (value >> 4 & 0x1ff) as u16,
                    restores: value & 1 != 0,
                };
            }
            _ => {}
        }
    }
}
