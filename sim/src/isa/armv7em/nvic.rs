//! The NVIC: pending, enabled and active exceptions, and their priorities (B1.5.4, B3.4).

use crate::core::bits::set_bits;
use crate::core::cortex_m::{HARD_FAULT, IRQ0, NMI, PEND_SV, SV_CALL, SYS_TICK};
use crate::isa::armv7em::exception::{BUS_FAULT, MEM_MANAGE, THREAD, USAGE_FAULT};

/// A set of exceptions by number: 16 of the system and up to 240 interrupts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Exceptions([u64; 4]);

impl Exceptions {
    pub(crate) fn has(&self, exception: u8) -> bool {
        self.0[exception as usize / 64] >> (exception % 64) & 1 != 0
    }

    pub(crate) fn put(&mut self, exception: u8, in_it: bool) {
        let bit = 1 << (exception % 64);
        let word = &mut self.0[exception as usize / 64];
        *word = if in_it { *word | bit } else { *word & !bit };
    }

    fn numbers(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().zip(0..).flat_map(|(word, index)| set_bits(word).map(move |bit| 64 * index + bit))
    }

    /// 32 interrupts as in a register of the NVIC.
    pub(crate) fn interrupts(&self, register: u32) -> u32 {
        let first = u32::from(IRQ0) + 32 * register;
        (0..32).filter(|bit| first + bit < 256 && self.has((first + bit) as u8)).fold(0, |word, bit| word | 1 << bit)
    }

    pub(crate) fn has_interrupts(&self) -> bool {
        self.0[0] >> IRQ0 != 0 || self.0[1..].iter().any(|&word| word != 0)
    }
}

/// One core's interrupt controller.
#[derive(Clone, Debug, Hash)]
pub struct Nvic {
    /// Number of interrupts.
    pub(crate) interrupts: u32,
    /// Implemented bits of a priority.
    priority_mask: u8,
    lines: Exceptions,
    pub(crate) pending: Exceptions,
    pub(crate) enabled: Exceptions,
    pub(crate) active: Exceptions,
    /// Priority bytes as in SHPR and IPR.
    pub(crate) priority: Vec<u8>,
    /// AIRCR.PRIGROUP.
    pub(crate) group: u32,
}

impl Nvic {
    pub(crate) fn new(interrupts: u32, priority_bits: u32) -> Self {
        let mut enabled = Exceptions::default();
        for exception in [NMI, HARD_FAULT, SV_CALL, PEND_SV, SYS_TICK] {
            enabled.put(exception, true);
        }
        Self {
            interrupts: interrupts.min(240),
            priority_mask: !(0xff_u16 >> priority_bits.clamp(3, 8)) as u8,
            lines: Exceptions::default(),
            pending: Exceptions::default(),
            enabled,
            active: Exceptions::default(),
            priority: vec![0; 256],
            group: 0,
        }
    }

    /// The NVIC after a reset: interrupts whose lines are high are pending.
    pub(crate) fn after_reset(&self) -> Self {
        let priority_bits = self.priority_mask.count_ones();
        Self { lines: self.lines, pending: self.lines, ..Self::new(self.interrupts, priority_bits) }
    }

    fn exists(&self, exception: u8) -> bool {
        u32::from(exception) < u32::from(IRQ0) + self.interrupts
    }

    /// The implemented bits of a priority.
    pub(crate) fn implemented(&self, priority: u8) -> u8 {
        priority & self.priority_mask
    }

    /// Sets the priority byte, if the exception exists and its priority is configurable.
    pub(crate) fn set_priority(&mut self, exception: u8, byte: u8) {
        let chosen = matches!(exception, MEM_MANAGE | BUS_FAULT | USAGE_FAULT | SV_CALL | 12 | PEND_SV | SYS_TICK);
        if chosen || exception >= IRQ0 && self.exists(exception) {
            self.priority[exception as usize] = self.implemented(byte);
        }
    }

    fn priority(&self, exception: u8) -> i16 {
        match exception {
            NMI => -2,
            HARD_FAULT => -1,
            other => i16::from(self.priority[other as usize]),
        }
    }

    /// The group priority, which decides preemption (B1.5.4).
    pub(crate) fn group_of(&self, priority: i16) -> i16 {
        if priority < 0 { priority } else { priority & !((2 << self.group) - 1) }
    }

    pub(crate) fn group_priority(&self, exception: u8) -> i16 {
        self.group_of(self.priority(exception))
    }

    /// Group priority of the most urgent active exception.
    pub(crate) fn active_priority(&self) -> i16 {
        self.active.numbers().map(|exception| self.group_priority(exception)).min().unwrap_or(THREAD)
    }

    pub(crate) fn active_count(&self) -> u32 {
        self.active.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The exception that preempts execution priority `below`: the pending one of highest priority including subpriority, the
    /// lowest number among equals.
    pub(crate) fn highest_pending(&self, below: i16) -> Option<u8> {
        let candidates = self.pending.numbers().filter(|&exception| self.enabled.has(exception));
        let best = candidates.min_by_key(|&exception| (self.priority(exception), exception))?;
        (self.group_priority(best) < below).then_some(best)
    }

    /// Enables or disables an exception, if it exists.
    pub(crate) fn enable(&mut self, exception: u8, enabled: bool) {
        self.enabled.put(exception, enabled && self.exists(exception));
    }

    /// Makes an exception pending. True if it was not pending before.
    pub(crate) fn pend(&mut self, exception: u8) -> bool {
        let new = self.exists(exception) && !self.pending.has(exception);
        if new {
            self.pending.put(exception, true);
        }
        new
    }

    /// Clears the pending state. An interrupt whose line is high stays pending (B3.4.1).
    pub(crate) fn unpend(&mut self, exception: u8) {
        self.pending.put(exception, self.lines.has(exception));
    }

    /// Sets the level of an interrupt line. True if its interrupt became pending.
    pub(crate) fn set_line(&mut self, number: u8, level: bool) -> bool {
        let exception = IRQ0.saturating_add(number);
        let rises = level && !self.lines.has(exception);
        self.lines.put(exception, level && self.exists(exception));
        rises && self.pend(exception)
    }

    pub(crate) fn activate(&mut self, exception: u8) {
        self.pending.put(exception, false);
        self.active.put(exception, true);
    }

    /// Deactivates an exception; an interrupt whose line is still high becomes pending again (B3.4.1).
    pub(crate) fn deactivate(&mut self, exception: u8) {
        self.active.put(exception, false);
        if self.lines.has(exception) {
            self.pend(exception);
        }
    }
}
