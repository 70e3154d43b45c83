//! Cycles in which cores compute, and reach nothing but memory: all that need not be looked at by others.

use crate::core::access::merge;
use crate::core::time::Cycle;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::memo::{Memo, Step};
use crate::isa::hazard3::ports::{Access, Reply};
use crate::rp2350::bus::port::{self, SRAM};
use crate::rp2350::bus::transfer::{IDLE, NOWHERE, Transfer};
use crate::rp2350::bus::{Fabric, SRAM_WORDS};

impl Fabric {
    /// Cycles up to `until` in which those cores that run are on their way with nothing but memory behind their ports: how many, and
    /// how many instructions each of them executes. The next cycle is another one, and is to be gone through by `cycle`.
    pub fn cycles(&mut self, cores: &mut [Core; 2], runs: [bool; 2], now: Cycle, until: Cycle) -> (Cycle, [u64; 2]) {
        if (0..2).any(|number| runs[number] && !cores[number].is_on_its_way()) {
            return (0, [0; 2]);
        }
        let memo = std::mem::take(&mut self.memo);
        let done = match runs {
            [true, true] => self.cycles_of::<true, true>(cores, &memo, now, until),
            [true, false] => self.cycles_of::<true, false>(cores, &memo, now, until),
            [false, true] => self.cycles_of::<false, true>(cores, &memo, now, until),
            [false, false] => (0, [0; 2]),
        };
        self.memo = memo;
        for number in (0..2).filter(|&number| runs[number]) {
            cores[number].csrs.count(done.0, done.1[number]);
        }
        done
    }

    fn cycles_of<const ZERO: bool, const ONE: bool>(
        &mut self,
        [zero, one]: &mut [Core; 2],
        memo: &Memo,
        begin: Cycle,
        until: Cycle,
    ) -> (Cycle, [u64; 2]) {
        let watches = self.watch.watches_execution();
        let mut executed = [0; 2];
        let mut now = begin;
        while now < until && !self.stirred {
            if now < self.slow_until {
                let next = self.end_of_waits::<ZERO, ONE>([zero, one], memo, now, until);
                if next > now {
                    now = next;
                    continue;
                }
            }
            // All of a cycle, or nothing.
            let of_zero = if ZERO { self.foresee(0, zero, memo, now) } else { None };
            let of_one = if ONE { self.foresee(1, one, memo, now) } else { None };
            if of_zero.is_some() != ZERO || of_one.is_some() != ONE {
                break;
            }
            if let Some(foreseen) = of_zero {
                executed[0] += u64::from(self.take(0, zero, &foreseen, watches.then_some(now)));
            }
            if let Some(foreseen) = of_one {
                executed[1] += u64::from(self.take(1, one, &foreseen, watches.then_some(now)));
            }
            self.arbitrate(now);
            now += 1;
        }
        (now - begin, executed)
    }

    /// The cycle up to which cores do nothing because their ports have no answer.
    #[inline(never)]
    fn end_of_waits<const ZERO: bool, const ONE: bool>(
        &self,
        [zero, one]: [&Core; 2],
        memo: &Memo,
        now: Cycle,
        until: Cycle,
    ) -> Cycle {
        let is_idle = |port: usize| self.transfers[port].slave == IDLE;
        let waits = |number: usize, core: &Core| {
            self.foresee(number, core, memo, now).is_some_and(|(step, fetch, data)| {
                core.rests_with(&step)
                    && (!fetch.ready || is_idle(2 * number) && step.fetch().is_none())
                    && (!data.ready || is_idle(2 * number + 1) && step.access().is_none())
            })
        };
        // Who waits for a port loses that cycle to another manager.
        if self.waiting != 0 || ZERO && !waits(0, zero) || ONE && !waits(1, one) {
            return now;
        }
        self.transfers
            .iter()
            .map(|transfer| transfer.ends)
            .filter(|&ends| ends > now)
            .min()
            .map_or(now, |ends| ends.min(until))
    }

    /// What a core does in a cycle, and what its ports answer.
    #[inline(always)]
    fn foresee<'a>(&self, number: usize, core: &Core, memo: &'a Memo, now: Cycle) -> Option<(Step<'a>, Reply, Reply)> {
        let fetch = self.quick_reply(2 * number, now)?;
        let data = self.quick_reply(2 * number + 1, now)?;
        Some((core.foresee(memo, fetch, data).ok()?, fetch, data))
    }

    /// A core does that, and whether it executes an instruction. That is recorded if it is watched.
    #[inline(always)]
    fn take(
        &mut self,
        number: usize,
        core: &mut Core,
        (step, fetch, data): &(Step<'_>, Reply, Reply),
        watched_at: Option<Cycle>,
    ) -> bool {
        let access = self.transfers[2 * number + 1].access;
        if data.ready && access.writes {
            let word = &mut self.sram[(access.address.wrapping_sub(SRAM)) as usize / 4 % SRAM_WORDS];
            *word = merge(*word, access.address, access.width, core.stored());
            self.stirred |= self.monitor.store(number, access.address);
        }
        let executed = core.take(step, *data);
        if let (Some(now), Some((pc, _))) = (watched_at, executed)
            && self.watch.may_watch(pc)
        {
            self.watch.record_execution(now, number as u8, pc);
        }
        if fetch.ready {
            self.waiting |= u32::from(self.transfers[2 * number].fetch(step.fetch())) << (2 * number);
        }
        if data.ready {
            self.waiting |=
                u32::from(self.transfers[2 * number + 1].access(step.access(), step.pc())) << (2 * number + 1);
        }
        executed.is_some()
    }

    /// What a manager's port answers, if there is nothing behind it but memory.
    #[inline(always)]
    fn quick_reply(&self, number: usize, now: Cycle) -> Option<Reply> {
        let Transfer { access: Access { address, is_exclusive, writes, .. }, slave, ends, .. } = self.transfers[number];
        if slave == IDLE {
            return Some(Reply { ready: true, ..Reply::default() });
        }
        if now < ends {
            return (slave != NOWHERE).then(Reply::default);
        }
        if !port::is_memory(slave) {
            return None;
        }
        let is_data = number % 2 == 1;
        if is_data && (is_exclusive || self.watch.may_watch_access(address)) {
            return None;
        }
        let word = match address.wrapping_sub(SRAM) / 4 {
            place if (place as usize) < SRAM_WORDS => self.sram[place as usize],
            _ if writes => return None,
            _ => self.peek_memory(address)?,
        };
        Some(Reply { ready: true, word, ..Reply::default() })
    }
}
