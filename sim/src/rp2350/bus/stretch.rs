//! Cycles in which cores compute, and reach nothing but memory: all that need not be looked at by others.

use crate::core::access::merge;
use crate::core::time::Cycle;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::memo::{Memo, Step};
use crate::isa::hazard3::ports::{Access, Reply};
use crate::rp2350::bus::native::Left;
use crate::rp2350::bus::port::{self, SIO, SRAM};
use crate::rp2350::bus::transfer::{IDLE, NOWHERE, Transfer};
use crate::rp2350::bus::{AT_ONCE, Fabric, PORTS, SRAM_WORDS};
use crate::rp2350::peripherals::sio;

/// Cycles that cores have gone through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch {
    /// How many.
    pub cycles: Cycle,
    /// Instructions of each core, those of a cycle that was begun included.
    pub executed: [u64; 2],
    /// Core 0 has done its part of the next cycle, too.
    pub has_begun: bool,
}

impl Fabric {
    /// Cycles up to `until` in which those cores that run are on their way with nothing but memory behind their ports. The next cycle is
    /// another one, and is to be gone through by `cycle`.
    pub fn cycles(&mut self, cores: &mut [Core; 2], runs: [bool; 2], now: Cycle, until: Cycle) -> Stretch {
        if (0..2).any(|number| runs[number] && !cores[number].is_on_its_way()) {
            return Stretch::default();
        }
        let mut memo = std::mem::take(&mut self.memo);
        let done = match (runs, self.watch.in_use()) {
            ([true, true], false) => self.cycles_of::<true, true, false>(cores, &mut memo, now, until),
            ([true, true], true) => self.cycles_of::<true, true, true>(cores, &mut memo, now, until),
            ([true, false], _) => self.cycles_of::<true, false, true>(cores, &mut memo, now, until),
            ([false, true], _) => self.cycles_of::<false, true, true>(cores, &mut memo, now, until),
            ([false, false], _) => Stretch::default(),
        };
        self.memo = memo;
        for number in (0..2).filter(|&number| runs[number]) {
            let begun = Cycle::from(done.has_begun && number == 0);
            cores[number].csrs.count(done.cycles + begun, done.executed[number]);
        }
        done
    }

    fn cycles_of<const ZERO: bool, const ONE: bool, const WATCHED: bool>(
        &mut self,
        cores: &mut [Core; 2],
        memo: &mut Memo,
        begin: Cycle,
        until: Cycle,
    ) -> Stretch {
        let mut native = std::mem::take(&mut self.native);
        let may_run_native = self.may_run_native(&mut native);
        let mut executed = [0; 2];
        let mut now = begin;
        let mut has_begun = false;
        while now < until && !self.stirred {
            if now < self.slow_until {
                let next = self.end_of_waits::<ZERO, ONE>([&cores[0], &cores[1]], memo, now, until);
                if next > now {
                    now = next;
                    continue;
                }
            }
            let ran =
                if may_run_native { self.run_native(&mut native, cores, memo, [ZERO, ONE], now, until) } else { None };
            if let Some(ran) = ran {
                now += ran.cycles;
                executed = [0, 1].map(|number| executed[number] + ran.executed[number]);
                match ran.left {
                    Left::Before if now >= until => break,
                    Left::Before => {}
                    Left::BeforeCore1 => has_begun = true,
                }
            }
            // All of a cycle, or nothing.
            let [zero, one] = &mut *cores;
            let of_zero = if ZERO && !has_begun { self.foresee::<WATCHED>(0, zero, memo, now) } else { None };
            let of_one = if ONE { self.foresee::<WATCHED>(1, one, memo, now) } else { None };
            if of_zero.is_some() != (ZERO && !has_begun) || of_one.is_some() != ONE {
                break;
            }
            let mut ports = [0; PORTS];
            if let Some(foreseen) = of_zero {
                executed[0] += u64::from(foreseen.0.executes());
                [ports[0], ports[1]] = self.take::<WATCHED>(0, zero, &foreseen, now);
            }
            if let Some(foreseen) = of_one {
                executed[1] += u64::from(foreseen.0.executes());
                [ports[2], ports[3]] = self.take::<WATCHED>(1, one, &foreseen, now);
            }
            if std::mem::take(&mut has_begun) {
                self.arbitrate_in_turn(now);
            } else {
                self.arbitrate(ports, now);
            }
            now += 1;
        }
        self.native = native;
        Stretch { cycles: now - begin, executed, has_begun }
    }

    /// Grants ports to transfers that wait for them; `ports` has a bit for the port of each that was asked for in this cycle.
    #[inline(always)]
    fn arbitrate(&mut self, ports: [u32; PORTS], now: Cycle) {
        // Mostly, each of them is alone at a port that is always free and takes one cycle.
        let (all, sum) = (ports.iter().fold(0, |all, port| all | port), ports.iter().sum::<u32>());
        if self.waiting == 0 && all == sum && all & !AT_ONCE == 0 {
            for (number, transfer) in self.transfers[..PORTS].iter_mut().enumerate() {
                if ports[number] != 0 {
                    transfer.ends = now + 1;
                    self.arbiter.serve(transfer.slave, number);
                }
            }
        } else {
            self.arbitrate_in_turn(now);
        }
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
            self.foresee::<true>(number, core, memo, now).is_some_and(|(step, fetch, data)| {
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
    fn foresee<'a, const WATCHED: bool>(
        &self,
        number: usize,
        core: &Core,
        memo: &'a Memo,
        now: Cycle,
    ) -> Option<(Step<'a>, Reply, Reply)> {
        let fetch = self.quick_reply::<false>(2 * number, now)?;
        let data = self.quick_reply::<WATCHED>(2 * number + 1, now)?;
        Some((core.foresee(memo, fetch, data).ok()?, fetch, data))
    }

    /// A core does that. An instruction is recorded if it is watched. The ports, a bit each, that are asked for.
    #[inline(always)]
    fn take<const WATCHED: bool>(
        &mut self,
        number: usize,
        core: &mut Core,
        (step, fetch, data): &(Step<'_>, Reply, Reply),
        now: Cycle,
    ) -> [u32; 2] {
        let access = self.transfers[2 * number + 1].access;
        if data.ready && access.writes {
            let word = &mut self.sram[(access.address.wrapping_sub(SRAM)) as usize / 4 % SRAM_WORDS];
            *word = merge(*word, access.address, access.width, core.stored());
            self.stirred |= self.monitor.store(number, access.address);
        }
        core.take(step, *data);
        if WATCHED && step.executes() && self.watch.may_watch(step.pc()) {
            self.watch.record_execution(now, number as u8, step.pc());
        }
        let mut ports = [0; 2];
        if fetch.ready && self.transfers[2 * number].fetch(step.fetch()) {
            ports[0] = 1 << self.transfers[2 * number].slave.0;
        }
        if data.ready && self.transfers[2 * number + 1].access(step.access(), step.pc()) {
            ports[1] = 1 << self.transfers[2 * number + 1].slave.0;
        }
        ports
    }

    /// What a manager's port answers, if there is nothing behind it but memory.
    #[inline(always)]
    fn quick_reply<const WATCHED: bool>(&self, number: usize, now: Cycle) -> Option<Reply> {
        let Transfer { access: Access { address, is_exclusive, writes, .. }, slave, ends, .. } = self.transfers[number];
        if slave == IDLE {
            return Some(Reply { ready: true, ..Reply::default() });
        }
        if now < ends {
            return (slave != NOWHERE).then(Reply::default);
        }
        if is_exclusive || WATCHED && self.watch.may_watch_access(address) {
            return None;
        }
        if slave == SIO && !writes {
            let word = self.peripherals.sio.look_at(number / 2, sio::offset(address), now)?;
            return Some(Reply { ready: true, word, ..Reply::default() });
        }
        if !port::is_memory(slave) {
            return None;
        }
        let word = match address.wrapping_sub(SRAM) / 4 {
            place if (place as usize) < SRAM_WORDS => self.sram[place as usize],
            _ if writes || port::is_external(slave) && !self.qmi.direct.is_at_rest() => return None,
            _ => self.peek_memory(address)?,
        };
        Some(Reply { ready: true, word, ..Reply::default() })
    }
}
