//! Compiles the C code of the ring and of the vring: once as it is, and once for each mistake that the model must find.
//!
//! `-fsanitize=thread` makes the compiler call a function before each plain access to memory and in place of each atomic
//! operation and fence; `src/runtime.rs` has these functions. Nothing in the C code knows of it.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// A mistake: its name, what stands in the code, and what is put there instead.
type Mistake = (&'static str, &'static str, &'static str);

/// Of `spsc.c`.
const MISTAKES: &[Mistake] = &[
    (
        "head_is_not_released",
        "atomic_store_explicit(&sender->ring->head, head, memory_order_release)",
        "atomic_store_explicit(&sender->ring->head, head, memory_order_relaxed)",
    ),
    (
        "tail_is_not_released",
        "atomic_store_explicit(&receiver->ring->tail, tail, memory_order_release)",
        "atomic_store_explicit(&receiver->ring->tail, tail, memory_order_relaxed)",
    ),
    (
        "index_is_not_acquired",
        "atomic_load_explicit(index, memory_order_acquire)",
        "atomic_load_explicit(index, memory_order_relaxed)",
    ),
    (
        "published_before_it_is_written",
        "    *header(sender->ring, place) = size;\n",
        "    atomic_store_explicit(&sender->ring->head, (place + record_bytes(size)) % sender->capacity, \
         memory_order_release);\n    *header(sender->ring, place) = size;\n",
    ),
    (
        "head_comes_to_tail",
        "return bytes < sender->tail - sender->head;",
        "return bytes <= sender->tail - sender->head;",
    ),
    ("head_comes_to_tail_at_the_beginning", "(bytes == left && sender->tail != 0)", "bytes == left"),
    ("beginning_is_taken_for_free", "return bytes < sender->tail;", "return bytes <= sender->tail;"),
    (
        "end_is_not_marked",
        "    if (place != sender->head) {\n        *header(sender->ring, sender->head) = TO_THE_BEGINNING;\n    }\n",
        "",
    ),
    ("large_record_never_fits", "        go_to_beginning(sender, bytes);\n", ""),
    ("sender_does_not_look_again", "            found = reserve(sender, size);\n", ""),
    ("receiver_does_not_look_again", "            found = peek(receiver, size);\n", ""),
    (
        "announcement_has_no_fence",
        "    atomic_thread_fence(memory_order_seq_cst);\n}\n\nstatic void withdraw",
        "}\n\nstatic void withdraw",
    ),
    (
        "announcement_has_a_weak_fence",
        "    atomic_thread_fence(memory_order_seq_cst);\n}\n\nstatic void withdraw",
        "    atomic_thread_fence(memory_order_acq_rel);\n}\n\nstatic void withdraw",
    ),
    (
        "waker_has_no_fence",
        "        atomic_thread_fence(memory_order_seq_cst);\n        uint32_t count",
        "        uint32_t count",
    ),
    (
        "waker_has_a_weak_fence",
        "        atomic_thread_fence(memory_order_seq_cst);\n        uint32_t count",
        "        atomic_thread_fence(memory_order_acq_rel);\n        uint32_t count",
    ),
    (
        "sleep_does_not_end",
        "withdraw(&receiver->ring->receiver_sleeps, ++receiver->sleeps);",
        "withdraw(&receiver->ring->receiver_sleeps, receiver->sleeps);",
    ),
    (
        "progress_without_a_message_wakes_nobody",
        "        move_tail(receiver, 0);\n",
        "        receiver->tail = 0;\n        atomic_store_explicit(&receiver->ring->tail, 0, memory_order_release);\n",
    ),
];

/// Of `vring.c`.
const VRING_MISTAKES: &[Mistake] = &[
    (
        "available_is_not_released",
        "atomic_store_explicit(&ring->available->idx, ++driver->given, memory_order_release)",
        "atomic_store_explicit(&ring->available->idx, ++driver->given, memory_order_relaxed)",
    ),
    (
        "used_is_not_released",
        "atomic_store_explicit(&ring->used->idx, ++device->given, memory_order_release)",
        "atomic_store_explicit(&ring->used->idx, ++device->given, memory_order_relaxed)",
    ),
    (
        "index_of_a_vring_is_not_acquired",
        "atomic_load_explicit(idx, memory_order_acquire)",
        "atomic_load_explicit(idx, memory_order_relaxed)",
    ),
    (
        "available_before_it_is_described",
        "    ring->descriptors[id] =\n",
        "    atomic_store_explicit(&ring->available->idx, (uint16_t)(driver->given + 1U), memory_order_release);\n    \
         ring->descriptors[id] =\n",
    ),
    (
        "given_back_before_it_is_named",
        "    ring->used->ring[place(ring, device->given)] =",
        "    atomic_store_explicit(&ring->used->idx, (uint16_t)(device->given + 1U), memory_order_release);\n    \
         ring->used->ring[place(ring, device->given)] =",
    ),
    (
        "asks_without_a_second_look",
        "            moved = has_moved(idx, end->seen);\n        }\n        going_on",
        "        }\n        going_on",
    ),
    (
        "question_has_no_fence",
        "    atomic_store_explicit(flags, 0, memory_order_relaxed);\n    atomic_thread_fence(memory_order_seq_cst);\n",
        "    atomic_store_explicit(flags, 0, memory_order_relaxed);\n",
    ),
    (
        "question_has_a_weak_fence",
        "    atomic_store_explicit(flags, 0, memory_order_relaxed);\n    atomic_thread_fence(memory_order_seq_cst);\n",
        "    atomic_store_explicit(flags, 0, memory_order_relaxed);\n    atomic_thread_fence(memory_order_acq_rel);\n",
    ),
    ("notifier_has_no_fence", "        atomic_thread_fence(memory_order_seq_cst);\n        if (", "        if ("),
    (
        "notifier_has_a_weak_fence",
        "        atomic_thread_fence(memory_order_seq_cst);\n        if (",
        "        atomic_thread_fence(memory_order_acq_rel);\n        if (",
    ),
    (
        "notifies_before_it_has_given",
        "    atomic_store_explicit(&ring->used->idx, ++device->given, memory_order_release);\n    \
         notify(&device->waiting, &ring->available->flags);\n",
        "    notify(&device->waiting, &ring->available->flags);\n    \
         atomic_store_explicit(&ring->used->idx, ++device->given, memory_order_release);\n",
    ),
    (
        "does_not_ask",
        "    atomic_store_explicit(flags, 0, memory_order_relaxed);\n",
        "    atomic_store_explicit(flags, SUPPRESSED, memory_order_relaxed);\n",
    ),
];

/// What a model calls, and its types in Rust: of `spsc.h`, or by the same names of `src/vring_ends.c`.
const FUNCTIONS: &[(&str, &str)] = &[
    ("open_sender", "(end: *mut c_void, ring: *mut c_void, capacity: u32, waiting: *const Waiting)"),
    ("open_receiver", "(end: *mut c_void, ring: *mut c_void, capacity: u32, waiting: *const Waiting)"),
    ("publish", "(end: *mut c_void, size: u32)"),
    ("release", "(end: *mut c_void)"),
    ("await_room", "(end: *mut c_void, size: u32) -> *mut u8"),
    ("await_message", "(end: *mut c_void, size: *mut u32) -> *const u8"),
];

/// Functions that nobody else calls; each variant needs its own.
const INTERNAL: &[&str] = &[
    "spsc_capacity",
    "spsc_largest",
    "spsc_reserve",
    "spsc_peek",
    "vring_bytes",
    "vring_at",
    "vring_open_driver",
    "vring_open_device",
    "vring_make_available",
    "vring_take_used",
    "vring_await_used",
    "vring_take_available",
    "vring_await_available",
    "vring_give_back",
];

fn main() {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/transport");
    println!("cargo:rerun-if-changed={}", firmware.display());
    println!("cargo:rerun-if-changed=src/layout.c");
    println!("cargo:rerun-if-changed=src/vring_ends.c");
    let read = |name| fs::read_to_string(firmware.join(name)).expect("the code can be read");
    let (ring, vring) = (read("spsc.c"), read("vring.c"));
    let mut table = String::new();
    compile("right", &ring, None, &firmware, &mut table);
    for (sends, name) in [(1, "driver_sends"), (0, "device_sends")] {
        for num in [1, 2] {
            compile(&format!("{name}_{num}"), &vring, Some((sends, num)), &firmware, &mut table);
        }
    }
    let mut list = String::new();
    for (name, old, new) in MISTAKES {
        compile(name, &mistaken(name, &ring, old, new), None, &firmware, &mut table);
        writeln!(list, "    ({name:?}, &[&{}]),", name.to_uppercase()).unwrap();
    }
    writeln!(table, "/// The ring with each of the mistakes, by name.\npub static MISTAKEN: Mistaken = &[\n{list}];")
        .unwrap();
    list.clear();
    for (name, old, new) in VRING_MISTAKES {
        let code = mistaken(name, &vring, old, new);
        for (sends, way) in [(1, "driver"), (0, "device")] {
            compile(&format!("{name}_{way}"), &code, Some((sends, 1)), &firmware, &mut table);
        }
        let upper = name.to_uppercase();
        writeln!(list, "    ({name:?}, &[&{upper}_DRIVER, &{upper}_DEVICE]),").unwrap();
    }
    writeln!(
        table,
        "/// The vring with each of them, in both directions.\npub static MISTAKEN_VRING: Mistaken = &[\n{list}];"
    )
    .unwrap();
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("variants.rs"), table).unwrap();
}

/// The code with a mistake in it.
fn mistaken(name: &str, code: &str, old: &str, new: &str) -> String {
    assert_eq!(
        code.matches(old).count(),
        1,
        "mistake {name}: the code has changed, this does not stand in it once:\n{old}"
    );
    code.replace(old, new)
}

/// Compiles one variant under names of its own, and writes where it is to be found. A vring's is for a direction, and so
/// many buffers.
fn compile(name: &str, code: &str, vring: Option<(u32, u32)>, firmware: &Path, table: &mut String) {
    let file = Path::new(&env::var("OUT_DIR").unwrap()).join(format!("{name}.c"));
    fs::write(&file, code).unwrap();
    let mut build = cc::Build::new();
    build.file(file).include(firmware);
    if let Some((sends, num)) = vring {
        build.file("src/vring_ends.c");
        build.define("DRIVER_SENDS", sends.to_string().as_str()).define("NUM", num.to_string().as_str());
    } else {
        build.file("src/layout.c");
    }
    build.std("c11").opt_level(1).flag("-fsanitize=thread").flag("-fexceptions").warnings(false);
    for (function, _) in FUNCTIONS {
        build.define(&format!("ic_spsc_{function}"), format!("{name}_{function}").as_str());
    }
    for function in INTERNAL {
        build.define(&format!("ic_{function}"), format!("{name}_{function}").as_str());
    }
    build.define("layout", format!("{name}_layout").as_str());
    build.compile(name);
    writeln!(table, "/// `{name}`\npub static {}: Ring = Ring {{", name.to_uppercase()).unwrap();
    for (function, signature) in FUNCTIONS {
        let rust = format!("unsafe extern \"C-unwind\" {{ #[link_name = \"{name}_{function}\"] fn f{signature}; }}");
        writeln!(table, "    {function}: {{ {rust} f }},").unwrap();
    }
    let rust = format!("unsafe extern \"C\" {{ #[link_name = \"{name}_layout\"] static L: Layout; }}");
    writeln!(table, "    layout: {{ {rust} &raw const L }},\n}};").unwrap();
}
