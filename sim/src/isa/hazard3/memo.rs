//! States in which a core was before, and where each of them led: what a core does in a cycle depends on little but where it is, and is
//! the same again when it comes by again.
//!
//! A state is all that steers a core, without the values it computes with. It has an exit for each answer of the ports and each outcome of
//! its instruction that was met; [`Core::begin`] and [`Core::end`] find out where an exit leads, once. Words of code are part of the state
//! or of what chooses the exit, so that nothing is kept that memory could change.

use crate::core::access::{extract, replicate};
use crate::isa::hazard3::fetch::FrontEnd;
use crate::isa::hazard3::op::{Memory, Op};
use crate::isa::hazard3::ports::{Access, Lines, Reply, Request};
use crate::isa::hazard3::{Behind, Core, alu};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// States that are kept: more than programs need that do much, in 12 MB at most.
const CAPACITY: usize = 1 << 15;
/// Exits of a state that are kept: mostly, the one that was taken last is taken again.
const EXITS: usize = 4;
/// The number of no state.
pub(super) const NONE: u32 = u32::MAX;

/// What steers a core while it is calm, see [`Core::calms_down`].
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Control {
    front: FrontEnd,
    pc: u32,
    has_jumped: bool,
    division: Option<u32>,
    is_committed: bool,
    was_wide: bool,
    rd: u8,
    memory: Memory,
    fetching: bool,
    accessing: bool,
    /// What may be a region of its own, for an instruction that could be in two.
    grain: u32,
}

/// What the outcome of an instruction depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: there is none, or it waits for a load.
    Waits,
    Computes,
    Divides,
    Branches,
    /// To where a register says.
    Jumps,
    Accesses,
    /// It may trap, or change more than registers and memory: this is left to others.
    Other,
}

/// Where a state leads.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// What the ports answer, and the outcome of the instruction.
    key: u64,
    target: u32,
    next: u32,
    fetch: Option<(u32, bool)>,
    is_executed: bool,
}

impl Exit {
    /// No key is this one.
    const UNKNOWN: Self = Self { key: u64::MAX, target: 0, next: NONE, fetch: None, is_executed: false };
}

#[derive(Clone, Debug)]
struct State {
    kind: Kind,
    op: Op,
    pc: u32,
    rd: u8,
    memory: Memory,
    accessing: bool,
    has_data_phase: bool,
    /// Of `op`; 0 if there is none.
    immediate: u32,
    word: u32,
    exits: [Exit; EXITS],
}

/// What a core does in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    state: &'a State,
    exit: &'a Exit,
    first: u32,
    second: u32,
}

impl Step<'_> {
    /// Address of the instruction in X.
    #[inline(always)]
    pub fn pc(&self) -> u32 {
        self.state.pc
    }

    /// What it asks of the port of instructions.
    #[inline(always)]
    pub fn fetch(&self) -> Option<(u32, bool)> {
        self.exit.fetch
    }

    /// What it asks of the port of data.
    #[inline(always)]
    pub fn access(&self) -> Option<Access> {
        let Op { memory, offset, .. } = self.state.op;
        (self.state.kind == Kind::Accesses).then(|| Access {
            address: self.first.wrapping_add(offset),
            width: memory.width(),
            writes: matches!(memory, Memory::Store(_)),
            is_exclusive: false,
            machine_mode: true,
        })
    }
}

/// What is not known of a cycle.
#[derive(Clone, Copy, Debug)]
pub enum Unknown {
    /// Where it leads to: the key and target of an exit.
    Exit(u64, u32),
    /// Anything.
    All,
}

/// See the module. It is no part of a chip's state, and a copy of it begins with nothing.
#[derive(Debug, Default)]
pub struct Memo {
    states: Vec<State>,
    controls: Vec<Control>,
    numbers: HashMap<Control, u32, BuildHasherDefault<Quick>>,
}

impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Memo {
    /// Whether cores find no state any more, until it is emptied.
    pub fn is_full(&self) -> bool {
        self.states.len() == CAPACITY
    }

    /// Empties it. No core may be in one of its states.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn number(&mut self, core: &Core) -> u32 {
        let control = core.control();
        if let Some(&number) = self.numbers.get(&control) {
            return number;
        }
        if self.is_full() {
            return NONE;
        }
        let number = self.states.len() as u32;
        let (kind, op) = core.kind();
        let Control { pc, rd, memory, accessing, .. } = control;
        let word = core.front.instruction();
        let immediate = op.immediate.unwrap_or(0);
        let has_data_phase = memory.has_data_phase();
        let exits = [Exit::UNKNOWN; EXITS];
        self.states.push(State { kind, op, pc, rd, memory, accessing, has_data_phase, immediate, word, exits });
        self.controls.push(control);
        self.numbers.insert(control, number);
        number
    }
}

impl Core {
    /// A whole cycle, of which is known what the ports answer: what the core asked for, and what was executed. Until it is
    /// [settled](Core::settle), the core itself does not know where it is.
    pub fn cycle(
        &mut self,
        memo: &mut Memo,
        lines: &Lines,
        fetch: Reply,
        data: Reply,
    ) -> (Request, Option<(u32, u32)>) {
        if !self.is_on_its_way() || !self.has_lines(lines) {
            return self.any_cycle(memo, lines, fetch, data);
        }
        match self.foresee(memo, fetch, data) {
            Ok(step) => {
                let request = Request { fetch: step.exit.fetch, access: step.access() };
                let executed = self.take(&step, data);
                self.csrs.count(1, u64::from(executed.is_some()));
                (request, executed)
            }
            Err(Unknown::Exit(key, target)) => self.unknown_exit(memo, lines, fetch, data, (key, target)),
            Err(Unknown::All) => self.any_cycle(memo, lines, fetch, data),
        }
    }

    /// Whether these are the lines that it goes by as long as it is on its way.
    pub fn has_lines(&self, lines: &Lines) -> bool {
        !lines.unblocked && self.csrs.has_lines(lines)
    }

    /// What a core that is on its way does in a cycle.
    ///
    /// # Errors
    /// With what is not known of it.
    #[inline(always)]
    pub fn foresee<'a>(&self, memo: &'a Memo, fetch: Reply, data: Reply) -> Result<Step<'a>, Unknown> {
        let state = memo.states.get(self.at as usize).ok_or(Unknown::All)?;
        let op = &state.op;
        let first = if op.from_pc { state.pc } else { self.reg(op.rs1) };
        let second = if op.immediate.is_some() { state.immediate } else { self.reg(op.rs2) };
        let (mut target, mut outcome) = (0, false);
        match state.kind {
            Kind::Divides => outcome = alu::division_cycles(op.alu, first) != alu::division_cycles(op.alu, 0),
            Kind::Branches => outcome = alu::compare(op.alu, first, second),
            Kind::Jumps => target = self.reg(op.rs1).wrapping_add(op.offset) & !1,
            Kind::Accesses if op.memory.is_misaligned(first.wrapping_add(op.offset)) => return Err(Unknown::All),
            Kind::Waits | Kind::Computes | Kind::Accesses => {}
            Kind::Other => return Err(Unknown::All),
        }
        if data.failed {
            return Err(Unknown::All);
        }
        let flag = |is_set: bool, bit: u32| u64::from(is_set) << bit;
        let key = u64::from(fetch.word)
            | flag(fetch.ready, 32)
            | flag(fetch.failed, 33)
            | flag(data.ready, 34)
            | flag(outcome, 35);
        let fits = |exit: &&Exit| exit.key == key && exit.target == target;
        let exit = state.exits.iter().find(fits).ok_or(Unknown::Exit(key, target))?;
        Ok(Step { state, exit, first, second })
    }

    /// Whether it executes nothing by a step, and is where it was.
    #[inline(always)]
    pub fn rests_with(&self, step: &Step<'_>) -> bool {
        step.exit.next == self.at && !step.exit.is_executed
    }

    /// Does what was foreseen, but does not count it. What was executed.
    #[inline(always)]
    pub fn take(&mut self, step: &Step<'_>, data: Reply) -> Option<(u32, u32)> {
        let Step { state, exit, first, second } = *step;
        let op = &state.op;
        if !state.has_data_phase || data.ready && state.accessing {
            if let Memory::Load(width) = state.memory {
                self.set_register(state.rd, extract(data.word, self.behind.lane, width));
            }
            (self.behind.lane, self.behind.value) = (0, 0);
            if exit.is_executed {
                if state.kind == Kind::Accesses {
                    self.behind.lane = first.wrapping_add(op.offset) & 3;
                    self.behind.value = replicate(self.reg(op.rs2), op.memory.width());
                } else {
                    self.set_register(op.rd, alu::compute(op.alu, first, second));
                }
            }
        }
        self.at = exit.next;
        exit.is_executed.then_some((state.pc, state.word))
    }

    /// A cycle of a core that is in no state, or in one of which more has to be known.
    #[inline(never)]
    fn any_cycle(
        &mut self,
        memo: &mut Memo,
        lines: &Lines,
        fetch: Reply,
        data: Reply,
    ) -> (Request, Option<(u32, u32)>) {
        self.settle(memo);
        let cycle = self.begin(lines);
        let executed = self.end(cycle.as_ref(), fetch, data, lines);
        if self.calms_down() {
            self.at = memo.number(self);
        }
        (cycle.map_or(Request::default(), |cycle| cycle.request), executed)
    }

    #[inline(never)]
    fn unknown_exit(
        &mut self,
        memo: &mut Memo,
        lines: &Lines,
        fetch: Reply,
        data: Reply,
        (key, target): (u64, u32),
    ) -> (Request, Option<(u32, u32)>) {
        let from = self.at as usize;
        let (request, executed) = self.any_cycle(memo, lines, fetch, data);
        if self.at != NONE {
            let exits = &mut memo.states[from].exits;
            exits.rotate_right(1);
            exits[0] = Exit { key, target, next: self.at, fetch: request.fetch, is_executed: executed.is_some() };
        }
        (request, executed)
    }

    /// Whether nothing but plain instructions is under way: it sleeps not, and no trap was entered or left.
    #[inline(always)]
    pub fn is_on_its_way(&self) -> bool {
        self.at != NONE
    }

    /// Address of the instruction in X.
    #[inline(always)]
    pub fn address(&self, memo: &Memo) -> u32 {
        memo.states.get(self.at as usize).map_or(self.pc, |state| state.pc)
    }

    /// Takes over what the state that it is in says.
    pub fn settle(&mut self, memo: &Memo) {
        let Some(control) = memo.controls.get(self.at as usize) else { return };
        let Control {
            front, pc, has_jumped, division, is_committed, was_wide, rd, memory, fetching, accessing, ..
        } = *control;
        (self.front, self.pc, self.has_jumped, self.division) = (front, pc, has_jumped, division);
        (self.is_committed, self.was_wide) = (is_committed, was_wide);
        (self.behind.rd, self.behind.memory) = (rd, memory);
        (self.fetching, self.accessing) = (fetching, accessing);
        self.at = NONE;
    }

    fn control(&self) -> Control {
        Control {
            front: self.front,
            pc: self.pc,
            has_jumped: self.has_jumped,
            division: self.division,
            is_committed: self.is_committed,
            was_wide: self.was_wide,
            rd: self.behind.rd,
            memory: self.behind.memory,
            fetching: self.fetching,
            accessing: self.accessing,
            grain: self.csrs.protection.grain(),
        }
    }

    /// Whether it is calm: nothing is under way but plain instructions, and with the lines as they are only other ones can change that.
    fn calms_down(&self) -> bool {
        let Behind { memory, cause, wait, keeps_pc, .. } = self.behind;
        let is_plain = matches!(memory, Memory::None | Memory::Load(_) | Memory::Store(_));
        let has_begun = self.step > 0 || self.phase > 0 || keeps_pc || self.unblocks || self.trapped.is_some();
        let is_disturbed = cause.is_some() || wait.is_some() || has_begun || self.front.is_in_reset();
        is_plain && !is_disturbed && self.sleep.is_awake() && self.csrs.is_calm()
    }
}

/// A hash that is quickly made.
#[derive(Debug, Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
