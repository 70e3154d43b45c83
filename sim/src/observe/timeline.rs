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
            let mut to = Packets { chip, packets: &mut pending.packets };
            tracks.begin(&mut to, Track::State, state.to_owned(), chip.now());
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
            self.cores[usize::from(core & 1)].take(&mut Packets { chip, packets }, cycle, event);
        }
        for (name, probe, watch) in &self.marks {
            for hit in chip.watch_mut().take_hits(*probe) {
                self.cores[usize::from(hit.core & 1)].mark(&mut Packets { chip, packets }, name, *watch, hit);
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
            core.finish(&mut Packets { chip, packets: &mut self.pending.packets });
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

/// What the events of a chip are written to.
struct Packets<'a, C> {
    chip: &'a C,
    packets: &'a mut Vec<TracePacket>,
}

impl CoreTracks {
    /// Takes something that the core did.
    fn take<C: Chip>(&mut self, to: &mut Packets<'_, C>, cycle: Cycle, event: CoreEvent) {
        // Only what is done to a core from outside can seem to come before what it has done already.
        let at = cycle.max(self.last).max(self.stall.map_or(0, |stall| stall.from));
        match event {
            CoreEvent::Conflicts(slave, cycles) => self.lose(to, slave, "other master", at, cycles),
            CoreEvent::Waits(slave, cycles) => self.lose(to, slave, "wait states", at, cycles),
            CoreEvent::Sleeps => self.set_state(to, "asleep", at),
            CoreEvent::Wakes | CoreEvent::Resumes => self.set_state(to, "running", at),
            CoreEvent::LocksUp => self.set_state(to, "locked up", at),
            CoreEvent::Sticks => self.set_state(to, "stuck", at),
            CoreEvent::Starts | CoreEvent::Stops => {
                self.end_exceptions(to, None, at);
                self.set_state(to, if event == CoreEvent::Starts { "running" } else { "off" }, at);
            }
            CoreEvent::Enters(number) => {
                self.exceptions.push(number);
                self.begin(to, Track::Exceptions, exception::<C>(number), at);
            }
            // One may be left that was entered before the timeline began; and a fault while a frame is read back ends
            // those above it.
            CoreEvent::Leaves(number) if self.exceptions.contains(&number) => self.end_exceptions(to, Some(number), at),
            CoreEvent::Leaves(_) | CoreEvent::Misses => {}
        }
    }

    /// Ends the exceptions from the innermost to that of this number; without one, all.
    fn end_exceptions(&mut self, to: &mut Packets<'_, impl Chip>, last: Option<u8>, at: Cycle) {
        while let Some(top) = self.exceptions.pop() {
            self.end(to, Track::Exceptions, at);
            if Some(top) == last {
                break;
            }
        }
    }

    fn lose(&mut self, to: &mut Packets<'_, impl Chip>, slave: Slave, kind: &'static str, at: Cycle, cycles: Cycle) {
        if let Some(stall) = &mut self.stall
            && (stall.slave, stall.kind, stall.to) == (slave, kind, at)
        {
            stall.to += cycles;
            return;
        }
        self.end_stall(to, at);
        self.stall = Some(Stall { slave, kind, from: at, to: at + cycles });
    }

    /// Writes the stall that is known to be over by cycle `at`.
    fn end_stall<C: Chip>(&mut self, to: &mut Packets<'_, C>, at: Cycle) {
        if let Some(stall) = self.stall.take() {
            let name = format!("{}: {}", C::slave_name(stall.slave).unwrap_or_default(), stall.kind);
            self.begin(to, Track::State, name, stall.from);
            self.end(to, Track::State, stall.to.min(at));
        }
    }

    fn set_state(&mut self, to: &mut Packets<'_, impl Chip>, state: &'static str, at: Cycle) {
        self.end_stall(to, at);
        if state != self.state {
            self.end(to, Track::State, at);
            self.begin(to, Track::State, state.to_owned(), at);
            self.state = state;
        }
    }

    fn finish(&mut self, to: &mut Packets<'_, impl Chip>) {
        // Wait states reach into the future.
        let known = to.chip.core_time(self.number as usize);
        let at = known.max(self.last).max(self.stall.map_or(0, |stall| stall.to));
        self.end_stall(to, at);
        self.end_exceptions(to, None, at);
        self.end(to, Track::State, at);
    }

    fn mark<C: Chip>(&self, to: &mut Packets<'_, C>, name: &str, watch: Watch, hit: Hit) {
        let value = (watch != Watch::Execute).then(|| argument("value", u64::from(hit.value)));
        let moment = argument(C::UNIT.name(), hit.cycle);
        let arguments = [moment, argument("pc", u64::from(hit.pc))].into_iter().chain(value).collect();
        self.push(to, Track::Marks, Type::Instant, Some(name.to_owned()), hit.cycle, arguments);
    }

    fn begin<C: Chip>(&mut self, to: &mut Packets<'_, C>, track: Track, name: String, at: Cycle) {
        self.last = at;
        self.push(to, track, Type::SliceBegin, Some(name), at, vec![argument(C::UNIT.name(), at)]);
    }

    fn end<C: Chip>(&mut self, to: &mut Packets<'_, C>, track: Track, at: Cycle) {
        self.last = at;
        let moment = argument(&format!("end {}", C::UNIT.name()), at);
        self.push(to, track, Type::SliceEnd, None, at, vec![moment]);
    }

    fn push(
        &self,
        to: &mut Packets<'_, impl Chip>,
        track: Track,
        kind: Type,
        name: Option<String>,
        at: Cycle,
        debug_annotations: Vec<DebugAnnotation>,
    ) {
        let track_uuid = Some(track.of(self.number));
        let event = TrackEvent { r#type: Some(kind as i32), track_uuid, name, debug_annotations };
        let timestamp = Some((to.chip.femtoseconds(at) / 1_000_000) as u64);
        to.packets.push(TracePacket { timestamp, track_event: Some(event), ..packet() });
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
pub fn exception<C: Chip>(number: u8) -> String {
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
