//! What the fast path remembers of the cache of the flash.

use intercore_sim::engine::fast_bus::FlashCache as _;
use intercore_sim::engine::mru_words::MruWords;
use intercore_sim::rp2040::machine::Machine;

const FLASH: u32 = 0x1000_0000;
const WORD: u32 = FLASH + 0x108;
const WORDS: u32 = 0x100;

/// A chip with a flash of `WORDS`, and words that know of it, at the beginning of a quantum.
fn begun() -> (Machine, MruWords) {
    let mut machine = Machine::new();
    assert!(machine.load(FLASH, &[0; 4 * WORDS as usize]));
    let mut known = MruWords::new(FLASH);
    known.sync(&mut machine.bus, true);
    known.begin_quantum();
    (machine, known)
}

#[test]
fn a_word_stays_known_until_its_line_is_demoted() {
    let (mut machine, mut known) = begun();
    assert!(!known.has(WORD));
    known.insert(WORD, false);
    known.begin_quantum();
    known.sync(&mut machine.bus, true);
    assert!(known.has(WORD) && known.has(WORD + 3) && !known.has(WORD + 4));
    machine.bus.xip.demoted().add(WORD + 4);
    known.sync(&mut machine.bus, true);
    assert!(!known.has(WORD));
}

#[test]
fn where_many_lines_are_demoted_nothing_stays_known() {
    let (mut machine, mut known) = begun();
    known.insert(WORD, false);
    for line in 0..1000 {
        machine.bus.xip.demoted().add(FLASH + 0x200 + 8 * (line % 4));
    }
    known.sync(&mut machine.bus, true);
    assert!(!known.has(WORD));
    known.insert(WORD, false);
    known.sync(&mut machine.bus, true);
    assert!(known.has(WORD), "they are demoted once");
}

#[test]
fn nothing_is_known_while_the_interface_of_the_flash_is_busy() {
    let (mut machine, mut known) = begun();
    known.insert(WORD, true);
    known.sync(&mut machine.bus, false);
    assert!(!known.has(WORD));
    known.sync(&mut machine.bus, true);
    assert!(known.has(WORD));
}

#[test]
fn what_the_speculative_core_reads_is_known_as_read_in_that_quantum_only() {
    let (_, mut known) = begun();
    known.insert(WORD, false);
    assert!(!known.was_read(WORD));
    known.insert(WORD, true);
    assert!(known.was_read(WORD) && known.was_read(WORD + 4) && !known.was_read(WORD + 8));
    known.begin_quantum();
    assert!(!known.was_read(WORD) && known.has(WORD));
}

#[test]
fn where_all_is_forgotten_within_a_quantum_each_line_may_have_been_read() {
    let (mut machine, mut known) = begun();
    known.begin_quantum();
    known.insert(WORD, true);
    for _ in 0..1000 {
        machine.bus.xip.demoted().add(FLASH + 0x200);
    }
    known.sync(&mut machine.bus, true);
    assert!(known.was_read(WORD));
    known.begin_quantum();
    assert!(!known.was_read(WORD));
}

#[test]
fn numbers_do_not_run_out_where_no_quantum_begins() {
    let (mut machine, mut known) = begun();
    known.quantum = u32::MAX - 5;
    known.insert(WORD, true);
    for _ in 0..8 {
        machine.bus.xip.demoted().add_all();
        known.sync(&mut machine.bus, true);
        assert!(!known.has(WORD));
    }
    known.insert(WORD, false);
    assert!(known.has(WORD));
}

#[test]
fn both_words_of_a_line_are_forgotten_and_no_others() {
    let (_, mut known) = begun();
    for address in (WORD - 4..WORD + 12).step_by(4) {
        known.insert(address, false);
    }
    known.remove_line(WORD + 4);
    assert_eq!([WORD - 4, WORD, WORD + 4, WORD + 8].map(|address| known.has(address)), [true, false, false, true]);
}

#[test]
fn what_is_no_word_of_the_flash_is_never_known() {
    let (_, mut known) = begun();
    for address in [FLASH - 4, FLASH + 4 * WORDS, 0x2000_0000, 0, u32::MAX] {
        known.insert(address, true);
        known.remove_line(address);
        assert!(!known.has(address) && !known.was_read(address), "{address:#x}");
    }
}

#[test]
fn a_quantum_whose_number_comes_again_knows_nothing_of_the_first_one() {
    let (_, mut known) = begun();
    known.quantum = u32::MAX - 2;
    known.insert(WORD, true);
    known.begin_quantum();
    assert!(known.quantum < 10 && !known.has(WORD) && !known.was_read(WORD));
    known.insert(WORD, false);
    assert!(known.has(WORD) && !known.was_read(WORD));
}
