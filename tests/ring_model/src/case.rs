//! A small case: a sender, a receiver, a ring, and the messages that go through it.

use crate::{Open, Ring, Waiting, runtime};
use loom::model::Builder;
use loom::thread::{self, Thread};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What goes through, and how both ends wait.
#[derive(Clone, Debug)]
pub struct Case {
    /// Bytes for messages in the ring.
    pub capacity: u32,
    /// Sizes of messages that have gone through before the two ends work at the same time: they choose where the ring
    /// stands then.
    pub before: Vec<u32>,
    /// Sizes of messages that go through then.
    pub messages: Vec<u32>,
    /// Bytes reserved for each beyond what is sent.
    pub spare: u32,
    /// Whether each end sleeps until it is woken, instead of overhead again and again.
    pub sender_sleeps: bool,
    /// See `sender_sleeps`.
    pub receiver_sleeps: bool,
}

impl Case {
    /// The sender sleeps.
    #[must_use]
    pub fn sender_sleeping(self) -> Self {
        Self { sender_sleeps: true, ..self }
    }

    /// The receiver sleeps.
    #[must_use]
    pub fn receiver_sleeping(self) -> Self {
        Self { receiver_sleeps: true, ..self }
    }
}

/// Messages of 8 bytes between ends that poll, through a vring of so many buffers, after so many others.
#[must_use]
pub fn by_vring(buffers: u32, before: usize, messages: usize) -> Case {
    polling(16 * buffers, &vec![8; before], &vec![8; messages])
}

/// Messages of some sizes between ends that poll, after others.
#[must_use]
pub fn polling(capacity: u32, before: &[u32], messages: &[u32]) -> Case {
    let (before, messages) = (before.to_vec(), messages.to_vec());
    Case { capacity, before, messages, spare: 0, sender_sleeps: false, receiver_sleeps: false }
}

/// What a wake tells: the sleeper's next wait returns, now or then, once however many wakes there were. It orders no
/// memory unless the sleeper really sleeps: the ring may not rely on more. No object of loom's, since it needs none:
/// whether a wake comes before the wait or into it makes no difference to what follows.
#[derive(Default)]
struct Wake {
    given: Cell<bool>,
    sleeper: RefCell<Option<Thread>>,
}

/// What an end's functions are given.
struct Side {
    own: Rc<Wake>,
    other: Rc<Wake>,
}

fn side<'a>(arg: *mut c_void) -> &'a Side {
    // SAFETY: only ever called with the address of a Side that outlives its end (`End`).
    unsafe { &*arg.cast::<Side>() }
}

extern "C-unwind" fn sleep(arg: *mut c_void) -> bool {
    let wake = &side(arg).own;
    while !wake.given.take() {
        wake.sleeper.replace(Some(thread::current()));
        thread::park();
    }
    true
}

extern "C-unwind" fn look_again(_: *mut c_void) -> bool {
    thread::yield_now();
    true
}

extern "C-unwind" fn wake(arg: *mut c_void) {
    let wake = &side(arg).other;
    wake.given.set(true);
    if let Some(sleeper) = wake.sleeper.take() {
        sleeper.unpark();
    }
}

/// One end, open.
struct End {
    memory: Vec<u64>,
    side: Box<Side>,
}

// SAFETY: what it leads to (the ring, the wakes) is used by two of loom's threads, which are coroutines of one thread of
// the system's. Whether they use the ring in order is what loom judges.
unsafe impl Send for End {}

impl End {
    fn open(open: Open, bytes: usize, ring: *mut u8, capacity: u32, sleeps: (bool, bool), side: Side) -> Self {
        let mut end = Self { memory: vec![0; bytes.div_ceil(8)], side: Box::new(side) };
        let waiting = Waiting {
            wait: if sleeps.0 { sleep } else { look_again },
            wake: if sleeps.1 { Some(wake) } else { None },
            arg: std::ptr::from_ref(&*end.side).cast_mut().cast(),
            sleeps: sleeps.0,
        };
        // SAFETY: the memory is as large as C wants it, and like the side it stays where it is as long as the end.
        unsafe { open(end.address(), ring.cast(), capacity, &raw const waiting) };
        end
    }

    fn address(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr().cast()
    }
}

/// What byte `place` of message `number` holds.
fn content(number: usize, place: u32) -> u8 {
    (number as u8 + 1) << 4 | place as u8
}

fn send(ring: &Ring, end: &mut End, number: usize, size: u32, spare: u32) {
    // SAFETY: the end is open, and `room` has as many bytes as were reserved.
    unsafe {
        let room = (ring.await_room)(end.address(), size + spare);
        assert!(!room.is_null(), "the sender takes its other end for corrupt");
        runtime::access(room as usize, (size + spare) as usize, true);
        for place in 0..size + spare {
            *room.add(place as usize) = content(number, place);
        }
        (ring.publish)(end.address(), size);
    }
}

fn receive(ring: &Ring, end: &mut End, number: usize, size: u32) {
    let mut found = 0;
    // SAFETY: the end is open, and `message` has as many bytes as it says.
    unsafe {
        let message = (ring.await_message)(end.address(), &raw mut found);
        assert!(!message.is_null(), "the receiver takes its other end for corrupt");
        assert_eq!(found, size, "size of message {number}");
        runtime::access(message as usize, size as usize, false);
        for place in 0..size {
            assert_eq!(*message.add(place as usize), content(number, place), "message {number}, byte {place}");
        }
        (ring.release)(end.address());
    }
}

/// Runs a case through all its executions, and returns how many there were.
///
/// # Panics
///
/// If one of them goes wrong, or if there is no end of them within `limit`.
#[must_use]
pub fn check(ring: &'static Ring, case: &Case, limit: Duration) -> u64 {
    let executions = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&executions);
    let case = case.clone();
    let mut builder = Builder::new();
    builder.max_branches = 10_000;
    builder.max_duration = Some(limit);
    let began = std::time::Instant::now();
    builder.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        execute(ring, &case);
    });
    assert!(began.elapsed() < limit, "the executions of this case could not all be seen in {limit:?}");
    executions.load(Ordering::Relaxed)
}

fn execute(ring: &'static Ring, case: &Case) {
    let layout = ring.layout();
    let bytes = layout.control + case.capacity as usize;
    let mut memory = vec![0_u64; bytes.div_ceil(8) + 8];
    let start = memory.as_mut_ptr().cast::<u8>();
    let start = start.wrapping_add(start.align_offset(64));
    runtime::share(start, bytes, layout.grain, &layout.atomics);
    let (first, second) = (Rc::new(Wake::default()), Rc::new(Wake::default()));
    let side = Side { own: Rc::clone(&first), other: Rc::clone(&second) };
    let sleeps = (case.sender_sleeps, case.receiver_sleeps);
    let mut sender = End::open(ring.open_sender, layout.sender, start, case.capacity, sleeps, side);
    let side = Side { own: second, other: first };
    let sleeps = (case.receiver_sleeps, case.sender_sleeps);
    let mut receiver = End::open(ring.open_receiver, layout.receiver, start, case.capacity, sleeps, side);

    for (number, &size) in case.before.iter().enumerate() {
        send(ring, &mut sender, number, size, 0);
        receive(ring, &mut receiver, number, size);
    }
    let sent = case.clone();
    let sender = thread::spawn(move || {
        let mut sender = sender;
        for (number, &size) in sent.messages.iter().enumerate() {
            send(ring, &mut sender, number, size, sent.spare);
        }
    });
    for (number, &size) in case.messages.iter().enumerate() {
        receive(ring, &mut receiver, number, size);
    }
    sender.join().unwrap();
    runtime::forget();
}
