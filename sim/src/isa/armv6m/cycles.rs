//! Which bus cycles an instruction asks for, in which order: what every engine reads (TRM 2.2.1, 3.3, table 3-1).
//!
//! The cycles of an instruction are those of its data, one for each word, then idle ones, then its last ones.

use crate::isa::thumb::decode::Code;

/// What an instruction asks for in its last cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// One cycle: the next word in sequence, if the instruction was the lower halfword of its word.
    Fetch,
    /// Two cycles: the word of the branch target, then the next one if the target is the upper halfword of its word.
    Refill,
    /// As `Refill`, after a cycle as `Fetch`, whose word is not used.
    FetchThenRefill,
    /// Three cycles of a 32-bit instruction: the next word as `Fetch`; the next word if the instruction began in the upper
    /// halfword; nothing.
    FetchTwice,
}

impl Last {
    const fn cycles(self) -> u32 {
        match self {
            Self::Fetch => 1,
            Self::Refill => 2,
            Self::FetchThenRefill | Self::FetchTwice => 3,
        }
    }
}

/// The cycles of a kind of instruction behind those of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cycles {
    /// Cycles in which nothing is asked for.
    pub idle: u32,
    /// What is asked for then.
    pub last: Last,
}

impl Cycles {
    /// How many there are.
    pub const fn count(self) -> u32 {
        self.idle + self.last.cycles()
    }
}

/// Instructions on registers only, and branches that are not taken.
pub(crate) const REGISTERS: Cycles = Cycles { idle: 0, last: Last::Fetch };
/// LDR and its narrow forms.
pub(crate) const LOAD: Cycles = Cycles { idle: 0, last: Last::Fetch };
/// STR and its narrow forms.
pub(crate) const STORE: Cycles = Cycles { idle: 0, last: Last::Fetch };
/// LDM, and POP without PC.
pub(crate) const LOAD_MULTIPLE: Cycles = Cycles { idle: 0, last: Last::Fetch };
/// STM and PUSH.
pub(crate) const STORE_MULTIPLE: Cycles = Cycles { idle: 0, last: Last::Fetch };
/// POP with PC: one more cycle until the PC is there, then a branch.
pub(crate) const POP_PC: Cycles = Cycles { idle: 1, last: Last::Refill };
/// Branches that are taken, but for BL.
pub(crate) const BRANCH: Cycles = Cycles { idle: 0, last: Last::Refill };
/// BL, and ISB, which refills the pipeline with the next instruction.
pub(crate) const CALL: Cycles = Cycles { idle: 0, last: Last::FetchThenRefill };
/// MRS, MSR, DMB, DSB.
pub(crate) const SYSTEM: Cycles = Cycles { idle: 0, last: Last::FetchTwice };

/// The cycles of a 16-bit instruction that is no branch.
pub(crate) fn of(code: Code) -> Cycles {
    match code {
        Code::LoadImm | Code::LoadReg | Code::LdrLiteral => LOAD,
        Code::StoreImm | Code::StoreReg => STORE,
        Code::Ldm | Code::Pop => LOAD_MULTIPLE,
        Code::Stm | Code::Push => STORE_MULTIPLE,
        Code::PopPc => POP_PC,
        _ => REGISTERS,
    }
}

const _: () = assert!(REGISTERS.idle == 0 && BRANCH.idle == 0, "engines ask for the last cycles of these at once");

/// Cycles of the longest instruction that moves one word at most; and of the longest one behind the words that it moves.
pub(crate) const MAX_CYCLES: u32 = {
    let one_word = [LOAD, STORE];
    let all = [REGISTERS, LOAD, STORE, LOAD_MULTIPLE, STORE_MULTIPLE, POP_PC, BRANCH, CALL, SYSTEM];
    let (mut most, mut number) = (0, 0);
    while number < all.len() {
        let moved = if number < one_word.len() { one_word[number].count() + 1 } else { 0 };
        let cycles = all[number].count();
        let longest = if moved > cycles { moved } else { cycles };
        most = if longest > most { longest } else { most };
        number += 1;
    }
    most
};
