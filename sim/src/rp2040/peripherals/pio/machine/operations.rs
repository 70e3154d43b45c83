//! What instructions do (datasheet 3.4).

use super::{Assertion, RXSTALL, Stall, StateMachine, TXSTALL};
use crate::rp2040::peripherals::pio::instruction::Instruction;
use crate::rp2040::peripherals::pio::setup::{Settings, op};
use crate::rp2040::peripherals::pio::shared::Shared;

/// What became of an instruction.
pub(super) enum Outcome {
    Done,
    Jump(u32),
    Exec(u32),
    Stalls(Stall),
}

impl StateMachine {
    /// Carries out an instruction, or finds that it stalls.
    #[inline(always)]
    pub(super) fn execute(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        match u16::from(instruction.operation) {
            op::JMP => self.jump(instruction, settings, shared),
            op::WAIT => wait(instruction, shared),
            op::IN => self.shift_in(instruction, settings, shared),
            op::OUT => self.shift_out(instruction, settings, shared),
            op::PUSH_PULL if instruction.operand & 4 == 0 => self.push(instruction, settings, shared),
            op::PUSH_PULL => self.pull(instruction, settings, shared),
            op::MOV => self.mov(instruction, settings, shared),
            op::IRQ => self.irq(instruction, shared),
            _ => self.set(instruction, settings, shared),
        }
    }

    #[inline(always)]
    fn jump(&mut self, instruction: &Instruction, settings: &Settings, shared: &Shared) -> Outcome {
        let taken = match instruction.operand {
            0 => true,
            1 => self.x == 0,
            2 => {
                self.x = self.x.wrapping_sub(1);
                self.x != u32::MAX
            }
            3 => self.y == 0,
            4 => {
                self.y = self.y.wrapping_sub(1);
                self.y != u32::MAX
            }
            5 => self.x != self.y,
            6 => shared.input & instruction.mask != 0,
            _ => self.osr_count < settings.pull_threshold,
        };
        if taken { Outcome::Jump(u32::from(instruction.word)) } else { Outcome::Done }
    }

    #[inline(always)]
    fn shift_in(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        let bits = instruction.bits;
        let count = (self.isr_count + bits).min(32);
        let pushes = settings.autopush && count >= settings.push_threshold;
        if pushes && self.rx.is_full() {
            shared.fdebug |= RXSTALL << self.number;
            return Outcome::Stalls(Stall::Fifo);
        }
        let source = match instruction.operand {
            0 => shared.input.rotate_right(settings.in_base),
            1 => self.x,
            2 => self.y,
            6 => self.isr,
            7 => self.osr,
            _ => 0,
        };
        let data = u64::from(source & instruction.mask);
        let isr = u64::from(self.isr);
        // Shifting to the right, data enters from the left (3.2.3.3).
        let shifted = if settings.in_shifts_right { isr >> bits | data << (32 - bits) } else { isr << bits | data };
        self.isr = shifted as u32;
        self.isr_count = count;
        if pushes {
            self.push_isr(shared);
        }
        Outcome::Done
    }

    #[inline(always)]
    fn push_isr(&mut self, shared: &mut Shared) {
        self.rx.push(self.isr);
        (self.isr, self.isr_count) = (0, 0);
        shared.moved |= 1 << self.number;
    }

    #[inline(always)]
    fn shift_out(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        if self.wants_refill(settings) {
            if self.tx.is_empty() {
                shared.fdebug |= TXSTALL << self.number;
                return Outcome::Stalls(Stall::Fifo);
            }
            // It cannot fill the OSR and shift out of it in one cycle (3.5.4.2).
            self.pull_osr(shared);
            return Outcome::Stalls(Stall::Cycle);
        }
        let bits = instruction.bits;
        let osr = u64::from(self.osr);
        let data = if settings.out_shifts_right {
            self.osr = (osr >> bits) as u32;
            osr as u32 & instruction.mask
        } else {
            self.osr = (osr << bits) as u32;
            (osr >> (32 - bits)) as u32
        };
        self.osr_count = (self.osr_count + bits).min(32);
        let destination = instruction.operand;
        match destination {
            0 | 4 => {
                if settings.inline_out_en && data >> settings.out_en_sel & 1 == 0 {
                    // What others assert shows again.
                    self.asserted = Assertion::default();
                    shared.wrote_pins = true;
                } else {
                    self.write_pins(settings.out_pins, data.rotate_left(settings.out_base), destination == 4, shared);
                }
            }
            1 => self.x = data,
            2 => self.y = data,
            5 => return Outcome::Jump(data),
            6 => (self.isr, self.isr_count) = (data, bits),
            7 => return Outcome::Exec(data),
            _ => {}
        }
        Outcome::Done
    }

    #[inline(always)]
    fn push(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        let (if_full, block) = (instruction.operand & 2 != 0, instruction.operand & 1 != 0);
        if if_full && self.isr_count < settings.push_threshold {
            return Outcome::Done;
        }
        if self.rx.is_full() {
            shared.fdebug |= RXSTALL << self.number;
            if block {
                return Outcome::Stalls(Stall::Fifo);
            }
            (self.isr, self.isr_count) = (0, 0);
            return Outcome::Done;
        }
        self.push_isr(shared);
        Outcome::Done
    }

    #[inline(always)]
    fn pull(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        let (if_empty, block) = (instruction.operand & 2 != 0, instruction.operand & 1 != 0);
        let is_enough = if_empty && self.osr_count < settings.pull_threshold;
        // With autopull, it is only a fence (3.5.4.2). That the OSR is full if nothing was shifted out is an assumption.
        if is_enough || (settings.autopull && self.osr_count == 0) {
            return Outcome::Done;
        }
        if !self.tx.is_empty() {
            self.pull_osr(shared);
        } else if block {
            shared.fdebug |= TXSTALL << self.number;
            return Outcome::Stalls(Stall::Fifo);
        } else {
            (self.osr, self.osr_count) = (self.x, 0);
        }
        Outcome::Done
    }

    #[inline(always)]
    fn pull_osr(&mut self, shared: &mut Shared) {
        (self.osr, self.osr_count) = (self.tx.pop(), 0);
        shared.moved |= 1 << self.number;
    }

    /// Its OSR is empty, and is to be filled from the FIFO.
    #[inline]
    fn wants_refill(&self, settings: &Settings) -> bool {
        settings.autopull && self.osr_count >= settings.pull_threshold
    }

    /// Autopull in the background (3.5.4.2).
    #[inline]
    pub(super) fn refill(&mut self, settings: &Settings, shared: &mut Shared) {
        if self.wants_refill(settings) && !self.tx.is_empty() {
            self.pull_osr(shared);
        }
    }

    #[inline(always)]
    fn mov(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        let source = match instruction.word & 7 {
            0 => shared.input.rotate_right(settings.in_base),
            1 => self.x,
            2 => self.y,
            5 => {
                let level = if settings.status_of_rx { self.rx.len() } else { self.tx.len() };
                if level < settings.status_n { u32::MAX } else { 0 }
            }
            6 => self.isr,
            7 => self.osr,
            _ => 0,
        };
        let data = match instruction.word >> 3 & 3 {
            1 => !source,
            2 => source.reverse_bits(),
            _ => source,
        };
        match instruction.operand {
            0 => self.write_pins(settings.out_pins, data.rotate_left(settings.out_base), false, shared),
            1 => self.x = data,
            2 => self.y = data,
            4 => return Outcome::Exec(data),
            5 => return Outcome::Jump(data),
            6 => (self.isr, self.isr_count) = (data, 0),
            7 => (self.osr, self.osr_count) = (data, 0),
            _ => {}
        }
        Outcome::Done
    }

    #[inline(always)]
    fn irq(&mut self, instruction: &Instruction, shared: &mut Shared) -> Outcome {
        let flag = instruction.flag;
        let waits = instruction.operand & 1 != 0;
        if instruction.operand & 2 != 0 {
            shared.lowered |= flag;
        } else if !self.raised_flag {
            shared.raised |= flag;
            if waits {
                self.raised_flag = true;
                return Outcome::Stalls(Stall::Cycle);
            }
        } else if shared.irq & flag != 0 {
            return Outcome::Stalls(Stall::Irq);
        }
        Outcome::Done
    }

    #[inline(always)]
    fn set(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) -> Outcome {
        let data = u32::from(instruction.word & 31);
        let destination = instruction.operand;
        match destination {
            0 | 4 => self.write_pins(settings.set_pins, data.rotate_left(settings.set_base), destination == 4, shared),
            1 => self.x = data,
            2 => self.y = data,
            _ => {}
        }
        Outcome::Done
    }

    #[inline(always)]
    fn write_pins(&mut self, pins: u32, data: u32, dirs: bool, shared: &mut Shared) {
        self.asserted = Assertion { pins, data, dirs };
        shared.drive(pins, data, dirs);
        shared.wrote_pins = true;
    }
}

/// WAIT (3.4.4).
#[inline(always)]
fn wait(instruction: &Instruction, shared: &mut Shared) -> Outcome {
    let polarity = instruction.operand & 4 != 0;
    let (level, stall) = match instruction.operand & 3 {
        0 | 1 => (shared.input & instruction.mask != 0, Stall::Pins),
        2 => (shared.irq & instruction.flag != 0, Stall::Irq),
        // Reserved: nothing is ever 1 there.
        _ => (false, Stall::Fifo),
    };
    if level != polarity {
        return Outcome::Stalls(stall);
    }
    if stall == Stall::Irq && polarity {
        shared.lowered |= instruction.flag;
    }
    Outcome::Done
}
