//! A timeline of a run, as a trace that [Perfetto](https://ui.perfetto.dev) opens: what each core does, the exceptions it
//! handles, and what was marked.
//!
//! Times are nanoseconds of the chip's real time since power-on, rounded down (a cycle at 125 MHz is exactly 8 ns); each
//! event has the exact number of its cycle as an argument. Per core there are these tracks:
//! * *state*: `running`, `asleep`, `in reset`, `stuck` or `locked up`; within `running` the cycles lost, as `SRAM0: other
//!   master` where another master had the slave and `XIP: wait states` where the slave itself took longer. Cycles lost to
//!   the same cause one right after the other are one slice.
//! * *exceptions*: nested as they are, each from the fetch of its vector to its return.
//! * *marks*: an instant for each execution of, or write to, an address that is marked, with the value written.
//!
//! It is the statistics drawn over time: the lengths of the slices add up to them.

#[allow(missing_docs)] // Perfetto's own names
mod perfetto;

use crate::core::bus::Slave;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::{CoreEvent, Hit, ProbeId, Watch};
use crate::rp2040::bus::slave;
use crate::rp2040::machine::Machine;
use perfetto::{DebugAnnotation, ProcessDescriptor, Trace, TracePacket, TrackDescriptor, TrackEvent, Type};
use prost::Message;
use std::io::{self, Write};

/// An address whose executions or accesses are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What it is shown as.
    pub name: String,
    /// What counts.
    pub watch: Watch,
    /// First address.
    pub address: u32,
    /// How many from there.
    pub bytes: u32,
}

/// Writes a timeline, a little at a time: it holds no more than what happened since the last call of `drain`.
pub struct Timeline<W> {
    out: W,
    pending: Trace,
    cores: [CoreTracks; 2],
    marks: Vec<(String, ProbeId, Watch)>,
}

/// Cycles lost to one cause, one after the other.
#[derive(Clone, Copy)]
struct Stall {
    slave: Slave,
    kind: &'static str,
    from: Cycle,
    to: Cycle,
}

/// What is open on the tracks of a core.
struct CoreTracks {
    number: u64,
    state: &'static str,
    exceptions: Vec<u8>,
    stall: Option<Stall>,
    /// The cycle of the last event.
    last: Cycle,
}

/// Numbers of tracks: that of the chip, and those of a core.
const CHIP: u64 = 1;

#[derive(Clone, Copy)]
enum Track {
    State,
    Exceptions,
    Marks,
}

impl Track {
    const ALL: [(Self, &'static str); 3] =
        [(Self::State, "state"), (Self::Exceptions, "exceptions"), (Self::Marks, "marks")];

    fn of(self, core: u64) -> u64 {
        16 * (core + 1) + self as u64
    }
}

impl<W: Write> Timeline<W> {
    /// Begins a timeline at the machine's present cycle.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(machine: &mut Machine, marks: impl IntoIterator<Item = Mark>, out: W) -> io::Result<Self> {
        let watch = &mut machine.bus.fabric.watch;
        watch.record_timeline();
        let marks = marks
            .into_iter()
            .map(|mark| (mark.name, watch.probe(mark.watch, mark.address, mark.bytes), mark.watch))
            .collect();
        let mut pending = Trace { packets: vec![chip()] };
        let cores = [0, 1].map(|number| {
            pending.packets.extend(Track::ALL.map(|(track, name)| described(number, track, name)));
            let state = machine.core(number as usize).state();
            let mut tracks = CoreTracks { number, state, exceptions: Vec::new(), stall: None, last: machine.now() };
            let event = tracks.event(machine, Track::State, Type::SliceBegin, Some(state.to_owned()), machine.now());
            pending.packets.push(event);
            tracks
        });
        let mut timeline = Self { out, pending, cores, marks };
        timeline.write()?;
        Ok(timeline)
    }

    /// Writes what happened since the last call: to be called every few 100,000 cycles or so, since it is all in memory
    /// until then.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn drain(&mut self, machine: &mut Machine) -> io::Result<()> {
        let packets = &mut self.pending.packets;
        for (cycle, core, event) in machine.bus.fabric.watch.take_timeline() {
            self.cores[usize::from(core & 1)].live(machine, packets, cycle, event);
        }
        for (name, probe, watch) in &self.marks {
            for hit in machine.bus.fabric.watch.take_hits(*probe) {
                let core = &mut self.cores[usize::from(hit.core & 1)];
                packets.push(core.mark(machine, name, *watch, hit));
            }
        }
        self.write()
    }

    /// Writes the rest and ends what is still going on. The trace is whole then, whatever ended the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, machine: &mut Machine) -> io::Result<W> {
        self.drain(machine)?;
        for core in &mut self.cores {
            core.finish(machine, &mut self.pending.packets);
        }
        self.write()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self) -> io::Result<()> {
        let bytes = self.pending.encode_to_vec();
        self.pending.packets.clear();
        self.out.write_all(&bytes)
    }
}

impl CoreTracks {
    /// Takes something that the core did.
    fn live(&mut self, machine: &Machine, packets: &mut Vec<TracePacket>, cycle: Cycle, event: CoreEvent) {
        // Only what is done to a core from outside can seem to come before what it has done already.
        let at = cycle.max(self.last).max(self.stall.map_or(0, |stall| stall.from));
        match event {
            CoreEvent::Conflicts(slave, cycles) => self.lose(machine, packets, slave, "other master", at, cycles),
            CoreEvent::Waits(slave, cycles) => self.lose(machine, packets, slave, "wait states", at, cycles),
            CoreEvent::Sleeps => self.set_state(machine, packets, "asleep", at),
            CoreEvent::Wakes | CoreEvent::Resumes => self.set_state(machine, packets, "running", at),
            CoreEvent::Sticks => self.set_state(machine, packets, "stuck", at),
            CoreEvent::Starts | CoreEvent::Stops => {
                while self.exceptions.pop().is_some() {
                    packets.push(self.event(machine, Track::Exceptions, Type::SliceEnd, None, at));
                }
                let state = if event == CoreEvent::Starts { "running" } else { "off" };
                self.set_state(machine, packets, state, at);
            }
            CoreEvent::Enters(number) => {
                self.exceptions.push(number);
                let name = exception(number);
                packets.push(self.event(machine, Track::Exceptions, Type::SliceBegin, Some(name), at));
            }
            // One may be left that was entered before the timeline began; and a fault while a frame is read back ends
            // those above it.
            CoreEvent::Leaves(number) if self.exceptions.contains(&number) => {
                while let Some(top) = self.exceptions.pop() {
                    packets.push(self.event(machine, Track::Exceptions, Type::SliceEnd, None, at));
                    if top == number {
                        break;
                    }
                }
            }
            CoreEvent::Leaves(_) => {}
        }
    }

    fn lose(
        &mut self,
        machine: &Machine,
        packets: &mut Vec<TracePacket>,
        slave: Slave,
        kind: &'static str,
        at: Cycle,
        cycles: Cycle,
    ) {
        if let Some(stall) = &mut self.stall
            && (stall.slave, stall.kind, stall.to) == (slave, kind, at)
        {
            stall.to += cycles;
            return;
        }
        self.end_stall(machine, packets, at);
        self.stall = Some(Stall { slave, kind, from: at, to: at + cycles });
    }

    /// Writes the stall that is known to be over by cycle `at`.
    fn end_stall(&mut self, machine: &Machine, packets: &mut Vec<TracePacket>, at: Cycle) {
        if let Some(Stall { slave, kind, from, to }) = self.stall.take() {
            let name = format!("{}: {kind}", slave::name(slave));
            packets.push(self.event(machine, Track::State, Type::SliceBegin, Some(name), from));
            packets.push(self.event(machine, Track::State, Type::SliceEnd, None, to.min(at)));
        }
    }

    fn set_state(&mut self, machine: &Machine, packets: &mut Vec<TracePacket>, state: &'static str, at: Cycle) {
        self.end_stall(machine, packets, at);
        if state != self.state {
            packets.push(self.event(machine, Track::State, Type::SliceEnd, None, at));
            packets.push(self.event(machine, Track::State, Type::SliceBegin, Some(state.to_owned()), at));
            self.state = state;
        }
    }

    fn finish(&mut self, machine: &Machine, packets: &mut Vec<TracePacket>) {
        let core = machine.core(self.number as usize);
        if core.is_locked_up() {
            self.set_state(machine, packets, "locked up", core.slept_at.max(self.last));
        }
        // A core may have gone a little further than the machine, and its wait states reach into the future.
        let reached = if core.cycle() == NEVER { 0 } else { core.cycle() };
        let at = reached.max(machine.now()).max(self.last).max(self.stall.map_or(0, |stall| stall.to));
        let at = if core.is_asleep() { machine.now().max(self.last) } else { at };
        self.end_stall(machine, packets, at);
        while self.exceptions.pop().is_some() {
            packets.push(self.event(machine, Track::Exceptions, Type::SliceEnd, None, at));
        }
        packets.push(self.event(machine, Track::State, Type::SliceEnd, None, at));
    }

    fn mark(&mut self, machine: &Machine, name: &str, watch: Watch, hit: Hit) -> TracePacket {
        let last = self.last;
        let mut packet = self.event(machine, Track::Marks, Type::Instant, Some(name.to_owned()), hit.cycle);
        self.last = last;
        if let Some(event) = &mut packet.track_event {
            event.debug_annotations.push(argument("pc", u64::from(hit.pc)));
            if watch != Watch::Execute {
                event.debug_annotations.push(argument("value", u64::from(hit.value)));
            }
        }
        packet
    }

    fn event(
        &mut self,
        machine: &Machine,
        track: Track,
        kind: Type,
        name: Option<String>,
        cycle: Cycle,
    ) -> TracePacket {
        self.last = cycle;
        let event = TrackEvent {
            r#type: Some(kind as i32),
            track_uuid: Some(track.of(self.number)),
            name,
            debug_annotations: vec![argument(if kind == Type::SliceEnd { "end cycle" } else { "cycle" }, cycle)],
        };
        let nanoseconds = machine.bus.clocks.femtoseconds(cycle) / 1_000_000;
        TracePacket { timestamp: Some(nanoseconds as u64), track_event: Some(event), ..packet() }
    }
}

fn packet() -> TracePacket {
    TracePacket { trusted_packet_sequence_id: Some(1), ..TracePacket::default() }
}

fn argument(name: &str, value: u64) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_owned()), uint_value: Some(value) }
}

/// Perfetto's "as the ranks say" and "nothing before this counts".
const EXPLICIT: i32 = 3;
const FIRST: u32 = 1;

fn chip() -> TracePacket {
    let process = ProcessDescriptor { pid: Some(1), process_name: Some("RP2040, simulated".to_owned()) };
    let track = TrackDescriptor {
        uuid: Some(CHIP),
        process: Some(process),
        child_ordering: Some(EXPLICIT),
        ..TrackDescriptor::default()
    };
    TracePacket { track_descriptor: Some(track), sequence_flags: Some(FIRST), ..packet() }
}

fn described(core: u64, track: Track, name: &str) -> TracePacket {
    let uuid = track.of(core);
    let track = TrackDescriptor {
        uuid: Some(uuid),
        name: Some(format!("core {core} {name}")),
        parent_uuid: Some(CHIP),
        sibling_order_rank: Some(uuid as i32),
        ..TrackDescriptor::default()
    };
    TracePacket { track_descriptor: Some(track), ..packet() }
}

/// Interrupts as the datasheet's table 80 names them.
const INTERRUPTS: [&str; 26] = [
    "TIMER_IRQ_0",
    "TIMER_IRQ_1",
    "TIMER_IRQ_2",
    "TIMER_IRQ_3",
    "PWM_IRQ_WRAP",
    "USBCTRL_IRQ",
    "XIP_IRQ",
    "PIO0_IRQ_0",
    "PIO0_IRQ_1",
    "PIO1_IRQ_0",
    "PIO1_IRQ_1",
    "DMA_IRQ_0",
    "DMA_IRQ_1",
    "IO_IRQ_BANK0",
    "IO_IRQ_QSPI",
    "SIO_IRQ_PROC0",
    "SIO_IRQ_PROC1",
    "CLOCKS_IRQ",
    "SPI0_IRQ",
    "SPI1_IRQ",
    "UART0_IRQ",
    "UART1_IRQ",
    "ADC_IRQ_FIFO",
    "I2C0_IRQ",
    "I2C1_IRQ",
    "RTC_IRQ",
];

/// Name of an exception by its number (ARMv6-M B1.5.2).
fn exception(number: u8) -> String {
    use crate::core::cortex_m::{HARD_FAULT, IRQ0, NMI, PEND_SV, SV_CALL, SYS_TICK};
    match number {
        NMI => "NMI".to_owned(),
        HARD_FAULT => "HardFault".to_owned(),
        SV_CALL => "SVCall".to_owned(),
        PEND_SV => "PendSV".to_owned(),
        SYS_TICK => "SysTick".to_owned(),
        IRQ0.. => {
            let irq = number - IRQ0;
            let name = INTERRUPTS.get(usize::from(irq)).map(|name| format!(" {name}"));
            format!("IRQ {irq}{}", name.unwrap_or_default())
        }
        _ => format!("exception {number}"),
    }
}
