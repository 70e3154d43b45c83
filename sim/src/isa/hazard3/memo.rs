//! States in which a core was before, and where each of them led: what a core does in a cycle depends on little but where it is, and is
//! the same again when it comes by again.
//!
//! A state is all that steers a core, without the values it computes with. It has an exit for each answer of the ports and each outcome of
//! its instruction that was met; [`Core::begin`] and [`Core::end`] find out where an exit leads, once. Words of code are part of the state
//! or of what chooses the exit, so that nothing is kept that memory could change.

use crate::core::access::{Width, extract, replicate};
use crate::isa::hazard3::fetch::FrontEnd;
use crate::isa::hazard3::op::{Alu, Memory};
use crate::isa::hazard3::ports::{Access, Lines, Reply, Request};
use crate::isa::hazard3::{Behind, Core, alu};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// States that are kept, of which programs need fewer that do much: 8 MB at most.
const CAPACITY: usize = 1 << 15;
/// Exits that are kept beside those in their places.
const MORE_EXITS: usize = 4 * CAPACITY;
/// Places for exits in a state: by the outcome of its instruction, and whether the port of instructions or that of data has no answer.
const PLACES: usize = 8;
const NO_WORD: usize = 1;
const NO_DATA: usize = 2;
/// The number of no state.
pub(crate) const NONE: u32 = u32::MAX;

/// What steers a core while it is calm, see [`Core::calms_down`].
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub(crate) struct Control {
    front: FrontEnd,
    pc: u32,
    has_jumped: bool,
    division: Option<u32>,
    is_committed: bool,
    was_wide: bool,
    rd: u8,
    pub memory: Memory,
    /// The address of the word of code that is being fetched.
    pub fetching: Option<u32>,
    /// Whether there is a load or store in its data phase, which is that of `memory`.
    pub accessing: bool,
    /// What may be a region of its own, for an instruction that could be in two.
    grain: u32,
}

/// What the outcome of an instruction depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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

/// Where a state leads. Of the exits for one place, the one that was taken last is in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// What was fetched, and where a register says to jump to: other values of these lead elsewhere.
    pub word: u32,
    pub target: u32,
    pub next: u32,
    /// The address of a word of code to fetch, and [`FETCHES`] and [`EXECUTES`].
    does: u32,
}

/// It fetches.
const FETCHES: u32 = 1;
/// An instruction is executed.
const EXECUTES: u32 = 2;

impl Exit {
    /// No target is this one.
    const UNKNOWN: Self = Self { word: 0, target: 1, next: NONE, does: 0 };

    /// The address of a word of code to fetch.
    pub fn fetches(&self) -> Option<u32> {
        (self.does & FETCHES != 0).then_some(self.does & !3)
    }

    /// Whether an instruction is executed.
    pub fn executes(&self) -> bool {
        self.does & EXECUTES != 0
    }
}

#[inline(always)]
fn place(outcome: bool, waits: [bool; 2]) -> usize {
    let flag = |is_set: bool, bit: usize| usize::from(is_set) << bit;
    flag(outcome, 0) | flag(waits[0], NO_WORD) | flag(waits[1], NO_DATA)
}

/// What decides on an exit, and its state.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    from: u32,
    place: usize,
    word: u32,
    target: u32,
}

/// What is needed of a state in each cycle; what is mostly needed of it comes first, and fits a line of the processor's cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct State {
    pub pc: u32,
    /// 0 if there is none.
    pub immediate: u32,
    pub offset: u32,
    word: u32,
    pub kind: Kind,
    pub alu: Alu,
    pub rs1: u8,
    pub rs2: u8,
    pub rd: u8,
    pub from_pc: bool,
    pub has_immediate: bool,
    /// Of the instruction in X.
    pub access: Memory,
    /// What stage M loads, and into which register.
    pub loads: Option<Width>,
    pub loaded: u8,
    exits: [Exit; PLACES],
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
        self.exit.fetches().map(|address| (address, true))
    }

    /// Whether it executes an instruction.
    #[inline(always)]
    pub fn executes(&self) -> bool {
        self.exit.executes()
    }

    /// What it asks of the port of data.
    #[inline(always)]
    pub fn access(&self) -> Option<Access> {
        let State { kind, access, offset, .. } = *self.state;
        (kind == Kind::Accesses).then(|| Access {
            address: self.first.wrapping_add(offset),
            width: access.width(),
            writes: matches!(access, Memory::Store(_)),
            is_exclusive: false,
            machine_mode: true,
        })
    }
}

/// What is not known of a cycle.
#[derive(Clone, Copy, Debug)]
pub enum Unknown {
    /// Where it leads to.
    Exit(Way),
    /// Anything.
    All,
}

/// See the module. It is no part of a chip's state, and a copy of it begins with nothing.
#[derive(Debug, Default)]
pub struct Memo {
    states: Vec<State>,
    controls: Vec<Control>,
    numbers: HashMap<Control, u32, BuildHasherDefault<Quick>>,
    /// By state, all exits that were met, each with its place.
    exits: Vec<Vec<(usize, Exit)>>,
    /// How many exits there are.
    exit_count: usize,
    /// States that have got another exit since the last call of `take_extended`.
    extended: Vec<u32>,
}

impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Memo {
    /// Whether cores find no state any more, until it is emptied.
    pub fn is_full(&self) -> bool {
        self.states.len() == CAPACITY || self.exit_count == MORE_EXITS
    }

    /// Empties it. No core may be in one of its states.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// A state by its number, and what steers a core in it.
    pub(crate) fn state(&self, number: u32) -> Option<(&State, &Control)> {
        Some((self.states.get(number as usize)?, self.controls.get(number as usize)?))
    }

    /// The exits of a state for an outcome of its instruction and for ports that have no word of code or no data to answer, where a
    /// certain word is fetched.
    pub(crate) fn exits(&self, number: u32, outcome: bool, waits: [bool; 2], word: u32) -> impl Iterator<Item = &Exit> {
        let place = place(outcome, waits);
        let all = self.exits.get(number as usize).into_iter().flatten();
        all.filter(move |(at, exit)| *at == place && exit.word == word).map(|(_, exit)| exit)
    }

    /// Whether `take_extended` has any.
    pub(crate) fn has_extended(&self) -> bool {
        !self.extended.is_empty()
    }

    /// States that have got another exit since the last call.
    pub(crate) fn take_extended(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.extended)
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
        self.states.push(State {
            exits: [Exit::UNKNOWN; PLACES],
            kind,
            alu: op.alu,
            rs1: op.rs1,
            rs2: op.rs2,
            rd: op.rd,
            from_pc: op.from_pc,
            has_immediate: op.immediate.is_some(),
            access: op.memory,
            loads: if let Memory::Load(width) = control.memory { Some(width) } else { None },
            loaded: control.rd,
            pc: control.pc,
            immediate: op.immediate.unwrap_or(0),
            offset: op.offset,
            word: core.front.instruction(),
        });
        self.controls.push(control);
        self.exits.push(Vec::new());
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
        if !self.is_on_its_way() || !self.has_lines(lines) || fetch.failed || data.failed {
            return self.any_cycle(memo, lines, fetch, data);
        }
        match self.foresee(memo, fetch, data) {
            Ok(step) => {
                let request = Request { fetch: step.fetch(), access: step.access() };
                let executed = step.executes().then_some((step.state.pc, step.state.word));
                self.take(&step, data);
                self.csrs.count(1, u64::from(executed.is_some()));
                (request, executed)
            }
            Err(Unknown::Exit(way)) => self.unknown_exit(memo, lines, fetch, data, way),
            Err(Unknown::All) => self.any_cycle(memo, lines, fetch, data),
        }
    }

    /// Whether these are the lines that it goes by as long as it is on its way.
    pub fn has_lines(&self, lines: &Lines) -> bool {
        !lines.unblocked && self.csrs.has_lines(lines)
    }

    /// What a core that is on its way does in a cycle in which no port says that anything failed.
    ///
    /// # Errors
    /// With what is not known of it.
    #[inline(always)]
    pub fn foresee<'a>(&self, memo: &'a Memo, fetch: Reply, data: Reply) -> Result<Step<'a>, Unknown> {
        let state = memo.states.get(self.at as usize).ok_or(Unknown::All)?;
        let first = if state.from_pc { state.pc } else { self.reg(state.rs1) };
        let second = if state.has_immediate { state.immediate } else { self.reg(state.rs2) };
        let (mut target, mut outcome) = (0, false);
        match state.kind {
            Kind::Accesses if state.access.is_misaligned(first.wrapping_add(state.offset)) => return Err(Unknown::All),
            Kind::Waits | Kind::Computes | Kind::Accesses => {}
            Kind::Branches => outcome = alu::compare(state.alu, first, second),
            Kind::Jumps => target = self.reg(state.rs1).wrapping_add(state.offset) & !1,
            Kind::Divides => outcome = alu::division_cycles(state.alu, first) != alu::division_cycles(state.alu, 0),
            Kind::Other => return Err(Unknown::All),
        }
        let place = place(outcome, [!fetch.ready, !data.ready]);
        let exit = &state.exits[place];
        if exit.word != fetch.word || exit.target != target {
            return Err(Unknown::Exit(Way { from: self.at, place, word: fetch.word, target }));
        }
        Ok(Step { state, exit, first, second })
    }

    /// Whether it executes nothing by a step, and is where it was.
    #[inline(always)]
    pub fn rests_with(&self, step: &Step<'_>) -> bool {
        step.exit.next == self.at && !step.executes()
    }

    /// Does what was foreseen, but does not count it.
    #[inline(always)]
    pub fn take(&mut self, step: &Step<'_>, data: Reply) {
        let Step { state, exit, first, second } = *step;
        if let Some(width) = state.loads
            && data.ready
        {
            self.set_register(state.loaded, extract(data.word, self.behind.lane, width));
        }
        if step.executes() {
            match state.kind {
                Kind::Branches => {}
                Kind::Accesses => {
                    self.behind.lane = first.wrapping_add(state.offset) & 3;
                    self.behind.value = replicate(self.reg(state.rs2), state.access.width());
                }
                _ => self.set_register(state.rd, alu::compute(state.alu, first, second)),
            }
        }
        self.at = exit.next;
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
        way: Way,
    ) -> (Request, Option<(u32, u32)>) {
        let (from, place) = (way.from as usize, way.place);
        let is_it = |(at, exit): &&(usize, Exit)| (*at, exit.word, exit.target) == (place, way.word, way.target);
        if let Some(&(_, exit)) = memo.exits[from].iter().find(is_it) {
            memo.states[from].exits[place] = exit;
            return self.cycle(memo, lines, fetch, data);
        }
        let (request, executed) = self.any_cycle(memo, lines, fetch, data);
        if self.at != NONE {
            let fetches = request.fetch.map_or(0, |(address, _)| address | FETCHES);
            let does = fetches | if executed.is_some() { EXECUTES } else { 0 };
            let exit = Exit { word: way.word, target: way.target, next: self.at, does };
            memo.states[from].exits[place] = exit;
            memo.exits[from].push((place, exit));
            memo.exit_count += 1;
            memo.extended.push(way.from);
        }
        (request, executed)
    }

    /// Whether nothing but plain instructions is under way: it sleeps not, and no trap was entered or left.
    #[inline(always)]
    pub fn is_on_its_way(&self) -> bool {
        self.at != NONE
    }

    /// The number of the state that it is in; of none if it is not on its way.
    #[inline(always)]
    pub(crate) fn state_number(&self) -> u32 {
        self.at
    }

    /// It has come to a state by other means than `take`; an access in its data phase is to an address, and stores a value.
    pub(crate) fn set_state(&mut self, number: u32, access: Option<(u32, u32, Width)>) {
        self.at = number;
        if let Some((address, value, width)) = access {
            (self.behind.lane, self.behind.value) = (address & 3, replicate(value, width));
        }
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
        (self.fetching, self.fetched, self.accessing) = (fetching.is_some(), fetching.unwrap_or(0), accessing);
        if !memory.has_data_phase() {
            (self.behind.lane, self.behind.value) = (0, 0);
        }
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
            fetching: self.fetching.then_some(self.fetched),
            accessing: self.accessing,
            grain: self.csrs.protection.grain(),
        }
    }

    /// Whether it is calm: nothing is under way but plain instructions, and with the lines as they are only other ones can change that.
    fn calms_down(&self) -> bool {
        let Behind { memory, cause, wait, keeps_pc, .. } = self.behind;
        let is_plain = matches!(memory, Memory::None | Memory::Load(_) | Memory::Store(_));
        let has_begun = self.step > 0 || self.phase > 0 || keeps_pc || self.unblocks || self.trapped.is_some();
        let is_disturbed = cause.is_some()
            || wait.is_some()
            || has_begun
            || self.front.is_in_reset()
            || !self.front.is_in_machine_mode();
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
