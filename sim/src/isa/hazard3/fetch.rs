//! The front end: it fetches words ahead, keeps up to two of them in a queue, and hands over halfwords to be decoded.
//!
//! A branch predictor with one entry makes a taken backward branch look as if its target came next (RP2350 datasheet 3.8.7.8).

/// A word that was fetched, or is being fetched.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Fetched {
    word: u32,
    /// Which of its two halfwords are wanted.
    wanted: u8,
    /// Which of them belong to a branch that is predicted to be taken.
    predicted: u8,
    /// The bus answered with an error.
    failed: bool,
}

impl Fetched {
    /// Halfwords that are wanted.
    fn count(self) -> u32 {
        u32::from(self.wanted & 1) + u32::from(self.wanted >> 1)
    }

    /// Its halfwords in the order in which they are decoded, the first one lowest.
    fn halfwords(self) -> u32 {
        if self.wanted & 1 == 0 { self.word & !0xffff | self.word >> 16 } else { self.word }
    }

    /// Which of these belong to a branch that is predicted.
    fn predictions(self) -> u8 {
        if self.wanted & 1 == 0 { self.predicted >> 1 } else { self.predicted }
    }
}

/// The branch that was taken last, of those that go backward.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
pub struct Predictor {
    is_valid: bool,
    source: u32,
    is_wide: bool,
    target: u32,
}

impl Predictor {
    /// Of a branch at an address, of 32 bits or of 16.
    pub fn new(source: u32, is_wide: bool, target: u32) -> Self {
        Self { is_valid: true, source, is_wide, target }
    }

    fn is_upper(&self) -> bool {
        self.source & 2 != 0
    }

    /// Whether the branch ends in the word behind the one that it begins in.
    fn overhangs(&self) -> bool {
        self.is_wide && self.is_upper()
    }
}

/// Where the front end is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The address.
    pub target: u32,
    /// Whether in machine mode.
    pub machine_mode: bool,
}

/// What the bus says at the end of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    /// It takes the address, if there is one.
    pub takes_address: bool,
    /// A word has come.
    pub arrives: bool,
    /// What the bus has, whether a word has come or not.
    pub word: u32,
    /// What has come is an error.
    pub failed: bool,
}

/// What the core does to the front end at the end of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feedback {
    /// Halfwords that were decoded and are done.
    pub used: u32,
    /// A jump keeps the oldest instruction, which has not finished.
    pub keeps_oldest: bool,
    /// The predictor forgets its branch.
    pub forgets: bool,
    /// A branch to be predicted from now on.
    pub learns: Option<Predictor>,
}

/// See the module.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct FrontEnd {
    queue: [Fetched; 2],
    queued: usize,
    predictor: Predictor,
    /// The next word to fetch.
    address: u32,
    machine_mode: bool,
    /// The word before `address` has the first half of the predicted branch.
    overhung: bool,
    /// Halfwords that are wanted of the word at `address`.
    wanted: u8,
    /// The address has been on the bus, which did not take it.
    is_held: bool,
    /// Words that are asked for, and how many of them nobody wants any more.
    pending: u32,
    dropped: u32,
    /// Of the word that comes next.
    next_wanted: u8,
    next_predicted: u8,
    /// No fetch in the first cycle after reset.
    in_reset: bool,
    /// Halfwords to decode, the first one first; how many they are, which ones are errors, and which ones are predicted. Behind them
    /// is what was left there.
    halfwords: u64,
    level: u32,
    failed: u8,
    predicted: u8,
}

impl FrontEnd {
    /// Fetches from an address on.
    pub fn new(address: u32) -> Self {
        Self {
            queue: [Fetched::default(); 2],
            queued: 0,
            predictor: Predictor::default(),
            address,
            machine_mode: true,
            overhung: false,
            wanted: 3,
            is_held: false,
            pending: 0,
            dropped: 0,
            next_wanted: 3,
            next_predicted: 0,
            in_reset: true,
            halfwords: 0,
            level: 0,
            failed: 0,
            predicted: 0,
        }
    }

    /// The instruction to decode: all of it is there if `is_starved` is false.
    pub fn instruction(&self) -> u32 {
        self.halfwords as u32
    }

    /// Whether the instruction has 32 bits.
    pub fn is_wide(&self) -> bool {
        self.halfwords & 3 == 3
    }

    /// Whether there is no whole instruction.
    pub fn is_starved(&self) -> bool {
        self.level == 0 || self.level == 1 && self.is_wide()
    }

    /// Whether a fetch of the instruction failed.
    pub fn has_failed(&self) -> bool {
        self.level > 0 && self.failed & 1 != 0 || self.level > 1 && self.is_wide() && self.failed & 2 != 0
    }

    /// Whether a fetch of any halfword failed.
    pub fn has_errors(&self) -> bool {
        self.failed != 0
    }

    /// Whether nothing was fetched yet.
    pub fn is_in_reset(&self) -> bool {
        self.in_reset
    }

    /// Whether it fetches in machine mode.
    pub fn is_in_machine_mode(&self) -> bool {
        self.machine_mode
    }

    /// Which halfwords of the instruction register belong to a branch that is predicted to be taken.
    pub fn predicted(&self) -> u8 {
        self.predicted & 3
    }

    /// Where the predicted branch goes.
    pub fn predicted_target(&self) -> u32 {
        self.predictor.target
    }

    /// Whether a jump is accepted in this cycle.
    pub fn takes_jump(&self) -> bool {
        !self.is_held
    }

    /// Whether it has come to rest before a sleep.
    pub fn is_full(&self) -> bool {
        self.queued == 2
    }

    fn is_stalled(&self) -> bool {
        self.queued == 2 || self.queued == 1 && self.pending > 0 || self.pending > 1
    }

    /// The address that it asks for in this cycle, and in which mode.
    pub fn request(&self, jump: Option<Redirect>) -> Option<(u32, bool)> {
        if self.in_reset {
            return None;
        }
        match jump {
            Some(to) if !self.is_held => Some((to.target & !3, to.machine_mode)),
            _ if self.is_held || !self.is_stalled() => Some((self.address, self.machine_mode)),
            _ => None,
        }
    }

    /// Ends a cycle in which it asked for `request(jump)`.
    pub fn clock(&mut self, jump: Option<Redirect>, answer: Answer, feedback: Feedback) {
        let asks = self.request(jump).is_some();
        let jump = jump.filter(|_| !self.is_held);
        let taken = asks && answer.takes_address;
        let on_bus = Fetched {
            word: answer.word,
            wanted: self.next_wanted,
            predicted: self.next_predicted,
            failed: answer.failed,
        };
        let arrives = answer.arrives && self.dropped == 0;
        self.assemble(on_bus, arrives, jump.is_some(), feedback);
        if answer.arrives {
            self.dropped = self.dropped.saturating_sub(1);
        }
        if jump.is_some() {
            self.dropped = self.pending - u32::from(answer.arrives);
            (self.queue, self.queued) = ([Fetched::default(); 2], 0);
        }
        self.advance(jump, asks, taken);
        self.pending = self.pending + u32::from(asks && !self.is_held) - u32::from(answer.arrives);
        self.is_held = asks && !taken;
        self.in_reset = false;
        if feedback.forgets {
            self.predictor.is_valid = false;
        } else if let Some(branch) = feedback.learns {
            self.predictor = branch;
        }
    }

    /// Moves halfwords on: to the instruction register if there is room, or else to the queue.
    fn assemble(&mut self, on_bus: Fetched, arrives: bool, jumps: bool, feedback: Feedback) {
        let kept = self.level - feedback.used;
        // The third one stays in its place, and the second one if two are used.
        let (all, third) = (self.halfwords, self.halfwords & 0xffff << 32);
        self.halfwords = match feedback.used {
            0 => all,
            1 => all >> 16 | third,
            _ => all >> 32 | all & 0xffff << 16 | third,
        };
        self.failed >>= feedback.used;
        self.predicted >>= feedback.used;
        let is_queued = self.queued > 0;
        let next = if is_queued { self.queue[0] } else { on_bus };
        let has_room = kept <= if next.count() < 2 { 2 } else { 1 };
        let mut level = kept;
        if has_room {
            // Whether it is valid or not: nobody looks at what is not, but for the part that recognises `fence.i`.
            let place = 16 * kept;
            let replaced = u64::from(u32::MAX) << place;
            self.halfwords = (self.halfwords & !replaced | u64::from(next.halfwords()) << place) & ((1 << 48) - 1);
            let above = |bits: u8| bits & !(u8::MAX << kept);
            self.failed = (above(self.failed) | if next.failed { 3 } else { 0 } << kept) & 7;
            self.predicted = (above(self.predicted) | next.predictions() << kept) & 7;
            if is_queued || arrives {
                level += next.count();
            }
        }
        self.level = match jumps {
            true if feedback.keeps_oldest => 1 + u32::from(self.is_wide()),
            true => 0,
            false => level,
        };
        if has_room && is_queued {
            self.queue = [self.queue[1], Fetched::default()];
            self.queued -= 1;
        }
        if arrives && (is_queued || !has_room) {
            self.queue[self.queued & 1] = on_bus;
            self.queued += 1;
        }
    }

    /// What is fetched next.
    fn advance(&mut self, jump: Option<Redirect>, asks: bool, taken: bool) {
        let branch = self.predictor;
        let here = branch.is_valid && self.address >> 2 == branch.source >> 2;
        // A jump has gone to the halfword behind the branch, and its address was held.
        let jumped_beyond = !branch.is_wide && !branch.is_upper() && self.wanted & 1 == 0;
        let leaves = self.overhung || here && !branch.overhangs() && !jumped_beyond;
        if let Some(to) = jump {
            self.address = (to.target & !3).wrapping_add(if taken { 4 } else { 0 });
            self.machine_mode = to.machine_mode;
            self.overhung = false;
            let wanted = if to.target & 2 == 0 { 3 } else { 2 };
            if taken {
                (self.wanted, self.next_wanted) = (3, wanted);
            } else {
                self.wanted = wanted;
            }
            self.next_predicted = 0;
        } else if asks && taken {
            let ends_low = leaves && branch.is_upper() == branch.is_wide;
            self.next_wanted = self.wanted & if ends_low { 1 } else { 3 };
            self.wanted = if leaves && branch.target & 2 != 0 { 2 } else { 3 };
            self.next_predicted = match here {
                true if branch.is_upper() => 2,
                true if branch.is_wide => 3,
                true => 1,
                false => u8::from(self.overhung),
            };
            self.address = if leaves { branch.target & !3 } else { self.address.wrapping_add(4) };
            self.overhung = here && branch.overhangs();
        }
    }
}
