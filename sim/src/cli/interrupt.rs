//! Ctrl-C, and the signal that asks a program to end: the run is ended in good order. A second one ends the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// Whether the run is to end; listens as long as it lives.
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    handlers: Vec<SigId>,
}

impl Interrupt {
    pub fn listen() -> io::Result<Self> {
        let mut interrupt = Self { asked: Arc::default(), handlers: Vec::new() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first one does nothing until the second has been called once.
            interrupt.handlers.push(flag::register_conditional_default(signal, Arc::clone(&interrupt.asked))?);
            interrupt.handlers.push(flag::register(signal, Arc::clone(&interrupt.asked))?);
        }
        Ok(interrupt)
    }

    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            low_level::unregister(handler);
        }
    }
}
