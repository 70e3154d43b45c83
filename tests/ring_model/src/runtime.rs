//! What code compiled with `-fsanitize=thread` calls, on loom instead of thread sanitizer.
//!
//! Values of atomics live in loom, which decides what each load returns. All other memory is the program's own: loom only
//! judges, at each access to the shared memory, whether it is ordered after those of the other thread that it conflicts
//! with, and fails if not. Since loom runs one thread at a time and switches at atomics alone, an access that is ordered
//! finds what it must.

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, fence};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// The shared memory of one execution, as loom knows it.
struct Memory {
    start: usize,
    grain: usize,
    atomics: HashMap<usize, AtomicU32>,
    grains: Vec<UnsafeCell<()>>,
}

thread_local! {
    /// Loom runs all threads of a model on one of the system's.
    static MEMORY: RefCell<Option<Rc<Memory>>> = const { RefCell::new(None) };
}

/// Declares memory shared from now on, until [`forget`]: atomics at some offsets, zero at first, and other bytes, of which
/// `grain` are judged as one: the C code's own accesses are that wide.
pub fn share(start: *const u8, bytes: usize, grain: usize, atomics: &[usize]) {
    let start = start as usize;
    let atomics = atomics.iter().map(|offset| (start + offset, AtomicU32::new(0))).collect();
    let grains = std::iter::repeat_with(|| UnsafeCell::new(())).take(bytes.div_ceil(grain)).collect();
    MEMORY.set(Some(Rc::new(Memory { start, grain, atomics, grains })));
}

/// Ends what [`share`] began.
pub fn forget() {
    MEMORY.set(None);
}

fn memory() -> Option<Rc<Memory>> {
    MEMORY.with_borrow(Clone::clone)
}

/// Judges a plain access.
pub fn access(address: usize, bytes: usize, writes: bool) {
    let Some(memory) = memory() else { return };
    let Some(first) = address.checked_sub(memory.start) else { return };
    for grain in first / memory.grain..(first + bytes).div_ceil(memory.grain).min(memory.grains.len()) {
        let cell = &memory.grains[grain];
        if writes {
            cell.with_mut(|_| ());
        } else {
            cell.with(|_| ());
        }
    }
}

fn with_atomic<T>(address: usize, act: impl FnOnce(&AtomicU32) -> T) -> T {
    let memory = memory().expect("atomics are used within a model");
    act(memory.atomics.get(&address).expect("an atomic is one of those that are declared"))
}

/// The compiler's numbers for C11's memory orders.
fn order(number: i32) -> Ordering {
    match number {
        0 => Ordering::Relaxed,
        1 | 2 => Ordering::Acquire,
        3 => Ordering::Release,
        4 => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

macro_rules! plain {
    ($($read:ident $write:ident $bytes:literal;)*) => { $(
        #[unsafe(no_mangle)]
        extern "C-unwind" fn $read(address: usize) {
            access(address, $bytes, false);
        }
        #[unsafe(no_mangle)]
        extern "C-unwind" fn $write(address: usize) {
            access(address, $bytes, true);
        }
    )* };
}

plain! {
    __tsan_read1 __tsan_write1 1;
    __tsan_read2 __tsan_write2 2;
    __tsan_read4 __tsan_write4 4;
    __tsan_read8 __tsan_write8 8;
    __tsan_read16 __tsan_write16 16;
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_read_range(address: usize, bytes: usize) {
    access(address, bytes, false);
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_write_range(address: usize, bytes: usize) {
    access(address, bytes, true);
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_atomic32_load(address: usize, number: i32) -> u32 {
    with_atomic(address, |atomic| atomic.load(order(number)))
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_atomic32_store(address: usize, value: u32, number: i32) {
    with_atomic(address, |atomic| atomic.store(value, order(number)));
}

// A half word is kept in a word of loom's: what is stored to it fits.
#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_atomic16_load(address: usize, number: i32) -> u16 {
    with_atomic(address, |atomic| atomic.load(order(number)) as u16)
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_atomic16_store(address: usize, value: u16, number: i32) {
    with_atomic(address, |atomic| atomic.store(value.into(), order(number)));
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_atomic_thread_fence(number: i32) {
    fence(order(number));
}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_init() {}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_func_entry(_caller: usize) {}

#[unsafe(no_mangle)]
extern "C-unwind" fn __tsan_func_exit() {}
