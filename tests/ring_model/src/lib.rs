//! An exhaustive check of the real C code of the ring, `firmware/transport/spsc.c`, and of the vring that the transport
//! `rpmsg` goes by, `firmware/transport/vring.c`.
//!
//! Each C file is compiled as it stands, with `-fsanitize=thread`: the compiler then calls a function for every access to
//! memory and for every atomic operation. These functions are not thread sanitizer's but our own ([`runtime`]), and hand
//! each access over to loom, which runs a small case ([`case`]) again and again until it has seen every execution that
//! C11's memory model allows: every order of the two ends' steps, and every value that a load may return, stale ones
//! included. So it finds what one processor would show once in a year, or only another processor would: a message read
//! before it is written, or written over before it is read, and a sleep that nobody ends, which loom reports as a
//! deadlock.
//!
//! Limits, which are loom's: no load returns a value that is stored later ("load buffering", which C11 allows and no
//! control dependency here does), and of one variable the last seven stores are remembered. And ours: a case is as small
//! as its messages are few.
//!
//! That the check can fail is checked as well: `build.rs` puts mistakes into copies of the code, and every one of them
//! must be found.
//!
//! The vring has a driver and a device, of which either may be the sender: `src/vring_ends.c` makes a sender and a
//! receiver of them, as the transport does, so that both go through the same cases.

pub mod case;
pub mod runtime;

use std::ffi::c_void;

/// `struct ic_waiting`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Waiting {
    wait: extern "C-unwind" fn(*mut c_void) -> bool,
    wake: Option<extern "C-unwind" fn(*mut c_void)>,
    arg: *mut c_void,
    sleeps: bool,
}

/// Sizes and places, from `layout.c`.
#[repr(C)]
pub struct Layout {
    sender: usize,
    receiver: usize,
    control: usize,
    grain: usize,
    atomics: [usize; 4],
}

type Open = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, u32, *const Waiting);

/// The functions of one compilation of `spsc.c`, or of `vring_ends.c` and `vring.c`.
#[allow(missing_docs)] // spsc.h says what each does
pub struct Ring {
    pub open_sender: Open,
    pub open_receiver: Open,
    pub publish: unsafe extern "C-unwind" fn(*mut c_void, u32),
    pub release: unsafe extern "C-unwind" fn(*mut c_void),
    pub await_room: unsafe extern "C-unwind" fn(*mut c_void, u32) -> *mut u8,
    pub await_message: unsafe extern "C-unwind" fn(*mut c_void, *mut u32) -> *const u8,
    layout: *const Layout,
}

// SAFETY: `layout` points to a constant of the C code; functions have no state.
unsafe impl Sync for Ring {}

impl Ring {
    fn layout(&self) -> &Layout {
        // SAFETY: a constant of the same type in layout.c, there for as long as the program runs.
        unsafe { &*self.layout }
    }
}

/// The ring as it is, and with mistakes.
#[allow(missing_docs)]
pub mod variants {
    use super::{Layout, Ring, Waiting};
    use std::ffi::c_void;
    /// Names of mistakes, and the code with them.
    pub type Mistaken = &'static [(&'static str, &'static [&'static Ring])];
    include!(concat!(env!("OUT_DIR"), "/variants.rs"));
}
