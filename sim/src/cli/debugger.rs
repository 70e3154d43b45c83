//! `--gdb`: the run as a debugger conducts it.

use std::net::TcpListener;
use std::time::Duration;

use crate::cli::run::{Run, SLICE};
use crate::cli::{REFUSED, STOPPED, tell};
use crate::core::stop::Stop;
use crate::core::time::Cycle;
use crate::debug::{Debuggee, Outcome, serve};
use crate::rp2040::machine::Machine;

/// How long a chip that waits for input sleeps before it looks for input, or GDB, again.
const NAP: Duration = Duration::from_millis(10);

/// Waits for GDB at an address and runs as it says; by itself, once it has detached.
///
/// # Errors
/// With an exit code and a sentence if there is no such address to listen at, if GDB kills the run, or if it is lost.
pub fn run(run: &mut Run, address: &str) -> Result<Stop, (u8, String)> {
    let refused = |why| (REFUSED, format!("GDB cannot connect to {address}: {why}"));
    let listener = TcpListener::bind(address).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?;
    tell(&format!("waiting for GDB: target remote {port}"));
    let (stream, _) = listener.accept().map_err(refused)?;
    drop(listener);
    let mut debugged = Debugged { run, end: 0, shown: Vec::new() };
    match serve(stream, &mut debugged) {
        Outcome::Ended(stop) => Ok(stop),
        Outcome::Detached => loop {
            let stop = debugged.proceed();
            if debugged.run.is_over(stop.as_ref().unwrap_or(&Stop::Limit)) {
                return Ok(Stop::DeadEnd);
            }
            match stop {
                // The other core goes on.
                None | Some(Stop::Lockup { .. }) => {}
                Some(stop) => return Ok(stop),
            }
        },
        Outcome::Killed => Err((STOPPED, format!("cycle {}: killed by GDB", run.machine.now()))),
        Outcome::Lost(why) => Err((STOPPED, format!("cycle {}: the run ends, since {why}", run.machine.now()))),
    }
}

/// A run in slices that are the same as without a debugger: the chip gets its input in the same cycles.
struct Debugged<'a> {
    run: &'a mut Run,
    /// Where the present slice ends.
    end: Cycle,
    /// What the firmware said in this slice and was passed on because GDB stopped the chip.
    shown: Vec<u8>,
}

impl Debuggee for Debugged<'_> {
    fn machine(&self) -> &Machine {
        &self.run.machine
    }

    fn machine_mut(&mut self) -> &mut Machine {
        &mut self.run.machine
    }

    fn proceed(&mut self) -> Option<Stop> {
        let now = self.run.machine.now();
        // After a reset, time begins anew.
        if !(self.end.saturating_sub(SLICE)..self.end).contains(&now) {
            self.run.read_input();
            self.run.input_is_new = false;
            self.end = (now / SLICE + 1).saturating_mul(SLICE).min(self.run.max_cycles);
        }
        let stop = self.run.machine.run_until(self.end);
        match stop {
            Stop::Limit => (!self.end_slice() || self.end == self.run.max_cycles).then_some(stop),
            Stop::DeadEnd => {
                self.end_slice();
                self.end = 0;
                if self.run.input_is_new {
                    return None;
                }
                if self.run.listens() && !self.run.console.has_ended() {
                    std::thread::sleep(NAP);
                    return None;
                }
                Some(stop)
            }
            Stop::Exit { .. } => {
                self.end_slice();
                Some(stop)
            }
            _ => {
                self.show();
                Some(stop)
            }
        }
    }
}

impl Debugged<'_> {
    /// Passes on what the firmware has said. Input that waits for it goes on waiting until the slice ends.
    fn show(&mut self) {
        let mut bytes = std::mem::take(&mut self.run.machine.host_output);
        bytes.extend(self.run.machine.take_uart(0));
        // If nobody listens, the end of the slice will tell.
        let _ = self.run.console.write(&bytes);
        self.shown.extend(bytes);
    }

    /// What happens at the end of each slice. False if nobody is there to hear what the firmware says.
    fn end_slice(&mut self) -> bool {
        let shown = std::mem::take(&mut self.shown);
        self.run.release_input(&shown);
        self.run.forward() && self.run.drain_timeline().is_ok()
    }
}
