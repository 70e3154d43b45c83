//! All tests of the simulator, as one program: it is linked once, and all of them share the processors.
//!
//! Some of them: `cargo test --package intercore-sim-tests engines::`.

mod armv7em;
mod bootrom;
mod bootrom_float;
mod busy_wait;
mod cli;
mod compiler;
mod contention;
mod core_faults;
mod crash;
mod cycles;
mod dma_timing;
mod documented;
mod elf;
mod engines;
mod examples;
mod exceptions;
mod fault;
mod flash;
mod flash_cache;
mod gdb;
mod hazard3;
mod image;
mod interleaving;
mod lockstep;
mod machine_code;
mod mru_words;
mod peripherals;
mod polling;
mod profile;
mod qemu;
mod random;
mod reports;
mod rp2350;
mod session;
mod start_up;
mod state_hash;
mod stm32h745;
mod stm32h745_cores;
mod stm32h745_observed;
mod timeline;
mod trace_hash;
mod wait_states;
mod watch;
mod xip_stream;
