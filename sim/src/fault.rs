//! Faults on demand: a bad serial line, a reset of the chip or of a core, a core that gets stuck or does not come up, words
//! or interrupts that are lost between the cores; and what differs from run to run of a real chip. Each is the same in
//! every run.

mod hold;
mod loss;

use crate::core::chip::Chip;
use crate::core::costs::AlteredCosts;
use crate::core::loss::{InterCoreChannel, Loss};
use crate::core::random::SplitMix64;
use crate::core::time::{Cycle, NEVER, cycles};
use crate::core::uart_frame::Format;
pub use hold::{Breakpoint, Hold};
use std::collections::BTreeMap;
use std::str::FromStr;

/// How bad a line is in one direction. Probabilities from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Of a bit on the wire, start, parity and stop bits included, to arrive inverted.
    pub flip: f64,
    /// Of a byte to be lost.
    pub lose: f64,
    /// Of a byte that is not lost to be sent twice.
    pub double: f64,
    /// Another seed gives other faults at the same rates.
    pub seed: u64,
}

/// A fault to be had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// `uart-in:flip=0.01,lose=0.001,double=0.001,seed=7`: the line from the host to UART0. What is flipped goes through
    /// the chip's own receiver, which tells of framing and parity errors; a start bit that is flipped is none.
    UartIn(Noise),
    /// `uart-out:...`: the line from UART0 to the host, which gets no byte where the start bit is flipped, the parity is
    /// wrong or the stop bit is missing, and another byte where data bits are flipped unnoticed.
    UartOut(Noise),
    /// `reset@1e6`: at this cycle the chip is reset as by its RUN pin. It starts again from the boot ROM; SRAM keeps what
    /// it holds, time goes on.
    Reset(Cycle),
    /// `reset:core=1@2e6`: at this cycle a core alone is reset, as by `PSM.FRCE_OFF` (DS 2.13.5), and let go at once. It
    /// starts again from the boot ROM: core 1 waits for its launch, core 0 boots as the watchdog's scratch registers say,
    /// else from flash (DS 2.8.1.1, 2.8.2). All else goes on: the other core, clocks, peripherals, FIFOs, spinlocks.
    ResetCore {
        /// 0 or 1.
        core: usize,
        /// When.
        at: Cycle,
    },
    /// `off:core=1@0..2e8` or `off:core=1@2e6`: a core is held in reset from a cycle on, until another or for good, whatever
    /// firmware does about it; then it starts from the boot ROM as after `reset:core=1`. From 0: it starts late.
    Off {
        /// 0 or 1.
        core: usize,
        /// The cycle in which it goes into reset.
        from: Cycle,
        /// The cycle in which it comes out of it; `NEVER` if it does not.
        until: Cycle,
    },
    /// `fifo:to=1,lose=0.01,seed=7`, `fifo:to=1,word=3`, `fifo:to=1@2e6..3e6`: words that one core of the RP2040 writes for
    /// the other are lost. To the one that writes, each looks as if it had gone and been read. `hsem:to=1,interrupt=3`,
    /// alike: interrupts of the STM32H745's semaphores that become free are lost. To the one that gives a semaphore back,
    /// each looks as if it had come.
    Loss(Loss),
    /// `flash:times=maximum`: the flash takes the longest times of its data sheet to erase and to program, as a worn one may.
    SlowFlash,
    /// `costs:line=4,fifo=2`: what no document of the RP2040 states takes so many cycles, or µs of the flash.
    Costs(AlteredCosts),
    /// `stuck:core=1@2e6` or `stuck:core=1@2e6..3e6`: a core executes nothing from a cycle on, until another or for good;
    /// a reset of the core frees it.
    Stuck {
        /// 0 or 1.
        core: usize,
        /// First cycle in which it does nothing.
        from: Cycle,
        /// The cycle in which it goes on; `NEVER` if it does not.
        until: Cycle,
    },
    /// `hold:core=1,pc=0x20000304,cycles=5000@2e6`: a core is held before an instruction, as by an interrupt, wait states of
    /// the flash or a debugger.
    Hold(Hold),
    /// `flash-cache@2e6`: at this cycle the cache of the RP2040's flash is empty, as if other code had used it.
    FlashCache(Cycle),
    /// `power-on:seed=7`: what an RP2040 has by chance when it is switched on: the bits of its ring oscillator and, if the image
    /// is in flash, the contents of SRAM. Counts only before the first cycle.
    PowerOn {
        /// Another seed gives another chance.
        seed: u64,
    },
}

/// The kinds of faults but those of a channel between the cores, and how each is written.
const FORMS: [(&str, &str); 10] = [
    ("uart-in", "uart-in:flip=0.01,lose=0.001,double=0.001,seed=7"),
    ("uart-out", "uart-out:flip=0.01,lose=0.001,double=0.001,seed=7"),
    ("reset", "reset@1e6 or reset:core=1@2e6"),
    ("off", "off:core=1@2e6 or off:core=1@0..2e6"),
    ("stuck", "stuck:core=1@2e6 or stuck:core=1@2e6..3e6"),
    ("hold", hold::FORM),
    ("flash-cache", "flash-cache@2e6"),
    ("power-on", "power-on:seed=7"),
    ("flash", "flash:times=maximum"),
    ("costs", "costs:line=4,fifo=2"),
];
const KINDS: &str = "uart-in, uart-out, reset, off, stuck, hold, fifo, flash-cache, power-on, flash, costs (RP2040) or hsem (STM32H745)";
/// What a chip says of a fault that only the RP2040 has.
const RP2040_ONLY: &str = "faults flash-cache and power-on are of the RP2040 alone";

/// How a fault of this kind is written.
fn expected(kind: &str) -> String {
    let form = FORMS.iter().find(|(known, _)| *known == kind).map_or(KINDS, |(_, form)| form);
    format!("expected {form}")
}

/// What is said of a fault of no known kind.
fn unknown(text: &str) -> String {
    let kind = text.split([':', '@']).next().unwrap_or_default();
    let known = FORMS.iter().map(|(known, _)| *known).chain(["fifo", "hsem"]);
    match known.map(|known| (edits(kind, known), known)).min() {
        Some((edits, near)) if edits * 3 <= kind.len() => format!("unknown fault '{kind}': did you mean '{near}'?"),
        _ => format!("unknown fault '{text}': expected {KINDS}; intercore-sim --help has an example of each"),
    }
}

/// How many bytes are to be inserted, removed or replaced to get from one word to another (Levenshtein 1966).
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, byte) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (at, other) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(byte != other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(at) = text.strip_prefix("reset@") {
            return cycles(at).map(Self::Reset);
        }
        if let Some(at) = text.strip_prefix("flash-cache@") {
            return cycles(at).map(Self::FlashCache);
        }
        let (kind, rest) = text.split_once([':', '@']).unwrap_or((text, ""));
        match kind {
            "uart-in" => noise(kind, rest).map(Self::UartIn),
            "uart-out" => noise(kind, rest).map(Self::UartOut),
            "fifo" => Loss::parse(InterCoreChannel::Fifo, rest).map(Self::Loss),
            "hsem" => Loss::parse(InterCoreChannel::Hsem, rest).map(Self::Loss),
            "costs" => AlteredCosts::parse(rest).map(Self::Costs),
            "hold" => Hold::parse(rest).map(Self::Hold),
            "power-on" => {
                let number = rest.strip_prefix("seed=").ok_or_else(|| expected(kind))?;
                Ok(Self::PowerOn { seed: seed(number)? })
            }
            "flash" if rest == "times=maximum" => Ok(Self::SlowFlash),
            "flash" | "flash-cache" => Err(expected(kind)),
            "reset" | "off" | "stuck" => {
                let (number, when) =
                    rest.strip_prefix("core=").and_then(|rest| rest.split_once('@')).ok_or_else(|| expected(kind))?;
                let core = core(number)?;
                if kind == "reset" {
                    return Ok(Self::ResetCore { core, at: cycles(when)? });
                }
                let (from, until) = cycles_until(when)?;
                Ok(if kind == "off" { Self::Off { core, from, until } } else { Self::Stuck { core, from, until } })
            }
            _ => Err(unknown(text)),
        }
    }
}

/// The number of a core.
fn core(text: &str) -> Result<usize, String> {
    match text {
        "0" => Ok(0),
        "1" => Ok(1),
        _ => Err(format!("there is no core {text}: give 0 or 1")),
    }
}

/// `2e6` or `2e6..3e6`: the first cycle, and the one behind the last; `NEVER` if none is named.
fn cycles_until(text: &str) -> Result<(Cycle, Cycle), String> {
    let (from, until) = match text.split_once("..") {
        Some((from, until)) => (cycles(from)?, cycles(until)?),
        None => (cycles(text)?, NEVER),
    };
    if from < until { Ok((from, until)) } else { Err(format!("'{text}' ends before it begins")) }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err(format!("'{text}' is not a probability: give a number from 0 to 1")),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a seed: give a whole number"))
}

fn noise(kind: &str, text: &str) -> Result<Noise, String> {
    let mut noise = Noise::default();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(|| expected(kind))?;
        match name {
            "flip" => noise.flip = probability(value)?,
            "lose" => noise.lose = probability(value)?,
            "double" => noise.double = probability(value)?,
            "seed" => noise.seed = seed(value)?,
            _ => {
                return Err(format!(
                    "a UART fault has no option '{name}': the options are flip, lose, double and seed"
                ));
            }
        }
    }
    Ok(noise)
}

/// A line in one direction. How a byte fares depends on the seed and on how many bytes went before, on nothing else.
#[derive(Clone, Debug)]
pub struct NoisyLine {
    noise: Noise,
    random: SplitMix64,
}

/// A character has no more bits than start, 8 data, parity and 2 stop bits.
const MOST_BITS: u32 = 12;

impl NoisyLine {
    /// A line as bad as asked.
    pub fn new(noise: Noise) -> Self {
        Self { noise, random: SplitMix64(noise.seed) }
    }

    /// What becomes of the next byte: for each time it arrives the bits that are inverted, the start bit in bit 0.
    pub fn next(&mut self, format: Format) -> Vec<u16> {
        // As many numbers are drawn for each byte, so that one fault does not move the others.
        let (lost, doubled) = (self.random.happens(self.noise.lose), self.random.happens(self.noise.double));
        let mut flips = [0_u16; 2];
        for flipped in &mut flips {
            for bit in 0..MOST_BITS {
                *flipped |= u16::from(self.random.happens(self.noise.flip) && bit < format.bits()) << bit;
            }
        }
        let arrivals = if lost { 0 } else { 1 + usize::from(doubled) };
        flips[..arrivals].to_vec()
    }

    /// What the host gets of a byte that the chip has sent.
    pub fn transmit(&mut self, byte: u8, format: Format) -> Vec<u8> {
        self.next(format).into_iter().filter_map(|flipped| received(byte, flipped, format)).collect()
    }
}

/// What a host makes of a byte of which some bits arrive inverted: nothing, if it sees no start bit, a wrong parity or no
/// stop bit.
pub fn received(byte: u8, flipped: u16, format: Format) -> Option<u8> {
    if flipped == 0 {
        return Some(byte);
    }
    let levels = format.encode(byte) ^ flipped;
    let frame = format.decode(levels);
    (levels & 1 == 0 && !frame.framing_error && !frame.parity_error).then_some(frame.data)
}

/// A chip that can have faults. Times are in its own unit, as the numbers behind @ are.
pub trait FaultTarget: Chip {
    /// What a core was doing before it got stuck.
    type Stuck: Copy + std::fmt::Debug;

    /// What is between its cores, and can lose.
    const CHANNEL: InterCoreChannel;

    /// Resets all of it. It starts again as it was first started.
    fn reset_chip(&mut self);

    /// Resets a core that is not held in reset anyhow.
    fn reset_core_alone(&mut self, core: usize);

    /// Holds a core in reset until a time, whatever software does about it.
    fn switch_off(&mut self, core: usize, until: Cycle);

    /// Lets software have its way again with cores that were switched off.
    fn end_forced_resets(&mut self);

    /// Has a core execute nothing from now on; none if it does not execute anyhow.
    fn stick_core(&mut self, core: usize) -> Option<Self::Stuck>;

    /// Lets it go on as it was.
    fn unstick_core(&mut self, core: usize, stuck: Self::Stuck);

    /// Empties the cache of its flash. False if it has none that is modelled.
    fn empty_flash_cache(&mut self) -> bool {
        false
    }

    /// Makes what it has by chance when it is switched on that of a seed. False if nothing of that is modelled.
    fn power_on_by_chance(&mut self, _seed: u64) -> bool {
        false
    }

    /// Has these losses of its channel from now on, instead of those there were.
    fn set_losses(&mut self, losses: Vec<Loss>);

    /// Has its flash take the longest times to erase and to program from now on, or typical ones. False if it cannot.
    fn set_slow_flash(&mut self, slow: bool) -> bool;

    /// Has these costs from now on, and no others altered. False if none of its costs can be.
    fn set_costs(&mut self, _altered: AlteredCosts) -> bool {
        false
    }

    /// How its console's UART is set up now.
    fn console_format(&self) -> Format;

    /// Puts a byte on the line from the host to the console's UART, not before some time; the bits set in `flipped` arrive
    /// inverted.
    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Cycle);
}

/// What happens to the chip at a cycle.
#[derive(Clone, Copy, Debug)]
enum Event<S> {
    Begin(Fault),
    Unstick { core: usize, stuck: S },
}

/// All faults of a run. Beside them nothing changes: without faults everything passes through as it is.
#[derive(Clone, Debug)]
pub struct Faults<M: FaultTarget> {
    /// The line from the host, if it is bad.
    pub incoming: Option<NoisyLine>,
    /// The line to the host, if it is bad.
    pub outgoing: Option<NoisyLine>,
    events: BTreeMap<Cycle, Vec<Event<M::Stuck>>>,
    /// Holds whose core has not come to their instruction yet, which has a breakpoint for each.
    awaited: Vec<Hold>,
}

impl<M: FaultTarget> Default for Faults<M> {
    fn default() -> Self {
        Self { incoming: None, outgoing: None, events: BTreeMap::new(), awaited: Vec::new() }
    }
}

impl<M: FaultTarget> Faults<M> {
    /// The faults that are asked for, of a machine, instead of those it had; of two for the same line the last counts. A core
    /// that is stuck or off stays so until it is reset.
    ///
    /// # Errors
    /// If the machine cannot have one of them.
    pub fn new(faults: impl IntoIterator<Item = Fault>, machine: &mut M) -> Result<Self, &'static str> {
        let (mut all, mut losses, mut slow_flash) = (Self::default(), Vec::new(), false);
        let mut costs = AlteredCosts::default();
        for fault in faults {
            match fault {
                Fault::UartIn(noise) => all.incoming = Some(NoisyLine::new(noise)),
                Fault::UartOut(noise) => all.outgoing = Some(NoisyLine::new(noise)),
                Fault::Reset(at)
                | Fault::ResetCore { at, .. }
                | Fault::Off { from: at, .. }
                | Fault::FlashCache(at)
                | Fault::Hold(Hold { from: at, .. })
                | Fault::Stuck { from: at, .. } => all.events.entry(at).or_default().push(Event::Begin(fault)),
                Fault::SlowFlash => slow_flash = true,
                Fault::Costs(altered) => costs = altered,
                Fault::Loss(loss) if loss.channel == M::CHANNEL => losses.push(loss),
                Fault::Loss(loss) => return Err(loss.channel.absent()),
                Fault::PowerOn { seed } if machine.now() == 0 && !machine.power_on_by_chance(seed) => {
                    return Err(RP2040_ONLY);
                }
                Fault::PowerOn { .. } => {}
            }
        }
        if !machine.set_slow_flash(slow_flash) && slow_flash {
            return Err("how long this chip's flash takes to erase and to program is not modelled");
        }
        if !machine.set_costs(costs) && costs != AlteredCosts::default() {
            return Err("only costs of the RP2040 can be altered");
        }
        machine.set_losses(losses);
        machine.end_forced_resets();
        Ok(all)
    }

    /// The cycle up to which the machine may run before `apply` is to be called; `NEVER` if nothing is to happen any more.
    /// If the machine comes to a dead end before, time is to be advanced to there.
    pub fn next(&self) -> Cycle {
        self.events.keys().next().copied().unwrap_or(NEVER)
    }

    /// Does to the machine what is due.
    pub fn apply(&mut self, machine: &mut M) {
        while self.next() <= machine.now() {
            let Some((_, due)) = self.events.pop_first() else { break };
            for event in due {
                match event {
                    Event::Begin(Fault::Reset(_)) => machine.reset_chip(),
                    Event::Begin(Fault::ResetCore { core, .. }) => machine.reset_core_alone(core),
                    Event::Begin(Fault::Off { core, until, .. }) => {
                        machine.switch_off(core, until);
                        if until < NEVER {
                            let reset = Event::Begin(Fault::ResetCore { core, at: until });
                            self.events.entry(until).or_default().push(reset);
                        }
                    }
                    Event::Begin(Fault::Hold(hold)) => {
                        machine.watch_mut().add_breakpoint(hold.pc);
                        self.awaited.push(hold);
                    }
                    Event::Begin(Fault::FlashCache(_)) => {
                        machine.empty_flash_cache();
                    }
                    Event::Begin(
                        Fault::UartIn(_)
                        | Fault::UartOut(_)
                        | Fault::Loss(_)
                        | Fault::PowerOn { .. }
                        | Fault::SlowFlash
                        | Fault::Costs(_),
                    ) => {}
                    Event::Begin(Fault::Stuck { core, until, .. }) => {
                        if let (Some(stuck), true) = (machine.stick_core(core), until < NEVER) {
                            self.events.entry(until).or_default().push(Event::Unstick { core, stuck });
                        }
                    }
                    Event::Unstick { core, stuck } => machine.unstick_core(core, stuck),
                }
            }
        }
    }

    /// Puts a byte on the line from the host to the console's UART, not before cycle `not_before`.
    pub fn send(&mut self, machine: &mut M, byte: u8, not_before: Cycle) {
        match &mut self.incoming {
            None => machine.send_console(byte, 0, not_before),
            Some(line) => {
                for flipped in line.next(machine.console_format()) {
                    machine.send_console(byte, flipped, not_before);
                }
            }
        }
    }

    /// What the host gets of a byte that the console's UART has sent.
    pub fn apply_line_faults(&mut self, machine: &M, byte: u8) -> Vec<u8> {
        match &mut self.outgoing {
            None => vec![byte],
            Some(line) => line.transmit(byte, machine.console_format()),
        }
    }
}
