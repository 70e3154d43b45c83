//! A timeline of a run, as a trace that [Perfetto](https://ui.perfetto.dev) opens: what each core does, the exceptions it
//! handles, and what was marked.
//!
//! Times are nanoseconds of the chip's real time since power-on, rounded down (a cycle at 125 MHz is exactly 8 ns); each
//! event has the exact time in the chip's unit as an argument. Per core there are these tracks:
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
use crate::core::chip::Chip;
use crate::core::cortex_m::{IRQ0, exception_name};
use crate::core::time::Cycle;
use crate::core::watch::{CoreEvent, Hit, ProbeId, Watch};
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
    pub fn new<C: Chip>(chip: &mut C, marks: impl IntoIterator<Item = Mark>, out: W) -> io::Result<Self> {
        let watch = chip.watch_mut();
        watch.record_timeline();
        let marks = marks
            .into_iter()
            .map(|mark| (mark.name, watch.probe(mark.watch, mark.address, mark.bytes), mark.watch))
            .collect();
        let mut pending = Trace { packets: vec![process(C::NAME)] };
        let cores = [0, 1].map(|number| {
            pending.packets.extend(Track::ALL.map(|(track, name)| described(number, track, name)));
            let state = chip.core_state(number as usize);
            let mut tracks = CoreTracks { number, state, exceptions: Vec::new(), stall: None, last: chip.now() };
            let event = tracks.event(chip, Track::State, Type::SliceBegin, Some(state.to_owned()), chip.now());
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
    pub fn drain(&mut self, chip: &mut impl Chip) -> io::Result<()> {
        let packets = &mut self.pending.packets;
        for (cycle, core, event) in chip.watch_mut().take_timeline() {
            self.cores[usize::from(core & 1)].live(chip, packets, cycle, event);
        }
        for (name, probe, watch) in &self.marks {
            for hit in chip.watch_mut().take_hits(*probe) {
                let core = &mut self.cores[usize::from(hit.core & 1)];
                packets.push(core.mark(chip, name, *watch, hit));
            }
        }
        self.write()
    }

    /// Writes the rest and ends what is still going on. The trace is whole then, whatever ended the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, chip: &mut impl Chip) -> io::Result<W> {
        self.drain(chip)?;
        for core in &mut self.cores {
            core.finish(chip, &mut self.pending.packets);
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
    fn live<C: Chip>(&mut self, chip: &C, packets: &mut Vec<TracePacket>, cycle: Cycle, event: CoreEvent) {
        // Only what is done to a core from outside can seem to come before what it has done already.
        let at = cycle.max(self.last).max(self.stall.map_or(0, |stall| stall.from));
        match event {
            CoreEvent::Conflicts(slave, cycles) => self.lose(chip, packets, slave, "other master", at, cycles),
            CoreEvent::Waits(slave, cycles) => self.lose(chip, packets, slave, "wait states", at, cycles),
            CoreEvent::Sleeps => self.set_state(chip, packets, "asleep", at),
            CoreEvent::Wakes | CoreEvent::Resumes => self.set_state(chip, packets, "running", at),
            CoreEvent::LocksUp => self.set_state(chip, packets, "locked up", at),
            CoreEvent::Sticks => self.set_state(chip, packets, "stuck", at),
            CoreEvent::Starts | CoreEvent::Stops => {
                while self.exceptions.pop().is_some() {
                    packets.push(self.event(chip, Track::Exceptions, Type::SliceEnd, None, at));
                }
                let state = if event == CoreEvent::Starts { "running" } else { "off" };
                self.set_state(chip, packets, state, at);
            }
            CoreEvent::Enters(number) => {
                self.exceptions.push(number);
                let name = exception::<C>(number);
                packets.push(self.event(chip, Track::Exceptions, Type::SliceBegin, Some(name), at));
            }
            // One may be left that was entered before the timeline began; and a fault while a frame is read back ends
            // those above it.
            CoreEvent::Leaves(number) if self.exceptions.contains(&number) => {
                while let Some(top) = self.exceptions.pop() {
                    packets.push(self.event(chip, Track::Exceptions, Type::SliceEnd, None, at));
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
        chip: &impl Chip,
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
        self.end_stall(chip, packets, at);
        self.stall = Some(Stall { slave, kind, from: at, to: at + cycles });
    }

    /// Writes the stall that is known to be over by cycle `at`.
    fn end_stall<C: Chip>(&mut self, chip: &C, packets: &mut Vec<TracePacket>, at: Cycle) {
        if let Some(Stall { slave, kind, from, to }) = self.stall.take() {
            let name = format!("{}: {kind}", C::slave_name(slave).unwrap_or_default());
            packets.push(self.event(chip, Track::State, Type::SliceBegin, Some(name), from));
            packets.push(self.event(chip, Track::State, Type::SliceEnd, None, to.min(at)));
        }
    }

    fn set_state(&mut self, chip: &impl Chip, packets: &mut Vec<TracePacket>, state: &'static str, at: Cycle) {
        self.end_stall(chip, packets, at);
        if state != self.state {
            packets.push(self.event(chip, Track::State, Type::SliceEnd, None, at));
            packets.push(self.event(chip, Track::State, Type::SliceBegin, Some(state.to_owned()), at));
            self.state = state;
        }
    }

    fn finish(&mut self, chip: &impl Chip, packets: &mut Vec<TracePacket>) {
        // Wait states reach into the future.
        let known = chip.core_time(self.number as usize);
        let at = known.max(self.last).max(self.stall.map_or(0, |stall| stall.to));
        self.end_stall(chip, packets, at);
        while self.exceptions.pop().is_some() {
            packets.push(self.event(chip, Track::Exceptions, Type::SliceEnd, None, at));
        }
        packets.push(self.event(chip, Track::State, Type::SliceEnd, None, at));
    }

    fn mark(&mut self, chip: &impl Chip, name: &str, watch: Watch, hit: Hit) -> TracePacket {
        let last = self.last;
        let mut packet = self.event(chip, Track::Marks, Type::Instant, Some(name.to_owned()), hit.cycle);
        self.last = last;
        if let Some(event) = &mut packet.track_event {
            event.debug_annotations.push(argument("pc", u64::from(hit.pc)));
            if watch != Watch::Execute {
                event.debug_annotations.push(argument("value", u64::from(hit.value)));
            }
        }
        packet
    }

    fn event<C: Chip>(
        &mut self,
        chip: &C,
        track: Track,
        kind: Type,
        name: Option<String>,
        cycle: Cycle,
    ) -> TracePacket {
        self.last = cycle;
        let unit = C::UNIT.name();
        let unit = if kind == Type::SliceEnd { format!("end {unit}") } else { unit.to_owned() };
        let event = TrackEvent {
            r#type: Some(kind as i32),
            track_uuid: Some(track.of(self.number)),
            name,
            debug_annotations: vec![argument(&unit, cycle)],
        };
        let nanoseconds = chip.femtoseconds(cycle) / 1_000_000;
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

fn process(chip: &str) -> TracePacket {
    let process = ProcessDescriptor { pid: Some(1), process_name: Some(format!("{chip}, simulated")) };
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

/// Name of an exception by its number.
fn exception<C: Chip>(number: u8) -> String {
    match (exception_name(number), number) {
        (Some(name), _) => name.to_owned(),
        (None, IRQ0..) => {
            let irq = number - IRQ0;
            let name = C::interrupt_name(irq).map(|name| format!(" {name}"));
            format!("IRQ {irq}{}", name.unwrap_or_default())
        }
        (None, _) => format!("exception {number}"),
    }
}
