//! Figures of a run: a table for people, JSON for scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::cli::chip::Runnable;
use crate::core::bus::Slave;
use crate::core::chip::{Chip, by_slave};
use crate::core::time::Unit;

/// Version of the JSON document: goes up when a field changes its meaning or goes.
const FORMAT: u32 = 2;

/// What `--stats` writes.
#[derive(Serialize)]
pub struct Statistics {
    /// Version of this document.
    format: u32,
    /// Always true: these figures are of the simulated chip.
    simulated: bool,
    /// What is simulated.
    chip: &'static str,
    /// What its time is counted in: `cycle` of `clk_sys`, or `ps`.
    unit: &'static str,
    #[serde(skip)]
    claim: &'static str,
    #[serde(skip)]
    slaves: Vec<&'static str>,
    /// How the run ended: `exit`, `limit`, `dead end`, `interrupted`, `unheard` or `unwritable`; and instead of `dead end`,
    /// `lockup` if a core is locked up, `fault` if one stays in its handler of a `HardFault`, `returned` if `main` did.
    end: &'static str,
    exit_code: u8,
    /// Time since power-on in that unit.
    cycles: u64,
    /// The chip's time, in seconds.
    chip_seconds: f64,
    /// Time on this machine, in seconds.
    host_seconds: f64,
    /// Cycles simulated per second of this machine, in millions; null where time is not counted in cycles.
    emulated_mhz: Option<f64>,
    /// As `--hash` prints it, if that was asked for.
    hash: Option<String>,
    /// By block, how often the program used what is not modelled of it.
    unmodelled_uses: BTreeMap<&'static str, u64>,
    /// Core 0 and core 1.
    cores: [Core; 2],
}

#[derive(Serialize)]
struct Core {
    /// `running`, `asleep`, `stuck`, `locked up` or `in reset`.
    state: &'static str,
    instructions: u64,
    /// Exceptions entered.
    exceptions: u64,
    /// Cycles in WFI or WFE, a sleep that goes on included.
    asleep_cycles: u64,
    /// Cycles lost because another master held a slave, by slave; those without are left out.
    conflict_cycles: BTreeMap<&'static str, u64>,
    /// Cycles lost to a slave's own wait states, alike.
    wait_cycles: BTreeMap<&'static str, u64>,
    /// Words for this core (of the STM32H745, interrupts of semaphores) that were lost for a fault that was asked for.
    fifo_words_lost: u64,
}

impl Statistics {
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn new<C: Runnable>(chip: &C, took: Duration, end: &'static str, exit_code: u8, hash: Option<String>) -> Self {
        let cycles = chip.now();
        let host_seconds = took.as_secs_f64();
        Self {
            format: FORMAT,
            simulated: true,
            chip: C::NAME,
            unit: C::UNIT.name(),
            claim: C::CLAIM,
            slaves: Slave::all().filter_map(C::slave_name).collect(),
            end,
            exit_code,
            cycles,
            chip_seconds: chip.femtoseconds(cycles) as f64 / 1e15,
            host_seconds,
            emulated_mhz: matches!(C::UNIT, Unit::Cycles(_))
                .then(|| if host_seconds > 0.0 { cycles as f64 / host_seconds / 1e6 } else { 0.0 }),
            hash,
            unmodelled_uses: chip.unmodelled_uses(),
            cores: [0, 1].map(|number| Core::new(chip, number)),
        }
    }

    /// At most 100 columns wide.
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn table(&self) -> String {
        let mut text = String::new();
        let (time, plural) = match self.unit {
            "cycle" => (format!("{} cycles of clk_sys", self.cycles), "cycles"),
            unit => (format!("{} {unit}", self.cycles), unit),
        };
        let emulated = self.emulated_mhz.map_or_else(String::new, |mhz| format!("emulated at {mhz:.1} MHz: "));
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "{}: {time}, {:.6} s of the chip's time\n{emulated}{:.3} s on this machine\n{:<34}{:>24}{:>24}",
            self.claim, self.chip_seconds, self.host_seconds, "", "core 0", "core 1"
        );
        let mut row = |name: &str, values: [u64; 2], share: bool| {
            let share = |value: u64| {
                let percent = value as f64 * 100.0 / self.cycles.max(1) as f64;
                if share { format!("{percent:6.1} %") } else { " ".repeat(8) }
            };
            let [zero, one] = values;
            let line = format!("{name:<34}{zero:>16}{}{one:>16}{}", share(zero), share(one));
            let _ = writeln!(text, "{}", line.trim_end());
        };
        let both = |value: fn(&Core) -> u64| [value(&self.cores[0]), value(&self.cores[1])];
        row("instructions", both(|core| core.instructions), false);
        row("exceptions", both(|core| core.exceptions), false);
        row(&format!("{plural} asleep"), both(|core| core.asleep_cycles), true);
        let [zero, one] = &self.cores;
        for (why, tables) in [
            ("other master", [&zero.conflict_cycles, &one.conflict_cycles]),
            ("wait states", [&zero.wait_cycles, &one.wait_cycles]),
        ] {
            for slave in &self.slaves {
                let lost = tables.map(|table| table.get(slave).copied().unwrap_or(0));
                if lost != [0, 0] {
                    row(&format!("{plural} lost, {slave}: {why}"), lost, true);
                }
            }
        }
        let words = both(|core| core.fifo_words_lost);
        if words != [0, 0] {
            row("words for it lost on purpose", words, false);
        }
        text
    }

    /// One JSON object.
    pub fn json(&self) -> String {
        // Maps with names for keys, and numbers that are finite: there is nothing in it that could not be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Core {
    fn new<C: Chip>(chip: &C, number: usize) -> Self {
        let statistics = chip.statistics(number);
        let [conflict_cycles, wait_cycles] = [&statistics.conflicts, &statistics.waits]
            .map(|cycles| by_slave::<C>(cycles).filter(|&(_, cycles)| cycles > 0).collect());
        Self {
            state: chip.core_state(number),
            instructions: statistics.instructions,
            exceptions: statistics.exceptions,
            asleep_cycles: statistics.asleep,
            conflict_cycles,
            wait_cycles,
            fifo_words_lost: chip.lost_between_cores(number),
        }
    }
}
