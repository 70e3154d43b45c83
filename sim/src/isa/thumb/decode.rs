//! A 16-bit instruction with what the engines need of it: one table of all 65536, made at compile time.
//!
//! A table indexed by the halfword itself needs no invalidation when code is written, so that self-modifying code, loaders
//! and flash behave without a second mechanism.

use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::isa::thumb;
pub use crate::isa::thumb::{Code, Reg};

impl Code {
    /// Whether it is a branch, taken or not, by its immediate.
    pub(crate) fn branches_directly(self) -> bool {
        (Code::Beq as u8..=Code::B as u8).contains(&(self as u8))
    }

    /// Whether it is more than registers, one access, or a direct branch: what the slow path executes.
    pub(crate) fn needs_slow_path(self) -> bool {
        use Code::{
            AddPc, Bkpt, Blx, Bx, Cps, Ldm, MovPc, Pop, PopPc, Push, Sev, Stm, Svc, Udf, Undecoded, Watched, Wfe, Wfi,
            Wide,
        };
        let jumps = matches!(self, AddPc | MovPc | Bx | Blx);
        let transfers = matches!(self, Push | Pop | PopPc | Stm | Ldm);
        jumps || transfers || matches!(self, Cps | Bkpt | Wfe | Wfi | Sev | Svc | Wide | Udf | Undecoded | Watched)
    }

    /// Whether it is a branch, taken or not, with no other effect.
    pub(crate) fn branches(self) -> bool {
        self.branches_directly() || matches!(self, Code::Bx | Code::Blx | Code::MovPc | Code::AddPc | Code::PopPc)
    }
}

/// A decoded instruction (see [`thumb::Instruction`]) in 8 bytes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // those of a thumb::Instruction
pub struct Op {
    pub code: Code,
    pub d: Reg,
    pub n: Reg,
    pub m: Reg,
    pub immediate: i16,
    pub width: Width,
    /// Slave from which the last cycle fetches the next word; `INTERNAL` if no fetch is due, or if the place is not known.
    pub fetch: Slave,
}

/// All halfwords, decoded.
#[allow(long_running_const_eval, clippy::large_stack_arrays)] // on the compiler's stack
pub static TABLE: [Op; 65536] = {
    let mut all = [op(0); 65536];
    let mut half = 0;
    while half < all.len() {
        all[half] = op(half as u16);
        half += 1;
    }
    all
};

const fn op(half: u16) -> Op {
    let thumb::Instruction { code, d, n, m, immediate, width } = thumb::decode(half);
    Op { code, d, n, m, immediate, width, fetch: Slave::INTERNAL }
}
