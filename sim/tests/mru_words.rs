//! What the fast path remembers of the cache of the flash.

use intercore_sim::engine::mru_words::MruWords;

const WORD: u32 = 0x108;
const WORDS: usize = 0x100;

fn begun() -> MruWords {
    let mut known = MruWords::default();
    known.begin_run(WORDS);
    known
}

#[test]
fn a_word_is_known_in_the_run_that_found_it_only() {
    let mut known = begun();
    assert!(!known.has(WORD));
    known.insert(WORD);
    assert!(known.has(WORD) && known.has(WORD + 3) && !known.has(WORD + 4));
    known.begin_run(WORDS);
    assert!(!known.has(WORD));
}

#[test]
fn both_words_of_a_line_are_forgotten_and_no_others() {
    let mut known = begun();
    for offset in (WORD - 4..WORD + 12).step_by(4) {
        known.insert(offset);
    }
    known.remove_line(WORD + 4);
    assert_eq!([WORD - 4, WORD, WORD + 4, WORD + 8].map(|offset| known.has(offset)), [true, false, false, true]);
}

#[test]
fn what_is_no_word_of_the_flash_is_never_known() {
    let mut known = begun();
    for offset in [u32::MAX - 3, 4 * WORDS as u32, 0x2000_0000, u32::MAX] {
        known.insert(offset);
        known.remove_line(offset);
        assert!(!known.has(offset), "{offset:#x}");
    }
}

#[test]
fn a_run_whose_number_comes_again_knows_nothing_of_the_first_one() {
    let mut known = begun();
    known.insert(WORD);
    known.run = u32::MAX;
    known.insert(WORD + 8);
    known.begin_run(WORDS);
    assert_eq!(known.run, 1);
    assert!(!known.has(WORD) && !known.has(WORD + 8));
}
