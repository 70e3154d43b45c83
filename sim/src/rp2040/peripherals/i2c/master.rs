//! A block as a master (datasheet 4.3.2.1, 4.3.10.2): it carries out the commands of its transmit FIFO, one after the other.

use super::slave::{Answer, Question};
use super::{
    ABRT_7B_ADDR_NOACK, ABRT_GCALL_NOACK, ABRT_TXDATA_NOACK, ACTIVITY, CMD_READ, CMD_RESTART, CMD_STOP, CON_MASTER,
    CON_SPEED_STANDARD, I2c, RESTART_DET, RX_DONE, START_DET, STOP_DET, TX_ABRT, TX_FLUSH_CNT_SHIFT,
};
use crate::core::time::Cycle;

/// Periods of SCL of a byte and its acknowledgement; of a start; of a stop and the time that the bus is free after it.
const BYTE: u64 = 9;
const START: u64 = 1;
const STOP: u64 = 1;
/// Cycles by which SCL is longer high, besides `FS_SPKLEN`, and longer low than its counts say (4.3.14.2).
const HIGH_MORE: u64 = 7;
const LOW_MORE: u64 = 1;

/// What the bus is doing; it ends in the cycle `I2c::until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Nobody has the bus.
    Free,
    /// A start or a restart, and the address behind it, for this command.
    Address(u32),
    /// A byte, for this command.
    Byte(u32),
    /// The slave at the other end of the wires has to answer, for this command; until it does, it holds SCL low.
    Asks(Question, u32),
    /// SCL is held low: there is no command.
    Held,
    /// A stop, and the time that the bus is free after it.
    Stop,
}

/// Who answers a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Answering {
    Device(usize),
    Wired,
}

impl I2c {
    pub(super) fn is_master(&self) -> bool {
        self.con & CON_MASTER != 0
    }

    /// Cycles of `clk_sys` in a period of SCL (4.3.14.2).
    fn period(&self) -> u64 {
        let fast = usize::from(self.con >> 1 & 3 != CON_SPEED_STANDARD);
        let [high, low] = [self.counts[2 * fast], self.counts[2 * fast + 1]].map(u64::from);
        high + u64::from(self.spike) + HIGH_MORE + low + LOW_MORE
    }

    fn begin(&mut self, step: Step, periods: u64, now: Cycle) {
        self.step = step;
        self.until = now.saturating_add(periods * self.period());
    }

    /// Takes the next command, if the bus is free or held.
    pub(super) fn next_command(&mut self, now: Cycle) {
        if !matches!(self.step, Step::Free | Step::Held) || !self.is_enabled() || !self.is_master() {
            return;
        }
        let Some(command) = self.tx.pop_front() else { return };
        let turns = self.step == Step::Held && (command & CMD_READ != 0) != self.reads;
        let restarts = self.step == Step::Held && (command & CMD_RESTART != 0 || turns);
        if self.step == Step::Held && !restarts {
            return self.begin_byte(command, now);
        }
        // A byte that it has read it acknowledges only if it reads on (4.3.17, `RX_DONE`).
        self.unheard |= START_DET | if restarts && self.reads { RX_DONE } else { 0 };
        self.latched |= ACTIVITY | START_DET | if restarts { RESTART_DET } else { 0 };
        self.reads = command & CMD_READ != 0;
        self.has_first = false;
        self.begin(Step::Address(command), START + BYTE, now);
    }

    /// Gives up with this reason, and drops what is in the FIFOs.
    pub(super) fn abort(&mut self, source: u32, now: Cycle) {
        self.abort_source |= source | (self.tx.len() as u32) << TX_FLUSH_CNT_SHIFT;
        self.latched |= TX_ABRT;
        self.tx.clear();
        self.rx.clear();
        self.begin(Step::Stop, STOP, now);
    }

    /// The address is on the bus: who answers.
    fn addressed(&mut self, command: u32, now: Cycle) {
        let address = self.tar & 0x7f;
        match self.devices.iter().position(|device| u32::from(device.address()) == address) {
            Some(device) => {
                self.answering = Some(Answering::Device(device));
                self.devices[device].start();
                self.begin_byte(command, now);
            }
            None if self.wired => {
                self.step = Step::Asks(Question::Address { address, reads: self.reads }, command);
            }
            None => self.abort(if address == 0 { ABRT_GCALL_NOACK } else { ABRT_7B_ADDR_NOACK }, now),
        }
    }

    fn begin_byte(&mut self, command: u32, now: Cycle) {
        if self.answering == Some(Answering::Wired) && command & CMD_READ != 0 {
            self.step = Step::Asks(Question::Read, command);
        } else {
            self.begin(Step::Byte(command), BYTE, now);
        }
    }

    /// The byte of a command is over the bus.
    fn transferred(&mut self, command: u32, now: Cycle) {
        let (byte, reads) = (command as u8, command & CMD_READ != 0);
        let received = match self.answering {
            Some(Answering::Wired) if !reads => {
                self.step = Step::Asks(Question::Write(byte), command);
                return;
            }
            Some(Answering::Wired) => self.incoming,
            Some(Answering::Device(device)) if reads => self.devices[device].read(),
            Some(Answering::Device(device)) => {
                self.devices[device].write(byte);
                0
            }
            None => 0,
        };
        if reads {
            self.receive(received);
        }
        self.end_byte(command, now);
    }

    /// A byte and its acknowledgement are over.
    fn end_byte(&mut self, command: u32, now: Cycle) {
        if command & CMD_STOP != 0 && command & CMD_READ != 0 {
            self.unheard |= RX_DONE;
        }
        if command & CMD_STOP != 0 {
            self.begin(Step::Stop, STOP, now);
        } else {
            self.step = Step::Held;
        }
    }

    /// Does all that is due by cycle `now`.
    pub(super) fn run(&mut self, now: Cycle) {
        loop {
            let at = self.until;
            match self.step {
                Step::Address(command) if at <= now => self.addressed(command, at),
                Step::Byte(command) if at <= now => self.transferred(command, at),
                Step::Stop if at <= now => {
                    self.latched |= STOP_DET;
                    self.unheard |= STOP_DET;
                    self.step = Step::Free;
                }
                _ => return,
            }
            self.next_command(at);
        }
    }

    /// Whether it works on a command.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.step, Step::Address(_) | Step::Byte(_) | Step::Asks(..))
    }

    /// What becomes of a command that a slave had to answer.
    pub(super) fn answered(&mut self, question: Question, command: u32, answer: Answer, now: Cycle) {
        match (question, answer) {
            (Question::Address { .. }, Answer::Refuses) => self.abort(ABRT_7B_ADDR_NOACK, now),
            (_, Answer::Refuses) => self.abort(ABRT_TXDATA_NOACK, now),
            (_, Answer::Sends(byte)) => {
                self.incoming = byte;
                self.begin(Step::Byte(command), BYTE, now);
            }
            (Question::Address { .. }, Answer::Acknowledges) => {
                self.answering = Some(Answering::Wired);
                self.begin_byte(command, now);
            }
            (_, Answer::Acknowledges) => {
                self.end_byte(command, now);
                self.next_command(now);
            }
        }
    }
}
