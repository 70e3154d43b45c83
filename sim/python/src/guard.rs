//! What every simulated chip needs on Python's side: one user at a time, no panic that gets out, and Ctrl-C.

use crate::{SimulatorError, State};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How often a run lets Python look whether there is a signal, such as that of Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// A chip that one thread at a time may use.
pub struct Guarded(pub Mutex<State>);

impl Guarded {
    /// Does something with the chip. Others who want it meanwhile, and a defect, become exceptions.
    pub fn with<R>(&self, action: impl FnOnce(&mut State) -> PyResult<R>) -> PyResult<R> {
        let state = self.0.try_lock().map_err(|why| {
            SimulatorError::new_err(match why {
                TryLockError::WouldBlock => "this simulator is running in another thread; make one for each thread",
                TryLockError::Poisoned(_) => "this simulator broke down earlier; make a new one",
            })
        })?;
        // Unwinding drops the guard, which poisons the lock.
        catch_unwind(AssertUnwindSafe(move || {
            let mut state = state;
            action(&mut state)
        }))
        .unwrap_or_else(|panic| {
            let told = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref().map(String::as_str));
            let moment = self.0.lock().unwrap_or_else(PoisonError::into_inner).moment();
            Err(SimulatorError::new_err(format!(
                "a defect of the simulator after {moment} ({}); please report it with the image",
                told.unwrap_or("no message")
            )))
        })
    }
}

/// Does something long without Python's lock. What it is given tells it whether to go on; a signal ends it with what the
/// signal's handler raises.
pub fn run_long<R: Send>(
    py: Python<'_>,
    run: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> R + Send,
) -> PyResult<R> {
    let mut looked = Instant::now();
    let mut signal = Ok(());
    let end = py.detach(|| {
        run(&mut || {
            if looked.elapsed() >= PATIENCE {
                #[allow(clippy::redundant_closure_for_method_calls)] // the method is for one lifetime only
                let told = Python::attach(|py| py.check_signals());
                signal = told;
                looked = Instant::now();
            }
            signal.is_ok()
        })
    });
    signal.map(|()| end)
}

/// The number of a core.
pub fn core_number(core: u8) -> PyResult<usize> {
    let none = || pyo3::exceptions::PyValueError::new_err(format!("core {core}: there are 0 and 1"));
    if core < 2 { Ok(usize::from(core)) } else { Err(none()) }
}
