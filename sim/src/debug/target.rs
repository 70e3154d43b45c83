//! The chip as `gdbstub` wants a target to be.

use std::collections::BTreeMap;
use std::convert::Infallible;

use gdbstub::common::{Signal, Tid};
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::flash::{Flash, FlashOps};
use gdbstub::target::ext::memory_map::{MemoryMap, MemoryMapOps};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};

use crate::core::chip::{CORES, Chip};
use crate::core::stop::Stop;
use crate::core::watch::Watch;
use crate::debug::registers::{GdbArch, RegisterNumber, RegisterValues, description, gdb_registers, set_if_changed};
use crate::debug::{DebugTarget, Debuggee, monitor};

/// How GDB asked for a breakpoint, which it wants to hear again when one is hit. All are the same to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Software,
    Hardware,
}

/// A watchpoint: bytes from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Watchpoint {
    kind: WatchKind,
    first: u32,
    bytes: u32,
}

impl Watchpoint {
    /// The kinds of access that count.
    fn accesses(self) -> &'static [Watch] {
        match self.kind {
            WatchKind::Read => &[Watch::Read],
            WatchKind::Write => &[Watch::Write],
            WatchKind::ReadWrite => &[Watch::Read, Watch::Write],
        }
    }

    /// Where an access to the word's part from `address` on, of unknown width, touches this.
    fn touched(self, address: u32) -> Option<u32> {
        let last = self.first.saturating_add(self.bytes.max(1) - 1);
        (self.first <= address | 3 && address <= last).then_some(address.max(self.first))
    }
}

/// What is debugged, and what GDB wants of it.
pub struct GdbTarget<'a, D: Debuggee> {
    pub debuggee: &'a mut D,
    /// For `monitor reset`.
    at_start: D::Chip,
    /// Breakpoints as GDB has set them.
    wanted: Vec<(u32, Kind)>,
    /// Breakpoints as the machine has them: brought up to date when it goes on.
    set: BTreeMap<u32, Kind>,
    watchpoints: Vec<Watchpoint>,
    /// The core that is to make one step.
    stepping: Option<u8>,
    /// GDB wants only that core to move.
    scheduler_locked: bool,
    /// The core that GDB was last told of.
    pub last: u8,
    /// The core that stands behind an instruction that hit a watchpoint, if that was the last stop.
    past_watchpoint: Option<u8>,
    /// A stop that is due without anything being done.
    immediate_stop: Option<Stop>,
    /// A stop of the other core while one made a step alone: GDB (13.1) breaks down if it hears of that before the step is
    /// done. So the step ends there, within its instruction, and this stop is the next.
    deferred: Option<Stop>,
}

/// The thread that a core is.
pub fn thread(core: u8) -> Tid {
    Tid::MIN.saturating_add(usize::from(core))
}

/// The core that a thread is; an error if there is none.
fn core<E>(thread: Tid) -> Result<usize, TargetError<E>> {
    match thread.get() {
        number @ 1..=CORES => Ok(number - 1),
        _ => Err(TargetError::NonFatal),
    }
}

/// What GDB hears of success or failure.
fn success_or_error<E>(success: bool) -> Result<(), TargetError<E>> {
    success.then_some(()).ok_or(TargetError::NonFatal)
}

impl<'a, D: Debuggee> GdbTarget<'a, D> {
    pub fn new(debuggee: &'a mut D) -> Self {
        let at_start = debuggee.chip().clone();
        Self {
            debuggee,
            at_start,
            wanted: Vec::new(),
            set: BTreeMap::new(),
            watchpoints: Vec::new(),
            stepping: None,
            scheduler_locked: false,
            last: 0,
            past_watchpoint: None,
            immediate_stop: None,
            deferred: None,
        }
    }

    /// Goes on for a while.
    pub fn proceed(&mut self) -> Option<Stop> {
        let stop = self.immediate_stop.take().or_else(|| self.debuggee.proceed())?;
        match stop {
            Stop::Breakpoint { core, .. } | Stop::Watchpoint { core, .. } | Stop::Lockup { core, .. }
                if self.scheduler_locked && self.stepping.is_some_and(|stepping| stepping != core) =>
            {
                self.deferred = Some(stop);
                Some(Stop::Stepped)
            }
            stop => Some(stop),
        }
    }

    /// The stop that was deferred, once GDB can hear of it, and unless its breakpoint has been removed.
    fn take_deferred(&mut self) -> Option<Stop> {
        let stop = if self.scheduler_locked { None } else { self.deferred.take() };
        stop.filter(|stop| !matches!(stop, Stop::Breakpoint { pc, .. } if !self.set.contains_key(pc)))
    }

    pub fn at_breakpoint(&mut self, core: u8, pc: u32) -> MultiThreadStopReason<u32> {
        self.last = core;
        match self.set.get(&pc) {
            Some(Kind::Hardware) => MultiThreadStopReason::HwBreak(thread(core)),
            Some(Kind::Software) => MultiThreadStopReason::SwBreak(thread(core)),
            None => MultiThreadStopReason::SignalWithThread { tid: thread(core), signal: Signal::SIGTRAP },
        }
    }

    pub fn at_watchpoint(&mut self, core: u8, address: u32) -> MultiThreadStopReason<u32> {
        self.last = core;
        self.past_watchpoint = Some(core);
        let hit = self.watchpoints.iter().find_map(|point| Some((point.kind, point.touched(address)?)));
        let (kind, addr) = hit.unwrap_or((WatchKind::ReadWrite, address));
        MultiThreadStopReason::Watch { tid: thread(core), kind, addr }
    }

    /// Takes everything back that GDB has set.
    pub fn remove_all_breakpoints(&mut self) {
        self.wanted.clear();
        self.scheduler_locked = false;
        self.set_breakpoints();
        let watch = self.debuggee.chip_mut().watch_mut();
        watch.end_step();
        for point in self.watchpoints.drain(..) {
            for &access in point.accesses() {
                watch.remove_watchpoint(access, point.first, point.bytes);
            }
        }
    }

    /// Gives the machine the breakpoints that GDB wants. To get past a breakpoint GDB removes it, lets one core alone make a
    /// step, and sets it again; but here the other core goes on meanwhile, and must not miss it. So it stays.
    fn set_breakpoints(&mut self) {
        let watch = self.debuggee.chip_mut().watch_mut();
        for &(address, kind) in &self.wanted {
            if self.set.insert(address, kind).is_none() {
                watch.add_breakpoint(address);
            }
        }
        if self.scheduler_locked {
            return;
        }
        self.set.retain(|&address, _| {
            let wanted = self.wanted.iter().any(|&(at, _)| at == address);
            if !wanted {
                watch.remove_breakpoint(address);
            }
            wanted
        });
    }

    fn add_breakpoint(&mut self, address: u32, kind: Kind) -> bool {
        self.wanted.push((address & !1, kind));
        true
    }

    fn remove_breakpoint(&mut self, address: u32, kind: Kind) -> bool {
        let found = self.wanted.iter().position(|&wanted| wanted == (address & !1, kind));
        found.map(|at| self.wanted.swap_remove(at)).is_some()
    }
}

impl<D: Debuggee> Target for GdbTarget<'_, D> {
    type Arch = GdbArch<D::Chip>;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, GdbArch<D::Chip>, Infallible> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_flash_operations(&mut self) -> Option<FlashOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(&mut self) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    // There are no processes.
    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }
}

impl<D: Debuggee> MultiThreadBase for GdbTarget<'_, D> {
    fn read_registers(&mut self, values: &mut RegisterValues<D::Chip>, thread: Tid) -> TargetResult<(), Self> {
        let core = core(thread)?;
        for (value, register) in values.0.iter_mut().zip(gdb_registers::<D::Chip>()) {
            *value = self.debuggee.chip().register(core, register);
        }
        Ok(())
    }

    fn write_registers(&mut self, values: &RegisterValues<D::Chip>, thread: Tid) -> TargetResult<(), Self> {
        let core = core(thread)?;
        let chip = self.debuggee.chip_mut();
        success_or_error(
            gdb_registers::<D::Chip>()
                .zip(&values.0)
                .all(|(register, &value)| set_if_changed(chip, core, register, value)),
        )
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, bytes: &mut [u8], thread: Tid) -> TargetResult<usize, Self> {
        let count = self.debuggee.chip().read_memory(core(thread)?, start, bytes);
        success_or_error(count > 0 || bytes.is_empty())?;
        Ok(count)
    }

    fn write_addrs(&mut self, start: u32, bytes: &[u8], thread: Tid) -> TargetResult<(), Self> {
        success_or_error(self.debuggee.chip_mut().write_memory(core(thread)?, start, bytes))
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        (0..CORES as u8).for_each(|core| is_active(thread(core)));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl<D: Debuggee> SingleRegisterAccess<Tid> for GdbTarget<'_, D> {
    fn read_register(
        &mut self,
        thread: Tid,
        register: RegisterNumber<D::Chip>,
        bytes: &mut [u8],
    ) -> TargetResult<usize, Self> {
        register.read(self.debuggee.chip(), core(thread)?, bytes).ok_or(TargetError::NonFatal)
    }

    fn write_register(
        &mut self,
        thread: Tid,
        register: RegisterNumber<D::Chip>,
        bytes: &[u8],
    ) -> TargetResult<(), Self> {
        success_or_error(register.write(self.debuggee.chip_mut(), core(thread)?, bytes))
    }
}

impl<D: Debuggee> ThreadExtraInfo for GdbTarget<'_, D> {
    fn thread_extra_info(&self, thread: Tid, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let text = match core::<Infallible>(thread) {
            Ok(number) => format!("core {number}: {}", self.debuggee.chip().core_state(number)),
            Err(_) => String::new(),
        };
        Ok(part(&text, 0, buffer.len(), buffer))
    }
}

impl<D: Debuggee> MultiThreadResume for GdbTarget<'_, D> {
    fn resume(&mut self) -> Result<(), Infallible> {
        // Having been told of a hit of a watchpoint, GDB for Arm takes it that the instruction has not been executed yet,
        // and asks for a step past it. It has been, so that is done.
        let behind = self.past_watchpoint.take();
        let is_done = self.scheduler_locked && self.stepping.is_some() && behind == self.stepping;
        self.set_breakpoints();
        self.immediate_stop = if is_done { Some(Stop::Stepped) } else { self.take_deferred() };
        let watch = self.debuggee.chip_mut().watch_mut();
        watch.end_step();
        if let Some(core) = self.stepping {
            watch.step(core);
            self.last = core;
        }
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.stepping = None;
        self.scheduler_locked = false;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl<D: Debuggee> MultiThreadSingleStep for GdbTarget<'_, D> {
    fn set_resume_action_step(&mut self, thread: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.stepping = core::<Infallible>(thread).ok().map(|core| core as u8);
        Ok(())
    }
}

impl<D: Debuggee> MultiThreadSchedulerLocking for GdbTarget<'_, D> {
    /// Time is one: the other core goes on all the same.
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        self.scheduler_locked = true;
        Ok(())
    }
}

impl<D: Debuggee> Breakpoints for GdbTarget<'_, D> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl<D: Debuggee> SwBreakpoint for GdbTarget<'_, D> {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add_breakpoint(address, Kind::Software))
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove_breakpoint(address, Kind::Software))
    }
}

impl<D: Debuggee> HwBreakpoint for GdbTarget<'_, D> {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add_breakpoint(address, Kind::Hardware))
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove_breakpoint(address, Kind::Hardware))
    }
}

impl<D: Debuggee> HwWatchpoint for GdbTarget<'_, D> {
    fn add_hw_watchpoint(&mut self, first: u32, bytes: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let point = Watchpoint { kind, first, bytes };
        for &access in point.accesses() {
            self.debuggee.chip_mut().watch_mut().add_watchpoint(access, first, bytes);
        }
        self.watchpoints.push(point);
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, first: u32, bytes: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let point = Watchpoint { kind, first, bytes };
        let Some(at) = self.watchpoints.iter().position(|&known| known == point) else { return Ok(false) };
        self.watchpoints.swap_remove(at);
        for &access in point.accesses() {
            self.debuggee.chip_mut().watch_mut().remove_watchpoint(access, first, bytes);
        }
        Ok(true)
    }
}

impl<D: Debuggee> Flash for GdbTarget<'_, D> {
    fn flash_erase(&mut self, start: u32, length: u32) -> TargetResult<(), Self> {
        success_or_error(self.debuggee.chip_mut().erase_flash(start, length))
    }

    fn flash_write(&mut self, start: u32, bytes: &[u8]) -> TargetResult<(), Self> {
        success_or_error(self.debuggee.chip_mut().write_memory(0, start, bytes))
    }

    fn flash_done(&mut self) -> TargetResult<(), Self> {
        Ok(())
    }
}

impl<D: Debuggee> MemoryMap for GdbTarget<'_, D> {
    fn memory_map_xml(&self, offset: u64, length: usize, buffer: &mut [u8]) -> TargetResult<usize, Self> {
        Ok(part(D::Chip::MEMORY_MAP, offset, length, buffer))
    }
}

impl<D: Debuggee> TargetDescriptionXmlOverride for GdbTarget<'_, D> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        success_or_error(annex == b"target.xml")?;
        Ok(part(&description::<D::Chip>(), offset, length, buffer))
    }
}

/// Puts a part of a text into a buffer; how many bytes that is.
fn part(text: &str, offset: u64, length: usize, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..)).unwrap_or(&[]);
    let count = rest.len().min(length).min(buffer.len());
    buffer[..count].copy_from_slice(&rest[..count]);
    count
}

impl<D: Debuggee> MonitorCmd for GdbTarget<'_, D> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        let command = String::from_utf8_lossy(command);
        out.write_raw(monitor::answer(&command, self.debuggee.chip_mut(), &self.at_start).as_bytes());
        Ok(())
    }
}
