//! `--gdb`: the run as a debugger conducts it.

use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::time::Duration;

use crate::cli::chip::Runnable;
use crate::cli::run::Run;
use crate::cli::{REFUSED, STOPPED, print_message};
use crate::core::stop::Stop;
use crate::core::time::Cycle;
use crate::debug::{Debuggee, Outcome, serve};

/// How long a chip that waits for input sleeps before it looks for input, or GDB, again.
const IDLE_SLEEP: Duration = Duration::from_millis(10);

/// Waits for GDB at an address and runs as it says; by itself, once it has detached.
///
/// # Errors
/// With an exit code and a sentence if there is no such address to listen at, if GDB kills the run, or if it is lost.
pub fn run<C: Runnable>(run: &mut Run<C>, address: &str) -> Result<Stop, (u8, String)> {
    let refused = |why: io::Error| {
        let form =
            if why.kind() == ErrorKind::InvalidInput { ": give ADDRESS:PORT, such as 127.0.0.1:3333" } else { "" };
        (REFUSED, format!("--gdb cannot listen at {address}: {why}{form}"))
    };
    let listener = TcpListener::bind(address).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?;
    print_message(&format!("waiting for GDB: target remote {port}"));
    let (stream, _) = listener.accept().map_err(refused)?;
    drop(listener);
    let mut debugged = DebuggedRun { run, end: 0, shown: Vec::new() };
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
        Outcome::Killed => Err((STOPPED, format!("{}: killed by GDB", run.chip.moment()))),
        Outcome::Lost(why) => Err((STOPPED, format!("{}: the run ends, because {why}", run.chip.moment()))),
    }
}

/// A run in slices that are the same as without a debugger: the chip gets its input in the same cycles.
struct DebuggedRun<'a, C: Runnable> {
    run: &'a mut Run<C>,
    /// Where the present slice ends.
    end: Cycle,
    /// What the firmware said in this slice and was passed on because GDB stopped the chip.
    shown: Vec<u8>,
}

impl<C: Runnable> Debuggee for DebuggedRun<'_, C> {
    type Chip = C;

    fn chip(&self) -> &C {
        &self.run.chip
    }

    fn chip_mut(&mut self) -> &mut C {
        &mut self.run.chip
    }

    fn proceed(&mut self) -> Option<Stop> {
        let now = self.run.chip.now();
        // After a reset, time begins anew.
        if !(self.end.saturating_sub(C::SLICE)..self.end).contains(&now) {
            self.run.read_input();
            self.run.input_is_new = false;
            self.end = (now / C::SLICE + 1).saturating_mul(C::SLICE).min(self.run.max_cycles);
        }
        let stop = self.run.run_chip(self.end);
        match stop {
            Stop::Limit => (!self.end_slice() || self.end == self.run.max_cycles).then_some(stop),
            Stop::DeadEnd => {
                self.end_slice();
                self.end = 0;
                if self.run.input_is_new {
                    return None;
                }
                if self.run.chip.wakes_on_input() && !self.run.console.has_ended() {
                    std::thread::sleep(IDLE_SLEEP);
                    return None;
                }
                Some(stop)
            }
            Stop::Exit { .. } | Stop::BootLoader { .. } => {
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

impl<C: Runnable> DebuggedRun<'_, C> {
    /// Passes on what the firmware has said. Input that waits for it goes on waiting until the slice ends.
    fn show(&mut self) {
        let mut bytes = self.run.chip.take_host_output();
        for &uart in C::CONSOLE {
            bytes.extend(self.run.chip.take_sent(uart, usize::MAX).iter().map(|sent| sent.byte));
        }
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
