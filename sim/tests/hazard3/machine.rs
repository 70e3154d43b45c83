//! A Hazard3 with a memory of its own, whose ports have the wait states of a program.

use crate::hazard3::program::{END, ENTRY, ERRORS, ERRORS_END, MEMORY, Program};
use intercore_sim::isa::hazard3::Core;
use intercore_sim::isa::hazard3::memo::Memo;
use intercore_sim::isa::hazard3::ports::{Access, Lines, Reply};
use std::fmt::Write as _;

/// Cycles of a program at most.
pub const LIMIT: u64 = 3000;

/// An instruction that was executed, or a step of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// In which cycle it left the stage that executes it.
    pub cycle: u64,
    pub pc: u32,
}

/// Addresses that the ports asked for in a cycle, and whether the access is a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requested {
    pub fetch: Option<u32>,
    pub access: Option<(u32, bool)>,
}

/// What a program came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub executed: Vec<Executed>,
    /// Of each cycle.
    pub requests: Vec<Requested>,
    /// At the end; none if the program did not come to it.
    pub registers: Option<[u32; 32]>,
    pub memory: Vec<u8>,
}

impl Run {
    /// Requests by cycle, then instructions, then registers, then a sum of the memory.
    pub fn trace(&self) -> String {
        let mut text = String::new();
        for (cycle, Requested { fetch, access }) in self.requests.iter().enumerate() {
            write!(text, "{cycle}").unwrap();
            match fetch {
                Some(at) => write!(text, " {at:x}").unwrap(),
                None => write!(text, " -").unwrap(),
            }
            match access {
                Some((at, writes)) => writeln!(text, " {}{at:x}", if *writes { "w" } else { "r" }).unwrap(),
                None => writeln!(text, " -").unwrap(),
            }
        }
        for executed in &self.executed {
            writeln!(text, "X {} {:x}", executed.cycle, executed.pc).unwrap();
        }
        for (number, value) in self.registers.iter().flatten().enumerate() {
            writeln!(text, "R {number} {value:x}").unwrap();
        }
        let words = self.memory.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
        let sum = words.fold(0_u32, |sum, word| sum.rotate_left(1).wrapping_add(word));
        writeln!(text, "M {sum:x}").unwrap();
        text
    }
}

/// A port of a memory: a transfer in its data phase.
struct Port<'a, T> {
    waits: &'a [u8],
    transfers: usize,
    left: u8,
    active: Option<T>,
    fails: bool,
}

impl<'a, T: Copy> Port<'a, T> {
    fn new(waits: &'a [u8]) -> Self {
        Self { waits, transfers: 0, left: 0, active: None, fails: false }
    }

    /// What is complete in this cycle; none if a transfer waits.
    fn is_ready(&self) -> bool {
        self.active.is_none() || self.left == 0
    }

    /// Whether it says that a transfer fails: in the last two cycles of it.
    fn says_error(&self) -> bool {
        self.active.is_some() && self.fails && self.left <= 1
    }

    fn clock(&mut self, request: Option<T>, address: u32) {
        if !self.is_ready() {
            self.left -= 1;
            return;
        }
        self.active = request;
        if request.is_some() {
            self.fails = (ERRORS..ERRORS_END).contains(&(address & (MEMORY as u32 - 1)));
            self.left = self.waits[self.transfers % self.waits.len()] + u8::from(self.fails);
            self.transfers += 1;
        }
    }
}

fn word(memory: &[u8], address: u32) -> u32 {
    let at = address as usize & (MEMORY - 4);
    u32::from_le_bytes(memory[at..at + 4].try_into().unwrap())
}

fn write(memory: &mut [u8], access: Access, value: u32) {
    let first = access.address as usize & (MEMORY - 1);
    let count = access.width.bytes() as usize;
    let lanes = value.to_le_bytes().into_iter().cycle().skip(first & 3);
    for (place, byte) in memory[first..first + count].iter_mut().zip(lanes) {
        *place = byte;
    }
}

/// Runs a program until it stores to its end, or for so many cycles.
pub fn run(program: &Program, limit: u64) -> Run {
    run_with(program, limit, None)
}

/// The same with what is known from other runs.
pub fn run_with(program: &Program, limit: u64, mut memo: Option<&mut Memo>) -> Run {
    let mut run = Run { memory: program.memory.clone(), ..Run::default() };
    let mut core = Core::new(0, ENTRY);
    let mut lines = Lines::default();
    let mut fetch: Port<u32> = Port::new(&program.waits[0]);
    let mut data: Port<Access> = Port::new(&program.waits[1]);
    let mut reserved = None;
    for cycle in 0..limit {
        if let Some(at) = program.lines.iter().find(|at| at.cycle == cycle) {
            lines = Lines { external: at.external, software: at.software, timer: at.timer, unblocked: false };
        }
        let fetched = Reply {
            ready: fetch.is_ready(),
            word: fetch.active.map_or(0, |at| word(&run.memory, at)),
            failed: fetch.says_error(),
            ..Reply::default()
        };
        let mut loaded = Reply { ready: data.is_ready(), failed: data.says_error(), ..Reply::default() };
        let mut is_over = false;
        if let Some(access) = data.active.filter(|_| loaded.ready && !loaded.failed) {
            loaded.word = word(&run.memory, access.address);
            let granule = access.address >> 4;
            match (access.is_exclusive, access.writes) {
                (true, false) => (reserved, loaded.exclusive) = (Some(granule), true),
                (true, true) => loaded.exclusive = reserved.take() == Some(granule),
                _ => {}
            }
            if access.writes && (!access.is_exclusive || loaded.exclusive) {
                write(&mut run.memory, access, core.stored());
            }
            is_over = access.writes && access.address == END;
        }
        let (request, executed) = if let Some(memo) = &mut memo {
            core.cycle(memo, &lines, fetched, loaded)
        } else {
            let begun = core.begin(&lines);
            let executed = core.end(begun.as_ref(), fetched, loaded, &lines);
            (begun.map(|begun| begun.request).unwrap_or_default(), executed)
        };
        let access = request.access.map(|access| (access.address, access.writes));
        run.requests.push(Requested { fetch: request.fetch.map(|(address, _)| address), access });
        if let Some((pc, _)) = executed {
            run.executed.push(Executed { cycle, pc });
        }
        let address = request.fetch.map(|(address, _)| address);
        fetch.clock(address, address.unwrap_or(0));
        data.clock(request.access, request.access.map_or(0, |access| access.address));
        if is_over {
            run.registers = Some(std::array::from_fn(|number| core.register(number)));
            break;
        }
    }
    run
}
