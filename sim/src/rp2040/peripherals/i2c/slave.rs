//! A block as a slave (datasheet 4.3.2.2, 4.3.10.1): it answers a master on the other block, if wires connect both lines.

use super::master::Step;
use super::{
    ABRT_SLVFLUSH_TXFIFO, ACTIVITY, CON_MASTER, CON_SLAVE_DISABLE, FIFO_DEPTH, I2c, RD_REQ, RESTART_DET, RX_DONE,
    START_DET, STOP_DET, TX_ABRT, TX_FLUSH_CNT_SHIFT,
};
use crate::rp2040::peripherals::{Context, Peripherals};

/// `FUNCSEL` of the lines: even pins are SDA, odd ones SCL; two pins are of I2C0, the next two of I2C1 (2.19.2).
const FUNCTION: u32 = 3;
/// `CON` bits: `STOP_DET` only if this slave was addressed; SCL is held low while the receive FIFO is full.
const STOP_DET_IF_ADDRESSED: u32 = 1 << 7;
const HOLD_IF_FULL: u32 = 1 << 9;

/// What a master wants of a slave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Acknowledges this address, before a transfer in this direction.
    Address {
        /// 7 bits.
        address: u32,
        /// The master reads.
        reads: bool,
    },
    /// Takes this byte.
    Write(u8),
    /// Sends a byte.
    Read,
}

/// What the slave does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Acknowledges,
    Refuses,
    Sends(u8),
}

/// What a slave knows of the transfer under way.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Role {
    addressed: bool,
    /// `RD_REQ` was raised for the byte that the master waits for.
    requested: bool,
}

impl Role {
    /// Whether a master has addressed it.
    pub(super) fn is_addressed(self) -> bool {
        self.addressed
    }
}

impl I2c {
    fn is_slave(&self) -> bool {
        self.is_enabled() && self.con & (CON_MASTER | CON_SLAVE_DISABLE) == 0
    }

    /// What happens on the lines. That a restart counts only for a slave that was addressed is 4.3.17, `RESTART_DET`.
    fn hear(&mut self, events: u32) {
        if !self.is_slave() {
            return;
        }
        if events & START_DET != 0 {
            self.latched |= START_DET | if self.role.addressed { RESTART_DET } else { 0 };
        }
        if self.role.addressed {
            self.latched |= events & RX_DONE;
        }
        if events & STOP_DET != 0 {
            if self.role.addressed || self.con & STOP_DET_IF_ADDRESSED == 0 {
                self.latched |= STOP_DET;
            }
            self.role = Role::default();
        }
    }

    /// None while it holds SCL low.
    fn answer(&mut self, question: Question) -> Option<Answer> {
        match question {
            Question::Address { address, reads } => {
                self.role = Role { addressed: self.is_slave() && self.sar & 0x7f == address, requested: false };
                if !self.role.addressed {
                    return Some(Answer::Refuses);
                }
                self.has_first = false;
                self.latched |= ACTIVITY;
                if reads {
                    self.flush();
                }
                Some(Answer::Acknowledges)
            }
            Question::Write(_) if !self.role.addressed => Some(Answer::Refuses),
            Question::Write(_) if self.rx.len() == FIFO_DEPTH && self.con & HOLD_IF_FULL != 0 => None,
            Question::Write(byte) => {
                self.receive(byte);
                Some(Answer::Acknowledges)
            }
            // Nobody drives SDA.
            Question::Read if !self.role.addressed => Some(Answer::Sends(u8::MAX)),
            Question::Read => {
                let byte = self.tx.pop_front();
                if byte.is_none() && !self.role.requested {
                    self.latched |= RD_REQ;
                }
                self.role.requested = byte.is_none();
                byte.map(|byte| Answer::Sends(byte as u8))
            }
        }
    }

    /// Of what was written before the master asked, nothing is sent (4.3.10.1.2).
    fn flush(&mut self) {
        if !self.tx.is_empty() {
            self.abort_source |= ABRT_SLVFLUSH_TXFIFO | (self.tx.len() as u32) << TX_FLUSH_CNT_SHIFT;
            self.latched |= TX_ABRT;
            self.tx.clear();
        }
    }
}

fn talk(master: &mut I2c, slave: &mut I2c, context: &mut Context<'_>) {
    loop {
        slave.hear(std::mem::take(&mut master.unheard));
        let Step::Asks(question, command) = master.step else { break };
        let Some(answer) = slave.answer(question) else { break };
        master.answered(question, command, answer, context.now);
    }
    master.set_line(context);
    slave.set_line(context);
}

impl Peripherals {
    /// Lets a master on one block and a slave on the other one talk.
    pub(in crate::rp2040::peripherals) fn exchange_i2c(&mut self, context: &mut Context<'_>) {
        let [zero, one] = &mut self.i2cs;
        if zero.wired {
            talk(zero, one, context);
            talk(one, zero, context);
        }
    }

    /// Finds out whether wires connect both lines of the blocks.
    pub(in crate::rp2040::peripherals) fn connect_i2c(&mut self) {
        let pins = |number: usize, line: usize| {
            let pins = (0..30).filter(|pin| pin % 2 == line && pin / 2 % 2 == number);
            pins.filter(|&pin| self.io_bank0.control(pin) & 0x1f == FUNCTION).fold(0, |pins, pin| pins | 1 << pin)
        };
        let wired = (0..2).all(|line| self.pads().joined(pins(0, line)) & pins(1, line) != 0);
        for i2c in &mut self.i2cs {
            i2c.wired = wired;
        }
    }
}
