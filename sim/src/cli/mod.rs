//! What only the command line needs.

pub mod console;
pub mod debugger;
pub mod report;
