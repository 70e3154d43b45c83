//! Compiles the ring's C code: once as it is, and once for each mistake that the model must find.
//!
//! `-fsanitize=thread` makes the compiler call a function before each plain access to memory and in place of each atomic
//! operation and fence; `src/runtime.rs` has these functions. Nothing in the C code knows of it.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// A mistake: its name, what stands in the code, and what is put there instead.
type Mistake = (&'static str, &'static str, &'static str);

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

/// The functions of `spsc.h`, and their types in Rust.
const FUNCTIONS: &[(&str, &str)] = &[
    ("capacity", "(bytes: u32) -> u32"),
    ("largest", "(capacity: u32) -> u32"),
    ("open_sender", "(end: *mut c_void, ring: *mut c_void, capacity: u32, waiting: *const Waiting)"),
    ("open_receiver", "(end: *mut c_void, ring: *mut c_void, capacity: u32, waiting: *const Waiting)"),
    ("reserve", "(end: *mut c_void, size: u32) -> *mut u8"),
    ("publish", "(end: *mut c_void, size: u32)"),
    ("peek", "(end: *mut c_void, size: *mut u32) -> *const u8"),
    ("release", "(end: *mut c_void)"),
    ("await_room", "(end: *mut c_void, size: u32) -> *mut u8"),
    ("await_message", "(end: *mut c_void, size: *mut u32) -> *const u8"),
];

fn main() {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/transport");
    let source = firmware.join("spsc.c");
    println!("cargo:rerun-if-changed={}", firmware.display());
    println!("cargo:rerun-if-changed=src/layout.c");
    let code = fs::read_to_string(&source).expect("the ring's code can be read");
    let mut table = String::new();
    compile("right", &code, &firmware, &mut table);
    for (name, old, new) in MISTAKES {
        assert_eq!(
            code.matches(old).count(),
            1,
            "mistake {name}: the code has changed, this does not stand in it once:\n{old}"
        );
        compile(name, &code.replace(old, new), &firmware, &mut table);
    }
    writeln!(table, "/// The ring with each of the mistakes, by name.\npub static MISTAKEN: &[(&str, &Ring)] = &[")
        .unwrap();
    for (name, ..) in MISTAKES {
        writeln!(table, "    ({name:?}, &{}),", name.to_uppercase()).unwrap();
    }
    table += "];\n";
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("variants.rs"), table).unwrap();
}

/// Compiles one variant under names of its own, and writes where it is to be found.
fn compile(name: &str, code: &str, firmware: &Path, table: &mut String) {
    let file = Path::new(&env::var("OUT_DIR").unwrap()).join(format!("{name}.c"));
    fs::write(&file, code).unwrap();
    let mut build = cc::Build::new();
    build.file(file).file("src/layout.c").include(firmware);
    build.std("c11").opt_level(1).flag("-fsanitize=thread").flag("-fexceptions").warnings(false);
    for (function, _) in FUNCTIONS {
        build.define(&format!("ic_spsc_{function}"), format!("{name}_{function}").as_str());
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
