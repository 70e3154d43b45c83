//! Cycles, and who asks whom in them: what `PeerPolicy` does for a fast run.

use crate::core::bus::Slave;
use crate::engine::contended_sets::ContendedSets;
use crate::engine::grant_log::{NO_SLAVE, SLAVES};
use crate::isa::armv6m::native::x86_64::trace::AskedAddress;
use crate::isa::armv6m::native::x86_64::{
    BlockPosition, CONTENDED, CONTENDED_NUMBER, COUNTS, END, LAST_GRANTED, LAST_REQUESTED, LIMIT, LOST,
    PREVIOUS_REQUEST, QUANTUM, REQUESTED, RequestedSlave, SPECULATIVE_LOST, Translator,
};
use crate::isa::armv6m::native::{ContendedContext, Role};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

impl Translator<'_> {
    pub(crate) fn idle(&mut self, cycles: u32) {
        for _ in 0..cycles {
            self.fetch(Slave::INTERNAL, 0);
        }
    }

    /// The last cycle of an instruction, in which the word at an address is asked for if it is due.
    pub(crate) fn fetch(&mut self, slave: Slave, address: u32) {
        if slave == Slave::INTERNAL {
            if self.role == Role::Speculative {
                let at = REQUESTED + self.at.cycle;
                dynasm!(self.to ; .arch x64 ; mov BYTE [rbp + rcx + at], NO_SLAVE as i8);
            }
            self.at.cycle += 1;
            return;
        }
        if slave == self.context.layout.flash_slave {
            self.at.hits += 1;
        }
        self.request(RequestedSlave::Known(slave.0), AskedAddress::Known(address));
        if slave == self.context.layout.flash_slave {
            self.note_read(address);
        }
    }

    /// A word of flash was read: that is noted if it is one of a contended set. Changes RAX.
    pub(crate) fn note_read(&mut self, address: u32) {
        let Some(number) = self.context.contended_set(address) else { return };
        let (last, after) = (CONTENDED + ContendedSets::offset(self.role, number) as i32, self.at.cycle);
        dynasm!(self.to
            ; .arch x64
            ; lea eax, [rcx + after]
            ; mov [rbp + last], eax
            ; mov DWORD [rbp + last + 4], address as i32
        );
    }

    /// The same of the word whose address is in RSI. Changes RAX and RDI.
    pub(crate) fn note_read_at_rsi(&mut self) {
        let Some(ContendedContext { line_bytes, sets, .. }) = self.context.contended else { return };
        let (last, after) = (CONTENDED + ContendedSets::offset(self.role, 0) as i32, self.at.cycle);
        let (line, sets) = (line_bytes.trailing_zeros() as i8, sets as i32 - 1);
        dynasm!(self.to
            ; .arch x64
            ; mov edi, esi
            ; shr edi, line
            ; and edi, sets
            ; movzx edi, BYTE [rbp + rdi + CONTENDED_NUMBER]
            ; lea eax, [rcx + after]
            ; mov [rbp + rdi * 8 + last], eax
            ; mov [rbp + rdi * 8 + last + 4], esi
        );
    }

    /// The speculative core is about to read a word of flash that is known to be most recently used, or in a contended set: that is
    /// noted at an offset from RDI. Changes RAX.
    pub(crate) fn note_mru_at_rdi(&mut self, offset: i32) {
        if self.role != Role::Speculative {
            return;
        }
        dynasm!(self.to ; .arch x64 ; mov eax, [rbp + QUANTUM]);
        if self.context.contended.is_some() {
            // What stands for a contended set is more than any quantum, and stays.
            dynasm!(self.to ; .arch x64 ; cmp eax, [rdi + offset] ; cmovb eax, [rdi + offset]);
        }
        dynasm!(self.to ; .arch x64 ; mov [rdi + offset], eax);
    }

    /// A cycle in which a slave is asked for. Changes RAX, and RDI if the slave is known.
    pub(crate) fn request(&mut self, asked: RequestedSlave, address: AskedAddress) {
        let cycle = self.at.cycle;
        if self.role == Role::Speculative {
            self.trace_request(address);
        }
        let (noted, before) = (REQUESTED + cycle, PREVIOUS_REQUEST + 2 * cycle);
        match (self.role, asked) {
            (Role::Speculative, RequestedSlave::Known(slave)) => {
                let last_requested = LAST_REQUESTED + 4 * i32::from(slave);
                dynasm!(self.to ; .arch x64 ; mov BYTE [rbp + rcx + noted], slave as i8);
                if let Some(last) = self.at.last_requested[usize::from(slave)] {
                    dynasm!(self.to ; .arch x64 ; lea eax, [rcx + last]);
                } else {
                    dynasm!(self.to ; .arch x64 ; mov eax, [rbp + last_requested]);
                }
                dynasm!(self.to ; .arch x64 ; mov WORD [rbp + rcx * 2 + before], ax);
                self.at.last_requested[usize::from(slave)] = Some(cycle);
            }
            // Only whether it was asked matters.
            (Role::Solo, RequestedSlave::Known(slave)) => self.at.last_requested[usize::from(slave)] = Some(cycle),
            (Role::Solo, RequestedSlave::NumberInRdi) => {
                dynasm!(self.to ; .arch x64 ; mov DWORD [rbp + rdi * 4 + LAST_REQUESTED], 1);
            }
            (Role::Speculative, RequestedSlave::NumberInRdi) => {
                dynasm!(self.to
                    ; .arch x64
                    ; mov BYTE [rbp + rcx + noted], dil
                    ; mov eax, [rbp + rdi * 4 + LAST_REQUESTED]
                    ; mov WORD [rbp + rcx * 2 + before], ax
                    ; lea eax, [rcx + cycle]
                    ; mov [rbp + rdi * 4 + LAST_REQUESTED], eax
                );
            }
            (Role::Replaying, asked) => {
                let back = self.to.new_dynamic_label();
                let label = self.cold_path(move |to| to.collide(asked, address, cycle, back));
                match asked {
                    RequestedSlave::Known(slave) => {
                        let last_granted = LAST_GRANTED + 4 * i32::from(slave);
                        dynasm!(self.to
                            ; .arch x64
                            ; cmp BYTE [rbp + rcx + noted], slave as i8
                            ; je =>label
                            ; lea eax, [rcx + cycle]
                            ; mov [rbp + last_granted], eax
                        );
                    }
                    RequestedSlave::NumberInRdi => dynasm!(self.to
                        ; .arch x64
                        ; cmp BYTE [rbp + rcx + noted], dil
                        ; je =>label
                        ; lea eax, [rcx + cycle]
                        ; mov [rbp + rdi * 4 + LAST_GRANTED], eax
                    ),
                }
                dynasm!(self.to ; .arch x64 ; =>back);
            }
        }
        self.at.cycle += 1;
    }

    /// The replaying core asks for what the speculative core asked for in that cycle: see `BusGrantLog::collide`.
    pub(crate) fn collide(&mut self, asked: RequestedSlave, address: AskedAddress, cycle: i32, back: DynamicLabel) {
        let (waits, ends) = (self.to.new_dynamic_label(), self.to.new_dynamic_label());
        let (before, noted, later) = (PREVIOUS_REQUEST + 2 * cycle, REQUESTED + cycle, cycle + 1);
        dynasm!(self.to ; .arch x64 ; movzx eax, WORD [rbp + rcx * 2 + before]);
        if let RequestedSlave::Known(slave) = asked {
            dynasm!(self.to ; .arch x64 ; mov edi, i32::from(slave));
        }
        dynasm!(self.to
            ; .arch x64
            ; cmp eax, [rbp + rdi * 4 + LAST_GRANTED]
            ; lea eax, [rcx + cycle]
            ; jb =>waits
            ; mov [rbp + rdi * 4 + LAST_GRANTED], eax
            ; jmp =>ends
            ; =>waits
            ; add DWORD [rbp + rdi * 4 + LOST], 1
        );
        self.trace_lost(cycle, false, (asked, address));
        dynasm!(self.to
            ; .arch x64
            ; lea eax, [rcx + later]
            ; mov [rbp + rdi * 4 + LAST_GRANTED], eax
            ; lea rcx, [rcx + 1]
            ; cmp BYTE [rbp + rcx + noted], dil
            ; jne =>back
            ; =>ends
            ; add DWORD [rbp + rdi * 4 + SPECULATIVE_LOST], 1
        );
        self.trace_lost(cycle, true, (asked, address));
        dynasm!(self.to
            ; .arch x64
            ; lea rcx, [rcx - 1]
            ; mov eax, [rbp + LIMIT]
            ; lea eax, [rax - 1]
            ; mov [rbp + LIMIT], eax
            ; cmp eax, [rbp + END]
            ; jae =>back
            ; mov [rbp + END], eax
            ; jmp =>back
        );
    }

    /// Puts into the log whom the speculative core last asked when. Changes RAX only.
    pub(crate) fn flush_last_requested(&mut self) {
        for slave in 0..SLAVES {
            if let Some(cycle) = self.at.last_requested[slave].take() {
                let last_requested = LAST_REQUESTED + 4 * slave as i32;
                dynasm!(self.to ; .arch x64 ; lea eax, [rcx + cycle] ; mov [rbp + last_requested], eax);
            }
        }
    }

    /// Puts into the log and RCX what the block did so far.
    pub(crate) fn flush_position(&mut self) {
        self.flush_last_requested();
        let BlockPosition { cycle, instructions, hits, .. } = std::mem::take(&mut self.at);
        if cycle != 0 {
            dynasm!(self.to ; .arch x64 ; lea ecx, [rcx + cycle]);
        }
        let counts = instructions << 16 | hits;
        if counts != 0 {
            dynasm!(self.to ; .arch x64 ; add DWORD [rbp + COUNTS], counts);
        }
    }
}
