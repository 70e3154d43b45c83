//! Code for x86-64.
//!
//! RBX is the cores, RBP the context. R12 and R13 are where the entries of both cores' next routines are, from R10 on, each an offset
//! from R11. R14 is how many cycles there are left, R15 where address 0 would be. The lower half of R8 counts instructions of core 0, the
//! upper one those of core 1. From a routine of core 0 to that of core 1, ESI has the sum of all ports that were asked for, a bit each,
//! and EDI the union: where they differ, two managers ask for one port. RAX, RCX, RDX and R9 are free.

#![allow(clippy::useless_conversion, clippy::used_underscore_binding)] // what `dynasm!` becomes

mod compute;
mod frame;

use crate::core::access::Width;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::memo::{Control, Exit, Kind, Memo, State};
use crate::isa::hazard3::op::{Alu, Memory};
use crate::rp2350::bus::Fabric;
use crate::rp2350::bus::cache::Cache;
use crate::rp2350::bus::native::{Context, Data, HITS, Hit, Left, Place, Routine, Word};
use crate::rp2350::bus::port::{self, SRAM, SRAM_BYTES};
use crate::rp2350::peripherals::sio;
use dynasmrt::x64::Assembler;
use dynasmrt::{AssemblyOffset, DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
pub(super) use frame::Frame;
use std::mem::offset_of;

const FLASH_AT: i32 = offset_of!(Context, flash) as i32;
const LINES_AT: i32 = offset_of!(Context, lines) as i32;
const ONE_OF_CORE_1: i32 = offset_of!(Context, one_of_core_1) as i32;
const CLOCK: i32 = offset_of!(Context, clock) as i32;
const HITS_AT: i32 = offset_of!(Context, hits) as i32;
const HIT_COUNT: i32 = offset_of!(Context, hit_count) as i32;
const DATA: i32 = offset_of!(Context, data) as i32;
const LAST: i32 = offset_of!(Context, last) as i32;
const WATCHED: i32 = offset_of!(Context, watched) as i32;
const ADDRESS: i32 = offset_of!(Data, address) as i32;
const VALUE: i32 = offset_of!(Data, value) as i32;
const PORT: i32 = offset_of!(Data, port) as i32;
const PC: i32 = offset_of!(Data, pc) as i32;

/// The bit of an address of SRAM that is set in banks 8 and 9 only.
const SMALL_BANKS: i32 = 1 << 19;

const HIT_CORE: i32 = offset_of!(Hit, core) as i32;
const HIT_PC: i32 = offset_of!(Hit, pc) as i32;
const HIT_BITS: i8 = size_of::<Hit>().trailing_zeros() as i8;
// A hit is found by a shift.
const _: () = assert!(size_of::<Hit>().is_power_of_two() && offset_of!(Hit, left) == 0);

/// Makes the routine of a state.
pub(super) struct Translator<'a> {
    to: &'a mut Assembler,
    frame: &'a Frame,
    routine: Routine,
    state: &'a State,
    control: &'a Control,
    /// What is fetched, if that is complete.
    word: Option<Word>,
    leave: DynamicLabel,
    /// The instruction in X is watched; there are words that are watched.
    is_watched: bool,
    watches: bool,
}

impl<'a> Translator<'a> {
    /// Where the routine begins, and the numbers of states that it leads to. None if there cannot be one.
    pub fn make(
        to: &'a mut Assembler,
        frame: &'a Frame,
        memo: &'a Memo,
        routine: Routine,
        chip: &Fabric,
    ) -> Option<(AssemblyOffset, Vec<u32>)> {
        let (state, control) = memo.state(routine.state)?;
        let [fetch_waits, data_waits] = routine.waits;
        let is_absent = fetch_waits && control.fetching.is_none() || data_waits && !control.accessing;
        if is_absent || state.kind == Kind::Other {
            return None;
        }
        let word = match control.fetching {
            Some(address) if !fetch_waits => Some(chip.word(address)?),
            _ => None,
        };
        let value = word.as_ref().map_or(0, |word| word.value);
        let leave = frame.way_out(if routine.core == 0 { Left::Before } else { Left::BeforeCore1 });
        let (is_watched, watches) = (chip.watch.may_watch(state.pc), !chip.watch.accessed_filter().is_empty());
        let mut this = Self { to, frame, routine, state, control, word, leave, is_watched, watches };
        let ways = [false, true].map(|outcome| -> Vec<Exit> {
            let all = memo.exits(routine.state, outcome, routine.waits, value);
            all.filter(|exit| this.can_take(exit)).take(MOST_TARGETS).copied().collect()
        });
        if ways.iter().all(Vec::is_empty) {
            return None;
        }
        let start = this.to.offset();
        this.all(&ways);
        Some((start, ways.iter().flatten().map(|exit| exit.next).collect()))
    }

    /// Whether there can be code for an exit.
    fn can_take(&self, exit: &Exit) -> bool {
        let fetches = match exit.fetches() {
            Some(address) if !self.routine.waits[0] => port::of(address)
                .is_some_and(|slave| port::is_sram(slave) || port::is_external(slave) && super::is_cacheable(address)),
            _ => true,
        };
        let executes = match self.state.kind {
            Kind::Accesses => exit.executes() != self.routine.waits[1],
            Kind::Computes | Kind::Jumps | Kind::Divides => !exit.executes() || compute::is_known(self.state.alu),
            _ => true,
        };
        fetches && executes
    }

    fn all(&mut self, ways: &[Vec<Exit>; 2]) {
        let leave = self.leave;
        if let Some(Word { place, value }) = self.word {
            let value = value as i32;
            match place {
                Place::Sram(address) => {
                    dynasm!(self.to ; .arch x64 ; cmp DWORD [r15 + address], value);
                }
                Place::Flash(offset) => {
                    dynasm!(self.to ; .arch x64 ; mov rax, [rbp + FLASH_AT] ; cmp DWORD [rax + offset], value);
                }
            }
            dynasm!(self.to ; .arch x64 ; jne =>leave);
        }
        match self.state.kind {
            Kind::Branches => {
                self.operands();
                let holds = self.to.new_dynamic_label();
                match self.state.alu {
                    Alu::Sub => dynasm!(self.to ; .arch x64 ; cmp eax, ecx ; jne =>holds),
                    Alu::Slt => dynasm!(self.to ; .arch x64 ; cmp eax, ecx ; jl =>holds),
                    _ => dynasm!(self.to ; .arch x64 ; cmp eax, ecx ; jb =>holds),
                }
                self.outcomes(ways, holds);
            }
            Kind::Divides => {
                let is_negative = self.to.new_dynamic_label();
                self.operands();
                if matches!(self.state.alu, Alu::Div | Alu::Rem) {
                    dynasm!(self.to ; .arch x64 ; test eax, eax ; js =>is_negative);
                }
                self.outcomes(ways, is_negative);
            }
            Kind::Jumps => {
                let (base, offset) = (self.register(self.state.rs1), self.state.offset as i32);
                dynasm!(self.to ; .arch x64 ; mov eax, [rbx + base] ; add eax, offset ; and eax, -2);
                let targets: Vec<_> = ways[0].iter().map(|exit| (self.to.new_dynamic_label(), exit)).collect();
                for (label, exit) in &targets {
                    dynasm!(self.to ; .arch x64 ; cmp eax, exit.target as i32 ; je =>*label);
                }
                dynasm!(self.to ; .arch x64 ; jmp =>leave);
                for (label, exit) in targets {
                    dynasm!(self.to ; .arch x64 ; =>label);
                    self.way(exit);
                }
            }
            _ => self.way(&ways[0][0]),
        }
    }

    /// Both ways of an instruction, the second one for where it is branched to `holds`.
    fn outcomes(&mut self, ways: &[Vec<Exit>; 2], holds: DynamicLabel) {
        for (way, label) in ways.iter().zip([None, Some(holds)]) {
            if let Some(label) = label {
                dynasm!(self.to ; .arch x64 ; =>label);
            }
            if let Some(exit) = way.first() {
                self.way(exit);
            } else {
                let leave = self.leave;
                dynasm!(self.to ; .arch x64 ; jmp =>leave);
            }
        }
    }

    /// Where a register of the core is.
    fn register(&self, number: u8) -> i32 {
        (self.routine.core * size_of::<Core>() + Core::REGISTERS_AT) as i32 + 4 * i32::from(number & 31)
    }

    /// Where its access is.
    fn data(&self) -> i32 {
        DATA + (self.routine.core * size_of::<Data>()) as i32
    }

    /// Both operands, in EAX and ECX.
    fn operands(&mut self) {
        let State { from_pc, pc, has_immediate, immediate, rs1, rs2, .. } = *self.state;
        let (first, second) = (self.register(rs1), self.register(rs2));
        if from_pc {
            dynasm!(self.to ; .arch x64 ; mov eax, pc as i32);
        } else {
            dynasm!(self.to ; .arch x64 ; mov eax, [rbx + first]);
        }
        if has_immediate {
            dynasm!(self.to ; .arch x64 ; mov ecx, immediate as i32);
        } else {
            dynasm!(self.to ; .arch x64 ; mov ecx, [rbx + second]);
        }
    }

    /// A way that the core goes. Nothing has been changed before; it leaves, or nothing keeps it.
    fn way(&mut self, exit: &Exit) {
        let [fetch_waits, data_waits] = self.routine.waits;
        let asks = self.state.kind == Kind::Accesses && !data_waits;
        let fetch = if fetch_waits { None } else { exit.fetches() };
        if let Some(address) = fetch {
            self.check_cache(address);
        }
        let is_hit = self.is_watched && exit.executes();
        if is_hit {
            let leave = self.leave;
            dynasm!(self.to ; .arch x64 ; cmp DWORD [rbp + HIT_COUNT], HITS as i32 ; jae =>leave);
        }
        if asks {
            self.check_address();
        }
        if is_hit {
            self.record_hit();
        }
        self.complete();
        if exit.executes() && matches!(self.state.kind, Kind::Computes | Kind::Jumps | Kind::Divides) {
            let (state, rd) = (self.state, self.register(self.state.rd));
            if state.rd != 0 {
                self.operands();
                compute::compute(self.to, state.alu);
                dynasm!(self.to ; .arch x64 ; mov [rbx + rd], eax);
            }
        }
        if asks {
            self.ask();
        } else if data_waits {
            let at = self.data();
            dynasm!(self.to ; .arch x64 ; mov ecx, [rbp + at + PORT]);
        }
        if exit.executes() {
            if self.routine.core == 0 {
                dynasm!(self.to ; .arch x64 ; inc r8);
            } else {
                dynasm!(self.to ; .arch x64 ; add r8, [rbp + ONE_OF_CORE_1]);
            }
        }
        let fetched = if fetch_waits { self.control.fetching } else { fetch };
        self.end(exit.next, fetched, asks || data_waits);
    }

    /// The instruction in X is executed.
    fn record_hit(&mut self) {
        let (core, pc) = (self.routine.core as i32, self.state.pc as i32);
        dynasm!(self.to
            ; .arch x64
            ; mov eax, [rbp + HIT_COUNT]
            ; add DWORD [rbp + HIT_COUNT], 1
            ; shl eax, HIT_BITS
            ; add rax, [rbp + HITS_AT]
            ; mov [rax], r14
            ; mov DWORD [rax + HIT_CORE], core
            ; mov DWORD [rax + HIT_PC], pc
        );
    }

    /// Leaves if a word of flash is not in the cache as one that may be replaced.
    fn check_cache(&mut self, address: u32) {
        if !port::of(address).is_some_and(port::is_external) {
            return;
        }
        let (leave, hit) = (self.leave, self.to.new_dynamic_label());
        let ([one, other], line) = Cache::ways(address);
        dynasm!(self.to
            ; .arch x64
            ; mov rax, [rbp + LINES_AT]
            ; cmp DWORD [rax + one as i32], line as i32
            ; je =>hit
            ; cmp DWORD [rax + other as i32], line as i32
            ; jne =>leave
            ; =>hit
        );
    }

    /// The address of an access in R9D; leaves if it is misaligned, or not that of SRAM or a read of MTIME, or may be watched.
    fn check_address(&mut self) {
        let leave = self.leave;
        let State { from_pc, pc, rs1, offset, access, .. } = *self.state;
        let base = self.register(rs1);
        if from_pc {
            dynasm!(self.to ; .arch x64 ; mov r9d, pc as i32);
        } else {
            dynasm!(self.to ; .arch x64 ; mov r9d, [rbx + base]);
        }
        if offset != 0 {
            dynasm!(self.to ; .arch x64 ; add r9d, offset as i32);
        }
        let misaligned = access.width().misaligned() as i8;
        if misaligned != 0 {
            dynasm!(self.to ; .arch x64 ; test r9b, misaligned ; jnz =>leave);
        }
        let is_fit = self.to.new_dynamic_label();
        dynasm!(self.to ; .arch x64 ; lea eax, [r9 - SRAM as i32] ; cmp eax, SRAM_BYTES as i32);
        if access == Memory::Load(Width::Word) {
            let (halves, clock) = (!sio::MTIME_HALVES as i32, sio::MTIME_ADDRESS as i32);
            dynasm!(self.to
                ; .arch x64
                ; jb =>is_fit
                ; mov ecx, r9d
                ; and ecx, halves
                ; cmp ecx, clock
                ; jne =>leave
                ; cmp QWORD [rbp + CLOCK], 0
                ; je =>leave
            );
        } else {
            dynasm!(self.to ; .arch x64 ; jae =>leave);
        }
        dynasm!(self.to ; .arch x64 ; =>is_fit);
        if self.watches {
            let last_place = u64::BITS as i32 * 16 - 1;
            dynasm!(self.to
                ; .arch x64
                ; shr eax, 2
                ; and eax, last_place
                ; mov ecx, eax
                ; shr eax, 6
                ; mov rdx, [rbp + WATCHED]
                ; mov rax, [rdx + rax * 8]
                ; bt rax, rcx
                ; jc =>leave
            );
        }
    }

    /// Data phases that are complete.
    fn complete(&mut self) {
        let [_, data_waits] = self.routine.waits;
        let (core, at) = (self.routine.core as i8, self.data());
        if let (Some(address), Some(_)) = (self.control.fetching, &self.word)
            && let Some(slave) = port::of(address)
        {
            let last = LAST + i32::from(slave.0);
            dynasm!(self.to ; .arch x64 ; mov BYTE [rbp + last], 2 * core);
        }
        if !self.control.accessing || data_waits {
            return;
        }
        dynasm!(self.to
            ; .arch x64
            ; mov ecx, [rbp + at + PORT]
            ; mov edx, [rbp + at + ADDRESS]
            ; mov BYTE [rbp + rcx + LAST], 2 * core + 1
        );
        if let Memory::Store(width) = self.control.memory {
            dynasm!(self.to ; .arch x64 ; mov eax, [rbp + at + VALUE]);
            match width {
                Width::Word => dynasm!(self.to ; .arch x64 ; mov [r15 + rdx], eax),
                Width::Half | Width::SignedHalf => dynasm!(self.to ; .arch x64 ; mov [r15 + rdx], ax),
                Width::Byte | Width::SignedByte => dynasm!(self.to ; .arch x64 ; mov [r15 + rdx], al),
            }
        } else if let Some(width) = self.state.loads.filter(|_| self.state.loaded != 0) {
            match width {
                Width::Word => self.load_word(),
                Width::Half => dynasm!(self.to ; .arch x64 ; movzx eax, WORD [r15 + rdx]),
                Width::Byte => dynasm!(self.to ; .arch x64 ; movzx eax, BYTE [r15 + rdx]),
                Width::SignedHalf => dynasm!(self.to ; .arch x64 ; movsx eax, WORD [r15 + rdx]),
                Width::SignedByte => dynasm!(self.to ; .arch x64 ; movsx eax, BYTE [r15 + rdx]),
            }
            let loaded = self.register(self.state.loaded);
            dynasm!(self.to ; .arch x64 ; mov [rbx + loaded], eax);
        }
    }

    /// What is at the address in EDX, in EAX.
    fn load_word(&mut self) {
        let (of_clock, lower, done) =
            (self.to.new_dynamic_label(), self.to.new_dynamic_label(), self.to.new_dynamic_label());
        dynasm!(self.to
            ; .arch x64
            ; test edx, edx
            ; js =>of_clock
            ; mov eax, [r15 + rdx]
            ; jmp =>done
            ; =>of_clock
            ; mov rax, [rbp + CLOCK]
            ; sub rax, r14
            ; test dl, sio::MTIME_HALVES as i8
            ; jz =>lower
            ; shr rax, 32
            ; =>lower
            ; =>done
        );
    }

    /// Asks for the access at the address in R9D. Its port in ECX.
    fn ask(&mut self) {
        let (at, pc) = (self.data(), self.state.pc as i32);
        let (small, found) = (self.to.new_dynamic_label(), self.to.new_dynamic_label());
        let of_clock = self.to.new_dynamic_label();
        let clock = i32::from(port::SIO.0) + self.routine.core as i32;
        let first = i32::from(port::SRAM0.0);
        let eighth = i32::from(port::SRAM8.0);
        dynasm!(self.to
            ; .arch x64
            ; mov [rbp + at + ADDRESS], r9d
            ; mov DWORD [rbp + at + PC], pc
            ; test r9d, r9d
            ; js =>of_clock
            ; mov edx, r9d
            ; mov ecx, r9d
            ; test r9d, SMALL_BANKS
            ; jnz =>small
            ; shr edx, 16
            ; shr ecx, 2
            ; and edx, 4
            ; and ecx, 3
            ; lea ecx, [rcx + rdx + first]
            ; jmp =>found
            ; =>small
            ; shr ecx, 12
            ; and ecx, 1
            ; add ecx, eighth
            ; jmp =>found
            ; =>of_clock
            ; mov ecx, clock
            ; =>found
            ; mov [rbp + at + PORT], ecx
        );
        let stored = self.register(self.state.rs2);
        if self.state.rs2 == 0 {
            dynasm!(self.to ; .arch x64 ; mov DWORD [rbp + at + VALUE], 0);
        } else {
            dynasm!(self.to ; .arch x64 ; mov eax, [rbx + stored] ; mov [rbp + at + VALUE], eax);
        }
    }

    /// The next state, and what is asked for: the port of a word of code, and that in ECX.
    fn end(&mut self, next: u32, fetched: Option<u32>, accesses: bool) {
        let core = self.routine.core;
        let next = Routine { core, state: next, waits: [false; 2] }.offset() as i32;
        let port = fetched.and_then(port::of).map_or(0, |slave| 1 << slave.0);
        let next_of_core = [12, 13][core];
        dynasm!(self.to ; .arch x64 ; mov Rd(next_of_core), next);
        if accesses {
            dynasm!(self.to ; .arch x64 ; xor edx, edx ; bts edx, ecx);
        }
        match (core, accesses) {
            (0, true) => dynasm!(self.to ; .arch x64 ; lea esi, [rdx + port] ; mov edi, edx ; or edi, port),
            (0, false) => dynasm!(self.to ; .arch x64 ; mov esi, port ; mov edi, port),
            (_, true) => dynasm!(self.to ; .arch x64 ; lea eax, [rsi + rdx + port] ; or edi, edx ; or edi, port),
            (_, false) => dynasm!(self.to ; .arch x64 ; lea eax, [rsi + port] ; or edi, port),
        }
        self.frame.end_of_part(self.to, core);
    }
}

/// Targets of a jump by a register that are looked for.
const MOST_TARGETS: usize = 8;
